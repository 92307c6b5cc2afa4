import { stop } from '../core/errors.ts';
import type { Correction } from '../core/format.ts';
import { foreignName } from '../core/plain-text.ts';
import type { InputRow, RowNumber } from '../core/row.ts';

/** Corrections of cells as a format needs them: row by row, and each made exactly once. */
export class Corrections {
  readonly #path: string;
  readonly #byRow = new Map<RowNumber, Map<number, string>>();

  /**
   * @param names of the file's columns.
   * @throws StopError `input` for a column that the file does not have.
   */
  constructor(path: string, names: readonly string[], corrections: readonly Correction[]) {
    this.#path = path;
    for (const { row, column, value } of corrections) {
      const at = names.indexOf(column);
      if (at === -1) {
        const fact = `${path} has no column ${foreignName(column)}, so that cell cannot be corrected.`;
        throw stop('input', fact, 'Look at the list again: it may have been replaced.');
      }
      const cells = this.#byRow.get(row) ?? new Map<number, string>();
      // A zero byte would make the file unreadable.
      this.#byRow.set(row, cells.set(at, value.replaceAll('\0', '\uFFFD')));
    }
  }

  /**
   * The corrected cells of the row, by the position of their names; undefined for a row that stays as it is.
   * @throws StopError `input` for a row of which nobody knows which cell stands below which name.
   */
  take({ row, unreadable }: Pick<InputRow, 'row' | 'unreadable'>): ReadonlyMap<number, string> | undefined {
    const cells = this.#byRow.get(row);
    if (cells === undefined) return undefined;
    if (unreadable !== undefined) {
      const next = 'Correct this row in the file itself, and add the file again.';
      throw stop('input', `No cell of row ${row} can be corrected by column: ${unreadable}.`, next);
    }
    this.#byRow.delete(row);
    return cells;
  }

  /** @throws StopError `input` when the file does not have one of the rows. */
  requireAllMade(): void {
    const [row] = this.#byRow.keys();
    if (row === undefined) return;
    const fact = `${this.#path} has no row ${row}, so it cannot be corrected.`;
    throw stop('input', fact, 'Look at the list again: it may have been replaced.');
  }
}
