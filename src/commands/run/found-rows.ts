import { foreignWords, grouped, linesOf, plainText } from '../../core/plain-text.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { tableOf } from '../../run/table.ts';
import type { TableOrder } from '../../run/table-order.ts';

const LONGEST_CELL = 40;
const MOST_VALUES = 5;

/** `row 12  Salvation Army  employees 412, city Melbourne`, with the cells that an output has. */
export async function foundRows(
  ledger: LedgerReader,
  batch: Batch,
  order: TableOrder,
): Promise<readonly string[]> {
  const asked = Object.values(settingsKept(batch.settings).columns);
  const { columns, rows } = await tableOf(ledger, batch, order);
  return rows.map(({ row, cells }) => {
    const filled = columns.map((column, at) => ({ ...column, cell: cells[at]?.trim() ?? '' }));
    const own = filled.filter(({ from, cell }) => from === 'list' && cell !== '');
    // Mostly the name of the person or company.
    const named = own.find(({ name, cell }) => !asked.includes(name) && /\p{L}/u.test(cell)) ?? own[0];
    const values = filled
      .filter(({ from, cell }) => from === 'bought' && cell !== '')
      .map(({ name, cell }) => `${name} ${foreignWords(cell, LONGEST_CELL)}`);
    const name = named && foreignWords(named.cell, LONGEST_CELL);
    return plainText(
      linesOf(`row ${grouped(row)}`, name, values.slice(0, MOST_VALUES).join(', ')).join('  '),
    );
  });
}
