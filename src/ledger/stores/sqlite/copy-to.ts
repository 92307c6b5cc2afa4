import { invariant } from '../../../core/errors.ts';
import { crashPoint } from '../../../lib/faults.ts';
import type { CopiedPart, CopiedTables } from '../../copying.ts';
import type { Terms } from '../../rules/kept-call.ts';
import { STANDS } from '../../rules/moves.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { type Recoding, recoded } from './copied-cells.ts';
import { COUNTED_ANEW } from './copied-counts.ts';
import { insertEntries, type Numbers } from './copied-entries.ts';
import { APPLICATION_ID, definitionsOfSchema, SCHEMA } from './identity.ts';
import { sumOfGroup } from './money.ts';
import type { WrittenRow } from './table.ts';
import { type Cells, insertRow, sumUp } from './table-sums.ts';
import {
  ACTS_TABLE,
  AGREEMENTS_TABLE,
  batchNumber,
  CALLS_TABLE,
  CHANGES_TABLE,
  ERASURES_TABLE,
  HOLDS_TABLE,
  NOTICES_TABLE,
  nextNumber,
  PIECES_TABLE,
  PLANNED_TABLE,
  PRICES_TABLE,
  ROWS_TABLE,
  SUBJECTS_TABLE,
} from './tables.ts';

