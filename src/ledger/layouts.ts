import type { Db } from './db.ts';

/**
 * How the tables of an earlier Rowonce become those of this one: one step for each layout, in their order.
 * `docs/internals/ledger.md` says how a step is written.
 */

/** The SQL that leads to the next layout, in the words of `db.ts`. It is not changed after its release. */
export type LayoutStep = (name: Db['name']) => string;

/** The layout from which the first step goes on. */
export const FIRST_LAYOUT = 5;

/**
 * Only what a table of SQLite says of its foreign keys changes, and nothing that lies on the disk: SQLite's
 * own way to that is to write the text of its schema.
 */
const BOUND_TO_ACCOUNTS = {
  sqlite: `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'REFERENCES batches (id, account)', 'REFERENCES batch_accounts')
WHERE name = 'attempts';
PRAGMA writable_schema = RESET;
CREATE TRIGGER batch_accounts_kept BEFORE DELETE ON batch_accounts WHEN 1 = 1
BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;`,
  // Roles may do with the new table what they may do with batches.
  postgres: `
ALTER TABLE attempts DROP CONSTRAINT attempts_batch_account_fkey,
  ADD FOREIGN KEY (batch, account) REFERENCES batch_accounts;
CREATE TRIGGER batch_accounts_kept BEFORE DELETE ON batch_accounts
FOR EACH ROW WHEN (1 = 1) EXECUTE FUNCTION refuse('money rule: nothing is deleted');
DO $$ DECLARE known record; BEGIN
  FOR known IN SELECT r.rolname AS role, a.privilege_type AS may FROM pg_class c
    CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE c.oid = 'batches'::regclass
  LOOP EXECUTE format('GRANT %s ON batch_accounts TO %I', known.may, known.role); END LOOP;
END $$;`,
} as const;

/** Where an attempt may move since a vendor may accept a request and answer later. */
const MOVES = `(OLD.state <> NEW.state AND CASE OLD.state
WHEN 'open' THEN NOT (NEW.state = 'accepted' OR NEW.state = 'answered' OR NEW.state = 'doubt'
  OR NEW.state = 'doubt_beside' OR NEW.state = 'uncharged')
WHEN 'accepted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside')
WHEN 'doubt' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retried' OR NEW.state = 'released'
  OR NEW.state = 'doubt_beside')
WHEN 'answered' THEN NOT (NEW.state = 'replaced' OR NEW.state = 'retracted' OR NEW.state = 'erased')
WHEN 'replaced' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retracted' OR NEW.state = 'erased')
WHEN 'retried' THEN NOT (NEW.state = 'doubt' OR NEW.state = 'released' OR NEW.state = 'answered'
  OR NEW.state = 'replaced')
WHEN 'doubt_beside' THEN NOT (NEW.state = 'answered' OR NEW.state = 'replaced' OR NEW.state = 'released')
WHEN 'uncharged' THEN 1 = 1 WHEN 'released' THEN 1 = 1
WHEN 'retracted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'erased')
WHEN 'erased' THEN 1 = 1 END) OR OLD.charged > NEW.charged`;
const MOVES_SAY = 'money rule: an attempt moves as the protocol says, and what was charged is never less';
const CUT = `OLD.attempt IS DISTINCT FROM NEW.attempt OR OLD.number IS DISTINCT FROM NEW.number
OR (OLD.status <> 0 AND OLD.body <> NEW.body AND length(NEW.body) >= length(OLD.body))`;
const CUT_SAYS = 'money rule: a reply is kept as it came, or shortened by an erasure';
const HELD = `DROP INDEX attempts_held;
CREATE INDEX attempts_held ON attempts (state, account, batch) WHERE state = 'open' OR state = 'accepted'
  OR (state = 'doubt' OR state = 'retried' OR state = 'doubt_beside');`;

/**
 * An attempt may have two replies, and be accepted. SQLite has to write the table of replies anew, because
 * its key changes, and drops a table only while no other one names it.
 */
