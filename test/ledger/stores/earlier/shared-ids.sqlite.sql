-- A ledger of layout 6, as its program left it: a call that is bought, one that is in doubt, one that the vendor has accepted by
-- an id of its own, two by one id, and one by the id of another that was given up.

PRAGMA application_id = 1383036760;
CREATE TABLE steps (number INTEGER PRIMARY KEY);
INSERT INTO steps (number) VALUES (6);
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
CREATE TABLE workers (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  command TEXT NOT NULL,
  operator TEXT,
  since INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  ended_at INTEGER,
  newest_group INTEGER NOT NULL DEFAULT 0,
  accounts TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  cap_day INTEGER,
  cap_month INTEGER,
  paused_until INTEGER,
  agreed_time INTEGER,
  terms TEXT,
  facts TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE TABLE known_as (
  account INTEGER NOT NULL REFERENCES accounts,
  kind TEXT NOT NULL CHECK (kind IN ('id', 'address', 'name')),
  value TEXT NOT NULL,
  PRIMARY KEY (kind, value, account)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX known_as_one ON known_as (kind, value) WHERE kind <> 'name';
CREATE TABLE prices (
  account INTEGER NOT NULL REFERENCES accounts,
  operation TEXT NOT NULL,
  credits_max INTEGER NOT NULL,
  highest INTEGER NOT NULL,
  PRIMARY KEY (account, operation, credits_max)
) STRICT;
CREATE TABLE budgets (
  scope TEXT PRIMARY KEY,
  cap INTEGER,
  closed INTEGER NOT NULL DEFAULT 0,
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  overrun INTEGER NOT NULL DEFAULT 0 CHECK (overrun >= 0),
  CHECK (spent + held <= cap + overrun)
) STRICT;
CREATE TABLE batches (
  id TEXT PRIMARY KEY CHECK (length(id) = 8),
  number INTEGER NOT NULL UNIQUE,
  key TEXT NOT NULL,
  generation INTEGER NOT NULL,
  lineage TEXT NOT NULL,
  account INTEGER NOT NULL REFERENCES accounts,
  operation TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'finished', 'superseded', 'cancelled')),
  created_at INTEGER NOT NULL,
  fresh_found INTEGER,
  fresh_no_match INTEGER,
  paused_since INTEGER,
  is_sandbox INTEGER NOT NULL DEFAULT 0,
  facts TEXT NOT NULL,
  work_order TEXT,
  UNIQUE (key, generation),
  UNIQUE (id, account)
) STRICT;
CREATE UNIQUE INDEX batches_open ON batches (lineage) WHERE state = 'open';
CREATE TABLE batch_accounts (
  batch TEXT NOT NULL REFERENCES batches,
  account INTEGER NOT NULL REFERENCES accounts,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (batch, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts,
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  facts TEXT,
  batch TEXT REFERENCES batches,
  changed_at INTEGER,
  UNIQUE (account, project, name)
) STRICT;
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  said TEXT,
  attempt INTEGER,
  batch TEXT,
  account INTEGER,
  worker INTEGER,
  who TEXT NOT NULL,
  words TEXT NOT NULL,
  facts TEXT,
  UNIQUE (id, attempt, said, batch)
) STRICT;
CREATE INDEX notes_attempt ON notes (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX notes_kind ON notes (kind, batch, at);
CREATE TABLE replies (
  attempt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  at INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (attempt, number)
) STRICT;
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY CHECK (id < 9007199254740992),
  worker INTEGER NOT NULL,
  key BLOB NOT NULL CHECK (length(key) = 16),
  state TEXT NOT NULL,
  is_current INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK ((kind = 'first' OR kind = 'refresh' OR kind = 'repeat' OR kind = 'retry')),
  account INTEGER NOT NULL,
  operation TEXT NOT NULL,
  asked TEXT NOT NULL,
  credits_max INTEGER NOT NULL,
  batch TEXT NOT NULL,
  row INTEGER NOT NULL,
  day INTEGER NOT NULL,
  month INTEGER NOT NULL,
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  sent_at INTEGER NOT NULL,
  over_at INTEGER NOT NULL,
  request TEXT,
  prior INTEGER REFERENCES attempts,
  payer INTEGER REFERENCES attempts,
  decision INTEGER,
  subject INTEGER REFERENCES subjects,
  after INTEGER,
  moved INTEGER NOT NULL,
  ended_at INTEGER,
  said TEXT,
  charged INTEGER CHECK (charged >= 0),
  is_at_most INTEGER NOT NULL DEFAULT 0,
  why TEXT,
  dialect INTEGER,
  reply INTEGER,
  erased_at INTEGER,
  vendor_id TEXT,
  CHECK ((is_current = 1 AND (state = 'open' OR state = 'accepted' OR state = 'answered' OR state = 'doubt')) OR (is_current = 0 AND (state = 'replaced' OR state = 'retried' OR state = 'doubt_beside' OR state = 'uncharged' OR state = 'released' OR state = 'retracted' OR state = 'erased'))),
  CHECK ((state = 'open') = (ended_at IS NULL)),
  CHECK ((state = 'answered' OR state = 'replaced' OR state = 'retracted' OR state = 'erased') = (charged IS NOT NULL)),
  CHECK (charged IS NULL OR (reply IS NOT NULL AND said IS NOT NULL)),
  CHECK ((kind = 'first') = (prior IS NULL)),
  CHECK ((kind IN ('repeat', 'retry')) = (decision IS NOT NULL)),
  CHECK (payer IS NULL OR (kind = 'repeat' AND reserved = 0)),
  CHECK ((subject IS NULL) = (after IS NULL)),
  CHECK (state <> 'accepted' OR vendor_id IS NOT NULL),
  FOREIGN KEY (id, reply) REFERENCES replies,
  FOREIGN KEY (batch, account) REFERENCES batch_accounts,
  FOREIGN KEY (decision, prior, kind, batch) REFERENCES notes (id, attempt, said, batch)
) STRICT;
CREATE UNIQUE INDEX attempts_current ON attempts (key) WHERE is_current = 1;
CREATE UNIQUE INDEX attempts_change ON attempts (subject, after)
  WHERE subject IS NOT NULL AND is_current = 1;
