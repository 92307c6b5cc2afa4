import type { CallKey } from '../../../core/call-key.ts';
import { invariant } from '../../../core/errors.ts';
import type { Subject } from '../../../core/membership.ts';
import type { Call } from '../../../core/operation.ts';
import type { AttemptId, Closure, Intent, KeyedRequest, RawReply } from '../../ledger.ts';
import type { ENDED } from '../../rules/moves.ts';
import type { Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import { noteMoved, type Payer, payerOf, sendingAgain } from './money.ts';
import { freeOthers, KEEPS_REQUESTS, type Loss, lostUnderKey } from './notes.ts';
import type { WrittenRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  CALLS_TABLE,
  ENDS_TABLE,
  keyBytes,
  nextNumber,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  SUBJECTS_TABLE,
  storedHeaders,
  wholeMs,
} from './tables.ts';

/**
 * Writes the entries of an attempt: once, each with its sum. The schema's triggers then move calls, losses and totals.
 */

// ---------------------------------------------------------------------------------------------------- accounts and calls

/** The number of an account in the tables; undefined when it has none. */
export function knownAccount(connection: Connection, identity: string): number | undefined {
  return connection.once(
    accountNamed(identity),
    () => connection.get<{ id: number }>('SELECT id FROM accounts WHERE identity = +?', identity)?.id,
  );
}

/** The number of an account in the tables; a new account gets one. */
export function accountNumber(connection: Connection, identity: string): number {
  const known = knownAccount(connection, identity);
  if (known !== undefined) return known;
  const { id } = connection.run('INSERT INTO accounts (identity) VALUES (?)', identity);
  connection.remember(accountNamed(identity), id);
  return id;
}

const accountNamed = (identity: string): string => `account ${identity}`;

/** A call as far as a further entry needs it. */
export interface KeptCall {
  readonly id: number;
  readonly subject: number | null;
  /** The `creditsMost` with which it was first made. */
  readonly most: number | null;
  readonly state: string;
  readonly stands: AttemptId | null;
  readonly open: AttemptId | null;
}

/** The calls in the tables, by their place in the list; none before its first attempt. One statement asks for all of them. */
export function keptCalls(connection: Connection, keys: readonly CallKey[]): ReadonlyMap<number, KeptCall> {
  const kept = connection.all<KeptCall & { readonly at: number }>(KEPT, JSON.stringify(keys));
  return new Map(kept.map((call) => [call.at, call]));
}

const KEPT = `SELECT j.key AS at, c.id, c.subject, c.credits_most AS most, c.state, c.stands, c.open
  FROM json_each(?) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')}`;

/** The number of a subject in the tables; a new subject gets one. */
function subjectNumber(connection: Connection, account: number, { project = '', name }: Subject): number {
  const known = connection.get<{ id: number }>(
    'SELECT id FROM subjects WHERE account = +? AND project = +? AND name = +?',
    account,
    project,
    name,
  );
  if (known !== undefined) return known.id;
  const id = nextNumber(connection, 'subjects');
  SUBJECTS_TABLE.insert(connection, { id, account, project, name });
  return id;
}

/** What a call says beside the columns of its own: most say nothing. */
function termsOf({ operation: _, creditsMost: __, parameters: ___, ifLost, ...others }: Call): string | null {
  const terms = ifLost === 'hold' ? others : { ...others, ifLost };
  return Object.keys(terms).length === 0 ? null : JSON.stringify(terms);
}

// ---------------------------------------------------------------------------------------------------- attempts

/** An intent that is admitted, and what is known of its call. */
export interface Begun {
  readonly intent: Intent;
  readonly payer: Payer;
  /** The call in the tables, when it is there. */
  readonly kept: KeptCall | undefined;
  /** The number of the boot in which the attempt is made; undefined when it is unknown. */
  readonly boot: number | undefined;
}

/** @returns the number of each attempt, and what later entries have to know of it. */
export function insertAttempts(
  connection: Connection,
  begun: readonly Begun[],
): readonly { readonly attempt: AttemptId; readonly asked: Asked }[] {
  const ids = begun.map(() => nextNumber(connection, 'entries'));
  const calls = begun.map((each, at) => newCall(connection, each, ids[at] ?? 0));
  CALLS_TABLE.insertAll(
    connection,
    calls.filter((call) => call !== undefined),
  );
  const attempts = begun.map((each, at) =>
    attemptOf(connection, each, { id: ids[at] ?? 0, call: calls[at]?.id ?? each.kept?.id ?? 0 }),
  );
  ATTEMPTS_TABLE.insertAll(connection, attempts);
  return attempts.map(({ id, call, reserved }, at) => {
    const { intent, payer } = begun[at] as Begun;
    if (intent.request !== undefined) insertRequest(connection, id, intent.request);
    return { attempt: id as AttemptId, asked: { call, reserved, payer } };
  });
}

/** @param id of the attempt, which is that of its call as well. */
function newCall(
  connection: Connection,
  { intent: { key, call }, payer: { account }, kept }: Begun,
  id: number,
): WrittenRow<typeof CALLS_TABLE> | undefined {
  const { change, after = null, operation, creditsMost: credits_most = null } = call;
  const subject = change === undefined ? null : subjectNumber(connection, account, change.subject);
  invariant(kept === undefined || kept.subject === subject, `call ${key} is a change of another subject`);
  if (kept !== undefined) return undefined;
  return {
    id,
    key: keyBytes(key),
    account,
    operation,
    credits_most,
    parameters: JSON.stringify(call.parameters),
    terms: termsOf(call),
    subject,
    after,
  };
}

function attemptOf(
  connection: Connection,
  { intent, payer, boot }: Begun,
  numbers: { readonly id: number; readonly call: number },
): WrittenRow<typeof ATTEMPTS_TABLE> {
  const { decision, replaces, row, reserve: reserved, uptimeMs } = intent;
  const again = decision === undefined ? 'intent' : sendingAgain(connection, decision);
  const isTimed = boot !== undefined && uptimeMs !== undefined;
  return {
    ...numbers,
    kind: replaces === undefined ? again : 'refresh',
    sees: replaces ?? decision ?? null,
    batch: payer.batch,
    row,
    reserved,
    at: wholeMs(intent.atMs),
    boot: isTimed ? boot : null,
    uptime: isTimed ? wholeMs(uptimeMs) : null,
  };
}

function insertRequest(connection: Connection, attempt: number, request: KeyedRequest): void {
  const { idempotencyKey: idempotency_key, method, path, firstSentAtMs, body = null } = request;
  const first_sent_at = wholeMs(firstSentAtMs);
  REQUESTS_TABLE.insert(connection, { attempt, idempotency_key, method, path, first_sent_at, body });
  connection.remember(KEEPS_REQUESTS, true);
}

/** What an entry about an attempt has to know of it. */
export interface Asked {
  readonly call: number;
  readonly reserved: number;
  readonly payer: Payer;
}

export function askedBy(connection: Connection, attempt: number): Asked {
  const sql = 'SELECT call, reserved FROM attempts WHERE id = ?';
  const asked = connection.get<Omit<Asked, 'payer'>>(sql, attempt);
  invariant(asked !== undefined, `there is no attempt ${attempt}`);
  return { ...asked, payer: payerOf(connection, attempt) };
}

/** A reply, and the call of its attempt. */
export interface Returned {
  readonly attempt: AttemptId;
  readonly call: number;
  readonly reply: RawReply;
}

export function insertReplies(connection: Connection, replies: readonly Returned[]): void {
  const rows = replies.map(({ attempt: of, call, reply: { status, headers, body, receivedAtMs } }) => ({
    ...{ of, call, at: wholeMs(receivedAtMs), status, ...storedHeaders(headers), body },
  }));
  REPLIES_TABLE.insertAll(connection, rows);
}

/** How an attempt ended, and when. */
export interface Ended {
  readonly attempt: AttemptId;
  readonly closure: Closure;
  readonly atMs: number;
  readonly asked: Asked;
  /** The status of the reply, where it is known. */
  readonly status?: number | undefined;
}

/** The status is all that there is to say of most answers. */
export const statusWords = (status: number | null): string => `status ${status}`;

export function insertEnds(connection: Connection, ends: readonly Ended[]): void {
  const under = ends.map(({ attempt }) => lostUnderKey(connection, attempt));
  const rows = ends.map((end, at) => endOf(connection, end, under[at] ?? []));
  ENDS_TABLE.insertAll(connection, rows);
  for (const [at, { id, pays, spent, kind }] of rows.entries()) {
    const {
      asked: { call, payer, reserved },
      atMs,
    } = ends[at] as Ended;
    const held = kind === 'lost' || kind === 'lost_beside' ? reserved : 0;
    noteMoved(connection, () => payer, { reserved: -reserved, held, spent: pays === null ? spent : 0 });
    if (pays === null) continue;
    noteMoved(connection, () => payerOf(connection, pays), { spent });
    freeOthers(connection, under[at] ?? [], { call, sees: id, atMs });
  }
}

function endOf(
  connection: Connection,
  { attempt, closure, atMs, asked: { call }, status: known }: Ended,
  under: readonly Loss[],
): WrittenRow<typeof ENDS_TABLE> {
  const common = {
    ...{ of: attempt, id: nextNumber(connection, 'entries'), call, pays: null, spent: 0, at: wholeMs(atMs) },
    ...{ said: null, status: null, dialect: null, estimated: 0, words: closure.why },
  };
  if (closure.kind === 'in_doubt') return { ...common, kind: lostKind(connection, call) };
  if (closure.kind !== 'answered') return { ...common, kind: 'unsold', said: closure.kind };
  const { answer, charged, why, dialect, isAtMost } = closure;
  const status = known ?? statusOf(connection, attempt) ?? null;
  return {
    ...{ ...common, kind: 'answered', said: answer, spent: charged, pays: under[0]?.attempt ?? null, status },
    dialect: dialect ?? null,
    estimated: isAtMost === true && charged > 0 ? 1 : 0,
    words: why === statusWords(status) ? null : why,
  };
}

/** A refresh that got lost leaves the older answer in place, unless that was read as none. */
function lostKind(
  connection: Connection,
  call: number,
): Extract<(typeof ENDED)[number], 'lost' | 'lost_beside'> {
  const sql = `SELECT 1 FROM calls c WHERE c.id = ? AND c.state = 'answered'
    AND NOT EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = c.stands)`;
  return connection.get(sql, call) === undefined ? 'lost' : 'lost_beside';
}

function statusOf(connection: Connection, attempt: number): number | undefined {
  const sql = 'SELECT status FROM replies WHERE of = ?';
  return connection.get<{ status: number }>(sql, attempt)?.status;
}
