import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Encoding, NAMED_ENCODINGS } from '../../../src/core/encodings.ts';
import type { ReadOptions } from '../../../src/core/format.ts';
import type { InputRow } from '../../../src/core/row.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input.ts';
import { allOf, type CellsOfRow, copied, eachRow, inputFolder, openText, rowsOf, stopOf } from './sheets.ts';

/**
 * Goal: tables of every shape that people and programs write are read as they meant them, and an output is the input, byte for byte,
 * with our cells below our names and nothing else. One bad row is set aside with its line; what endangers other rows refuses the file.
 * Method: tables of small files, as one program or habit leaves them. Shapes of which nothing but cells and bytes matter are in
 * `fixtures/files`, and any file beside a second reader is the matter of `fuzz`.
 */

// ------------------------------------------------------------------------------------------------ what is read

const READ: readonly [
  what: string,
  text: string | Buffer,
  table: string[][],
  read?: ReadOptions,
  name?: string,
][] = [
  [
    'semicolons inside cells of a table of commas',
    'Name,Tags\nA,x;y;z\nB,x;y\nC,\n',
    [
      ['Name', 'Tags'],
      ['A', 'x;y;z'],
      ['B', 'x;y'],
      ['C', ''],
    ],
  ],
  [
    'as many commas in each row, but more semicolons',
    'Preis, netto;Ort;PLZ\n1,5;Ulm;1\n2,5;Bonn;2\n',
    [
      ['Preis, netto', 'Ort', 'PLZ'],
      ['1,5', 'Ulm', '1'],
      ['2,5', 'Bonn', '2'],
    ],
  ],
  [
    'one column of lists of addresses',
    'Email\na@x.at;b@x.at\nc@x.at\n',
    [['Email'], ['a@x.at;b@x.at'], ['c@x.at']],
  ],
  [
    'quoted line ends that hold other delimiters',
    'a;b\n"x,\ny,\nz,";1\n',
    [
      ['a', 'b'],
      ['x,\ny,\nz,', '1'],
    ],
  ],
  [
    'a file of tabs by its name, although nothing shows it',
    'Name\nA, B\n',
    [['Name'], ['A, B']],
    {},
    'list.tsv',
  ],
  ['an encoding that the user says', 'Name\nZoë\n', [['Name'], ['ZoÃ«']], { encoding: 'windows-1252' }],
  ['UTF-16 without a mark', Buffer.from('名\n字\n', 'utf16le'), [['名'], ['字']], { encoding: 'utf-16le' }],
  ['a line for spreadsheets in quotes', '"sep=;"\na,b;c\n', [['a,b', 'c']]],
  [
    'the name of a group over each of its columns',
    'Lead,Lead,Lead\nName,Mail,Size\nA,a@a.com,1\n',
    [
      ['Name', 'Mail', 'Size'],
      ['A', 'a@a.com', '1'],
    ],
  ],
];

test.each(READ)('%s: the cells are read as they were meant', async (_what, text, table, read = {}, name) => {
  const sheet = await openText(text, read, name);
  expect([await sheet.header(), ...(await rowsOf(sheet)).map(({ cells }) => cells)]).toEqual(table);
});

test('a damaged row in a table of semicolons hides no delimiter', async () => {
  expect(await (await openText('a;b;c\n1;2;3\n4;5\n6;7;8\n')).header()).toEqual(['a', 'b', 'c']);
});

test('the first 64 KB decide on the delimiter, and a record that they cut does not', async () => {
  const sheet = await openText(`a;b\n${`${'x'.repeat(999)};"a;b,1"\n`.repeat(200)}`);
  expect(sheet.delimiter).toBe('semicolon');
  expect(await sheet.survey()).toMatchObject({ rows: 200 });
});

/** Header, a row with a line end in quotes, a blank line: what follows is row 4 on line 5. */
const ABOVE = 'a,b\r\n"1\r\n1",2\r\n\r\n';
const GOES_ON = 'a cell in quotes begins here and continues after its closing quote';

test.each([
  ['a blank cell too many', '1,2,', '3 cells, but the header has 2 columns'],
  ['text after a closing quote', '"Smith "Jo" John",2', GOES_ON],
  ['text after the closing quote of a cell with a line end', '1,"2\r\n2"x', GOES_ON],
  ['a delimiter behind a stray quote', '"he said "hi, there" and left",5', GOES_ON],
  [
    'a delimiter behind a quote that is none around the cell',
    '1, "2,3"',
    '3 cells, but the header has 2 columns',
  ],
])('a bad row is set aside with its line: %s', async (_what, line, why) => {
  const sheet = await openText(`${ABOVE}${line}\r\n5,6\r\n`);
  const rows = await rowsOf(sheet);
  expect(rows.map(({ row, unreadable }) => [row, unreadable])).toEqual([
    [2, undefined],
    [4, `line 5 cannot be read: ${why}`],
    [5, undefined],
  ]);
  expect(rows[2]?.cells).toEqual(['5', '6']);
  const told: InputRow[] = [];
  expect((await sheet.survey((row) => told.push(row))).rows).toBe(3);
  expect(told).toEqual(rows);
});

