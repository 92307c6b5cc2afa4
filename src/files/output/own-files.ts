import { readlink, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { foreignWords } from '../../core/plain-text.ts';
import type { Ledger, LedgerReader } from '../../ledger/ledger.ts';
import {
  type Chunks,
  type MayReplace,
  NewFile,
  type NoteWritten,
  outputProblem,
  type StandingFile,
  stampOf,
  standingAt,
} from '../../lib/atomic-file.ts';
import { crashPoint } from '../../lib/faults.ts';
import { besideFile, nameParts } from '../../lib/file-name.ts';

/**
 * Files beside which people work: every one that we write for a user is written here. What stands at a path
 * and is not as we wrote it is the user's. It is kept, ours goes beside it as `NAME (2)`, and that is said
 * aloud.
 */

/** What we write may be read by whoever may read the list; of one that is gone nobody knows who that is. */
export const modeLike = (list: string): Promise<number> =>
  stat(list).then(
    ({ mode }) => mode & 0o777 & ~process.umask(),
    () => 0o600,
  );

/** Which files are ours and which are the user's, for one kind of file. */
export interface Ownership {
  /** Whether a file of that content at that path is as we wrote it. */
  readonly isOurs: MayReplace;
  /** Left out: what is written cannot be noted, or says itself that it is ours. */
  readonly noteWritten?: NoteWritten;
  /** Says that a file is kept. */
  readonly say: (sentence: string) => void;
  /** Why, as a clause; left out: it is the user's. */
  readonly whyKept?: string;
}

/** Ours is what the ledger says that we wrote there. */
export function ownershipIn(
  ledger: Pick<Ledger, 'written' | 'noteWritten'>,
  say: Ownership['say'],
): Ownership {
  return { ...lookedUpIn(ledger, say), noteWritten: (path, sha256s) => ledger.noteWritten(path, sha256s) };
}

/** Looks up what is ours beside a running spender, where nothing can be noted. */
export function lookedUpIn(ledger: Pick<LedgerReader, 'written'>, say: Ownership['say']): Ownership {
  return { isOurs: async (path, sha256) => (await ledger.written(path)).includes(sha256), say };
}

export interface OwnFile {
  readonly path: string;
  /** Left out: the mode of the user's other files. */
  readonly mode?: number;
  readonly chunks: Chunks;
  /** The last moment at which nothing has changed yet; what it throws leaves everything as it was. */
  readonly beforePlacing?: () => Promise<void>;
  /** The flag with which the user named the file. */
  readonly flag?: string;
}

/** @returns where it was written. @throws StopError `output` or `disk_full`. */
export async function writeOwnFile(
  { path, mode, chunks, beforePlacing, flag }: OwnFile,
  { isOurs, noteWritten, say, whyKept }: Ownership,
): Promise<string> {
  try {
    const file = await NewFile.write(dirname(path), mode, chunks);
    try {
      crashPoint('output-written');
      await beforePlacing?.();
      for (let number = 1; ; number += 1) {
        const place = number === 1 ? path : numbered(path, number);
        if (await file.take(place, isOurs, noteWritten)) return place;
        say(await keptBeside(place, whyKept));
      }
    } finally {
      await file.discard();
    }
  } catch (error) {
    throw outputProblem(path, error, flag);
  }
}

/**
 * Removes what we wrote at a path, and beside it with a number, in an earlier state. What is not as we wrote
 * it stays.
 * @param current the one that is not stale.
 */
export async function removeStale(path: string, own: Ownership, current: string | undefined): Promise<void> {
  try {
    for (let number = 1; ; number += 1) {
      const place = number === 1 ? path : numbered(path, number);
      const standing = await standingAt(place);
      if (standing.kind === 'nothing' && number > 1) return;
      if (standing.kind === 'nothing' || place === current || (await removeIfOurs(place, standing, own)))
        continue;
      // Where ours stands beside it, that was said when it was written.
      if (current === undefined) own.say(await keptBeside(place));
    }
  } catch (error) {
    throw outputProblem(path, error);
  }
}

async function removeIfOurs(path: string, standing: StandingFile, { isOurs }: Ownership): Promise<boolean> {
  if (standing.kind !== 'file' || !(await isOurs(path, standing.sha256))) return false;
  if ((await stampOf(path)) !== standing.stamp) return false;
  await rm(path, { force: true });
  return true;
}

/** `leads.csv` → `leads (2).csv`. */
function numbered(path: string, number: number): string {
  return besideFile(path, ` (${number})${nameParts(path).ending}`);
}

async function keptBeside(
  path: string,
  why = 'is not ours, or has changed since we wrote it',
): Promise<string> {
  const target = await readlink(path).catch(() => undefined);
  return target === undefined
    ? `${path} ${why}, so it is kept.`
    : `${path} is a link to ${foreignWords(target)}, and Rowonce does not write through links, so it is kept.`;
}
