import { present } from '../../../core/objects.ts';
import {
  type AnswerRecord,
  type AttemptId,
  type AttemptRecord,
  type AttemptsAbout,
  type BootMoment,
  type CallState,
  CHARGED_ONCE,
  credits,
  type Decision,
  type Doubt,
  type FoundReply,
  type Look,
  type OpenAttempt,
  type ReadAs,
  settledCall,
} from '../../ledger.ts';
import type { SalvagedCall } from '../../store.ts';
import { momentOf } from './boots.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { hiddenKey } from './erasure-key.ts';
import { hasKey, isOfCall } from './lookups.ts';
import {
  type AttemptRow,
  answerFrom,
  type CallRow,
  type ClosureRow,
  callFrom,
  closureFrom,
  decisionFrom,
  lookFrom,
  type ReadingRow,
  type ReplyRow,
  readingFrom,
  releaseFrom,
  replyFrom,
  requestFrom,
} from './records.ts';
import type { ReadRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  type DECISIONS_TABLE,
  keyText,
  type LOOKS_TABLE,
  newestNumber,
  type RELEASES_TABLE,
  type REQUESTS_TABLE,
  type TOLD_TABLE,
} from './tables.ts';

/**
 * What the ledger holds for calls and attempts. Each question is a few reads by integer key, one or two microseconds
 * each; one join over the same tables would be no faster, and would not show which row was altered.
 */
type CallWithState = CallRow & {
  readonly answer: number | null;
  readonly doubt: number | null;
  readonly repeats: number;
};
type AttemptOfCall = AttemptRow & { readonly call: number; readonly freed_by: number | null };

type DecisionRow = ReadRow<typeof DECISIONS_TABLE> & { readonly key: Buffer };

/** How many of the newest attempts are searched for an account's answers. */
const ATTEMPTS_LOOKED_THROUGH = 1_000;

const ALL_READINGS = Number.MAX_SAFE_INTEGER;

/** The columns that a record of an attempt has. */
const COLUMNS =
  'id, call, batch, row, reserved, intent_at, decision, replaces, boot, uptime, checksum, paid_row, freed_by';

/** The attempt, if its number is that of no call. */
const LATER = `SELECT 1 FROM attempts WHERE id = :id AND call <> id AND NOT EXISTS (SELECT 1 FROM calls WHERE id = :id)
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE call = :id AND call <> id)`;

const OF_ATTEMPT = COLUMNS.replaceAll(/\w+/g, 'a.$&');
const BY_KEY = `SELECT * FROM calls WHERE ${hasKey('calls', '+:key')}`;
const ATTEMPT = `SELECT ${COLUMNS} FROM attempts WHERE id = ?`;

export class Calls {
  readonly #connection: Connection;
  /** The key that hides calls of forgotten people; undefined when nobody was forgotten. */
  readonly #secret: Buffer | undefined;

  constructor(connection: Connection, secret?: Buffer) {
    this.#connection = connection;
    this.#secret = secret;
  }

