import { asReadToday } from '../client/kept-answers.ts';
import { systemClock } from '../core/clock.ts';
import { present } from '../core/objects.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { type OpenedInput, openHeader } from '../files/input.ts';
import type {
  AnswerRecord,
  AttemptId,
  Batch,
  BatchId,
  CallState,
  FreshSince,
  LedgerReader,
  RowAnswer,
  RowRecord,
} from '../ledger/ledger.ts';
import type { TableObject } from '../objects/batch-object.ts';
import { specAhead } from '../plan/batch.ts';
import { hostsOf } from '../plan/shared-hosts.ts';
import { findCalls, forgottenAmong, freshSinceOf, startMsOf } from '../walk/known-calls.ts';
import type { MetCall } from '../walk/met-call.ts';
import { accountsOf, type PlanContext, type ResolvedJob, withAccounts } from '../walk/resolved-job.ts';
import { type PreparedRow, rowPreparer, unaskedEnd } from '../walk/row-preparer.ts';
import { type RowEnd, RowWalk } from '../walk/row-walk.ts';
import { tellsApartBy, toldApartKept } from '../walk/told-apart.ts';
import { walkTogether } from '../walk/walk-together.ts';
import { tableAhead } from './batch-table.ts';
import { knownAccount } from './known-account.ts';

/**
 * The table of a list before its start, with what a start would take from the ledger for free. Nothing here
 * sends or keeps anything: rows are walked as a run walks them, and what would be bought is left open.
 */

/** A list, and the job with which it would be started. It stays the same as long as both do. */
export class ListAhead {
  readonly #chosen: ResolvedJob;
  readonly #batch: Batch;
  readonly #prepare: (row: InputRow) => PreparedRow;

  private constructor(chosen: ResolvedJob, batch: Batch, prepare: (row: InputRow) => PreparedRow) {
    this.#chosen = chosen;
    this.#batch = batch;
    this.#prepare = prepare;
  }

  /**
   * Reads the list once, for the rows that a start would set aside.
   * @param before the start of the version before, which tells some rows apart.
   * @returns undefined for a job that changes something, which is never answered by what was done before.
   * @throws StopError as a plan does.
   */
  static async open(
    ledger: LedgerReader,
    resolvedJob: ResolvedJob,
    path: string,
    before: Batch | undefined,
  ): Promise<ListAhead | undefined> {
    if (resolvedJob.job.operation.change !== undefined) return undefined;
    const chosen = await withAccounts(resolvedJob, (account) => knownAccount(account, ledger));
    const list = await openHeader(path, chosen.job, ledger);
    const { aside, named } = await hostsOf(chosen, list, undefined);
    const apart = before && toldApartKept(before);
    const batch = await batchAhead({ ...chosen, shared: aside, named, ...present({ apart }) }, list);
    return new ListAhead(chosen, batch, rowPreparer(chosen, list.columns, aside, tellsApartBy(apart)));
  }

