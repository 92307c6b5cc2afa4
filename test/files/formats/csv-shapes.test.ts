import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/core/format.ts';
import type { Delimiter } from '../../../src/core/reading.ts';
import { copied, openText, rowsOf, stopOf } from './sheets.ts';

/**
 * Goal: tables of every shape that people export are read as they meant them, or refused with what to say; and what is
 * written back has the same shape.
 * Method: small files, each as one program or habit leaves it.
 */

async function cellsIn(content: string, options: ReadOptions = {}, name?: string) {
  const sheet = await openText(content, options, name);
  return [await sheet.header(), ...(await rowsOf(sheet)).map(({ cells }) => cells)];
}

async function copyOf(
  content: string,
  options: ReadOptions = {},
  { columns = ['n'], dropped = [] }: { columns?: readonly string[]; dropped?: readonly string[] } = {},
): Promise<string> {
  const sheet = await openText(content, options);
  return (await copied(sheet, columns, ({ row }) => columns.map(() => `${row}`), { dropped })).toString();
}

const refusalOf = (content: string, options: ReadOptions = {}) => stopOf(openText(content, options));

describe('what separates the cells is found by what parts the records evenly', () => {
  test.each<[string, string, Delimiter]>([
    ['semicolons inside cells of a table of commas', 'Name,Tags\nA,x;y;z\nB,x;y\nC,\n', 'comma'],
    ['tabs, with commas in the addresses', 'Name\tStreet\nA\t1 High St, Perth\nB\t2 Low St, Perth\n', 'tab'],
    [
      'as many commas in each row, but more semicolons',
      'Preis, netto;Ort;PLZ\n1,5;Ulm;1\n2,5;Bonn;2\n',
      'semicolon',
    ],
    [
      'one column of lists of addresses',
      'Email\na@x.example;b@x.example\nc@x.example\nd@x.example\n',
      'comma',
    ],
    ['a damaged row in a table of semicolons', 'a;b;c\n1;2;3\n4;5\n6;7;8\n', 'semicolon'],
    ['quoted line ends that hold other delimiters', 'a;b\n"x,\ny,\nz,";1\n', 'semicolon'],
  ])('%s', async (_what, content, delimiter) => {
    const sheet = await openText(content);
    // Where the table has a damaged row, only the survey would stop; the header shows what was taken.
    const columns = content.split(/\n/)[0]?.split(/[;|\t]/).length ?? 0;
    if (delimiter === 'comma') expect((await sheet.header()).length).toBeLessThan(3);
    else expect(await sheet.header()).toHaveLength(columns);
  });

  test('a file of tabs by its name is one although nothing shows it; another delimiter that parts it better wins', async () => {
    expect(await cellsIn('Name\nA, B\nC, D\n', {}, 'list.tsv')).toEqual([['Name'], ['A, B'], ['C, D']]);
    expect(await cellsIn('a;b\n1;2\n', {}, 'list.txt')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('the first 64 KB decide, and a record that they cut does not', async () => {
    const row = `${'x'.repeat(999)};"a;b,1"\n`;
    const sheet = await openText(`a;b\n${row.repeat(200)}`);
    expect(await sheet.survey()).toMatchObject({ delimiter: 'semicolon', rows: 200 });
  });

  test('what the user says outweighs it', async () => {
    expect(await cellsIn('a;b\n1;2\n', { delimiter: 'comma' })).toEqual([['a;b'], ['1;2']]);
  });
});

describe('a first line such as sep=;', () => {
  test('a first line such as sep=; says the delimiter, is no row, and stays where it is', async () => {
    const content = '\uFEFFsep=;\r\na,b;c\r\n1,2;3\r\n';
    const sheet = await openText(content);
    expect(await sheet.header()).toEqual(['a,b', 'c']);
    // A spreadsheet does not show that line, so the header is row 1 in it as well.
    expect((await rowsOf(sheet)).map(({ row, cells }) => [row, cells])).toEqual([[2, ['1,2', '3']]]);
    expect(await copyOf(content)).toBe('\uFEFFsep=;\r\na,b;c;n\r\n1,2;3;2\r\n');
  });

  test('a first line such as sep=; counts as a line of the file', async () => {
    expect((await refusalOf('sep=|\na|b\n1\n')).message).toContain('row 2, line 3: 1 cell');
  });

  test('a first line such as sep=; needs its closing quote where it has an opening one, and may be in quotes', async () => {
    expect(await cellsIn('"sep=;"\na,b;c\n')).toEqual([['a,b', 'c']]);
    expect((await refusalOf('"sep=;\na;b\n')).message).toContain('line 1: a quote opens here');
  });

  test('a first line such as sep=; that names another character is refused', async () => {
    const error = await refusalOf('sep=^\na^b\n');
    expect(error.message).toContain('line 1: "sep=^" names a separator that is not supported.');
  });
});

describe('lines above the header', () => {
  const TITLED = 'Customers of 2026\r\nexported by Jo\r\n\r\nName,City,Postcode\r\nA,B,1000\r\nC,D,2000\r\n';

  test('lines above the header are counted as the spreadsheet counts them, and stay in the copy', async () => {
    const sheet = await openText(TITLED, { header_row: '4' });
    expect(await sheet.header()).toEqual(['Name', 'City', 'Postcode']);
    const rows = await rowsOf(sheet);
    expect(rows.map(({ row, cells }) => [row, cells[0]])).toEqual([
      [5, 'A'],
      [6, 'C'],
    ]);
    expect(await sheet.survey()).toMatchObject({ rows: 2, bytes: Buffer.byteLength(TITLED) });
    const lines = TITLED.split('\r\n');
    const copy = await copyOf(TITLED, { header_row: '4' });
    expect(copy.split('\r\n')).toEqual([
      ...lines.slice(0, 3),
      `${lines[3]},n`,
      `${lines[4]},5`,
      `${lines[5]},6`,
      '',
    ]);
  });

  test('lines above the header may stand above two rows of names, of which the second gets ours', async () => {
    const content =
      'Export\nABN,Contact,,Office,\n,Name,Mail,Name,Mail\n1,Jo,jo@a.com,Al,al@a.com\n2,Mo,mo@b.com,,\n';
    const lines = content.split('\n');
    expect((await copyOf(content)).split('\n')).toEqual([
      ...lines.slice(0, 2),
      `${lines[2]},n`,
      `${lines[3]},4`,
      `${lines[4]},5`,
      '',
    ]);
  });

  test('lines above the header may repeat the name of a group over each of its columns, which is no part of their names', async () => {
    const sheet = await openText('Lead,Lead,Lead\nName,Mail,Size\nA,a@a.com,1\n');
    expect(await sheet.header()).toEqual(['Name', 'Mail', 'Size']);
  });
});

describe('rows of another width than the header', () => {
  const RAGGED = 'a,b,c\n1\n1,2,3\n1,2,3,,\n"1",2\n';

  test('rows of another width are padded when asked, in what is read and in the copy, so that our cells stand below their names', async () => {
    expect(await cellsIn(RAGGED, { ragged: 'pad' })).toEqual([
      ['a', 'b', 'c'],
      ['1', '', ''],
      ['1', '2', '3'],
      ['1', '2', '3'],
      ['1', '2', ''],
    ]);
    expect(await copyOf(RAGGED, { ragged: 'pad' })).toBe('a,b,c,n\n1,,,2\n1,2,3,3\n1,2,3,4\n"1",2,,5\n');
  });

  test.each([
    [['a'], 'b,c,n\n,,2\n2,3,3\n2,3,4\n2,,5\n'],
    [['c'], 'a,b,n\n1,,2\n1,2,3\n1,2,4\n"1",2,5\n'],
    [['a', 'b', 'c'], 'n\n2\n3\n4\n5\n'],
  ])('rows of another width are padded also where the columns %j are replaced', async (dropped, expected) => {
    expect(await copyOf(RAGGED, { ragged: 'pad' }, { dropped })).toBe(expected);
  });

  test('rows of another width are refused also then where a cell would be lost', async () => {
    const error = await refusalOf('a,b\n1,2,,4\n', { ragged: 'pad', strict: true });
    expect(error.message).toContain('row 2, line 2: 4 cells, but the header has 2 columns.');
    expect(error.next).not.toContain('--ragged');
  });
});

describe('columns without a name', () => {
  const TRAILING = 'a,b,,\r\n1,2,,\r\n3,4, ,\r\n';

  test('columns without a name are passed over where they are blank, and stay in the copy', async () => {
    expect(await cellsIn(TRAILING)).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(await copyOf(TRAILING)).toBe('a,b,,,n\r\n1,2,,,2\r\n3,4, ,,3\r\n');
    expect(await copyOf('|a|b|\n|1|2|\n', {}, { dropped: ['a'] })).toBe('|b||n\n|2||2\n');
  });

  test('columns without a name may then stand in the middle, so that the copy is an input again', async () => {
    const copy = await copyOf(TRAILING);
    expect(await cellsIn(copy)).toEqual([
      ['a', 'b', 'n'],
      ['1', '2', '2'],
      ['3', '4', '3'],
    ]);
    expect(await copyOf(copy, {}, { dropped: ['n'] })).toBe(copy);
  });

  test('columns without a name count where short rows are padded', async () => {
    expect(await copyOf('a,,b,\n1\n1,,2\n', { ragged: 'pad' })).toBe('a,,b,,n\n1,,,,2\n1,,2,,3\n');
  });
});

describe('the style of the file is kept', () => {
  test('cells of ours are all in quotes where those of the header are, the blank ones as well', async () => {
    const sheet = await openText('"a";"b"\r\n"1";"2"\r\n');
    const copy = await copied(sheet, ['n', 'm'], () => ['', 'x "y"']);
    expect(copy.toString()).toBe('"a";"b";"n";"m"\r\n"1";"2";"";"x ""y"""\r\n');
  });

  test('quotes stand only where they must be where one of the header is not', async () => {
    expect(await copyOf('"a",b\n"1","2"\n', {}, { columns: ['n', 'm, o'] })).toBe(
      '"a",b,n,"m, o"\n"1","2",2,2\n',
    );
  });

  test('what must be in quotes depends on the delimiter', async () => {
    const sheet = await openText('a\tb\n1\t2\n');
    const copy = await copied(sheet, ['n', 'm'], () => ['x, y; z', 'x\ty']);
    expect(copy.toString()).toBe('a\tb\tn\tm\n1\t2\tx, y; z\t"x\ty"\n');
  });
});

describe('what people put below a list is none of it', () => {
  const EXPORTED = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'files', 'exported');
  const BELOW = [
    ['excel-semicolon.csv', ';;;\r\nSumme;;;2.000,50\r\n;;;\r\nLand;Anzahl;;\r\nAU;1;;\r\nNZ;1;;\r\n', '5-9'],
    ['google-sheets.csv', '\r\n,,,\r\nTotal,,,52', '5'],
    ['crm-report.csv', '\n"Grand Total","","2000000",""\n\n"Stage","Deals","",""\n"Won","1","",""\n', '5-8'],
  ] as const;

  test.each(BELOW)('%s with totals or another table', async (name, below, rows) => {
    const list = await readFile(join(EXPORTED, name));
    const sheet = await openText(Buffer.concat([list, Buffer.from(below)]));
    expect(sheet.layout.left_out?.map((each) => each.rows)).toEqual([rows]);
    expect(sheet.notes.join(' ')).toMatch(/ (?:is no contact and is|are no contacts and are) left out;/);
    const survey = await sheet.survey();
    expect((await rowsOf(sheet)).slice(0, 2).map(({ row }) => row)).toEqual([2, 3]);
    expect(survey.rows).toBe(2);
    const copy = await copied(sheet, ['n'], ({ row }) => [`${row}`]);
    const [total = ''] = /^.*(?:Summe|Total).*$/m.exec(copy.toString()) ?? [];
    expect(total, 'it comes back, and gets no cell of ours').toMatch(
      /^"?(?:Summe|Total|Grand Total).*[^\d~\r]\r?$/,
    );
    const as = sheet.layout;
    const again = await openText(Buffer.concat([list, Buffer.from(below)]), { asBefore: as });
    expect((await again.survey()).rows).toBe(survey.rows);
    const before = await openText(Buffer.concat([list, Buffer.from(below)]), { asBefore: {} });
    expect((await before.survey()).rows, 'a batch of before reads what it read').toBeGreaterThan(survey.rows);
    const said = await openText(Buffer.concat([list, Buffer.from(below)]), { rows: '2-5' });
    expect((await said.survey()).rows).toBe(3);
  });
});
