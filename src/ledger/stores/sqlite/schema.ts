import { ACCOUNTS } from './schema/accounts-sql.ts';
import { ANSWERS } from './schema/answers-sql.ts';
import { BATCHES } from './schema/batches-sql.ts';
import { BOOK } from './schema/book-sql.ts';
import { CALLS } from './schema/calls-sql.ts';
import { CHANGES } from './schema/changes-sql.ts';
import { ERASURES } from './schema/erasures-sql.ts';
import { GUARDS_OF_CHANGE } from './schema/kept.ts';
import { LOSSES } from './schema/losses-sql.ts';
import { MONEY } from './schema/money-sql.ts';
import { PRICES } from './schema/prices-sql.ts';
import { ROWS } from './schema/rows-sql.ts';
import { SENDING } from './schema/sending-sql.ts';
import { ACTS_TABLE, AGREEMENTS_TABLE, COPIES_TABLE, HOLDS_TABLE, NOTICES_TABLE } from './tables.ts';

/** An empty book has a group of nothing, to which the first entry is linked, and a unique random name. */
const BEGINNING = `
INSERT INTO groups (id, first, sum) VALUES (0, 0, 0);
INSERT INTO book (id, booked, identity) VALUES (1, 0, lower(hex(randomblob(16))));
`;

/**
 * The schema, a file for each topic: its tables, views and guards. A table whose guards are all in `kept.ts` has no topic. The
 * guards are the money rules as the database keeps them, whoever writes to it (protocol, rule 11). The code checks the same rules
 * before it writes; what passes the code by mistake fails here, and its transaction with it. `test/ledger/stores/guards.test.ts`
 * goes around the code with raw SQL to show that each guard holds. SQLite promises no order for the triggers of one event, so none
 * depends on another.
 */
const TOPICS: readonly string[] = [
  ...[ACCOUNTS, BATCHES, BOOK, MONEY, CALLS, LOSSES, SENDING, ANSWERS, PRICES, ROWS, CHANGES, ERASURES],
  AGREEMENTS_TABLE.definition,
  HOLDS_TABLE.definition,
  'CREATE INDEX holds_batch ON holds (batch, id);',
  COPIES_TABLE.definition,
  ACTS_TABLE.definition,
  'CREATE INDEX acts_of ON acts (of, id);',
  NOTICES_TABLE.definition,
  GUARDS_OF_CHANGE,
  BEGINNING,
];

export const schema = (): string => TOPICS.join('');
