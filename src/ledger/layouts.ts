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
${BOUND_TO_ACCOUNTS[name]}`;

export const LAYOUT_STEPS: readonly LayoutStep[] = [severalAccounts];

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
