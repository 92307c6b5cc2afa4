import {
  type AnswerRecord,
  type AttemptId,
  type AttemptRecord,
  type CallState,
  credits,
  type Decision,
  type Doubt,
  type OpenAttempt,
} from '../../ledger.ts';
import { type DecisionRow, decisionChecksum } from './checksums.ts';
import type { Connection } from './connection.ts';
import {
  AlteredRow,
  answerOf,
  batchId,
  callOf,
  checkAttempt,
  closureOf,
  decisionOf,
  keyText,
  replyOf,
  type StoredAttempt,
  type StoredCall,
  type StoredClosure,
  type StoredReply,
  type StoredTold,
} from './records.ts';

/**
 * What the ledger holds for calls and attempts. Each question is a few reads by integer key, a microsecond or two each;
 * one join over the same tables would be no faster and would not say which row it was that had been altered.
 */
type CallWithState = StoredCall & {
  readonly answer: number | null;
  readonly doubt: number | null;
  readonly repeats: number;
};
type AttemptOfCall = StoredAttempt & { readonly call: number };

export class Calls {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  byKey(key: Buffer): CallWithState | undefined {
    return this.#connection.get('SELECT * FROM calls WHERE key = ?', key);
  }

  /** `batch` is whose decision counts. */
  state(key: Buffer, batch: number | undefined): CallState {
    const call = this.byKey(key);
    if (call === undefined) return { kind: 'unknown' };
    if (call.answer !== null) {
      const answer = this.answer(call.answer);
      if (answer === undefined) throw new AlteredRow(`the answer of call ${call.id}`);
      return { kind: 'answered', answer };
    }
    if (call.doubt === null) return { kind: 'unknown' };
    const decision = batch === undefined ? undefined : this.#decision(call.doubt, batch);
    const doubt = this.#doubt(call, call.doubt);
    return { kind: 'in_doubt', doubt, ...(decision === undefined ? {} : { decision }) };
  }

  /** The answer that an attempt brought, or undefined when it is none. */
  answer(attempt: number): AnswerRecord | undefined {
    const row = this.#attempt(attempt);
    return answerOf({
      call: this.#call(row.call),
      attempt: row,
      closure: this.#closure(attempt),
      reply: this.#reply(attempt),
      told: this.#told(attempt),
    });
  }

  /** Doubts that rows of the batch wait for: its own attempts, and those of others that a row of its names. */
  doubts(batch: number): readonly Doubt[] {
    const calls = this.#connection.all<CallWithState & { readonly doubt: number }>(
      `SELECT c.* FROM calls c JOIN attempts d ON d.id = c.doubt
        WHERE c.doubt IS NOT NULL
          AND (
            EXISTS (
              SELECT 1 FROM attempts a JOIN closures k ON k.attempt = a.id
               WHERE a.call = c.id AND a.batch = :batch AND k.kind = 'in_doubt')
            OR c.id IN (
              SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
               WHERE r.batch = :batch AND r.kind = 'in_doubt'))
          AND (
            SELECT kind FROM decisions WHERE doubt = c.doubt AND batch = :batch ORDER BY id DESC LIMIT 1) IS NOT 'skip'
        ORDER BY d.row, c.id`,
      { batch },
    );
    return calls.map((call) => this.#doubt(call, call.doubt));
  }

  history(batch: number, row: number): readonly AttemptRecord[] {
    const attempts = this.#connection.all<AttemptOfCall>(
      `SELECT * FROM attempts WHERE call IN (
         SELECT call FROM attempts WHERE batch = :batch AND row = :row
         UNION
         SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
          WHERE r.batch = :batch AND r.row = :row)
       ORDER BY id`,
      { batch, row },
    );
    return attempts.map((attempt) => this.#record(attempt));
  }