  byKey(key: Buffer): CallWithState | undefined {
    const call = this.#connection.get<CallWithState>(BY_KEY, { key });
    if (call !== undefined || this.#secret === undefined) return call;
    return this.#connection.get(BY_KEY, { key: hiddenKey(this.#secret, key) });
  }

  /** @param batch the batch whose decisions count; undefined for none. */
  state(key: Buffer, batch: number | undefined): CallState {
    const call = this.byKey(key);
    return call === undefined ? { kind: 'unknown' } : this.#stateOf(call, batch);
  }

  /**
   * A call by its number in the tables, even if the index of the keys does not know it; undefined for the number of an attempt
   * that was not the first of its call.
   */
  numbered(id: number): SalvagedCall | undefined {
    if (this.#connection.get(LATER, { id }) !== undefined) return undefined;
    const call = this.#call(id);
    const sql = 'SELECT identity FROM accounts WHERE id = ?';
    const account = this.#connection.get<{ identity: string }>(sql, call.account);
    if (account === undefined) throw new AlteredRow(`account ${call.account} is missing`);
    return {
      accountIdentity: account.identity,
      call: callFrom(this.#connection, call),
      state: this.#stateOf(call, undefined),
    };
  }

  #stateOf(call: CallWithState, batch: number | undefined): CallState {
    if (call.answer !== null) {
      const answer = this.answer(call.answer, call, ALL_READINGS, true);
      if (answer === undefined) throw new AlteredRow(`the answer of call ${call.id}`);
      return settledCall(answer);
    }
    if (call.doubt === null) return { kind: 'unknown' };
    const decision = batch === undefined ? undefined : this.#decision(call.doubt, batch);
    const doubt = this.#doubt(call, call.doubt);
    return { kind: 'in_doubt', doubt, ...present({ decision }) };
  }

  /**
   * The answer of an attempt, which may be none by its newest reading; undefined when it never had one. Nothing is read twice.
   * @param call its call, when that has been read already.
   * @param readTo the newest reading that counts; without it all of them count.
   */
  answer(
    attempt: number,
    call?: CallRow,
    readTo: number | null = ALL_READINGS,
    withHeaders = false,
  ): AnswerRecord<ReadAs> | undefined {
    const row = this.#attempt(attempt);
    const closure = this.#closure(attempt);
    const readings = this.#readings(attempt);
    return answerFrom(this.#connection, {
      call: call?.id === row.call ? call : this.#call(row.call),
      attempt: row,
      closure,
      reply: this.#reply(attempt),
      told: closure?.kind === 'in_doubt' ? this.#told(attempt) : undefined,
      reading: readings.findLast(({ id }) => readTo !== null && id <= readTo),
      newest: readings.at(-1),
      withHeaders,
    });
  }

  /** Attempts have numbers in the order of their intents, so the newest ones are at the end of the table. */
  newestFound(accountIdentity: string, most: number): readonly FoundReply[] {
    const attempts = this.#connection.all<AttemptOfCall>(
      `SELECT a.* FROM (SELECT ${COLUMNS} FROM attempts ORDER BY id DESC LIMIT ${ATTEMPTS_LOOKED_THROUGH}) a
         CROSS JOIN batches b ON b.id = a.batch CROSS JOIN accounts p ON p.id = b.account
         CROSS JOIN closures k ON k.attempt = a.id
        WHERE p.identity = +? AND k.kind = 'settled' AND k.answer = 'found' ORDER BY a.id DESC LIMIT +?`,
      accountIdentity,
      most,
    );
    return attempts.flatMap((attempt) => {
      const { call, reply } = this.#record(attempt);
      return reply === undefined ? [] : [{ call, reply }];
    });
  }

  /** Everything that is known about an attempt. */
  recorded(attempt: number): AttemptRecord {
    return this.#record(this.#attempt(attempt));
  }

  /**
   * Doubts that rows of the batch wait for: its own attempts, and attempts of other batches that one of its rows names.
   * What the batch skips is left out where that is not asked for.
   */
  doubts(batch: number, withSkipped: boolean): readonly Doubt[] {
    const calls = this.#connection.all<CallWithState & { readonly doubt: number }>(
      `SELECT c.* FROM calls c JOIN attempts d ON d.id = c.doubt
        WHERE c.doubt IS NOT NULL
          AND (
            EXISTS (
              SELECT 1 FROM attempts a JOIN closures k ON k.attempt = a.id
               WHERE ${isOfCall('a.id', 'a.call', 'c.id')} AND a.batch = :batch AND k.kind = 'in_doubt')
            OR c.id IN (
              SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
               WHERE r.batch = :batch AND r.kind = 'in_doubt'))
          AND (:withSkipped OR (
            SELECT kind FROM decisions WHERE doubt = c.doubt AND batch = :batch ORDER BY id DESC LIMIT 1) IS NOT 'skip')
        ORDER BY d.row, c.id`,
      { batch, withSkipped: withSkipped ? 1 : 0 },
    );
    return calls.map((call) => this.#doubt(call, call.doubt));
  }

  history(batch: number, row: number): readonly AttemptRecord[] {
    const attempts = this.#connection.all<AttemptOfCall>(
      `SELECT ${OF_ATTEMPT} FROM (
         SELECT call FROM attempts WHERE batch = :batch AND row = :row
         UNION
         SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
          WHERE r.batch = :batch AND r.row = :row) c
       CROSS JOIN attempts a ON ${isOfCall('a.id', 'a.call', 'c.call')} ORDER BY a.id`,
      { batch, row },
    );
    return attempts.map((attempt) => this.#record(attempt));
  }