test('a text as Excel writes it, with an equals sign before its quotes, is read as it stands', async () => {
  const text = 'abn,n\n="51824753556",1\n"=""51824753556""",2\n="a ""b""",3\n="5,5",4\n';
  const rows = await rowsOf(await openText(text));
  expect(rows.map(({ cells, unreadable }) => [cells[0], unreadable === undefined])).toEqual([
    ['="51824753556"', true],
    ['="51824753556"', true],
    ['="a ""b"""', true],
    ['="5', false],
  ]);
});

// ------------------------------------------------------------------------------------------------ what is refused

const SWALLOWS =
  / a quote opens here and is not closed.*\nClose the quote where the cell ends, or remove it\.$/;
const HALF = (line: number): RegExp =>
  new RegExp(`row ${line}, line ${line}: half a character, so this is not complete UTF-16 text\\.\n`);

test.each<[what: string, content: string | Buffer, says: RegExp, read?: ReadOptions]>([
  ['a short row below a line for spreadsheets, by its line', 'sep=|\na|b\n1\n', /row 2, line 3: 1 cell/],
  [
    'a separator that nobody knows',
    'sep=#\na#b\n',
    /line 1: "sep=#" names a separator that is not supported\./,
  ],
  [
    'a row that padding would cut',
    'a,b\n1,2,,4\n',
    /row 2, line 2: 4 cells, but the header has 2 columns\.\n(?!.*--ragged)/,
    { ragged: 'pad', strict: true },
  ],
  ['a quote that is closed by the next row', 'a,b,c\n1,"5 inch,3\n2,"six",3\n', SWALLOWS],
  ['a quote that swallows a row of one column', 'a\n"x\ny\n"z" w\n', SWALLOWS],
  ['a list of which no row can be read', 'a,b\n1,"2" x\n3,"4" y\n', /row 2, line 2: a cell in quotes begins/],
  ['half of a pair', Buffer.from('a\r\n\ud800x\n', 'utf16le'), HALF(2), { encoding: 'utf-16le' }],
])('%s refuses the file', async (_what, content, says, read = {}) => {
  const { code, message, next } = await stopOf(openText(content, read));
  expect([code, `${message}\n${next}`]).toEqual(['input', expect.stringMatching(says)]);
});

test.each([
  ['a damaged byte below characters of UTF-8', 'Zo\xc3\xab\nZo\xff\n'],
  ['a character that breaks off at the end', 'Zo\xc3\xab\nZo\xc3'],
])('%s is refused with its row and line, and not made Windows-1252', async (_what, rows) => {
  const content = Buffer.from(`Name\n${rows}`, 'latin1');
  const error = await stopOf(openText(content));
  expect(error.message).toMatch(/, row 3, line 3: not UTF-8 text\.$/);
  expect(error.next).toContain('--encoding');
  const forced = await openText(content, { encoding: 'windows-1252' });
  expect([forced.notes, (await rowsOf(forced))[0]?.cells]).toEqual([[], ['ZoÃ«']]);
});

test.skipIf(process.platform === 'win32')('a pipe is refused, and nobody waits for it', async () => {
  const path = join(await (await inputFolder())('a\n'), '..', 'pipe.csv');
  execFileSync('mkfifo', [path]);
  expect((await stopOf(csv.open(new InputFile(path), {}))).message).toContain('is not a regular file');
});

// ------------------------------------------------------------------------------------------------ what comes back

interface Copied {
  readonly read?: ReadOptions;
  readonly dropped?: readonly string[];
  readonly columns?: readonly string[];
  /** Left out: the number of the row in each of our columns. */
  readonly cells?: CellsOfRow;
}

