import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import type { Format, ReadOptions } from '../../../src/core/format.ts';
import { rowRangeText } from '../../../src/core/row.ts';
import csv from '../../../src/files/formats/csv.ts';
import jsonl from '../../../src/files/formats/jsonl.ts';
import { InputFile } from '../../../src/files/input.ts';
import { UnnamedFile } from '../../../src/lib/unnamed-file.ts';
import { corpus } from '../matrix/corpus.ts';
import { markedCopy, requireSameBytes } from '../matrix/promises.ts';
import csvSample from './samples/csv.ts';
import jsonlSample from './samples/jsonl.ts';
import { CutFile, inputFolder, rowsOf } from './sheets.ts';

/**
 * Goal: wherever reads of the disk cut a list, it is the same list, and what is written without our cells is her bytes.
 * Method: every list of `fixtures/files` and `samples/`, in pieces of 1, 3 and 4,096 bytes, beside the file read at once;
 * and read again from what its first reading has kept.
 */

const SIZES = [1, 3, 4096];

const TABLE = [['Name', 'Note'], ['Zoë “X”', 'two\nlines, "quoted"'], [], ['𝄞', '']];

interface List {
  readonly name: string;
  readonly bytes: () => Promise<Buffer>;
  readonly format: Format;
  readonly read?: ReadOptions;
}

const lists: readonly List[] = [
  ...(await corpus())
    .filter(({ name }) => csv.extensions.some((ending) => name.endsWith(ending)))
    .map(({ name, path, read = {} }) => ({ name, bytes: () => readFile(path), format: csv, read })),
  { name: 'sample.csv', bytes: () => csvSample.write(TABLE), format: csv },
  { name: 'sample.jsonl', bytes: () => jsonlSample.write(TABLE), format: jsonl },
];

/** All that is made of a file, or why it is refused. */
async function outcomeOf({ format, read = {} }: List, file: InputFile) {
  try {
    const sheet = await format.open(file, read);
    const headerRow = rowRangeText(sheet.start.header);
    return {
      headerRow,
      survey: await sheet.survey(),
      rows: await rowsOf(sheet),
      copy: await markedCopy(sheet),
    };
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    return { refused: error.message };
  }
}

test.each(lists)('$name', async (list) => {
  const write = await inputFolder();
  const bytes = await list.bytes();
  const path = await write(bytes, basename(list.name));
  const whole = await outcomeOf(list, new InputFile(path));
  for (const size of SIZES)
    expect(await outcomeOf(list, new CutFile(path, size)), `in pieces of ${size}`).toEqual(whole);
  for (const file of [new InputFile(path), new CutFile(path, 4096)]) {
    await using kept = new UnnamedFile(dirname(path));
    const read = { ...list.read, scratch: () => kept.open() };
    expect(await outcomeOf({ ...list, read }, file), 'of what the first reading kept').toEqual(whole);
  }
  // Padding puts blank cells before ours.
  if (list.read?.ragged === 'pad' || !('copy' in whole)) return;
  // The copy of a list without a header begins with one line of names.
  const own = whole.headerRow === '0' ? whole.copy.subarray(whole.copy.indexOf('\n') + 1) : whole.copy;
  if (list.format === csv) requireSameBytes(own, bytes);
  else expect(whole.copy.toString().replace(/,"~0~":"~\d+~"/g, '')).toBe(bytes.toString());
});
