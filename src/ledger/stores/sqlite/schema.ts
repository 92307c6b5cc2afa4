import { GUARDS } from './guards.ts';

/**
 * The tables of schema 1. Hot tables have integer keys, which are written in order; the random 32 bytes of a call key
 * have the one hash index. Rows of money carry a checksum (`checksums.ts`) and are never altered (`guards.ts`).
 *
 * A migration is never edited after its release: another number is added to `migrations.ts`.
 */
export const SCHEMA_1 = `
-- One row. \`commits\` is the sequence number that the watermark repeats outside of this file; \`clean\` is 1 only
-- between an orderly end and the next start.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  commits INTEGER NOT NULL,
  clean INTEGER NOT NULL CHECK (clean IN (0, 1))
) STRICT;
INSERT INTO ledger (id, commits, clean) VALUES (1, 0, 1);

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  per_day INTEGER CHECK (per_day >= 0),
  per_month INTEGER CHECK (per_month >= 0),
  paused_until INTEGER,
  answers INTEGER NOT NULL DEFAULT 0,
  answers_not_404 INTEGER NOT NULL DEFAULT 0
) STRICT;

-- \`id\` is the batch's name as a number, \`ordinal\` the order of making.
CREATE TABLE batches (
  id INTEGER PRIMARY KEY,
  ordinal INTEGER NOT NULL UNIQUE,
  key TEXT NOT NULL,
  generation INTEGER NOT NULL,
  lineage TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'finished', 'superseded', 'cancelled')),
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
  UNIQUE (key, generation)
) STRICT;
CREATE UNIQUE INDEX batches_open ON batches (key) WHERE state = 'open';
CREATE INDEX batches_lineage ON batches (lineage) WHERE state = 'open';

-- What is paid for. At most one of \`answer\` and \`doubt\` is set; both name the attempt that led to it.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  call TEXT NOT NULL,
  answer INTEGER REFERENCES attempts (id),
  doubt INTEGER REFERENCES attempts (id),
  repeats INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL,
  CHECK (answer IS NULL OR doubt IS NULL)
) STRICT;
CREATE INDEX calls_doubt ON calls (doubt) WHERE doubt IS NOT NULL;

-- \`replaces\`: the answer that a refresh buys anew. \`paid_row\`: the lowest row of the batch that used the answer.
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  call INTEGER NOT NULL REFERENCES calls (id),
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  intent_at INTEGER NOT NULL,
  day TEXT NOT NULL GENERATED ALWAYS AS (date(intent_at / 1000, 'unixepoch')) VIRTUAL,
  decision INTEGER REFERENCES decisions (id),
  replaces INTEGER REFERENCES attempts (id),
  checksum INTEGER NOT NULL,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  paid_row INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX attempts_open ON attempts (call) WHERE open = 1;
CREATE INDEX attempts_call ON attempts (call);
CREATE INDEX attempts_row ON attempts (batch, row);
CREATE INDEX attempts_decision ON attempts (decision) WHERE decision IS NOT NULL;

CREATE TABLE replies (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE closures (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  kind TEXT NOT NULL CHECK (kind IN ('settled', 'not_sent', 'paused', 'stopped', 'in_doubt')),
  answer TEXT CHECK (answer IN ('found', 'no_match', 'refused')),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  why TEXT NOT NULL,
  closed_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  CHECK ((kind = 'settled') = (answer IS NOT NULL)),
  CHECK (kind = 'settled' OR charged = 0)
) STRICT;

-- What is done about a call in doubt, and about which loss: a decision on an earlier one says nothing on a later.
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  call INTEGER NOT NULL REFERENCES calls (id),
  doubt INTEGER NOT NULL REFERENCES attempts (id),
  batch INTEGER NOT NULL REFERENCES batches (id),
  kind TEXT NOT NULL CHECK (kind IN ('repeat', 'retry', 'skip', 'told', 'hold')),
  decided_by TEXT NOT NULL CHECK (decided_by IN ('rule', 'job', 'person')),
  why TEXT NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_doubt ON decisions (doubt, batch);

-- What a person said about an attempt in doubt. Its reply becomes the call's answer, its money counts as spent.
CREATE TABLE told (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  decision INTEGER NOT NULL REFERENCES decisions (id),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

-- Answers taken back, because status 404 was all that a wrong address ever said. They were not charged.
CREATE TABLE retractions (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id)
) STRICT;

CREATE TABLE rows (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN
    ('matched', 'no_match', 'applied', 'unchanged', 'invalid', 'refused', 'in_doubt', 'skipped')),
  matched_by TEXT,
  reason TEXT,
  answers TEXT NOT NULL CHECK (json_type(answers) = 'array'),
  PRIMARY KEY (batch, row),
  CHECK ((kind = 'matched') = (matched_by IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX rows_in_doubt ON rows (batch, row) WHERE kind = 'in_doubt';

CREATE TABLE marks (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

-- Totals, kept by triggers so that no code can forget them, and added up anew after an unclean end (\`verify.ts\`).
CREATE TABLE money (
  scope TEXT PRIMARY KEY,
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt >= 0)
) STRICT, WITHOUT ROWID;

-- Counts for progress and status: \`row:matched\`, …, \`requests\`, \`calls\`.
CREATE TABLE tallies (
  batch INTEGER NOT NULL REFERENCES batches (id),
  name TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (batch, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE match_rates (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  found INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  PRIMARY KEY (account, operation)
) STRICT, WITHOUT ROWID;

-- Whose money an attempt is: of its batch, of its account's day and month (UTC, by the intent), and, for a retry of a
-- call in doubt, of the batch's extra credits. No cap is NULL.
CREATE VIEW attempt_scopes (attempt, scope, cap) AS
  SELECT a.id, 'batch:' || a.batch, b.budget
    FROM attempts a JOIN batches b ON b.id = a.batch
  UNION ALL
  SELECT a.id, 'day:' || b.account || ':' || a.day, p.per_day
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT a.id, 'month:' || b.account || ':' || substr(a.day, 1, 7), p.per_month
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT a.id, 'extra:' || a.batch, b.extra_credits
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN decisions d ON d.id = a.decision
   WHERE d.kind = 'retry';
${GUARDS}`;
