import { readFileSync } from 'node:fs';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import type { CopyOptions, ReadOptions, Sheet } from '../../../src/core/format.ts';
import { OUR_COLUMNS } from '../../../src/core/row.ts';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile, openInput } from '../../../src/files/input.ts';
import { chooseDestination } from '../../../src/files/output/destination.ts';
import { allOf, type CellsOfRow, inputFolder, rowByRow, rowsOf } from './sheets.ts';
import { bookOf, partsOf, type ReadPart, textRow, zipOf } from './workbook-file.ts';

/**
 * Goal: a user gets her own workbook back with our columns in it, and every other thing of it as it was.
 * Method: workbooks of other writers, and some written by hand, are compared part by part and character by character with what
 * comes back, and read by a library that shares nothing with ours.
 */

const BOOKS = new URL('./books/', import.meta.url);
const bookBytes = (name: string): Buffer => readFileSync(new URL(name, BOOKS));

interface Copy {
  readonly before: readonly ReadPart[];
  readonly after: readonly ReadPart[];
  readonly bytes: Buffer;
  readonly notes: readonly string[];
}

async function opened(bytes: Buffer, read: ReadOptions = {}): Promise<Sheet> {
  const write = await inputFolder();
  return xlsx.open(new InputFile(await write(bytes, 'book.xlsx')), read);
}

async function copyOf(
  bytes: Buffer,
  columns: readonly string[],
  cellsFor: CellsOfRow,
  options: Partial<CopyOptions> = {},
  read: ReadOptions = {},
): Promise<Copy> {
  const notes: string[] = [];
  const sheet = await opened(bytes, read);
  const order = {
    columns,
    dropped: new Set<string>(),
    note: (sentence: string) => void notes.push(sentence),
    ...options,
  };
  const copy = Buffer.concat(await allOf(sheet.copy(order, rowByRow(cellsFor))));
  return { before: partsOf(bytes), after: partsOf(copy), bytes: copy, notes };
}

const FOUND: CellsOfRow = ({ row }) => [`phone of ${row}`, `0${row}`, '1'];
const COLUMNS = ['phone', 'postcode', '_credits'];

/** The names of the parts that are not the same to the byte. All are in their places. */
function changedIn({ before, after }: Copy): readonly string[] {
  expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  return before.flatMap(({ name, content }, at) => (after[at]?.content.equals(content) ? [] : [name]));
}

const textOf = (parts: readonly ReadPart[], name: string): string =>
  parts.find((part) => part.name === name)?.text ?? '';

/** The text with each of these pieces in the place of another; each stands there just once. */
function altered(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((all, [from, to]) => {
    expect(all.split(from), from).toHaveLength(2);
    return all.replace(from, () => to);
  }, text);
}

