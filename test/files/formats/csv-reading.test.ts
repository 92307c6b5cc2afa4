import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InputRow } from '../../../src/core/row.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { bytesOf, type WrittenCsv, writtenCsv } from './csv-arbitrary.ts';
import { eachRow, inputFolder, rowsOf } from './sheets.ts';

/**
 * Goal: what is read is what the file says, row by row, whoever wrote it and however.
 * Method: files are built from pieces of known meaning and written to disk; the reader must find the same pieces.
 */

/** Said, and not left to a guess: cells of any text may well look more like a table of semicolons. */
const AS_COMMA = { delimiter: 'comma' } as const;

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
