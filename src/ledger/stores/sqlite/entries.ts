import type { CallKey } from '../../../core/call-key.ts';
import { invariant } from '../../../core/errors.ts';
import type { Subject } from '../../../core/membership.ts';
import type { AttemptId, Credits, EntryOf, Intent, KeyedRequest } from '../../ledger.ts';
import { termsOf } from '../../rules/kept-call.ts';
import type { ENDED, Stands } from '../../rules/moves.ts';
import type { Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import { noteMoved, type Payer, payerOf, sendingAgain } from './money.ts';
import { freeOthers, KEEPS_REQUESTS, lostUnderKey, NO_LOSS } from './notes.ts';
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
  wholeMs,
} from './tables.ts';
import { statusWords, storedHeaders } from './usual.ts';

/**
 * Writes the entries of an attempt: once, each with its sum. The schema's triggers then move calls, losses and totals.
 */

export function knownAccount(connection: Connection, identity: string): number | undefined {
  const known = knownAccounts(connection);
  const id = known.get(identity) ?? readAccount(connection, identity);
  if (id !== undefined) known.set(identity, id);
  return id;
}

const knownAccounts = (connection: Connection): Map<string, number> =>
  connection.known<Map<string, number>>('accounts') ?? connection.once('accounts', () => new Map());

const readAccount = (connection: Connection, identity: string): number | undefined =>
  connection.get<{ id: number }>('SELECT id FROM accounts WHERE identity = +?', identity)?.id;

/** The number of an account in the tables; a new account gets one. */
export function accountNumber(connection: Connection, identity: string): number {
  const known = knownAccount(connection, identity);
  if (known !== undefined) return known;
  const { id } = connection.run('INSERT INTO accounts (identity) VALUES (?)', identity);
  knownAccounts(connection).set(identity, id);
  return id;
}

