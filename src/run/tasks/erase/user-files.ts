import { existsSync, realpathSync } from 'node:fs';
import type { Erasable, Person } from '../../../ledger/eraser.ts';
import { notesIn } from '../../looker-notes.ts';

/** A file of the user's that we wrote from what is erased. It stays as it is, and is named. */
export interface UserFile {
  readonly path: string;
  /** Its path names the person, so that the store does not know it any more after the erasure. */
  readonly isPathForgotten: boolean;
}

interface FoundFiles {
  readonly files: readonly UserFile[];
  /** How many paths that are noted outside of the ledger name the person. */
  readonly named: number;
}

/** @param person whom an erasure is about; undefined for one by age. @param removed files of the store that are removed. */
export function userFiles(
  { files: known, written }: Pick<Erasable, 'files' | 'written'>,
  folder: string,
  person: Person | undefined,
  removed: readonly string[],
): FoundFiles {
  const gone = new Set(removed.map(realPathOf));
  const noted = notesIn(folder);
  const affected = [
    ...known.filter(({ isAffected }) => isAffected),
    ...noted.filter(({ batch }) => written.has(batch)),
  ];
  const isForgotten = (path: string): boolean => person?.in(path, 'name') === true;
  const paths = new Set(
    [...affected, ...[...known, ...noted].filter(({ path }) => isForgotten(path))].map(({ path }) => path),
  );
  return {
    files: [...paths]
      .filter((path) => existsSync(path) && !gone.has(realPathOf(path)))
      .sort()
      .map((path) => ({ path, isPathForgotten: isForgotten(path) })),
    named: noted.filter(({ path }) => isForgotten(path)).length,
  };
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
