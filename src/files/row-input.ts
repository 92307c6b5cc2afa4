import { hash } from 'node:crypto';
import { StopError } from '../core/errors.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import type { Batch } from '../ledger/ledger.ts';

/**
 * What a row was settled from. A batch is known by the hash of its file and rows by their numbers, which belong together
 * only if the rows were read from those very bytes. So each settled row keeps what its cells said, and is held against
 * the file whenever its outcome is used.
 */

/** 48 bits, which a number holds exactly. Two other cells are taken for the same once in 281 million million rows. */
const HEX_DIGITS = 12;

/** The number that stands for the cells of a row of the file. */
export type RowInputOf = (row: Pick<InputRow, 'cells' | 'unreadable'>) => number;

/**
 * Over the cells of the mapped columns as they stand in the file: what a later version makes of a cell may differ. Part
 * of the stored format, frozen by `test/files/row-input.test.ts`. SHA-256 takes half a microsecond for each row. Of a row that
 * cannot be read it is over all cells, because any of them may be a column's.
 * @param columns operation's input → column of the file.
 */
export function rowInputOf(columns: Readonly<Record<string, string>>, header: readonly string[]): RowInputOf {
  const places = Object.keys(columns)
    .sort()
    .map((name) => [name, header.indexOf(columns[name] ?? '')] as const);
  return ({ cells, unreadable }) => {
    const named =
      unreadable === undefined ? places.map(([name, place]) => [name, cells[place] ?? '']) : cells;
    return Number.parseInt(hash('sha256', JSON.stringify(named), 'hex').slice(0, HEX_DIGITS), 16);
  };
}

/** The rows of a batch are those of another content, so it ends; what it bought is kept. */
export class OtherContent extends StopError {
  constructor(path: string, batch: Pick<Batch, 'id'>, row: RowNumber) {
    super({
      code: 'input',
      message: `Row ${row} of batch ${batch.id} was settled from other cells than ${path} has there, so what was found is not this row's; nothing is written.`,
      next: 'Run the job on the file again: that begins a new batch, and what was bought is not bought again.',
    });
  }
}

/**
 * @param settled what it was settled from; undefined for one that an older Rowonce settled, which is believed.
 * @throws OtherContent
 */
export function requireSameInput(
  file: { readonly path: string },
  batch: Pick<Batch, 'id'>,
  row: RowNumber,
  settled: number | undefined,
  found: () => number,
): void {
  if (settled !== undefined && settled !== found()) throw new OtherContent(file.path, batch, row);
}
