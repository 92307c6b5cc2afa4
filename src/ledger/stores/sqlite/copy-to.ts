import { invariant } from '../../../core/errors.ts';
import { crashPoint } from '../../../lib/faults.ts';
import type { CopiedPart, CopiedTables } from '../../copying.ts';
import { STANDS } from '../../rules/moves.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { COUNTED_ANEW } from './copied-counts.ts';
import { insertEntries, type Numbers } from './copied-entries.ts';
import { APPLICATION_ID, definitionsOfSchema, SCHEMA } from './identity.ts';
import { sumOfGroup } from './money.ts';
import { sumUp } from './table-sums.ts';
import {
  ACTS_TABLE,
  AGREEMENTS_TABLE,
  BOOTS_TABLE,
  batchNumber,
  CALLS_TABLE,
  CHANGES_TABLE,
  ERASURES_TABLE,
  HOLDS_TABLE,
  nextNumber,
  PIECES_TABLE,
  PLANNED_TABLE,
  PRICES_TABLE,
  ROWS_TABLE,
  SUBJECTS_TABLE,
} from './tables.ts';

/**
 * Writes what another ledger holds into an empty database. The guards know how a ledger grows, entry by entry, and this one comes
 * as a whole: so they are laid out after it, and the full check tells whether it is one that they would have let through.
 */

type Taken<Name extends keyof CopiedTables> = readonly CopiedTables[Name][];

export async function takeParts(
  connection: Connection,
  identity: string,
  parts: AsyncIterable<CopiedPart>,
): Promise<void> {
  // A crash leaves a file that nobody takes for a ledger.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF'])
    connection.pragma(pragma);
  const isGuard = ({ type }: { readonly type: string }): boolean => type === 'trigger';
  const definitions = definitionsOfSchema();
  connection.begin();
  for (const { sql } of definitions.filter((each) => !isGuard(each))) connection.script(sql);
  const taking = new Taking(connection);
  for await (const { table, rows } of parts) {
    taking.take(table, rows as never);
    crashPoint('copying');
  }
  taking.end(identity);
  for (const { sql } of definitions.filter(isGuard)) connection.script(sql);
  connection.commit();
  const orphan = connection.get<{ table: string }>('SELECT "table" FROM pragma_foreign_key_check LIMIT 1');
  invariant(orphan === undefined, `a row of ${orphan?.table} in the copy names one that is not there`);
  connection.pragma(`application_id = ${APPLICATION_ID}`);
  connection.pragma(`user_version = ${SCHEMA}`);
}

