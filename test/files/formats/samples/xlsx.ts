import type { SampleWriter } from '../sample-writer.ts';
import { bookOf } from '../workbook-file.ts';

/** As Excel saves a sheet: every text once in a list of their own, and no row where nothing stands. */
const xlsx: SampleWriter = {
  name: 'xlsx',
  ending: '.xlsx',
  async write(records) {
    const texts = [...new Set(records.flat())];
    const rows = records.map((cells, index) => rowOf(index + 1, cells, texts));
    const items = texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`);
    return bookOf({ rows: rows.join(''), texts: items.join('') });
  },
};

export default xlsx;

function rowOf(number: number, cells: readonly string[], texts: readonly string[]): string {
  const filled = cells.map((cell, index) => {
    const address = `${String.fromCharCode(65 + index)}${number}`;
    return cell === '' ? '' : `<c r="${address}" t="s"><v>${texts.indexOf(cell)}</v></c>`;
  });
  return cells.length === 0 ? '' : `<row r="${number}" spans="1:4">${filled.join('')}</row>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
