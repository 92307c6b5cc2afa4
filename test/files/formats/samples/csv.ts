import type { SampleWriter } from '../sample-writer.ts';

/** As a spreadsheet program saves "CSV UTF-8": byte-order mark, CRLF, quotes where they must be. */
const csv: SampleWriter = {
  name: 'csv',
  ending: '.csv',
  async write(records) {
    const lines = records.map((cells) => `${cells.map(cellOf).join(',')}\r\n`);
    return Buffer.from(`\uFEFF${lines.join('')}`);
  },
};

export default csv;

function cellOf(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
