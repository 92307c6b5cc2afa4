import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PositionedRow, Sheet } from '../../../src/core/format.ts';
import { bodyOf } from '../../../src/files/formats/csv/raw-record.ts';
import { strayQuoteIn } from '../../../src/files/formats/csv/record-faults.ts';
import { type Found, RecordParser } from '../../../src/files/formats/csv/record-parser.ts';
import { splitPlainly } from '../../../src/files/formats/csv/split.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { proof } from '../../combinations.ts';
import { copied, eachRow, inputFolder, rowsOf } from './sheets.ts';

/**
 * Goal: csv-parse reads a list once, and whoever reads it again gets the same rows without it; no row of another text is ever
 * taken for one of the list.
 * Method: odd texts are split by hand and parsed. Long lists are read before and after their
 * survey.
 */

/** Most of them plain, so that both ways out are taken often. */
const oddText = fc
  .array(
    fc.constantFrom(
      ...['a', 'bc', ',', ',', '\n', '\n', '\r\n', '"x"', '"x,y"', '"a\nb"', '"a\r\nb"', '"say ""x"""', '""'],
      ...['é', '𝄞', ' ', '"', '\r', '\uFEFF', '\0', '\x1a', "'", ';', '='],
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

/** What is said of a text, whoever splits it: of lines only whether a cell has some of its own. */
const said = ({ cells, bytes, lines }: Found): unknown => ({
  cells,
  bytes,
  isOneLine: lines.map((count) => count < 2),
});

async function parsed(text: Buffer): Promise<Found> {
  const parser = new RecordParser({ delimiter: ',', isFileStart: true });
  const found = await parser.parse(text);
  if (found.fault !== undefined) return found;
  const last = await parser.finish();
  const both = <Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] => [...one, ...other];
  return {
    cells: both(found.cells, last.cells),
    bytes: both(found.bytes, last.bytes),
    lines: both(found.lines, last.lines),
    fault: last.fault,
  };
}

const COMMA = 0x2c;

/** The records without their line ends. */
function recordsOf(text: Buffer, { bytes }: Found): readonly Buffer[] {
  let end = 0;
  return bytes.map((length) => {
    end += length;
    return bodyOf(text.subarray(end - length, end), end);
  });
}

describe('a text that is split by hand', () => {
  test('has the records that csv-parse finds in it, or is refused', async () => {
    let accepted = 0;
    const runs = 3000;
    await fc.assert(
      fc.asyncProperty(oddText, async (text) => {
        const found = splitPlainly(Buffer.from(text), ',');
        if (found === undefined) return;
        accepted += 1;
        const byParser = await parsed(Buffer.from(text));
        expect(byParser.fault).toBeUndefined();
        expect(said(found)).toEqual(said(byParser));
        // Its records are not searched for quotes again.
        expect(recordsOf(Buffer.from(text), found).filter((record) => strayQuoteIn(record, COMMA))).toEqual(
          [],
        );
      }),
      { numRuns: runs },
    );
    expect(accepted).toBeGreaterThan(runs / 10);
  });

  test.each([
    ['"a"\n', true],
    ['"a"""\n', true],
    ['""\n', true],
    ['a,"b\n', false],
    ['"a""\n', false],
    ['a,"\n', false],
  ])('is searched once and not once a line: %j, a hundred thousand times over', (line, isPlain) => {
    const found = splitPlainly(Buffer.from(line.repeat(100_000)), ';');
    expect(found !== undefined).toBe(isPlain);
  });
});

/** Some pieces of text, with what no splitter understands in some of them, and letters that a read of the file cuts in two. */
const LONG_LIST = [
  'ABN,Name,Remark\n',
  ...Array.from(
    { length: 6_000 },
    (_, at) => `${at},Café ${at}${'é€𝄞'.repeat(at % 7)},"in ""quotes"", ${at}"\n`,
  ),
  'odd,a "quote,inside\n\n\nbelow,blank,lines\r',
  ...Array.from({ length: 6_000 }, (_, at) => `${at},"two\r\nlines",${'x'.repeat(at % 90)}\r\n`),
  'last,one,open',
].join('');

/** Hands over other bytes than it has, and no stamp tells. */
class SwappedFile extends InputFile {
  swapped: string | undefined;

  override async *chunks(startByte = 0): AsyncGenerator<Buffer, void, undefined> {
    if (this.swapped === undefined) yield* super.chunks(startByte);
    else yield Buffer.from(this.swapped).subarray(startByte);
  }
}

/** As an earlier run has read it, so that nothing looks through it before its survey. */
async function openList(text: string): Promise<Sheet> {
  const write = await inputFolder();
  return csv.open(new InputFile(await write(text)), { delimiter: 'comma', asBefore: {} });
}

const copyOf = async (sheet: Sheet): Promise<string> =>
  (await copied(sheet, ['ours'], ({ row }) => [`<${row}>`])).toString();

/** Ten thousand rows, compared in a blink. */
function requireSame(rows: readonly PositionedRow[], expected: readonly PositionedRow[]): void {
  expect(rows).toHaveLength(expected.length);
  const other = rows.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(expected[at]));
  expect(rows[other]).toEqual(expected[other]);
}

