import { randomBytes } from 'node:crypto';
import { type Clock, isoTime } from '../core/clock.ts';
import { invariant, stop } from '../core/errors.ts';
import { asFlag, phrase, typing } from '../core/phrase.ts';
import { crashPoint } from '../lib/faults.ts';
import { type AnyRecord, type Db, each, insertSql, partsOf, type Sql } from './db.ts';
import { conversionOf, hadOtherKey } from './layouts.ts';
import { type KeptTable, keptTables, layRules, layTables } from './schema.ts';
import { type CopyRecord, copiedTo, formerlyIn, setMeta } from './site.ts';
import type { CopySource, CopyTarget } from './store.ts';
import { recountBudgets } from './transitions.ts';

/**
 * Copies a ledger from one store to another, or in its own place into today's tables. At no moment can both
 * ledgers be spent from. First the copy is whole, on the disk and closed to everybody. Then the old ledger
 * spends no more. Then the copy is opened.
 */
export async function copyLedger(
  source: CopySource,
  from: string,
  target: CopyTarget,
  clock: Clock,
): Promise<void> {
  const before = await copiedTo(source.db);
  const copy = before ?? {
    identity: randomBytes(16).toString('hex'),
    location: target.location,
    atMs: clock.wallMs(),
  };
  if (before !== undefined && target.present === copy.identity) return;
  if (copy.location !== target.location)
    throw stop(
      'store',
      `The ledger in ${from} was copied to ${copy.location} on ${isoTime(copy.atMs)}, and ${target.location} is not that copy.`,
      phrase`Name the copy${typing`: ${asFlag('--store', copy.location)}`}`,
    );
  if (target.present !== undefined)
    throw stop(
      'store',
      `${target.location} has a ledger already, and two ledgers cannot become one.`,
      'Name a place that has none.',
    );
  await target.take(source, copy.identity);
  crashPoint('copy-taken');
  if (before === undefined) await leaveTo(source, copy);
  crashPoint('copy-left');
  await target.arrive(copy.identity);
}

/** Once this resolves, nothing is spent from the ledger any more, whatever happens afterwards. */
export const leaveTo = ({ db, requireSame }: CopySource, copied: CopyRecord): Promise<void> =>
  db.transaction(async (sql) => {
    await requireSame(sql);
    await setMeta(sql, { copied_to: JSON.stringify(copied) });
    // Processes that have the ledger open write nothing any more.
    await sql.rows('UPDATE workers SET newest_group = newest_group + 1 WHERE ended_at IS NULL');
  });

/** @param identity the name of the copy. */
export async function copyTables({ db: from, missing }: CopySource, to: Db, identity: string): Promise<void> {
  const { sourceOf, convert } = await conversionOf(from);
  await layTables(to);
  await to.script(UNBOUND[to.name]);
  const tables = keptTables();
  for (const copiedTable of tables) {
    const { table, columns } = copiedTable;
    const into = each(columns)(insertSql(table, columns));
    const source = tables.find((each) => each.table === sourceOf(table)) ?? copiedTable;
    for await (const rows of rowsIn(from, source)) {
      crashPoint('copying');
      await to.write([{ statements: [into], records: rows.flatMap((row) => convert(table, row)) }]);
    }
  }
  await to.script(BOUND[to.name]);
  await to.transaction(async (sql) => {
    if (to.name === 'postgres') await numberOn(sql);
    const outdated = missing === undefined ? {} : { outdated: missing };
    await setMeta(sql, { identity, formerly: await formerlyIn(from), ...outdated });
  });
  await layRules(to);
  const [wrong] = await recountBudgets(to);
  invariant(wrong === undefined, `the budget ${wrong?.scope} does not add up in the copy`);
}

/** An attempt may name one with a greater number, which another worker gave: it comes before that. */
const UNBOUND = {
  sqlite: 'PRAGMA foreign_keys = OFF',
  postgres: `ALTER TABLE attempts DROP CONSTRAINT IF EXISTS attempts_prior_fkey,
    DROP CONSTRAINT IF EXISTS attempts_payer_fkey`,
};
const BOUND = {
  sqlite: 'PRAGMA foreign_keys = ON',
  postgres: `ALTER TABLE attempts ADD FOREIGN KEY (prior) REFERENCES attempts,
    ADD FOREIGN KEY (payer) REFERENCES attempts`,
};

/** These names say where a ledger is, and are no part of it. */
const OF_THE_SITE = `name IN ('identity', 'copied_to', 'arriving')`;

/** A table without a key, or with a key that not every layout has, is read at once. */
async function* rowsIn(from: Db, { table, columns, key }: KeptTable): AsyncGenerator<readonly AnyRecord[]> {
  const all = `SELECT * FROM ${table} WHERE ${table === 'meta' ? `NOT ${OF_THE_SITE}` : '1 = 1'}`;
  if (key.length === 0 || hadOtherKey(table)) return yield await from.rows<AnyRecord>(all);
  const [names, marks] = [key.join(', '), key.map(() => '?').join(', ')];
  const first = key.map((name) => (columns[name] === 'text' ? '' : -1));
  yield* partsOf<AnyRecord>(from, `${all} AND (${names}) > (${marks}) ORDER BY ${names}`, key, first);
}

/** New rows get greater numbers than the rows that were copied. */
async function numberOn(sql: Sql): Promise<void> {
  for (const { table } of keptTables().filter(({ isNumbered }) => isNumbered))
    await sql.rows(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id))
       FROM ${table} HAVING max(id) IS NOT NULL`,
    );
}
