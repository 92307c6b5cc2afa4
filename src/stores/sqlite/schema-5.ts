import { refusal } from './guards.ts';

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

/** What schema 5 adds, a section for each. Everything that earlier schemas kept stays as it is, checksums included. */
export const SCHEMA_5 = [AGREEMENTS].join('');
