import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stop } from '../core/errors.ts';
import { ledgersFolder } from '../core/paths.ts';
import { distrustOfFolder } from '../lib/file-trust.ts';

/**
 * What is known of a ledger outside of its store: a store that was deleted, restored from a backup or copied does not
 * contain later purchases, and cannot know that. There is one small file for each ledger, and one for each place, which
 * names the ledger that was last used there.
 *
 * All of it is best effort: without a writable folder, or in a container that starts empty each time, a store is
 * accepted as it is. A loss of power may leave an older note, which is harmless, and never a newer one, because the
 * ledger's own commit was on the disk before.
 */
export interface OutsideNote {
  readonly identity: string;
  /** The newest request that may have cost something; undefined when the ledger has bought nothing. */
  readonly newest: SentRequest | undefined;
  /** Where the ledger was last used: the path of a folder, or the address of a database. */
  readonly place: string;
}

/** An attempt in a ledger. By its number alone it may be another one, where somebody has gone on from a backup. */
export interface SentRequest {
  readonly attempt: number;
  readonly atMs: number;
}

/** The path of a store's folder with all links before it resolved, even when the folder is gone. */
export function realPlaceOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPlaceOf(parent), basename(path));
  }
}

export function noteOf(identity: string): OutsideNote | undefined {
  const [newest = '', place = ''] = linesOf(nameOf(identity));
  const [, attempt, atMs] = /^(?:(\d{1,16}) (\d{1,15}))?$/.exec(newest) ?? [];
  if (place === '') return undefined;
  const isKnown = attempt !== undefined && atMs !== undefined;
  return { identity, newest: isKnown ? { attempt: Number(attempt), atMs: Number(atMs) } : undefined, place };
}

/**
 * Refuses notes that another user can write: that user could hide that a store is outdated, or block one that is not.
 * @throws StopError `store`.
 */
export function refuseForeignNotes(): void {
  const folder = knownFolder();
  const distrust = folder === undefined ? undefined : distrustOfFolder(folder);
  if (distrust === undefined) return;
  throw stop('store', `The record of known ledgers was not used: ${distrust.fact}.`, distrust.next);
}

/** The note of the ledger that was last used at the place, unless that ledger was used elsewhere since. */
export function noteAt(place: string): OutsideNote | undefined {
  const [identity = ''] = linesOf(nameOfPlace(place));
  const note = noteOf(identity);
  return note?.place === place ? note : undefined;
}

/** @returns whether the note could be written. */
export function keepNote({ identity, newest, place }: OutsideNote): boolean {
  return replace(nameOf(identity), [newest === undefined ? '' : `${newest.attempt} ${newest.atMs}`, place]);
}

export function keepPlace({ identity, place }: Pick<OutsideNote, 'identity' | 'place'>): void {
  replace(nameOfPlace(place), [identity, place]);
}

const nameOf = (identity: string): string => `newest-${identity}`;
const nameOfPlace = (place: string): string => `place-${hash('sha256', place, 'hex').slice(0, 32)}`;

/** The folder of the notes; undefined for a user without a home. */
function knownFolder(): string | undefined {
  try {
    return ledgersFolder();
  } catch {
    return undefined;
  }
}

function linesOf(name: string): readonly string[] {
  const folder = knownFolder();
  if (folder === undefined) return [];
  try {
    return readFileSync(join(folder, name), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/**
 * Replaces a file. Readers see the old lines or the new ones. Several processes may spend from one database, so each writes
 * under a name of its own that is new there; a crash leaves such a file, which nobody reads.
 */
function replace(name: string, lines: readonly string[]): boolean {
  try {
    const folder = knownFolder();
    if (folder === undefined) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, name);
    const own = `${file}.${randomBytes(6).toString('hex')}.new`;
    writeFileSync(own, lines.map((line) => `${line}\n`).join(''), { flag: 'wx', mode: 0o600 });
    renameSync(own, file);
    return true;
  } catch {
    return false;
  }
}
