import { hash } from 'node:crypto';
import type { Account } from '../client/account/account.ts';
import { canonicalJson } from '../core/call-key.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import { readingEntries, readingIn } from '../core/reading.ts';
import type { MappedInput, OpenedInput } from '../files/input.ts';
import type { Job } from '../job/job.ts';
import { settingsOf } from '../job/job-schema.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { fillingOf, stepsFilling } from '../walk/filling.ts';
import type { ResolvedJob } from '../walk/resolved-job.ts';

/**
 * The input of a plan. It may lack a survey, because the plan reads every row itself and meets any damage
 * there.
 */
export type PlannedInput = OpenedInput & Partial<Pick<MappedInput, 'survey'>>;

interface BatchKeyParts {
  readonly account: Pick<Account, 'identity'>;
  readonly further: ResolvedJob['further'];
  readonly job: Job;
}

interface Columns {
  readonly columns: Pick<MappedInput['columns'], 'columns' | 'header'>;
}

export async function keyOf(chosen: BatchKeyParts, input: PlannedInput): Promise<string> {
  return batchKeyOf(chosen, input, input.survey?.sha256 ?? (await input.file.sha256()));
}

/** The newest batch of the job over the input; undefined while there is none. */
export async function newestBatch(
  { ledger, ...chosen }: BatchKeyParts & { readonly ledger: Pick<LedgerReader, 'batchByKey'> | undefined },
  input: PlannedInput,
): Promise<Batch | undefined> {
  return ledger === undefined ? undefined : ledger.batchByKey(await keyOf(chosen, input));
}

/**
 * The names of one job over one input in the ledger, and the newest batch with that key. A run looks them up
 * once, before it plans anything.
 */
export interface BatchNames {
  readonly key: string;
  readonly lineage: string;
  readonly existing: Batch | undefined;
}

export async function batchNamesOf(
  { ledger, ...chosen }: BatchKeyParts & { readonly ledger: LedgerReader },
  input: MappedInput,
): Promise<BatchNames> {
  const key = batchKeyOf(chosen, input, input.survey.sha256);
  // One job over one path. When the file's content changes, its new batch replaces the unfinished old one.
  const lineage = fingerprint('rowonce-lineage-1', chosen, input, input.path);
  return { key, lineage, existing: await ledger.batchByKey(key) };
}

export function batchKeyOf(chosen: BatchKeyParts, input: Columns, inputSha256: string): string {
  return fingerprint('rowonce-batch-1', chosen, input, inputSha256);
}

/**
 * A batch is one job applied to the content of one input. Its identity holds what decides which calls are
 * made and nothing else. So a budget, a policy or an output may differ from run to run of the same batch.
 */
function fingerprint(format: string, chosen: BatchKeyParts, { columns }: Columns, last: string): string {
  const { account, job } = chosen;
  const { operation, waterfall = null } = job;
  const parts = [format, account.identity, operation.name, columns.columns, waterfall, last];
  const settings = askingSettings(chosen, columns);
  return hash('sha256', canonicalJson(settings === undefined ? parts : [...parts, settings]), 'hex');
}

/**
 * The settings include how the file is read and whether it is repaired, because both change the text of its
 * rows.
 */
function askingSettings(parts: BatchKeyParts, columns: Columns['columns']): JsonObject | undefined {
  const { job, account, further } = parts;
  const { operation, read, country, repair, origin } = job;
  const asking = Object.entries(settingsOf(job)).filter(([name]) => operation.settings?.[name] === 'asks');
  const reading = readingEntries(readingIn({ read, country }));
  const filling = fillingOf(job, columns.header);
  const all = [account, ...further.map((furtherAccount) => furtherAccount.account)].map(
    ({ identity }) => identity,
  );
  const settingsThatAsk = {
    // The cells that decide which rows, and which steps of a row, are asked about at all.
    ...present({
      skips: filling === undefined ? stepsFilling(job, columns)?.skips : filling.cells.map(({ at }) => at),
    }),
    ...present({ only_if: job.only_if, unless: job.unless, accept_hosts: job.accept_hosts }),
    ...present({ role_addresses: job.role_addresses }),
    ...Object.fromEntries(asking),
    // Which accounts are asked, in their order, and the columns by which it is known whether one has it.
    ...present({ steps: stepsAsked(job, all, columns) }),
    ...origin,
    ...(origin && 'undoes' in origin ? { our_list: true } : {}),
    // The settings beside `read` matter only to repairs.
    ...(repair === true ? { ...reading, repair } : present({ read: reading.read })),
  };
  return Object.keys(settingsThatAsk).length === 0 ? undefined : settingsThatAsk;
}

/** A single checker is written as it was before there could be several. */
const onlyOrAll = ([only = '', ...others]: readonly string[]): string | readonly string[] =>
  others.length === 0 ? only : [only, ...others];

/** Undefined for a job with one account, without a step that reads what another one fills. */
function stepsAsked(
  job: Job,
  identities: readonly string[],
  columns: Columns['columns'],
): JsonObject[] | undefined {
  const filling = stepsFilling(job, columns);
  if (filling === undefined || !(filling.isRead || identities.length > 1)) return undefined;
  const identityOf = ({ account }: { readonly account: number }): string => identities[account] ?? '';
  return (job.operation.steps ?? []).map(({ name, askedOperations = [{ account: 0 }], check, accepts }) => ({
    operation: name,
    accounts: askedOperations.map(identityOf),
    ...present({
      check: check && { account: onlyOrAll(check.checkers.map(identityOf)), accept: check.accept },
      accept: accepts,
    }),
    add: Object.fromEntries(filling.wantedOf(name).map(({ column, path }) => [column, path])),
  }));
}
