/**
 * Goal: somebody with a workbook gets a workbook back, and somebody with a CSV file gets one on demand. A workbook as people make it, with
 * titles, groups, totals and a second table, is worked on without a word about how it is read; one that Excel, Google Sheets or LibreOffice
 * has saved comes back as it was, with our columns in it, and takes them after its user has gone on with it.
 * Method: the real commands before the sandbox as a vendor, over workbooks of a library and of these programs; what comes back is compared
 * part by part and cell by cell, by a reader that shares nothing with ours.
 */

import { copyFileSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import readBook, { type Row, readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { partsOf } from '../files/formats/workbook-file.ts';
import { some } from '../support/combinations.ts';
import { type Desk, openDesk } from './desk.ts';

/** Real numbers of real companies, as Excel keeps them: as numbers. */
const LEADS = [
  ['ABN', 'Name', 'Since'],
  [51_824_753_556, 'One', new Date('2001-02-28T00:00:00Z')],
  [],
  [33_051_775_556, '=Two', null],
  ['51 824 753 557', 'Wrong', null],
  [51_824_753_556, 'One again', null],
];

async function deskWithLeads(options = {}): Promise<Desk> {
  const desk = await openDesk(options);
  const bytes = await writeExcel(LEADS, { sheet: 'Leads', dateFormat: 'dd/mm/yyyy' }).toBuffer();
  await writeFile(desk.place.path('leads.xlsx'), bytes);
  return desk;
}

const RUN = ['run', 'enrich-company', 'leads.xlsx', '--budget', '1000'];

/** Rows as lists of cells, without the columns of the answers. */
async function cellsIn(desk: Desk, file: string, columns: readonly string[]): Promise<unknown[][]> {
  const [header = [], ...rows] = await readSheet(readFileSync(desk.place.path(file)), { trim: false });
  return rows.map((row) => columns.map((name) => row[header.indexOf(name)]));
}

test('a workbook comes back as a workbook, its cells as they were, and so does the file of what needs attention', async () => {
  const desk = await deskWithLeads();
  const { code, stderr } = await desk.type(RUN);
  expect(code).toBe(3);
  expect(stderr).not.toContain('leads.xlsx comes back');
  const output = await cellsIn(desk, 'leads.enriched.xlsx', ['ABN', 'Name', 'Since', '_status', '_credits']);
  expect(output).toEqual([
    [51_824_753_556, 'One', new Date('2001-02-28T00:00:00Z'), 'matched', 1],
    [null, null, null, null, null],
    [33_051_775_556, '=Two', null, 'matched', 1],
    ['51 824 753 557', 'Wrong', null, 'invalid', 0],
    [51_824_753_556, 'One again', null, 'matched', 0],
  ]);
  const attention = await cellsIn(desk, 'leads.enriched.needs-attention.xlsx', ['ABN', '_row', '_reason']);
  expect(attention.filter(([abn]) => abn !== null)).toEqual([
    ['51 824 753 557', 5, expect.stringContaining('checksum')],
  ]);
  expect(await desk.requests()).toBe(2);
});

test('our columns are wide enough to be read, their dates are dates, and hers stay as wide as she made them', async () => {
  const desk = await openDesk();
  const columns = [{ width: 30 }, { width: 4 }];
  const rows = [
    ['ABN', 'Name'],
    [51_824_753_556, 'One'],
    ['51 824 753 557', 'Wrong'],
  ];
  await writeFile(desk.place.path('leads.xlsx'), await writeExcel(rows, { columns }).toBuffer());
  await desk.write('leads.csv', 'ABN,Name\n51824753556,One\n51824753557,Wrong\n');
  const lists = ['leads.xlsx', 'leads.enriched.xlsx', 'leads.csv'];
  const widths: string[][] = [];
  for (const [nth, list] of lists.entries()) {
    const output = `out${nth}.xlsx`;
    expect((await desk.type(['run', 'enrich-company', list, '--budget', '9', '-o', output])).code).toBe(3);
    if (nth === 0) copyFileSync(desk.place.path(output), desk.place.path('leads.enriched.xlsx'));
    const [[status, asOf] = [], [, none] = []] = await cellsIn(desk, output, ['_status', '_as_of']);
    expect(status).toBe('matched');
    expect(asOf).toBeInstanceOf(Date);
    expect(Math.abs((asOf as Date).getTime() - Date.now())).toBeLessThan(600_000);
    expect(none).toBeNull();
    const parts = partsOf(readFileSync(desk.place.path(output)));
    const textOf = (part: string) => parts.find(({ name }) => name === part)?.text ?? '';
    const sheet = textOf('xl/worksheets/sheet1.xml');
    const sizes = [...sheet.matchAll(/<col (?:[^>]*\s)?width="([\d.]+)"/g)].map(([, width = '']) => width);
    widths.push(sizes);
    // Only one pair of formats is added, however often she brings the workbook back.
    expect(textOf('xl/styles.xml').match(/numFmtId="22"/g)).toHaveLength(1);
  }
  expect(widths[0]?.slice(0, 2).map(Number)).toEqual([30, 4].map((width) => expect.closeTo(width, 0)));
  expect(widths[0]?.length).toBeGreaterThan(8);
  expect(widths[1]).toEqual(widths[0]);
  expect(widths[2]?.slice(2)).toEqual(widths[0]?.slice(2));
});

test('a cell of a CSV file that Excel wrote as a formula is in a workbook the text that it shows', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'ABN,Site\n="51824753556","=""a.example"""\n');
  const run = ['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', 'list.enriched.xlsx'];
  expect((await desk.type(run)).code).toBe(0);
  expect(await cellsIn(desk, 'list.enriched.xlsx', ['ABN', 'Site', '_status'])).toEqual([
    ['51824753556', 'a.example', 'matched'],
  ]);
});

