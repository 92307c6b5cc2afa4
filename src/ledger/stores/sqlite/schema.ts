import { ACCOUNTS } from './schema/accounts.ts';
import { AGREEMENTS } from './schema/agreements.ts';
import { ATTEMPTS, LATER_ATTEMPTS } from './schema/attempts.ts';
import { BATCHES } from './schema/batches.ts';
import { CALLS, CALLS_INDEXES, CALLS_TABLE_8 } from './schema/calls.ts';
import { CHANGES } from './schema/changes.ts';
import { CLOSURES } from './schema/closures.ts';
import { DOUBTS } from './schema/doubts.ts';
import { ERASURES } from './schema/erasures.ts';
import { FRESHNESS } from './schema/freshness.ts';
import { HOLDS, HOLDS_TABLE } from './schema/holds.ts';
import { LEDGER } from './schema/ledger.ts';
import { MISSES } from './schema/misses.ts';
import { MONEY, UNBOOKED } from './schema/money.ts';
import { PRICES } from './schema/prices.ts';
import { READINGS } from './schema/readings.ts';
import { ROWS } from './schema/rows.ts';
import { SHAPES, SHAPES_TABLE_8 } from './schema/shapes.ts';
import { TIME } from './schema/time.ts';

/** An empty ledger has one row, which counts its commits and has a unique random name. */
const FIRST_ROW = `
INSERT INTO ledger (id, commits, clean, identity) VALUES (1, 0, 1, lower(hex(randomblob(16))));
`;

/**
 * The newest schema, a file for each topic: its tables, views and guards. Hot tables have integer keys, which
 * are written in order; the random 32 bytes of a call key have the one hash index. Rows of money carry a checksum
 * (`tables.ts`).
 *
 * The guards are the money rules as the database keeps them, whoever writes to it (protocol, rule 11). The code checks
 * the same rules before it writes; what passes the code by mistake fails here, and its transaction with it.
 * `test/ledger/stores/guards.test.ts` bypasses the code with raw SQL to show that each guard holds. SQLite promises no
 * order for the triggers of one event, so no trigger depends on another.
 *
 * SQLite keeps the text of each definition, and a store is compared with these texts (`verify.ts`). After a release none of
 * them is edited without another number: guards hold no data, so an older store gets all of them anew, and a table that it
 * has is changed by a script (`migrations.ts`). Stores of schema 5 were made by five scripts that added columns one after
 * the other, which is why the last columns of some tables are on one line.
 */
export const TOPICS: readonly string[] = [
  LEDGER,
  ACCOUNTS,
  BATCHES,
  SHAPES,
  CALLS,
  ATTEMPTS,
  CLOSURES,
  MONEY,
  PRICES,
  DOUBTS,
  FRESHNESS,
  MISSES,
  ROWS,
  CHANGES,
  READINGS,
  TIME,
  ERASURES,
  AGREEMENTS,
  HOLDS,
  FIRST_ROW,
];

/** Schema 8: entries name what they have in common, and indexes have what is needed to find. Entries stay as they were written. */
const COMPACT = `
${SHAPES_TABLE_8}
${CALLS_TABLE_8.replace('TABLE calls', 'TABLE calls_8')}
INSERT INTO calls_8 (id, key, account, operation, call, answer, doubt, repeats, checksum, subject, after)
  SELECT id, key, account, operation, call, answer, doubt, repeats, checksum, subject, after FROM calls;
DROP TABLE calls;
ALTER TABLE calls_8 RENAME TO calls;
${CALLS_INDEXES}
DROP INDEX attempts_call;
${LATER_ATTEMPTS}
ALTER TABLE replies ADD COLUMN shape INTEGER REFERENCES shapes (id);
`;

/** What makes a ledger of the newest schema in an empty database. */
export const schema = (): string => TOPICS.join('');

/**
 * What each schema after the first adds to the tables of the one before. A script is never edited after its release, and the
 * topic's file has what it adds as well. One that adds a column to batches or accounts removes their checksums, and they get
 * new ones.
 */
export const ADDED: readonly string[] = [HOLDS_TABLE, UNBOOKED, COMPACT];

/** Tables of which a schema has changed the constraints, and neither columns nor keys. */
export const REDEFINED = ['calls', 'closures', 'replies', 'rows'];

/** Guards and views of earlier schemas that the newest does not have. */
export const GONE = ['attempt_scopes'];
