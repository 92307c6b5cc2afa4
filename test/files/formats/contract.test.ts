import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import { loadFamily } from '../../../src/core/families.ts';
import type { Format, Sheet } from '../../../src/core/format.ts';
import { InputFile } from '../../../src/files/input.ts';
import { endingOf } from '../../../src/lib/file-name.ts';
import type { SampleWriter } from './sample-writer.ts';
import { allOf, inputFolder, rowByRow, rowsOf } from './sheets.ts';

/**
 * Goal: whatever format a list comes in, its rows are the same rows, and come back with our cells; so nothing above a
 * format need know which it is.
 * Method: every format of the folder reads the same table, written for it by `samples/`; what it must find is the table
 * itself.
 */

const formats = await loadFamily<Format>(new URL('../../../src/files/formats/', import.meta.url));
const samples = await loadFamily<SampleWriter>(new URL('./samples/', import.meta.url));

const HEADER = ['ABN', 'Name', '__proto__', 'Notes'];

/** Rows as people have them, and what programs stumble over. The blank one has a number and is no row. */
const RECORDS: readonly (readonly string[])[] = [
  ['51824753556', 'Zoë “X” Müller', 'constructor', 'two\nlines'],
  ['00800000000', 'Acme, "Pty" Ltd', '', '=1+1'],
  [],
  ['', '字 𝄞', '1.50', 'TRUE'],
  ['+61 2 9999 0000', "O'Hara; a|b\tc", '1e5', '2024-01-02'],
];
/** @param first the number of the first row: 2 where a header stands above it. */
const rowsFrom = (first: number) =>
  RECORDS.flatMap((cells, index) => (cells.length === 0 ? [] : [{ row: index + first, cells }]));

const none: ReadonlySet<string> = new Set();

test('every format has a sample, and no two claim the same ending', () => {
  expect([...samples.keys()]).toEqual([...formats.keys()]);
  const endings = [...formats.values()].flatMap(({ extensions }) => extensions);
  expect(new Set(endings).size).toBe(endings.length);
  // An ending that the name of a file cannot have would never be found.
  for (const ending of endings) expect(endingOf(`list${ending}`)).toBe(ending);
});

function formatOf({ name }: SampleWriter): Format {
  const format = formats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}

describe.each([...samples.values()])('$name', (sample) => {
  const format = formatOf(sample);
  const hasHeader = sample.isHeaderless !== true;
  const first = hasHeader ? 2 : 1;
  const ROWS = rowsFrom(first);

  async function opened(
    records: readonly (readonly string[])[] = [HEADER, ...RECORDS],
  ): Promise<Sheet & { bytes: Buffer }> {
    const write = await inputFolder();
    const bytes = await sample.write(records);
    return { ...(await format.open(new InputFile(await write(bytes, `list${sample.ending}`)), {})), bytes };
  }

  async function reopened(bytes: Buffer): Promise<Sheet> {
    const write = await inputFolder();
    return format.open(new InputFile(await write(bytes, `copy${sample.ending}`)), {});
  }

  async function copied(sheet: Sheet, columns: readonly string[], dropped = none): Promise<Buffer> {
    const cells = sheet.copy(
      { columns, dropped },
      rowByRow(({ row }) => columns.map((name) => `${name} ${row}`)),
    );
    return Buffer.concat(await allOf(cells));
  }

  test('the format finds header and rows, with the numbers that a spreadsheet shows', async () => {
    const sheet = await opened();
    expect(await sheet.header()).toEqual(HEADER);
    const rows = await rowsOf(sheet);
    expect(rows.map(({ row, cells }) => ({ row, cells }))).toEqual(ROWS);
    expect((await allOf(sheet.groups())).flat()).toEqual(rows);
  });

  test('the format surveys the whole file once: its hash, its rows, each told to whoever listens', async () => {
    const sheet = await opened();
    const heard: unknown[] = [];
    const survey = await sheet.survey((row) => heard.push(row));
    expect(survey).toMatchObject({
      sha256: createHash('sha256').update(sheet.bytes).digest('hex'),
      header: HEADER,
      rows: ROWS.length,
    });
    expect(sheet.encoding).not.toBe('');
    expect(heard).toEqual(ROWS);
  });

  test('the format copies every row with our cells behind it, blank ones in their places', async () => {
    const copy = await reopened(await copied(await opened(), ['_status', '_reason']));
    expect(await copy.header()).toEqual([...HEADER, '_status', '_reason']);
    const rows = (await rowsOf(copy)).map(({ row, cells }) => ({ row, cells }));
    expect(rows).toEqual(
      ROWS.map(({ row, cells }) => ({ row, cells: [...cells, `_status ${row}`, `_reason ${row}`] })),
    );
  });

  test('the format replaces what an earlier copy added, as if it had not been', async () => {
    const first = await copied(await opened(), ['_status']);
    const second = await copied(await reopened(first), ['_status'], new Set(['_status']));
    expect(await rowsOf(await reopened(second))).toEqual(await rowsOf(await reopened(first)));
  });

  test('the format leaves out rows without cells', async () => {
    const sheet = await opened();
    const copy = sheet.copy(
      { columns: ['_row'], dropped: none, isPart: true },
      rowByRow(({ row }) => (row === first + 1 ? [`${row}`] : undefined)),
    );
    const read = await reopened(Buffer.concat(await allOf(copy)));
    expect((await rowsOf(read)).map(({ cells }) => cells)).toEqual([[...(RECORDS[1] ?? []), `${first + 1}`]]);
  });

  test('the format writes two copies of one state alike to the byte', async () => {
    const sheet = await opened();
    expect((await copied(sheet, ['n'])).equals(await copied(sheet, ['n']))).toBe(true);
  });

  test.runIf(hasHeader)('the format reads a header without rows', async () => {
    const sheet = await opened([HEADER]);
    expect(await sheet.survey()).toMatchObject({ header: HEADER, rows: 0 });
    expect(await rowsOf(sheet)).toEqual([]);
    expect(await (await reopened(await copied(sheet, ['n']))).header()).toEqual([...HEADER, 'n']);
  });

  test.each<[string, () => Promise<Buffer>, RegExp]>([
    ['without a header', () => sample.write([]), /empty/],
    [
      'with two columns of one name of ours, or none',
      () => sample.write([['_status', 'b', '_status']]),
      hasHeader ? /columns 1 and 3 have the same name, "_status"/ : /empty/,
    ],
    [
      'that is cut in half',
      async () =>
        (await sample.write([HEADER, ['"1', '2', '3', '4'], ...(hasHeader ? [['"']] : [])])).subarray(0, -3),
      /./,
    ],
  ])('the format refuses a file %s, in two sentences', async (_what, content, message) => {
    const write = await inputFolder();
    const path = await write(await content(), `list${sample.ending}`);
    const error: unknown = await format
      .open(new InputFile(path), {})
      .then((sheet) => sheet.survey())
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StopError);
    expect(error).toMatchObject({ code: 'input', message: expect.stringMatching(message) });
    expect((error as StopError).message).toContain(path);
    expect((error as StopError).next).toMatch(/^[A-Z].*[.?]$/);
  });
});
