import type { JsonObject } from '../../../core/operation.ts';
import type { CopiedPart, CopiedTables } from '../../copying.ts';
import type { Batch } from '../../ledger.ts';
import { learnedOf, type Stored, usageOf } from './accounts.ts';
import type { CallRow } from './attempt-records.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { batchOrNull, entriesIn, numbered, numberedOrNull } from './copied-entries.ts';
import { HOLD_READS } from './holds.ts';
import { checkedRows } from './lookups.ts';
import type { ReadRow } from './table.ts';
import { checkAccount, checkBatch } from './table-sums.ts';
import {
  ACTS_TABLE,
  AGREEMENTS_TABLE,
  BOOTS_TABLE,
  batchId,
  CALLS_TABLE,
  CHANGES_TABLE,
  ERASURES_TABLE,
  PIECES_TABLE,
  PLANNED_TABLE,
  PRICES_TABLE,
  ROWS_TABLE,
  SUBJECTS_TABLE,
} from './tables.ts';

/** All that a ledger holds, as a copy takes it. Each row is held against its sum. */

/** Entries, calls or rows of a list that are handed on at once. */
const AT_ONCE = 1_000;

type Accounts = ReadonlyMap<number, string>;

export function* partsOf(connection: Connection): Generator<CopiedPart> {
  const accounts: Accounts = new Map(
    connection
      .all<{ id: number; identity: string }>('SELECT id, identity FROM accounts')
      .map(({ id, identity }) => [id, identity]),
  );
  yield* leading(connection, accounts);
  for (const [from, before] of rangesTo(connection, 'SELECT booked AS newest FROM book'))
    yield { table: 'entries', rows: entriesIn(connection, from, before) };
  for (const [from, before] of rangesTo(connection, 'SELECT max(id) AS newest FROM calls'))
    yield { table: 'calls', rows: callsIn(connection, accounts, from, before) };
  yield { table: 'changes', rows: checkedRows(connection, CHANGES_TABLE, 'TRUE').map(changeFrom) };
  yield* ofLists(connection);
  yield* trailing(connection, accounts);
}

function* rangesTo(connection: Connection, sql: string): Generator<readonly [from: number, before: number]> {
  const newest = connection.get<{ newest: number | null }>(sql)?.newest ?? 0;
  for (let from = 1; from <= newest; from += AT_ONCE) yield [from, from + AT_ONCE];
}

function nameOf(accounts: Accounts, id: number): string {
  const identity = accounts.get(id);
  if (identity === undefined) throw new AlteredRow(`account ${id} is missing`);
  return identity;
}

// ---------------------------------------------------------------------------------------------------- before the entries

function* leading(connection: Connection, accounts: Accounts): Generator<CopiedPart> {
  yield { table: 'accounts', rows: connection.all<AccountRow>('SELECT * FROM accounts').map(accountFrom) };
  yield {
    table: 'boots',
    rows: checkedRows(connection, BOOTS_TABLE, 'TRUE ORDER BY id').map(({ sum: _, told_by, ...boot }) => ({
      ...boot,
      told_by: told_by === null ? null : nameOf(accounts, told_by),
    })),
  };
  const batches = connection.all<BatchRow>('SELECT * FROM batches ORDER BY ordinal');
  yield { table: 'batches', rows: batches.map((row) => batchFrom(connection, accounts, row)) };
  for (const { id } of batches)
    for (const planned of pagesOf(connection, PLANNED_TABLE, id))
      yield {
        table: 'planned',
        rows: planned.map(({ batch, row, planned: text }) => ({
          ...{ batch: batchId(batch), row, planned: JSON.parse(text) as JsonObject },
        })),
      };
  const subjects = checkedRows(connection, SUBJECTS_TABLE, 'TRUE ORDER BY id') as readonly SubjectRow[];
  yield {
    table: 'subjects',
    rows: subjects.map(({ id, account, project, name, sequence }) => {
      return { id, account: nameOf(accounts, account), project, name, sequence };
    }),
  };
}

type AccountRow = Stored & Pick<CopiedTables['accounts'], 'identity' | 'per_day' | 'per_month'>;

type SubjectRow = ReadRow<typeof SUBJECTS_TABLE> & { readonly sequence: number };

function accountFrom(row: AccountRow): CopiedTables['accounts'] {
  checkAccount(row);
  const { identity, per_day, per_month, misses, misses_place, misses_kept, paused_until } = row;
  return {
    ...{ identity, per_day, per_month, misses, misses_place, misses_kept: misses_kept === 1, paused_until },
    ...{ learned: learnedOf(row) ?? null, usage: usageOf(row) ?? null },
  };
}

type BatchRow = Omit<
  CopiedTables['batches'],
  'id' | 'account' | 'sandbox' | 'settings' | 'ordinal' | 'held_since'
> & {
  readonly id: number;
  readonly account: number;
  readonly sandbox: number;
  readonly settings: string;
  readonly ordinal: number;
  readonly sum: number;
};

function batchFrom(connection: Connection, accounts: Accounts, row: BatchRow): CopiedTables['batches'] {
  checkBatch(row);
  const { id: number, account, sandbox, settings, sum: _, ...cells } = row;
  const id = batchId(number);
  return {
    ...cells,
    ...{ id, account: nameOf(accounts, account), sandbox: sandbox === 1 },
    settings: JSON.parse(settings) as Batch['settings'],
    held_since: HOLD_READS.heldSince(connection, id) ?? null,
  };
}

// ---------------------------------------------------------------------------------------------------- the book

