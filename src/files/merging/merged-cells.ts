import type { Correction } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import { OUR_COLUMNS, type RowNumber } from '../../core/row.ts';
import type { MergeColumns } from './merge-columns.ts';

/** What a merge makes of the cells of a row that was found. */

/** A cell that says something else in both files, of which nobody knows that one was left alone. The file's own is kept. */
export interface KeptCell {
  readonly row: RowNumber;
  readonly column: string;
  readonly kept: string;
  readonly result: string;
}

/** The cells of one row by column. */
type Cells = (column: string) => string;

export interface RowPair {
  readonly row: RowNumber;
  readonly into: Cells;
  readonly result: Cells;
  /** A cell of the result as JSON; undefined where its file has nothing but texts. */
  readonly resultJson: ((column: string) => string) | undefined;
  /** The row as it was in the list; undefined where that is not there any more. */
  readonly before: Cells | undefined;
  /** Whether the cells that were sent are in each file as they were sent; undefined where nobody knows. */
  readonly isAsSent: { readonly into: boolean; readonly result: boolean } | undefined;
}

export class MergedCells {
  readonly #columns: MergeColumns;
  readonly #sent: ReadonlySet<string>;
  readonly #isAsWritten: boolean;
  readonly kept: KeptCell[] = [];
  /** Cells of the user that change. */
  readonly corrections: Correction[] = [];

  /** @param isAsWritten whether the result is as we wrote it, so that nobody has edited it. */
  constructor(columns: MergeColumns, isAsWritten: boolean) {
    this.#columns = columns;
    this.#sent = new Set(columns.identifiers.map(({ column }) => column));
    this.#isAsWritten = isAsWritten;
  }

  /** Looks at the columns of the user that both files have. */
  takeShared(pair: RowPair): void {
    for (const column of this.#columns.shared) {
      const [own, result] = [pair.into(column), pair.result(column)];
      if (own === result) continue;
      const side = this.#changedSide(pair, column);
      const json = pair.resultJson?.(column);
      if (side === 'result')
        this.corrections.push({ row: pair.row, column, value: result, ...present({ json }) });
      else if (side === 'both') this.kept.push({ row: pair.row, column, kept: own, result });
    }
  }

  /** Whose cell stands in each of the columns that are written, in their order. */
  added({ row, into, result }: RowPair): readonly ('into' | 'result')[] {
    const isNewer = into('_as_of') !== result('_as_of');
    return this.#columns.added.map((column) => {
      const [own, found] = [into(column), result(column)];
      const isOurs = (OUR_COLUMNS as readonly string[]).includes(column);
      if (isOurs || isNewer || own === found || own.trim() === '') return 'result';
      // The same answer says something else here: somebody has edited it.
      if (found.trim() !== '') this.kept.push({ row, column, kept: own, result: found });
      return 'into';
    });
  }

  /** Which of the two was changed since the result was made. */
  #changedSide({ into, result, before, isAsSent }: RowPair, column: string): 'into' | 'result' | 'both' {
    // Nobody has edited the result, but what was found for the row is not in her file yet.
    if (this.#isAsWritten && !this.#columns.answered.has(column)) return 'into';
    if (before !== undefined) {
      if (result(column) === before(column)) return 'into';
      return into(column) === before(column) ? 'result' : 'both';
    }
    if (isAsSent !== undefined && this.#sent.has(column)) {
      if (isAsSent.result) return 'into';
      return isAsSent.into ? 'result' : 'both';
    }
    // A blank cell can be filled, and a filled one is not emptied, without losing anything.
    if (into(column).trim() === '') return 'result';
    return result(column).trim() === '' ? 'into' : 'both';
  }
}