  /** The question of a call is JSON, so a whole value in it stands in quotes. */
  about(values: readonly string[], after: number, most: number): AttemptsAbout {
    const newest = this.#connection.get<{ id: number | null }>('SELECT max(id) AS id FROM calls')?.id ?? 0;
    const last = after + most;
    const isAbout = values.map(() => 'instr(c.call, ?) > 0').join(' OR ') || 'FALSE';
    const attempts = this.#connection.all<AttemptOfCall>(
      `SELECT ${OF_ATTEMPT} FROM calls c CROSS JOIN attempts a ON ${isOfCall('a.id', 'a.call', 'c.id')}
        WHERE c.id > ? AND c.id <= ? AND (${isAbout}) ORDER BY a.id`,
      after,
      last,
      ...values.map((value) => JSON.stringify(value)),
    );
    const found = attempts.map((attempt) => this.#record(attempt));
    return last < newest ? { attempts: found, next: last } : { attempts: found };
  }

  /** Open attempts with numbers up to this one. */
  open(newest: number): readonly OpenAttempt[] {
    const attempts = this.#connection.all<AttemptOfCall & { readonly identity: string }>(
      `SELECT a.*, p.identity FROM attempts a
         JOIN batches b ON b.id = a.batch JOIN accounts p ON p.id = b.account
        WHERE a.open = 1 AND a.id <= +? ORDER BY a.id`,
      newest,
    );
    return attempts.map((attempt) => {
      const { reply } = this.#record(attempt);
      const call = this.#call(attempt.call);
      return {
        attempt: attempt.id as AttemptId,
        key: keyText(call.key),
        accountIdentity: attempt.identity,
        call: callFrom(this.#connection, call),
        batch: batchId(attempt.batch),
        row: attempt.row,
        reserved: credits(attempt.reserved),
        ...present({ reply }),
      };
    });
  }

  #doubt(call: CallWithState, attempt: number): Doubt {
    const row = this.#attempt(attempt);
    ATTEMPTS_TABLE.checked(row, call.key);
    const closure = this.#closure(attempt);
    const request = this.#request(attempt);
    const sentBoot = momentOf(this.#connection, row);
    const firstBoot = request === undefined ? sentBoot : this.#firstUnder(request.idempotency_key);
    return {
      key: keyText(call.key),
      call: callFrom(this.#connection, call),
      attempt: row.id as AttemptId,
      batch: batchId(row.batch),
      row: row.row,
      atRisk: credits(this.#held(call.id)),
      why: closure === undefined ? '' : closureFrom(closure).why,
      sentAtMs: row.intent_at,
      ...present({ sentBoot, firstBoot }),
      repeats: call.repeats,
      ...(request === undefined ? {} : { request: requestFrom(request) }),
    };
  }

  /** When the first attempt under an idempotency key began, on the boot clock. */
  #firstUnder(key: string): BootMoment | undefined {
    const row = this.#connection.get<{ boot: number | null; uptime: number | null }>(
      `SELECT a.boot, a.uptime FROM requests r JOIN attempts a ON a.id = r.attempt
        WHERE r.idempotency_key = +? ORDER BY a.id LIMIT 1`,
      key,
    );
    return row && momentOf(this.#connection, row);
  }

  /** What lost attempts of the call may have cost; the newest may repeat an earlier one and hold nothing. */
  #held(call: number): number {
    const sql = `SELECT sum(reserved) AS held FROM held_attempts WHERE ${isOfCall('attempt', 'call', ':call')}`;
    return this.#connection.get<{ held: number | null }>(sql, { call })?.held ?? 0;
  }

