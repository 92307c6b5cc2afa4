import { refusal } from './guards.ts';
import { REQUESTS_KEEPING } from './guards-2.ts';
import { GUARDS_4, TIME_GUARDS } from './guards-4.ts';
import { PRICE_GUARDS } from './guards-4-prices.ts';

/**
 * What schema 4 adds, a section for each: the input that a row was settled from, series of misses, the name of a ledger,
 * the time of attempts, files that we wrote, prices that were seen, checksums of what had none, and more methods of
 * requests. Everything that earlier schemas kept stays as it is, checksums included.
 */

/** Of rows that an older Rowonce settled `input` is NULL, which is accepted. */
const ROWS = `
-- 48 bits over the mapped cells that the row was settled from, as they stand in the file.
ALTER TABLE rows ADD COLUMN input INTEGER;
ALTER TABLE rows ADD COLUMN checksum INTEGER;
`;

/** An older Rowonce noted where rows start as it read the file again, and did not hold that against the first reading. */
const MARKS = `
DELETE FROM marks;
`;

/**
 * Answers of status 404 that come one after the other. Those of older ledgers are taken for answered before the next
 * request left, as nobody noted what was on its way beside them.
 */
const MISSES = `
-- The newest attempt that was answered with anything but a 404.
ALTER TABLE accounts ADD COLUMN last_other INTEGER NOT NULL DEFAULT 0;
-- How many 404 came since; where they were asked, when a run was stopped for them; whether a person keeps them.
ALTER TABLE accounts ADD COLUMN misses INTEGER NOT NULL DEFAULT 0 CHECK (misses >= 0);
ALTER TABLE accounts ADD COLUMN misses_place TEXT;
ALTER TABLE accounts ADD COLUMN misses_kept INTEGER NOT NULL DEFAULT 0 CHECK (misses_kept IN (0, 1));
-- Of one that was answered with a 404: the newest attempt of the store by then.
ALTER TABLE attempts ADD COLUMN newest INTEGER;
UPDATE attempts SET newest = id WHERE id IN (
  SELECT k.attempt FROM closures k JOIN replies r ON r.attempt = k.attempt AND r.status = 404 WHERE k.kind = 'settled');
UPDATE accounts SET last_other = (
  SELECT coalesce(max(a.id), 0)
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN closures k ON k.attempt = a.id AND k.kind = 'settled'
   WHERE b.account = accounts.id AND a.newest IS NULL);
UPDATE accounts SET misses = (
  SELECT count(*) FROM attempts a JOIN batches b ON b.id = a.batch
   WHERE b.account = accounts.id AND a.newest > accounts.last_other
     AND a.id NOT IN (SELECT attempt FROM retractions));
`;

/** A ledger has a random name of its own, under which its commits are known outside of the store, too. */
const IDENTITY = `
ALTER TABLE ledger ADD COLUMN identity TEXT CHECK (length(identity) = 32);
UPDATE ledger SET identity = lower(hex(randomblob(16)));

-- What outside of the store is held against the count would be worth nothing if the count could stand still or go back.
CREATE TRIGGER ledger_counting BEFORE UPDATE OF commits ON ledger WHEN NEW.commits IS NOT OLD.commits + 1
BEGIN SELECT RAISE(ABORT, 'money rule: the commits of a ledger are counted one by one'); END;
CREATE TRIGGER ledger_named BEFORE UPDATE OF identity ON ledger WHEN NEW.identity IS NULL
BEGIN SELECT RAISE(ABORT, 'money rule: a ledger has a name'); END;
`;

/** Of attempts that an older Rowonce made boot and uptime are NULL: nothing but the calendar dates them. */
const TIMES = `
-- Each start of the machine, and two times of the calendar in it, each with the uptime of that moment: what the calendar
-- said when the boot was first seen, and the last time that an answer's Date confirmed.
CREATE TABLE boots (
  id INTEGER PRIMARY KEY,
  boot TEXT NOT NULL UNIQUE,
  seen_at INTEGER NOT NULL,
  seen_uptime INTEGER NOT NULL,
  confirmed_at INTEGER,
  confirmed_uptime INTEGER CHECK ((confirmed_uptime IS NULL) = (confirmed_at IS NULL)),
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX boots_confirmed ON boots (confirmed_at);

ALTER TABLE attempts ADD COLUMN boot INTEGER REFERENCES boots (id);
ALTER TABLE attempts ADD COLUMN uptime INTEGER CHECK ((uptime IS NULL) = (boot IS NULL));
`;