/** A bad row has no number. */
const STATUS = {
  columns: ['n', '_status'],
  cells: ({ row, unreadable }: InputRow) => (unreadable ? ['', 'invalid'] : [`${row}`, 'ok']),
};
const RAGGED = 'a,b,c\n1\n1,2,3\n1,2,3,,\n"1",2\n';
const pad = (...dropped: readonly string[]): Copied => ({ read: { ragged: 'pad' }, dropped });
const TRAILING = 'a,b,,\r\n1,2,,\r\n3,4, ,\r\n';
const AGAIN = 'a,b,,,n\r\n1,2,,,2\r\n3,4, ,,3\r\n';
const MARKED = '\uFEFF"a",b,"c, d"\n1,"2","3 ""x"""\n';
const drop = (...dropped: readonly string[]): Copied => ({ dropped, cells: () => ['+'] });
const HEADERLESS: Copied = { read: { header_row: '0' } };

test.each<[what: string, text: string, copy: string, how?: Copied]>([
  ['a line for spreadsheets', '\uFEFFsep=;\r\na,b;c\r\n1,2;3\r\n', '\uFEFFsep=;\r\na,b;c;n\r\n1,2;3;2\r\n'],
  [
    'two rows of names',
    'Export\nABN,Contact,,Office,\n,Name,Mail,Name,Mail\n1,Jo,jo@a.com,Al,al@a.com\n2,Mo,mo@b.com,,\n',
    'Export\nABN,Contact,,Office,\n,Name,Mail,Name,Mail,n\n1,Jo,jo@a.com,Al,al@a.com,4\n2,Mo,mo@b.com,,,5\n',
  ],
  ['rows of another width', RAGGED, 'a,b,c,n\n1,,,2\n1,2,3,3\n1,2,3,4\n"1",2,,5\n', pad()],
  ['blank columns without a name', TRAILING, AGAIN],
  [
    'a header that is all in quotes',
    '"a";"b"\r\n"1";"2"\r\n',
    '"a";"b";"n";"m"\r\n"1";"2";"";"x ""y"""\r\n',
    { columns: ['n', 'm'], cells: () => ['', 'x "y"'] },
  ],
  [
    'tabs, which alone must be in quotes',
    'a\tb\n1\t2\n',
    'a\tb\tn\tm\n1\t2\tx, y; z\t"x\ty"\n',
    { columns: ['n', 'm'], cells: () => ['x, y; z', 'x\ty'] },
  ],
  ['the last dropped, quoted', MARKED, '\uFEFF"a",b,n\n1,"2",+\n', drop('c, d')],
  ['all dropped', MARKED, '\uFEFFn\n+\n', drop('a', 'b', 'c, d')],
  [
    'no header, lines of any end',
    'a@a.com,1\r\nb@b.com,2',
    'A,B,n\r\na@a.com,1,1\r\nb@b.com,2,2',
    HEADERLESS,
  ],
  ['no header, a line for spreadsheets', 'sep=;\na@a.com;1\n', 'sep=;\nA;B;n\na@a.com;1;1\n', HEADERLESS],
  ['a bad row', 'a,b\n"1" x\n5,6\n', 'a,b,n,_status\n"1" x,,,invalid\n5,6,3,ok\n', STATUS],
  [
    'a bad row of an earlier output',
    'a,b,n,_status\n1,2,,invalid,3\n4,5,3,ok\n',
    'a,b,n,_status\n1,2,,invalid,3\n4,5,3,ok\n',
    { ...STATUS, dropped: STATUS.columns },
  ],
  [
    'a bad row where a column of the user goes',
    'a,b,c\n1,2,3,4\n5,6,7\n',
    'a,c,n,_status\n1,2,,invalid,3,4\n5,7,3,ok\n',
    { ...STATUS, dropped: ['b'] },
  ],
  [
    'answers with zero bytes, which would make it unreadable',
    'a\n1\n',
    'a,n,m\n1,"x\uFFFDy","\uFFFD"\n',
    { columns: ['n', 'm'], cells: () => ['x\0y', '\0'] },
  ],
])('%s: the copy has every byte, and our cells below our names', async (_what, text, copy, how = {}) => {
  const { read = {}, dropped = [], columns = ['n'] } = how;
  const { cells = ({ row }: InputRow) => columns.map(() => `${row}`) } = how;
  expect((await copied(await openText(text, read), columns, cells, { dropped })).toString()).toBe(copy);
});

const EXPORTED = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'files', 'exported');