CREATE UNIQUE INDEX attempts_decision ON attempts (decision)
  WHERE decision IS NOT NULL AND state NOT IN ('uncharged', 'released');
CREATE UNIQUE INDEX attempts_refreshed ON attempts (prior, batch) WHERE kind = 'refresh' AND state NOT IN ('uncharged', 'released', 'retracted');
CREATE INDEX attempts_prior ON attempts (prior) WHERE prior IS NOT NULL;
CREATE INDEX attempts_subject ON attempts (subject, after) WHERE subject IS NOT NULL;
CREATE INDEX attempts_payer ON attempts (payer) WHERE payer IS NOT NULL;
CREATE INDEX attempts_held ON attempts (state, account, batch)
  WHERE state = 'open' OR state = 'accepted' OR (state = 'doubt' OR state = 'retried' OR state = 'doubt_beside');
CREATE INDEX attempts_past ON attempts (key) WHERE is_current = 0;
CREATE INDEX attempts_batch ON attempts (batch, row);
CREATE INDEX attempts_account ON attempts (account, sent_at);
CREATE INDEX attempts_at_most ON attempts (account, batch) WHERE is_at_most = 1 AND charged > 0;
CREATE TABLE rows (
  batch TEXT NOT NULL REFERENCES batches,
  row INTEGER NOT NULL,
  state TEXT NOT NULL CHECK ((state = 'pending' OR state = 'in_doubt' OR state = 'skipped' OR state = 'matched' OR state = 'no_match' OR state = 'refused' OR state = 'applied' OR state = 'unchanged' OR state = 'invalid')),
  attempt INTEGER REFERENCES attempts,
  others TEXT,
  matched_by TEXT,
  reason TEXT,
  work TEXT,
  fills TEXT,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX rows_state ON rows (batch, state, row);
CREATE INDEX rows_attempt ON rows (attempt) WHERE attempt IS NOT NULL;
CREATE TABLE cells (
  batch TEXT NOT NULL REFERENCES batches,
  row INTEGER NOT NULL,
  cells TEXT NOT NULL,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;
CREATE TABLE files (
  path TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('written', 'list', 'job')),
  sha256 TEXT NOT NULL,
  batch TEXT,
  host TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX files_once ON files (path, kind, sha256, host, coalesce(batch, ''));
CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  sent_at INTEGER
) STRICT;
INSERT INTO meta (name, value) VALUES ('identity', '6eb351cde0943692f330df2fb76978f3');
INSERT INTO meta (name, value) VALUES ('secret', '587155963495554d6c0286d8aab4ec80f66b0a3a1d393b3cf7653d7c0b570adb');
INSERT INTO meta (name, value) VALUES ('numbers', '10000');
INSERT INTO workers (id, host, pid, command, operator, since, seen_at, ended_at, newest_group, accounts) VALUES (1, 'host.example', 1234, 'rowonce run', 'user', 1795176000000, 1795176000000, 1795176000100, 0, '[]');
INSERT INTO accounts (id, identity, cap_day, cap_month, paused_until, agreed_time, terms, facts) VALUES (1, 'provider test.example', NULL, NULL, NULL, NULL, NULL, '{}');
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('batch:2d9461e6', NULL, 0, 1, 18, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('extra:2d9461e6', NULL, 0, 0, 0, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('share:2d9461e6:1', NULL, 0, 1, 18, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('day:1:20777', NULL, 0, 1, 18, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('month:1:202611', NULL, 0, 1, 18, 0);
INSERT INTO batches (id, number, key, generation, lineage, account, operation, state, created_at, fresh_found, fresh_no_match, paused_since, is_sandbox, facts, work_order) VALUES ('2d9461e6', 1, 'key-a', 1, 'lineage-a', 1, 'enrich-company', 'open', 1795176000000, NULL, NULL, NULL, 0, '{"accountName":"data","vendor":"provider","inputPath":"/home/user/leads.csv","inputSha256":"sha-a","header":["ABN"],"inputRows":8,"settings":{"columns":{"abn":"ABN"}},"run":{"worker":1,"pid":14190}}', NULL);
INSERT INTO batch_accounts (batch, account, place, name) VALUES ('2d9461e6', 1, 0, 'data');
INSERT INTO replies (attempt, status, at, headers, body, number) VALUES (1, 200, 1795176000040, '{}', X'7b226e616d65223a2241636d65227d', 0);
INSERT INTO replies (attempt, status, at, headers, body, number) VALUES (6, 200, 1795176000040, '{}', X'7b226a6f62223a226a6f622d6f776e227d', 0);
INSERT INTO replies (attempt, status, at, headers, body, number) VALUES (10, 200, 1795176000040, '{}', X'7b226a6f62223a226a6f622d78227d', 0);
INSERT INTO replies (attempt, status, at, headers, body, number) VALUES (14, 200, 1795176000040, '{}', X'7b226a6f62223a226a6f622d78227d', 0);
INSERT INTO replies (attempt, status, at, headers, body, number) VALUES (18, 200, 1795176000040, '{}', X'7b226a6f62223a226a6f622d79227d', 0);
INSERT INTO replies (attempt, status, at, headers, body, number) VALUES (23, 200, 1795176000040, '{}', X'7b226a6f62223a226a6f622d79227d', 0);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (1, 1, X'51e15b9f920b903a3a69499b25618dd9', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"acme.example"},"ifLost":"hold"}', -1, '2d9461e6', 2, 20777, 202611, 3, 1795176000000, 1795969322840, NULL, NULL, NULL, NULL, NULL, NULL, 4, 1795176000050, 'found', 1, 0, 'it holds what was asked for', 7, 0, NULL, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (6, 1, X'32151e46f00226b783e95d4e45016dff', 'accepted', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"own.example"},"ifLost":"hold"}', -1, '2d9461e6', 3, 20777, 202611, 3, 1795176000000, 1795969322953, NULL, NULL, NULL, NULL, NULL, NULL, 7, 1795176000050, NULL, NULL, 0, 'the vendor answers later, by its id job-own', NULL, NULL, NULL, 'job-own');
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (10, 1, X'24166b6ba8a19f6f49d719720b7e2434', 'accepted', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"ann.example"},"ifLost":"hold"}', -1, '2d9461e6', 4, 20777, 202611, 3, 1795176000000, 1795969323015, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1795176000050, NULL, NULL, 0, 'the vendor answers later, by its id job-x', NULL, NULL, NULL, 'job-x');
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (14, 1, X'6ebb9aaf725717a1bec72676aa3a222a', 'accepted', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"ben.example"},"ifLost":"hold"}', -1, '2d9461e6', 5, 20777, 202611, 3, 1795176000000, 1795969323045, NULL, NULL, NULL, NULL, NULL, NULL, 15, 1795176000050, NULL, NULL, 0, 'the vendor answers later, by its id job-x', NULL, NULL, NULL, 'job-x');
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (18, 1, X'7bed02c6a22676f1e8d6056731614180', 'doubt', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"gone.example"},"ifLost":"hold"}', -1, '2d9461e6', 6, 20777, 202611, 3, 1795176000000, 1795969323074, NULL, NULL, NULL, NULL, NULL, NULL, 19, 1795176000060, NULL, NULL, 0, 'not yet: the vendor accepted it, and has not answered in 2h', NULL, NULL, NULL, 'job-y');
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (23, 1, X'c93ca296e468f32e84d012cfe941c059', 'accepted', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"cleo.example"},"ifLost":"hold"}', -1, '2d9461e6', 7, 20777, 202611, 3, 1795176000000, 1795969323131, NULL, NULL, NULL, NULL, NULL, NULL, 24, 1795176000050, NULL, NULL, 0, 'the vendor answers later, by its id job-y', NULL, NULL, NULL, 'job-y');
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at, vendor_id) VALUES (27, 1, X'e39573bf494d20bc295d501dbc66a14c', 'doubt', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"lost.example"},"ifLost":"hold"}', -1, '2d9461e6', 8, 20777, 202611, 3, 1795176000000, 1795969323160, NULL, NULL, NULL, NULL, NULL, NULL, 28, 1795176000050, NULL, NULL, 0, 'no answer came', NULL, NULL, NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 2, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 3, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 4, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 5, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 6, 'in_doubt', 18, NULL, NULL, 'not yet: the vendor accepted it, and has not answered in 2h', NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 7, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work, fills) VALUES ('2d9461e6', 8, 'in_doubt', 27, NULL, NULL, 'no answer came', NULL, NULL);
INSERT INTO files (path, kind, sha256, batch, host) VALUES ('/home/user/leads.csv', 'list', 'sha-a', '2d9461e6', 'host.example');
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts WHEN (OLD.state <> NEW.state AND CASE OLD.state WHEN 'open' THEN NOT (NEW.state = 'accepted' OR NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside' OR NEW.state = 'uncharged') WHEN 'accepted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside') WHEN 'doubt' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retried' OR NEW.state = 'released' OR NEW.state = 'doubt_beside') WHEN 'answered' THEN NOT (NEW.state = 'replaced' OR NEW.state = 'retracted' OR NEW.state = 'erased') WHEN 'replaced' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retracted' OR NEW.state = 'erased') WHEN 'retried' THEN NOT (NEW.state = 'doubt' OR NEW.state = 'released' OR NEW.state = 'answered' OR NEW.state = 'replaced') WHEN 'doubt_beside' THEN NOT (NEW.state = 'answered' OR NEW.state = 'replaced' OR NEW.state = 'released') WHEN 'uncharged' THEN 1 = 1 WHEN 'released' THEN 1 = 1 WHEN 'retracted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'erased') WHEN 'erased' THEN 1 = 1 END) OR OLD.charged > NEW.charged BEGIN SELECT RAISE(ABORT, 'money rule: an attempt moves as the protocol says, and what was charged is never less'); END;
CREATE TRIGGER attempts_fixed BEFORE UPDATE OF id, worker, key, batch, day, month, reserved, kind, account, prior, payer, decision, subject, after ON attempts WHEN OLD.id IS DISTINCT FROM NEW.id OR OLD.worker IS DISTINCT FROM NEW.worker OR OLD.key IS DISTINCT FROM NEW.key OR OLD.batch IS DISTINCT FROM NEW.batch OR OLD.day IS DISTINCT FROM NEW.day OR OLD.month IS DISTINCT FROM NEW.month OR OLD.reserved IS DISTINCT FROM NEW.reserved OR OLD.kind IS DISTINCT FROM NEW.kind OR OLD.account IS DISTINCT FROM NEW.account OR OLD.prior IS DISTINCT FROM NEW.prior OR OLD.payer IS DISTINCT FROM NEW.payer OR OLD.decision IS DISTINCT FROM NEW.decision OR OLD.subject IS DISTINCT FROM NEW.subject OR OLD.after IS DISTINCT FROM NEW.after BEGIN SELECT RAISE(ABORT, 'money rule: an attempt stays what it was'); END;
CREATE TRIGGER rows_move BEFORE UPDATE OF state, attempt, matched_by, batch, row ON rows WHEN OLD.batch IS DISTINCT FROM NEW.batch OR OLD.row IS DISTINCT FROM NEW.row OR (OLD.state <> NEW.state AND CASE OLD.state WHEN 'pending' THEN NOT (NEW.state = 'matched' OR NEW.state = 'no_match' OR NEW.state = 'applied' OR NEW.state = 'unchanged' OR NEW.state = 'invalid' OR NEW.state = 'refused' OR NEW.state = 'in_doubt' OR NEW.state = 'skipped') WHEN 'in_doubt' THEN NOT (NEW.state = 'pending' OR NEW.state = 'matched' OR NEW.state = 'no_match' OR NEW.state = 'applied' OR NEW.state = 'refused' OR NEW.state = 'skipped') WHEN 'skipped' THEN NOT (NEW.state = 'in_doubt') WHEN 'matched' THEN NOT (NEW.state = 'pending' OR NEW.state = 'in_doubt') WHEN 'no_match' THEN NOT (NEW.state = 'pending' OR NEW.state = 'in_doubt') WHEN 'refused' THEN NOT (NEW.state = 'pending' OR NEW.state = 'in_doubt') WHEN 'applied' THEN NOT (NEW.state = 'in_doubt') WHEN 'unchanged' THEN 1 = 1 WHEN 'invalid' THEN 1 = 1 END)
      OR (OLD.state = NEW.state AND OLD.state NOT IN ('pending', 'in_doubt')
        AND (OLD.attempt IS DISTINCT FROM NEW.attempt OR OLD.matched_by IS DISTINCT FROM NEW.matched_by)) BEGIN SELECT RAISE(ABORT, 'money rule: a row moves as the protocol says, and a final outcome stays as it is'); END;
