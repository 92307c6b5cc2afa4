import { type Drawn, type Place, textAt, textOf } from './cells.tsx';

/** The selected rows with the names of their columns, else the one cell, as a sheet takes them. */
export async function copyRows(drawn: Drawn, { line, column }: Place): Promise<void> {
  const { scene, rows, columns } = drawn;
  const chosen = [...scene.selected.value].sort((one, other) => one - other);
  const at = columns[column];
  if (chosen.length === 0) return navigator.clipboard.writeText(at ? textAt(drawn, line, at) : '');
  const lines = await rows.linesOf(chosen);
  const texts = lines.map((each) => columns.map((shown) => textOf(drawn, each, shown)));
  const table = [columns.map(({ name }) => name), ...texts];
  const inSheet = (text: string): string => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  await navigator.clipboard.writeText(table.map((cells) => cells.map(inSheet).join('\t')).join('\n'));
}
