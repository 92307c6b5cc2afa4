import { hostname } from 'node:os';
import { crashPoint } from '../../../lib/faults.ts';
import { type CopiedPart, type CopiedTables, columnsOf, TABLES } from '../../copying.ts';
import { addedUp } from './added-up.ts';
import { type Database, oneCell, type Sql } from './connection.ts';
import { tallied } from './schema/tallies-sql.ts';

/**
 * Writes what another ledger holds into an empty one, in one transaction: a crash leaves it empty. The trigger knows how calls move,
 * entry by entry, and these come as a whole, so it rests meanwhile: only the owner of the tables can do that.
 */

/** Tables in which something follows from each row that is written. */
const WITH_TRIGGERS = ['calls', 'entries'] as const;

export function takeParts(database: Database, parts: AsyncIterable<CopiedPart>): Promise<string> {
  return database.write(async (sql) => {
    await emptied(sql);
    for (const table of WITH_TRIGGERS) await sql.script(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const misses: Pick<CopiedTables['accounts'], 'identity' | 'misses'>[] = [];
    for await (const part of parts) {
      if (part.table === 'accounts') misses.push(...part.rows);
      await insert(sql, part.table, part.rows);
      crashPoint('copying');
    }
    for (const text of COUNTED_ANEW) await sql.script(text);
    const [identities, counts] = [misses.map(({ identity }) => identity), misses.map((each) => each.misses)];
    await sql.rows(MISSES, [identities, counts]);
    for (const table of WITH_TRIGGERS) await sql.script(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    return (await oneCell<string>(sql, ARRIVING)) ?? '';
  });
}

/** What an earlier copy left that nobody could open. */
async function emptied(sql: Sql): Promise<void> {
  const tables = [...TABLES, 'purses', 'tallies', 'idempotency_keys'].join(', ');
  await sql.script(`TRUNCATE ${tables}`);
}

/** A new name, because whoever had the former one may have been told that it is the copy. */
const ARRIVING = `
UPDATE ledger SET identity = replace(gen_random_uuid()::text, '-', ''), arriving = true RETURNING identity`;

async function insert(sql: Sql, table: keyof CopiedTables, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const { text, values } = insertion(table, rows);
  await sql.rows(text, values);
}

/** What a copy spent before no worker of it has admitted. */
const NOBODY = 0;

/** Columns of which another value is written, or none. */
const LEFT_OUT: Partial<Record<keyof CopiedTables, string>> = { accounts: 'misses' };
/** Columns that the copy has beside those that are copied, with their values in SQL over a row `u`. */
const BESIDE: Partial<Record<keyof CopiedTables, Readonly<Record<string, string>>>> = {
  calls: { head: 'u.id', kind: `'intent'`, of: 'u.id', over_at: 'clock()' },
  entries: { worker: `CASE WHEN u.id = u.of THEN ${NOBODY} END` },
  files: { host: '$HOST' },
  reads: { host: '$HOST' },
};

function insertion(table: keyof CopiedTables, rows: readonly object[]) {
  const columns = columnsOf(table).filter(([column]) => column !== LEFT_OUT[table]);
  const beside = Object.entries(BESIDE[table] ?? {}).map(([column, value]) => [
    column,
    value === '$HOST' ? `'${hostname().replaceAll("'", "''")}'` : value,
  ]);
  const names = columns.map(([column]) => column);
  const given = columns.map(([, type], at) => `$${at + 1}::${type === 'bigint[]' ? 'text' : type}[]`);
  const cells = columns.map(([column, type]) =>
    type === 'bigint[]' ? `u.${column}::bigint[]` : `u.${column}`,
  );
  const text = `
INSERT INTO ${table} (${[...names, ...beside.map(([column]) => column)].join(', ')}) OVERRIDING SYSTEM VALUE
  SELECT ${[...cells, ...beside.map(([, value]) => value)].join(', ')}
    FROM unnest(${given.join(', ')}) WITH ORDINALITY u (${names.join(', ')}, nth) ORDER BY u.nth`;
  const values = columns.map(([column, type]) =>
    rows.map((row) => cellOf((row as Readonly<Record<string, unknown>>)[column], type)),
  );
  return { text, values };
}

function cellOf(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'json') return JSON.stringify(value);
  return type === 'bigint[]' ? `{${(value as readonly number[]).join()}}` : value;
}

const COUNTED_ANEW = [
  `UPDATE calls c SET head = e.head, kind = e.kind, of = e.of FROM (
     SELECT DISTINCT ON (call) call, id AS head, kind, of FROM entries ORDER BY call, id DESC) e WHERE e.call = c.id`,
  `INSERT INTO idempotency_keys (idempotency_key, call)
     SELECT DISTINCT facts -> 'request' ->> 'idempotencyKey', call FROM entries
      WHERE id = of AND facts -> 'request' IS NOT NULL`,
  tallied('entries'),
  `INSERT INTO purses (scope, of, period, worker, granted, spent, reserved, in_doubt, estimated)
     SELECT scope, of, period, worker, spent + reserved + in_doubt, spent, reserved, in_doubt, estimated FROM (${addedUp(String(NOBODY))}) moved`,
  `SELECT setval('numbers', greatest((SELECT max(id) FROM entries), 1))`,
  ...['batches.ordinal', 'erasures.id'].map((column) => {
    const [table = '', name = ''] = column.split('.');
    return `SELECT setval(pg_get_serial_sequence('${table}', '${name}'), greatest((SELECT max(${name}) FROM ${table}), 1))`;
  }),
];

/** The newest misses of each account count, as many as counted. */
const MISSES = `
UPDATE accounts p SET misses_after = t.ended, misses_forgotten = coalesce((
    SELECT e.id - CASE WHEN g.misses = 0 THEN 0 ELSE 1 END FROM entries e JOIN calls c ON c.id = e.call AND c.account = p.identity
     WHERE e.kind = 'answered' AND e.status = 404 ORDER BY e.id DESC OFFSET greatest(g.misses - 1, 0) LIMIT 1), 0)
  FROM unnest($1::text[], $2::bigint[]) g (identity, misses)
  CROSS JOIN LATERAL (SELECT coalesce(max(other_ended), 0) AS ended FROM tallies WHERE account = g.identity) t
 WHERE p.identity = g.identity`;
