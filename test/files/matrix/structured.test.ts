import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DELIMITER_NAMES,
  DELIMITERS,
  type Delimiter,
  GUESSED_ENCODINGS,
  type GuessedEncoding,
} from '../../../src/core/format.ts';
import { openFile } from '../../../src/files/input.ts';
import { times } from '../../combinations.ts';
import { bytesIn } from '../formats/csv-files.ts';
import { inputFolder } from '../formats/input-folder.ts';
import { markedCopy, readsOnFrom, readWhole, requireMarked, requireSameBytes } from './promises.ts';

/**
 * Goal: any table that somebody writes as text, in any encoding, with any delimiter, line end and quoting
 * is read as that table and comes back with every byte.
 * Method: fast-check draws tables and ways of writing them; the file is written without any code of ours, read, copied,
 * and read again.
 */

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Way {
  readonly encoding: GuessedEncoding;
  readonly mark: boolean;
  readonly delimiter: Delimiter;
  readonly lineEnd: string;
  readonly quoting: 'needed' | 'all';
  readonly isLastLineOpen: boolean;
}

/** Letters that every encoding has; a zero byte is damage, and "~" stands in the marks of a copy alone. */
const latin = fc.constantFrom(
  '"',
  ',',
  ';',
  '\t',
  '|',
  '\n',
  '\r',
  '\r\n',
  ' ',
  'a',
  'é',
  'ÿ',
  '7',
  '=',
  "'",
  '#',
);
const anywhere = fc.oneof(
  latin,
  fc.constantFrom('€', 'Ā', '𝄞', '\uFEFF', '\u2028', '\u0a0d', '\u2c22', '👩‍👩‍👧'),
);
const cellIn = (unit: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(unit, { maxLength: 6 }).map((parts) => parts.join(''));

function tableIn(unit: fc.Arbitrary<string>): fc.Arbitrary<Table> {
  return fc.integer({ min: 1, max: 5 }).chain((width) =>
    fc.record({
      header: fc.constant(Array.from({ length: width }, (_, column) => `c${column}`)),
      rows: fc.array(fc.array(cellIn(unit), { minLength: width, maxLength: width }), { maxLength: 8 }),
    }),
  );
}

const way: fc.Arbitrary<Way> = fc.record({
  encoding: fc.constantFrom(...GUESSED_ENCODINGS),
  mark: fc.boolean(),
  delimiter: fc.constantFrom(...DELIMITER_NAMES),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  quoting: fc.constantFrom('needed', 'all'),
  isLastLineOpen: fc.boolean(),
});

const drawn = way.chain((written) =>
  tableIn(written.encoding === 'windows-1252' ? latin : anywhere).map((table) => ({ table, written })),
);

function bytesOf({ header, rows }: Table, written: Way): Buffer {
  const lines = [header, ...rows].map((cells) => recordOf(cells, written));
  const text = lines.join(written.lineEnd) + (written.isLastLineOpen ? '' : written.lineEnd);
  return encoded(text, written);
}

function recordOf(cells: readonly string[], { delimiter, quoting }: Way): string {
  const part = DELIMITERS[delimiter];
  const needsQuotes = (cell: string): boolean =>
    quoting === 'all' || /["\r\n]/.test(cell) || cell.includes(part) || (cells.length === 1 && cell === '');
  return cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(part);
}

/** Windows-1252 has no mark. */
function encoded(text: string, { encoding, mark }: Way): Buffer {
  return bytesIn(encoding, mark && encoding !== 'windows-1252' ? `\uFEFF${text}` : text);
}

test('any table is read as it was written, and copied to the byte, when it is said how it was written', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(drawn, fc.nat(), async ({ table, written }, choice) => {
      const bytes = bytesOf(table, written);
      const { encoding, delimiter } = written;
      const { sheet } = await openFile(await write(bytes, 'table.csv'), { encoding, delimiter });
      const reading = await readWhole(sheet);
      expect(reading.survey.header).toEqual(table.header);
      expect(reading.rows.map(({ cells }) => cells)).toEqual(table.rows);
      await readsOnFrom(sheet, reading, choice % (table.rows.length + 1));
      const copy = await markedCopy(sheet);
      requireSameBytes(copy, bytes);
      const reopened = await openFile(await write(copy, 'copy.csv'), { encoding, delimiter });
      requireMarked(await readWhole(reopened.sheet), reading);
    }),
    { numRuns: times(20, 100) },
  );
});

/** What lists are made of, so that what parts their cells is no riddle. */
const plainTable: fc.Arbitrary<Table> = fc
  .array(fc.tuple(fc.nat(), fc.constantFrom('Otter & Co', 'Café', 'O’Neil', 'x', '')), {
    minLength: 2,
    maxLength: 9,
  })
  .map((rows) => ({ header: ['ABN', 'Name'], rows: rows.map(([n, name]) => [String(n), name]) }));

test('a list with two columns is read by itself: nobody has to say its encoding or its delimiter', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(plainTable, way, async ({ header, rows }, written) => {
      // Without a mark, UTF-16 is no text that could be told from others for sure, and ’ is not in Latin 1.
      const isMarked = { ...written, mark: true };
      const plain =
        written.encoding === 'windows-1252'
          ? rows.map((cells) => cells.map((cell) => cell.replace('’', 'é')))
          : rows;
      const bytes = bytesOf({ header, rows: plain }, isMarked);
      const { sheet } = await openFile(await write(bytes, 'list.txt'));
      const reading = await readWhole(sheet);
      expect(reading.survey.delimiter).toBe(written.delimiter);
      expect([reading.survey.header, ...reading.rows.map(({ cells }) => cells)]).toEqual([header, ...plain]);
    }),
    { numRuns: times(10, 40) },
  );
});
