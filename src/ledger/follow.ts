import { invariant } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import { type DecisionSpec, isAnswer, type Look, type RawReply, type Reading } from './call-records.ts';
import { keptKey, oneRow, type WriteContext } from './context.ts';
import { each, eachOf, type Sql } from './db.ts';
import { endCall, PRICE, readAgain, releaseCall, retractCall } from './ends.ts';
import {
  finishRows,
  isUnproven,
  moveRows,
  READ_AS_NONE,
  READ_AS_UNPROVEN,
  WAITS_FOR_RETRY,
  WAITS_FOR_STEP,
} from './moves.ts';
import { noteAct } from './notes.ts';
import type { AttemptId, BatchId, DecisionId, FinishedRow } from './records.ts';
import { rowOf } from './rows.ts';
import { isCurrent } from './schema.ts';

/** What is said of a call after it ended: looks, releases, decisions, and what a newer dialect reads. Each is a transaction. */

interface KeptCall {
  readonly id: AttemptId;
  readonly key: Uint8Array;
  readonly state: string;
  readonly prior: number | null;
  readonly payer: number | null;
  readonly reserved: number;
  readonly charged: number | null;
  readonly subject: number | null;
  readonly why: string | null;
  readonly moved: number;
}

const keptCall = (sql: Sql, id: number): Promise<KeptCall> =>
  oneRow<KeptCall>(sql, 'SELECT * FROM calls WHERE id = ?', [id]);

const NOTE = each({
  at: 'int',
  kind: 'text',
  said: 'text',
  call: 'int',
  batch: 'text',
  worker: 'int',
  who: 'text',
  words: 'text',
  facts: 'text',
})<{ readonly id: DecisionId }>(
  'INSERT INTO notes (at, kind, said, call, batch, worker, who, words, facts) SELECT v.* FROM v RETURNING id',
);

const IN_DOUBT = ['doubt', 'retried', 'lost'];

/** Each is on the disk when it resolves. */
export const followCalls = (context: WriteContext) => ({
  /** What the vendor said about a call in doubt. */
  look: ({ attempt, kind, said, why, status, body, atMs }: Look): Promise<void> =>
    context.transaction(async (sql) => {
      const { state } = await keptCall(sql, attempt);
      const isDoubt = IN_DOUBT.includes(state) || (await isUnproven(sql, attempt));
      invariant(isDoubt, 'only what is in doubt is looked at');
      const facts = JSON.stringify({ kind, status, body: body.toString('base64') });
      const note = { kind: 'looked', said, call: attempt, batch: null, who: 'rule', words: why, facts };
      await sql.each(NOTE, [{ ...note, at: Math.floor(atMs), worker: context.worker }]);
    }),

  /**
   * The doubt of a call ends that was not charged: its money is free again, and the call may be bought like any other. Refused unless a
   * look at that attempt said `not_happened`. @param batch whose rows a person named, also where they were skipped.
   */
  release: (attempt: AttemptId, why: string, atMs: number, batch?: BatchId): Promise<void> =>
    context.transaction(async (sql) => {
      const looks = `SELECT 1 AS is_said FROM notes WHERE call = ? AND kind = 'looked' AND said = 'not_happened' LIMIT 1`;
      invariant((await sql.rows(looks, [attempt])).length > 0, 'nobody said that it did not happen');
      if (await isUnproven(sql, attempt)) return retractChange(sql, attempt);
      if (batch !== undefined) await nameAgain(sql, { batch, call: attempt });
      const released = { call: attempt, why, at: Math.floor(atMs) };
      invariant(await releaseCall(sql, released, context.number()), 'only a doubt is released');
    }),

  /**
   * `told` settles the call at once: it becomes its answer, and the money at risk counts as spent. A person decides so, or the vendor's
   * own read-back (`rule`).
   */
  decide: (decision: DecisionSpec, more: DecisionContext = {}): Promise<DecisionId> =>
    decideDoubt(context, decision, more),

  /**
   * What a settled answer means by another dialect. Later calls use it. If it costs more than it was booked at, the difference is spent in
   * the same budgets. If it is none, its call is `unanswered`, may be bought again in its place, and the rows that it ended are in doubt.
   * A change stays answered, and its row alone is in doubt. Refused for answers that a person told.
   */
  readAgain: (reading: Reading): Promise<void> =>
    context.transaction((sql) => readReply(sql, context.number(), reading)),
});

/** A row that was skipped is in doubt again when a person names it, unless it is to be skipped. */
async function nameAgain(
  sql: Sql,
  of: { readonly batch: BatchId; readonly call: number },
  kind?: DecisionSpec['kind'],
): Promise<void> {
  if (kind !== 'skip') await moveRows(sql, of, ['skipped'], 'in_doubt', null);
}

