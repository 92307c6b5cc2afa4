import { messageOf, type StopError, stop } from '../../../core/errors.ts';
import { codeOf, type Database, oneColumn, onlyOne, type Sql } from './connection.ts';
import { layOutTopics, newer, SCHEMA_VERSION, versionOf } from './schema-laid-out.ts';
import { type AtWork, atWork } from './spenders.ts';

/** A ledger of an earlier version is brought up to date by its owner, while nobody works on it. */

/** What the text of the tables cannot add to those that are there. Each statement leaves alone what was done before. */
const CHANGES = `
ALTER TABLE accounts ADD COLUMN IF NOT EXISTS limits json;
ALTER TABLE ledger
  ADD COLUMN IF NOT EXISTS lost text,
  ADD COLUMN IF NOT EXISTS formerly text[] NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 1;
`;

/**
 * Does nothing where there is no ledger, or it is of this version. A crash in here leaves the ledger as it was.
 * @throws StopError `busy` when somebody works on it, `store_version` when it cannot be brought up to date.
 */
export async function migrate(database: Database): Promise<void> {
  await database.write(async (sql) => {
    await onlyOne(sql, 'layingOut');
    const version = await versionOf(sql);
    if (version === undefined || version === SCHEMA_VERSION) return;
    if (version > SCHEMA_VERSION) throw newer(database, version);
    const worker = await atWork(sql);
    if (worker !== undefined) throw busy(database, worker);
    await change(sql).catch((error: unknown) => {
      throw explained(error, database);
    });
    const [first] = await differences(sql);
    if (first !== undefined) throw tooOld(database, `it differs in ${first}`);
  });
}

async function change(sql: Sql): Promise<void> {
  await sql.script(CHANGES);
  await layOutTopics(sql);
}

function explained(error: unknown, database: Database): unknown {
  if (codeOf(error) === NOT_THE_OWNER) return notTheOwner(database, messageOf(error));
  // The database refuses a statement about what it does not find, or finds in another form.
  return codeOf(error)?.startsWith('42') ? tooOld(database, messageOf(error)) : error;
}

const busy = ({ shown }: Database, { pid, host, command }: AtWork): StopError =>
  stop(
    'busy',
    `The ledger at ${shown} is in use by process ${pid} on ${host}, "${command}".`,
    'Wait until all work on it has ended, then run the same command again.',
  );

const NOT_THE_OWNER = '42501';

const notTheOwner = ({ shown }: Database, why: string): StopError =>
  stop(
    'store',
    `The ledger at ${shown} is from an earlier Rowonce, and this role may not update it: ${why}.`,
    'Name its owner in the URL.',
  );

const tooOld = ({ shown }: Database, why: string): StopError =>
  stop(
    'store_version',
    `The ledger at ${shown} is older than its versions are numbered, in a form that cannot be updated: ${why}. Nothing in it was changed.`,
    'With the version that made it, copy it to a folder with store copy; with this version, copy that folder to a new database.',
  );

/** A schema for as long as the comparison takes. */
const COMPARED = 'rowonce_compared';

/** What is only in one of the two: columns with their types and defaults, constraints and indexes. */
const DIFFERENCES = `
SELECT plain AS what FROM (
  SELECT n.nspname AS schema, format('%s.%s %s%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attnotnull THEN ' NOT NULL' END, pg_get_expr(d.adbin, d.adrelid)) AS what
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT n.nspname, format('%s: %s', c.relname, pg_get_constraintdef(o.oid))
    FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  UNION ALL
  SELECT schemaname, indexdef FROM pg_indexes) found
 CROSS JOIN LATERAL (SELECT replace(replace(what, '${COMPARED}.', ''), 'rowonce.', '')) plain (plain)
 WHERE schema IN ('rowonce', '${COMPARED}') GROUP BY plain HAVING count(*) <> 2 ORDER BY plain`;

async function differences(sql: Sql): Promise<readonly string[]> {
  await sql.script(`CREATE SCHEMA ${COMPARED}; SET LOCAL search_path = ${COMPARED}`);
  await layOutTopics(sql);
  const found = await oneColumn<string>(sql, DIFFERENCES);
  await sql.script(`SET LOCAL search_path = rowonce; DROP SCHEMA ${COMPARED} CASCADE`);
  return found;
}
