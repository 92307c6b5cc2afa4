import { isOneOf } from '../lookups.ts';

/**
 * What a run processes: one input, one operation, one account. A batch's identity never changes, and its end is final.
 */
export const BATCHES = `
-- \`id\` is the batch's name as a number, \`ordinal\` the order of making. Answers that are older than \`fresh_found\` and
-- \`fresh_no_match\` (ms since 1970) are bought anew; NULL: answers of any age will do. \`rows_beyond\` counts planned rows
-- that the input does not have, \`planned_rows\` all rows of the plan.
CREATE TABLE batches (
  id INTEGER PRIMARY KEY,
  ordinal INTEGER NOT NULL UNIQUE,
  key TEXT NOT NULL,
  generation INTEGER NOT NULL,
  lineage TEXT NOT NULL,
  state TEXT NOT NULL CHECK ${isOneOf('state', ['open', 'finished', 'superseded', 'cancelled'])},
  account INTEGER NOT NULL REFERENCES accounts (id),
  account_name TEXT NOT NULL,
  sandbox INTEGER NOT NULL CHECK (sandbox IN (0, 1)),
  vendor TEXT NOT NULL,
  operation TEXT NOT NULL,
  input_path TEXT NOT NULL,
  input_sha256 TEXT NOT NULL,
  input_rows INTEGER NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  budget INTEGER CHECK (budget >= 0),
  extra_credits INTEGER CHECK (extra_credits >= 0),
  output_path TEXT,
  output_sha256 TEXT,
  command TEXT,
  fresh_found INTEGER,
  fresh_no_match INTEGER,
  rows_beyond INTEGER CHECK (rows_beyond >= 0),
  planned_rows INTEGER NOT NULL DEFAULT 0 CHECK (planned_rows >= 0),
  sum INTEGER,
  UNIQUE (key, generation)
) STRICT;
CREATE UNIQUE INDEX batches_open ON batches (key) WHERE state = 'open';
CREATE INDEX batches_lineage ON batches (lineage) WHERE state = 'open';
CREATE INDEX batches_unsummed ON batches (id) WHERE sum IS NULL;

CREATE TRIGGER batches_altered AFTER UPDATE ON batches
WHEN NEW.sum IS NOT NULL AND NEW.sum IS OLD.sum BEGIN
  UPDATE batches SET sum = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER batches_ended BEFORE UPDATE OF state ON batches
WHEN OLD.state IN ('superseded', 'cancelled') AND NEW.state <> OLD.state BEGIN
  SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch never resumes');
END;
`;
