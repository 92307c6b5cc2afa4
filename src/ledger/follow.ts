import { invariant } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import { type DecisionSpec, isAnswer, type Look, type RawReply, type Reading } from './call-records.ts';
import { keptKey, type Writing } from './context.ts';
import type { Sql } from './db.ts';
import { endCall, readAgain, releaseCall } from './ends.ts';
import type { Row } from './group.ts';
import {
  applyRows,
  doubtAppliedRows,
  doubtReadRows,
  finishRows,
  isUnproven,
  nameAgain,
  refuseRows,
  skipRows,
  waitForRetry,
} from './moves.ts';
import { noteAct } from './notes.ts';
import type { AttemptId, BatchId, DecisionId, FinishedRow } from './records.ts';
import { rowOf } from './rows.ts';
import { isCurrent } from './schema.ts';

/** What is said of a call after it ended: looks, releases, decisions, and what a newer dialect reads. Each is a transaction. */

interface Kept {
  readonly id: number;
  readonly key: Uint8Array;
  readonly state: string;
  readonly kind: string;
  readonly account: number;
  readonly prior: number | null;
  readonly payer: number | null;
  readonly reserved: number;
  readonly charged: number | null;
  readonly is_at_most: number;
  readonly subject: number | null;
  readonly operation: string;
  readonly asked: string;
  readonly credits_max: number;
  readonly why: string | null;
}

async function keptCall(sql: Sql, id: number): Promise<Kept> {
  const [call] = await sql.rows<Kept>('SELECT * FROM calls WHERE id = ?', [id]);
  invariant(call !== undefined, `there is no call ${id}`);
  return call;
}

interface Note {
  readonly at: number;
  readonly kind: 'decided' | 'told' | 'looked';
  readonly said: string;
  readonly call: number;
  readonly batch: string | null;
  readonly who: string;
  readonly words: string;
  readonly facts: object | null;
}

async function insertNote(sql: Sql, { worker }: Writing, note: Note): Promise<number> {
  const { at, kind, said, call, batch, who, words, facts } = note;
  const [made] = await sql.rows<{ id: number }>(
    'INSERT INTO notes (at, kind, said, call, batch, worker, who, words, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
    [
      Math.floor(at),
      kind,
      said,
      call,
      batch,
      worker,
      who,
      words,
      facts === null ? null : JSON.stringify(facts),
    ],
  );
  invariant(made !== undefined, 'a note has a number');
  return made.id;
}

const IN_DOUBT = ['doubt', 'retried', 'lost'];

/** Each is on the disk when it resolves. */
export const followCalls = (context: Writing) => ({
  /** What the vendor said about a call in doubt. */
  look: (look: Look): Promise<void> => noteLook(context, look),

  /**
   * The doubt of a call ends that was not charged: its money is free again, and the call may be bought like any other. Refused unless a
   * look at that attempt said `not_happened`. @param batch whose rows a person named, also where they were skipped.
   */
  release: (attempt: AttemptId, why: string, atMs: number, batch?: BatchId): Promise<void> =>
    releaseDoubt(context, attempt, { why, atMs, batch }),

  /**
   * `told` settles the call at once: it becomes its answer, and the money at risk counts as spent. A person decides so, or the vendor's
   * own read-back (`rule`).
   */
  decide: (decision: DecisionSpec, more: Deciding = {}): Promise<DecisionId> =>
    decideDoubt(context, decision, more),

  /**
   * What a settled answer means by another dialect. Later calls use it. If it costs more than it was booked at, the difference is spent in
   * the same budgets. If it is none, its call is `unanswered`, may be bought again in its place, and the rows that it ended are in doubt.
   * A change stays answered, and its row alone is in doubt. Refused for answers that a person told.
   */
  readAgain: (reading: Reading): Promise<void> => readReply(context, reading),
});

export interface Deciding {
  /** By a rule, which has looked at one loss: it is refused where another one stands by now. */
  readonly about?: AttemptId;
  readonly told?: RawReply | undefined;
  /** Left out: `found`. */
  readonly toldAs?: 'found' | 'no_match' | undefined;
  /** How a change that was told left its subject. */
  readonly left?: SubjectFacts | undefined;
  /** How the rows that were in doubt on it end by what was told. The others wait for their next run. */
  readonly finishes?: readonly FinishedRow[] | undefined;
}

function noteLook(context: Writing, look: Look): Promise<void> {
  const { attempt, kind, said, why, status, body, atMs } = look;
  return context.transaction(async (sql) => {
    const { state } = await keptCall(sql, attempt);
    invariant(
      IN_DOUBT.includes(state) || (await isUnproven(sql, attempt)),
      'only what is in doubt is looked at',
    );
    const facts = { kind, status, body: body.toString('base64') };
    const about = { at: atMs, call: attempt, batch: null, who: 'rule', words: why };
    await insertNote(sql, context, { ...about, kind: 'looked', said, facts });
  });
}

