/**
 * Goal: workbooks that people have saved in Excel, in Google Sheets and in LibreOffice come back as they were, with our columns in
 * them, and take these columns after their user has gone on with them. Lists that programs export keep their cells.
 * Method: files that these programs have saved, the real commands before the sandbox as a vendor, and what comes back is compared
 * with the file part by part and cell by cell, by a reader that shares nothing with ours.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import readBook, { type Row } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import { partsOf } from '../files/formats/workbook-file.ts';
import { some } from '../support/combinations.ts';
import { openDesk } from './desk.ts';

const BOOKS = new URL('../files/formats/books/', import.meta.url);
const EXPORTED = new URL('../../fixtures/files/exported/', import.meta.url);

interface Saved {
  readonly book: string;
  /** The sheet that was open, and a column of it. */
  readonly sheet: string;
  readonly column: string;
  /** The row of the header, and the last of the list. */
  readonly rows: readonly [header: number, last: number];
  /** What may be another after it besides the sheet. */
  readonly grown?: readonly string[];
}

const SAVED: readonly Saved[] = [
  {
    ...{ book: 'excel-table', sheet: 'other', column: 'Profession', rows: [5, 19] },
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
const cellsIn = (xml: string): readonly string[] =>
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
    const mayDiffer = new Set(is.grown);
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

test('lists as a CRM, Excel and Google Sheets export them keep their cells, in a CSV file and in a workbook', async () => {
  const desk = await openDesk();
  const is: Record<string, { header: string[]; rows: [number, ...string[]][] }> = JSON.parse(
    readFileSync(new URL('expected.json', EXPORTED), 'utf8'),
  );
  for (const name of ['crm-report.csv', 'excel-semicolon.csv', 'google-sheets.csv']) {
    copyFileSync(new URL(name, EXPORTED), desk.place.path(name));
    const run = ['run', 'enrich-company', name, '--budget', '100', '--attention-ok'];
    const { code, stderr } = await desk.type([...run, '-o', 'out.csv']);
    expect(code, stderr).toBe(0);
    expect((await desk.type(['export', 'last', '-o', 'out.xlsx'])).code).toBe(0);

    const { header = [], rows = [] } = is[name] ?? {};
    const own = [header, ...rows.map(([, ...cells]) => cells)];
    const [sheet] = await readBook(readFileSync(desk.place.path('out.xlsx')));
    const delimiter = name.includes('semicolon') ? ';' : ',';
    const cells: readonly Row[] = parse(await desk.read('out.csv'), { bom: true, delimiter });
    for (const written of [cells, sheet?.data ?? []]) {
      expect(written.map((row) => row.slice(0, header.length).map(String))).toEqual(own);
      expect(written[0]).toContain('_status');
    }
  }
});

/** Names of the parts that are others now. None is gone, none came, and each keeps its place. */
function changedIn(before: Buffer, after: Buffer): readonly string[] {
  const [was, is] = [partsOf(before), partsOf(after)];
  expect(is.map(({ name }) => name)).toEqual(was.map(({ name }) => name));
  return was.flatMap(({ name, content }, at) => (is[at]?.content.equals(content) ? [] : [name]));
}

/** Each cell that holds something stands in the sheet in its order, to the letter. */
function requireOwnCells(before: Buffer, after: Buffer, part: string): void {
  const [was = '', is = ''] = [before, after].map(
    (bytes) => partsOf(bytes).find(({ name }) => name === part)?.text,
  );
  const own = cellsIn(was).filter((cell) => !/^<c\b[^>]*\/>$/.test(cell));
  const kept = new Set(own);
  expect(cellsIn(is).filter((cell) => kept.has(cell))).toEqual(own);
}
