import { invariant } from '../core/errors.ts';
import { finding, NO_FINDINGS, together } from '../core/finding.ts';
import { type Findings, findingsIn, keptFindings } from '../core/findings.ts';
import type { SubjectFacts } from '../core/membership.ts';
import {
  type DecisionSpec,
  type End,
  isAnswer,
  type Look,
  type Reading,
  type Reply,
} from './call-records.ts';
import { keptKey, oneRow, type WriteContext } from './context.ts';
import { eachOf, type Sql } from './db.ts';
import { startsBeside } from './lists.ts';
import { noteAct, writeNote } from './notes.ts';
import type { AttemptId, BatchId, DecisionId, FinishedRow } from './records.ts';
import { rowOf } from './rows.ts';
import { isBeside, isCurrent, isInDoubt } from './schema.ts';
import {
  doubtUnproven,
  doubtUnread,
  endAttempt,
  endRow,
  finishRowsOf,
  giveId,
  isUnproven,
  moveRows,
  NO_ID,
  readAgain,
  releaseAttempt,
  resumeForRetry,
  resumeForStep,
  retractAttempt,
  retractBooked,
  skipRowOf,
} from './transitions.ts';

/**
 * What is said of an attempt after it ended: looks, releases, decisions, and new readings by a newer dialect.
 * Each of them is one transaction.
 */

interface AttemptRow {
  readonly id: AttemptId;
  readonly key: Uint8Array;
  readonly state: string;
  readonly prior: number | null;
  readonly payer: number | null;
  readonly reserved: number;
  readonly charged: number | null;
  readonly subject: number | null;
  readonly why: string | null;
  readonly ended_at: number | null;
  readonly moved: number;
}

const attemptRow = (sql: Sql, id: number): Promise<AttemptRow> =>
  oneRow<AttemptRow>(sql, 'SELECT * FROM attempts WHERE id = ?', [id]);

/** The oldest comes first, so that none of them stands again when the one in its place is released. */
const ATTEMPTS_BESIDE = `SELECT att.id FROM attempts att_other
  JOIN attempts att ON att.key = att_other.key AND ${isBeside('att')}
  WHERE att_other.id = ? ORDER BY att.sent_at, att.id`;

/** What each method writes is on the disk when its promise resolves. */
export const followCalls = (context: WriteContext) => ({
  /** What the vendor said about a call in doubt. */
  look: (look: Look): Promise<void> =>
    context.transaction(async (sql) => {
      const { state } = await attemptRow(sql, look.attempt);
      const isDoubt = isInDoubt(state) || state === 'accepted' || (await isUnproven(sql, look.attempt));
      invariant(isDoubt, 'only what is in doubt is looked at');
      await noteLook(sql, context, look);
    }),

  /**
   * Ends the doubt of a call that was not charged, or the wait for what was accepted: its money is free
   * again, and the call may be bought like any other call. Refused unless a look at that attempt said
   * `not_happened`.
   * @param batch with rows that a person named, also where they were skipped.
   */
  release: (attempt: AttemptId, why: string, atMs: number, batch?: BatchId): Promise<void> =>
    context.transaction(async (sql) => {
      const looks = `SELECT 1 AS is_said FROM notes WHERE attempt = ?
        AND kind = 'looked' AND said = 'not_happened' LIMIT 1`;
      invariant((await sql.rows(looks, [attempt])).length > 0, 'no decision says that it did not happen');
      if (await isUnproven(sql, attempt)) return retractChange(sql, attempt);
      if (batch !== undefined) await nameAgain(sql, { batch, attempt });
      const released = { attempt, why: finding('told', { words: why }), at: Math.floor(atMs) };
      invariant(await releaseAttempt(sql, released, context.number()), 'only a doubt is released');
    }),

  /**
   * Frees what the calls of these attempts hold beside their answers, because a person says that it was not
   * done. The rows and their answers stay.
   */
  releaseBeside: (of: readonly AttemptId[], why: string, atMs: number): Promise<void> =>
    context.transaction(async (sql) => {
      const look = {
        kind: 'person',
        said: 'not_happened',
        why,
        status: 0,
        body: Buffer.alloc(0),
        atMs,
      } as const;
      for (const each of of)
        for (const { id: attempt } of await sql.rows<{ id: AttemptId }>(ATTEMPTS_BESIDE, [each])) {
          await noteLook(sql, context, { ...look, attempt });
          const released = { attempt, why: finding('told', { words: why }), at: Math.floor(atMs) };
          await releaseAttempt(sql, released, context.number());
        }
    }),

  /** The id by which the vendor answers a call in doubt, as a newer dialect finds it in the reply. */
  giveId: (attempt: AttemptId, end: Extract<End, { kind: 'accepted' }>, atMs: number): Promise<void> =>
    context.transaction((sql) => giveId(sql, endRow(attempt, end, atMs), context.number())),

  /**
   * `told` settles the call at once: it becomes its answer, and the money at risk counts as spent. A person
   * decides so, or the vendor's own read-back (`rule`).
   */
  decide: (decision: DecisionSpec, more: DecisionContext = {}): Promise<DecisionId> =>
    decideDoubt(context, decision, more),

  /**
   * Keeps what a settled answer means by another dialect. Later calls use the new reading. If the answer
   * costs more than was booked, the difference is spent in the same budgets. If it is no answer, its call is
   * `unanswered` and may be bought again in its place, and the rows that it ended are in doubt. A change
   * stays answered, and its row alone is in doubt. Refused for answers that a person told.
   */
  readAgain: (reading: Reading): Promise<void> =>
    context.transaction((sql) => readReply(sql, context.number(), reading)),
});