/** It was not done after all. What it cost stays spent, and nobody knows how its subject is. */
async function retractChange(sql: Sql, call: AttemptId): Promise<void> {
  await retractCall(sql, call);
  await sql.rows(
    `UPDATE subjects SET facts = NULL FROM calls c WHERE c.id = ? AND subjects.id = c.subject AND subjects.seq = c.after + 1`,
    [call],
  );
  await moveRows(sql, { call }, ['in_doubt'], 'refused', 'not done: run the list again');
}

export interface DecisionContext {
  /** By a rule, which has looked at one loss: it is refused where another one stands by now. */
  readonly about?: AttemptId;
  readonly told?: RawReply | undefined;
  /** Left out: `found`. */
  readonly toldAs?: 'found' | 'no_match' | undefined;
  /** How a change that was told left its subject. */
  readonly left?: SubjectFacts | undefined;
  /** How the rows that were in doubt on it end by what was told, or in its batch by a skip. The others wait for their next run; without any, a skip ends them all. */
  readonly finishes?: readonly FinishedRow[] | undefined;
}

/** What stands of the call that a decision is about. */
async function decidable(
  sql: Sql,
  { secret }: WriteContext,
  { key, batch, kind }: DecisionSpec,
): Promise<KeptCall> {
  const [call] = await sql.rows<KeptCall>(
    `SELECT * FROM calls c WHERE c.key = ? AND c.state IN ('doubt', 'answered') AND c.account = (SELECT account FROM batches WHERE id = ?)`,
    [keptKey(secret, key), batch],
  );
  const isSettled = call?.state === 'answered';
  invariant(
    call !== undefined && (!isSettled || (await isUnproven(sql, call.id))),
    `call ${key} is not in doubt`,
  );
  invariant(!isSettled || kind === 'told', 'a change that counted as done is not sent again, nor left out');
  return call;
}

function decideDoubt(
  context: WriteContext,
  decision: DecisionSpec,
  { about, told, ...more }: DecisionContext,
): Promise<DecisionId> {
  const { batch, kind, by, why, atMs } = decision;
  invariant((kind === 'told') === (told !== undefined), 'a decision is told with a reply, and only then');
  return context.transaction(async (sql) => {
    const doubt = await decidable(sql, context, decision);
    const [of, isLast] = [{ batch, call: doubt.id }, about === undefined || about === doubt.id];
    invariant(isLast, 'the decision is about a loss that is not the last one');
    const isPersons = by === 'person';
    if (isPersons) {
      await noteAct(sql, context, 'settled', batch);
      await nameAgain(sql, of, kind);
    }
    const at = Math.floor(atMs);
    const facts = told && JSON.stringify({ status: told.status, body: told.body.toString('base64') });
    const note = { ...of, said: kind, at, worker: context.worker, who: by, words: why, facts: facts ?? null };
    const [made] = await sql.each(NOTE, [{ ...note, kind: told === undefined ? 'decided' : 'told' }]);
    invariant(made !== undefined, 'a note has a number');
    // A rule decides for a run, which goes on with the row itself.
    if (isPersons && kind === 'retry') await eachOf(sql, WAITS_FOR_RETRY, [of]);
    if (isPersons && kind === 'skip') await skip(sql, of, doubt, more.finishes);
    if (told !== undefined) await tell(sql, context, doubt, { ...more, why, at });
    return made.id;
  });
}

/** @param finishes of a batch of several steps: of a row that is none of these another step is still to be asked. */
async function skip(
  sql: Sql,
  of: { readonly batch: BatchId; readonly call: number },
  { why }: KeptCall,
  finishes: DecisionContext['finishes'],
): Promise<void> {
  if (finishes !== undefined) {
    await finishRows(sql, of.call, finishes.map(rowOf));
    await eachOf(sql, WAITS_FOR_STEP, [of]);
  } else await moveRows(sql, of, ['pending', 'in_doubt'], 'skipped', `skipped by the user: ${why}`);
}

interface ToldReply extends Pick<DecisionContext, 'toldAs' | 'left' | 'finishes'> {
  readonly why: string;
  readonly at: number;
}