function callsIn(
  connection: Connection,
  accounts: Accounts,
  from: number,
  before: number,
): readonly CopiedTables['calls'][] {
  const rows = checkedRows(connection, CALLS_TABLE, 'id >= ? AND id < ?', from, before) as readonly CallRow[];
  return rows.map(({ id, key, account, operation, credits_most, parameters, terms, state, stands }) => ({
    ...{ id: numbered(id), key, account: nameOf(accounts, account), operation, credits_most },
    parameters: JSON.parse(parameters) as JsonObject,
    terms: terms === null ? null : (JSON.parse(terms) as JsonObject),
    ...{ state, stands: numberedOrNull(stands) },
  }));
}

const changeFrom = ({
  sum: _,
  attempt,
  ...change
}: ReadRow<typeof CHANGES_TABLE>): CopiedTables['changes'] => ({
  ...{ ...change, attempt: numbered(attempt) },
});

// ---------------------------------------------------------------------------------------------------- lists, and what is beside them

interface OfBatch {
  readonly batch: number;
  readonly row: number;
}

type ListTable = typeof ROWS_TABLE | typeof PLANNED_TABLE | typeof PIECES_TABLE;

/** The rows that a table has of a batch, a page after the other. */
function* pagesOf<Described extends ListTable>(
  connection: Connection,
  table: Described,
  batch: number,
): Generator<readonly ReadRow<Described>[]> {
  const where = 'batch = ? AND row >= ? ORDER BY row LIMIT ?';
  for (let from = 0; ; ) {
    const page = checkedRows<OfBatch>(connection, table as never, where, batch, from, AT_ONCE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page as unknown as readonly ReadRow<Described>[];
    from = last.row + 1;
  }
}

function* ofLists(connection: Connection): Generator<CopiedPart> {
  const ids = connection.all<{ id: number }>('SELECT id FROM batches ORDER BY ordinal').map(({ id }) => id);
  for (const id of ids)
    for (const page of pagesOf(connection, ROWS_TABLE, id)) yield { table: 'rows', rows: page.map(rowFrom) };
  const payers = connection.all<CopiedTables['payers']>('SELECT attempt, row FROM payers ORDER BY attempt');
  yield {
    table: 'payers',
    rows: payers.map(({ attempt, row }) => ({ attempt: numbered(attempt), row })),
  };
  for (const id of ids)
    for (const page of pagesOf(connection, PIECES_TABLE, id))
      yield {
        table: 'pieces',
        rows: page.map(({ sum: _, batch, ...piece }) => ({ ...piece, batch: batchId(batch) })),
      };
}

const rowFrom = ({
  sum: _,
  batch,
  answers,
  read_to,
  ...row
}: ReadRow<typeof ROWS_TABLE>): CopiedTables['rows'] => ({
  ...{ ...row, batch: batchId(batch), read_to: numberedOrNull(read_to) },
  answers: (JSON.parse(answers) as readonly number[]).map(numbered),
});

function* trailing(connection: Connection, accounts: Accounts): Generator<CopiedPart> {
  yield {
    table: 'prices',
    rows: checkedRows(connection, PRICES_TABLE, 'TRUE').map(({ account, operation, ...price }) => ({
      ...{ account: nameOf(accounts, account), operation },
      ...{ credits_most: price.credits_max, highest: price.highest },
    })),
  };
  const pauses = connection.all<PauseRow>('SELECT * FROM pauses ORDER BY id');
  yield {
    table: 'pauses',
    rows: pauses.map(({ id: _, account, asked, ...pause }) => ({
      ...{ ...pause, account: nameOf(accounts, account), asked: asked === 1 },
    })),
  };
  yield {
    table: 'agreements',
    rows: checkedRows(connection, AGREEMENTS_TABLE, 'TRUE').map(({ sum: _, ...agreement }) => agreement),
  };
  yield { table: 'files', rows: connection.all<FileRow>('SELECT * FROM files').map(fileFrom) };
  yield { table: 'reads', rows: connection.all<ReadsRow>('SELECT * FROM reads').map(readFrom) };
  yield {
    table: 'erasures',
    rows: checkedRows(connection, ERASURES_TABLE, 'TRUE ORDER BY id').map(({ id, kind, at, key_check }) => {
      return { id, kind, at, key_check };
    }),
  };
  yield { table: 'erased', rows: connection.all<ErasedRow>('SELECT * FROM erased').map(erasedFrom) };
  yield { table: 'acts', rows: checkedRows(connection, ACTS_TABLE, 'TRUE ORDER BY id').map(actFrom) };
}

type PauseRow = Omit<CopiedTables['pauses'], 'account' | 'asked'> & {
  readonly id: number;
  readonly account: number;
  readonly asked: number;
};

interface FileRow {
  readonly path: string;
  readonly sha256: string;
  readonly batch: number | null;
}

const fileFrom = ({ path, sha256, batch }: FileRow): CopiedTables['files'] => ({
  ...{ path, sha256, batch: batchOrNull(batch) },
});

interface ReadsRow {
  readonly path: string;
  readonly batch: number;
  readonly is_list: number;
}

const readFrom = ({ path, batch, is_list }: ReadsRow): CopiedTables['reads'] => ({
  ...{ path, batch: batchId(batch), is_list: is_list === 1 },
});

interface ErasedRow {
  readonly what: string;
  readonly id: number;
  readonly row: number;
  readonly erasure: number;
}

function erasedFrom({ what, id, row, erasure }: ErasedRow): CopiedTables['erased'] {
  if (what === 'row') return { what, id: null, batch: batchId(id), row, erasure };
  return { what, id: what === 'subject' ? id : numbered(id), batch: null, row, erasure };
}

function actFrom({ kind, of, after, at, operator }: ReadRow<typeof ACTS_TABLE>): CopiedTables['acts'] {
  const about = kind === 'erased' ? { batch: null, erasure: of } : { batch: batchId(of), erasure: null };
  return { kind, ...about, after: numbered(after), at, operator };
}