export interface KeptCall {
  readonly id: number;
  readonly subject: number | null;
  /** The `creditsMost` with which it was first made. */
  readonly most: number | null;
  readonly state: Stands;
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

export interface Begun {
  readonly intent: Intent;
  /** What its attempt reserves: what the intent says, or the highest price that was seen. */
  readonly reserve: Credits;
  readonly payer: Payer;
  readonly kept: KeptCall | undefined;
}

export function insertAttempts(
  connection: Connection,
  begun: readonly Begun[],
): readonly WrittenRow<typeof ATTEMPTS_TABLE>[] {
  const first = nextNumber(connection, 'entries', begun.length);
  const calls: WrittenRow<typeof CALLS_TABLE>[] = [];
  const attempts: WrittenRow<typeof ATTEMPTS_TABLE>[] = [];
  for (let at = 0; at < begun.length; at += 1) {
    const each = begun[at] as Begun;
    const call = newCall(connection, each, first + at);
    if (call !== undefined) calls.push(call);
    attempts.push(attemptOf(connection, each, { id: first + at, call: call?.id ?? each.kept?.id ?? 0 }));
  }
  CALLS_TABLE.insertAll(connection, calls);
  ATTEMPTS_TABLE.insertAll(connection, attempts);
  for (let at = 0; at < begun.length; at += 1) {
    const request = begun[at]?.intent.request;
    if (request !== undefined) insertRequest(connection, first + at, request);
  }
  return attempts;
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
  const terms = termsOf(call);
  return {
    id,
    key: keyBytes(key),
    account,
    operation,
    credits_most,
    parameters: JSON.stringify(call.parameters),
    terms: terms === undefined ? null : JSON.stringify(terms),
    subject,
    after,
  };
}

function attemptOf(
  connection: Connection,
  { intent, reserve: reserved, payer }: Begun,
  { id, call }: { readonly id: number; readonly call: number },
): WrittenRow<typeof ATTEMPTS_TABLE> {
  const { decision, replaces, row } = intent;
  const again = decision === undefined ? 'intent' : sendingAgain(connection, decision);
  return {
    id,
    kind: replaces === undefined ? again : 'refresh',
    call,
    sees: replaces ?? decision ?? null,
    batch: payer.batch,
    row,
    reserved,
    at: wholeMs(intent.atMs),
  };
}

function insertRequest(connection: Connection, attempt: number, request: KeyedRequest): void {
  const { idempotencyKey: idempotency_key, method, path, firstSentAtMs, body = null } = request;
  const first_sent_at = wholeMs(firstSentAtMs);
  REQUESTS_TABLE.insert(connection, { attempt, idempotency_key, method, path, first_sent_at, body });
  connection.remember(KEEPS_REQUESTS, true);
}

export interface Asked {
  readonly call: number;
  readonly reserved: number;
  readonly payer: Payer;
  readonly status?: number | undefined;
}

export function askedBy(connection: Connection, attempt: number): Asked {
  const sql = 'SELECT call, reserved FROM attempts WHERE id = ?';
  const asked = connection.get<Omit<Asked, 'payer'>>(sql, attempt);
  invariant(asked !== undefined, `there is no attempt ${attempt}`);
  return { ...asked, payer: payerOf(connection, attempt) };
}

export function insertReplies(
  connection: Connection,
  replies: readonly EntryOf<'reply'>[],
  asked: readonly Asked[],
): void {
  const rows: WrittenRow<typeof REPLIES_TABLE>[] = [];
  for (let at = 0; at < replies.length; at += 1) {
    const { attempt: of, reply } = replies[at] as EntryOf<'reply'>;
    const { call } = asked[at] as Asked;
    const { status, body, receivedAtMs } = reply;
    const receivedAt = wholeMs(receivedAtMs);
    const { dated, typed, headers } = storedHeaders(reply.headers, receivedAt);
    rows.push({ of, call, at: receivedAt, status, dated, typed, headers, body });
  }
  REPLIES_TABLE.insertAll(connection, rows);
}

export function insertEnds(
  connection: Connection,
  ends: readonly EntryOf<'end'>[],
  asked: readonly Asked[],
): void {
  const first = nextNumber(connection, 'entries', ends.length);
  const under = ends.map(({ attempt }) => lostUnderKey(connection, attempt));
  const rows: WrittenRow<typeof ENDS_TABLE>[] = [];
  for (let at = 0; at < ends.length; at += 1) {
    const paying = under[at]?.[0]?.attempt ?? null;
    rows.push(endOf(connection, ends[at] as EntryOf<'end'>, asked[at] as Asked, { id: first + at, paying }));
  }
  ENDS_TABLE.insertAll(connection, rows);
  for (let at = 0; at < ends.length; at += 1) {
    const { id, pays, spent, kind } = rows[at] as WrittenRow<typeof ENDS_TABLE>;
    const { call, payer, reserved } = asked[at] as Asked;
    const { atMs } = ends[at] as EntryOf<'end'>;
    const held = kind === 'lost' || kind === 'lost_beside' ? reserved : 0;
    noteMoved(connection, payer, { reserved: -reserved, held, spent: pays === null ? spent : 0 });
    if (pays === null) continue;
    noteMoved(connection, pays, { spent });
    freeOthers(connection, under[at] ?? NO_LOSS, { call, sees: id, atMs });
  }
}

/** @param paying the lost attempt that pays for an answer in the place of its own. */
function endOf(
  connection: Connection,
  { attempt: of, closure, atMs }: EntryOf<'end'>,
  { call, status: known }: Asked,
  { id, paying }: { readonly id: number; readonly paying: number | null },
): WrittenRow<typeof ENDS_TABLE> {
  const at = wholeMs(atMs);
  const { why } = closure;
  if (closure.kind !== 'answered') {
    const [kind, said] =
      closure.kind === 'in_doubt' ? [lostKind(connection, call), null] : ['unsold' as const, closure.kind];
    const nothing = { pays: null, spent: 0, status: null, dialect: null, estimated: 0 };
    return { of, id, kind, call, ...nothing, at, said, words: why };
  }
  const { answer: said, charged: spent, dialect = null, isAtMost } = closure;
  const status = known ?? statusOf(connection, of) ?? null;
  const estimated = isAtMost === true && spent > 0 ? 1 : 0;
  const words = why === statusWords(status) ? null : why;
  return { of, id, kind: 'answered', call, pays: paying, spent, at, said, status, dialect, estimated, words };
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