  open(): readonly OpenAttempt[] {
    const attempts = this.#connection.all<AttemptOfCall & { readonly identity: string }>(
      `SELECT a.*, p.identity FROM attempts a
         JOIN batches b ON b.id = a.batch JOIN accounts p ON p.id = b.account
        WHERE a.open = 1 ORDER BY a.id`,
    );
    return attempts.map((attempt) => {
      const { reply } = this.#record(attempt);
      const call = this.#call(attempt.call);
      return {
        attempt: attempt.id as AttemptId,
        key: keyText(call.key),
        accountIdentity: attempt.identity,
        call: callOf(call),
        batch: batchId(attempt.batch),
        row: attempt.row,
        reserved: credits(attempt.reserved),
        ...(reply === undefined ? {} : { reply }),
      };
    });
  }

  #doubt(call: CallWithState, attempt: number): Doubt {
    const row = this.#attempt(attempt);
    checkAttempt(row, call.key);
    const closure = this.#closure(attempt);
    return {
      key: keyText(call.key),
      call: callOf(call),
      attempt: row.id as AttemptId,
      batch: batchId(row.batch),
      row: row.row,
      atRisk: credits(row.reserved),
      why: closure === undefined ? '' : closureOf(closure).why,
      sentAtMs: row.intent_at,
      repeats: call.repeats,
    };
  }

  /** The batch's last word on this loss, unless an attempt is just making use of it. */
  #decision(doubt: number, batch: number): Decision | undefined {
    const row = this.#connection.get<DecisionRow & { key: Buffer; checksum: number; used: number }>(
      `SELECT d.*, c.key, EXISTS (SELECT 1 FROM attempts a WHERE a.decision = d.id AND a.open = 1) AS used
         FROM decisions d JOIN calls c ON c.id = d.call
        WHERE d.doubt = +? AND d.batch = +? ORDER BY d.id DESC LIMIT 1`,
      doubt,
      batch,
    );
    if (row === undefined || row.used === 1) return undefined;
    return checkedDecision(row);
  }

  #record(row: AttemptOfCall): AttemptRecord {
    const call = this.#call(row.call);
    checkAttempt(row, call.key);
    const reply = this.#reply(row.id);
    const closure = this.#closure(row.id);
    const decision = this.#decisionAbout(row);
    return {
      attempt: row.id as AttemptId,
      batch: batchId(row.batch),
      row: row.row,
      call: callOf(call),
      reserved: credits(row.reserved),
      intentAtMs: row.intent_at,
      ...(reply === undefined ? {} : { reply: replyOf(reply) }),
      ...(closure === undefined ? {} : { closure: closureOf(closure) }),
      ...(decision === undefined ? {} : { decision }),
    };
  }

  /** What a person told about the attempt, else what allowed it. */
  #decisionAbout(attempt: AttemptOfCall): Decision | undefined {
    const row = this.#connection.get<DecisionRow & { key: Buffer; checksum: number }>(
      `SELECT d.*, c.key FROM decisions d JOIN calls c ON c.id = d.call
        WHERE d.id = coalesce((SELECT decision FROM told WHERE attempt = +?), +?)`,
      attempt.id,
      attempt.decision,
    );
    return row && checkedDecision(row);
  }

  #attempt(id: number): AttemptOfCall {
    const row = this.#connection.get<AttemptOfCall>('SELECT * FROM attempts WHERE id = ?', id);
    if (row === undefined) throw new AlteredRow(`attempt ${id} is missing`);
    return row;
  }

  #call(id: number): StoredCall {
    const row = this.#connection.get<StoredCall>('SELECT * FROM calls WHERE id = ?', id);
    if (row === undefined) throw new AlteredRow(`call ${id} is missing`);
    return row;
  }

  #closure(attempt: number): StoredClosure | undefined {
    return this.#connection.get('SELECT * FROM closures WHERE attempt = ?', attempt);
  }

  #reply(attempt: number): StoredReply | undefined {
    return this.#connection.get('SELECT * FROM replies WHERE attempt = ?', attempt);
  }

  #told(attempt: number): (StoredTold & { readonly why: string }) | undefined {
    return this.#connection.get(
      'SELECT t.*, d.why FROM told t JOIN decisions d ON d.id = t.decision WHERE t.attempt = +?',
      attempt,
    );
  }
}

function checkedDecision(row: DecisionRow & { readonly key: Buffer; readonly checksum: number }): Decision {
  if (row.checksum !== decisionChecksum(row)) throw new AlteredRow(`decision ${row.id} was altered`);
  return decisionOf(row);
}
