/**
 * Accounts at vendors, and what was learned about them. Every change of a batch or an account removes its sum, and
 * the commit makes a new one (`table-sums.ts`), so no committed row is without one. The sum omits the counts of an
 * account, which change with every answer: its answers add up to them.
 */
export const ACCOUNTS = `
-- What is learned may be lost: it is learned again. \`usage_counted\` is the vendor's own count of credits, \`last_other\`
-- the newest attempt that was answered with anything but a 404, \`misses\` how many 404 came since, \`misses_place\` where
-- they were asked when a run was stopped for them, \`misses_kept\` whether a person keeps them, \`told\` the newest time that this
-- machine's clock and the account's vendor have both reached.
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  per_day INTEGER CHECK (per_day >= 0),
  per_month INTEGER CHECK (per_month >= 0),
  paused_until INTEGER,
  answers INTEGER NOT NULL DEFAULT 0,
  answers_not_404 INTEGER NOT NULL DEFAULT 0,
  last_other INTEGER NOT NULL DEFAULT 0,
  misses INTEGER NOT NULL DEFAULT 0 CHECK (misses >= 0),
  misses_place TEXT,
  misses_kept INTEGER NOT NULL DEFAULT 0 CHECK (misses_kept IN (0, 1)),
  learned_per_second REAL CHECK (learned_per_second > 0),
  learned_at INTEGER,
  usage_counted REAL,
  usage_spent INTEGER,
  usage_at INTEGER,
  told INTEGER,
  sum INTEGER
) STRICT;
CREATE INDEX accounts_unsummed ON accounts (id) WHERE sum IS NULL;

CREATE TRIGGER accounts_altered AFTER UPDATE ON accounts
WHEN NEW.sum IS NOT NULL AND NEW.sum IS OLD.sum
 AND ((NEW.answers, NEW.answers_not_404, NEW.last_other, NEW.misses)
    IS (OLD.answers, OLD.answers_not_404, OLD.last_other, OLD.misses)
  OR (NEW.misses_place, NEW.misses_kept) IS NOT (OLD.misses_place, OLD.misses_kept)) BEGIN
  UPDATE accounts SET sum = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER accounts_told BEFORE UPDATE OF told ON accounts WHEN OLD.told IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a time that was told never falls') WHERE NEW.told IS NULL OR NEW.told < OLD.told;
END;

CREATE TABLE match_rates (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  found INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  PRIMARY KEY (account, operation)
) STRICT, WITHOUT ROWID;

-- For a picture of a run; the oldest are deleted.
CREATE TABLE pauses (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (id),
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL,
  why TEXT NOT NULL,
  asked INTEGER NOT NULL CHECK (asked IN (0, 1))
) STRICT;
CREATE INDEX pauses_account ON pauses (account, until_at);
`;
