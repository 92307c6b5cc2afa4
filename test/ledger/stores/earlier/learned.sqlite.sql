PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1383036760;
CREATE TABLE steps (number INTEGER PRIMARY KEY);
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
  UNIQUE (key, generation)
) STRICT;
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
  later_path TEXT,
  shares_id INTEGER NOT NULL DEFAULT 0,
  CHECK ((is_current = 1 AND (state = 'open' OR state = 'accepted' OR state = 'answered' OR state = 'doubt')) OR (is_current = 0 AND (state = 'replaced' OR state = 'retried' OR state = 'doubt_beside' OR state = 'uncharged' OR state = 'released' OR state = 'retracted' OR state = 'erased'))),
  CHECK ((state = 'open') = (ended_at IS NULL)),
  CHECK ((state = 'answered' OR state = 'replaced' OR state = 'retracted' OR state = 'erased') = (charged IS NOT NULL)),
  CHECK (charged IS NULL OR (reply IS NOT NULL AND said IS NOT NULL)),
  CHECK ((kind = 'first') = (prior IS NULL)),
  CHECK ((kind IN ('repeat', 'retry')) = (decision IS NOT NULL)),
  CHECK (payer IS NULL OR (kind = 'repeat' AND reserved = 0)),
  CHECK ((subject IS NULL) = (after IS NULL)),
  CHECK (state <> 'accepted' OR (vendor_id IS NOT NULL AND later_path IS NOT NULL AND shares_id = 0)),
  FOREIGN KEY (id, reply) REFERENCES replies,
  FOREIGN KEY (batch, account) REFERENCES batch_accounts,
  FOREIGN KEY (decision, prior, kind, batch) REFERENCES notes (id, attempt, said, batch)
) STRICT;
CREATE TABLE rows (
  batch TEXT NOT NULL REFERENCES batches,
  row INTEGER NOT NULL,
  state TEXT NOT NULL CHECK ((state = 'pending' OR state = 'in_doubt' OR state = 'skipped' OR state = 'matched' OR state = 'no_match' OR state = 'refused' OR state = 'applied' OR state = 'unchanged' OR state = 'invalid')),
  attempt INTEGER REFERENCES attempts,
  others TEXT,
  matched_by TEXT,
  findings TEXT,
  work TEXT,
  fills TEXT,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  sent_at INTEGER
) STRICT;
INSERT INTO steps VALUES (8);
INSERT INTO meta VALUES ('identity', '72cc9bd7c33e13f5a3e135769065186d');
INSERT INTO meta VALUES ('secret', '97ab75ba344141bb90b5f73b03da86c6253f993afcb3cab8b98ae1379415a8b4');
INSERT INTO meta VALUES ('numbers', '40000');
INSERT INTO workers VALUES (1, 'desk', 7087, 'npx rowonce run /home/ann/team.yaml /home/ann/team.csv --account data --budget 1000000 --store /home/ann/store -o /home/ann/out.csv --json --yes', 'Ann', 1796018351521, 1796018353027, 1796018353027, 0, '[]');
INSERT INTO workers VALUES (2, 'desk', 7087, 'npx rowonce run /home/ann/team.yaml /home/ann/month-2.csv --account data --budget 1000000 --store /home/ann/store -o /home/ann/out.csv --json --yes', 'Ann', 1796018353755, 1796018354250, 1796018354250, 0, '[]');
INSERT INTO workers VALUES (3, 'desk', 7087, 'forget', 'Ann', 1796018354575, 1796018354644, 1796018354644, 0, '[]');
INSERT INTO workers VALUES (4, 'desk', 7087, 'forget', 'Ann', 1796018354647, 1796018354696, 1796018354696, 0, '[]');
INSERT INTO accounts VALUES (1, '["service","http://127.0.0.1:46355","org-1",null]', NULL, NULL, NULL, 1796018352000, NULL, '{}');
INSERT INTO known_as VALUES (1, 'address', '["service","http://127.0.0.1:46355","org-1",null]');
INSERT INTO known_as VALUES (1, 'name', 'data');
INSERT INTO budgets VALUES ('batch:eca05d83', 1000000, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('extra:eca05d83', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:eca05d83:1', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('day:1:20787', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('month:1:202611', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('batch:e4f9f14c', 1000000, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('extra:e4f9f14c', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:e4f9f14c:1', NULL, 0, 0, 0, 0);
INSERT INTO batches VALUES ('eca05d83', 1, '98189883664b943a9795dd942976b04a92510b2904fe33dcb0c272c6a24da7f9', 1, '9de87e1aea42017b16bb6694183dac5488505d86a35891d08b308ba2f8959b9a', 1, 'onboard', 'finished', 1796018351791, NULL, NULL, NULL, 0, '{"accountName":"data","vendor":"service","inputPath":"/home/ann/team.csv","inputSha256":"68ca84879823140e873e865d8d579110292a206b0d5870ba8fea9f022ae8a306","header":["Email","Project","Role","User"],"inputRows":2,"settings":{"job":"/home/ann/team.yaml","columns":{"email":"Email","role":"Role","project_id":"Project","user_id":"User"},"said":{"account":"data"},"output_path":"/home/ann/out.csv","by_kind":true,"shared_hosts":{},"buysAgain":{"[\"service\",\"http://127.0.0.1:46355\",\"org-1\",null]":131512252}},"plannedRows":2,"run":{"worker":1,"pid":7087},"startedAtMs":1796018351792,"isSubmitted":true,"outputPath":"/home/ann/out.csv","outputSha256":"07ccec921e9056b437d8640cc0efc535a61b214bd534b0101f6b5d36f5433755"}', NULL);
INSERT INTO batches VALUES ('e4f9f14c', 2, 'bf5404a0d04a310e87e9a25b5163bca32be2b0622f0ce12c8cbcd7f5be4890b2', 1, 'c9b0afb3b29bec34bd8485ee322b2bc4f2631aec28bbc8a9cdd6efb1ea881813', 1, 'onboard', 'finished', 1796018353852, NULL, NULL, NULL, 0, '{"accountName":"data","vendor":"service","inputPath":"/home/ann/month-2.csv","inputSha256":"de729adc5bf2153025a96c477133b19d524befbbfdc60275a562d880b12800c8","header":["Email","Project","Role","User"],"inputRows":2,"settings":{"job":"/home/ann/team.yaml","columns":{"email":"Email","role":"Role","project_id":"Project","user_id":"User"},"said":{"account":"data"},"output_path":"/home/ann/out.csv","by_kind":true,"shared_hosts":{},"buysAgain":{"[\"service\",\"http://127.0.0.1:46355\",\"org-1\",null]":131512252}},"plannedRows":2,"run":{"worker":2,"pid":7087},"startedAtMs":1796018353853,"isSubmitted":true,"outputPath":"/home/ann/out.csv","outputSha256":"b088999a05c94464ba2d4ce2b74f81bbd7a6fc1c6df3ad6ce2b637340ba75c70 07ccec921e9056b437d8640cc0efc535a61b214bd534b0101f6b5d36f5433755"}', NULL);
INSERT INTO batch_accounts VALUES ('e4f9f14c', 1, 0, 'data');
INSERT INTO batch_accounts VALUES ('eca05d83', 1, 0, 'data');
INSERT INTO subjects VALUES (1, 1, 'proj-1', 'ann@team.example', 2, '{"email":"ann@team.example","state":"member","role":"viewer","userId":"user-deceb179ef74"}', 'e4f9f14c', 1796018353973);
INSERT INTO subjects VALUES (2, 1, 'proj-1', 'erased:2', 2, NULL, 'e4f9f14c', 1796018353973);
INSERT INTO notes VALUES (1, 1796018351800, 'begun', NULL, NULL, 'eca05d83', NULL, 1, 'person', '', NULL);
INSERT INTO notes VALUES (2, 1796018353853, 'begun', NULL, NULL, 'e4f9f14c', NULL, 2, 'person', '', NULL);
INSERT INTO notes VALUES (3, 1796018353973, 'told', 'told', 10001, 'e4f9f14c', NULL, 2, 'person', 'nothing was sent: a list says that they are there already', NULL);
INSERT INTO notes VALUES (4, 1796018353973, 'told', 'told', 10004, 'e4f9f14c', NULL, 2, 'person', 'erased', NULL);
INSERT INTO notes VALUES (5, 1796018354673, 'erased', 'person', NULL, NULL, NULL, 4, 'person', '', NULL);
INSERT INTO notes VALUES (6, 1796018354673, 'forgot', NULL, NULL, NULL, 1, 4, 'person', '', NULL);
INSERT INTO notes VALUES (7, 1796018354673, 'forgot', NULL, NULL, NULL, NULL, 4, 'person', '67b4f84cde43736dfa5c68076ded1b0c244ddf38827dfb34672633fcef5c56d5', NULL);
INSERT INTO replies VALUES (1, 200, 1796018352399, '{"content-type":"application/json","x-request-id":"sandbox-1","date":"Mon, 30 Nov 2026 05:59:12 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D31227D', 0);
INSERT INTO replies VALUES (4, 200, 1796018352574, '{}', X'', 0);
INSERT INTO replies VALUES (10001, 0, 1796018353973, '{}', X'', 0);
INSERT INTO replies VALUES (10004, 0, 1796018353973, '{}', X'', 0);
INSERT INTO attempts VALUES (1, 1, X'C03DB6A16560CCAB1A5EC1B1691B05AC', 'answered', 1, 'first', 1, 'create-invite', '{"parameters":{"role":"viewer","email":"ann@team.example"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"ann@team.example"},"leaves":{"email":"ann@team.example","state":"invited","role":"viewer"},"already":{"email":"ann@team.example"}},"project":"proj-1","after":0}', -1, 'eca05d83', 2, 20787, 202611, 0, 1796018352039, 1796018422115, NULL, NULL, NULL, NULL, 1, 0, 5, 1796018352528, 'found', 0, 0, '[{"code":"answer","facts":{"status":200}}]', 131512252, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (4, 1, X'1D643CF16CECA983047A5B8EB9DFA6C3', 'erased', 0, 'first', 1, 'create-invite', '{"parameters":{},"ifLost":"hold","project":"proj-1","after":0,"change":{"subject":{"project":"proj-1","name":"erased:2"},"leaves":{"state":"invited"}}}', -1, 'eca05d83', 3, 20787, 202611, 0, 1796018352532, 1796018422543, NULL, NULL, NULL, NULL, 2, 0, 7, 1796018352588, 'found', 0, 0, '[{"code":"erased","facts":{}}]', 131512252, 0, 1796018354673, NULL, NULL, 0);
INSERT INTO attempts VALUES (10001, 2, X'AA219BE679882C514D2C5E748C78B97E', 'answered', 1, 'first', 1, 'note-person', '{"parameters":{"state":"member","role":"viewer","user_id":"user-deceb179ef74"},"ifLost":"hold","project":"proj-1","after":1,"change":{"subject":{"project":"proj-1","name":"ann@team.example"},"leaves":{"email":"ann@team.example","state":"member","role":"viewer","userId":"user-deceb179ef74"}}}', -1, 'e4f9f14c', 2, 20787, 202611, 0, 1796018353973, 1796018423974, NULL, NULL, NULL, NULL, 1, 1, 10003, 1796018353973, 'found', 0, 0, '[{"code":"told","facts":{"words":"nothing was sent: a list says that they are there already"}}]', NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10004, 2, X'A17F09F8EF82291E7CAEB006FFFE1F4C', 'erased', 0, 'first', 1, 'note-person', '{"parameters":{},"ifLost":"hold","project":"proj-1","after":1,"change":{"subject":{"project":"proj-1","name":"erased:2"},"leaves":{"state":"member"}}}', -1, 'e4f9f14c', 3, 20787, 202611, 0, 1796018353973, 1796018423994, NULL, NULL, NULL, NULL, 2, 1, 10006, 1796018353973, 'found', 0, 0, '[{"code":"erased","facts":{}}]', NULL, 0, 1796018354673, NULL, NULL, 0);
INSERT INTO rows VALUES ('e4f9f14c', 2, 'unchanged', NULL, NULL, NULL, '[{"code":"already_invited","facts":{"email":"ann@team.example","role":"viewer"}}]', '{"kind":"end","outcome":{"kind":"unchanged","findings":[{"code":"already_invited","facts":{"email":"ann@team.example","role":"viewer"}}]},"work":{"subject":{"project":"proj-1","name":"ann@team.example"},"to":"viewer","from":"viewer","email":"ann@team.example","learns":{"email":"ann@team.example","state":"member","role":"viewer","userId":"user-deceb179ef74"},"note":"the user_id user-deceb179ef74 is noted","project":"proj-1","was":{"sequence":1,"facts":{"email":"ann@team.example","state":"invited","role":"viewer","inviteCode":"invite-1"}},"personAction":{"kind":"unchanged","findings":[{"code":"already_invited","facts":{"email":"ann@team.example","role":"viewer"}}]}}}', NULL);
INSERT INTO rows VALUES ('e4f9f14c', 3, 'unchanged', NULL, NULL, NULL, '[{"code":"erased_on","facts":{"date":"2026-11-30"}}]', '{"kind":"end","outcome":{"kind":"skipped","findings":[{"code":"erased_on","facts":{"date":"2026-11-30"}}]}}', NULL);
INSERT INTO rows VALUES ('eca05d83', 2, 'applied', 1, NULL, NULL, '[{"code":"invited","facts":{"role":"viewer","project":"proj-1"}}]', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"ann@team.example"},"to":"viewer","action":"invite","email":"ann@team.example","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"ann@team.example","role":"viewer"}}}', NULL);
INSERT INTO rows VALUES ('eca05d83', 3, 'applied', 4, NULL, NULL, '[{"code":"erased_on","facts":{"date":"2026-11-30"}}]', '{"kind":"end","outcome":{"kind":"skipped","findings":[{"code":"erased_on","facts":{"date":"2026-11-30"}}]}}', NULL);
INSERT INTO cells VALUES ('e4f9f14c', 2, '{"cells":["ann@team.example","proj-1","viewer","user-deceb179ef74"]}');
INSERT INTO cells VALUES ('eca05d83', 2, '{"cells":["ann@team.example","proj-1","viewer",""]}');
INSERT INTO files VALUES ('/home/ann/team.csv', 'list', '68ca84879823140e873e865d8d579110292a206b0d5870ba8fea9f022ae8a306', 'eca05d83', 'desk');
INSERT INTO files VALUES ('/home/ann/team.yaml', 'job', '', 'eca05d83', 'desk');
INSERT INTO files VALUES ('/home/ann/out.csv', 'written', '07ccec921e9056b437d8640cc0efc535a61b214bd534b0101f6b5d36f5433755', 'eca05d83', 'desk');
INSERT INTO files VALUES ('/home/ann/out.report.html', 'written', '044ec0e750a79f0fd89319a34bf994ec085325e7c30483bdfc60084d73f96f12', 'eca05d83', 'desk');
INSERT INTO files VALUES ('/home/ann/month-2.csv', 'list', 'de729adc5bf2153025a96c477133b19d524befbbfdc60275a562d880b12800c8', 'e4f9f14c', 'desk');
INSERT INTO files VALUES ('/home/ann/team.yaml', 'job', '', 'e4f9f14c', 'desk');
INSERT INTO files VALUES ('/home/ann/out.csv', 'written', 'b088999a05c94464ba2d4ce2b74f81bbd7a6fc1c6df3ad6ce2b637340ba75c70', 'e4f9f14c', 'desk');
INSERT INTO files VALUES ('/home/ann/out.report.html', 'written', 'b11faa8609a1d7b5b230a11eceaa4533e02d73e04619f3e21974b8ac43921e07', 'e4f9f14c', 'desk');
CREATE UNIQUE INDEX known_as_one ON known_as (kind, value) WHERE kind <> 'name';
CREATE UNIQUE INDEX batches_open ON batches (lineage) WHERE state = 'open';
CREATE INDEX notes_attempt ON notes (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX notes_kind ON notes (kind, batch, at);
CREATE UNIQUE INDEX attempts_current ON attempts (key) WHERE is_current = 1;
CREATE UNIQUE INDEX attempts_change ON attempts (subject, after)
  WHERE subject IS NOT NULL AND is_current = 1;
CREATE UNIQUE INDEX attempts_decision ON attempts (decision)
  WHERE decision IS NOT NULL AND state NOT IN ('uncharged', 'released');
CREATE UNIQUE INDEX attempts_later ON attempts (account, later_path, vendor_id) WHERE state = 'accepted';
CREATE INDEX attempts_vendor_id ON attempts (vendor_id, account) WHERE vendor_id IS NOT NULL;
CREATE UNIQUE INDEX attempts_not_served ON attempts (key) WHERE said = 'not_served';
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
CREATE INDEX rows_state ON rows (batch, state, row);
CREATE INDEX rows_attempt ON rows (attempt) WHERE attempt IS NOT NULL;
CREATE UNIQUE INDEX files_once ON files (path, kind, sha256, host, coalesce(batch, ''));
CREATE TRIGGER attempts_move BEFORE UPDATE OF state, charged ON attempts WHEN (OLD.state <> NEW.state AND CASE OLD.state WHEN 'open' THEN NOT (NEW.state = 'accepted' OR NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside' OR NEW.state = 'uncharged') WHEN 'accepted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'doubt' OR NEW.state = 'doubt_beside' OR NEW.state = 'released') WHEN 'doubt' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retried' OR NEW.state = 'released' OR NEW.state = 'doubt_beside') WHEN 'answered' THEN NOT (NEW.state = 'replaced' OR NEW.state = 'retracted' OR NEW.state = 'erased') WHEN 'replaced' THEN NOT (NEW.state = 'answered' OR NEW.state = 'retracted' OR NEW.state = 'erased') WHEN 'retried' THEN NOT (NEW.state = 'doubt' OR NEW.state = 'released' OR NEW.state = 'answered' OR NEW.state = 'replaced') WHEN 'doubt_beside' THEN NOT (NEW.state = 'answered' OR NEW.state = 'replaced' OR NEW.state = 'released') WHEN 'uncharged' THEN 1 = 1 WHEN 'released' THEN 1 = 1 WHEN 'retracted' THEN NOT (NEW.state = 'answered' OR NEW.state = 'erased') WHEN 'erased' THEN 1 = 1 END) OR OLD.charged > NEW.charged BEGIN SELECT RAISE(ABORT, 'money rule: an attempt moves as the protocol says, and what was charged is never less'); END;
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
