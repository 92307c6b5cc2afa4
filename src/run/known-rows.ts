import { systemClock } from '../core/clock.ts';
import { present } from '../core/objects.ts';
import type { InputRow, Outcome, RowNumber } from '../core/row.ts';
import { type OpenedInput, openHeader } from '../files/input.ts';
import type { AnswerRecord, Batch, BatchId, LedgerReader, RowAnswer, RowRecord } from '../ledger/ledger.ts';
import type { TableObject } from '../objects/batch-object.ts';
import { specAhead } from '../plan/batch.ts';
import { hostsOf } from '../plan/shared-hosts.ts';
import { freshSinceOf, startMsOf } from '../walk/known-calls.ts';
import { type PlanContext, type ResolvedJob, withAccounts } from '../walk/resolved-job.ts';
import { otherwiseOf, type PreparedRow, rowPreparer, unaskedEnd } from '../walk/row-preparer.ts';
import { tellsApartBy, toldApartKept } from '../walk/told-apart.ts';
import { tableAhead } from './batch-table.ts';
import { knownAccount } from './known-account.ts';
import { ANY_AGE, type Fresh, fillsOf, type Walking, walkingRow, walkKnown } from './known-walk.ts';

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
    const unasked: (readonly [RowNumber, RowRecord])[] = [];
    const walking: Walking[] = [];
    const leftOut: (Walking & { readonly outcome: Outcome })[] = [];
    for (const each of rows) {
      const { row } = each;
      const prepared = this.#prepare(each);
      const otherwise = otherwiseOf(prepared);
      if (prepared.kind === 'ready') walking.push(walkingRow(this.#chosen, row, prepared));
      else if (otherwise === undefined)
        unasked.push([row, { row, outcome: unaskedEnd(prepared), answers: [] }]);
      else leftOut.push({ ...walkingRow(this.#chosen, row, otherwise), outcome: unaskedEnd(prepared) });
    }
    const known = await walkKnown(ledger, this.#chosen, fresh, walking);
    await walkKnown(ledger, this.#chosen, ANY_AGE, leftOut);
    const leftOutRecords = leftOut.map(
      ({ outcome, ...row }) => [row.row, { ...recordOf(row), outcome }] as const,
    );
    return new Map([...unasked, ...known.flatMap(knownRecordOf), ...leftOutRecords]);
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

async function freshFor(ledger: LedgerReader, chosen: ResolvedJob): Promise<Fresh> {
  const context: PlanContext = { ...chosen, ledger };
  const createdAtMs = await startMsOf(context, ledger);
  const freshSince = freshSinceOf(chosen.job, false, createdAtMs);
  return freshSince === undefined ? {} : { freshSince, createdAtMs };
}

/** None of a row for which nothing is known. */
const knownRecordOf = (row: Walking): readonly (readonly [RowNumber, RowRecord])[] =>
  row.answers.length === 0 || row.end === undefined ? [] : [[row.row, recordOf(row)]];

function recordOf(walking: Walking): RowRecord {
  const { row, answers, end } = walking;
  const outcome = end?.kind === 'end' ? end.outcome : undefined;
  const fills = fillsOf(walking);
  const isFill = ({ attempt, kind }: AnswerRecord): boolean =>
    fills?.includes(attempt) === true && (outcome !== undefined || kind === 'found');
  const ownAnswers = answers.map((answer): RowAnswer => {
    return { ...answer, ...(fills === undefined ? {} : { fills: isFill(answer) }) };
  });
  return { row, outcome, answers: ownAnswers };
}
