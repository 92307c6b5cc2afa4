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
import { attemptIn, type History } from '../../rules/history.ts';
import { admitOne, admitPlain, isPlain } from './admissions.ts';
import { type Sql, Unsure } from './connection.ts';
import { endAll, keepPrices, kindOfEnd, movedBy, movedByEnd, replyAll, write } from './entries.ts';
import { lockedHistory } from './histories.ts';
import { joined } from './joined.ts';
import { bookMoved, fund, Lacking } from './money.ts';
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
  const unsure = new Set<CallEntry>();
  const lacking = await surely(session, ranked, unsure, () => together(session, ranked, outcomes));
  if (lacking !== undefined) {
    await fund(session.database, lacking);
    const left = ranked.filter((entry) => entry.kind === 'intent' && !outcomes.has(entry));
    await surely(session, left, unsure, () => together(session, left, outcomes));
  }
  for (const entry of ranked)
    if (!outcomes.has(entry)) outcomes.set(entry, await alone(session, entry, unsure));
  for (const [entry, outcome] of outcomes) note(session, entry, outcome);
  return entries.map((entry) => outcomes.get(entry) as Outcome);
}

/**
 * Makes a commit again of which the database did not say whether it was made: for one of many spenders, who outlive its restarts. An
 * intent of it was never sent, so that it is ended first if it is there.
 */
async function surely<T>(
  session: Session,
  entries: readonly CallEntry[],
  unsure: Set<CallEntry>,
  commit: () => Promise<T>,
): Promise<T> {
  for (;;) {
    if (entries.some((entry) => unsure.has(entry))) await endUnheard(session);
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof Unsure) || session.lock !== undefined) throw error;
      for (const entry of entries) unsure.add(entry);
    }
  }
}

async function endUnheard(session: Session): Promise<void> {
  const ends = (await unheardOf(session)).map((attempt) => neverSent(attempt, session));
  await surely(session, ends, new Set(), () => together(session, ends, new Map()));
}

const UNHEARD = `
SELECT c.open FROM calls c JOIN entries a ON a.of = c.open AND a.id = c.open
 WHERE c.open IS NOT NULL AND a.worker = $1 AND c.open <> ALL ($2::bigint[]) ORDER BY c.open`;

/** Attempts of this worker of which it never heard that they were admitted. */
async function unheardOf({ database, worker, own }: Session): Promise<readonly AttemptId[]> {
  const found = await database.rows<{ open: AttemptId }>(UNHEARD, [worker, [...own]]);
  return found.map(({ open }) => open);
}

export const neverSent = (attempt: AttemptId, { clock }: Session): EntryOf<'end'> => ({
  kind: 'end',
  attempt,
  closure: { kind: 'not_sent', why: 'the database did not say that it had noted the request' },
  atMs: clock?.wallMs() ?? 0,
});

/** Keeps which attempts this process has under way. */
function note(session: Session, entry: CallEntry, outcome: Outcome): void {
  if (outcome.kind === 'admitted') {
    session.own.add(outcome.attempt);
    session.acknowledged = outcome.attempt;
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

/** @returns what a purse lacked for the intents, none of which were admitted then. */
async function together(
  session: Session,
  entries: readonly CallEntry[],
  outcomes: Map<CallEntry, Outcome>,
): Promise<Lacking | undefined> {
  const of = <Kind extends EntryKind>(kind: Kind) =>
    entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  const replies = firsts(of('reply'), ({ attempt }) => attempt);
  const ends = firsts(of('end'), ({ attempt }) => attempt);
  const intents = firsts(
    of('intent').filter(({ intent }) => isPlain(intent)),
    ({ intent }) => intent.key,
  );
  if (replies.length + ends.length + intents.length === 0) return undefined;
  const isAll = replies.length + ends.length + of('intent').length === entries.length;
  const done = await session.database.commit(async (sql) => {
    const written = [...(await replyPlain(sql, replies)), ...(await endPlain(sql, ends))];
    // What is left may give back money, which the intents beside it are to find.
    if (!isAll || written.length < replies.length + ends.length || intents.length === 0) return { written };
    const admissions = await admitTogether(sql, session, intents);
    return admissions instanceof Lacking ? { written, lacking: admissions } : { written, admissions };
  });
  for (const entry of done.written) outcomes.set(entry, WRITTEN);
  for (const each of intents) {
    const admission = done.admissions?.get(each.intent.key);
    if (admission !== undefined) outcomes.set(each, admission);
  }
  return done.lacking;
}

async function replyPlain(
  sql: Sql,
  replies: readonly EntryOf<'reply'>[],
): Promise<readonly EntryOf<'reply'>[]> {
  if (replies.length === 0) return [];
  const kept = await replyAll(sql, replies);
  return replies.filter(({ attempt }) => kept.has(attempt));
}

/** Where a purse does not hold all of them, it is filled first; what it does not hold then is tried one by one. */
async function admitTogether(
  sql: Sql,
  session: Session,
  intents: readonly EntryOf<'intent'>[],
): Promise<ReadonlyMap<string, Admission> | Lacking> {
  await sql.script('SAVEPOINT intents');
  try {
    return await admitPlain(
      sql,
      intents.map(({ intent }) => intent),
      session,
    );
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    await sql.script('ROLLBACK TO SAVEPOINT intents');
    return error;
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

async function alone(session: Session, entry: CallEntry, unsure: Set<CallEntry>): Promise<Outcome> {
  const { database } = session;
  try {
    return await surely(session, [entry], unsure, () =>
      entry.kind === 'intent'
        ? admitOne(database, entry.intent, session)
        : database.commit((sql) => follow(sql, entry, session, unsure.has(entry))),
    );
  } catch (error) {
    return { kind: 'refused', error };
  }
}

type Following = Exclude<CallEntry, EntryOf<'intent'>>;

/** Writes what follows in the history of a call. */
async function follow(sql: Sql, entry: Following, session: Session, isUnsure: boolean): Promise<Outcome> {
  const attempt = attemptOf(entry);
  const by = entry.kind === 'decision' ? { key: entry.decision.key } : { attempt: attempt ?? 0 };
  const history = await lockedHistory(sql, by);
  invariant(
    history !== undefined,
    attempt === undefined ? 'the call is not in doubt' : `there is no attempt ${attempt}`,
  );
  if (isUnsure && isThere(history, entry)) return WRITTEN;
  if (entry.kind === 'end' && wasEndedByOthers(history, entry.attempt, session)) return { kind: 'over' };
  const drafts = await draftsOf(sql, history, entry);
  const first = await write(sql, history, drafts);
  await bookMoved(sql, movedBy(history, drafts));
  await keepShownPrice(sql, history, entry, drafts);
  if (entry.kind === 'decision') return { kind: 'decided', decision: first as DecisionId };
  return drafts[0]?.kind === 'late' ? { kind: 'late' } : WRITTEN;
}

/** Whether it was written by a commit of which nobody heard. */
function isThere(history: History, entry: Following): boolean {
  const attempt = attemptIn(history, attemptOf(entry) ?? null);
  if (entry.kind === 'reply') return attempt?.reply !== undefined;
  return entry.kind === 'end' && attempt?.end?.kind === kindOfEnd(entry.closure);
}

/** Nobody ends an attempt twice; of two who find that its age is over, or of one of them and who made it, one comes first. */
const wasEndedByOthers = (history: History, id: AttemptId, { own, given }: Session): boolean =>
  attemptIn(history, id)?.end !== undefined && (own.has(id) || given.has(id));

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
