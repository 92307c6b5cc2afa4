import { invariant, StopError } from '../../../core/errors.ts';
import {
  type Admission,
  type AttemptId,
  type CallEntry,
  type DecisionId,
  type EntryKind,
  type EntryOf,
  type Intent,
  type Outcomes,
  type OutcomesOf,
  type RefusedEntry,
  rankOf,
  WRITTEN,
} from '../../ledger.ts';
import { attemptOf, draftsOf, type Following, shownPrice } from '../../rules/drafts.ts';
import { attemptIn, type History } from '../../rules/history.ts';
import { Unanswered } from '../../store.ts';
import { admitOne, admitPlain, isLate, isPlain, LATE } from './admissions.ts';
import { oneCell, type Sql } from './connection.ts';
import { followAll, keepPrice, movedBy, write } from './entries.ts';
import { lockedHistory } from './histories.ts';
import { joined } from './joined.ts';
import { bookMoved, fund, Lacking } from './money.ts';
import { noteAct } from './people.ts';
import { type Session, wholeMs } from './session.ts';
import { endedByOthers, takeBack, writtenAs } from './unknown-commits.ts';

/**
 * Writes what is asked for together: what is plain by one statement for each kind, in one transaction; what is left then, one by one,
 * each in a transaction of its own, by the history of its call.
 */

type Outcome = Outcomes[EntryKind] | RefusedEntry;

/** Entries that one transaction writes at most. */
const ENTRIES_AT_ONCE = 500;

export function appending(session: Session) {
  const writing = joined<CallEntry, Outcome>((entries) => writeAll(session, entries), ENTRIES_AT_ONCE);
  session.ending.push(writing.drain);
  return async <const List extends readonly CallEntry[]>(list: List): Promise<OutcomesOf<List>> =>
    (await Promise.all(list.map((entry) => writing.ask(entry)))) as unknown as OutcomesOf<List>;
}

async function writeAll(session: Session, entries: readonly CallEntry[]): Promise<readonly Outcome[]> {
  const outcomes = new Map<CallEntry, Outcome>();
  const ranked = entries.toSorted((a, b) => rankOf(a) - rankOf(b));
  const first = await together(session, ranked, outcomes);
  const isUnknown = first === 'unknown' || (await funded(session, first, ranked, outcomes)) === 'unknown';
  for (const entry of ranked)
    if (!outcomes.has(entry)) outcomes.set(entry, await alone(session, entry, isUnknown));
  for (const [entry, outcome] of outcomes) note(session, entry, outcome);
  return entries.map((entry) => outcomes.get(entry) as Outcome);
}

function refuseIntents(
  entries: readonly CallEntry[],
  error: unknown,
  outcomes: Map<CallEntry, Outcome>,
): void {
  for (const entry of entries) if (entry.kind === 'intent') outcomes.set(entry, { kind: 'refused', error });
}

async function funded(
  session: Session,
  lacking: Lacking | undefined,
  entries: readonly CallEntry[],
  outcomes: Map<CallEntry, Outcome>,
): Promise<Together> {
  if (lacking === undefined) return undefined;
  await fund(session.database, lacking);
  const left = entries.filter((entry) => entry.kind === 'intent' && !outcomes.has(entry));
  return together(session, left, outcomes);
}

function note(session: Session, entry: CallEntry, outcome: Outcome): void {
  if (outcome.kind === 'admitted' && entry.kind === 'intent') {
    session.own.add(outcome.attempt);
    session.seen = { attempt: outcome.attempt, atMs: wholeMs(entry.intent.atMs) };
  }
  if (entry.kind !== 'end' || outcome.kind === 'refused') return;
  session.own.delete(entry.attempt);
  session.given.delete(entry.attempt);
}

/** A call, and an attempt, is in a statement once. */
function firsts<Entry>(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string | number,
): readonly Entry[] {
  return [...new Map(entries.toReversed().map((entry) => [nameOf(entry), entry])).values()];
}

/** What a purse lacked for the intents, none of which were admitted then; or that nobody knows what was written. */
type Together = Lacking | undefined | 'unknown';

async function together(
  session: Session,
  entries: readonly CallEntry[],
  outcomes: Map<CallEntry, Outcome>,
): Promise<Together> {
  const plain = plainAmong(entries);
  if (Object.values(plain).every(({ length }) => length === 0)) return undefined;
  try {
    const writing = (sql: Sql): Promise<Written> => writePlain(sql, session, plain);
    const isSingle = plain.intents.length + plain.second.length === 0;
    const written = await session.database.write(writing, { isOnce: true, isSingle });
    for (const [entry, outcome] of written) outcomes.set(entry, outcome);
    return undefined;
  } catch (error) {
    if (error instanceof Lacking) {
      const others = entries.filter(({ kind }) => kind !== 'intent');
      return (await together(session, others, outcomes)) ?? error;
    }
    if (error instanceof Unanswered && error.isUnknown) return 'unknown';
    if (!(error instanceof StopError)) throw error;
    // The database was away for longer than the run waits. What came back for requests is written all the same, each by itself.
    refuseIntents(entries, error, outcomes);
    return undefined;
  }
}

interface PlainEntries {
  readonly replies: readonly EntryOf<'reply'>[];
  readonly first: readonly EntryOf<'end'>[];
  /** Ends of attempts that have a reply among the others. */
  readonly second: readonly EntryOf<'end'>[];
  readonly intents: readonly EntryOf<'intent'>[];
}

