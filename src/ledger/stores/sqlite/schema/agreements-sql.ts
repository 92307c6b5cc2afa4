/**
 * The requests of jobs and dialects that a person agreed to, by the hash of what decides them. An entry is permanent.
 */
export const AGREEMENTS = `
CREATE TABLE agreements (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  -- What was agreed to, as it was shown.
  shown TEXT NOT NULL,
  agreed_at INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
