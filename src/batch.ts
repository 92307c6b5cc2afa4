import { hash } from 'node:crypto';
import { requestsPerSecond } from './account.ts';
import { canonicalJson } from './call-key.ts';
import { columnWords } from './columns.ts';
import { crashPoint } from './faults.ts';
import type { MappedInput } from './input.ts';
import { jobSettings } from './job-settings.ts';
import type { Batch, BatchId, BatchSpec, BatchStart, Credits, LedgerReader } from './ledger.ts';
import type { RunOrder } from './order.ts';

/**
 * A batch is one job applied to one input's content. Its identity holds what decides which calls are made and nothing
 * else, so a budget, a policy or an output may differ from run to run of the same batch.
 */
export interface BatchIdentity {
  readonly accountIdentity: string;
  readonly operation: string;
  /** Operation's input → column of the file. */
  readonly columns: Readonly<Record<string, string>>;
  readonly waterfall: readonly string[] | undefined;
}

export function batchKeyOf(identity: BatchIdentity, inputSha256: string): string {
  return fingerprint('rowonce-batch-1', identity, inputSha256);
}

/** The same job over the same path: its batch over other content supersedes what is unfinished of the old. */
export function lineageOf(identity: BatchIdentity, inputPath: string): string {
  return fingerprint('rowonce-lineage-1', identity, inputPath);
}

function fingerprint(format: string, identity: BatchIdentity, last: string): string {
  const { accountIdentity, operation, columns, waterfall } = identity;
  return hash(
    'sha256',
    canonicalJson([format, accountIdentity, operation, columns, waterfall ?? null, last]),
    'hex',
  );
}

export function batchIdentityOf(
  { account, job }: Pick<RunOrder, 'account' | 'job'>,
  input: MappedInput,
): BatchIdentity {
  return {
    accountIdentity: account.identity,
    operation: job.operation.name,
    columns: input.columns.columns,
    waterfall: job.waterfall,
  };
}

/**
 * Starts or resumes the batch of this input, and brings what may differ from run to run up to date.
 * @param budget undefined leaves the cap of a resumed batch as it is.
 */
export async function startBatch(
  order: RunOrder,
  input: MappedInput,
  budget: Credits | undefined,
): Promise<Batch> {
  const { ledger, command, job } = order;
  const isFirst = (await ledger.batches()).length === 0;
  const spec = specOf(order, input);
  const start = await ledger.beginBatch(spec);
  await ledger.changeBatch(start.batch.id, {
    settings: spec.settings,
    command,
    ...(budget === undefined ? {} : { budget }),
    ...(job.inDoubt.kind === 'retry' ? { extraCredits: job.inDoubt.extraCredits } : {}),
  });
  crashPoint('batch-created');
  await announce(order, input, start, isFirst);
  return start.batch;
}

function specOf(order: RunOrder, input: MappedInput): BatchSpec {
  const { account, job, clock } = order;
  const identity = batchIdentityOf(order, input);
  return {
    key: batchKeyOf(identity, input.survey.sha256),
    lineage: lineageOf(identity, input.path),
    accountIdentity: account.identity,
    accountName: account.name,
    sandbox: account.sandbox,
    vendor: account.vendor,
    operation: job.operation.name,
    inputPath: input.path,
    inputSha256: input.survey.sha256,
    inputRows: input.survey.rows,
    settings: jobSettings(job, input.columns.columns),
    createdAtMs: clock.wallMs(),
  };
}

async function announce(
  { ledger, account, emit }: RunOrder,
  { survey, columns }: MappedInput,
  { batch, start, superseded }: BatchStart,
  isFirst: boolean,
): Promise<void> {
  const note = (message: string): void => emit({ kind: 'note', message });
  emit({
    kind: 'batch',
    batch: batch.id,
    rows: survey.rows,
    settled: await settledRowCount(ledger, batch.id),
    resumed: start !== 'new',
    requestsPerSecond: requestsPerSecond(account),
  });
  if (isFirst && !account.sandbox) note('The store is new, so nothing is known as bought.');
  for (const old of superseded) note(`The file was changed: batch ${old} ends, what it bought is kept.`);
  if (columns.guessed) note(`Columns, by their names: ${columnWords(columns.columns)}.`);
}

/** Rows with a final outcome: those in doubt are looked at again. */
async function settledRowCount(ledger: LedgerReader, batch: BatchId): Promise<number> {
  const { in_doubt: _, ...final } = await ledger.counts(batch);
  return Object.values(final).reduce((sum, count) => sum + count, 0);
}