CREATE TRIGGER batches_move BEFORE UPDATE OF state, id, key, account ON batches WHEN OLD.id IS DISTINCT FROM NEW.id OR OLD.key IS DISTINCT FROM NEW.key OR OLD.account IS DISTINCT FROM NEW.account
      OR (OLD.state IN ('superseded', 'cancelled') AND OLD.state <> NEW.state) BEGIN SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch never resumes'); END;
CREATE TRIGGER replies_cut BEFORE UPDATE OF attempt, number, body ON replies WHEN OLD.attempt IS DISTINCT FROM NEW.attempt OR OLD.number IS DISTINCT FROM NEW.number OR (OLD.status <> 0 AND OLD.body <> NEW.body
      AND length(NEW.body) >= length(OLD.body)) BEGIN SELECT RAISE(ABORT, 'money rule: a reply is kept as it came, or shortened by an erasure'); END;
CREATE TRIGGER attempts_begin BEFORE INSERT ON attempts WHEN NEW.state <> 'open' BEGIN SELECT RAISE(ABORT, 'money rule: an attempt begins open'); END;
CREATE TRIGGER accounts_kept BEFORE DELETE ON accounts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER known_as_kept BEFORE DELETE ON known_as WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER budgets_kept BEFORE DELETE ON budgets WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER batches_kept BEFORE DELETE ON batches WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER batch_accounts_kept BEFORE DELETE ON batch_accounts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER subjects_kept BEFORE DELETE ON subjects WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER notes_kept BEFORE DELETE ON notes WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER replies_kept BEFORE DELETE ON replies WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER rows_kept BEFORE DELETE ON rows WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
