import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/core/format.ts';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { inputFolder, rowsOf } from './sheets.ts';
import { bookOf, type WrittenBook } from './workbook-file.ts';

/**
 * Goal: the table on a sheet is found as a person sees it who looks at the sheet, what is no row of it is named and not
 * asked about, and a list of plain rows is never read otherwise.
 * Method: sheets as people make them, cell by cell. Where a list begins is the matter of `list-start.test.ts`.
 */

async function opened(book: WrittenBook | string | Buffer, options: ReadOptions = {}) {
  const write = await inputFolder();
  const bytes = Buffer.isBuffer(book) ? book : bookOf(typeof book === 'string' ? { rows: book } : book);
  return xlsx.open(new InputFile(await write(bytes, 'book.xlsx')), options);
}

async function read(book: WrittenBook | string | Buffer, options: ReadOptions = {}) {
  const sheet = await opened(book, options);
  const rows = (await rowsOf(sheet)).map(({ row, cells }) => [row, ...cells]);
  const { rows: counted } = await sheet.survey();
  expect(counted).toBe(rows.length);
  return { header: await sheet.header(), rows, notes: sheet.notes, layout: sheet.layout };
}

/** Rows of texts and numbers from a row on; blank texts are blank cells, undefined is a blank row. */
function sheetOf(from: number, ...rows: readonly (readonly (string | number)[] | undefined)[]): string {
  return rows.flatMap((cells, index) => (cells === undefined ? [] : rowOf(from + index, cells))).join('');
}

function rowOf(number: number, cells: readonly (string | number)[]): string {
  const xml = cells.map((cell, index) => {
    const address = `${String.fromCharCode(65 + index)}${number}`;
    if (cell === '') return '';
    return typeof cell === 'number'
      ? `<c r="${address}"><v>${cell}</v></c>`
      : `<c r="${address}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${number}">${xml.join('')}</row>`;
}

const HEADER = ['Company', 'Mail', 'Size'];
const LEADS = [
  ['Acme', 'a@acme.com', 10],
  ['Beta', 'b@beta.com', 20],
  ['Ceta', 'c@ceta.com', 30],
] as const;
const numbered = (from: number) =>
  LEADS.map(([company, mail, size], at) => [from + at, company, mail, String(size)]);

test('the header is where it is said to be, although another row looks likelier', async () => {
  const book = sheetOf(1, ['Leads'], HEADER, ['Name', 'Mail address', 'Heads'], ...LEADS);
  expect((await read(book, { header_row: '3' })).header).toEqual(['Name', 'Mail address', 'Heads']);
  expect((await read(book, { header_row: '2-3' })).header).toEqual([
    'Company Name',
    'Mail Mail address',
    'Size Heads',
  ]);
});

describe('rows behind a blank one that name nobody are left out', () => {
  test('a tail is left out as a line of totals is, a remark, and another table with its title', async () => {
    const below = [
      undefined,
      ['Total', '', 60],
      ['as of May'],
      undefined,
      ['Summary'],
      undefined,
      ['Region', 'State of it'],
      ['North', 'good'],
    ];
    const { rows, notes, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect(rows).toEqual(numbered(2));
    expect(layout.left_out).toEqual([{ rows: '6-12', text: 'Total, as of May, Summary, Region, …' }]);
    expect(notes).toEqual([
      '7 rows (6-12: Total, as of May, Summary, Region, …) are no contacts and are left out; use --rows to change that.',
    ]);
  });

  test('unless the rows are named', async () => {
    const book = sheetOf(1, HEADER, ...LEADS, undefined, ['Total', '', 60]);
    const { rows, layout } = await read(book, { rows: '3-6' });
    expect(rows.map(([row]) => row)).toEqual([3, 4, 6]);
    expect(layout).toEqual({});
  });

  test.each([
    ['somebody', [undefined, ['Delta', 'd@delta.com', 4]]],
    ['somebody whose address is mistyped', [undefined, ['Delta', 'd@delta', 4]]],
    ['somebody further down', [undefined, ['Delta', 'n/a', 4], undefined, ['Epsilon', 'e@eps.com', 5]]],
    ['nobody, right below the table', [['Delta', '', 4]]],
  ])('a tail is kept where rows name %s', async (_what, below) => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect([rows.length, layout]).toEqual([3 + below.filter(Boolean).length, {}]);
  });

  test('a tail is kept where a single row names somebody, nor where more rows would go than stay', async () => {
    const [acme] = LEADS;
    const one = await read(sheetOf(1, HEADER, acme, undefined, ['Delta', '', 4]));
    expect([one.rows.length, one.layout]).toEqual([2, {}]);
    const many = Array.from({ length: 21 }, (_, at) => [`Firm ${at}`, '', at]);
    const more = await read(sheetOf(1, HEADER, ...LEADS, undefined, ...many));
    expect([more.rows.length, more.layout]).toEqual([24, {}]);
  });

  test('a tail is kept in a list in which most rows name nobody', async () => {
    const some = [
      ['Delta', '', 1],
      ['Epsilon', '', 2],
      ['Zeta', '', 3],
      ['Eta', '', 4],
    ];
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...some, undefined, ['Theta', '', 5]));
    expect([rows.length, layout]).toEqual([8, {}]);
  });
});

test('what a batch has kept is read so again, whatever would be guessed', async () => {
  const book = sheetOf(1, ['Leads'], HEADER, ...LEADS, undefined, ['Total', '', 60]);
  const first = await read(book);
  expect(first.layout).toEqual({
    header_row: '2',
    left_out: [{ rows: '7', text: 'Total' }],
  });
  expect(await read(book, { asBefore: first.layout })).toEqual(first);
  const other = { header_row: '2', left_out: [{ rows: '4-5', text: '' }] };
  expect((await read(book, { asBefore: other })).rows.map(([row]) => row)).toEqual([3, 7]);
});
