/** What the files of `src` import of each other, and the rooms that they stand in. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** Paths below `src/`, such as `ledger/stores/sqlite.ts`. */
export const FILES = globSync('**/*.ts', { cwd: SRC }).sort();

export interface Import {
  readonly from: string;
  readonly to: string;
}

const IMPORT_STATEMENT =
  /^(?:import|export) (?:type )?(?:[^'";]*? from )?'(?<path>\.[^']+)'|import\('(?<dynamic>\.[^']+)'\)/gm;

export const IMPORTS: readonly Import[] = FILES.flatMap((from) =>
  [...readFileSync(join(SRC, from), 'utf8').matchAll(IMPORT_STATEMENT)].map(({ groups = {} }) => ({
    from,
    to: normalize(join(dirname(from), groups.path ?? groups.dynamic ?? '')),
  })),
);

export const roomOf = (file: string): string =>
  file.includes('/') ? file.slice(0, file.indexOf('/')) : 'index';

/** From one room into another. */
export const ABROAD = IMPORTS.filter(({ from, to }) => roomOf(from) !== roomOf(to));
