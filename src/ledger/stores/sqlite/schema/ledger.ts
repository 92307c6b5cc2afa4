import { refusedEvent } from './refusals.ts';

/** Files of the user's that were read. Without checksums: a damaged entry names a file that nobody read. */
export const READS_TABLE = `
-- Every path at which a batch has found its list, and every job file by which it was begun or gone on with: the batch itself
-- keeps the newest. \`is_list\` is 0 for a job file.
CREATE TABLE reads (
  path TEXT NOT NULL,
  batch INTEGER NOT NULL REFERENCES batches (id),
  is_list INTEGER NOT NULL CHECK (is_list IN (0, 1)),
  PRIMARY KEY (path, batch)
) STRICT, WITHOUT ROWID;
`;

/**
 * The one row of the ledger itself, with a random name by which its commits are known outside of the store, and the
 * files beside the user's that are ours, by their content. Files have no checksum: a damaged entry describes a file
 * that nobody wrote, and at worst a file of ours is kept as if it were the user's.
 */
export const LEDGER = [
  `
-- One row. \`commits\` is the sequence number that the watermark repeats outside of this file; \`clean\` is 1 only
-- between an orderly end and the next start.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  commits INTEGER NOT NULL,
  clean INTEGER NOT NULL CHECK (clean IN (0, 1))
, identity TEXT CHECK (length(identity) = 32)) STRICT;

-- What outside of the store is held against the count would be worth nothing if the count could stand still or go back.
CREATE TRIGGER ledger_counting BEFORE UPDATE OF commits ON ledger WHEN NEW.commits IS NOT OLD.commits + 1
BEGIN SELECT RAISE(ABORT, 'money rule: the commits of a ledger are counted one by one'); END;

CREATE TRIGGER ledger_named BEFORE UPDATE OF identity ON ledger WHEN NEW.identity IS NULL
BEGIN SELECT RAISE(ABORT, 'money rule: a ledger has a name'); END;
`,
  refusedEvent('DELETE', 'ledger'),
  `
-- What we last wrote at a path. While a file is replaced there are two, because a crash leaves either of them. \`batch\` is
-- the one whose rows are in it; NULL: it was written by a schema before 12, or is no output.
CREATE TABLE files (
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  batch INTEGER REFERENCES batches (id),
  PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;
`,
  READS_TABLE,
].join('');