  /**
   * The rows with what is known for them.
   * @param first rows from whose answers the columns are told, where the job names none.
   */
  async table(
    ledger: LedgerReader,
    rows: readonly InputRow[],
    first: () => Promise<readonly InputRow[]>,
  ): Promise<Pick<TableObject, 'columns' | 'result_columns' | 'rows'>> {
    const fresh = await freshFor(ledger, this.#chosen);
    const recordsOf = (of: readonly InputRow[]) => this.#recordsOf(ledger, fresh, of);
    // They are told anew each time: a try or another list may have bought answers since.
    const firstAnswers = async () => [...(await recordsOf(await first())).values()];
    return tableAhead(ledger, this.#batch, rows, { recordsOf, firstAnswers });
  }

  /** What a run would end these rows with, or has for their first steps, without a request. */
  async #recordsOf(
    ledger: LedgerReader,
    fresh: Fresh,
    rows: readonly InputRow[],
  ): Promise<ReadonlyMap<RowNumber, RowRecord>> {
    const accounts = accountsOf(this.#chosen);
    const unasked: (readonly [RowNumber, RowRecord])[] = [];
    const walking = rows.flatMap(({ row, ...cells }): Walking[] => {
      const prepared = this.#prepare({ row, ...cells });
      if (prepared.kind === 'ready')
        return [{ row, walk: new RowWalk(this.#chosen.job.operation, accounts, prepared), answers: [] }];
      unasked.push([row, { row, outcome: unaskedEnd(prepared), answers: [] }]);
      return [];
    });
    const forgotten = await forgottenAmong(walking, ({ walk }) => walk.callsAtWorst(), ledger);
    const remainingRows = walking.filter((row) => !forgotten.has(row));
    await walkTogether(remainingRows, {
      ended: (row, step) => Object.assign(row, { end: step }),
      statesOf: (calls) => statesOf(ledger, this.#chosen, fresh, calls),
      tell,
    });
    return new Map([...unasked, ...remainingRows.flatMap(recordOf)]);
  }
}

/** The batch as a start would begin it. No row of the ledger belongs to it. */
async function batchAhead(
  context: Omit<Parameters<typeof specAhead>[0], 'clock'>,
  list: OpenedInput,
): Promise<Batch> {
  const spec = specAhead({ ...context, clock: systemClock }, list, await list.sheet.header());
  return { ...spec, id: '' as BatchId, accounts: spec.accounts ?? [], generation: 1, state: 'open' };
}

type Fresh = { readonly freshSince?: FreshSince; readonly createdAtMs?: number };

async function freshFor(ledger: LedgerReader, chosen: ResolvedJob): Promise<Fresh> {
  const context: PlanContext = { ...chosen, ledger };
  const createdAtMs = await startMsOf(context, ledger);
  const freshSince = freshSinceOf(chosen.job, false, createdAtMs);
  return freshSince === undefined ? {} : { freshSince, createdAtMs };
}

interface Walking {
  readonly row: RowNumber;
  readonly walk: RowWalk;
  readonly answers: AnswerRecord[];
  end?: RowEnd | { readonly kind: 'waits'; readonly filled?: readonly AttemptId[] };
}

async function statesOf(
  ledger: LedgerReader,
  { dialect }: ResolvedJob,
  fresh: Fresh,
  calls: readonly MetCall[],
): Promise<readonly CallState[]> {
  const found = await findCalls<CallState>(calls, ledger, async (keys, asked) => {
    const states = await ledger.find(keys, { freshFor: fresh });
    return asReadToday(states, ledger, (at) => asked[at]?.by.dialect ?? dialect);
  });
  return found.map(({ state }) => state);
}

function tell(row: Walking, met: MetCall, state: CallState | undefined, isLook: boolean): boolean {
  const { answer } = state?.kind === 'answered' ? state : {};
  if (answer !== undefined && answer.isTooOld !== true && answer.erasedAtMs === undefined) {
    row.walk.tell(met, answer);
    row.answers.push(answer);
  } else if (isLook) row.walk.pass(met, isAskedInTurn(state) ? 'looked' : 'held');
  else row.walk.leaveStep(met);
  return true;
}

/** Whether the account is asked when its turn comes, where no account has the answer. */
const isAskedInTurn = (state: CallState | undefined): boolean =>
  state?.kind === 'unknown' || (state?.kind === 'answered' && state.answer.isTooOld === true);

/** None of a row for which nothing is known. */
function recordOf({ row, answers, end }: Walking): readonly (readonly [RowNumber, RowRecord])[] {
  if (answers.length === 0 || end === undefined) return [];
  const outcome = end.kind === 'end' ? end.outcome : undefined;
  const fills = end.kind === 'end' ? end.fills : (end.filled ?? []);
  const isFill = ({ attempt, kind }: AnswerRecord): boolean =>
    fills?.includes(attempt) === true && (outcome !== undefined || kind === 'found');
  const ownAnswers = answers.map((answer): RowAnswer => {
    return { ...answer, ...(fills === undefined ? {} : { fills: isFill(answer) }) };
  });
  return [[row, { row, outcome, answers: ownAnswers }]];
}