const inline = (address: string, text: string, style = ''): string =>
  `<c r="${address}"${style}t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
const ours = (row: number, style = ' '): string =>
  `${inline(`F${row}`, `phone of ${row}`, style)}${inline(`G${row}`, `0${row}`, ' ')}<c r="H${row}"><v>1</v></c>`;

const SHEET = 'xl/worksheets/sheet1.xml';
const STYLES = 'xl/styles.xml';
const sized = (column: number, width: number): string =>
  `<col min="${column}" max="${column}" width="${width}" customWidth="1"/>`;

test('a filtered sheet of Excel’s kind gets our columns, its filter reaches over them, and nothing else changes', async () => {
  const copy = await copyOf(bookBytes('filter.xlsx'), COLUMNS, FOUND);
  expect(copy.notes).toEqual([]);
  expect(changedIn(copy)).toEqual([SHEET, 'xl/workbook.xml', STYLES]);
  const header = COLUMNS.map((name, at) => inline(`${'FGH'[at]}4`, name, ' s="1" ')).join('');
  expect(textOf(copy.after, SHEET)).toBe(
    altered(textOf(copy.before, SHEET), [
      ['<dimension ref="A1:F7"/>', '<dimension ref="A1:H7"/>'],
      [
        '<col min="6" max="16384" width="0" hidden="1" customWidth="1"/>',
        `${[sized(6, 20), sized(7, 20), sized(8, 9)].join('')}<col min="9" max="16384" width="0" hidden="1" customWidth="1"/>`,
      ],
      ...[4, 5, 6, 7].map((row) => [`<row r="${row}" spans="1:6">`, `<row r="${row}">`] as const),
      ['<v>5</v></c></row>', `<v>5</v></c>${header}</row>`],
      ['<v>24</v></c></row>', `<v>24</v></c>${ours(5)}</row>`],
      // The user had coloured this cell.
      ['<c r="F6" s="3"/></row>', `${ours(6, ' s="3" ')}</row>`],
      ['<v>14</v></c></row>', `<v>14</v></c>${ours(7)}</row>`],
      ['<autoFilter ref="A4:E7"/>', '<autoFilter ref="A4:H7"/>'],
    ]),
  );
  expect(textOf(copy.after, 'xl/workbook.xml')).toBe(
    altered(textOf(copy.before, 'xl/workbook.xml'), [["'!$A$4:$E$7<", "'!$A$4:$H$7<"]]),
  );
});

test('a table gets our columns with names of their own, above its row of totals', async () => {
  const copy = await copyOf(bookBytes('table.xlsx'), COLUMNS, FOUND);
  expect(copy.notes).toEqual([]);
  expect(changedIn(copy)).toEqual([SHEET, 'xl/tables/table1.xml', STYLES]);
  const columns = [sized(4, 20), sized(5, 20), sized(6, 9)].join('');
  expect(textOf(copy.after, SHEET)).toContain(`<cols>${columns}</cols><sheetData>`);
  expect(textOf(copy.after, 'xl/tables/table1.xml')).toBe(
    altered(textOf(copy.before, 'xl/tables/table1.xml'), [
      ['ref="A1:C5"', 'ref="A1:F5"'],
      ['<autoFilter ref="A1:C4"/>', '<autoFilter ref="A1:F4"/>'],
      ['<tableColumns count="3">', '<tableColumns count="6">'],
      [
        '</tableColumns>',
        '<tableColumn id="4" name="phone"/><tableColumn id="5" name="postcode"/><tableColumn id="6" name="_credits"/></tableColumns>',
      ],
    ]),
  );
  expect((await readSheet(copy.bytes)).map((row) => row.slice(3))).toEqual([
    COLUMNS,
    ['phone of 2', '02', 1],
    ['phone of 3', '03', 1],
    ['phone of 4', '04', 1],
    [null, null, null],
  ]);
});

test('a date is one for Excel, and a cell that has become a number or a text is none any more', async () => {
  const names = ['since', 'postcode', '_credits'];
  const dates: CellsOfRow = ({ row }) => [
    ['2024-02-29', '2024-02-30', '1899-12-31'][row - 5] ?? '',
    'x',
    '1',
  ];
  const copy = await copyOf(bookBytes('filter.xlsx'), names, dates);
  const column = (await readSheet(copy.bytes)).slice(4).map((row) => row[5]);
  expect(column).toEqual([new Date('2024-02-29T00:00:00Z'), '2024-02-30', '1899-12-31']);
  // The same columns are written anew.
  const options = { dropped: new Set(names) };
  const again = await copyOf(
    copy.bytes,
    names,
    ({ row }) => [['7', 'new'][row - 5] ?? '', 'x', '1'],
    options,
  );
  expect((await readSheet(again.bytes)).slice(4).map((row) => row[5])).toEqual([7, 'new', null]);
  expect(textOf(again.after, STYLES)).toBe(textOf(copy.after, STYLES));
});

test('our columns stand between the widths that a sheet says of others', async () => {
  const rows =
    '<row r="1"><c r="A1" t="inlineStr"><is><t>ABN</t></is></c></row><row r="2"><c r="A2"><v>1</v></c></row>';
  const widthsIn = async (cols: string): Promise<string | undefined> => {
    const parts = partsOf(bookOf({ rows })).map(({ name, text }) => {
      return {
        name,
        content: name === SHEET ? text.replace('<sheetData>', `<cols>${cols}</cols><sheetData>`) : text,
      };
    });
    const copy = await copyOf(zipOf(parts), COLUMNS, () => ['a', 'b', '1']);
    return /<cols>(.*)<\/cols>/.exec(textOf(copy.after, SHEET))?.[1];
  };
  const ours = [sized(2, 20), sized(3, 20), sized(4, 9)].join('');
  const entry = (min: number, max: number): string => `<col min="${min}" max="${max}" width="3"/>`;
  expect(await widthsIn(entry(1, 1))).toBe(entry(1, 1) + ours);
  expect(await widthsIn(entry(9, 9))).toBe(ours + entry(9, 9));
  expect(await widthsIn(entry(1, 9))).toBe(entry(1, 1) + ours + entry(5, 9));
  expect(await widthsIn(entry(1, 2) + entry(4, 4))).toBe(entry(1, 1) + ours);
  expect(await widthsIn(entry(3, 3) + entry(8, 9))).toBe(ours + entry(8, 9));
});

test('macros stay, in a workbook that is called as before', async () => {
  const write = await inputFolder();
  const path = await write(bookBytes('macros.xlsm'), 'macros.xlsm');
  const input = await openInput(path, {});
  const wanted = { sandbox: false };
  const destination = await chooseDestination(input, {}, wanted);
  expect(destination).toMatchObject({ path: path.replace('.xlsm', '.enriched.xlsm'), isWorkbook: true });
  const csv = await openInput(await write('ABN\n1\n', 'list.csv'), {});
  const named = path.replace('macros', 'list');
  await expect(chooseDestination(csv, {}, { ...wanted, named })).rejects.toMatchObject({
    code: 'output',
    next: 'Give it the ending .xlsx.',
  });
});

test('what comes back can go in again: ours are replaced where they stand, and the same cells are the same bytes', async () => {
  const first = await copyOf(bookBytes('table.xlsx'), COLUMNS, FOUND);
  const again = await copyOf(first.bytes, COLUMNS, FOUND, { dropped: new Set(COLUMNS) });
  expect(changedIn(again)).toEqual([]);
  expect(again.after.map(({ text }) => text)).toEqual(first.after.map(({ text }) => text));
  const other: CellsOfRow = ({ row }) => ['new', row === 3 ? '' : '1', '2', '3'];
  const wider = await copyOf(first.bytes, ['phone', 'mobile', 'postcode', '_credits'], other, {
    dropped: new Set(COLUMNS),
  });
  expect((await readSheet(wider.bytes)).map((row) => row.slice(3))).toEqual([
    ['phone', 'mobile', 'postcode', '_credits'],
    ['new', '1', '2', 3],
    ['new', null, '2', 3],
    ['new', '1', '2', 3],
    [null, null, null, null],
  ]);
  expect(textOf(wider.after, 'xl/tables/table1.xml')).toContain('<tableColumn id="5" name="mobile"/>');
});

test('a row with a cell right of the last column is set aside, and ours stand right of it', async () => {
  const rows = [
    textRow(2, 'a', 'b'),
    textRow(3, 'c', 'd'),
    textRow(4, 'e', 'f', '', 'a remark'),
    textRow(5, 'g', 'h'),
  ];
  const book = bookOf({ rows: textRow(1, 'A', 'B') + rows.join('') });
  const ours: CellsOfRow = ({ unreadable }) => [
    unreadable === undefined ? 'matched' : 'invalid',
    ...OUR_COLUMNS.slice(1).map(() => ''),
  ];
  const first = await copyOf(book, OUR_COLUMNS, ours);
  const set = await rowsOf(await opened(book));
  expect(set[2]?.unreadable).toBe('the cell D4 holds something, but the header in row 1 ends with column B');
  // Its column has no name there, so nothing is read from it any more.
  const read = await rowsOf(await opened(first.bytes));
  expect(read.map(({ cells, unreadable }) => [cells[0], unreadable])).toEqual(
    ['a', 'c', 'e', 'g'].map((cell) => [cell, undefined]),
  );
});

test('where formulas stand in a column of ours, the rows come in a new workbook by value, which says why', async () => {
  const rows = `${textRow(1, 'A', 'x')}<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>A2</f><v>1</v></c></row>`;
  const copy = await copyOf(bookOf({ rows }), ['x'], () => ['7'], { dropped: new Set(['x']) });
  expect(copy.notes[0]).toMatch(/there are formulas in column B, which would be replaced/);
  expect(await readSheet(copy.bytes)).toEqual([
    ['A', 'x'],
    [1, 7],
  ]);
});
