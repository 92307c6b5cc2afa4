import { readlink, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { foreignWords } from '../../core/plain-text.ts';
import { isWrittenHere, type Ledger, noteWrittenHere } from '../../ledger/ledger.ts';
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
 * Writes every file that we write for a user, in folders where people also work. A file at a path that is not
 * as we wrote it is the user's. The user's file is kept, ours goes beside it as `NAME (2)`, and a sentence
 * says so.
 */

/**
 * Our files may be read by everybody who may read the list. For a list that is gone no one knows who that
 * was, so only the owner may read them.
 */
export const modeLike = (list: string): Promise<number> =>
  stat(list).then(
    ({ mode }) => mode & 0o777 & ~process.umask(),
    () => 0o600,
  );

/** Which files are ours and which are the user's, for one kind of file. */
export interface Ownership {
  /** Whether a file of that content at that path is as we wrote it. */
  readonly isOurs: MayReplace;
  /** Left out: the written file cannot be noted, or it says itself that it is ours. */
  readonly noteWritten?: NoteWritten;
  /** Says that a file is kept. */
  readonly say: (sentence: string) => void;
  /** Why the file is kept, as a clause; left out: it is the user's. */
  readonly whyKept?: string;
}

/**
 * A file is ours if this host has noted that it wrote it there. What a ledger says of it does not count,
 * because others may have written that.
 */
export const writtenHere = (say: Ownership['say']): Ownership => ({
  isOurs: async (path, sha256) => isWrittenHere(path, sha256), // rule 12a
  say,
});

/** The ledger notes each file as well, for those who ask later what of a person is where. */
export function ownershipIn(ledger: Pick<Ledger, 'noteWritten'>, say: Ownership['say']): Ownership {
  return {
    ...writtenHere(say),
    async noteWritten(path, sha256s) {
      noteWrittenHere(path, sha256s);
      await ledger.noteWritten(path, sha256s);
    },
  };
}

export interface OwnFile {
  readonly path: string;
  /** Left out: the mode of the user's other files. */
  readonly mode?: number;
  readonly chunks: Chunks;
  /** Runs at the last moment before anything changes. If it throws, everything stays as it was. */
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
 * Removes earlier versions of a file of ours at a path, and of its numbered copies beside it. A file that is
 * not as we wrote it stays.
 * @param current the copy that is not stale.
 */
export async function removeStale(
  path: string,
  ownership: Ownership,
  current: string | undefined,
): Promise<void> {
  try {
    for (let number = 1; ; number += 1) {
      const place = number === 1 ? path : numbered(path, number);
      const standing = await standingAt(place);
      if (standing.kind === 'nothing' && number > 1) return;
      if (
        standing.kind === 'nothing' ||
        place === current ||
        (await removeIfOurs(place, standing, ownership))
      )
        continue;
      // If our current file stands beside it, the user was told when that one was written.
      if (current === undefined) ownership.say(await keptBeside(place));
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
    : `${path} is a link to ${foreignWords(target)}, and Rowonce does not write through links, ` +
        'so it is kept.';
}
