import { type BigIntStats, statSync } from 'node:fs';
import { type StopError, stop } from '../../core/errors.ts';
import type { Connection } from '../db/sqlite.ts';
import { backupWords, lossIn } from '../lost-stores.ts';
import {
  keepNote,
  keepPlace,
  noteOf,
  type OutsideNote,
  realPlaceOf,
  type SentRequest,
} from '../outside-notes.ts';
import type { StoreFolder } from './folder.ts';

/** In the place of a ledger's name: it is a backup, and gets a name when a person accepts what it lacks. */
export const OF_A_BACKUP = '0'.repeat(32);

interface LedgerNow {
  readonly identity: string;
  readonly newest: SentRequest | undefined;
}

/** One process at a time spends, and a later one has a greater number, so the newest call has the greatest. Play money is not worth a stop. */
const NEWEST = `
SELECT id AS attempt, sent_at AS "atMs" FROM calls
 WHERE EXISTS (SELECT 1 FROM batches WHERE json_extract(facts, '$.sandbox') IS NOT 1) ORDER BY id DESC LIMIT 1`;

function ledgerNow(connection: Connection): LedgerNow {
  const [meta] = connection.rows("SELECT value FROM meta WHERE name = 'identity'") as { value: string }[];
  const [newest] = connection.rows(NEWEST) as SentRequest[];
  return { identity: meta?.value ?? '', newest };
}

/** What a store lacks of what is known outside of it; undefined when it is the newest known one. */
export function lossOf(store: string, connection: Connection): string | undefined {
  const now = ledgerNow(connection);
  if (now.identity === OF_A_BACKUP) return backupWords(store, now.newest);
  // The note is read before the ledger: a running spender commits before it notes, so its ledger is never behind the note.
  const note = noteOf(now.identity);
  const isAhead = note?.newest !== undefined && !hasRequest(connection, note.newest);
  return lossIn({ store, place: realPlaceOf(store), ...now }, isAhead ? note : undefined);
}

const hasRequest = (connection: Connection, { attempt, atMs }: SentRequest): boolean =>
  connection.rows('SELECT 1 FROM calls WHERE id = ? AND sent_at = ?', [attempt, atMs]).length > 0;

/** How often the outside note is updated while there are commits. What a killed process bought since is not known outside. */
const NOTE_EVERY_MS = 1000;

/**
 * Makes sure that the open ledger is the one that the next start will find, and updates the note outside of the store.
 * A process that continues with a file which no other process can reach would buy answers that nobody will ever find.
 */
export class Watch {
  readonly #folder: StoreFolder;
  readonly #connection: Connection;
  readonly #opened: BigIntStats | undefined;
  readonly #locked: BigIntStats | undefined;
  readonly #place: string;
  #timer: NodeJS.Timeout | undefined;
  #noted: OutsideNote | undefined;
  #isDue = false;
  #refusal: StopError | undefined;

  /** It begins with a note, so that it is known from the first commit on who has the ledger. */
  constructor(folder: StoreFolder, connection: Connection) {
    this.#folder = folder;
    this.#connection = connection;
    this.#place = realPlaceOf(folder.path);
    this.#opened = fileAt(folder.ledger);
    this.#locked = fileAt(folder.lock);
    this.#note();
    if (this.#noted !== undefined) keepPlace(this.#noted);
  }

  /** Why nothing new may be written that a request would follow; undefined while everything is as before. */
  refusal(): StopError | undefined {
    const { path, ledger, lock } = this.#folder;
    // Reading a file's number does not open it, so this process loses no lock.
    if (!isSameFile(fileAt(ledger), this.#opened)) this.#refusal ??= takenAway(path);
    const locked = fileAt(lock);
    // A lock file that was deleted is still held; one that took its place is held by somebody else.
    if (locked !== undefined && !isSameFile(locked, this.#locked)) this.#refusal ??= takenOver(path);
    return this.#refusal;
  }

  /** Notes the commit at once after a while without commits, then once a second. */
  committed(): void {
    this.#isDue = true;
    if (this.#timer !== undefined) return;
    this.#note();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue) this.committed();
    }, NOTE_EVERY_MS).unref();
  }

  /** To be called before the connection is closed. */
  end(): void {
    clearTimeout(this.#timer);
    this.#note();
  }

  #note(): void {
    this.#isDue = false;
    let now: LedgerNow;
    try {
      now = ledgerNow(this.#connection);
    } catch {
      // Whoever uses the ledger next gets the error.
      return;
    }
    const other = noteOf(now.identity);
    if (this.#noted !== undefined && other !== undefined && !isSame(other, this.#noted)) {
      this.#refusal ??= usedTwice(this.#folder.path, other.place);
      return;
    }
    const note = { ...now, place: this.#place };
    this.#noted = keepNote(note) ? note : undefined;
  }
}

/** Undefined also for a file that cannot be reached, because the next start could not reach it either. */
function fileAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const isSameFile = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev;

const isSame = (one: OutsideNote, other: OutsideNote): boolean =>
  one.newest?.attempt === other.newest?.attempt &&
  one.newest?.atMs === other.newest?.atMs &&
  one.place === other.place;

function takenAway(path: string): StopError {
  const fact = `The ledger of the store ${path} was deleted, moved, replaced or unmounted while it was in use; nothing new is sent.`;
  return stop('store_lost', fact, 'Put the store back, then run the same command again.');
}

function takenOver(path: string): StopError {
  const fact = `The lock.db of the store ${path} was deleted while it was in use, and another process took the store; nothing new is sent.`;
  const next = 'Let the other process end, then run the same command again, and leave lock.db where it is.';
  return stop('busy', fact, next);
}

function usedTwice(path: string, other: string): StopError {
  const fact = `Two copies of one ledger are in use at the same time, in ${path} and in ${other}; nothing new is sent.`;
  return stop('store_lost', fact, 'Keep the one that bought more, and do not use a copy of it.');
}