test.each([
  ['excel-semicolon.csv', ';;;\r\nSumme;;;2.000,50\r\n;;;\r\nLand;Anzahl;;\r\nAU;1;;\r\nNZ;1;;\r\n', '5-9'],
  ['google-sheets.csv', '\r\n,,,\r\nTotal,,,52', '5'],
  ['crm-report.csv', '\n"Grand Total","","2000000",""\n\n"Stage","Deals","",""\n"Won","1","",""\n', '5-8'],
])(
  '%s with totals or another table below: these are none of the list, and come back',
  async (name, below, rows) => {
    const list = Buffer.concat([await readFile(join(EXPORTED, name)), Buffer.from(below)]);
    const sheet = await openText(list);
    expect(sheet.layout.left_out?.map((each) => each.rows)).toEqual([rows]);
    expect(sheet.notes.join(' ')).toMatch(/ (?:is no contact and is|are no contacts and are) left out;/);
    const survey = await sheet.survey();
    expect((await rowsOf(sheet)).map(({ row }) => row)).toEqual([2, 3]);
    expect(survey.rows).toBe(2);
    const copy = await copied(sheet, ['n'], ({ row }) => [`${row}`]);
    const [total = ''] = /^.*(?:Summe|Total).*$/m.exec(copy.toString()) ?? [];
    expect(total, 'it gets no cell of ours').toMatch(/^"?(?:Summe|Total|Grand Total).*[^\d~\r]\r?$/);
    const rowsWith = async (read: ReadOptions) => (await (await openText(list, read)).survey()).rows;
    expect(await rowsWith({ asBefore: sheet.layout })).toBe(2);
    expect(await rowsWith({ asBefore: {} }), 'a batch of before reads what it read').toBeGreaterThan(2);
    expect(await rowsWith({ rows: '2-5' })).toBe(3);
  },
);

// ------------------------------------------------------------------------------------------------ any file

// ------------------------------------------------------------------------------------------------ encodings

test('the byte that makes a file Windows-1252 may stand far below where nobody looks', async () => {
  const sheet = await openText(
    Buffer.concat([Buffer.from('Name\n'), Buffer.alloc(70_000, 'x\n'), Buffer.from([0x80])]),
  );
  expect(sheet.notes[0]).toContain('byte 0x80 is not');
  expect((await allOf(eachRow(sheet))).at(-1)?.cells).toEqual(['€']);
});

test('an answer beyond the encoding makes the whole output UTF-8 with a mark, which is said; no other does', async () => {
  const list = Buffer.from('Name,Ort\r\nZo\xeb,K\xf6ln\r\nJo,Bonn\r\n', 'latin1');
  const notes: string[] = [];
  const note = (sentence: string): void => void notes.push(sentence);
  const within = await copied(await openText(list), ['n'], () => ['€ ÿ'], { note });
  expect(within.toString('latin1')).toBe('Name,Ort,n\r\nZo\xeb,K\xf6ln,\x80 \xff\r\nJo,Bonn,\x80 \xff\r\n');
  expect(notes).toEqual([]);
  const cells: CellsOfRow = ({ row }) => [row === 3 ? 'Łódź' : '€'];
  const beyond = await copied(await openText(list), ['Stadt'], cells, { note });
  expect(beyond.toString()).toBe('\uFEFFName,Ort,Stadt\r\nZoë,Köln,€\r\nJo,Bonn,Łódź\r\n');
  expect(notes).toEqual([
    'Windows-1252 has no "Ł" (U+0141), so the output is UTF-8 with a byte-order mark, for 1 cell that does not fit: row 3 in "Stadt".',
  ]);
});

/** The bytes above ASCII that are characters, in lines of a table. */
function everyCharacter(encoding: Encoding): { readonly bytes: Buffer; readonly text: string } {
  const decoder = new TextDecoder(encoding);
  const known = Array.from({ length: 96 }, (_, at) => at + 0xa0).filter(
    (byte) => !/[\uFFFD\u200E\u200F]/.test(decoder.decode(Uint8Array.of(byte))),
  );
  const rows = known.flatMap((byte) => [...Buffer.from('x'), byte, ...Buffer.from('\n')]);
  const bytes = Buffer.from([...Buffer.from('Name\n'), ...rows]);
  return { bytes, text: decoder.decode(bytes) };
}

test.each(NAMED_ENCODINGS)('%s is read and comes back', async (encoding) => {
  const { bytes, text } = everyCharacter(encoding);
  const sheet = await openText(bytes, { encoding });
  expect((await rowsOf(sheet)).map((row) => row.cells[0])).toEqual(text.split('\n').slice(1, -1));
  const copy = await copied(sheet, ['n'], () => ['']);
  const expected = bytes.toString('latin1').replaceAll('\n', ',\n').replace('Name,', 'Name,n');
  expect(copy.toString('latin1')).toBe(expected);
});

test('a byte that the encoding does not have comes back as well', async () => {
  const sheet = await openText(Buffer.from('Name\nx\xd2\n', 'latin1'), { encoding: 'windows-1253' });
  expect((await copied(sheet, ['n'], () => [''])).toString('latin1')).toBe('Name,n\nx\xd2,\n');
});
