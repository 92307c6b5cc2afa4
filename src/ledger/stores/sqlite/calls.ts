import { present } from '../../../core/objects.ts';
import {
  type AnswerRecord,
  type AttemptId,
  type AttemptRecord,
  type AttemptsAbout,
  answeredCall,
  type CallState,
  credits,
  type Decision,
  type Doubt,
  type FoundReply,
  type OpenAttempt,
  type ReadAs,
} from '../../ledger.ts';
import type { SalvagedCall } from '../../store.ts';
import { momentOf } from './boots.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { hiddenKey } from './erasure-key.ts';
import { attemptsOf, hasKey } from './lookups.ts';
import { type CallRow, callFrom, type Story, storyOf } from './stories.ts';
import { batchId, keyText } from './tables.ts';

/** What the ledger holds for calls. Each question is a few reads by number, one or two microseconds each. */

/** How many of the newest attempts are searched for an account's answers. */
const ATTEMPTS_LOOKED_THROUGH = 1_000;

const BY_KEY = `SELECT * FROM calls WHERE ${hasKey('calls', '+:key')}`;

export class Calls {
  readonly #connection: Connection;
  /** The key that hides calls of forgotten people; undefined when nobody was forgotten. */
  readonly #secret: Buffer | undefined;

  constructor(connection: Connection, secret?: Buffer) {
    this.#connection = connection;
    this.#secret = secret;
  }