async function noteLook(
  sql: Sql,
  { worker }: WriteContext,
  { attempt, kind, said, why, status, body, atMs }: Look,
): Promise<void> {
  const facts = JSON.stringify({ kind, status, body: body.toString('base64') });
  const who = kind === 'person' ? 'person' : 'rule';
  const looked = { at: Math.floor(atMs), kind: 'looked', said, attempt, facts };
  await writeNote(sql, { ...looked, worker, who, words: why });
}

/** A row that was skipped is in doubt again when a person names it, unless it is to be skipped. */
async function nameAgain(
  sql: Sql,
  of: { readonly batch: BatchId; readonly attempt: number },
  kind?: DecisionSpec['kind'],
): Promise<void> {
  if (kind !== 'skip') await moveRows(sql, of, ['skipped'], 'in_doubt', NO_FINDINGS);
}

/** The subject of a change that no later change has altered. */
const AS_IT_LEFT = `FROM attempts att
  WHERE att.id = ? AND subjects.id = att.subject AND subjects.seq = att.after + 1`;

/** The change was not done after all. What it cost stays spent, and no one knows the state of its subject. */
async function retractChange(sql: Sql, attempt: AttemptId): Promise<void> {
  await retractAttempt(sql, attempt);
  await sql.rows(`UPDATE subjects SET facts = NULL ${AS_IT_LEFT}`, [attempt]);
  await moveRows(sql, { attempt }, ['in_doubt'], 'refused', finding('not_done', {}));
}

export interface DecisionContext {
  /** The loss that a rule has looked at: the decision is refused where another loss stands by now. */
  readonly about?: AttemptId;
  readonly reply?: Reply | undefined;
  /** Left out: `found`. */
  readonly toldAs?: 'found' | 'no_match' | undefined;
  /** How a change that was told left its subject. */
  readonly leftFacts?: SubjectFacts | undefined;
  /**
   * How the rows that were in doubt on it end by what was told, or in its batch by a skip. The others wait
   * for their next run; without any, a skip ends them all.
   */
  readonly finishes?: readonly FinishedRow[] | undefined;
}

/** The attempt that stands for the call of a decision. Only a person decides about what was accepted. */
async function decidable(sql: Sql, context: WriteContext, spec: DecisionSpec): Promise<AttemptRow> {
  const { secret } = context;
  const { key, batch, kind, by } = spec;
  const [current] = await sql.rows<AttemptRow>(
    `SELECT * FROM attempts att WHERE att.key = ? AND ${isCurrent('att')} AND att.state <> 'open'
     AND (att.state <> 'accepted' OR CAST(? AS TEXT) = 'person')
     AND att.account IN (SELECT account FROM batch_accounts WHERE batch = ?)`,
    [keptKey(secret, key), by, batch],
  );
  const isSettled = current?.state === 'answered';
  invariant(
    current !== undefined && (!isSettled || (await isUnproven(sql, current.id))),
    `call ${key} is not in doubt`,
  );
  invariant(!isSettled || kind === 'told', 'a change that counted as done is not sent again, nor left out');
  return current;
}

function decideDoubt(
  context: WriteContext,
  decision: DecisionSpec,
  { about, reply, ...more }: DecisionContext,
): Promise<DecisionId> {
  const { batch, kind, by, why, atMs } = decision;
  invariant((kind === 'told') === (reply !== undefined), 'a decision is told with a reply, and only then');
  return context.transaction(async (sql) => {
    const doubt = await decidable(sql, context, decision);
    const [of, isLast] = [{ batch, attempt: doubt.id }, about === undefined || about === doubt.id];
    invariant(isLast, 'the decision is about a loss that is not the last one');
    const isPersons = by === 'person';
    if (isPersons) {
      await noteAct(sql, context, 'settled', batch);
      await nameAgain(sql, of, kind);
    }
    const at = Math.floor(atMs);
    const since = doubt.ended_at;
    const facts =
      reply && JSON.stringify({ status: reply.status, body: reply.body.toString('base64'), since });
    const decided = { ...of, at, said: kind, worker: context.worker, who: by, words: why };
    const form = { kind: reply === undefined ? 'decided' : 'told', facts: facts ?? null };
    const id = await writeNote(sql, { ...decided, ...form });
    // A rule decides for a run, which goes on with the row itself.
    if (isPersons && kind === 'retry') await retry(sql, context, of, doubt, at);
    if (isPersons && kind === 'skip') {
      await skip(sql, context, of, doubt, { ...more, at });
      await skipElsewhere(sql, of, doubt);
    }
    if (reply !== undefined) await tell(sql, context, doubt, { ...more, why, at });
    return id;
  });
}

