import { chmod } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import type { ReadOptions } from '../../../src/core/format.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { proof } from '../../combinations.ts';
import { rowsOf } from './all-of.ts';
import { inputFolder } from './input-folder.ts';

/**
 * Goal: a damaged file is found before anything is paid for, and the user is told where the damage is and what to do.
 * Method: each kind of damage is written to a file, below blank lines and quoted line ends that make counting hard;
 * the survey must stop with the exact row and line. It is strict, so that rows which would be set aside are named as well;
 * those are what `csv-bad-rows.test.ts` is about.
 */

async function stopOf(path: string, options: ReadOptions = {}): Promise<StopError> {
  const survey = csv.open(new InputFile(path), options).then((sheet) => sheet.survey());
  const error: unknown = await survey.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StopError)) throw new Error(`expected a stop, got ${String(error)}`);
  return error;
}

/** Header, a row with a line end in quotes, a blank line: what follows is row 4 on line 5. */
const ABOVE = 'a,b\r\n"1\r\n1",2\r\n\r\n';

describe('damage is named by row and line', () => {
  const damages: [what: string, content: string | Buffer, message: string][] = [
    ['a row with too few cells', `${ABOVE}1\r\n`, 'row 4, line 5: 1 cell, but the header has 2 columns.'],
    ['a row with too many', `${ABOVE}1,2,3\r\n`, 'row 4, line 5: 3 cells, but the header has 2 columns.'],
    [
      'a quote that is never closed',
      `${ABOVE}1,2\r\n3,"4\r\n5,6\r\n`,
      'row 5, line 6: a quote opens here and is not closed before the file ends.',
    ],
    [
      'a quote in the first cell, never closed',
      `${ABOVE}\r\n\r\n"4\r\n5,6\r\n`,
      'row 6, line 7: a quote opens here and is not closed before the file ends.',
    ],
    [
      'text after a closing quote',
      `${ABOVE}"1\r\n1","2\r\n2"x\r\n`,
      'row 4, line 6: a cell in quotes begins here and continues after its closing quote.',
    ],
    [
      'a quote inside a cell',
      `${ABOVE}1,2"x\r\n`,
      'row 4, line 5: a quote is inside a cell that does not begin with one.',
    ],
    ['a zero byte', `${ABOVE}1,"2\r\n\0"\r\n`, 'line 6: a zero byte, which text cannot have.'],
    [
      'a row of more than a megabyte',
      `${ABOVE}1,2\r\n3,"${'4'.repeat(1024 * 1024 + 10)}"\r\n`,
      'row 5, line 6: the row is longer than 1048576 bytes, the most that one row may have.',
    ],
    [
      'a row of blank cells that is a little too long',
      `${ABOVE}${','.repeat(1024 * 1024 + 1)}\r\n`,
      'row 4, line 5: the row is longer than 1048576 bytes, the most that one row may have.',
    ],
    [
      'a byte-order mark before a quote, where a file was put to the end of another',
      `${ABOVE}\uFEFF"a","b"\r\n`,
      "row 4, line 5: blanks or a byte-order mark come before a cell's opening quote.",
    ],
    [
      'blanks before a quote',
      `${ABOVE}1, "2"\r\n`,
      "row 4, line 5: blanks or a byte-order mark come before a cell's opening quote.",
    ],
  ];

  const endless: typeof damages = [
    [
      'blank lines without end',
      Buffer.concat([Buffer.from(ABOVE), Buffer.alloc(9 * 1024 * 1024, '\n')]),
      'after row 2, line 3: more than 8388608 bytes of blank lines.',
    ],
    [
      'a row of blank cells without end, below blank lines',
      Buffer.concat([Buffer.from(`${ABOVE}\r\n`), Buffer.alloc(9 * 1024 * 1024, ',')]),
      'row 5, line 6: the row is longer than 1048576 bytes, the most that one row may have.',
    ],
  ];

  async function expectNamed(content: string | Buffer, message: string): Promise<void> {
    const write = await inputFolder();
    const path = await write(content);
    const error = await stopOf(path, { strict: true });
    expect(error.message.startsWith(`${path}, `)).toBe(true);
    expect(error.message.slice(`${path}, `.length)).toBe(message);
    expect(error).toMatchObject({ code: 'input', exitCode: 2 });
    expect(error.next).toMatch(/^[A-Z][^\n]+\.$/);
  }

  test.each(damages)('%s', (_what, content, message) => expectNamed(content, message));

  proof.each(endless)('%s', (_what, content, message) => expectNamed(content, message));
});

test('a row of exactly a megabyte is read', async () => {
  const write = await inputFolder();
  const survey = await (
    await csv.open(new InputFile(await write(`a\n${'x'.repeat(1024 * 1024)}\n`)), {})
  ).survey();
  expect(survey.rows).toBe(1);
});

test('damage below the position from which a run resumes is named as exactly', async () => {
  const write = await inputFolder();
  const path = await write(`${ABOVE}1,2\r\n3,"4\r\n`);
  const position = { row: 4, byteOffset: Buffer.byteLength(ABOVE), lines: 4 };
  await expect(rowsOf(await csv.open(new InputFile(path), {}), position)).rejects.toThrow(
    'row 5, line 6: a quote opens here',
  );
});

describe('a header that cannot be addressed by name is refused', () => {
  test.each([
    ['a,b,a\n', 'columns 1 and 3 have the same name, "a".'],
    ['b,a,a,a\n', 'columns 2, 3 and 4 have the same name, "a".'],
    ['""\n1\n', 'column 1 has no name.'],
    [', \n1,2\n', 'columns 1 and 2 have no name.'],
    ['a,"",c\n1, ,3\n1,2,3\n', 'row 3, line 3: column 2 has no name in the header, but a filled cell here.'],
    ['__proto__,__proto__\n', 'columns 1 and 2 have the same name, "__proto__".'],
  ])('%j', async (content, message) => {
    const write = await inputFolder();
    expect((await stopOf(await write(content))).message).toContain(message);
  });
});

test('bytes that are not UTF-8 are named by line, where UTF-8 was asked for', async () => {
  const write = await inputFolder();
  const content = [Buffer.from(`${ABOVE}"e\r\nx`), Buffer.from('é', 'latin1'), Buffer.from('",2\r\n')];
  const path = await write(Buffer.concat(content));
  expect((await stopOf(path, { encoding: 'utf-8' })).message).toBe(`${path}, row 4, line 6: not UTF-8 text.`);
});

// The superuser may read everything, so there is nothing to see for it.
test.skipIf(process.getuid?.() === 0)('a file that may not be read is said to be so', async () => {
  const write = await inputFolder();
  const path = await write('a\n');
  await chmod(path, 0);
  expect((await stopOf(path)).message).toBe(`${path} cannot be read by this user.`);
});
