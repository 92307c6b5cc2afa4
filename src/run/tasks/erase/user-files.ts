import { realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Erasable, ErasureTarget, Hit, KnownFile } from '../../../ledger/eraser.ts';
import { piecesOf, sha256Of } from '../../../lib/atomic-file.ts';
import { notesIn } from '../../looker-notes.ts';
import { searched } from './searched-files.ts';

/**
 * The files of the user's that we wrote or read, by every path that the store knows. They stay as they are. A person is
 * found in them by their identifier, and may be in others by a name alone: in what was made from their rows.
 */

/** A file of the user's that holds something of what is erased, or may hold it. */
export interface UserFile {
  readonly path: string;
  /**
   * `certainly`: it names the person, or is as it was written or read. `perhaps`: it was changed since and does not name them, or
   * cannot be read whole.
   */
  readonly holds: 'certainly' | 'perhaps';
  /** Its path names the person, so that the store does not know it any more after the erasure. */
  readonly isPathForgotten: boolean;
}

interface FoundFiles {
  readonly files: readonly UserFile[];
  readonly hits: readonly Hit[];
  /** How many paths that are noted outside of the ledger name the person. */
  readonly named: number;
}

/** @param removed files of the store that are removed, of which nobody says that they stay. */
export async function userFiles(
  { files: known, written }: Pick<Erasable, 'files' | 'written'>,
  folder: string,
  { target, removed }: { readonly target: ErasureTarget; readonly removed: readonly string[] },
): Promise<FoundFiles> {
  const gone = new Set(removed.map(realPathOf));
  const person = target.kind === 'person' ? target.person : undefined;
  const noted = notesIn(folder);
  const outside = noted.flatMap(({ path, sha256s, batch }) =>
    (sha256s.length === 0 ? [null] : sha256s).map((sha256) => ({
      path,
      sha256,
      isAffected: batch !== undefined && written.has(batch),
    })),
  );
  const contentsAt = [...Map.groupBy([...known, ...outside], ({ path }) => path)]
    .filter(([path]) => mayBeFile(path) && !gone.has(realPathOf(path)))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const files: UserFile[] = [];
  const hits: Hit[] = [];
  for (const [path, contents] of contentsAt) {
    const { cells, isWhole } = person === undefined ? UNSEARCHED : searched(path, person);
    const isPathForgotten = person?.in(path, 'name') === true;
    const holds = cells.length > 0 || isPathForgotten ? 'certainly' : await holdsOf(path, contents, isWhole);
    if (holds === undefined) continue;
    files.push({ path, holds, isPathForgotten });
    for (const cell of new Set(cells)) hits.push({ place: path, cell });
  }
  return { files, hits, named: noted.filter(({ path }) => person?.in(path, 'name')).length };
}

const UNSEARCHED = { cells: [], isWhole: true } as const;

/** What a file holds that does not name the person. */
async function holdsOf(
  path: string,
  contents: readonly KnownFile[],
  isWhole: boolean,
): Promise<UserFile['holds'] | undefined> {
  if (isWhole && !contents.some(({ isAffected }) => isAffected)) return undefined;
  const sha256 = await hashOf(path);
  const asItWas = contents.filter((content) => content.sha256 === sha256);
  if (asItWas.some(({ isAffected }) => isAffected)) return 'certainly';
  return asItWas.length > 0 && isWhole ? undefined : 'perhaps';
}

/** SHA-256 of a file's bytes, hex; undefined when it cannot be read. */
async function hashOf(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    return await sha256Of(piecesOf(file));
  } catch {
    return undefined;
  }
}

/** Whether there is a file, or something that cannot be looked at, such as in a folder that is closed to us. */
function mayBeFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return true;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
