import { OUTCOMES, wordOf } from '../words.ts';
import { covers, REASON } from './refusals.ts';

/** The answers of a row as a list. A trigger before an update has no generated columns. */
const answersOf = (row: string): string =>
  `iif(typeof(${row}settled_by) = 'integer', '[' || ${row}settled_by || ']', ${row}settled_by)`;
const ANSWERS = answersOf('');

/** Checks the answers of a row, which are a list that no foreign key can watch. */
function rowsPointing(event: 'INSERT' | 'UPDATE'): string {
  return `
CREATE TRIGGER rows_pointing_${event.toLowerCase()} BEFORE ${event} ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that are closed')
    FROM json_each(${answersOf('NEW.')}) j WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = j.value);
END;
`;
}

const FINAL = `
CREATE TRIGGER rows_final BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a final outcome is never changed')
   WHERE NEW.batch <> OLD.batch OR NEW.row <> OLD.row OR (OLD.ended <> ${OUTCOMES.indexOf('in_doubt')} AND NOT (
     (NEW.ended, NEW.matched_by, NEW.settled_by, NEW.read_to)
       IS (OLD.ended, OLD.matched_by, OLD.settled_by, OLD.read_to)
     AND NEW.input IS NULL AND NEW.reason ${REASON} AND ${covers('row', 'OLD.batch', 'OLD.row')}));
END;
`;

export const ROWS_TABLE_8 = `
-- \`ended\` is the outcome, \`settled_by\` the one attempt that led to it or a list of others. \`input\`: 48 bits over the mapped
-- cells that the row was settled from, as they stand in the file. \`read_to\`: the newest reading of the row's answers when the
-- row was settled; NULL: they had none.
CREATE TABLE rows (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  ended INTEGER NOT NULL CHECK (ended BETWEEN 0 AND ${OUTCOMES.length - 1}),
  matched_by TEXT,
  reason TEXT,
  settled_by ANY NOT NULL CHECK (typeof(settled_by) = 'integer' OR json_type(settled_by) = 'array'),
  input INTEGER,
  checksum INTEGER,
  read_to INTEGER,
  kind TEXT NOT NULL GENERATED ALWAYS AS (${wordOf('ended', OUTCOMES)}) VIRTUAL,
  answers TEXT NOT NULL GENERATED ALWAYS AS (${ANSWERS}) VIRTUAL,
  PRIMARY KEY (batch, row),
  CHECK ((kind = 'matched') = (matched_by IS NOT NULL))
) STRICT, WITHOUT ROWID;
`;

export const ROWS_INDEX = "CREATE INDEX rows_in_doubt ON rows (batch, row) WHERE kind = 'in_doubt';\n";

/** The outcome of each row of an input, where rows start in the file, and the counts of both. */
export const ROWS = [
  ROWS_TABLE_8,
  ROWS_INDEX,
  `

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
