import { invariant } from '../../../core/errors.ts';
import {
  type Admission,
  type AttemptId,
  type CallEntry,
  type DecisionId,
  type EntryKind,
  type EntryOf,
  type Outcomes,
  type OutcomesOf,
  type RefusedEntry,
  rankOf,
  WRITTEN,
} from '../../ledger.ts';
import {
  type Draft,
  draftDecision,
  draftEnd,
  draftLook,
  draftReading,
  draftRelease,
  draftReply,
} from '../../rules/drafts.ts';
import type { History } from '../../rules/history.ts';
import { noteAct } from './acts.ts';
import { admitOne, admitPlain, isPlain } from './admissions.ts';
import type { Sql } from './connection.ts';
import { endAll, keepPrices, movedBy, movedByEnd, replyAll, write } from './entries.ts';
import { lockedHistory } from './histories.ts';
import { joined } from './joined.ts';
import { bookMoved, OverCap } from './money.ts';
import type { Session } from './session.ts';

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
  const refusal = session.lock?.refusal();
  // What answers say is written also then: it may have been paid for.
  if (refusal !== undefined) {
    for (const entry of entries)
      if (entry.kind === 'intent') outcomes.set(entry, { kind: 'refused', error: refusal });
  }
  const ranked = entries.filter((entry) => !outcomes.has(entry)).toSorted((a, b) => rankOf(a) - rankOf(b));
  await together(session, ranked, outcomes);
  for (const entry of ranked) if (!outcomes.has(entry)) outcomes.set(entry, await alone(session, entry));
  return entries.map((entry) => outcomes.get(entry) as Outcome);
}

/** A call, and an attempt, is in a statement once. */
function firsts<Entry>(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string | number,
): readonly Entry[] {
  return [...new Map(entries.toReversed().map((entry) => [nameOf(entry), entry])).values()];
}

async function together(
  session: Session,
  entries: readonly CallEntry[],
  outcomes: Map<CallEntry, Outcome>,
): Promise<void> {
  const of = <Kind extends EntryKind>(kind: Kind) =>
    entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  const replies = firsts(of('reply'), ({ attempt }) => attempt);
  const ends = firsts(of('end'), ({ attempt }) => attempt);
  const intents = firsts(
    of('intent').filter(({ intent }) => isPlain(intent)),
    ({ intent }) => intent.key,
  );
  if (replies.length + ends.length + intents.length === 0) return;
  const isAll = replies.length + ends.length + of('intent').length === entries.length;
  const done = await session.database.write(async (sql) => {
    const written = new Map<CallEntry, Outcome>();
    for (const reply of await replyPlain(sql, replies)) written.set(reply, WRITTEN);
    for (const end of await endPlain(sql, ends)) written.set(end, WRITTEN);
    // What is left may give back money, which the intents beside it are to find.
    if (!isAll || written.size < replies.length + ends.length || intents.length === 0) return written;
    const admissions = await admitTogether(sql, session, intents);
    for (const each of intents) {
      const admission = admissions.get(each.intent.key);
      if (admission !== undefined) written.set(each, admission);
    }
    return written;
  });
  for (const [entry, outcome] of done) outcomes.set(entry, outcome);
}

async function replyPlain(
  sql: Sql,
  replies: readonly EntryOf<'reply'>[],
): Promise<readonly EntryOf<'reply'>[]> {
  if (replies.length === 0) return [];
  const kept = await replyAll(sql, replies);
  return replies.filter(({ attempt }) => kept.has(attempt));
}

/** Where a budget does not hold all of them, each is held against it by itself. */
async function admitTogether(
  sql: Sql,
  session: Session,
  intents: readonly EntryOf<'intent'>[],
): Promise<ReadonlyMap<string, Admission>> {
  await sql.script('SAVEPOINT intents');
  try {
    return await admitPlain(
      sql,
      intents.map(({ intent }) => intent),
      session,
    );
  } catch (error) {
    if (!(error instanceof OverCap)) throw error;
    await sql.script('ROLLBACK TO SAVEPOINT intents');
    return new Map();
  }
}