const ACCEPTED = {
  sqlite: `
CREATE TABLE new_replies (
  attempt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  at INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (attempt, number)
) STRICT;
INSERT INTO new_replies SELECT attempt, status, at, headers, body, 0 FROM replies ORDER BY attempt;
ALTER TABLE attempts ADD COLUMN vendor_id TEXT;
DROP TRIGGER attempts_move;
${HELD}
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
  'reply INTEGER REFERENCES replies', 'reply INTEGER'),
  'reply = id AND', 'reply IS NOT NULL AND'),
  '(is_current = 1 AND (state = ''open'' OR',
  '(is_current = 1 AND (state = ''open'' OR state = ''accepted'' OR')
WHERE name = 'attempts';
PRAGMA writable_schema = RESET;
DROP TABLE replies;
ALTER TABLE new_replies RENAME TO replies;
UPDATE attempts SET reply = 0 WHERE reply IS NOT NULL;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql, '"replies"', 'replies'), 'FOREIGN KEY (batch, account)',
  'CHECK (state <> ''accepted'' OR vendor_id IS NOT NULL), FOREIGN KEY (id, reply) REFERENCES replies,
  FOREIGN KEY (batch, account)')
WHERE type = 'table' AND name IN ('attempts', 'replies');
PRAGMA writable_schema = RESET;
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts WHEN ${MOVES}
BEGIN SELECT RAISE(ABORT, '${MOVES_SAY}'); END;
CREATE TRIGGER replies_cut BEFORE UPDATE OF attempt, number, body ON replies WHEN ${CUT}
BEGIN SELECT RAISE(ABORT, '${CUT_SAYS}'); END;
CREATE TRIGGER replies_kept BEFORE DELETE ON replies WHEN 1 = 1
BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;`,
  postgres: `
ALTER TABLE attempts DROP CONSTRAINT attempts_reply_fkey, DROP CONSTRAINT attempts_check,
  DROP CONSTRAINT attempts_check3, ADD COLUMN vendor_id TEXT;
ALTER TABLE replies DROP CONSTRAINT replies_pkey, ADD COLUMN number BIGINT NOT NULL DEFAULT 0,
  ADD PRIMARY KEY (attempt, number);
ALTER TABLE replies ALTER COLUMN number DROP DEFAULT;
UPDATE attempts SET reply = 0 WHERE reply IS NOT NULL;
ALTER TABLE attempts ADD CONSTRAINT attempts_check CHECK ((is_current = 1 AND (state = 'open'
    OR state = 'accepted' OR state = 'answered' OR state = 'doubt'))
  OR (is_current = 0 AND (state = 'replaced' OR state = 'retried' OR state = 'doubt_beside'
    OR state = 'uncharged' OR state = 'released' OR state = 'retracted' OR state = 'erased'))),
  ADD CONSTRAINT attempts_check3 CHECK (charged IS NULL OR (reply IS NOT NULL AND said IS NOT NULL)),
  ADD CHECK (state <> 'accepted' OR vendor_id IS NOT NULL),
  ADD FOREIGN KEY (id, reply) REFERENCES replies;
${HELD}
DROP TRIGGER attempts_move ON attempts;
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts
FOR EACH ROW WHEN (${MOVES}) EXECUTE FUNCTION refuse('${MOVES_SAY}');
DROP TRIGGER replies_cut ON replies;
CREATE TRIGGER replies_cut BEFORE UPDATE OF attempt, number, body ON replies
FOR EACH ROW WHEN (${CUT}) EXECUTE FUNCTION refuse('${CUT_SAYS}');`,
} as const;

/** Until then a batch had one account, so the share of that account is what the batch has booked. */
const severalAccounts: LayoutStep = (name) => `
CREATE TABLE batch_accounts (
  batch TEXT NOT NULL REFERENCES batches,
  account {int} NOT NULL REFERENCES accounts,
  place {int} NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (batch, account)
) {keyed};
INSERT INTO batch_accounts (batch, account, place, name)
SELECT id, account, 0, ${name === 'sqlite' ? 'facts' : 'CAST(facts AS json)'} ->> 'accountName' FROM batches;
INSERT INTO budgets (scope, closed, spent, held)
SELECT 'share:' || a.batch || ':' || a.account, b.closed, b.spent, b.held
FROM batch_accounts a JOIN budgets b ON b.scope = 'batch:' || a.batch;
ALTER TABLE rows ADD COLUMN fills TEXT;
${BOUND_TO_ACCOUNTS[name]}
${ACCEPTED[name]}`;

/** Where an attempt may move since a person may say of what was accepted that it was not done. */
const MOVES_OF_ACCEPTED = MOVES.replace(
  `WHEN 'accepted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside')`,
  `WHEN 'accepted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside'
  OR NEW.state = 'released')`,
);
const HAS_ID = `state <> 'accepted' OR vendor_id IS NOT NULL`;
const HAS_OWN_ID = `state <> 'accepted'
  OR (vendor_id IS NOT NULL AND later_path IS NOT NULL AND shares_id = 0)`;