describe('a list that was surveyed', () => {
  proof('has the rows, the places and the copy that it had before', async () => {
    const sheet = await openList(LONG_LIST);
    const before = { rows: await rowsOf(sheet), copy: await copyOf(sheet) };
    expect(before.rows).toHaveLength(12_003);
    await sheet.survey();
    requireSame(await rowsOf(sheet), before.rows);
    expect((await copyOf(sheet)) === before.copy).toBe(true);
    for (const at of [0, 4_999, 6_001, 12_002]) {
      const { position } = before.rows[at] as PositionedRow;
      requireSame(await rowsOf(sheet, position), before.rows.slice(at));
    }
  });

  test('is known by digests that are kept for years: what alters them needs another word for the parser', async () => {
    const sheet = await openList('\n\nABN,"Na""me"\r\n1,a "quote" inside\r\n"é\n€",\r2,"b"\n');
    await sheet.survey();
    expect(sheet.digests).toEqual({
      reading: 'csv-parse 7.0.3 utf-8 comma 1 0',
      pieces: [{ start: { row: 1, byteOffset: 0, lines: 0 }, digest: '2189e20c4ec151cdc811a92d2d20c352' }],
    });
  });

  test.each<[what: string, altered: (lines: string[]) => string[]]>([
    ['a cell', (lines) => lines.with(9_000, 'other,cell,here')],
    ['where a cell ends', (lines) => lines.with(9_000, (lines[9_000] ?? '').replace('a,', ',a'))],
    ['a quote, so that it is not plain any more', (lines) => lines.with(9_000, '1,a "b",c')],
    ['two rows that changed places', (lines) => [...lines.slice(0, -2), 'c,d,e', 'a,b,c']],
    ['a row more', (lines) => [...lines, 'one,more,row']],
    ['a row less', (lines) => lines.slice(0, -1)],
    ['half of the rows', (lines) => lines.slice(0, lines.length >> 1)],
    ['no row at all', () => []],
  ])(
    'gives no row of a piece that has other text, although its file says it is the same: %s',
    async (_what, altered) => {
      const lines = ['a,b,c', ...Array.from({ length: 18_000 }, (_, at) => `${at},a,"b"`), 'a,b,c', 'c,d,e'];
      const write = await inputFolder();
      const file = new SwappedFile(await write(lines.join('\n')));
      const sheet = await csv.open(file, { delimiter: 'comma', asBefore: {} });
      const known = await rowsOf(sheet);
      await sheet.survey();
      file.swapped = altered(lines).join('\n');
      const found: PositionedRow[] = [];
      const reading = async (): Promise<void> => {
        for await (const row of eachRow(sheet)) found.push(row);
      };
      await expect(reading()).rejects.toMatchObject({
        code: 'input',
        message: expect.stringContaining('changed during the run'),
      });
      requireSame(found, known.slice(0, found.length));
    },
  );
});