function plainAmong(entries: readonly CallEntry[]): PlainEntries {
  const of = <Kind extends EntryKind>(kind: Kind) =>
    entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  const replies = firsts(of('reply'), ({ attempt }) => attempt);
  const replied = new Set(replies.map(({ attempt }) => attempt));
  const ends = firsts(of('end'), ({ attempt }) => attempt).filter(
    ({ closure }) => closure.kind !== 'answered' || closure.charged >= 0,
  );
  const { first = [], second = [] } = Object.groupBy(ends, ({ attempt }) =>
    replied.has(attempt) ? 'second' : 'first',
  );
  // Where anything else is written, it may give back money that the intents are to find.
  const isAll = entries.every(({ kind }) => kind === 'reply' || kind === 'end' || kind === 'intent');
  const plain = isAll ? of('intent').filter(({ intent }) => isPlain(intent)) : [];
  const intents = firsts(plain, ({ intent }) => intent.key);
  return { replies, first, second, intents };
}

type Written = ReadonlyMap<CallEntry, Outcome>;

/** @throws Lacking when a purse does not hold the intents: it is filled first, and the others are written without them. */
async function writePlain(
  sql: Sql,
  session: Session,
  { replies, first, second, intents }: PlainEntries,
): Promise<Written> {
  const written = new Map<CallEntry, Outcome>(
    intents.filter(({ intent }) => isLate(intent, session)).map((each) => [each, LATE]),
  );
  const followed = new Set([
    ...(await followAll(sql, replies, first)),
    ...(await followAll(sql, [], second)),
  ]);
  const following = [...replies, ...first, ...second];
  for (const each of following) if (followed.has(each.attempt)) written.set(each, WRITTEN);
  const asked = intents.filter((each) => !written.has(each)).map(({ intent }) => intent);
  if (followed.size < following.length || asked.length === 0) return written;
  const admissions = await admitPlain(sql, asked, session);
  for (const each of intents) {
    const admission = admissions.get(each.intent.key);
    if (admission !== undefined) written.set(each, admission);
  }
  return written;
}

/** @param isUnknown nobody knows whether it is written already. */
async function alone(session: Session, entry: CallEntry, isUnknown: boolean): Promise<Outcome> {
  try {
    return entry.kind === 'intent'
      ? await admitAlone(session, entry.intent, isUnknown)
      : await followAlone(session, entry, isUnknown);
  } catch (error) {
    if (error instanceof Unanswered && error.isUnknown) return alone(session, entry, true);
    return { kind: 'refused', error };
  }
}

async function admitAlone(session: Session, intent: Intent, isUnknown: boolean): Promise<Admission> {
  const isTakenBack = (): Promise<boolean> => session.database.write((sql) => takeBack(sql, session, intent));
  if (isUnknown) await isTakenBack();
  const admission = await admitOne(session.database, intent, session);
  // On a connection that was cut the commit may have gone on, and have ended since.
  const mayBeOurs = isUnknown && admission.kind === 'in_flight';
  return mayBeOurs && (await isTakenBack()) ? admitOne(session.database, intent, session) : admission;
}

function followAlone(session: Session, entry: Following, isUnknown: boolean): Promise<Outcome> {
  const isBought = entry.kind === 'reply' || entry.kind === 'end';
  const following = (sql: Sql): Promise<Outcome> => follow(sql, entry, session, isUnknown);
  return session.database.write(following, { isBought, isOnce: true });
}

async function follow(sql: Sql, entry: Following, session: Session, isUnknown: boolean): Promise<Outcome> {
  const attempt = attemptOf(entry);
  const by = entry.kind === 'decision' ? { key: entry.decision.key } : { attempt: attempt ?? 0 };
  const history = await lockedHistory(sql, by);
  invariant(
    history !== undefined,
    attempt === undefined ? 'the call is not in doubt' : `there is no attempt ${attempt}`,
  );
  const before = isUnknown ? writtenAs(history, entry) : undefined;
  if (before !== undefined) return before;
  if (entry.kind === 'end' && wasEndedByOthers(history, entry.attempt, session))
    return endedByOthers(sql, history, entry);
  const drafts = draftsOf(history, entry, entry.kind === 'decision' ? await accountOf(sql, entry) : '');
  if (entry.kind === 'decision' && entry.decision.by === 'person')
    await noteAct(sql, session, 'settled', entry.decision.batch);
  const first = await write(sql, history, drafts);
  await bookMoved(sql, movedBy(history, drafts));
  const charged = shownPrice(history, entry, drafts[0]);
  if (charged !== undefined) await keepPrice(sql, history.call, charged);
  if (entry.kind === 'decision') return { kind: 'decided', decision: first as DecisionId };
  return drafts[0]?.kind === 'late' ? { kind: 'late' } : WRITTEN;
}

/** Nobody ends an attempt twice; of two who find that its age is over, or of one of them and who made it, one comes first. */
const wasEndedByOthers = (history: History, id: AttemptId, { own, given }: Session): boolean =>
  attemptIn(history, id)?.end !== undefined && (own.has(id) || given.has(id));

const accountOf = async (sql: Sql, { decision: { batch } }: EntryOf<'decision'>): Promise<string> =>
  (await oneCell<string>(sql, 'SELECT account FROM batches WHERE id = $1', [batch])) ?? '';
