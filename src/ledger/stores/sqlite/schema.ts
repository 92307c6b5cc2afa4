import { ACCOUNTS } from './schema/accounts.ts';
import { AGREEMENTS } from './schema/agreements.ts';
import { ATTEMPTS, ATTEMPTS_INDEXES, ATTEMPTS_TABLE_8 } from './schema/attempts.ts';
import { BATCHES } from './schema/batches.ts';
import { CALLS, CALLS_INDEXES, CALLS_TABLE_8 } from './schema/calls.ts';
import { CHANGES } from './schema/changes.ts';
import { CLOSURES, CLOSURES_TABLE_8 } from './schema/closures.ts';
import { DOUBTS } from './schema/doubts.ts';
import { ERASURES } from './schema/erasures.ts';
import { ESTIMATED_BEFORE, ESTIMATES } from './schema/estimates.ts';
import { FRESHNESS } from './schema/freshness.ts';
import { HOLDS, HOLDS_TABLE } from './schema/holds.ts';
import { LEDGER, READS_TABLE } from './schema/ledger.ts';
import { MISSES } from './schema/misses.ts';
import { MONEY, UNBOOKED } from './schema/money.ts';
import { PRICES } from './schema/prices.ts';
import { READINGS } from './schema/readings.ts';
import { ROWS, ROWS_INDEX, ROWS_TABLE_8 } from './schema/rows.ts';
import { SHAPES, SHAPES_TABLE_8 } from './schema/shapes.ts';
import { TIME, WITNESSES } from './schema/time.ts';
import { ENDINGS, OUTCOMES } from './words.ts';

/** An empty ledger has one row, which counts its commits and has a unique random name. */
const FIRST_ROW = `
INSERT INTO ledger (id, commits, clean, identity) VALUES (1, 0, 1, lower(hex(randomblob(16))));
`;

/**
 * The newest schema, a file for each topic: its tables, views and guards. Hot tables have integer keys, which
 * are written in order; of the random bytes of a call key an index has the first four. Rows of money carry a checksum
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
  ESTIMATES,
  FIRST_ROW,
];

/** Schema 8: words stand as numbers, what is mostly the same as a difference, and an index has what it takes to find. */
const COMPACT = [
  SHAPES_TABLE_8,
  remade('calls', CALLS_TABLE_8, {
    same: 'id, key, account, operation, doubt, repeats, checksum, subject, after',
    other: { own: 'call', answer_behind: 'answer - id' },
  }),
  CALLS_INDEXES,
  remade('attempts', ATTEMPTS_TABLE_8, {
    same: 'id, batch, row, reserved, intent_at, decision, replaces, checksum, open, freed_by, newest, boot, uptime',
    other: { call_behind: 'id - call', paid_behind: 'row - paid_row' },
  }),
  ATTEMPTS_INDEXES,
  remade('closures', CLOSURES_TABLE_8, {
    same: 'attempt, charged, closed_at, checksum, dialect',
    other: {
      ending: numberOf(
        "kind || coalesce(answer, '')",
        ENDINGS.map(([kind, answer]) => `${kind}${answer ?? ''}`),
      ),
      said: 'why',
    },
  }),
  remade('rows', ROWS_TABLE_8, {
    same: 'batch, row, matched_by, reason, input, checksum, read_to',
    other: {
      ended: numberOf('kind', OUTCOMES),
      // As a row is written anew when it is erased, because the guard compares the cells.
      settled_by: 'iif(json_array_length(answers) = 1, answers ->> 0, answers)',
    },
  }),
  ROWS_INDEX,
  'ALTER TABLE replies ADD COLUMN shape INTEGER REFERENCES shapes (id);',
].join('');

/** Schema 9 adds guards and a view, and allows words in a column: nothing that is stored changes. */
const READ_AS_NONE = '';

/** Schema 11 has other guards of what is erased. */
const ERASED_LATER = '';

/** Schema 12: a person who is forgotten may be in any file that their batch has ever written or read. */
const FILES_OF_BATCHES = 'ALTER TABLE files ADD COLUMN batch INTEGER REFERENCES batches (id);';

interface Remade {
  /** Columns that stay as they are. */
  readonly same: string;
  /** Columns that are new, and what they have, in SQL over the old ones. */
  readonly other: Readonly<Record<string, string>>;
}

function remade(table: string, definition: string, { same, other }: Remade): string {
  return `
${definition.replace(`TABLE ${table}`, `TABLE ${table}_8`)}
INSERT INTO ${table}_8 (${same}, ${Object.keys(other).join(', ')})
  SELECT ${same}, ${Object.values(other).join(', ')} FROM ${table};
DROP TABLE ${table};
ALTER TABLE ${table}_8 RENAME TO ${table};
`;
}

/** The number of the word that a text is, in SQL. */
function numberOf(text: string, words: readonly string[]): string {
  return `CASE ${text}${words.map((word, number) => ` WHEN '${word}' THEN ${number}`).join('')} END`;
}

/** What makes a ledger of the newest schema in an empty database. */
export const schema = (): string => TOPICS.join('');

/**
 * What each schema after the first adds to the tables of the one before. A script is never edited after its release, and the
 * topic's file has what it adds as well. One that adds a column to batches or accounts removes their checksums, and they get
 * new ones.
 */
export const ADDED: readonly string[] = [
  HOLDS_TABLE,
  UNBOOKED,
  COMPACT,
  READ_AS_NONE,
  ESTIMATED_BEFORE,
  ERASED_LATER,
  `${WITNESSES}${FILES_OF_BATCHES}${READS_TABLE}`,
];

/** Tables of which a schema has changed the constraints, or that a script has made under another name or added a column to. */
export const REDEFINED = ['attempts', 'boots', 'calls', 'closures', 'files', 'readings', 'replies', 'rows'];

/** Guards and views of earlier schemas that the newest does not have. */
export const GONE = ['attempt_scopes'];
