import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/core/format.ts';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { rowsOf } from './all-of.ts';
import { inputFolder } from './input-folder.ts';
import { bookOf, bookParts, type WrittenBook, zipOf } from './workbook-file.ts';

/**
 * Goal: the table on a sheet is found as a person sees it who looks at the sheet, what is no row of it is named and not
 * asked about, and a list of plain rows is never read otherwise.
 * Method: sheets as people make them, cell by cell; each guess is held against what a user would say with a flag.
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

describe('the header is found', () => {
  test.each([
    ['below a title and a date in a corner', [['Leads', '', '3 Nov 2026'], undefined, HEADER], '3'],
    ['below lines of a report', [['Leads'], ['Region:', 'NSW'], ['Source: CRM'], undefined, HEADER], '5'],
    ['below the names of groups', [['Our leads'], ['Firm', '', 'Facts'], HEADER], '3'],
  ])('%s', async (_what, top, headerRow) => {
    const book = sheetOf(1, ...top, ...LEADS);
    const found = await read(book);
    expect(found).toMatchObject({ header: HEADER, layout: { headerRow }, rows: numbered(top.length + 1) });
    expect(found.notes).toEqual([
      `The column names come from row ${headerRow} ("Company", "Mail", "Size"); use --header-row to change that.`,
    ]);
    expect(await read(book, { headerRow })).toMatchObject({
      header: HEADER,
      rows: found.rows,
      notes: [],
      layout: {},
    });
  });

  test('in two rows, where only both together name each column once', async () => {
    const top = [
      ['ABN', 'Contact', '', 'Office', ''],
      ['', 'Name', 'Mail', 'Name', 'Mail'],
    ];
    const row = ['51824753556', 'Jo', 'jo@acme.com', 'Al', 'al@acme.com'];
    const { header, layout, rows } = await read(sheetOf(1, ['List'], ...top, row));
    expect(header).toEqual(['ABN', 'Contact Name', 'Contact Mail', 'Office Name', 'Office Mail']);
    expect(layout).toEqual({ headerRow: '2-3' });
    expect(rows).toEqual([[4, ...row]]);
  });

  test('where it is said to be, although another row looks likelier', async () => {
    const book = sheetOf(1, ['Leads'], HEADER, ['Name', 'Mail address', 'Heads'], ...LEADS);
    expect((await read(book, { headerRow: '3' })).header).toEqual(['Name', 'Mail address', 'Heads']);
    expect((await read(book, { headerRow: '2-3' })).header).toEqual([
      'Company Name',
      'Mail Mail address',
      'Size Heads',
    ]);
    await expect(opened(book, { headerRow: '70' })).rejects.toMatchObject({
      message: expect.stringContaining('row 70 is blank'),
    });
  });

  test('on the first row that holds something, wherever that can be the header', async () => {
    const plain = sheetOf(3, HEADER, ['Firm', 'Address', 'Heads'], ...LEADS);
    expect(await read(plain)).toMatchObject({ header: HEADER, layout: {}, notes: [] });
  });
});

describe('lines of totals are left out', () => {
  const TOTAL = ['Total', '', 60];
  test.each([
    ['that come to the sum above', [TOTAL], '5', '5'],
    ['apart from the table, whatever they come to', [undefined, ['Total', '', 7]], '6', '6'],
    ['that are called so in words that no company has', [['Grand total', '', 7]], '5', '5'],
    [
      'with their mean and count',
      [
        ['Average', '', 20],
        ['Count', '', 3],
      ],
      '5',
      '6',
    ],
    ['in another language', [['Summe', '', 60]], '5', '5'],
  ])('%s', async (_what, below, first, last) => {
    const { rows, notes, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect(rows).toEqual(numbered(2));
    expect(layout.leftOut?.map((each) => [each.rows, each.why])).toEqual(
      [...new Set([first, last])].map((each) => [each, 'totals']),
    );
    expect(notes).toEqual([expect.stringContaining(`left out; --rows 2-${last} includes`)]);
  });

  test('also below each group, as a spreadsheet writes them', async () => {
    const [acme, beta, ceta] = LEADS;
    const body = [
      acme,
      beta,
      ['NSW Total', '', 30],
      ceta,
      ['Delta', 'd@delta.com', 5],
      ['VIC Total', '', 35],
    ];
    const { rows, layout } = await read(sheetOf(1, HEADER, ...body, ['Grand Total', '', 65]));
    expect(rows.map(([row]) => row)).toEqual([2, 3, 5, 6]);
    expect(layout.leftOut?.map((each) => each.rows)).toEqual(['4', '7', '8']);
  });

  test.each([
    ['a company of that name, with a number', ['Total', '', 90_000]],
    ['a company of that name, with an address', ['Total', 't@total.com', 60]],
    ['a company whose name begins so', ['Total Fitness', '', 100]],
  ])('but not %s', async (_what, row) => {
    const { rows, notes } = await read(sheetOf(1, HEADER, ...LEADS, row));
    expect([rows.length, notes]).toEqual([4, []]);
  });

  test('unless the rows are named', async () => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, TOTAL), { rows: '3-5' });
    expect(rows.map(([row]) => row)).toEqual([3, 4, 5]);
    expect(layout).toEqual({});
  });
});

describe('what stands below the cells that Excel calls a table is left out', () => {
  const partsWith = (rows: string, table: string): Buffer =>
    zipOf([
      ...bookParts({ rows }),
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        content: `<Relationships><Relationship Id="t1" Type="x/table" Target="../tables/table1.xml"/></Relationships>`,
      },
      { name: 'xl/tables/table1.xml', content: `<table name="T" ref="${table}"><tableColumns/></table>` },
    ]);

  test.each([
    [
      'but not who was added below it',
      'A1:C4',
      [...LEADS, ['as of May'], ['Delta', 'd@delta.com', 5]],
      '5',
      [2, 3, 4, 6],
    ],
    ['unless the table is another', 'A9:C12', [...LEADS, ['as of May']], undefined, [2, 3, 4, 5]],
    [
      'unless it does not say which cells it has',
      'no cells',
      [...LEADS, ['as of May']],
      undefined,
      [2, 3, 4, 5],
    ],
  ])('%s', async (_what, table, body, leftOut, expected) => {
    const { rows, layout } = await read(partsWith(sheetOf(1, HEADER, ...body), table));
    expect(rows.map(([row]) => row)).toEqual(expected);
    expect(layout.leftOut?.map((each) => [each.rows, each.why])).toEqual(leftOut && [[leftOut, 'below']]);
  });
});

describe('another table below is left out', () => {
  const SUMMARY = [
    ['Region', 'State of it'],
    ['North', 'good'],
    ['South', 'bad'],
  ];

  test('with its title and all its rows', async () => {
    const below = [undefined, ['Summary'], undefined, ...SUMMARY];
    const { rows, notes, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect(rows).toEqual(numbered(2));
    expect(layout.leftOut?.map((each) => each.rows)).toEqual(['6', '8-10']);
    expect(notes).toEqual([
      'Rows 6 and 8-10 are another table (Summary), left out; --rows 2-10 includes them.',
    ]);
  });

  test('that has the same kinds of columns, where its names say that it is one', async () => {
    const below = [undefined, ['Person', 'E-mail', 'Company'], ['Jo', 'jo@acme.com', 'Acme']];
    const { rows } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect(rows).toEqual(numbered(2));
  });

  test('while the header that comes again on each page is one row', async () => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, HEADER, ...LEADS));
    expect(rows.map(([row]) => row)).toEqual([2, 3, 4, 6, 7, 8]);
    expect(layout.leftOut).toEqual([{ rows: '5', why: 'header', text: 'Company, Mail, Size' }]);
  });

  test.each([
    ['rows behind a blank one', [undefined, ['Delta', 'd@delta.com', 4], ['Epsilon', 'e@eps.com', 5]]],
    ['one whose address is not known', [undefined, ['Delta', 'n/a', 4], ['Epsilon', 'e@eps.com', 5]]],
    ['those of which nothing is known', [undefined, ['Delta', '', ''], ['Epsilon', '', '']]],
    [
      'one with a word in the place of an address',
      [undefined, ['Delta', 'ask Jo', 4], ['Eps', 'e@eps.com', 5]],
    ],
  ])('but not %s', async (_what, below) => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect([rows.length, layout]).toEqual([5, {}]);
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
    headerRow: '2',
    leftOut: [{ rows: '6', why: 'totals', text: 'Total' }],
  });
  expect(await read(book, { asBefore: first.layout })).toEqual(first);
  const other = { headerRow: '2', leftOut: [{ rows: '4-5', why: 'table', text: '' }] } as const;
  expect((await read(book, { asBefore: other })).rows.map(([row]) => row)).toEqual([3, 6]);
});
