import { type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { asCommand, faces, type Phrase, phrase, type Words } from '../core/phrase.ts';
import { shellWord } from './command-line.ts';

/**
 * Checks who may have written a file that decides which requests carry the user's key. A person who can write
 * a job or a dialect can spend and change with that key. So the file is refused when anybody can write it
 * except the user and the administrators.
 */

interface Distrust {
  readonly fact: string;
  readonly next: Words;
}

export interface Self {
  readonly uid: number;
  /** The group of this user by default. Where each user has a group, no one else is in it. */
  readonly gid: number;
  /**
   * Other users who can do everything that this program does: its owner, and the user who called it by
   * `sudo`.
   */
  readonly alsoTrusted: readonly number[];
}

const BY_EVERYBODY = 0o002;
const BY_GROUP = 0o020;
const ROOT_UID = 0;

/** Undefined for a file that may be trusted. A pipe belongs to the user, who has just opened it. */
export function distrustOf(
  path: string,
  { uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>,
  self: Self | undefined = thisProcess(),
): Distrust | undefined {
  // Mode bits mean nothing on Windows.
  if (self === undefined) return undefined;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & BY_EVERYBODY) !== 0) {
    return {
      fact: `everybody can write to it (mode ${shown})`,
      next: afterLooking(`chmod go-w ${shellWord(path)}`),
    };
  }
  if (![self.uid, ROOT_UID, ...self.alsoTrusted].includes(uid)) {
    const next = afterLooking(`chown ${self.uid} ${shellWord(path)}`);
    return { fact: `it belongs to another user (number ${uid})`, next };
  }
  // The members of root's group are administrators.
  const isOwnGroup = gid === self.gid || gid === ROOT_UID || gid === uid;
  if ((mode & BY_GROUP) === 0 || isOwnGroup) return undefined;
  return {
    fact: `the group with number ${gid} can write to it (mode ${shown})`,
    next: afterLooking(`chmod g-w ${shellWord(path)}`),
  };
}

function afterLooking(command: string): Phrase {
  const close = closing(command);
  return phrase`Check it, because others may have changed it, then ${close}`;
}

const closing = (command: string): Phrase => faces(phrase`run ${asCommand(command)}`, 'close it to others');

function thisProcess(): Self | undefined {
  if (process.platform === 'win32') return undefined;
  const { uid, gid } = userInfo();
  const caller = uid === ROOT_UID ? Number(process.env.SUDO_UID) : Number.NaN;
  const alsoTrusted = [statSync(import.meta.filename).uid, caller].filter(Number.isInteger);
  return { uid: process.geteuid?.() ?? uid, gid, alsoTrusted };
}

// ------------------------------------------------------------------------------------------------ folders

/**
 * Folders whose content we trust: the ledger, keys, notes about ledgers. Other users who can write there
 * would decide what we do. On Windows, where modes say nothing, such folders are below the user's own
 * profile.
 */

const OTHERS_WRITE = 0o022;

/** In such a folder no one can replace the files of others. */
const STICKY = 0o1000;

/**
 * @param holdsChecked whether we take from it only a file that is checked by itself, so that the
 *   administrator may own the folder, and others may have files of their own in it.
 */
export function distrustOfFolder(folder: string, holdsChecked = false): Distrust | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const isOwned = holdsChecked && found.uid === ROOT_UID;
  const isSafe = !isOpen(found) || (holdsChecked && (found.mode & STICKY) !== 0);
  return (isOwned ? undefined : ownedByAnother(folder, found)) ?? (isSafe ? undefined : open(folder, found));
}

export function ownedByAnother(path: string, { uid }: Pick<Stats, 'uid'>): Distrust | undefined {
  const ownUser = process.geteuid?.();
  if (ownUser === undefined || uid === ownUser) return undefined;
  return {
    fact: `${path} belongs to the user with number ${uid}, and this program runs as number ${ownUser}`,
    next: 'Run it as that user, or name a place that is yours.',
  };
}

function isOpen({ mode }: Pick<Stats, 'mode'>): boolean {
  return process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;
}

function open(folder: string, { mode }: Pick<Stats, 'mode'>): Distrust {
  const digits = (mode & 0o7777).toString(8).padStart(4, '0');
  const command = `chmod go-w ${shellWord(folder)}`;
  const close = closing(command);
  return {
    fact: `other users can write in ${folder} (mode ${digits})`,
    next: phrase`Check that everything in it is yours, then ${close}`,
  };
}
