import type { CopiedPart, CopiedTables } from '../../copying.ts';
import { learnedOf, type Stored, usageOf } from './accounts.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { type Recoding, recoded } from './copied-cells.ts';
import { entriesIn, numbered } from './copied-entries.ts';
import { checkedRows } from './lookups.ts';
import { PEOPLE_READS } from './people.ts';
import type { ReadRow, Table } from './table.ts';
import { checkAccount, checkBatch } from './table-sums.ts';
import {
  ACTS_TABLE,
  AGREEMENTS_TABLE,
  batchId,
  CALLS_TABLE,
  CHANGES_TABLE,
  ERASURES_TABLE,
  NOTICES_TABLE,
  PIECES_TABLE,
  PLANNED_TABLE,
  PRICES_TABLE,
  ROWS_TABLE,
  SUBJECTS_TABLE,
} from './tables.ts';

/** All that a ledger holds, as a copy takes it. Each row is held against its sum. */

/** Entries, calls or rows of a list that are handed on at once. */
const AT_ONCE = 1_000;

export function* partsOf(connection: Connection): Generator<CopiedPart> {
  const giving = givingFrom(connection);
  const part = (table: keyof CopiedTables, rows: readonly object[]): CopiedPart => {
    return { table, rows: rows.map((row) => recoded<never>(table, row, giving)) };
  };
  const all = (sql: string): readonly object[] => connection.all<object>(sql);
  yield part('accounts', connection.all<Stored>('SELECT * FROM accounts').map(accountFrom));
  const batches = connection.all<{ id: number }>('SELECT * FROM batches ORDER BY ordinal');
  const lists = batches.map((row) => batchFrom(connection, row));
  yield part('batches', lists);
  for (const { id } of batches)
    for (const page of pagesOf(connection, PLANNED_TABLE, id)) yield part('planned', page);
  yield part('subjects', checkedRows(connection, SUBJECTS_TABLE, 'TRUE ORDER BY id'));
  for (const [from, before] of rangesTo(connection, 'SELECT booked AS newest FROM book'))
    yield { table: 'entries', rows: entriesIn(connection, from, before) };
  for (const range of rangesTo(connection, 'SELECT max(id) AS newest FROM calls'))
    yield part('calls', checkedRows(connection, CALLS_TABLE, 'id >= ? AND id < ?', ...range));
  yield part('changes', checkedRows(connection, CHANGES_TABLE, 'TRUE'));
  for (const { id } of batches)
    for (const page of pagesOf(connection, ROWS_TABLE, id)) yield part('rows', page);
  yield part('payers', all('SELECT * FROM payers ORDER BY attempt'));
  for (const { id } of batches)
    for (const page of pagesOf(connection, PIECES_TABLE, id)) yield part('pieces', page);
  yield part('prices', checkedRows(connection, PRICES_TABLE, 'TRUE').map(priceFrom));
  yield part('pauses', all('SELECT * FROM pauses ORDER BY id'));
  yield part('agreements', checkedRows(connection, AGREEMENTS_TABLE, 'TRUE'));
  yield part('files', all('SELECT * FROM files'));
  yield part('reads', all('SELECT * FROM reads'));
  yield part('erasures', checkedRows(connection, ERASURES_TABLE, 'TRUE ORDER BY id'));
  yield part('erased', connection.all<ErasedRow>('SELECT * FROM erased').map(erasedFrom));
  yield part('acts', checkedRows(connection, ACTS_TABLE, 'TRUE ORDER BY id').map(actFrom));
  yield part('notices', checkedRows(connection, NOTICES_TABLE, 'TRUE ORDER BY at, id'));
}

function givingFrom(connection: Connection): Recoding {
  const sql = 'SELECT id, identity FROM accounts';
  const identities = new Map(connection.lists<[id: number, identity: string]>(sql));
  return {
    account(id: number): string {
      const identity = identities.get(id);
      if (identity === undefined) throw new AlteredRow(`account ${id} is missing`);
      return identity;
    },
    batch: batchId,
    entry: numbered,
    entries: (answers: string) => (JSON.parse(answers) as readonly number[]).map(numbered),
    flag: (cell: number) => cell === 1,
    json: (text: string) => JSON.parse(text),
  };
}

function* rangesTo(connection: Connection, sql: string): Generator<readonly [from: number, before: number]> {
  const newest = connection.get<{ newest: number | null }>(sql)?.newest ?? 0;
  for (let from = 1; from <= newest; from += AT_ONCE) yield [from, from + AT_ONCE];
}

interface OfBatch {
  readonly batch: number;
  readonly row: number;
}

type ListTable = typeof ROWS_TABLE | typeof PLANNED_TABLE | typeof PIECES_TABLE;

function* pagesOf(connection: Connection, of: ListTable, batch: number): Generator<readonly OfBatch[]> {
  const table = of as unknown as Table<OfBatch>;
  for (let from = 0; ; ) {
    const where = 'batch = ? AND row >= ? ORDER BY row LIMIT ?';
    const page = checkedRows(connection, table, where, batch, from, AT_ONCE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    from = last.row + 1;
  }
}

function accountFrom(row: Stored): object {
  checkAccount(row);
  return { ...row, learned: learnedOf(row), usage: usageOf(row) };
}

function batchFrom(connection: Connection, row: { readonly id: number }): object {
  checkBatch(row);
  return { ...row, held_since: PEOPLE_READS.heldSince(connection, batchId(row.id)) };
}

const priceFrom = ({ credits_max, ...price }: ReadRow<typeof PRICES_TABLE>): object => ({
  ...price,
  credits_most: credits_max,
});

interface ErasedRow {
  readonly what: string;
  readonly id: number;
  readonly row: number;
  readonly erasure: number;
}

function erasedFrom({ what, id, ...where }: ErasedRow): object {
  if (what === 'row') return { what, batch: batchId(id), ...where };
  return { what, id: what === 'subject' ? id : numbered(id), ...where };
}

function actFrom({ kind, of, after, at, operator }: ReadRow<typeof ACTS_TABLE>): object {
  const about = kind === 'erased' ? { erasure: of } : { batch: batchId(of) };
  return { kind, ...about, after: numbered(after), at, operator };
}
