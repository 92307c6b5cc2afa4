import type { Correction } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import { OUR_COLUMNS, type RowNumber } from '../../core/row.ts';
import type { MergeColumns } from './merge-columns.ts';

/** A cell that says something else in both files, of which nobody knows that one was left alone. The file's own is kept. */
export interface KeptCell {
  readonly row: RowNumber;
  readonly column: string;
  readonly kept: string;
  readonly result: string;
}

type Side = 'into' | 'result';

type Cells = (column: string) => string;

export interface RowPair {
  readonly row: RowNumber;
  readonly into: Cells;
  readonly result: Cells;
  /** A cell of the result as JSON; undefined where its file has nothing but texts. */
  readonly resultJson: ((column: string) => string) | undefined;
  /** The row as it was in the list; undefined where that is not there any more. */
  readonly before: Cells | undefined;
  /** Whether another row may be the one whose cells the result has, so that none of them is written. */
  readonly isDoubtful: boolean;
  /** Whether the cells that were sent are in each file as they were sent; undefined where nobody knows. */
  readonly isAsSent: { readonly into: boolean; readonly result: boolean } | undefined;
}

export class MergedCells {
  readonly #columns: MergeColumns;
  readonly #sent: ReadonlySet<string>;
  readonly #isAsWritten: boolean;
  readonly #parts: ReadonlyMap<string, Part>;
  readonly kept: KeptCell[] = [];
  readonly corrections: Correction[] = [];

  /** @param isAsWritten whether the result is as we wrote it, so that nobody has edited it. */
  constructor(columns: MergeColumns, isAsWritten: boolean) {
    this.#columns = columns;
    this.#sent = new Set(columns.identifiers.map(({ column }) => column));
    this.#isAsWritten = isAsWritten;
    this.#parts = partsOf(columns.added);
  }

  takeShared(pair: RowPair): void {
    for (const column of this.#columns.shared) {
      const [own, result] = [pair.into(column), pair.result(column)];
      if (own === result) continue;
      const side = this.#changedSide(pair, column);
      const json = pair.resultJson?.(column);
      const isNoValue = result.trim() === '' && this.#columns.answered.has(column);
      const isWritten = !isNoValue && (!pair.isDoubtful || this.#columns.answered.has(column));
      if (side === 'result' && isWritten)
        this.corrections.push({ row: pair.row, column, value: result, ...present({ json }) });
      else if (side !== 'into') this.kept.push({ row: pair.row, column, kept: own, result });
    }
  }

  /** Whose cell stands in each of the columns that are written, in their order. A blank never takes the place of what is filled. */
  added(pair: RowPair): readonly Side[] {
    return this.#columns.added.map((column) => {
      const [own, found] = [pair.into(column), pair.result(column)];
      if (own === found || own.trim() === '') return 'result';
      const part = this.#parts.get(column);
      const answer = part === undefined ? 'same' : answerIn(pair, part);
      const isBlank = found.trim() === '';
      if (answer === 'other' && (part?.ours.includes(column) || !isBlank)) return 'result';
      if (answer === 'same' && part !== undefined && isAccount(pair, column, part)) return 'result';
      // Where the same answer has nothing, somebody has added to it.
      if (answer !== 'same' || !isBlank) this.kept.push({ row: pair.row, column, kept: own, result: found });
      return 'into';
    });
  }

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

interface Part {
  readonly asOf: string;
  readonly credits: string;
  readonly source: string;
  readonly ours: readonly string[];
}

/** The columns of each operation end with our own, which have one more word in their names behind those of the first. */
function partsOf(columns: readonly string[]): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  let part: Part | undefined;
  for (const column of columns.toReversed()) {
    const suffix = column.startsWith('_as_of') ? column.slice('_as_of'.length) : undefined;
    if (suffix !== undefined)
      part = {
        ...{ asOf: column, credits: `_credits${suffix}`, source: `_source${suffix}` },
        ours: OUR_COLUMNS.map((name) => `${name}${suffix}`),
      };
    if (part !== undefined) parts.set(column, part);
  }
  return parts;
}

/** Whether the result has the same answer as the file, another one, or none beside it. */
function answerIn({ into, result }: RowPair, { asOf }: Part): 'same' | 'other' | 'none' {
  if (into(asOf) === result(asOf)) return 'same';
  return result(asOf).trim() === '' ? 'none' : 'other';
}

/** What a batch paid for an answer that it found in the ledger is no edit of what an earlier one paid. */
function isAccount({ into, result }: RowPair, column: string, { asOf, credits, source }: Part): boolean {
  if (column !== credits && column !== source) return false;
  return result(asOf).trim() !== '' && into(source) !== result(source);
}