function releaseDoubt(
  context: Writing,
  attempt: AttemptId,
  { why, atMs, batch }: { readonly why: string; readonly atMs: number; readonly batch: BatchId | undefined },
): Promise<void> {
  return context.transaction(async (sql) => {
    const [look] = await sql.rows(
      `SELECT 1 AS is_said FROM notes WHERE call = ? AND kind = 'looked' AND said = 'not_happened' LIMIT 1`,
      [attempt],
    );
    invariant(look !== undefined, 'nobody said that it did not happen');
    if (await isUnproven(sql, attempt)) return retractChange(sql, attempt);
    if (batch !== undefined) await nameAgain(sql, { batch, call: attempt });
    const isReleased = await releaseCall(sql, { call: attempt, why, at: Math.floor(atMs) }, context.number());
    invariant(isReleased, 'only a doubt is released');
  });
}

/** It was not done after all. What it cost stays spent, and nobody knows how its subject is. */
async function retractChange(sql: Sql, id: number): Promise<void> {
  await sql.rows(`UPDATE calls SET state = 'retracted', is_current = 0 WHERE id = ?`, [id]);
  await sql.rows(
    `UPDATE subjects SET facts = NULL FROM calls c WHERE c.id = ? AND subjects.id = c.subject AND subjects.seq = c.after + 1`,
    [id],
  );
  await refuseRows(sql, { call: id, reason: 'not done: run the list again' });
}