  byKey(key: Buffer): CallRow | undefined {
    const call = this.#connection.get<CallRow>(BY_KEY, { key });
    if (call !== undefined || this.#secret === undefined) return call;
    return this.#connection.get(BY_KEY, { key: hiddenKey(this.#secret, key) });
  }

  /** @param batch the batch whose decisions count; undefined for none. */
  state(key: Buffer, batch: number | undefined): CallState {
    const call = this.byKey(key);
    return call === undefined ? { kind: 'unknown' } : this.#stateOf(call, batch);
  }

  /** A call by its number in the tables, even if the index of the keys does not know it; undefined where there is none. */
  numbered(id: number): SalvagedCall | undefined {
    const row = this.#connection.get<CallRow & { identity: string | null }>(
      'SELECT c.*, p.identity FROM calls c LEFT JOIN accounts p ON p.id = c.account WHERE c.id = ?',
      id,
    );
    if (row === undefined) return undefined;
    if (row.identity === null) throw new AlteredRow(`account ${row.account} is missing`);
    return { accountIdentity: row.identity, call: callFrom(row), state: this.#stateOf(row, undefined) };
  }

  #stateOf(call: CallRow, batch: number | undefined): CallState {
    if (call.stands === null)
      return call.open === null
        ? { kind: 'unknown' }
        : { kind: 'in_flight', attempt: call.open as AttemptId };
    const story = storyOf(this.#connection, call.stands);
    if (call.state === 'answered') {
      const answer = story.answer(call, { withHeaders: true });
      if (answer === undefined) throw new AlteredRow(`the answer of call ${call.id}`);
      return answeredCall(answer);
    }
    const decision = batch === undefined ? undefined : this.#decision(call, story, batch);
    return { kind: 'in_doubt', doubt: this.#doubt(call, story), ...present({ decision }) };
  }

  /**
   * The answer of an attempt, which may be none by its newest reading; undefined when it never had one.
   * @param readTo the newest reading that counts; without it all of them count.
   */
  answer(attempt: number, readTo?: number | null): AnswerRecord<ReadAs> | undefined {
    const story = storyOf(this.#connection, attempt);
    return story.answer(this.#call(story.begun.call), readTo === undefined ? {} : { readTo });
  }

  /** Attempts have numbers in the order in which they began, so the newest ones are at the end of the table. */
  newestFound(accountIdentity: string, most: number): readonly FoundReply[] {
    const attempts = this.#connection.all<{ of: number }>(
      `SELECT e.of FROM (SELECT id FROM attempts ORDER BY id DESC LIMIT ${ATTEMPTS_LOOKED_THROUGH}) a
         CROSS JOIN ends e ON e.of = a.id CROSS JOIN calls c ON c.id = e.call CROSS JOIN accounts p ON p.id = c.account
        WHERE p.identity = +? AND e.kind = 'answered' AND e.said = 'found' ORDER BY e.of DESC LIMIT +?`,
      accountIdentity,
      most,
    );
    return attempts.flatMap(({ of }) => {
      const { call, reply } = this.recorded(of);
      return reply === undefined ? [] : [{ call, reply }];
    });
  }

  /** Everything that is known about an attempt. */
  recorded(attempt: number): AttemptRecord {
    const story = storyOf(this.#connection, attempt);
    return story.record(this.#call(story.begun.call));
  }

  /**
   * Doubts that rows of the batch wait for: its own attempts, and attempts of other batches that one of its rows names.
   * What the batch skips is left out where that is not asked for.
   */
  doubts(batch: number, withSkipped: boolean): readonly Doubt[] {
    const calls = this.#connection.all<CallRow & { readonly stands: number }>(
      `SELECT c.* FROM calls c JOIN attempts d ON d.id = c.stands
        WHERE c.state = 'doubt'
          AND (
            EXISTS (
              SELECT 1 FROM losses l JOIN attempts a ON a.id = l.attempt WHERE l.call = c.id AND a.batch = :batch)
            OR c.id IN (
              SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
               WHERE r.batch = :batch AND r.outcome = 'in_doubt'))
          AND (:withSkipped OR (
            SELECT k.said FROM notes k WHERE k.of = c.stands AND k.kind = 'decided' AND k.batch = :batch
             ORDER BY k.id DESC LIMIT 1) IS NOT 'skip')
        ORDER BY d.row, c.id`,
      { batch, withSkipped: withSkipped ? 1 : 0 },
    );
    return calls.map((call) => this.#doubt(call, storyOf(this.#connection, call.stands)));
  }

  history(batch: number, row: number): readonly AttemptRecord[] {
    return this.#records(
      `SELECT a.id FROM (
         SELECT call FROM attempts WHERE batch = :batch AND row = :row
         UNION
         SELECT a.call FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
          WHERE r.batch = :batch AND r.row = :row) c
       CROSS JOIN attempts a ON a.id IN ${attemptsOf('c.call')} ORDER BY a.id`,
      { batch, row },
    );
  }

  /** The question of a call is JSON, so a whole value in it stands in quotes. */
  about(values: readonly string[], after: number, most: number): AttemptsAbout {
    const last = this.#connection.get<{ id: number | null }>(
      'SELECT max(id) AS id FROM (SELECT id FROM calls WHERE id > ? ORDER BY id LIMIT ?)',
      after,
      most,
    )?.id;
    if (last == null) return { attempts: [] };
    const newest = this.#connection.get<{ id: number }>('SELECT max(id) AS id FROM calls')?.id ?? 0;
    const found = this.#records(
      `SELECT a.id FROM calls c CROSS JOIN attempts a ON a.id IN ${attemptsOf('c.id')}
        WHERE c.id > :after AND c.id <= :last
          AND EXISTS (SELECT 1 FROM json_each(:values) v WHERE instr(c.question, v.value) > 0) ORDER BY a.id`,
      { after, last, values: JSON.stringify(values.map((value) => JSON.stringify(value))) },
    );
    return last < newest ? { attempts: found, next: last } : { attempts: found };
  }

  /** Open attempts with numbers up to this one. */
  open(newest: number): readonly OpenAttempt[] {
    const calls = this.#connection.all<CallRow & { readonly open: number; readonly identity: string }>(
      `SELECT c.*, p.identity FROM calls c JOIN accounts p ON p.id = c.account
        WHERE c.open IS NOT NULL AND c.open <= +? ORDER BY c.open`,
      newest,
    );
    return calls.map((row) => {
      const { begun, reply } = storyOf(this.#connection, row.open);
      return {
        attempt: row.open as AttemptId,
        key: keyText(row.key),
        accountIdentity: row.identity,
        call: callFrom(row),
        batch: batchId(begun.batch),
        row: begun.row,
        reserved: credits(begun.reserved),
        ...present({ reply }),
      };
    });
  }

  #doubt(call: CallRow, story: Story): Doubt {
    const { begun, request } = story;
    const sentBoot = momentOf(this.#connection, begun);
    const firstBoot = request === undefined ? sentBoot : this.#firstUnder(request.idempotencyKey);
    const lost = this.#connection.get<{ held: number | null; repeats: number }>(
      `SELECT sum(iif(l.ended IS NULL, l.holds, 0)) AS held, count(iif(a.kind = 'repeat', 1, NULL)) AS repeats
         FROM losses l CROSS JOIN attempts a ON a.id = l.attempt WHERE l.call = +?`,
      call.id,
    );
    return {
      key: keyText(call.key),
      call: callFrom(call),
      attempt: story.id,
      batch: batchId(begun.batch),
      row: begun.row,
      atRisk: credits(lost?.held ?? 0),
      why: story.closure?.why ?? '',
      sentAtMs: begun.at,
      ...present({ sentBoot, firstBoot }),
      repeats: lost?.repeats ?? 0,
      ...present({ request }),
    };
  }

  /** When the first attempt under an idempotency key began, on the boot clock. */
  #firstUnder(key: string) {
    const row = this.#connection.get<{ boot: number | null; uptime: number | null }>(
      `SELECT a.boot, a.uptime FROM requests r JOIN attempts a ON a.id = r.attempt
        WHERE r.idempotency_key = +? ORDER BY a.id LIMIT 1`,
      key,
    );
    return row && momentOf(this.#connection, row);
  }

  /** The batch's last decision about this loss, unless an attempt is using it. */
  #decision(call: CallRow, story: Story, batch: number): Decision | undefined {
    const decision = story.decisionsOf(batch, call.key).at(-1);
    if (decision === undefined || call.open === null) return decision;
    const open = storyOf(this.#connection, call.open).begun;
    return open.kind !== 'refresh' && open.sees === decision.id ? undefined : decision;
  }

  #records(sql: string, values: Readonly<Record<string, string | number>>): readonly AttemptRecord[] {
    return this.#connection.all<{ id: number }>(sql, values).map(({ id }) => this.recorded(id));
  }

  #call(id: number): CallRow {
    const row = this.#connection.get<CallRow>('SELECT * FROM calls WHERE id = ?', id);
    if (row === undefined) throw new AlteredRow(`call ${id} is missing`);
    return row;
  }
}
