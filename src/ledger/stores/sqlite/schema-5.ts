import { ERASURE_GUARDS, ERASURES } from './erasure-guards.ts';
import { refusal } from './guards.ts';
import { READING_GUARDS } from './guards-5-readings.ts';

/** What schema 5 adds, a section for each. Everything that earlier schemas kept stays as it is, checksums included. */

/** To which requests of jobs and dialects somebody agreed, by the hash of what decides them. An entry is for good. */
const AGREEMENTS = `
CREATE TABLE agreements (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  -- What was agreed to, as it was shown.
  shown TEXT NOT NULL,
  agreed_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
${refusal('UPDATE', 'agreements')}${refusal('DELETE', 'agreements')}`;

/**
 * What an answer means by a later dialect than the one that it was settled by. A dialect is known by 48 bits of its hash;
 * of answers that an older Rowonce settled it is NULL, so that they are read again when they are used.
 */
const READINGS = `
CREATE TABLE readings (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  answer TEXT NOT NULL CHECK (answer IN ('found', 'no_match', 'refused')),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  why TEXT NOT NULL,
  dialect INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX readings_attempt ON readings (attempt);

ALTER TABLE closures ADD COLUMN dialect INTEGER;
-- The newest reading of the row's answers when the row was settled; NULL: they had none.
ALTER TABLE rows ADD COLUMN read_to INTEGER;

-- A lost attempt holds what it reserved until it is freed, told about or read.
DROP VIEW held_attempts;
CREATE VIEW held_attempts (attempt, call, reserved) AS
  SELECT a.id, a.call, a.reserved
    FROM attempts a JOIN closures k ON k.attempt = a.id
   WHERE k.kind = 'in_doubt' AND a.freed_by IS NULL
     AND NOT EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
     AND NOT EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id);

-- Which kind an answer is by its newest reading, when it was given, and by whom it was bought. What was told counts as
-- found.
DROP VIEW answer_ages;
CREATE VIEW answer_ages (attempt, batch, found, answered_at) AS
  SELECT a.id, a.batch,
         t.attempt IS NOT NULL OR coalesce(
           (SELECT e.answer FROM readings e WHERE e.attempt = a.id ORDER BY e.id DESC LIMIT 1), k.answer) = 'found',
         coalesce(t.received_at, r.received_at)
    FROM attempts a
    JOIN closures k ON k.attempt = a.id
    LEFT JOIN replies r ON r.attempt = a.id
    LEFT JOIN told t ON t.attempt = a.id
   WHERE k.kind = 'settled' OR t.attempt IS NOT NULL OR a.id IN (SELECT attempt FROM readings);
${READING_GUARDS}`;

export const SCHEMA_5 = [AGREEMENTS, READINGS, ERASURES, ERASURE_GUARDS].join('');