const quoted = (sql: string): string => sql.replaceAll("'", "''");

const OWN_IDS = {
  sqlite: `
DROP TRIGGER attempts_move;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '${quoted(HAS_ID)}', '${quoted(HAS_OWN_ID)}')
WHERE name = 'attempts';
PRAGMA writable_schema = RESET;
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts WHEN ${MOVES_OF_ACCEPTED}
BEGIN SELECT RAISE(ABORT, '${MOVES_SAY}'); END;`,
  postgres: `
ALTER TABLE attempts DROP CONSTRAINT attempts_check8, ADD CONSTRAINT attempts_check8 CHECK (${HAS_OWN_ID});
DROP TRIGGER attempts_move ON attempts;
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts
FOR EACH ROW WHEN (${MOVES_OF_ACCEPTED}) EXECUTE FUNCTION refuse('${MOVES_SAY}');`,
} as const;

/** Until then no attempt said so. */
const SERVED_LATER = `
CREATE UNIQUE INDEX attempts_not_served ON attempts (key) WHERE said = 'not_served';`;

/**
 * An id of an account leads to the answer of one call. Where two calls of an operation have the same one,
 * both are in doubt from here on, and so are the rows that asked for them.
 */
const ownIds: LayoutStep = (name) => `
ALTER TABLE attempts ADD COLUMN later_path TEXT;
ALTER TABLE attempts ADD COLUMN shares_id {int} NOT NULL DEFAULT 0;
UPDATE attempts SET later_path = operation WHERE vendor_id IS NOT NULL;
CREATE INDEX attempts_vendor_id ON attempts (vendor_id, account) WHERE vendor_id IS NOT NULL;
UPDATE attempts SET shares_id = 1 WHERE vendor_id IS NOT NULL
  AND state IN ('accepted', 'doubt', 'retried', 'doubt_beside')
  AND EXISTS (SELECT 1 FROM attempts o WHERE o.vendor_id = attempts.vendor_id AND o.account = attempts.account
    AND o.operation = attempts.operation AND o.key <> attempts.key
    AND o.state IN ('accepted', 'doubt', 'retried', 'doubt_beside'));
UPDATE attempts SET is_current = CASE WHEN p.state = 'replaced' THEN 0 ELSE 1 END,
  state = CASE WHEN p.state = 'replaced' THEN 'doubt_beside' ELSE 'doubt' END,
  why = 'not yet: the vendor gave its id to another call, too, so nobody knows whose answer it is'
FROM (SELECT c.id, b.state FROM attempts c LEFT JOIN attempts b ON b.id = c.prior) p
WHERE attempts.id = p.id AND attempts.shares_id = 1 AND attempts.state = 'accepted';
UPDATE attempts SET state = 'answered', is_current = 1
WHERE state = 'replaced' AND EXISTS (SELECT 1 FROM attempts c WHERE c.prior = attempts.id
    AND c.shares_id = 1 AND c.state = 'doubt_beside')
  AND NOT EXISTS (SELECT 1 FROM attempts o WHERE o.key = attempts.key AND o.is_current = 1);
UPDATE rows SET state = 'in_doubt', attempt = d.id, reason = d.why
FROM (SELECT max(c.id) AS id, c.batch, c.row, max(c.why) AS why FROM attempts c
  JOIN batches b ON b.id = c.batch AND b.operation NOT LIKE '%,%'
  WHERE c.shares_id = 1 AND c.state IN ('doubt', 'doubt_beside') GROUP BY c.batch, c.row) d
WHERE rows.batch = d.batch AND rows.row = d.row AND rows.state = 'pending';
${OWN_IDS[name]}
CREATE UNIQUE INDEX attempts_later ON attempts (account, later_path, vendor_id) WHERE state = 'accepted';
${SERVED_LATER}`;

export const LAYOUT_STEPS: readonly LayoutStep[] = [severalAccounts, ownIds];

/**
 * The number of the tables in `schema.ts`. The database holds the number, so that a program that knows other
 * tables leaves the database alone.
 */
export const layoutNow = (): number => FIRST_LAYOUT + LAYOUT_STEPS.length;

export const stepsFrom = (layout: number, name: Db['name']): string =>
  LAYOUT_STEPS.slice(layout - FIRST_LAYOUT)
    .map((step) => step(name))
    .join('\n');

export async function layoutOf(db: Pick<Db, 'rows'>): Promise<number | undefined> {
  const [last] = await db.rows<{ layout: number | null }>('SELECT max(number) AS layout FROM steps');
  return last?.layout ?? undefined;
}