  /** The batch's last decision about this loss, unless an attempt is using it. */
  #decision(doubt: number, batch: number): Decision | undefined {
    const row = this.#connection.get<DecisionRow & { used: number }>(
      `SELECT d.*, c.key, EXISTS (SELECT 1 FROM attempts a WHERE a.decision = d.id AND a.open = 1) AS used
         FROM decisions d JOIN calls c ON c.id = d.call
        WHERE d.doubt = +? AND d.batch = +? ORDER BY d.id DESC LIMIT 1`,
      doubt,
      batch,
    );
    if (row === undefined || row.used === 1) return undefined;
    return decisionFrom(row);
  }

  #record(row: AttemptOfCall): AttemptRecord {
    const call = this.#call(row.call);
    ATTEMPTS_TABLE.checked(row, call.key);
    const reply = this.#reply(row.id);
    const closure = this.#closure(row.id);
    const decision = this.#decisionAbout(row);
    const request = this.#request(row.id);
    const released = row.freed_by === null ? undefined : this.#freed(row.freed_by);
    return {
      attempt: row.id as AttemptId,
      batch: batchId(row.batch),
      row: row.row,
      call: callFrom(this.#connection, call),
      reserved: credits(row.reserved),
      intentAtMs: row.intent_at,
      ...(reply === undefined ? {} : { reply: replyFrom(this.#connection, reply) }),
      ...(closure === undefined ? {} : { closure: closureFrom(closure) }),
      ...present({ decision }),
      ...(row.replaces === null ? {} : { replaces: row.replaces as AttemptId }),
      ...(request === undefined ? {} : { request: requestFrom(request) }),
      looks: this.#looks(row.id),
      readings: this.#readings(row.id).map(readingFrom),
      ...present({ released }),
    };
  }

  /**
   * Why a lost attempt's money was given back: it was released, or the attempt `by` was answered under the same key.
   */
  #freed(by: number): AttemptRecord['released'] {
    const sql = 'SELECT * FROM releases WHERE attempt = ?';
    const release = this.#connection.get<ReadRow<typeof RELEASES_TABLE>>(sql, by);
    if (release !== undefined) return releaseFrom(release);
    const answered = this.#closure(by);
    if (answered === undefined) throw new AlteredRow(`attempt ${by}, which freed another, is not closed`);
    return { why: CHARGED_ONCE, atMs: closureFrom(answered).closedAtMs };
  }

  #looks(attempt: number): readonly Look[] {
    return this.#connection
      .all<ReadRow<typeof LOOKS_TABLE>>('SELECT * FROM looks WHERE attempt = +? ORDER BY id', attempt)
      .map(lookFrom);
  }

  #readings(attempt: number): readonly ReadingRow[] {
    // Most ledgers have none.
    if (newestNumber(this.#connection, 'readings') === 0) return [];
    return this.#connection.all('SELECT * FROM readings WHERE attempt = +? ORDER BY id', attempt);
  }

  /** What a person told about the attempt; otherwise the decision that allowed it. */
  #decisionAbout(attempt: AttemptOfCall): Decision | undefined {
    const row = this.#connection.get<DecisionRow>(
      `SELECT d.*, c.key FROM decisions d JOIN calls c ON c.id = d.call
        WHERE d.id = coalesce((SELECT decision FROM told WHERE attempt = +?), +?)`,
      attempt.id,
      attempt.decision,
    );
    return row && decisionFrom(row);
  }

  #attempt(id: number): AttemptOfCall {
    const row = this.#connection.get<AttemptOfCall>(ATTEMPT, id);
    if (row === undefined) throw new AlteredRow(`attempt ${id} is missing`);
    return row;
  }

  #call(id: number): CallWithState {
    const row = this.#connection.get<CallWithState>('SELECT * FROM calls WHERE id = ?', id);
    if (row === undefined) throw new AlteredRow(`call ${id} is missing`);
    return row;
  }

  #closure(attempt: number): ClosureRow | undefined {
    return this.#connection.get('SELECT * FROM closures WHERE attempt = ?', attempt);
  }

  #request(attempt: number): ReadRow<typeof REQUESTS_TABLE> | undefined {
    return this.#connection.get('SELECT * FROM requests WHERE attempt = ?', attempt);
  }

  #reply(attempt: number): ReplyRow | undefined {
    return this.#connection.get('SELECT * FROM replies WHERE attempt = ?', attempt);
  }

  #told(attempt: number): (ReadRow<typeof TOLD_TABLE> & { readonly why: string }) | undefined {
    return this.#connection.get(
      'SELECT t.*, d.why FROM told t JOIN decisions d ON d.id = t.decision WHERE t.attempt = +?',
      attempt,
    );
  }
}