interface OfBatch {
  readonly batch: BatchId;
  readonly attempt: number;
}

const NO_ANSWER = { said: null, charged: null, is_at_most: 0, dialect: null, price: null, facts: null };

/** A person may have a call sent again although the vendor is at work on it: then the call is in doubt. */
async function retry(
  sql: Sql,
  { number }: WriteContext,
  of: OfBatch,
  { id, state }: AttemptRow,
  at: number,
): Promise<void> {
  const why = keptFindings(finding('accepted_and_sent_again', {}));
  if (state === 'accepted')
    await endAttempt(sql, { ...NO_ANSWER, ...NO_ID, attempt: id, state: 'doubt', why, at }, number());
  await eachOf(sql, resumeForRetry, [of]);
}

/**
 * @param finishes of a batch of several steps: of a row that is none of these another step is still to be
 * asked.
 */
async function skip(
  sql: Sql,
  context: WriteContext,
  of: OfBatch,
  doubt: AttemptRow,
  { finishes, at }: Pick<DecisionContext, 'finishes'> & { readonly at: number },
): Promise<void> {
  const { why, state } = doubt;
  // rule 10e
  if (state === 'accepted') {
    // No one asks for its answer any more, so what it may have cost is spent.
    const leftOut = finding('left_out_unanswered', {});
    const booked = await bookAtMost(sql, context, doubt, { said: 'in_doubt', facts: null, at, why: leftOut });
    await retractBooked(sql, booked);
    if (finishes === undefined) await skipRowOf(sql, doubt.id, skippedFor(why));
  } else if (finishes !== undefined) {
    await finishRowsOf(sql, of.attempt, finishes.map(rowOf));
    await eachOf(sql, resumeForStep, [of]);
  } else await moveRows(sql, of, ['pending', 'in_doubt'], 'skipped', skippedFor(why));
}

const skippedFor = (why: string | null): Findings =>
  together(finding('skipped_by_user', {}), findingsIn(why));

/** A call that a person leaves out is left out of all starts of the list: no row of theirs waits for her. */
async function skipElsewhere(sql: Sql, { batch, attempt }: OfBatch, { why }: AttemptRow): Promise<void> {
  for (const other of await startsBeside(sql, batch))
    await moveRows(sql, { batch: other, attempt }, ['in_doubt'], 'skipped', skippedFor(why));
}

interface ToldReply extends Pick<DecisionContext, 'toldAs' | 'leftFacts' | 'finishes'> {
  readonly why: string;
  readonly at: number;
}

/**
 * No one says whether the call was charged, so it counts at what it had reserved, and so do all earlier
 * doubts about it.
 */
async function tell(sql: Sql, context: WriteContext, doubt: AttemptRow, toldReply: ToldReply): Promise<void> {
  const { why, at, toldAs = 'found', finishes = [] } = toldReply;
  const facts = toldReply.leftFacts === undefined ? null : JSON.stringify(toldReply.leftFacts);
  await finishRowsOf(sql, doubt.id, finishes.map(rowOf));
  if (doubt.state === 'answered') return proveChange(sql, doubt.id, facts, why);
  await bookAtMost(sql, context, doubt, { said: toldAs, facts, at, why: finding('told', { words: why }) });
}

interface Booking {
  readonly said: string;
  readonly facts: string | null;
  readonly at: number;
  readonly why: Findings;
}

/**
 * Books a call that may have been charged or not, and all earlier doubts about it.
 * @returns the attempts.
 */
