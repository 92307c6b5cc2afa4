import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/core/format.ts';
import type { InputRow } from '../../../src/core/row.ts';
import { allOf, copied, eachRow, openText, stopOf } from './sheets.ts';

/**
 * Goal: one bad row does not refuse a list. It is set aside with its line and what is wrong, all rows around it keep their
 * numbers, and it comes back byte for byte with our cells below their names. What endangers other rows refuses the file.
 * Method: files with one kind of bad row each are surveyed, read and copied through the format alone. Rows of too many cells and with
 * a stray quote are the matter of `cli/bad-rows.test.ts`.
 */

async function rowsOf(
  content: string | Buffer,
  options: ReadOptions = {},
  name?: string,
): Promise<InputRow[]> {
  const sheet = await openText(content, options, name);
  const rows: InputRow[] = [];
  const { rows: count } = await sheet.survey((row) => rows.push(row));
  expect(count).toBe(rows.length);
  expect(await allOf(eachRow(sheet))).toEqual(rows);
  return rows;
}

async function copyOf(
  content: string | Buffer,
  options: ReadOptions = {},
  dropped: readonly string[] = [],
): Promise<string> {
  const sheet = await openText(content, options);
  const ours = ({ row, unreadable }: InputRow) => (unreadable ? ['', 'invalid'] : [String(row), 'ok']);
  return (await copied(sheet, ['n', '_status'], ours, { dropped })).toString();
}

/** Header, a row with a line end in quotes, a blank line: what follows is row 4 on line 5. */
const ABOVE = 'a,b\r\n"1\r\n1",2\r\n\r\n';

const BAD: readonly (readonly [what: string, line: string, why: string])[] = [
  ['a blank cell too many', '1,2,', 'line 5 cannot be read: 3 cells, but the header has 2 columns'],
  [
    'text after a closing quote',
    '"Smith "Jo" John",2',
    'line 5 cannot be read: a cell in quotes begins here and continues after its closing quote',
  ],
  [
    'text after the closing quote of a cell with a line end',
    '1,"2\r\n2"x',
    'line 5 cannot be read: a cell in quotes begins here and continues after its closing quote',
  ],
  [
    'a delimiter behind a stray quote',
    '"he said "hi, there" and left",5',
    'line 5 cannot be read: a cell in quotes begins here and continues after its closing quote',
  ],
  [
    'blanks before a quote',
    '1, "2"',
    'line 5 cannot be read: a quote is inside a cell that does not begin with one',
  ],
  [
    'a byte-order mark before a quote, where a file was put to the end of another',
    '\uFEFF"a","b"',
    'line 5 cannot be read: a quote is inside a cell that does not begin with one',
  ],
];

describe('a bad row is set aside', () => {
  test.each(BAD)('a bad row is set aside with its line: %s', async (_what, line, why) => {
    const rows = await rowsOf(`${ABOVE}${line}\r\n5,6\r\n`);
    expect(rows.map(({ row, unreadable }) => [row, unreadable])).toEqual([
      [2, undefined],
      [4, why],
      [5, undefined],
    ]);
    expect(rows[2]?.cells).toEqual(['5', '6']);
  });

  test('a bad row is set aside also as the last row without a line end, and with tabs between cells', async () => {
    const rows = await rowsOf('a\tb\n1\t2\n3\t4\t5', {}, 'list.tsv');
    expect(rows.map(({ row, unreadable }) => [row, unreadable])).toEqual([
      [2, undefined],
      [3, 'line 3 cannot be read: 3 cells, but the header has 2 columns'],
    ]);
  });
});

describe('a bad row comes back as it was', () => {
  test('every byte of it, with our cells below their names and its surplus behind them', async () => {
    expect(await copyOf('a,b\n"1" x\n5,6\n')).toBe('a,b,n,_status\n"1" x,,,invalid\n5,6,3,ok\n');
    expect(await copyOf('a,b\n"he "hi, there" left",5\n5,6\n')).toBe(
      'a,b,n,_status\n"he "hi, there" left",,invalid,5\n5,6,3,ok\n',
    );
  });

  test('a bad row comes back as the input of another run, too: what we wrote there is replaced, and nothing else goes', async () => {
    const once = await copyOf('a,b\n1,2,3\n4,5\n');
    expect(await copyOf(once, {}, ['n', '_status'])).toBe('a,b,n,_status\n1,2,,invalid,3\n4,5,3,ok\n');
    // Somebody has put a cell before ours, so that nobody knows any more which cells they are.
    const shifted = once.replace('1,2,', '1,,2,');
    expect(await copyOf(shifted, {}, ['n', '_status'])).toBe(
      'a,b,n,_status\n1,,,invalid,2,,invalid,3\n4,5,3,ok\n',
    );
  });

  test('a bad row comes back also where a column of the user is left out of all other rows', async () => {
    expect(await copyOf('a,b,c\n1,2,3,4\n5,6,7\n', {}, ['b'])).toBe(
      'a,c,n,_status\n1,2,,invalid,3,4\n5,7,3,ok\n',
    );
  });
});

describe('what endangers other rows refuses the file, with the line where the quote opens', () => {
  const swallowed = 'a quote opens here and is not closed where its cell ends';
  test.each([
    ['a quote that is closed by the next row', 'a,b,c\n1,"5 inch,3\n2,"six",3\n', 'row 2, line 2', swallowed],
    ['in a list of one column', 'a\n"x\ny\n"z" w\n', 'row 2, line 2', swallowed],
    [
      'a quote that is never closed, below a bad row',
      'a,b\n1,2"x\n3,"4\n5,6\n',
      'row 3, line 3',
      'not closed',
    ],
  ])('%s', async (_what, content, where, fact) => {
    const { code, message, next } = await stopOf(openText(content));
    expect(code).toBe('input');
    expect(message).toContain(where);
    expect(message).toContain(fact);
    expect(next).toBe('Close the quote where the cell ends, or remove it.');
  });

  test('a bad header refuses the file', async () => {
    expect((await stopOf(openText('a,b"x\n1,2\n'))).message).toContain('row 1, line 1: a quote is inside');
  });

  test('a file is refused of which no row can be read, because it is written in another way', async () => {
    expect((await stopOf(openText('a,b\n1, "2"\n3, "4"\n'))).message).toContain(
      'row 2, line 2: a quote is inside',
    );
  });
});

test('a text as Excel writes it, with an equals sign before its quotes, is read as it stands', async () => {
  const rows = await rowsOf('abn,n\n="51824753556",1\n"=""51824753556""",2\n="a ""b""",3\n="5,5",4\n');
  expect(rows.map(({ cells, unreadable }) => [cells[0], unreadable === undefined])).toEqual([
    ['="51824753556"', true],
    ['="51824753556"', true],
    ['="a ""b"""', true],
    ['="5', false],
  ]);
  const copy = await copyOf('abn,n\r\n="51824753556",1\r\n');
  expect(copy).toBe('abn,n,n,_status\r\n="51824753556",1,2,ok\r\n');
});
