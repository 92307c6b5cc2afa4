import { isDeepStrictEqual } from 'node:util';
import { callKeyOf } from '../core/call-key.ts';
import { finding } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { isTaking } from '../core/given.ts';
import type { Call } from '../core/operation.ts';
import type { InputRow } from '../core/row.ts';
import { stepNames } from '../core/steps.ts';
import { inputReader } from '../files/columns/columns.ts';
import type { MappedInput } from '../files/input.ts';
import { settingsKept } from '../job/job-settings.ts';
import { type AttemptId, type Batch, type LedgerReader, lastFirst } from '../ledger/ledger.ts';
import { accountsOf, type PlanContext } from './resolved-job.ts';
import type { PlannedBatch } from './row-classification.ts';
import { rowPreparer } from './row-preparer.ts';
import { RowWalk } from './row-walk.ts';

/**
 * Rows that an earlier build has asked by other calls than today's reading of their cells makes: an address
 * that it took as it stood, and that is repaired or unwrapped today. Their new calls are unknown to the
 * ledger, so nothing else tells that the rows were bought.
 */

/** What was asked for a row before. */
export interface EarlierCall {
  /** `answered`: the ledger has its answer. `in_doubt`: no one knows yet whether it was charged. */
  readonly kind: 'answered' | 'in_doubt';
  readonly attempt: AttemptId;
  readonly call: Call;
}

/** The call of an earlier build for a row of the list; undefined where today's reading makes the same. */
export type AskedBefore = (row: InputRow) => EarlierCall | undefined;

interface List {
  readonly path: string;
  readonly columns: Pick<MappedInput['columns'], 'columns' | 'header' | 'issueOf' | 'nullNames' | 'guessed'>;
}

const ROWS_AT_ONCE = 1_000;

/**
 * Looks at the newest start of the list by an earlier build, and keeps the rows that today's reading asks
 * otherwise. Nearly all lists have no such start, and nearly all of its rows are asked as before.
 * @param batch with cut-offs that say which answers are too old, and are bought anew anyway.
 */
export async function askedBefore(
  context: PlanContext,
  list: List,
  batch: PlannedBatch,
  existing: Batch | undefined,
): Promise<AskedBefore | undefined> {
  const { ledger, job } = context;
  if (ledger === undefined || job.operation.change !== undefined) return undefined;
  const start = isOfEarlierBuild(existing) ? existing : await startBefore(ledger, context, list);
  if (start === undefined) return undefined;
  const { columns } = settingsKept(start.settings);
  const found = new Map<string, EarlierCall>();
  const before = nameReader(columns, start.header);
  const isOther = otherReading(context, list, start.header);
  const end = await ledger.lastSubmitted(start.id);
  for (let from = 0; from <= end; from += ROWS_AT_ONCE) {
    const calls = await ledger.callsOf(start.id, { from, before: from + ROWS_AT_ONCE });
    const other = [...Map.groupBy(calls, ({ listed }) => listed.row).values()].flatMap(isOther);
    const states = await ledger.find(
      other.map(({ accountIdentity, call }) => callKeyOf(accountIdentity, call)),
      { freshFor: batch },
    );
    for (const [at, { listed, attempt, call }] of other.entries()) {
      const kind = standsAs(states[at]);
      const name = before(listed);
      // A doubt counts before an answer, because it has to be settled first.
      if (kind !== undefined && found.get(name)?.kind !== 'in_doubt')
        found.set(name, { kind, attempt, call });
    }
  }
  if (found.size === 0) return undefined;
  const now = nameReader(columns, list.columns.header);
  return (row) => (row.unreadable === undefined ? found.get(now(row)) : undefined);
}

const isOfEarlierBuild = (batch: Batch | undefined): batch is Batch =>
  batch !== undefined && settingsKept(batch.settings).by_kind !== true;

/** The newest start of the list by an earlier build, with the same job over the same columns. */
async function startBefore(
  ledger: LedgerReader,
  { job, account }: PlanContext,
  { path, columns }: List,
): Promise<Batch | undefined> {
  return (await ledger.batches()).toSorted(lastFirst).find((batch) => {
    const { inputPath, operation, accountIdentity, settings } = batch;
    if (inputPath !== path || operation !== job.operation.name || accountIdentity !== account.identity)
      return false;
    const keptSettings = settingsKept(settings);
    // The guess may be another one today, for the same reason for which a row is asked otherwise.
    const isAlike = columns.guessed || isDeepStrictEqual(keptSettings.columns, columns.columns);
    return isOfEarlierBuild(batch) && isAlike && isDeepStrictEqual(keptSettings.waterfall, job.waterfall);
  });
}

/** Names a row by the cells by which it was asked, whatever else of the list was edited. */
function nameReader(columns: Readonly<Record<string, string>>, header: readonly string[]) {
  const read = inputReader(columns, header);
  return (row: InputRow): string => JSON.stringify(read(row));
}

type CallOfRow = Awaited<ReturnType<LedgerReader['callsOf']>>[number];

/** @returns of the calls of one row, those that today's reading of its cells does not make. */
function otherReading(context: PlanContext, { columns }: List, header: readonly string[]) {
  const { job } = context;
  const accounts = accountsOf(context);
  const read = inputReader(columns.columns, header);
  const prepare = rowPreparer(context, { ...columns, header, read });
  // The calls of later steps, and of later pages, follow from answers.
  const [first] = stepNames(job.operation.name);
  return (calls: readonly CallOfRow[]): readonly CallOfRow[] => {
    const [one] = calls;
    if (one === undefined) return [];
    const prepared = prepare(one.listed);
    if (prepared.kind !== 'ready') return [];
    const today = new Set<string>(
      new RowWalk(job.operation, accounts, prepared).callsAtWorst().map(({ key }) => key),
    );
    const other = calls.filter(
      ({ accountIdentity, call }) =>
        call.operation === first && !isTaking(call) && !today.has(callKeyOf(accountIdentity, call)),
    );
    return job.operation.readsAnswers === true && other.length < calls.length ? [] : other;
  };
}

function standsAs(state: Awaited<ReturnType<LedgerReader['find']>>[number] | undefined) {
  switch (state?.kind) {
    case 'in_doubt':
    case 'accepted':
    case 'in_flight':
      return 'in_doubt';
    case 'answered':
    case 'unanswered':
      return state.answer.isTooOld === true ? undefined : 'answered';
    default:
      return undefined;
  }
}

/** The reason of a row that is not asked by another call yet. */
export const askedOtherwise = ({ kind, call }: EarlierCall, now: Call): Findings =>
  finding('asked_otherwise', {
    before: valuesOf(call),
    today: valuesOf(now),
    answered: kind === 'answered',
  });

const valuesOf = ({ parameters }: Call): string =>
  Object.values(parameters)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ');
