import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ReadOptions } from '../../../src/core/format.ts';
import type { Delimiter } from '../../../src/core/reading.ts';

/**
 * The hand-made files under `fixtures/files`, each with what must become of it. A folder's `expected.json` says so for
 * every file beside it: the names and cells that are read, or words of the refusal.
 */

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'files');

/** What a file is there to show, and how it is to be read; left out: as it looks. */
interface Told {
  readonly about: string;
  readonly read?: ReadOptions;
}

export interface ReadableFile extends Told {
  readonly delimiter?: Delimiter;
  readonly header: readonly string[];
  /** Each begins with the row's number. */
  readonly rows: readonly (readonly [row: number, ...cells: string[]])[];
}

export interface RefusedFile extends Told {
  /** Stands in the message or in what to do next. */
  readonly refused: string;
}

/** A file of the corpus; `name` is its path below `fixtures/files`. */
export type CorpusFile = { readonly name: string; readonly path: string } & (ReadableFile | RefusedFile);

/** Every file of the corpus, in name order. @throws when a file is not expected, or an expected one is missing. */
export async function corpus(): Promise<readonly CorpusFile[]> {
  const entries = await readdir(FOLDER, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return (await Promise.all(folders.sort().map(filesIn))).flat();
}

async function filesIn(folder: string): Promise<readonly CorpusFile[]> {
  const index: Record<string, ReadableFile | RefusedFile> = JSON.parse(
    await readFile(join(FOLDER, folder, 'expected.json'), 'utf8'),
  );
  const there = (await readdir(join(FOLDER, folder))).filter((name) => name !== 'expected.json').sort();
  const expected = Object.keys(index).sort();
  if (there.join() !== expected.join()) {
    const strays = there.filter((name) => !expected.includes(name));
    const missing = expected.filter((name) => !there.includes(name));
    throw new Error(`fixtures/files/${folder}: not in expected.json: ${strays}; not there: ${missing}`);
  }
  return Object.entries(index).map(([file, told]) => {
    return { name: `${folder}/${basename(file)}`, path: join(FOLDER, folder, file), ...told };
  });
}

/** Strings that programs stumble over, by what they are. */
export async function naughtyStrings(): Promise<Readonly<Record<string, readonly string[]>>> {
  return JSON.parse(await readFile(join(FOLDER, 'naughty-strings.json'), 'utf8'));
}
