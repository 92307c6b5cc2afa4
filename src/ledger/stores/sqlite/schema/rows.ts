import { covers, isOneOf, REASON } from './refusals.ts';

const KINDS = ['matched', 'no_match', 'applied', 'unchanged', 'invalid', 'refused', 'in_doubt', 'skipped'];

/** Checks the answers of a row, which are a list that no foreign key can watch. */
function rowsPointing(event: 'INSERT' | 'UPDATE'): string {
  return `
CREATE TRIGGER rows_pointing_${event.toLowerCase()} BEFORE ${event} ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that are closed')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = j.value);
END;
`;
}

const FINAL = `
CREATE TRIGGER rows_final BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a final outcome is never changed')
   WHERE NEW.batch <> OLD.batch OR NEW.row <> OLD.row OR (OLD.kind <> 'in_doubt' AND NOT (
     (NEW.kind, NEW.matched_by, NEW.answers, NEW.read_to)
       IS (OLD.kind, OLD.matched_by, OLD.answers, OLD.read_to)
     AND NEW.input IS NULL AND NEW.reason ${REASON} AND ${covers('row', 'OLD.batch', 'OLD.row')}));
END;
`;

/** The outcome of each row of an input, where rows start in the file, and the counts of both. */
export const ROWS = [
  `
-- \`input\`: 48 bits over the mapped cells that the row was settled from, as they stand in the file. \`read_to\`: the newest
-- reading of the row's answers when the row was settled; NULL: they had none.
CREATE TABLE rows (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (${isOneOf('kind', KINDS)}),
  matched_by TEXT,
  reason TEXT,
  answers TEXT NOT NULL CHECK (json_type(answers) = 'array'), input INTEGER, checksum INTEGER, read_to INTEGER,
  PRIMARY KEY (batch, row),
  CHECK ((kind = 'matched') = (matched_by IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX rows_in_doubt ON rows (batch, row) WHERE kind = 'in_doubt';

CREATE TRIGGER rows_settled AFTER INSERT ON rows BEGIN
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.kind, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER rows_changed AFTER UPDATE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.kind;
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.kind, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER rows_kept BEFORE DELETE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a settled row is kept unless its answer was taken back')
   WHERE NOT EXISTS (
     SELECT 1 FROM json_each(OLD.answers) j JOIN retractions r ON r.attempt = j.value);
END;

CREATE TRIGGER rows_reopened AFTER DELETE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.kind;
END;
`,
  rowsPointing('INSERT'),
  rowsPointing('UPDATE'),
  FINAL,
  `
CREATE TABLE marks (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  lines INTEGER NOT NULL, checksum INTEGER,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

-- Counts for progress and status: \`row:matched\`, …, \`requests\`, \`calls\`.
CREATE TABLE tallies (
  batch INTEGER NOT NULL REFERENCES batches (id),
  name TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (batch, name)
) STRICT, WITHOUT ROWID;
`,
].join('');
