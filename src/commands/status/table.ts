import { foreignWords, linesOf } from '../../core/plain-text.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import type { TableObject } from '../../objects/table-object.ts';
import { tableOf } from '../../run/table.ts';
import type { TableOrder } from '../../run/table-order.ts';
import type { Report } from '../shared/command.ts';

export async function tableReport(
  ledger: LedgerReader,
  batch: Batch,
  order: TableOrder,
): Promise<Report<TableObject>> {
  const object = await tableOf(ledger, batch, order);
  return {
    object,
    lines: linesFor(object),
    advice: linesOf(object.next !== null && `There is more: --from ${object.next}.`),
  };
}

/** A cell that is longer is shown whole by `--json`. */
const WIDEST = 30;

function linesFor({ columns, rows }: TableObject): readonly string[] {
  const lines = [
    ['row', ...columns.map(({ name }) => name)],
    ...rows.map(({ row, cells }) => [String(row), ...cells]),
  ].map((cells) => cells.map((cell) => foreignWords(cell, WIDEST)));
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