async function endPlain(sql: Sql, ends: readonly EntryOf<'end'>[]): Promise<readonly EntryOf<'end'>[]> {
  const sound = ends.filter(({ closure }) => closure.kind !== 'answered' || closure.charged >= 0);
  if (sound.length === 0) return [];
  const rows = new Map((await endAll(sql, sound)).map((row) => [row.attempt, row]));
  const ended = sound.flatMap((end) => {
    const row = rows.get(end.attempt);
    return row === undefined ? [] : [{ end, row }];
  });
  await bookMoved(
    sql,
    ended.map(({ end, row }) => movedByEnd(end, row)),
  );
  const shown = ended.flatMap(({ end: { closure }, row }) =>
    closure.kind === 'answered' && closure.showsPrice ? [{ ...row, charged: closure.charged }] : [],
  );
  await keepPrices(sql, shown);
  return ended.map(({ end }) => end);
}

async function alone(session: Session, entry: CallEntry): Promise<Outcome> {
  const { database } = session;
  try {
    if (entry.kind === 'intent') return await admitOne(database, entry.intent, session);
    return await database.write((sql) => follow(sql, entry, session));
  } catch (error) {
    return { kind: 'refused', error };
  }
}

type Following = Exclude<CallEntry, EntryOf<'intent'>>;

/** Writes what follows in the history of a call. */
async function follow(sql: Sql, entry: Following, session: Session): Promise<Outcome> {
  const attempt = attemptOf(entry);
  const by = entry.kind === 'decision' ? { key: entry.decision.key } : { attempt: attempt ?? 0 };
  const history = await lockedHistory(sql, by);
  invariant(
    history !== undefined,
    attempt === undefined ? 'the call is not in doubt' : `there is no attempt ${attempt}`,
  );
  const drafts = await draftsOf(sql, history, entry);
  if (entry.kind === 'decision' && entry.decision.by === 'person')
    await noteAct(sql, session, 'settled', entry.decision.batch);
  const first = await write(sql, history, drafts);
  await bookMoved(sql, movedBy(history, drafts));
  await keepShownPrice(sql, history, entry, drafts);
  if (entry.kind === 'decision') return { kind: 'decided', decision: first as DecisionId };
  return drafts[0]?.kind === 'late' ? { kind: 'late' } : WRITTEN;
}

function attemptOf(entry: Following): AttemptId | undefined {
  if (entry.kind === 'decision') return undefined;
  if (entry.kind === 'reading') return entry.reading.attempt;
  return entry.kind === 'look' ? entry.look.attempt : entry.attempt;
}

async function draftsOf(sql: Sql, history: History, entry: Following): Promise<readonly Draft[]> {
  switch (entry.kind) {
    case 'reply':
      return [draftReply(history, entry)];
    case 'end':
      return draftEnd(history, entry);
    case 'reading':
      return [draftReading(history, entry.reading)];
    case 'look':
      return [draftLook(history, entry.look)];
    case 'release':
      return draftRelease(history, entry);
    case 'decision': {
      const text = 'SELECT account FROM batches WHERE id = $1';
      const batch = await sql.row<{ account: string }>(text, [entry.decision.batch]);
      return draftDecision(history, entry, batch?.account ?? '');
    }
  }
}

async function keepShownPrice(
  sql: Sql,
  { call }: History,
  entry: Following,
  drafts: readonly Draft[],
): Promise<void> {
  const { operation, creditsMost: most = null } = call.call;
  const priced = { account: call.account, operation, most };
  if (entry.kind === 'end' && entry.closure.kind === 'answered' && entry.closure.showsPrice)
    await keepPrices(sql, [{ ...priced, charged: entry.closure.charged }]);
  if (entry.kind === 'reading' && entry.reading.showsPrice)
    await keepPrices(sql, [{ ...priced, charged: Math.max(entry.reading.charged, drafts[0]?.spent ?? 0) }]);
}
