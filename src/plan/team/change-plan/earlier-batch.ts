import { type KnownSubject, type Subject, subjectText, type Team } from '../../../core/membership.ts';
import type { Batch, LedgerReader, PlannedRow, RowRecord } from '../../../ledger/ledger.ts';
import { plannedRecords } from '../../../ledger/rows.ts';
import { keptWork } from '../../../operations/team/change-action.ts';
import type { WorkableRow } from './planned-rows.ts';

/** What the finished batch of a list says of its rows, held against a plan of the same list as things are now. */
export class EarlierBatch {
  readonly #batch: Batch;
  readonly #rows = new Map<string, EarlierRow>();

  private constructor(batch: Batch) {
    this.#batch = batch;
  }

  static async of(ledger: Pick<LedgerReader, 'plannedRows' | 'rows'>, batch: Batch): Promise<EarlierBatch> {
    const earlier = new EarlierBatch(batch);
    let rows = 0;
    for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
      rows += 1;
      if (record !== undefined)
        earlier.#rows.set(keyOf(planned, rows > batch.inputRows), { planned, record });
    }
    return earlier;
  }

  /**
   * Why the service refused a row of the list that is planned again, with the batch; undefined when it did not. A refusal is no
   * state of a person: seats may have become free, or a right been given, and nobody tells.
   */
  refusalOf(row: WorkableRow): string | undefined {
    const earlier = this.#rows.get(keyOf({ row: row.row, work: row.work }, row.beyond === true));
    if (earlier === undefined || row.calls.length === 0 || !this.#isServicesWord(earlier.record))
      return undefined;
    return `refused before, in batch ${this.#batch.id}: ${ownReason(earlier)}`;
  }

  /**
   * Whether nothing that the batch says is otherwise by this plan, which sends nothing. Else the list is about to be told that
   * all is done, although another batch has moved its people or has left them in doubt.
   * @param planned the rows of the plan, of which `fileRows` are of the file.
   */
  isStillSo(planned: readonly PlannedRow[], fileRows: number, team: Team): boolean {
    const now = new Map(planned.map((row, index) => [keyOf(row, index >= fileRows), row]));
    const isNew = [...now].some(([key, row]) => !this.#rows.has(key) && standingOf(row).kind !== 'unchanged');
    return !isNew && [...this.#rows].every(([key, row]) => this.#stands(row, now.get(key), team));
  }

  #stands({ planned, record }: EarlierRow, row: PlannedRow | undefined, team: Team): boolean {
    const { kind, reason } = record.outcome;
    // A row in doubt is looked at again by the batch itself, and what a person left out stays left out.
    if (kind === 'in_doubt' || kind === 'skipped') return true;
    const now = row === undefined ? UNCHANGED : standingOf(row);
    const isItsWord =
      this.#isServicesWord(record) &&
      isLastOf(this.#batch, planned.work && team.find(keptWork(planned.work).subject));
    switch (now.kind) {
      case 'unchanged':
        return kind === 'applied' || kind === 'unchanged' || isItsWord;
      case 'refused':
        return kind === 'refused' && (reason === now.reason || isItsWord);
      default:
        return kind === now.kind;
    }
  }

  #isServicesWord({ outcome, answers }: RowRecord): boolean {
    const isRefused = answers.some(({ batch, kind }) => batch === this.#batch.id && kind !== 'found');
    return outcome.kind === 'refused' && isRefused;
  }
}

interface EarlierRow {
  readonly planned: PlannedRow;
  readonly record: RowRecord;
}

interface Standing {
  readonly kind: string;
  readonly reason?: string;
}

const UNCHANGED: Standing = { kind: 'unchanged' };

/** In a plan that sends nothing, a row that has work waits for a lost answer. */
function standingOf(row: PlannedRow): Standing {
  return row.kind === 'work' ? { kind: 'in_doubt' } : row.outcome;
}

/** Rows of the file are known by their numbers; the people whom it does not name have another number in each plan. */
function keyOf(
  { row, work }: Pick<PlannedRow, 'row'> & { readonly work?: object },
  isBeyond: boolean,
): string {
  return isBeyond && work !== undefined
    ? subjectText((work as { readonly subject: Subject }).subject)
    : `${row}`;
}

/** Nobody has changed the subject since. */
const isLastOf = ({ id }: Pick<Batch, 'id'>, known: KnownSubject | undefined): boolean =>
  known?.batch === id && known.doubt === undefined;

/** The reason without what it says of the batch before. */
function ownReason({ planned, record }: EarlierRow): string {
  const { reason = '' } = record.outcome;
  const note = planned.work === undefined ? undefined : keptWork(planned.work).refusedBefore;
  const behind = `; ${note}`;
  return note !== undefined && reason.endsWith(behind) ? reason.slice(0, -behind.length) : reason;
}
