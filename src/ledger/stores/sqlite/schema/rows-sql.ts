import { PIECES_TABLE, ROWS_TABLE } from '../tables.ts';

/** Checks the answers of a row, which are a list that no foreign key can watch. */
function rowsPointing(event: 'INSERT' | 'UPDATE'): string {
  return `
CREATE TRIGGER rows_pointing_${event.toLowerCase()} BEFORE ${event} ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that have ended')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (
      SELECT 1 FROM ends WHERE of = j.value);
END;
`;
}

/** The outcome of each row of an input, the pieces of its text, and the counts of both. */
export const ROWS = [
  `
-- \`answers\`: the attempts that led to the outcome, as JSON. \`input\`: 48 bits over the mapped cells that the row was finished
-- from, as they stand in the file. \`read_to\`: the newest reading of its answers when the row was finished; NULL: they had none.
${ROWS_TABLE.definition}
CREATE INDEX rows_in_doubt ON rows (batch, row) WHERE outcome = 'in_doubt';

CREATE TRIGGER rows_settled AFTER INSERT ON rows BEGIN
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.outcome, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER rows_changed AFTER UPDATE ON rows WHEN NEW.outcome <> OLD.outcome BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.outcome;
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.outcome, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER rows_reopened AFTER DELETE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.outcome;
END;
`,
  rowsPointing('INSERT'),
  rowsPointing('UPDATE'),
  `
-- The lowest row of an attempt's batch that used its answer counts as having paid for it. It stands here where it is another
-- than the row that asked.
CREATE TABLE payers (
  attempt INTEGER PRIMARY KEY,
  row INTEGER NOT NULL
) STRICT;

CREATE TRIGGER payers_beginning BEFORE INSERT ON payers BEGIN
  SELECT RAISE(ABORT, 'money rule: the row that paid is the lowest that used the answer')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND row > NEW.row);
END;

CREATE TRIGGER payers_falling BEFORE UPDATE ON payers BEGIN
  SELECT RAISE(ABORT, 'money rule: the row that paid is the lowest that used the answer')
   WHERE NEW.attempt <> OLD.attempt OR NEW.row >= OLD.row;
END;

-- Of each piece of a batch's list where it begins, and 128 bits over what the parser found in it. An erasure removes them.
${PIECES_TABLE.definition}

-- Counts for progress and status: rows by outcome (\`row:matched\`, …), \`requests\` that left, \`calls\` that were answered, and
-- answers of which nobody stated the price (\`estimated\`).
CREATE TABLE tallies (
  batch INTEGER NOT NULL REFERENCES batches (id),
  name TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (batch, name)
) STRICT, WITHOUT ROWID;

-- What we last wrote at a path. While a file is replaced there are two, because a crash leaves either of them. \`batch\` is
-- the one whose rows are in it; NULL: it is no output. A damaged entry describes a file that nobody wrote, and at worst a
-- file of ours is kept as if it were the user's: it has no sum.
CREATE TABLE files (
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  batch INTEGER REFERENCES batches (id),
  PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;

-- Every path at which a batch has found its list, and every job file by which it was begun or gone on with: the batch itself
-- keeps the newest. \`is_list\` is 0 for a job file. It has no sum either: a damaged entry names a file that nobody read.
CREATE TABLE reads (
  path TEXT NOT NULL,
  batch INTEGER NOT NULL REFERENCES batches (id),
  is_list INTEGER NOT NULL CHECK (is_list IN (0, 1)),
  PRIMARY KEY (path, batch)
) STRICT, WITHOUT ROWID;
`,
].join('');
