import type { Call } from '../../core/operation.ts';
import type { FoundReply, RawReply } from '../../ledger/ledger.ts';
import { type Dialect, type DialectOperation, operationFor, vendorReply } from '../../vendor/dialect.ts';
import { judge } from '../../vendor/judge.ts';
import { type AccountHistory, fewMissesNote, namesRoute, noteAnswer } from '../../vendor/misses.ts';
import type { Run } from '../session.ts';
import { freeStop, isFree } from './free-matches.ts';
import { isUnread, MOST_UNREAD, unreadStop } from './unread-answers.ts';

/**
 * Counts the odd matches with which the account's last run ended, so that many short runs are as careful as one long run.
 * Each match is read by the present dialect. An answer that is no longer a match is understood by now and does not count.
 * @param newest the account's newest matches, newest first.
 */
export function oddMatches(
  dialect: Dialect,
  origin: string,
  newest: readonly FoundReply[],
): Required<Pick<AccountHistory, 'unread' | 'free'>> {
  const lengthOf = (isOdd: (found: FoundReply, operation: DialectOperation) => boolean): number => {
    const end = newest.findIndex((found) => {
      if (!Object.hasOwn(dialect.operations, found.call.operation)) return true;
      const operation = operationFor(dialect, found.call, { isRepeated: false, underKey: false });
      const at = { origin, path: operation.path, call: found.call };
      const verdict = judge({ kind: 'answered', raw: found.reply }, dialect, operation, at);
      const isMatch = verdict.kind === 'settled' && verdict.answer === 'found';
      return !(isMatch && isOdd(found, operation));
    });
    return end < 0 ? newest.length : end;
  };
  return {
    unread: lengthOf(({ call, reply }) => isUnread(dialect, call, reply)),
    free: lengthOf(({ call, reply }, operation) => isFree(dialect, call, operation, reply)),
  };
}

/** This many of an account's newest matches decide whether the next odd match is one too many. */
export const ODD_MATCHES = MOST_UNREAD;

/**
 * Counts an answer for its account and recognises a misunderstood vendor early: by misses only, or by matches that cannot
 * be read or cost nothing. Such matches stop the run. The answer is settled, so a crash here loses only the count.
 */
export function heedAnswer(
  { session, emit, stopAll }: Run,
  call: Call,
  raw: RawReply,
  found: boolean,
  operation: DialectOperation,
): void {
  const { history } = session;
  const { dialect } = session.client;
  const isOfRoute = raw.status === 404 && namesRoute((vendorReply(raw, dialect) ?? raw).body);
  noteAnswer(history, raw.status, found, isOfRoute);
  const message = fewMissesNote(history);
  if (message !== undefined) emit({ kind: 'note', message });
  if (!found) return;
  history.unread = isUnread(dialect, call, raw) ? (history.unread ?? 0) + 1 : 0;
  if (history.unread >= MOST_UNREAD) stopAll(unreadStop(dialect, call, raw, history.unread));
  history.free = isFree(dialect, call, operation, raw) ? (history.free ?? 0) + 1 : 0;
  if (history.free >= MOST_UNREAD) stopAll(freeStop(dialect, raw, history.free));
}
