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

describe('lines of totals at the end are left out', () => {
  test.each([
    ['beside their sum', [['Total', '', 60]], '5', '5'],
    ['apart from the table', [undefined, ['Total', '', 7]], '6', '6'],
    ['beside nothing', [['Grand total 2026', '', '']], '5', '5'],
    [
      'of the last group and of all',
      [
        ['NSW Total', '', 30],
        ['Summe', '', 60],
      ],
      '5-6',
      '6',
    ],
  ])('%s', async (_what, below, leftOut, last) => {
    const { rows, notes, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect(rows).toEqual(numbered(2));
    expect(layout.left_out?.map((each) => [each.rows, each.why])).toEqual([[leftOut, 'totals']]);
    expect(notes).toEqual([expect.stringContaining(`left out; --rows 2-${last} includes`)]);
  });

  test('in a list of which nobody knows what it is about by words that no company has, or apart from it', async () => {
    const companies = [
      ['Company', 'Size'],
      ['Acme', 10],
      ['Total Fitness', 20],
    ];
    const rowsWith = async (...below: Parameters<typeof sheetOf>[1][]) =>
      (await read(sheetOf(1, ...companies, ...below))).rows.length;
    expect(await rowsWith(['Grand total', 30])).toBe(2);
    expect(await rowsWith(undefined, ['Total', 30])).toBe(2);
    expect(await rowsWith(['Total', 30])).toBe(3);
    expect(await rowsWith(undefined, ['Total', 'large'])).toBe(3);
    expect(await rowsWith(undefined, ['Total', ''])).toBe(3);
  });

  test.each([
    ['a company of that name, with an address', [['Total', 't@total.com', 60]]],
    ['a company whose name begins so', [['Total Fitness', '', 100]]],
    [
      'a line that somebody is named below',
      [
        ['Total', '', 60],
        ['Delta', 'd@delta.com', 5],
      ],
    ],
  ])('but not %s', async (_what, below) => {
    const { rows, notes } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect([rows.length, notes]).toEqual([3 + below.length, []]);
  });

  test('unless the rows are named', async () => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, ['Total', '', 60]), { rows: '3-5' });
    expect(rows.map(([row]) => row)).toEqual([3, 4, 5]);
    expect(layout).toEqual({});
  });
});

describe('rows behind a blank one that name nobody are left out', () => {
  test('as another table with its title is, and a remark below a line of totals', async () => {
    const below = [
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
    expect(layout.left_out).toEqual([
      { rows: '5', why: 'totals', text: 'Total, 60' },
      { rows: '6-11', why: 'below', text: 'as of May' },
    ]);
    expect(notes[1]).toBe(
      'Rows 6-11 stand below the table (as of May), left out; --rows 2-11 includes them.',
    );
  });

  test('the header once more', async () => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, HEADER, ...LEADS));
    expect(rows.map(([row]) => row)).toEqual([2, 3, 4, 6, 7, 8]);
    expect(layout.left_out).toEqual([{ rows: '5', why: 'header', text: '' }]);
  });

  test.each([
    ['somebody', [undefined, ['Delta', 'd@delta.com', 4]]],
    ['somebody whose address is mistyped', [undefined, ['Delta', 'd@delta', 4]]],
    ['somebody further down', [undefined, ['Delta', 'n/a', 4], undefined, ['Epsilon', 'e@eps.com', 5]]],
    ['nobody, right below the table', [['Delta', '', 4]]],
  ])('but not where they name %s', async (_what, below) => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect([rows.length, layout]).toEqual([3 + below.filter(Boolean).length, {}]);
  });

  test('but not where a single row names somebody, nor where more rows would go than stay', async () => {
    const [acme] = LEADS;
    const one = await read(sheetOf(1, HEADER, acme, undefined, ['Delta', '', 4]));
    expect([one.rows.length, one.layout]).toEqual([2, {}]);
    const many = Array.from({ length: 21 }, (_, at) => [`Firm ${at}`, '', at]);
    const more = await read(sheetOf(1, HEADER, ...LEADS, undefined, ...many));
    expect([more.rows.length, more.layout]).toEqual([24, {}]);
  });

  test('but not in a list in which most rows name nobody', async () => {
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

describe('the likely sheet', () => {
  const list = sheetOf(1, HEADER, ...LEADS);
  const summary = sheetOf(1, ['Region', 'Leads'], ['North', 3]);
  const open = (rows: string) => ({
    rows,
    otherSheets: [{ name: 'Data', rows: list }],
    properties: '<bookViews><workbookView activeTab="0"/></bookViews>',
  });

  test('is another than the open one, where that has nothing to look up and the other has', async () => {
    const found = await read(open(summary));
    expect(found).toMatchObject({ header: HEADER, layout: { sheet: 'Data' } });
    expect(found.notes).toEqual([
      'Read from the sheet "Data", because the one that was open has nothing that can be looked up; to use another, name it with --sheet: "Leads" and "Data".',
    ]);
    expect(await read(open(summary), { asBefore: { sheet: 'Data' } })).toMatchObject({ header: HEADER });
  });

  test.each([
    ['it has what can be looked up', open(sheetOf(1, ['Site'], ['acme.com'])), {}],
    ['a job names its columns', open(summary), { wanted: ['Region'] }],
    ['a run has read it before', open(summary), { asBefore: {} }],
  ])('is the open one where %s', async (_what, book, options) => {
    const sheet = await opened(book, options);
    expect(sheet.tabs?.filter(({ isRead }) => isRead).map(({ name }) => name)).toEqual(['Leads']);
    expect(sheet.layout).toEqual({});
  });
});

test('what a batch has kept is read so again, whatever would be guessed', async () => {
  const book = sheetOf(1, ['Leads'], HEADER, ...LEADS, ['Total', '', 60]);
  const first = await read(book);
  expect(first.layout).toEqual({
    header_row: '2',
    left_out: [{ rows: '6', why: 'totals', text: 'Total, 60' }],
  });
  expect(await read(book, { asBefore: first.layout })).toEqual(first);
  const other = { header_row: '2', left_out: [{ rows: '4-5', why: 'below', text: '' }] } as const;
  expect((await read(book, { asBefore: other })).rows.map(([row]) => row)).toEqual([3, 6]);
});