async function bookAtMost(
  sql: Sql,
  { number }: WriteContext,
  doubt: AttemptRow,
  { said, facts, at, why }: Booking,
): Promise<readonly number[]> {
  const earlier = await doubtsBefore(sql, doubt);
  const all = [doubt, ...earlier.filter(({ id }) => id !== doubt.payer)];
  for (const { id, payer, reserved } of all) {
    await sql.rows(
      `INSERT INTO replies (attempt, number, status, headers, body, at)
       SELECT id, CASE WHEN vendor_id IS NULL THEN 0 ELSE 1 END, 0, '{}', CAST(? AS {bytes}), CAST(? AS {int})
       FROM attempts WHERE id = ? ON CONFLICT (attempt, number) DO NOTHING`,
      [Buffer.alloc(0), at, id],
    );
    // A repeat under the vendor's key holds nothing of its own: what it may have cost is held where it was
    // risked first.
    const charged = payer === null ? reserved : (earlier.find((other) => other.id === payer)?.reserved ?? 0);
    const answer = { state: 'answered', said, charged, is_at_most: charged > 0 ? 1 : 0 };
    const end = { ...answer, attempt: id, dialect: null, at, price: null, ...NO_ID };
    // The note has the person's words, so the attempt goes on saying why it was in doubt.
    const of =
      id === doubt.id
        ? { facts, why: doubt.why ?? keptFindings(why) }
        : { facts: null, why: keptFindings(why) };
    await endAttempt(sql, { ...end, ...of }, number());
  }
  return all.map(({ id }) => id);
}

async function proveChange(sql: Sql, attempt: AttemptId, facts: string | null, why: string): Promise<void> {
  // From now on its answer is the one that a person told, which no dialect reads.
  await sql.rows('UPDATE attempts SET dialect = NULL WHERE id = ?', [attempt]);
  if (facts !== null) await sql.rows(`UPDATE subjects SET facts = ? ${AS_IT_LEFT}`, [facts, attempt]);
  await moveRows(sql, { attempt }, ['in_doubt'], 'applied', finding('told', { words: why }));
}

async function doubtsBefore(sql: Sql, { prior }: AttemptRow): Promise<readonly AttemptRow[]> {
  if (prior === null) return [];
  const before = await attemptRow(sql, prior);
  return before.state === 'retried' ? [before, ...(await doubtsBefore(sql, before))] : [];
}

/** Keeps what a reply means by a newer dialect. The cost is never less than the cost that was booked. */
async function readReply(sql: Sql, moved: number, reading: Reading): Promise<void> {
  const { attempt, answer, dialect, atMs, showsPrice, findings = reading.why } = reading;
  const why = keptFindings(reading.why);
  const attemptBefore = await attemptRow(sql, attempt);
  const toldNoteSql = `SELECT 1 AS is_told FROM notes WHERE attempt = ? AND kind = 'told' LIMIT 1`;
  invariant((await sql.rows(toldNoteSql, [attempt])).length === 0, 'what a person told is not read again');
  const booked = attemptBefore.charged ?? attemptBefore.reserved;
  const charged = Math.max(reading.charged, booked);
  const isExact = charged === reading.charged && charged === attemptBefore.charged;
  const is_at_most = charged > 0 && !isExact ? 1 : 0;
  const price = showsPrice ? charged : null;
  const found = { attempt, said: answer, charged, is_at_most, why, dialect, price };
  const read = { ...found, facts: null, ...NO_ID };
  if (isInDoubt(attemptBefore.state)) {
    invariant(isAnswer(answer), 'only what was an answer turns out to be none');
    await endAttempt(sql, { ...read, state: 'answered', at: Math.floor(atMs) }, moved);
    return;
  }
  invariant(
    attemptBefore.charged !== null && attemptBefore.state !== 'erased',
    'only an answer is read again',
  );
  if (attemptBefore.subject !== null) return readChange(sql, reading);
  const state = await readAs(sql, attemptBefore, isAnswer(answer));
  await readAgain(sql, { ...read, state, at: Math.floor(atMs) }, charged - booked, attemptBefore.moved);
  if (!isAnswer(answer)) await sql.each(doubtUnread, [{ attempt, findings: keptFindings(findings) }]);
}

/** The attempt stays as it is, because the change may have been made. */
async function readChange(sql: Sql, reading: Reading): Promise<void> {
  const { attempt, answer, why, dialect, findings = why } = reading;
  await sql.rows('UPDATE attempts SET dialect = ? WHERE id = ?', [dialect, attempt]);
  if (answer === 'found') await moveRows(sql, { attempt }, ['in_doubt'], 'applied', NO_FINDINGS);
  else await sql.each(doubtUnproven, [{ attempt, findings: keptFindings(findings) }]);
}

/**
 * The state of a lookup's attempt by the new reading. If a former dialect took an answer for none, it is an
 * answer again, unless the call was bought anew since.
 */
async function readAs(sql: Sql, { state, key }: AttemptRow, saysAnswer: boolean): Promise<string> {
  if (!saysAnswer) return state === 'answered' ? 'retracted' : state;
  const current = await sql.rows(
    `SELECT att.id FROM attempts att
    WHERE att.key = ? AND ${isCurrent('att')}`,
    [key],
  );
  return state === 'retracted' && current.length === 0 ? 'answered' : state;
}