/**
 * Writes what another ledger holds into an empty database. The guards know how a ledger grows, entry by entry, and this one comes
 * as a whole: so they are laid out after it.
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
  readonly #recoding: Recoding = {
    account: (identity: string) => this.#account(identity),
    batch: batchNumber,
    entry: (former: number) => this.of(former),
    entries: (formers: readonly number[]) => JSON.stringify(formers.map((former) => this.of(former))),
    flag: (cell: boolean) => (cell ? 1 : 0),
    json: (cell: object) => JSON.stringify(cell),
  };

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

  #stored<Row>(table: keyof CopiedTables, rows: readonly object[]): readonly Row[] {
    return rows.map((row) => recoded<Row>(table, row, this.#recoding));
  }

  #insertEach(table: keyof CopiedTables, rows: readonly object[]): void {
    for (const cells of this.#stored<Cells>(table, rows)) insertRow(this.#connection, table, cells);
  }

  readonly #takers = {
    accounts: (rows: Taken<'accounts'>) => {
      for (const row of rows) {
        const { learned, usage } = row;
        const { learned: _, usage: __, ...cells } = recoded<Cells>('accounts', row, this.#recoding);
        const id = insertRow(this.#connection, 'accounts', {
          ...{ ...cells, learned_per_second: learned?.perSecond ?? null, learned_at: learned?.atMs ?? null },
          ...{ usage_counted: usage?.counted ?? null, usage_spent: usage?.spent ?? null },
          usage_at: usage?.atMs ?? null,
        });
        this.#accounts.set(row.identity, id);
      }
    },
    batches: (rows: Taken<'batches'>) => {
      for (const row of rows) {
        const { held_since: _, ...cells } = recoded<Cells>('batches', row, this.#recoding);
        insertRow(this.#connection, 'batches', cells);
        const [batch, at] = [batchNumber(row.id), row.held_since];
        if (at !== null) HOLDS_TABLE.insert(this.#connection, { id: row.ordinal + 1, batch, held: 1, at });
      }
    },
    planned: (rows: Taken<'planned'>) =>
      PLANNED_TABLE.insertAll(this.#connection, this.#stored('planned', rows)),
    subjects: (rows: Taken<'subjects'>) => {
      SUBJECTS_TABLE.insertAll(this.#connection, this.#stored('subjects', rows));
      for (const { id, account, project, name, sequence } of rows) {
        this.#connection.run('UPDATE subjects SET sequence = ? WHERE id = ?', sequence, id);
        this.#subjects.set(JSON.stringify([account, project, name]), id);
      }
    },
    entries: (rows: Taken<'entries'>) => insertEntries(this.#connection, this, rows),
    calls: (rows: Taken<'calls'>) => {
      const calls = this.#stored<Omit<WrittenRow<typeof CALLS_TABLE>, keyof Changing>>('calls', rows);
      CALLS_TABLE.insertAll(
        this.#connection,
        calls.map((call, at) => ({ ...call, ...this.#changing(rows[at]) })),
      );
      for (const { id, state, stands } of rows)
        this.#connection.run(MOVE_CALL, {
          ...{ id: this.of(id), stateNumber: STANDS.indexOf(state), stands: this.ofNull(stands) },
        });
    },
    changes: (rows: Taken<'changes'>) =>
      CHANGES_TABLE.insertAll(this.#connection, this.#stored('changes', rows)),
    rows: (rows: Taken<'rows'>) => ROWS_TABLE.insertAll(this.#connection, this.#stored('rows', rows)),
    payers: (rows: Taken<'payers'>) => this.#insertEach('payers', rows),
    prices: (rows: Taken<'prices'>) =>
      PRICES_TABLE.insertAll(
        this.#connection,
        rows.map(({ account, credits_most: credits_max, ...price }) => {
          return { ...price, account: this.#account(account), credits_max };
        }),
      ),
    pauses: (rows: Taken<'pauses'>) => this.#insertEach('pauses', rows),
    agreements: (rows: Taken<'agreements'>) => AGREEMENTS_TABLE.insertAll(this.#connection, rows),
    pieces: (rows: Taken<'pieces'>) => PIECES_TABLE.insertAll(this.#connection, this.#stored('pieces', rows)),
    files: (rows: Taken<'files'>) => this.#insertEach('files', rows),
    reads: (rows: Taken<'reads'>) => this.#insertEach('reads', rows),
    // What they were to remove is where they were ordered, and so they have ended here.
    erasures: (rows: Taken<'erasures'>) => {
      for (const row of rows) ERASURES_TABLE.insert(this.#connection, { ...row, files: '[]' });
      this.#connection.run('UPDATE erasures SET scrubbed = 1');
    },
    erased: (rows: Taken<'erased'>) => {
      for (const { what, id, batch, row, erasure } of rows) {
        const number = batch === null ? (id ?? 0) : batchNumber(batch);
        const isEntry = what === 'call' || what === 'attempt';
        insertRow(this.#connection, 'erased', { what, id: isEntry ? this.of(number) : number, row, erasure });
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
    // Who spends from a folder has the file.
    listed: () => {},
    orders: () => {},
    notices: (rows: Taken<'notices'>) => {
      NOTICES_TABLE.insertAll(this.#connection, rows);
      const sql = 'UPDATE notices SET sent_at = ? WHERE id = ?';
      for (const { id, sent_at } of rows) this.#connection.run(sql, sent_at, id);
    },
  };

  /** Which subject a call changes, and after what: its terms say it by name. */
  #changing(call: CopiedTables['calls'] | undefined): Changing {
    const { change, after } = (call?.terms ?? {}) as Terms;
    if (change === undefined) return { subject: null, after: null };
    const { project = '', name } = change.subject;
    const subject = this.#subjects.get(JSON.stringify([call?.account, project, name]));
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
    const book = 'INSERT INTO book (id, booked, identity) VALUES (1, ?, ?)';
    this.#connection.run(book, last, identity);
    for (const sql of COUNTED_ANEW) this.#connection.run(sql);
    sumUp(this.#connection);
  }
}

type Changing = Pick<WrittenRow<typeof CALLS_TABLE>, 'subject' | 'after'>;

const MOVE_CALL = `
UPDATE calls SET state_number = :stateNumber, stands = :stands, open = NULL, head = (
    SELECT max(head) FROM (
      SELECT max(k.id) AS head FROM attempts a JOIN ends k ON k.of = a.id WHERE a.id = :id OR (a.call = :id AND a.call <> a.id)
      UNION ALL
      SELECT max(n.id) FROM attempts a JOIN notes n ON n.of = a.id WHERE a.id = :id OR (a.call = :id AND a.call <> a.id)))
 WHERE id = :id`;
