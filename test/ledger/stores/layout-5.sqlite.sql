-- A ledger of layout 5, as its program left it: two batches, and of the first a call that is bought, one that is missed, one in
-- doubt, one sent again and in doubt again, one charged under a key of the vendor, and one under way.

PRAGMA application_id = 1383036760;
CREATE TABLE steps (number INTEGER PRIMARY KEY);
INSERT INTO steps (number) VALUES (5);
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
  attempt INTEGER PRIMARY KEY,
  status INTEGER NOT NULL,
  at INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL
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
  reply INTEGER REFERENCES replies,
  erased_at INTEGER,
  CHECK ((is_current = 1 AND (state = 'open' OR state = 'answered' OR state = 'doubt')) OR (is_current = 0 AND (state = 'replaced' OR state = 'retried' OR state = 'doubt_beside' OR state = 'uncharged' OR state = 'released' OR state = 'retracted' OR state = 'erased'))),
  CHECK ((state = 'open') = (ended_at IS NULL)),
  CHECK ((state = 'answered' OR state = 'replaced' OR state = 'retracted' OR state = 'erased') = (charged IS NOT NULL)),
  CHECK (charged IS NULL OR (reply = id AND said IS NOT NULL)),
  CHECK ((kind = 'first') = (prior IS NULL)),
  CHECK ((kind IN ('repeat', 'retry')) = (decision IS NOT NULL)),
  CHECK (payer IS NULL OR (kind = 'repeat' AND reserved = 0)),
  CHECK ((subject IS NULL) = (after IS NULL)),
  FOREIGN KEY (batch, account) REFERENCES batches (id, account),
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
  WHERE state = 'open' OR (state = 'doubt' OR state = 'retried' OR state = 'doubt_beside');
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
INSERT INTO meta (name, value) VALUES ('identity', '7bd7e698c2fc8d117ad07cca7593144f');
INSERT INTO meta (name, value) VALUES ('secret', '43095402de32d0500568009587201b5ee94d48ce131eb902e8ef37a9c2d8fbce');
INSERT INTO meta (name, value) VALUES ('numbers', '10000');
INSERT INTO workers (id, host, pid, command, operator, since, seen_at, ended_at, newest_group, accounts) VALUES (1, 'host.example', 1234, 'rowonce run', NULL, 1795818526768, 1795818526892, 1795818526892, 0, '[]');
INSERT INTO accounts (id, identity, cap_day, cap_month, paused_until, agreed_time, terms, facts) VALUES (1, 'provider test.example', NULL, NULL, NULL, NULL, NULL, '{}');
INSERT INTO accounts (id, identity, cap_day, cap_month, paused_until, agreed_time, terms, facts) VALUES (2, 'provider other.example', NULL, NULL, NULL, NULL, NULL, '{}');
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('batch:2eee41df', 20, 0, 6, 8, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('extra:2eee41df', 5, 0, 0, 2, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('batch:9b05b3ba', NULL, 1, 1, 0, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('extra:9b05b3ba', NULL, 0, 0, 0, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('day:1:20777', NULL, 0, 6, 8, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('month:1:202611', NULL, 0, 6, 8, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('day:2:20777', NULL, 0, 1, 0, 0);
INSERT INTO budgets (scope, cap, closed, spent, held, overrun) VALUES ('month:2:202611', NULL, 0, 1, 0, 0);
INSERT INTO batches (id, number, key, generation, lineage, account, operation, state, created_at, fresh_found, fresh_no_match, paused_since, is_sandbox, facts, work_order) VALUES ('2eee41df', 1, 'key-a', 1, 'lineage-a', 1, 'enrich-company', 'open', 1795176000000, NULL, NULL, NULL, 0, '{"accountName":"hunter","vendor":"provider","inputPath":"/home/user/leads.csv","inputSha256":"sha-a","header":["ABN"],"inputRows":3,"settings":{"columns":{"abn":"ABN"}},"run":{"worker":1,"pid":24836}}', NULL);
INSERT INTO batches (id, number, key, generation, lineage, account, operation, state, created_at, fresh_found, fresh_no_match, paused_since, is_sandbox, facts, work_order) VALUES ('9b05b3ba', 2, 'key-b', 1, 'lineage-b', 2, 'enrich-company', 'cancelled', 1795176000000, NULL, NULL, NULL, 0, '{"accountName":"prospeo","vendor":"provider","inputPath":"/home/user/leads.csv","inputSha256":"sha-a","header":["ABN"],"inputRows":3,"settings":{"columns":{"abn":"ABN"}},"run":{"worker":1,"pid":24836}}', NULL);
INSERT INTO notes (id, at, kind, said, attempt, batch, account, worker, who, words, facts) VALUES (1, 1795176000000, 'decided', 'retry', 12, '2eee41df', NULL, 1, 'person', 'somebody said so', NULL);
INSERT INTO notes (id, at, kind, said, attempt, batch, account, worker, who, words, facts) VALUES (2, 1795176000000, 'decided', 'repeat', 18, '2eee41df', NULL, 1, 'person', 'somebody said so', NULL);
INSERT INTO replies (attempt, status, at, headers, body) VALUES (1, 200, 1795176000040, '{"x-request-id":"r-acme"}', unhex('61636d65'));
INSERT INTO replies (attempt, status, at, headers, body) VALUES (5, 404, 1795176000040, '{"x-request-id":"r-miss"}', unhex('6d697373'));
INSERT INTO replies (attempt, status, at, headers, body) VALUES (21, 200, 1795176000040, '{"x-request-id":"r-keyed"}', unhex('6b65796564'));
INSERT INTO replies (attempt, status, at, headers, body) VALUES (27, 200, 1795176000040, '{"x-request-id":"r-acme"}', unhex('61636d65'));
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (1, 1, unhex('4033cd6a9e221f236416fb0e46d9bb1a'), 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"acme.example"},"ifLost":"hold"}', -1, '2eee41df', 2, 20777, 202611, 1, 1795176000000, 1795818596788, NULL, NULL, NULL, NULL, NULL, NULL, 4, 1795176000050, 'found', 2, 0, 'it was found', NULL, 1, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (5, 1, unhex('e7fe371759b0359a30bdbb755d07d3bb'), 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"miss.example"},"ifLost":"hold"}', -1, '2eee41df', 3, 20777, 202611, 1, 1795176000000, 1795818596802, NULL, NULL, NULL, NULL, NULL, NULL, 8, 1795176000050, 'no_match', 0, 0, 'it was no_match', NULL, 5, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (9, 1, unhex('5163df078c822b47249b094637570d21'), 'doubt', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"lost.example"},"ifLost":"hold"}', -1, '2eee41df', 4, 20777, 202611, 3, 1795176000000, 1795818596814, NULL, NULL, NULL, NULL, NULL, NULL, 10, 1795176000050, NULL, NULL, 0, 'the connection was reset', NULL, NULL, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (12, 1, unhex('30dd33df70fe21716bf77b7c0467232f'), 'retried', 0, 'first', 1, 'enrich-company', '{"parameters":{"domain":"again.example"},"ifLost":"hold"}', -1, '2eee41df', 5, 20777, 202611, 2, 1795176000000, 1795818596816, NULL, NULL, NULL, NULL, NULL, NULL, 13, 1795176000050, NULL, NULL, 0, 'the connection was reset', NULL, NULL, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (15, 1, unhex('30dd33df70fe21716bf77b7c0467232f'), 'doubt', 1, 'retry', 1, 'enrich-company', '{"parameters":{"domain":"again.example"},"ifLost":"hold"}', -1, '2eee41df', 5, 20777, 202611, 2, 1795176000000, 1795818596821, NULL, 12, NULL, 1, NULL, NULL, 16, 1795176000050, NULL, NULL, 0, 'the connection was reset', NULL, NULL, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (18, 1, unhex('ac75409756ff535c9d4009d3319d680c'), 'released', 0, 'first', 1, 'enrich-company', '{"parameters":{"domain":"keyed.example"},"ifLost":"hold"}', -1, '2eee41df', 6, 20777, 202611, 4, 1795176000000, 1795818596825, '{"idempotencyKey":"key-1","method":"POST","path":"/v1/companies?x=1","body":"{\"for\":\"key-1\"}","firstSentAtMs":1795176000000}', NULL, NULL, NULL, NULL, NULL, 24, 1795176000050, NULL, NULL, 0, 'answered later under the same idempotency key, which the vendor charges once', NULL, NULL, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (21, 1, unhex('ac75409756ff535c9d4009d3319d680c'), 'answered', 1, 'repeat', 1, 'enrich-company', '{"parameters":{"domain":"keyed.example"},"ifLost":"hold"}', -1, '2eee41df', 6, 20777, 202611, 0, 1795176000000, 1795818596827, '{"idempotencyKey":"key-1","method":"POST","path":"/v1/companies?x=1","body":"{\"for\":\"key-1\"}","firstSentAtMs":1795176000000}', 18, 18, 2, NULL, NULL, 24, 1795176000050, 'found', 4, 0, 'it was found', NULL, 21, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (25, 1, unhex('f82d6b8774fe5175ae211afd3f405a1c'), 'open', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"open.example"},"ifLost":"hold"}', -1, '2eee41df', 7, 20777, 202611, 1, 1795176000000, 1795818596840, NULL, NULL, NULL, NULL, NULL, NULL, 26, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL);
INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, request, prior, payer, decision, subject, after, moved, ended_at, said, charged, is_at_most, why, dialect, reply, erased_at) VALUES (27, 1, unhex('0af7e1e59b091cc9e5aff050167f7504'), 'answered', 1, 'first', 2, 'enrich-company', '{"parameters":{"domain":"acme.example"},"ifLost":"hold"}', -1, '9b05b3ba', 2, 20777, 202611, 1, 1795176000000, 1795818596841, NULL, NULL, NULL, NULL, NULL, NULL, 30, 1795176000050, 'found', 1, 0, 'it was found', NULL, 27, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work) VALUES ('2eee41df', 2, 'matched', 1, NULL, 'domain', NULL, NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work) VALUES ('2eee41df', 3, 'no_match', 5, NULL, NULL, 'nobody is known', NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work) VALUES ('2eee41df', 4, 'in_doubt', 9, NULL, NULL, 'no answer came', NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work) VALUES ('2eee41df', 5, 'in_doubt', 15, NULL, NULL, 'the connection was reset', NULL);
INSERT INTO rows (batch, row, state, attempt, others, matched_by, reason, work) VALUES ('2eee41df', 6, 'pending', 21, NULL, NULL, 'the connection was reset', NULL);
INSERT INTO files (path, kind, sha256, batch, host) VALUES ('/home/user/leads.csv', 'list', 'sha-a', '2eee41df', 'host.example');
INSERT INTO files (path, kind, sha256, batch, host) VALUES ('/home/user/leads.csv', 'list', 'sha-a', '9b05b3ba', 'host.example');
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts WHEN (OLD.state <> NEW.state AND CASE OLD.state WHEN 'open' THEN NOT (NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside' OR NEW.state = 'uncharged') WHEN 'doubt' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retried' OR NEW.state = 'released' OR NEW.state = 'doubt_beside') WHEN 'answered' THEN NOT (NEW.state = 'replaced' OR NEW.state = 'retracted' OR NEW.state = 'erased') WHEN 'replaced' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retracted' OR NEW.state = 'erased') WHEN 'retried' THEN NOT (NEW.state = 'doubt' OR NEW.state = 'released' OR NEW.state = 'answered' OR NEW.state = 'replaced') WHEN 'doubt_beside' THEN NOT (NEW.state = 'answered' OR NEW.state = 'replaced' OR NEW.state = 'released') WHEN 'uncharged' THEN 1 = 1 WHEN 'released' THEN 1 = 1 WHEN 'retracted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'erased') WHEN 'erased' THEN 1 = 1 END) OR OLD.charged > NEW.charged BEGIN SELECT RAISE(ABORT, 'money rule: an attempt moves as the protocol says, and what was charged is never less'); END;
CREATE TRIGGER attempts_fixed BEFORE UPDATE OF id, worker, key, batch, day, month, reserved, kind, account, prior, payer, decision, subject, after ON attempts WHEN OLD.id IS DISTINCT FROM NEW.id OR OLD.worker IS DISTINCT FROM NEW.worker OR OLD.key IS DISTINCT FROM NEW.key OR OLD.batch IS DISTINCT FROM NEW.batch OR OLD.day IS DISTINCT FROM NEW.day OR OLD.month IS DISTINCT FROM NEW.month OR OLD.reserved IS DISTINCT FROM NEW.reserved OR OLD.kind IS DISTINCT FROM NEW.kind OR OLD.account IS DISTINCT FROM NEW.account OR OLD.prior IS DISTINCT FROM NEW.prior OR OLD.payer IS DISTINCT FROM NEW.payer OR OLD.decision IS DISTINCT FROM NEW.decision OR OLD.subject IS DISTINCT FROM NEW.subject OR OLD.after IS DISTINCT FROM NEW.after BEGIN SELECT RAISE(ABORT, 'money rule: an attempt stays what it was'); END;
CREATE TRIGGER rows_move BEFORE UPDATE OF state, attempt, matched_by, batch, row ON rows WHEN OLD.batch IS DISTINCT FROM NEW.batch OR OLD.row IS DISTINCT FROM NEW.row OR (OLD.state <> NEW.state AND CASE OLD.state WHEN 'pending' THEN NOT (NEW.state = 'matched' OR NEW.state = 'no_match' OR NEW.state = 'applied' OR NEW.state = 'unchanged' OR NEW.state = 'invalid' OR NEW.state = 'refused' OR NEW.state = 'in_doubt' OR NEW.state = 'skipped') WHEN 'in_doubt' THEN NOT (NEW.state = 'pending' OR NEW.state = 'matched' OR NEW.state = 'no_match' OR NEW.state = 'applied' OR NEW.state = 'refused' OR NEW.state = 'skipped') WHEN 'skipped' THEN NOT (NEW.state = 'in_doubt') WHEN 'matched' THEN NOT (NEW.state = 'pending' OR NEW.state = 'in_doubt') WHEN 'no_match' THEN NOT (NEW.state = 'pending' OR NEW.state = 'in_doubt') WHEN 'refused' THEN NOT (NEW.state = 'pending' OR NEW.state = 'in_doubt') WHEN 'applied' THEN NOT (NEW.state = 'in_doubt') WHEN 'unchanged' THEN 1 = 1 WHEN 'invalid' THEN 1 = 1 END)
      OR (OLD.state = NEW.state AND OLD.state NOT IN ('pending', 'in_doubt')
        AND (OLD.attempt IS DISTINCT FROM NEW.attempt OR OLD.matched_by IS DISTINCT FROM NEW.matched_by)) BEGIN SELECT RAISE(ABORT, 'money rule: a row moves as the protocol says, and a final outcome stays as it is'); END;
CREATE TRIGGER batches_move BEFORE UPDATE OF state, id, key, account ON batches WHEN OLD.id IS DISTINCT FROM NEW.id OR OLD.key IS DISTINCT FROM NEW.key OR OLD.account IS DISTINCT FROM NEW.account
      OR (OLD.state IN ('superseded', 'cancelled') AND OLD.state <> NEW.state) BEGIN SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch never resumes'); END;
CREATE TRIGGER replies_cut BEFORE UPDATE OF attempt, body ON replies WHEN OLD.attempt IS DISTINCT FROM NEW.attempt OR (OLD.status <> 0 AND OLD.body <> NEW.body
      AND length(NEW.body) >= length(OLD.body)) BEGIN SELECT RAISE(ABORT, 'money rule: a reply is kept as it came, or shortened by an erasure'); END;
CREATE TRIGGER attempts_begin BEFORE INSERT ON attempts WHEN NEW.state <> 'open' BEGIN SELECT RAISE(ABORT, 'money rule: an attempt begins open'); END;
CREATE TRIGGER accounts_kept BEFORE DELETE ON accounts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER known_as_kept BEFORE DELETE ON known_as WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER budgets_kept BEFORE DELETE ON budgets WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER batches_kept BEFORE DELETE ON batches WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER subjects_kept BEFORE DELETE ON subjects WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER notes_kept BEFORE DELETE ON notes WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER replies_kept BEFORE DELETE ON replies WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
CREATE TRIGGER rows_kept BEFORE DELETE ON rows WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'money rule: nothing is deleted'); END;
