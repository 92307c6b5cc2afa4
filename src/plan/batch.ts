import { isoTime } from '../core/clock.ts';
import { crashPoint } from '../core/faults.ts';
import { present } from '../core/objects.ts';
import { guessWords, isByName } from '../files/columns/columns.ts';
import type { MappedInput } from '../files/input.ts';
import { jobSettings } from '../job/job-settings.ts';
import { APART_MS } from '../ledger/believed-time.ts';
import { interruptedChanges } from '../ledger/interrupted-changes.ts';
import type {
  Batch,
  BatchId,
  BatchSpec,
  BatchStart,
  Credits,
  Ledger,
  LedgerReader,
} from '../ledger/ledger.ts';
import { requestsPerSecond } from '../vendor/account/account.ts';
import { answerPlaceOf } from '../vendor/envelope.ts';
import { batchIdentityOf, batchKeyOf, lineageOf } from './batch-key.ts';
import { freshSinceOf, hasGoneStale } from './freshness.ts';
import type { RunContext } from './order.ts';
import { type ChangePlan, hasWork } from './team/change-plan.ts';

/** This file begins, resumes, renews and closes batches. */

export interface BatchOptions {
  /** The plan of a job that changes the service. A new batch keeps it; work in it makes a new batch of a finished list. */
  readonly plan: ChangePlan | undefined;
  /** The part of the output's name that the batch keeps. */
  readonly outputName: string | undefined;
  /** Whether a new batch follows a finished one and settles its rows by what their answers mean today. */
  readonly anew: boolean;
}

/**
 * Starts or resumes the batch of this input, and updates the settings that may differ from run to run.
 * @param budget undefined leaves the cap of a resumed batch as it is.
 */
export async function startBatch(
  order: RunContext,
  input: MappedInput,
  budget: Credits | undefined,
  { plan, outputName, anew }: BatchOptions,
): Promise<Batch> {
  const { ledger, command, job } = order;
  const isFirst = (await ledger.batches()).length === 0;
  const spec = specOf(order, input, plan, outputName);
  const isStale =
    anew || (await hasGoneStale(ledger, spec)) || (hasMoved(job, plan) && !(await isDecided(ledger, spec)));
  const start = await ledger.beginBatch(spec, isStale, plan?.planned);
  await ledger.changeBatch(start.batch.id, {
    settings: spec.settings,
    command,
    ...present({ budget }),
    ...(job.inDoubt.kind === 'retry' ? { extraCredits: job.inDoubt.extraCredits } : {}),
  });
  crashPoint('batch-created');
  await announce(order, input, start, isFirst);
  return datedByNow(order, start.batch);
}

/**
 * The batch without its cut-offs when it began in the future: its clock was wrong then, so an answer that it takes for
 * too old may have been bought yesterday. The database refuses to buy such answers anew.
 */
function datedByNow({ clock, emit }: RunContext, batch: Batch): Batch {
  const { freshSince, ...undated } = batch;
  if (freshSince === undefined || batch.createdAtMs - clock.wallMs() <= APART_MS) return batch;
  const message = `This batch began at ${isoTime(batch.createdAtMs)} by a clock that was wrong, so nothing is too old for it.`;
  emit({ kind: 'note', message });
  return undated;
}

/** Whether the job describes a wanted state and the service differs from it. */
function hasMoved({ operation }: RunContext['job'], plan: ChangePlan | undefined): boolean {
  return operation.change?.isState === true && plan !== undefined && hasWork(plan);
}

/**
 * Whether a person has decided about a doubt of the batch with this key. Only that batch can carry the decision out, so
 * it is resumed before a new one begins.
 */
async function isDecided(ledger: LedgerReader, { key }: BatchSpec): Promise<boolean> {
  const existing = await ledger.batchByKey(key);
  if (existing === undefined) return false;
  const keys = (await ledger.doubts(existing.id)).map((doubt) => doubt.key);
  const states = await ledger.find(keys, existing.id);
  return states.some((state) => state.kind === 'in_doubt' && state.decision !== undefined);
}

/** Whether the newest run of the batch was for some of its rows only, so that nobody has agreed to the rest yet. */
export function isPartial({ settings }: Pick<Batch, 'settings'>): boolean {
  return settings[PARTIAL] === true;
}

const PARTIAL = 'partial';

function specOf(
  order: RunContext,
  input: MappedInput,
  plan: ChangePlan | undefined,
  outputName: string | undefined,
): BatchSpec {
  const { account, dialect, job, clock } = order;
  const identity = batchIdentityOf(order, input);
  const startMs = clock.wallMs();
  // A change is never answered from an older one, so none of its answers can be too old.
  const isRead = job.operation.change === undefined;
  const freshSince = isRead ? freshSinceOf(job, order.refresh === true, startMs) : undefined;
  const partial = order.limit !== undefined || order.sample !== undefined;
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
    settings: {
      ...jobSettings(job, input.columns.columns, {
        requestsPerSecond: requestsPerSecond(account),
        answerPlace: answerPlaceOf(dialect, job.operation.name),
        outputName,
      }),
      ...(partial ? { [PARTIAL]: true } : {}),
    },
    createdAtMs: startMs,
    ...present({ freshSince }),
    ...(plan === undefined || plan.rowsBeyond === 0 ? {} : { rowsBeyond: plan.rowsBeyond }),
  };
}

async function announce(
  { ledger, account, emit, refresh }: RunContext,
  { survey, columns, sheet }: MappedInput,
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
  for (const old of superseded) {
    note(`The file was changed: batch ${old} ends, what it bought is kept.`);
    for (const line of await interruptedChanges(ledger, { id: old, accountIdentity: account.identity }))
      note(line);
  }
  if (refresh === true && start === 'resumed') {
    note('This batch was unfinished and goes on as it began; --refresh begins anew once it is finished.');
  }
  for (const each of sheet.notes) note(each);
  if (columns.guessed) {
    note(`Columns, ${isByName(columns) ? 'by their names' : 'guessed'}: ${guessWords(columns)}.`);
  }
  if (columns.note !== undefined) note(columns.note);
}

/** The number of rows with a final outcome. A row in doubt has none, because later runs look at it again. */
async function settledRowCount(ledger: LedgerReader, batch: BatchId): Promise<number> {
  const { in_doubt: _, ...final } = await ledger.counts(batch);
  return Object.values(final).reduce((sum, count) => sum + count, 0);
}

// ----------------------------------------------------------------------------------------------------------- closing

/** The number of rows of the file and of those that a plan has added. */
export function rowsOf({ inputRows, rowsBeyond = 0 }: Batch): number {
  return inputRows + rowsBeyond;
}

/**
 * Closes the batch when every row has an outcome. A row in doubt counts, because later runs look at it again in a closed
 * batch, too.
 */
export async function closeIfSettled(ledger: Ledger, batch: Batch): Promise<void> {
  const counts = await ledger.counts(batch.id);
  const settled = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (settled === rowsOf(batch)) await ledger.changeBatch(batch.id, { state: 'finished' });
}
