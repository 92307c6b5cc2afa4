import { GUARDS_2 } from './guards-2.ts';

/**
 * What schema 2 adds: how old an answer may be for a batch, requests that may be sent again under an idempotency key,
 * what a vendor said when it was asked about a doubt, money that is given back, pauses, and what was learned about an
 * account. Everything that schema 1 kept stays as it is, checksums included.
 */
export const SCHEMA_2 = `
-- Ms since 1970; answers of their kind that are older are bought anew. NULL: of any age.
ALTER TABLE batches ADD COLUMN fresh_found INTEGER;
ALTER TABLE batches ADD COLUMN fresh_no_match INTEGER;

-- What is learned may be lost: it is learned again. \`usage_counted\` is the vendor's own count of credits.
ALTER TABLE accounts ADD COLUMN learned_per_second REAL CHECK (learned_per_second > 0);
ALTER TABLE accounts ADD COLUMN learned_at INTEGER;
ALTER TABLE accounts ADD COLUMN usage_counted REAL;
ALTER TABLE accounts ADD COLUMN usage_spent INTEGER;
ALTER TABLE accounts ADD COLUMN usage_at INTEGER;

-- The attempt whose release or answer gave back what a lost attempt held. A lost attempt holds what it reserved until
-- it is freed or told about.
ALTER TABLE attempts ADD COLUMN freed_by INTEGER REFERENCES attempts (id);
CREATE INDEX attempts_freed_by ON attempts (freed_by) WHERE freed_by IS NOT NULL;
CREATE INDEX attempts_replaces ON attempts (replaces) WHERE replaces IS NOT NULL;

-- What left under an idempotency key, without headers, so that it can be sent again to the byte.
CREATE TABLE requests (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  idempotency_key TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('GET', 'POST')),
  path TEXT NOT NULL,
  first_sent_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB
) STRICT;
CREATE INDEX requests_key ON requests (idempotency_key);

-- What the vendor said, when it was asked without cost, about an attempt that was lost.
CREATE TABLE looks (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  kind TEXT NOT NULL CHECK (kind IN ('read_back', 'usage')),
  said TEXT NOT NULL CHECK (said IN ('happened', 'not_happened', 'unclear')),
  why TEXT NOT NULL,
  status INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX looks_attempt ON looks (attempt);

-- Lost attempts that were not charged, as a look said.
CREATE TABLE releases (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  why TEXT NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

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

-- Attempts that were lost and still hold what they reserved.
CREATE VIEW held_attempts (attempt, call, reserved) AS
  SELECT a.id, a.call, a.reserved
    FROM attempts a JOIN closures k ON k.attempt = a.id
   WHERE k.kind = 'in_doubt' AND a.freed_by IS NULL AND NOT EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id);

-- For an attempt under an idempotency key: those before it under the same key that still hold money. To the vendor they
-- are one request, so they are charged once at most.
CREATE VIEW repeated_attempts (attempt, held) AS
  SELECT r.attempt, h.attempt
    FROM requests r
    JOIN requests e ON e.idempotency_key = r.idempotency_key AND e.attempt < r.attempt
    JOIN held_attempts h ON h.attempt = e.attempt;

-- Which kind an answer is, when it was given, and by whom it was bought. What was told counts as found.
CREATE VIEW answer_ages (attempt, batch, found, answered_at) AS
  SELECT a.id, a.batch, t.attempt IS NOT NULL OR k.answer = 'found', coalesce(t.received_at, r.received_at)
    FROM attempts a
    JOIN closures k ON k.attempt = a.id
    LEFT JOIN replies r ON r.attempt = a.id
    LEFT JOIN told t ON t.attempt = a.id
   WHERE k.kind = 'settled' OR t.attempt IS NOT NULL;
${GUARDS_2}`;
