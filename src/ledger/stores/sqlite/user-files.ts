import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { Mentions } from '../../mentions.ts';
import { notesOutside } from '../../noted-outside.ts';
import type { Hit, UserFile } from '../../store.ts';
import type { Connection } from './connection.ts';
import type { Target } from './erasure-target.ts';
import { searched, sha256Of } from './searched-files.ts';
import { batchNumber } from './tables.ts';

/**
 * The files of the user's that we wrote or read, by every path that the store knows. They stay as they are. A person is
 * found in them by their identifier, and may be in others by a name alone: in what was made from their rows.
 */

/** The batches whose outputs and inputs hold something of what is erased. */
export interface Affected {
  readonly written: ReadonlySet<number>;
  readonly read: ReadonlySet<number>;
}

export interface FoundFiles {
  readonly files: readonly UserFile[];
  readonly hits: readonly Hit[];
  /** How many paths that are noted outside of the ledger name the person. */
  readonly named: number;
}

/** @param removed files of the store that are removed, of which nobody says that they stay. */
export function userFiles(
  connection: Connection,
  folder: string,
  { target, affected, removed }: { target: Target; affected: Affected; removed: readonly string[] },
): FoundFiles {
  const gone = new Set(removed.map(realPathOf));
  const mentions = target.kind === 'person' ? new Mentions(target.person) : undefined;
  const known = [...Map.groupBy(knownFiles(connection, folder, affected), ({ path }) => path)]
    .filter(([path]) => mayBeFile(path) && !gone.has(realPathOf(path)))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const files: UserFile[] = [];
  const hits: Hit[] = [];
  for (const [path, contents] of known) {
    const { cells, isWhole } = mentions === undefined ? UNSEARCHED : searched(path, mentions);
    const isPathForgotten = mentions?.in(path, 'name') === true;
    const holds = cells.length > 0 || isPathForgotten ? 'certainly' : holdsOf(path, contents, isWhole);
    if (holds === undefined) continue;
    files.push({ path, holds, isPathForgotten });
    for (const cell of new Set(cells)) hits.push({ place: path, cell });
  }
  const noted = mentions === undefined ? [] : notesOutside(folder);
  return { files, hits, named: noted.filter(({ path }) => mentions?.in(path, 'name')).length };
}

const UNSEARCHED = { cells: [], isWhole: true } as const;

/** A content that was at a path, and whether it was made from what is erased. */
interface Content {
  readonly path: string;
  readonly sha256: string | null;
  readonly isAffected: boolean;
}

/** What a file holds that does not name the person. */
function holdsOf(
  path: string,
  contents: readonly Content[],
  isWhole: boolean,
): UserFile['holds'] | undefined {
  if (isWhole && !contents.some(({ isAffected }) => isAffected)) return undefined;
  const sha256 = sha256Of(path);
  const asItWas = contents.filter((content) => content.sha256 === sha256);
  if (asItWas.some(({ isAffected }) => isAffected)) return 'certainly';
  return asItWas.length > 0 && isWhole ? undefined : 'perhaps';
}

/** What an older schema wrote beside an output is known by its name, which begins like the output's. */
const WRITTEN = `
SELECT f.path, f.sha256, coalesce(f.batch, (
  SELECT o.id FROM batches o JOIN json_each(?) j ON o.id = j.value
   WHERE instr(f.path, rtrim(o.output_path, replace(o.output_path, '.', ''))) = 1)) AS batch
  FROM files f
UNION ALL SELECT output_path, NULL, id FROM batches
 WHERE output_path IS NOT NULL AND output_path NOT IN (SELECT path FROM files)`;

/** The batches of a schema before 12 have no other path than their newest. */
const READ = `
SELECT input_path AS path, input_sha256 AS sha256, id AS batch FROM batches
UNION SELECT r.path, b.input_sha256, b.id FROM reads r JOIN batches b ON b.id = r.batch WHERE r.is_list = 1`;

/** A job may name a person in what it asks. */
const JOBS = `
SELECT settings ->> '$.job' AS path FROM batches WHERE settings ->> '$.job' IS NOT NULL
UNION SELECT path FROM reads WHERE is_list = 0`;

interface KnownFile {
  readonly path: string;
  readonly sha256: string | null;
  readonly batch: number | null;
}

function knownFiles(connection: Connection, folder: string, { written, read }: Affected): readonly Content[] {
  const contentsOf = (found: readonly KnownFile[], of: ReadonlySet<number>): readonly Content[] =>
    found.map(({ path, sha256, batch }) => ({ path, sha256, isAffected: batch !== null && of.has(batch) }));
  const outside = notesOutside(folder).flatMap(({ path, sha256s, batch }) =>
    (sha256s.length === 0 ? [null] : sha256s).map((sha256) => ({
      path,
      sha256,
      batch: batch === undefined ? null : batchNumber(batch),
    })),
  );
  return [
    ...contentsOf(connection.all<KnownFile>(WRITTEN, JSON.stringify([...written])), written),
    ...contentsOf(outside, written),
    ...contentsOf(connection.all<KnownFile>(READ), read),
    ...connection
      .all<{ path: string }>(JOBS)
      .flatMap(({ path }) => (isAbsolute(path) ? [{ path, sha256: null, isAffected: false }] : [])),
  ];
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
