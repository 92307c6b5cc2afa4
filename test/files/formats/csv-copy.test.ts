import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputRow } from '../../../src/core/row.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import {
  bytesOf,
  cellText,
  quoted,
  type WrittenCsv,
  written as writtenCell,
  writtenCsv,
} from './csv-arbitrary.ts';
import { allOf, type CellsOfRow, eachRow, inputFolder, rowByRow, rowsOf } from './sheets.ts';

/**
 * Goal: what is read is what the file says, row by row, and an output is the input, byte for byte, with our cells appended,
 * and nothing else. Where the header has all its cells in quotes, ours have quotes as well.
 * Method: files are built from pieces of known meaning; the rows and the copy are predicted without a parser. The copy is compared
 * as bytes, and then read and copied again, as an earlier output is.
 */

const none: ReadonlySet<string> = new Set();

/** Said, and not left to a guess: cells of any text may well look more like a table of semicolons. */
const AS_COMMA = { delimiter: 'comma' } as const;

async function copied(
  path: string,
  columns: readonly string[],
  cellsFor: CellsOfRow,
  dropped = none,
): Promise<Buffer> {
  return Buffer.concat(
    await allOf(
      (await csv.open(new InputFile(path), AS_COMMA)).copy({ columns, dropped }, rowByRow(cellsFor)),
    ),
  );
}

/** One or more columns to append, and cells for them by row. */
const additions = fc
  .uniqueArray(fc.constantFrom('industry', '_status', '_reason', 'a "quoted", name'), { minLength: 1 })
  .chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      cells: fc.array(fc.array(cellText, { minLength: columns.length, maxLength: columns.length }), {
        minLength: 1,
      }),
    }),
  );

type Additions = typeof additions extends fc.Arbitrary<infer Value> ? Value : never;

const cellsOfRow = ({ cells }: Additions, row: number): readonly string[] => cells[row % cells.length] ?? [];

/** The copy, by the pieces alone. */
function expectedCopy(file: WrittenCsv, added: Additions): Buffer {
  const rows = new Map(file.pieces.map((piece, index) => [piece, index + 1]));
  const header = file.pieces.find(({ kind }) => kind === 'header')?.text ?? '';
  const isQuoted = file.header.map(quoted).join(',') === header;
  const written = isQuoted ? quoted : writtenCell;
  const list = (cells: readonly string[]): string => cells.map((cell) => `,${written(cell)}`).join('');
  return bytesOf(file, (piece) => {
    if (piece.kind === 'blank') return '';
    if (piece.kind === 'left_out') return list(added.columns.map(() => ''));
    return list(piece.kind === 'header' ? added.columns : cellsOfRow(added, rows.get(piece) ?? 0));
  });
}

test('any CSV file comes back byte for byte, with our cells before each line end and nowhere else', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(writtenCsv, additions, async (file, added) => {
      const path = await write(bytesOf(file));
      const copy = await copied(path, added.columns, async ({ row }) => cellsOfRow(added, row));
      expect(copy.toString()).toBe(expectedCopy(file, added).toString());
      expect(copy.equals(expectedCopy(file, added))).toBe(true);
    }),
  );
});

test('an earlier output, its added columns dropped and added again, is the same file', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(writtenCsv, additions, async (file, added) => {
      const cellsFor: CellsOfRow = async ({ row }) => cellsOfRow(added, row);
      const first = await copied(await write(bytesOf(file)), added.columns, cellsFor);
      const second = await copied(
        await write(first, 'output.csv'),
        added.columns,
        cellsFor,
        new Set(added.columns),
      );
      expect(second.equals(first)).toBe(true);
    }),
  );
});

describe('columns that are dropped', () => {
  test.each([
    ['the first, behind a byte-order mark', ['a'], '\uFEFFb,"c, d",n\n"2","3 ""x""",+\n'],
    ['one in the middle', ['b'], '\uFEFF"a","c, d",n\n1,"3 ""x""",+\n'],
    ['the last, quoted', ['c, d'], '\uFEFF"a",b,n\n1,"2",+\n'],
    ['several', ['a', 'c, d'], '\uFEFFb,n\n"2",+\n'],
    ['all', ['a', 'b', 'c, d'], '\uFEFFn\n+\n'],
    ['none that the file has', ['z'], '\uFEFF"a",b,"c, d",n\n1,"2","3 ""x""",+\n'],
  ])('%s', async (_which, dropped, expected) => {
    const write = await inputFolder();
    const path = await write('\uFEFF"a",b,"c, d"\n1,"2","3 ""x"""\n');
    expect((await copied(path, ['n'], async () => ['+'], new Set(dropped))).toString()).toBe(expected);
  });
});

test('a zero byte in an answer does not make the output unreadable', async () => {
  const write = await inputFolder();
  const path = await write('a\n1\n');
  const output = await write(await copied(path, ['n', 'm'], async () => ['x\0y', '\0']), 'output.csv');
  const [row] = await rowsOf(await csv.open(new InputFile(output), AS_COMMA));
  expect(row?.cells).toEqual(['1', 'x\uFFFDy', '\uFFFD']);
});

/** The rows of a file by its pieces alone. */
function expectedRows({ pieces }: WrittenCsv): InputRow[] {
  return pieces.flatMap(({ kind, cells }, index) => (kind === 'row' ? [{ row: index + 1, cells }] : []));
}

test('any CSV file gives its cells, and each row knows its number', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(writtenCsv, async (file) => {
      const bytes = bytesOf(file);
      const path = await write(bytes);
      const rows = expectedRows(file);
      const sheet = await csv.open(new InputFile(path), AS_COMMA);
      expect(await rowsOf(sheet)).toEqual(rows);
      expect(await sheet.survey()).toEqual({
        sha256: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length,
        encoding: file.mark === '' ? 'UTF-8' : 'UTF-8 with byte-order mark',
        delimiter: 'comma',
        header: file.header,
        rows: rows.length,
      });
    }),
  );
});

test.runIf(process.platform === 'linux')(
  'whoever stops reading early leaves no open file behind',
  async () => {
    const write = await inputFolder();
    const path = await write(`a\n${'x\n'.repeat(200_000)}`);
    await (await csv.open(new InputFile(path), {})).header();
    for await (const row of eachRow(await csv.open(new InputFile(path), {}))) if (row.row === 3) break;
    // Closing goes through the thread pool and may end a little after the loop; it must end.
    await expect.poll(() => openFiles(path)).toBe(0);
  },
);

async function openFiles(path: string): Promise<number> {
  const links = await readdir('/proc/self/fd');
  const targets = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')));
  return targets.filter((target) => target === path).length;
}
