import { isoTime } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import type { OutsideNote } from './outside-notes.ts';
import type { StoreOptions } from './store.ts';

/** How it is said that a store is not the newest one by what is known outside of it, and how a person accepts that. */

export interface FoundLedger {
  /** The store, as messages name it. */
  readonly store: string;
  readonly place: string;
  /** As in `OutsideNote`. */
  readonly lastIntentMs: number | undefined;
}

/** What a note says of how far that ledger had come, as "8 commits were made with its ledger". */
type History = (note: OutsideNote, ledger: string) => string;

/** @param missing what of it is not there, as "4 of them are". */
export function behindWords(
  { store, place, lastIntentMs }: FoundLedger,
  note: OutsideNote,
  history: History,
  missing: string,
): string {
  const ledger = note.place === place ? 'its ledger' : `its ledger in ${note.place}`;
  const since = lastIntentMs === undefined ? '' : ` after ${isoTime(lastIntentMs)}`;
  return `The store ${store} is not the newest one: ${history(note, ledger)}, and ${missing} missing. What it bought${since} would be bought again.`;
}

export function goneWords(store: string, note: OutsideNote, history: History): string {
  return `The store ${store} is gone: ${history(note, 'the ledger that was there')}. All that it bought would be bought again.`;
}

/** @param own what is said of a ledger that has bought something. */
export function otherWords(
  { store, lastIntentMs }: FoundLedger,
  note: OutsideNote,
  history: History,
  own: string,
): string {
  const found = lastIntentMs === undefined ? 'has bought nothing yet' : own;
  return `The store ${store} has another ledger than before: ${history(note, 'the one that was there')}, and this one ${found}. What only the other one bought would be bought again.`;
}

export const PUT_BACK = 'Restore the newest store, or let a run continue without it by --accept store.';

export function lost(fact: string): StopError {
  return new StopError({ code: 'store_lost', message: fact, next: PUT_BACK, answers: ['store'] });
}

/**
 * @param told what is said to a person who has not accepted the loss.
 * @throws StopError `store_lost` when a ledger is lost and the user does not accept that.
 */
export function requireAccepted(
  loss: string | undefined,
  { acceptLost, tell }: Pick<StoreOptions, 'acceptLost' | 'tell'>,
  told: (fact: string) => StopError = lost,
): void {
  if (loss === undefined) return;
  if (acceptLost !== true) throw told(loss);
  tell?.(`Accepted with --accept store: ${loss}`);
}