/** What stands of the call that a decision is about. */
async function decidable(sql: Sql, { secret }: Writing, { key, batch, kind }: DecisionSpec): Promise<Kept> {
  const [call] = await sql.rows<Kept>(
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
  context: Writing,
  decision: DecisionSpec,
  { about, told, left, toldAs = 'found', finishes = [] }: Deciding,
): Promise<DecisionId> {
  const { batch, kind, by, why, atMs } = decision;
  invariant((kind === 'told') === (told !== undefined), 'a decision is told with a reply, and only then');
  return context.transaction(async (sql) => {
    const doubt = await decidable(sql, context, decision);
    const isLast = about === undefined || about === doubt.id;
    invariant(isLast, 'the decision is about a loss that is not the last one');
    const note = { at: atMs, said: kind, call: doubt.id, batch, who: by, words: why };
    if (by === 'person') {
      await noteAct(sql, context, 'settled', batch);
      await nameAgain(sql, { batch, call: doubt.id });
    }
    if (told === undefined) {
      const id = await insertNote(sql, context, { ...note, kind: 'decided', facts: null });
      // A rule decides for a run, which goes on with the row itself.
      if (by === 'person' && kind === 'retry') await waitForRetry(sql, { batch, call: doubt.id });
      if (by === 'person' && kind === 'skip')
        await skipRows(sql, { batch, call: doubt.id }, `skipped by the user: ${doubt.why}`);
      return id as DecisionId;
    }
    const facts = {
      status: told.status,
      body: told.body.toString('base64'),
      receivedAtMs: Math.floor(told.receivedAtMs),
    };
    const id = await insertNote(sql, context, { ...note, kind: 'told', facts });
    const answer = {
      why,
      at: Math.floor(atMs),
      cameAt: facts.receivedAtMs,
      facts: left === undefined ? null : JSON.stringify(left),
      said: toldAs,
      finishes: finishes.map(rowOf),
    };
    await tell(sql, doubt, answer, context);
    return id as DecisionId;
  });
}

interface Told {
  readonly why: string;
  readonly at: number;
  readonly cameAt: number;
  readonly facts: string | null;
  readonly said: 'found' | 'no_match';
  /** How rows end by it. */
  readonly finishes: readonly Row[];
}

/** Nobody says whether it was charged, so it counts at what it had reserved; and so does all that was lost before it. */
async function tell(sql: Sql, doubt: Kept, answer: Told, { number }: Writing): Promise<void> {
  if (doubt.state === 'answered') return proveChange(sql, doubt.id, answer);
  const lost = await lostBefore(sql, doubt);
  for (const { id, payer, reserved } of [doubt, ...lost.filter(({ id }) => id !== doubt.payer)]) {
    const { why, at, cameAt, facts, said, finishes } = answer;
    await sql.rows(
      `INSERT INTO replies (call, status, headers, body, at) VALUES (?, 0, '{}', ?, ?) ON CONFLICT (call) DO NOTHING`,
      [id, Buffer.alloc(0), cameAt],
    );
    // A repeat under the vendor's key holds nothing of its own: what it may have cost is held where it was risked first.
    const charged = payer === null ? reserved : (lost.find((other) => other.id === payer)?.reserved ?? 0);
    const end = {
      call: id,
      state: 'answered',
      said,
      charged,
      is_at_most: charged > 0 ? 1 : 0,
    } as const;
    await endCall(
      sql,
      { ...end, why, dialect: null, at, price: null, facts: id === doubt.id ? facts : null },
      number(),
      () => finishRows(sql, id, finishes),
    );
  }
}

async function proveChange(sql: Sql, id: number, { facts, finishes, why }: Told): Promise<void> {
  // From now on what was told is its answer, which no dialect reads.
  await sql.rows('UPDATE calls SET dialect = NULL WHERE id = ?', [id]);
  await sql.rows(
    `UPDATE subjects SET facts = coalesce(?, facts) FROM calls c WHERE c.id = ? AND subjects.id = c.subject AND subjects.seq = c.after + 1`,
    [facts, id],
  );
  await finishRows(sql, id, finishes);
  await applyRows(sql, { call: id, reason: why });
}

async function lostBefore(sql: Sql, { prior }: Kept): Promise<readonly Kept[]> {
  const lost: Kept[] = [];
  for (let next = prior; next !== null; ) {
    const call = await keptCall(sql, next);
    if (call.state !== 'retried') break;
    lost.push(call);
    next = call.prior;
  }
  return lost;
}

/** What a kept reply means by a newer dialect. The cost is never less than it was booked at. */
function readReply(context: Writing, reading: Reading): Promise<void> {
  const { attempt, answer, why, dialect, atMs, showsPrice } = reading;
  return context.transaction(async (sql) => {
    const call = await keptCall(sql, attempt);
    const [told] = await sql.rows(`SELECT 1 AS is_told FROM notes WHERE call = ? AND kind = 'told' LIMIT 1`, [
      attempt,
    ]);
    invariant(told === undefined, 'what a person told is not read again');
    const booked = call.charged ?? call.reserved;
    const charged = Math.max(reading.charged, booked);
    const isAtMost =
      charged > 0 && (charged !== reading.charged || charged !== booked || call.charged === null) ? 1 : 0;
    const read = { call: attempt, said: answer, charged, is_at_most: isAtMost, why, dialect };
    const price = showsPrice ? charged : null;
    if (IN_DOUBT.includes(call.state)) {
      invariant(isAnswer(answer), 'only what was an answer turns out to be none');
      await endCall(
        sql,
        { ...read, state: 'answered', at: Math.floor(atMs), price, facts: null },
        context.number(),
      );
      return;
    }
    invariant(call.charged !== null && call.state !== 'erased', 'only an answer is read again');
    if (call.subject !== null) return readChange(sql, reading);
    await readAgain(sql, { ...read, state: await readAs(sql, call, reading) }, charged - booked);
    if (price !== null) await notePrice(sql, call, price);
  });
}

/** The call stays as it is, because the change may have been made. */
async function readChange(sql: Sql, { attempt, answer, why, dialect, reason = why }: Reading): Promise<void> {
  await sql.rows('UPDATE calls SET dialect = ? WHERE id = ?', [dialect, attempt]);
  if (answer === 'found') await applyRows(sql, { call: attempt, reason: null });
  else await doubtAppliedRows(sql, { call: attempt, reason });
}

/** How the call of a lookup stands then. What a former dialect took for none is an answer again, unless the call was bought anew since. */
async function readAs(
  sql: Sql,
  { state, key }: Kept,
  { attempt, answer, why, reason = why }: Reading,
): Promise<string> {
  if (!isAnswer(answer)) {
    await doubtReadRows(sql, { call: attempt, reason });
    return state === 'answered' ? 'retracted' : state;
  }
  return state === 'retracted' && (await currentOf(sql, key)) === undefined ? 'answered' : state;
}

async function notePrice(sql: Sql, { account, operation, credits_max }: Kept, price: number): Promise<void> {
  await sql.rows(
    `INSERT INTO prices (account, operation, credits_max, highest) VALUES (?, ?, ?, ?)
     ON CONFLICT (account, operation, credits_max) DO UPDATE SET highest = {most}(prices.highest, excluded.highest)`,
    [account, operation, credits_max, price],
  );
}

export interface Current {
  readonly id: number;
  readonly state: string;
}

/** The call that stands of a key. */
export async function currentOf(sql: Pick<Sql, 'rows'>, key: Uint8Array): Promise<Current | undefined> {
  const [call] = await sql.rows<Current>(
    `SELECT c.id, c.state FROM calls c WHERE c.key = ? AND ${isCurrent('c')}`,
    [key],
  );
  return call;
}
