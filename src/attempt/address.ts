import { type StopError, stop } from '../errors.ts';
import type { NotSentCause, Reply } from '../judge.ts';
import type { Call } from '../operation.ts';
import { plainText } from '../plain-text.ts';

/** Signs that the account leads to the wrong place. Each of them stops the run, because every further row would fail alike. */

/** What the account ever answered, kept up to date during the run. */
export interface AccountHistory {
  answers: number;
  answersNot404: number;
}

/** This many first answers that are all 404 mean a wrong address rather than that many unknown companies. */
const FIRST_ANSWERS = 20;

/** Vendors move an operation once, perhaps twice; after that they send us round in a circle. */
export const MOST_MOVES = 3;

/** A name that does not exist will not exist in a minute either, unless the account has worked before. */
export function refuseWrongAddress(history: AccountHistory, cause: NotSentCause, message: string): void {
  if (history.answers > 0) return;
  if (cause === 'unresolved') {
    throw stop(
      'address',
      `The account's address does not resolve: ${message}.`,
      "Correct the account's base_url.",
    );
  }
  if (cause === 'certificate') {
    throw stop(
      'address',
      `The vendor's certificate is not accepted: ${message}.`,
      "Correct the account's base_url, or install the certificate's authority on this machine.",
    );
  }
}

/**
 * A wrong path answers 404 to everything, which reads like "no match". When the first answers of an account are 404
 * without exception the run stops, and the next one begins by taking those answers back (`recover.ts`). Answers to
 * changes are never taken back, and twenty invites may well be gone: so those stop one run, and the next goes on.
 */
export function refuseOnlyMisses(history: AccountHistory, { change }: Call, reply: Reply): void {
  if (reply.kind !== 'answered') return;
  history.answers += 1;
  if (reply.raw.status !== 404) history.answersNot404 += 1;
  const goesOn = change !== undefined && history.answers > FIRST_ANSWERS;
  if (goesOn || !onlyMisses(history)) return;
  throw stop(
    'address',
    `The first ${history.answers} answers of this account were all status 404.`,
    change === undefined
      ? "Check the account's base_url; what was asked so far will be asked again."
      : "Check the account's base_url; if it is right, type the same command again.",
  );
}

/** No answer but 404, and too many of them for chance. */
export function onlyMisses(history: AccountHistory): boolean {
  return history.answers >= FIRST_ANSWERS && history.answersNot404 === 0;
}

export function movedTooOften(paths: readonly string[]): StopError {
  return stop(
    'address',
    `The vendor moved one request ${paths.length} times: to ${paths.map(plainText).join(', then to ')}.`,
    "Correct the operation's path in the dialect.",
  );
}
