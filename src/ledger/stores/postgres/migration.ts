import { messageOf, type StopError, stop } from '../../../core/errors.ts';
import { codeOf, type Database, onlyOne, type Sql } from './connection.ts';
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
