import type { Dialect } from '../dialect.ts';
import { vendorReply } from '../envelope.ts';
import type { StopError } from '../errors.ts';
import type { Listener } from '../events.ts';
import type { RawReply } from '../ledger.ts';
import { type AccountHistory, fewMissesNote, namesRoute, noteAnswer } from '../misses.ts';
import type { Call } from '../operation.ts';
import { isUnread, MOST_UNREAD, unreadStop } from './unread-answers.ts';

/** What of the spending of a run an answer is held against. */
interface Heeding {
  readonly dialect: Dialect;
  readonly history: AccountHistory;
  readonly emit: Listener;
  stopAll(error: StopError): void;
}

/**
 * Counts an answer for its account, and says early what a misunderstood vendor shows first: nothing but misses, or matches
 * of which nothing can be read, which stop the run. The answer is settled, so a crash here loses only the count.
 */
export function heedAnswer(
  { dialect, history, emit, stopAll }: Heeding,
  call: Call,
  raw: RawReply,
  found: boolean,
): void {
  noteAnswer(history, raw.status, found, namesRoute((vendorReply(raw, dialect) ?? raw).body));
  const message = fewMissesNote(history);
  if (message !== undefined) emit({ kind: 'note', message });
  if (!found) return;
  history.unread = isUnread(dialect, call, raw) ? (history.unread ?? 0) + 1 : 0;
  if (history.unread === MOST_UNREAD) stopAll(unreadStop(dialect, call, raw));
}