/** Nobody says whether it was charged, so it counts at what it had reserved; and so does all that was lost before it. */
async function tell(sql: Sql, { number }: WriteContext, doubt: KeptCall, told: ToldReply): Promise<void> {
  const { why, at, toldAs = 'found', finishes = [] } = told;
  const facts = told.left === undefined ? null : JSON.stringify(told.left);
  await finishRows(sql, doubt.id, finishes.map(rowOf));
  if (doubt.state === 'answered') return proveChange(sql, doubt.id, facts, why);
  const lost = await lostBefore(sql, doubt);
  for (const { id, payer, reserved } of [doubt, ...lost.filter(({ id }) => id !== doubt.payer)]) {
    await sql.rows(
      `INSERT INTO replies (call, status, headers, body, at) VALUES (?, 0, '{}', ?, ?) ON CONFLICT (call) DO NOTHING`,
      [id, Buffer.alloc(0), at],
    );
    // A repeat under the vendor's key holds nothing of its own: what it may have cost is held where it was risked first.
    const charged = payer === null ? reserved : (lost.find((other) => other.id === payer)?.reserved ?? 0);
    const answer = { state: 'answered', said: toldAs, charged, is_at_most: charged > 0 ? 1 : 0 };
    const end = { ...answer, call: id, why, dialect: null, at, price: null };
    await endCall(sql, { ...end, facts: id === doubt.id ? facts : null }, number());
  }
}

async function proveChange(sql: Sql, call: AttemptId, facts: string | null, why: string): Promise<void> {
  // From now on what was told is its answer, which no dialect reads.
  await sql.rows('UPDATE calls SET dialect = NULL WHERE id = ?', [call]);
  await sql.rows(
    `UPDATE subjects SET facts = coalesce(?, facts) FROM calls c WHERE c.id = ? AND subjects.id = c.subject AND subjects.seq = c.after + 1`,
    [facts, call],
  );
  await moveRows(sql, { call }, ['in_doubt'], 'applied', why);
}

async function lostBefore(sql: Sql, { prior }: KeptCall): Promise<readonly KeptCall[]> {
  if (prior === null) return [];
  const call = await keptCall(sql, prior);
  return call.state === 'retried' ? [call, ...(await lostBefore(sql, call))] : [];
}

/** What a kept reply means by a newer dialect. The cost is never less than it was booked at. */
async function readReply(sql: Sql, moved: number, reading: Reading): Promise<void> {
  const { attempt, answer, why, dialect, atMs, showsPrice, reason = why } = reading;
  const call = await keptCall(sql, attempt);
  const told = `SELECT 1 AS is_told FROM notes WHERE call = ? AND kind = 'told' LIMIT 1`;
  invariant((await sql.rows(told, [attempt])).length === 0, 'what a person told is not read again');
  const booked = call.charged ?? call.reserved;
  const charged = Math.max(reading.charged, booked);
  const isExact = charged === reading.charged && charged === call.charged;
  const read = {
    call: attempt,
    said: answer,
    charged,
    is_at_most: charged > 0 && !isExact ? 1 : 0,
    why,
    dialect,
  };
  const price = showsPrice ? charged : null;
  if (IN_DOUBT.includes(call.state)) {
    invariant(isAnswer(answer), 'only what was an answer turns out to be none');
    const end = { ...read, state: 'answered', at: Math.floor(atMs), price, facts: null };
    await endCall(sql, end, moved);
    return;
  }
  invariant(call.charged !== null && call.state !== 'erased', 'only an answer is read again');
  if (call.subject !== null) return readChange(sql, reading);
  await readAgain(sql, { ...read, state: await readAs(sql, call, isAnswer(answer)) }, charged - booked);
  if (!isAnswer(answer)) await sql.each(READ_AS_NONE, [{ call: attempt, reason }]);
  await sql.each(PRICE, [{ call: attempt, price, moved: call.moved }]);
}

/** The call stays as it is, because the change may have been made. */
async function readChange(sql: Sql, { attempt, answer, why, dialect, reason = why }: Reading): Promise<void> {
  await sql.rows('UPDATE calls SET dialect = ? WHERE id = ?', [dialect, attempt]);
  if (answer === 'found') await moveRows(sql, { call: attempt }, ['in_doubt'], 'applied', null);
  else await sql.each(READ_AS_UNPROVEN, [{ call: attempt, reason }]);
}

/** How the call of a lookup stands then. What a former dialect took for none is an answer again, unless the call was bought anew since. */
async function readAs(sql: Sql, { state, key }: KeptCall, isAnswered: boolean): Promise<string> {
  if (!isAnswered) return state === 'answered' ? 'retracted' : state;
  const current = await sql.rows(`SELECT c.id FROM calls c WHERE c.key = ? AND ${isCurrent('c')}`, [key]);
  return state === 'retracted' && current.length === 0 ? 'answered' : state;
}