test('what cannot be read or written as a workbook is refused before anything is bought', async () => {
  const desk = await deskWithLeads();
  await desk.write('leads.ods', 'not looked into');
  await desk.write('list.csv', 'ABN\n51824753556\n');
  for (const [words, fact] of [
    [
      [...RUN, '-o', 'out.csv'],
      /The output is an Excel workbook, but the name .*out\.csv says otherwise\.\nGive it the ending \.xlsx or \.jsonl\./,
    ],
    [
      ['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', 'out.xls'],
      /The output is text in columns, but the name .*out\.xls says otherwise\.\nGive it the ending \.xlsx, \.csv or \.jsonl\./,
    ],
    [[...RUN, '--sheet', 'Lead'], /leads\.xlsx has no sheet "Lead"\.\nDid you mean Leads\?/],
    [
      ['plan', 'leads.ods'],
      /ends in "\.ods", which cannot be read as a list\.\nOpen it in LibreOffice or Excel and save it as \.xlsx\./,
    ],
  ] as const) {
    const { code, stderr } = await desk.type(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(fact);
  }
  expect(await desk.requests()).toBe(0);
});

// ------------------------------------------------------------------------------------------------ as people make them

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const CHARITIES = parse(readFileSync(join(FIXTURES, 'charities.csv'))).slice(0, 6) as string[][];

/** Their ABNs as numbers, as Excel keeps them, between what somebody has written around them. */
async function deskWithReport(): Promise<Desk> {
  const desk = await openDesk();
  const [, ...rows] = CHARITIES;
  const table = rows.map(([abn, name, , town], at) => [Number(abn), name, town, (at + 1) * 10]);
  const sheet = [
    ['Our charities', null, null, '3 Nov 2026'],
    [],
    ['Register', null, 'Ours', null],
    ['ABN', 'Name', 'Town', 'Donated'],
    ...table,
    [],
    ['Total', null, null, 150],
    [],
    ['Size', 'Meaning'],
    ['Small', 'below 500,000'],
    ['Large', 'from 3,000,000'],
  ];
  await writeFile(
    desk.place.path('report.xlsx'),
    await writeExcel(sheet as never, { sheet: 'Q4' }).toBuffer(),
  );
  return desk;
}

const REPORT = ['run', 'enrich-company', 'report.xlsx', '--budget', '1000'];

test('only the rows of its table are asked about, the rest stays where it was, and all guesses are said', async () => {
  const desk = await deskWithReport();
  const { code, stderr } = await desk.type(REPORT);
  expect(code).toBe(0);
  expect(stderr).toContain('The column names come from row 4 ("ABN", "Name", "Town", "Donated");');
  expect(stderr).toContain('5 rows (11-15: Total, Size, Small, Large) are no contacts and are left out;');
  expect(await desk.requests()).toBe(5);
  const output = await readSheet(readFileSync(desk.place.path('report.enriched.xlsx')), { trim: false });
  const status = (output[3] ?? []).indexOf('_status');
  expect(output.map((row) => [row[0], row[3], row[status] ?? null])).toEqual([
    ['Our charities', '3 Nov 2026', null],
    [null, null, null],
    ['Register', null, null],
    ['ABN', 'Donated', '_status'],
    ...CHARITIES.slice(1).map(([abn], at) => [Number(abn), (at + 1) * 10, 'matched']),
    [null, null, null],
    ['Total', 150, null],
    [null, null, null],
    ['Size', null, null],
    ['Small', null, null],
    ['Large', null, null],
  ]);
});

// ------------------------------------------------------------------------------------------------ as programs save them

const BOOKS = new URL('../files/formats/books/', import.meta.url);

interface Saved {
  readonly book: string;
  /** The sheet that was open, and a column of it. */
  readonly sheet: string;
  readonly column: string;
  /** The row of the header, and the last of the list. */
  readonly rows: readonly [header: number, last: number];
  /** What may be another after it besides the sheet and the formats of cells. */
  readonly grown?: readonly string[];
}

const SAVED: readonly Saved[] = [
  {
    book: 'excel-table',
    sheet: 'other',
    column: 'Profession',
    rows: [5, 19],
    grown: ['xl/tables/table2.xml'],
  },
  { book: 'excel-pivots', sheet: 'penguins', column: 'species', rows: [1, 19] },
  { book: 'excel-chart', sheet: 'ClickThroughRateSheet', column: 'Clicks', rows: [2, 7] },
  { book: 'google-sheets', sheet: 'fruit', column: 'buyer', rows: [1, 4] },
  { book: 'google-dates', sheet: 'sheet1', column: 'number', rows: [1, 11] },
  { book: 'excel-online', sheet: 'Chars', column: 'a', rows: [1, 2] },
  { book: 'libreoffice', sheet: 'Leads 2026', column: 'Name', rows: [4, 7], grown: ['xl/workbook.xml'] },
];

/** The texts of the cells of a sheet as they are written, in order. */
const cellTexts = (xml: string): readonly string[] =>
  [...xml.matchAll(/<c\b[^>]*?(?:\/>|>.*?<\/c>)/gs)].map(([cell]) => cell);

/** All sheets by their names, as the other reader sees them. */
async function sheetsIn(bytes: Buffer): Promise<ReadonlyMap<string, readonly Row[]>> {
  return new Map((await readBook(bytes)).map(({ sheet, data }) => [sheet, data]));
}

test.each(some(SAVED, 3))('$book is returned as it was, with what was found', async ({ book, ...is }) => {
  const desk = await openDesk();
  const path = (name: string): string => desk.place.path(name);
  copyFileSync(new URL(`${book}.xlsx`, BOOKS), path('book.xlsx'));
  const run = ['run', 'search-people', 'book.xlsx', '--column', `position=${is.column}`];
  const { code, stderr } = await desk.type([...run, '--budget', '5000', '-o', 'out.xlsx', '--attention-ok']);
  expect(code, stderr).toBe(0);
  // She has gone on with the file that she had.
  expect((await desk.type(['merge', 'out.xlsx', 'book.xlsx', '-o', 'merged.xlsx'])).code).toBe(0);

  const [before, ...after] = ['book', 'out', 'merged'].map((name) => readFileSync(path(`${name}.xlsx`)));
  if (before === undefined) throw new Error('nothing was read');
  const [header, last] = is.rows;
  const was = await sheetsIn(before);
  for (const bytes of after) {
    const mayDiffer = new Set(['xl/styles.xml', ...(is.grown ?? [])]);
    requireOwnFormats(before, bytes);
    const changed = changedIn(before, bytes).filter((name) => !mayDiffer.has(name));
    expect(changed).toEqual([expect.stringMatching(/^xl\/worksheets\/sheet\d\.xml$/)]);
    requireOwnCells(before, bytes, changed[0] ?? '');
    const now = await sheetsIn(bytes);
    expect([...now.keys()]).toEqual([...was.keys()]);
    for (const [name, rows] of was) {
      const width = Math.max(...rows.map((row) => row.length));
      expect(now.get(name)?.map((row) => row.slice(0, width))).toEqual(rows);
      if (name !== is.sheet) continue;
      const names = now.get(name)?.[header - 1] ?? [];
      const at = names.indexOf('_status');
      const filled = [...(now.get(name) ?? []).entries()].flatMap(([row, cells]) =>
        cells[at] == null ? [] : [row + 1],
      );
      expect(filled).toEqual(Array.from({ length: last - header + 1 }, (_, index) => header + index));
    }
  }
});

/** Names of the parts that are others now. None is gone, none came, and each keeps its place. */
function changedIn(before: Buffer, after: Buffer): readonly string[] {
  const [was, is] = [partsOf(before), partsOf(after)];
  expect(is.map(({ name }) => name)).toEqual(was.map(({ name }) => name));
  return was.flatMap(({ name, content }, at) => (is[at]?.content.equals(content) ? [] : [name]));
}

/** Two formats stand behind those that were there, and their number says so. */
function requireOwnFormats(before: Buffer, after: Buffer): void {
  const [was, is] = [before, after].map(
    (bytes) => partsOf(bytes).find(({ name }) => name === 'xl/styles.xml')?.text ?? '',
  );
  const counted = /(<(?:\w+:)?cellXfs[^>]*count=")(\d+)/;
  const ours = /(?:<(?:\w+:)?xf numFmtId="(?:14|22)"[^>]*\/>){2}(?=<\/(?:\w+:)?cellXfs>)/;
  expect(is).toMatch(ours);
  expect(is?.replace(ours, '').replace(counted, '$1')).toBe(was?.replace(counted, '$1'));
  expect(Number(counted.exec(is ?? '')?.[2])).toBe(Number(counted.exec(was ?? '')?.[2]) + 2);
}

/** Each cell that holds something stands in the sheet in its order, to the letter. */
function requireOwnCells(before: Buffer, after: Buffer, part: string): void {
  const [was = '', is = ''] = [before, after].map(
    (bytes) => partsOf(bytes).find(({ name }) => name === part)?.text,
  );
  const own = cellTexts(was).filter((cell) => !/^<c\b[^>]*\/>$/.test(cell));
  const kept = new Set(own);
  expect(cellTexts(is).filter((cell) => kept.has(cell))).toEqual(own);
}
