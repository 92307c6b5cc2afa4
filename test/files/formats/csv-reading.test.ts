import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position, PositionedRow } from '../../../src/core/format.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { proof } from '../../combinations.ts';
import { bytesOf, type WrittenCsv, writtenCsv } from './csv-arbitrary.ts';
import { eachRow, inputFolder, rowsOf } from './sheets.ts';

/**
 * Goal: what is read is what the file says, row by row, whoever wrote it and however.
 * Method: files are built from pieces of known meaning and written to disk; the reader must find the same pieces.
 */

/** Said, and not left to a guess: cells of any text may well look more like a table of semicolons. */
const AS_COMMA = { delimiter: 'comma' } as const;

async function readAll(path: string, from?: Position): Promise<PositionedRow[]> {
  return rowsOf(await csv.open(new InputFile(path), AS_COMMA), from);
}

/** The rows of a file by its pieces alone. */
function expectedRows({ mark, pieces }: WrittenCsv): PositionedRow[] {
  let byteOffset = Buffer.byteLength(mark);
  let lines = 0;
  const found: PositionedRow[] = [];
  for (const [index, { kind, text, lineEnd, cells }] of pieces.entries()) {
    const row = index + 1;
    if (kind === 'row') found.push({ row, cells, position: { row, byteOffset, lines } });
    byteOffset += Buffer.byteLength(text + lineEnd);
    lines += `${text}${lineEnd}`.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return found;
}

test('any CSV file gives its cells, and each row knows its number, its line and its first byte', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(writtenCsv, async (file) => {
      const bytes = bytesOf(file);
      const path = await write(bytes);
      const rows = expectedRows(file);
      expect(await readAll(path)).toEqual(rows);
      expect(await (await csv.open(new InputFile(path), AS_COMMA)).survey()).toEqual({
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

test('reading from the position of any row gives that row and all below it, unchanged', async () => {
  const write = await inputFolder();
  await fc.assert(
    fc.asyncProperty(writtenCsv, fc.nat(), async (file, choice) => {
      const path = await write(bytesOf(file));
      const rows = expectedRows(file);
      fc.pre(rows.length > 0);
      const index = choice % rows.length;
      expect(await readAll(path, rows[index]?.position)).toEqual(rows.slice(index));
    }),
  );
});

/** Is read in pieces of so many bytes. */
class CutFile extends InputFile {
  readonly #size: number;

  constructor(path: string, size: number) {
    super(path);
    this.#size = size;
  }

  override async *chunks(startByte?: number): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of super.chunks(startByte)) {
      for (let at = 0; at < chunk.length; at += this.#size) yield chunk.subarray(at, at + this.#size);
    }
  }
}

proof(
  'any CSV file reads the same in pieces of any size, also where its line ends become others on the way',
  async () => {
    const write = await inputFolder();
    await fc.assert(
      fc.asyncProperty(writtenCsv, fc.integer({ min: 1, max: 40 }), async (file, size) => {
        const path = await write(bytesOf(file));
        const sheet = await csv.open(new CutFile(path, size), AS_COMMA);
        expect(await rowsOf(sheet)).toEqual(expectedRows(file));
      }),
    );
  },
);

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
