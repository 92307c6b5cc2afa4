import { type Stats, statSync } from 'node:fs';
import { shellWord } from './command-line.ts';

/**
 * Folders from which we take what is believed: the ledger, keys, what is known of ledgers. Whoever else can write there
 * decides what we believe. On Windows, where modes say nothing, such folders are below the user's own profile.
 */

/** Why a place is not to be believed, as a fact, and one sentence on what to do. */
export interface Distrust {
  readonly fact: string;
  readonly next: string;
}

/** The administrator may do anything anyway. */
const ROOT = 0;

const OTHERS_WRITE = 0o022;

/** In such a folder nobody can replace the files of others. */
const STICKY = 0o1000;

/** Undefined when only this user can write in the folder, or when there is none. */
export function distrustOf(folder: string): Distrust | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return ownedByAnother(folder, found) ?? (isOpen(found) ? open(folder, found) : undefined);
}

/** The same of a folder of which only a file is taken that is looked at by itself: one of the administrator's will do. */
export function distrustAround(folder: string): Distrust | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const isSafe = !isOpen(found) || (found.mode & STICKY) !== 0;
  return (
    (found.uid === ROOT ? undefined : ownedByAnother(folder, found)) ??
    (isSafe ? undefined : open(folder, found))
  );
}

export function ownedByAnother(path: string, { uid }: Pick<Stats, 'uid'>): Distrust | undefined {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return undefined;
  return {
    fact: `${path} belongs to the user with number ${uid}, and this program runs as number ${own}`,
    next: 'Run it as that user, or name a place of your own.',
  };
}

function isOpen({ mode }: Pick<Stats, 'mode'>): boolean {
  return process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;
}

function open(folder: string, { mode }: Pick<Stats, 'mode'>): Distrust {
  const digits = (mode & 0o7777).toString(8).padStart(4, '0');
  return {
    fact: `other users can write in ${folder} (mode ${digits})`,
    next: `See that all in it is yours, then type chmod go-w ${shellWord(folder)}`,
  };
}