/**
 * Whose a file beside the user's is, by its content. Earlier schemas knew of the outputs alone, and of a batch's last one.
 * No checksum: a damaged entry names a file that nobody wrote, and at worst ours is kept as if it were the user's.
 */
const FILES = `
-- What we last wrote at a path. While a file is replaced there are two, because a crash leaves either of them.
CREATE TABLE files (
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO files (path, sha256)
  SELECT output_path, substr(output_sha256, 1, 64) FROM batches
    WHERE output_path IS NOT NULL AND length(output_sha256) >= 64
  UNION SELECT output_path, substr(output_sha256, 66, 64) FROM batches
    WHERE output_path IS NOT NULL AND length(output_sha256) = 129;
`;

/** Only of vendors whose answers say what they cost. Of older answers nobody knows whether they did, so none is copied. */
const PRICES = `
-- \`highest\`: the highest price that an answer has shown. \`credits_max\` is what the job said, -1 where it said nothing.
CREATE TABLE prices (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  credits_max INTEGER NOT NULL,
  highest INTEGER NOT NULL CHECK (highest >= 0),
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, operation, credits_max)
) STRICT, WITHOUT ROWID;
`;

/**
 * Whoever changes a batch or an account takes its checksum away by that, and the commit gives it a new one
 * (`table-sums.ts`), so no committed row is without. The counts of an account, which change with every answer, are what
 * its answers add up to, and have no part in it.
 */
const SUMS = `
ALTER TABLE batches ADD COLUMN checksum INTEGER;
ALTER TABLE accounts ADD COLUMN checksum INTEGER;
CREATE INDEX batches_unsummed ON batches (id) WHERE checksum IS NULL;
CREATE INDEX accounts_unsummed ON accounts (id) WHERE checksum IS NULL;

CREATE TRIGGER batches_altered AFTER UPDATE ON batches
WHEN NEW.checksum IS NOT NULL AND NEW.checksum IS OLD.checksum BEGIN
  UPDATE batches SET checksum = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER accounts_altered AFTER UPDATE ON accounts
WHEN NEW.checksum IS NOT NULL AND NEW.checksum IS OLD.checksum
 AND ((NEW.answers, NEW.answers_not_404, NEW.last_other, NEW.misses)
    IS (OLD.answers, OLD.answers_not_404, OLD.last_other, OLD.misses)
  OR (NEW.misses_place, NEW.misses_kept) IS NOT (OLD.misses_place, OLD.misses_kept)) BEGIN
  UPDATE accounts SET checksum = NULL WHERE id = NEW.id;
END;

ALTER TABLE marks ADD COLUMN checksum INTEGER;
`;

/**
 * Requests of every method may be sent again under an idempotency key. SQLite cannot alter a check, so the table is made
 * anew with the indices and guards that were dropped with it; views and guards of other tables find it by its name.
 */
const METHODS = `
CREATE TABLE requests_before AS SELECT * FROM requests;
DROP TABLE requests;
CREATE TABLE requests (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  idempotency_key TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  path TEXT NOT NULL,
  first_sent_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB
) STRICT;
INSERT INTO requests SELECT * FROM requests_before;
DROP TABLE requests_before;
CREATE INDEX requests_key ON requests (idempotency_key);
${REQUESTS_KEEPING}${refusal('UPDATE', 'requests')}${refusal('DELETE', 'requests')}`;

export const SCHEMA_4 = [
  ROWS,
  MARKS,
  MISSES,
  IDENTITY,
  TIMES,
  FILES,
  PRICES,
  SUMS,
  METHODS,
  GUARDS_4,
  TIME_GUARDS,
  PRICE_GUARDS,
].join('');
