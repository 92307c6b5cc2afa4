import { isoTime } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import { noteAt, type OutsideNote, type SentRequest } from './outside-notes.ts';
import type { StoreOptions } from './store.ts';

/**
 * Whether a store is the newest one by what is known outside of it: a ledger that lacks the newest request which was noted there
 * was restored or copied, and what it bought since would be bought again. A person may accept that.
 */

export interface FoundLedger {
  readonly store: string;
  readonly place: string;
  readonly identity: string;
  /** The names of those whose loss a person accepted. */
  readonly formerly?: readonly string[];
  readonly newest: SentRequest | undefined;
}

/** Undefined for the newest known one. @param ahead the note about this ledger, where the ledger lacks its request. */
export function lossIn(found: FoundLedger, ahead: OutsideNote | undefined): string | undefined {
  if (ahead !== undefined) return behindWords(found, ahead);
  const before = noteAt(found.place);
  const known = [found.identity, ...(found.formerly ?? [])];
  if (before?.newest === undefined || known.includes(before.identity)) return undefined;
  return otherWords(found, before);
}

/** What is known to be lost at a place where there is no ledger. */
export function lossAt(store: string, place: string): string | undefined {
  const before = noteAt(place);
  if (before?.newest === undefined) return undefined;
  return `The store ${store} is gone: ${history(before, 'the ledger that was there')}. All that it bought would be bought again.`;
}

export function backupWords(store: string, newest: SentRequest | undefined): string {
  const since = newest === undefined ? '' : ` after ${isoTime(newest.atMs)}`;
  return `The store ${store} is a backup that was put back. What was bought${since} is not in it, and would be bought again.`;
}

export function behindWords(
  { store, place, newest }: Pick<FoundLedger, 'store' | 'place' | 'newest'>,
  note: Pick<OutsideNote, 'place' | 'newest'>,
): string {
  const ledger = note.place === place ? 'its ledger' : `its ledger in ${note.place}`;
  const since = newest === undefined ? '' : ` after ${isoTime(newest.atMs)}`;
  return `The store ${store} is not the newest one: ${history(note, ledger)}, and that one is missing. What it bought${since} would be bought again.`;
}

function otherWords({ store, newest }: FoundLedger, note: OutsideNote): string {
  const own =
    newest === undefined ? 'has bought nothing yet' : `made its last one at ${isoTime(newest.atMs)}`;
  return `The store ${store} has another ledger than before: ${history(note, 'the one that was there')}, and this one ${own}. What only the other one bought would be bought again.`;
}

function history({ newest }: Pick<OutsideNote, 'newest'>, ledger: string): string {
  return `requests were made with ${ledger}, the last known one at ${isoTime(newest?.atMs ?? 0)}`;
}

export const PUT_BACK = 'Restore the newest store, or let a run continue without it by --accept store.';

export function lost(fact: string): StopError {
  return new StopError({ code: 'store_lost', message: fact, next: PUT_BACK, answers: ['store'] });
}

/** @param told is said to who has not accepted the loss. @throws StopError `store_lost` where it is not accepted. */
export function requireAccepted(
  loss: string | undefined,
  { acceptLost, tell }: Pick<StoreOptions, 'acceptLost' | 'tell'>,
  told: (fact: string) => StopError = lost,
): void {
  if (loss === undefined) return;
  if (acceptLost !== true) throw told(loss);
  tell?.(`Accepted with --accept store: ${loss}`);
}
