import type { AttemptId, DecisionId, EntryOf, Intent, Outcomes } from '../../ledger.ts';
import { attemptOf, draftEnd, draftLook, draftRelease, type Following } from '../../rules/drafts.ts';
import { type Attempt, attemptIn, type Entry, type History, holds } from '../../rules/history.ts';
import { ENDED } from '../../rules/moves.ts';
import type { Sql } from './connection.ts';
import { movedBy, write } from './entries.ts';
import { lockedHistory } from './histories.ts';
import { bookMoved } from './money.ts';
import { type Session, wholeMs } from './session.ts';

/**
 * What is done after a connection broke while a commit was asked for, and after others took an attempt for over. Each works on a
 * call whose row is taken, so that what it finds stays so until it is committed.
 */

type Kind = Following['kind'];

/** What came of an entry that a commit of which nobody knew has written; undefined when it has not. */
export function writtenAs(history: History, entry: EntryOf<Kind>): Outcomes[Kind] | undefined {
  if (entry.kind === 'reply') {
    const reply = attemptIn(history, entry.attempt)?.reply;
    return reply && { kind: reply.kind === 'late' ? 'late' : 'written' };
  }
  const note = noteOf(history, entry);
  if (note === undefined) return undefined;
  return entry.kind === 'decision'
    ? { kind: 'decided', decision: note.id as DecisionId }
    : { kind: 'written' };
}

/** The entry that stands in the history just as it was asked for. */
function noteOf({ attempts }: History, entry: EntryOf<Exclude<Kind, 'reply'>>): Entry | undefined {
  const atMs = wholeMs(dateOf(entry));
  const kinds = WRITTEN_AS[entry.kind];
  return attempts
    .flatMap(({ end, notes }) => (end === undefined ? notes : [end, ...notes]))
    .find(({ kind, at, of }) => kinds.includes(kind) && at === atMs && (attemptOf(entry) ?? of) === of);
}

const WRITTEN_AS: Readonly<Record<Exclude<Kind, 'reply'>, readonly Entry['kind'][]>> = {
  end: ENDED,
  reading: ['reading', 'read'],
  look: ['look'],
  release: ['released'],
  decision: ['decided', 'told'],
};

function dateOf(entry: EntryOf<Exclude<Kind, 'reply'>>): number {
  if (entry.kind === 'reading') return entry.reading.atMs;
  if (entry.kind === 'look') return entry.look.atMs;
  return entry.kind === 'decision' ? entry.decision.atMs : entry.atMs;
}

/** Another worker took the attempt for over. What surely never left is no doubt then. */
export async function endedByOthers(
  sql: Sql,
  history: History,
  { attempt: id, closure, atMs }: EntryOf<'end'>,
): Promise<Outcomes['end']> {
  const attempt = attemptIn(history, id);
  if (closure.kind === 'not_sent' && attempt !== undefined && holds(attempt))
    await clear(sql, history, attempt, closure.why, atMs);
  return { kind: 'over' };
}

/** Says of a lost attempt that it was not sent, and gives back what it holds, unless somebody has gone on from the doubt. */
async function clear(sql: Sql, history: History, { id }: Attempt, why: string, atMs: number): Promise<void> {
  const attempt = id as AttemptId;
  const look = { kind: 'read_back', said: 'not_happened', status: 0, body: Buffer.alloc(0) } as const;
  await write(sql, history, [draftLook(history, { attempt, ...look, why, atMs })]);
  const { state, stands, open } = history.call;
  if (state !== 'doubt' || stands !== id || open !== null) return;
  const looked = await lockedHistory(sql, { attempt });
  if (looked === undefined) return;
  const drafts = draftRelease(looked, { kind: 'release', attempt, why, atMs });
  await write(sql, looked, drafts);
  await bookMoved(sql, movedBy(looked, drafts));
}

const NEVER_HEARD_OF = 'the database did not say that it had noted the request, so nothing was sent for it';

/** The end of an attempt of which its own worker never heard. */
export const neverSent = (attempt: AttemptId, atMs: number): EntryOf<'end'> => ({
  kind: 'end',
  attempt,
  closure: { kind: 'not_sent', why: NEVER_HEARD_OF },
  atMs,
});

/**
 * Ends as not sent what the intent has begun in a commit of which nobody knows, so that it may be asked for anew.
 * @returns whether it had begun anything.
 */
export async function takeBack(sql: Sql, session: Session, intent: Intent): Promise<boolean> {
  const history = await lockedHistory(sql, intent);
  const begun = history?.attempts.findLast(({ begun: entry }) => isBegunBy(entry, intent, session));
  if (history === undefined || begun === undefined) return false;
  const { atMs } = intent;
  if (begun.end !== undefined) {
    if (!holds(begun)) return false;
    await clear(sql, history, begun, NEVER_HEARD_OF, atMs);
    return true;
  }
  const drafts = draftEnd(history, neverSent(begun.id as AttemptId, atMs));
  await write(sql, history, drafts);
  await bookMoved(sql, movedBy(history, drafts));
  return true;
}

/** A worker asks for one row at a time, and knows of what was admitted to it. */
function isBegunBy({ id, worker, batch, row, at }: Entry, intent: Intent, session: Session): boolean {
  const isOurs = worker === session.worker && !session.own.has(id as AttemptId);
  return isOurs && batch === intent.batch && row === intent.row && at === wholeMs(intent.atMs);
}