/** An entry gets its number when it comes, and whatever names it comes after it. */
class Taking implements Numbers {
  readonly #connection: Connection;
  readonly #accounts = new Map<string, number>();
  readonly #subjects = new Map<string, number>();
  /** The former numbers, in their order: the place of each is its number here. */
  readonly #former: number[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  take<Name extends keyof CopiedTables>(table: Name, rows: Taken<Name>): void {
    const takers: { readonly [Each in keyof CopiedTables]: (rows: Taken<Each>) => void } = this.#takers;
    takers[table](rows);
  }

  next(former: number): number {
    invariant(former > (this.#former.at(-1) ?? 0), `entry ${former} comes in its order`);
    return this.#former.push(former);
  }

  of(former: number): number {
    const id = this.upTo(former);
    if (this.#former[id - 1] !== former) throw new AlteredRow(`entry ${former} is missing`);
    return id;
  }

  /** The number of the newest entry of at most that one. */
  upTo(former: number): number {
    let [low, high] = [0, this.#former.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#former[middle] ?? 0) <= former) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  ofNull(former: number | null): number | null {
    return former === null ? null : this.of(former);
  }

  #account(identity: string): number {
    const id = this.#accounts.get(identity);
    if (id === undefined) throw new AlteredRow(`the account ${identity} is missing`);
    return id;
  }

  readonly #takers = {
    accounts: (rows: Taken<'accounts'>) => {
      for (const { misses_kept, learned, usage, ...row } of rows) {
        const { id } = this.#connection.run(INSERT_ACCOUNT, {
          ...{ ...row, misses_kept: misses_kept ? 1 : 0 },
          ...{ per_second: learned?.perSecond ?? null, learned_at: learned?.atMs ?? null },
          ...{ counted: usage?.counted ?? null, spent: usage?.spent ?? null, usage_at: usage?.atMs ?? null },
        });
        this.#accounts.set(row.identity, id);
      }
    },
    boots: (rows: Taken<'boots'>) =>
      BOOTS_TABLE.insertAll(
        this.#connection,
        rows.map((row) => ({ ...row, told_by: row.told_by === null ? null : this.#account(row.told_by) })),
      ),
    batches: (rows: Taken<'batches'>) => {
      for (const { held_since: at, ...row } of rows) {
        const id = batchNumber(row.id);
        this.#connection.run(INSERT_BATCH, {
          ...{ ...row, id, account: this.#account(row.account), sandbox: row.sandbox ? 1 : 0 },
          settings: JSON.stringify(row.settings),
        });
        if (at !== null)
          HOLDS_TABLE.insert(this.#connection, { id: row.ordinal + 1, batch: id, held: 1, at });
      }
    },
    planned: (rows: Taken<'planned'>) =>
      PLANNED_TABLE.insertAll(
        this.#connection,
        rows.map(({ batch, row, planned }) => {
          return { batch: batchNumber(batch), row, planned: JSON.stringify(planned) };
        }),
      ),
    subjects: (rows: Taken<'subjects'>) => {
      for (const { sequence, account, ...row } of rows) {
        SUBJECTS_TABLE.insert(this.#connection, { ...row, account: this.#account(account) });
        this.#connection.run('UPDATE subjects SET sequence = ? WHERE id = ?', sequence, row.id);
        this.#subjects.set(JSON.stringify([account, row.project, row.name]), row.id);
      }
    },
    entries: (rows: Taken<'entries'>) => insertEntries(this.#connection, this, rows),
    calls: (rows: Taken<'calls'>) => {
      const calls = rows.map((row) => ({ ...row, id: this.of(row.id), stands: this.ofNull(row.stands) }));
      CALLS_TABLE.insertAll(
        this.#connection,
        calls.map(({ state: _, stands: __, ...row }) => ({
          ...{ ...row, account: this.#account(row.account), ...this.#changing(row) },
          parameters: JSON.stringify(row.parameters),
          terms: row.terms === null ? null : JSON.stringify(row.terms),
        })),
      );
      for (const { id, state, stands } of calls)
        this.#connection.run(MOVE_CALL, { id, stateNumber: STANDS.indexOf(state), stands });
    },
    changes: (rows: Taken<'changes'>) =>
      CHANGES_TABLE.insertAll(
        this.#connection,
        rows.map((row) => ({ ...row, attempt: this.of(row.attempt) })),
      ),
    rows: (rows: Taken<'rows'>) =>
      ROWS_TABLE.insertAll(
        this.#connection,
        rows.map((row) => ({
          ...{ ...row, batch: batchNumber(row.batch), read_to: this.ofNull(row.read_to) },
          answers: JSON.stringify(row.answers.map((attempt) => this.of(attempt))),
        })),
      ),
    payers: (rows: Taken<'payers'>) => {
      const sql = 'INSERT INTO payers (attempt, row) VALUES (?, ?)';
      for (const { attempt, row } of rows) this.#connection.run(sql, this.of(attempt), row);
    },
    prices: (rows: Taken<'prices'>) =>
      PRICES_TABLE.insertAll(
        this.#connection,
        rows.map(({ account, credits_most: credits_max, ...price }) => {
          return { ...price, account: this.#account(account), credits_max };
        }),
      ),
    pauses: (rows: Taken<'pauses'>) => {
      for (const { account, asked, ...row } of rows)
        this.#connection.run(INSERT_PAUSE, {
          ...{ ...row, account: this.#account(account), asked: asked ? 1 : 0 },
        });
    },
    agreements: (rows: Taken<'agreements'>) => AGREEMENTS_TABLE.insertAll(this.#connection, rows),
    pieces: (rows: Taken<'pieces'>) =>
      PIECES_TABLE.insertAll(
        this.#connection,
        rows.map((row) => ({ ...row, batch: batchNumber(row.batch) })),
      ),
    files: (rows: Taken<'files'>) => {
      const sql = 'INSERT INTO files (path, sha256, batch) VALUES (?, ?, ?)';
      for (const { path, sha256, batch } of rows)
        this.#connection.run(sql, path, sha256, batch === null ? null : batchNumber(batch));
    },
    reads: (rows: Taken<'reads'>) => {
      const sql = 'INSERT INTO reads (path, batch, is_list) VALUES (?, ?, ?)';
      for (const { path, batch, is_list } of rows)
        this.#connection.run(sql, path, batchNumber(batch), is_list ? 1 : 0);
    },
    // What they were to remove is where they were ordered, and so they have ended here.
    erasures: (rows: Taken<'erasures'>) => {
      for (const row of rows) ERASURES_TABLE.insert(this.#connection, { ...row, files: '[]' });
      this.#connection.run('UPDATE erasures SET scrubbed = 1');
    },
    erased: (rows: Taken<'erased'>) => {
      const sql = 'INSERT INTO erased (what, id, row, erasure) VALUES (?, ?, ?, ?)';
      for (const { what, id, batch, row, erasure } of rows) {
        const number = batch === null ? (id ?? 0) : batchNumber(batch);
        const isEntry = what === 'call' || what === 'attempt';
        this.#connection.run(sql, what, isEntry ? this.of(number) : number, row, erasure);
      }
    },
    acts: (rows: Taken<'acts'>) => {
      const first = nextNumber(this.#connection, 'acts', rows.length);
      ACTS_TABLE.insertAll(
        this.#connection,
        rows.map(({ batch, erasure, after, ...act }, at) => {
          const of = batch === null ? (erasure ?? 0) : batchNumber(batch);
          return { ...act, id: first + at, of, after: this.upTo(after) };
        }),
      );
    },
  };

  /** Which subject a call changes, and after what: its terms say it by name. */
  #changing({ account, terms }: Pick<CopiedTables['calls'], 'account' | 'terms'>): {
    subject: number | null;
    after: number | null;
  } {
    const { change, after } = (terms ?? {}) as Terms;
    if (change === undefined) return { subject: null, after: null };
    const { project = '', name } = change.subject;
    const subject = this.#subjects.get(JSON.stringify([account, project, name]));
    if (subject === undefined) throw new AlteredRow(`the subject ${name} is missing`);
    return { subject, after: after ?? null };
  }

  /** Books all entries as one group, and counts and adds up what a ledger counts. */
  end(identity: string): void {
    const last = this.#former.length;
    this.#connection.run('INSERT INTO groups (id, first, sum) VALUES (0, 0, 0)');
    if (last > 0) {
      const sum = sumOfGroup(1, last, 0);
      this.#connection.run('INSERT INTO groups (id, first, sum) VALUES (?, 1, ?)', last, sum);
    }
    const book = 'INSERT INTO book (id, booked, commits, clean, identity) VALUES (1, ?, 0, 0, ?)';
    this.#connection.run(book, last, identity);
    for (const sql of COUNTED_ANEW) this.#connection.run(sql);
    sumUp(this.#connection);
  }
}

interface Terms {
  readonly change?: { readonly subject: { readonly project?: string; readonly name: string } };
  readonly after?: number;
}

const INSERT_ACCOUNT = `
INSERT INTO accounts (identity, per_day, per_month, misses, misses_place, misses_kept, paused_until, learned_per_second, learned_at,
    usage_counted, usage_spent, usage_at)
  VALUES (:identity, :per_day, :per_month, :misses, :misses_place, :misses_kept, :paused_until, :per_second, :learned_at,
    :counted, :spent, :usage_at)`;

const INSERT_BATCH = `
INSERT INTO batches (id, ordinal, key, generation, lineage, state, account, account_name, sandbox, vendor, operation, input_path,
    input_sha256, input_rows, settings, created_at, budget, extra_credits, output_path, output_sha256, command, fresh_found,
    fresh_no_match, rows_beyond, planned_rows)
  VALUES (:id, :ordinal, :key, :generation, :lineage, :state, :account, :account_name, :sandbox, :vendor, :operation, :input_path,
    :input_sha256, :input_rows, :settings, :created_at, :budget, :extra_credits, :output_path, :output_sha256, :command,
    :fresh_found, :fresh_no_match, :rows_beyond, :planned_rows)`;

const INSERT_PAUSE = `
INSERT INTO pauses (account, from_at, until_at, why, asked) VALUES (:account, :from_at, :until_at, :why, :asked)`;

const MOVE_CALL = `
UPDATE calls SET state_number = :stateNumber, stands = :stands, open = NULL, head = (
    SELECT max(head) FROM (
      SELECT max(k.id) AS head FROM attempts a JOIN ends k ON k.of = a.id WHERE a.id = :id OR (a.call = :id AND a.call <> a.id)
      UNION ALL
      SELECT max(n.id) FROM attempts a JOIN notes n ON n.of = a.id WHERE a.id = :id OR (a.call = :id AND a.call <> a.id)))
 WHERE id = :id`;
