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
INSERT INTO meta VALUES ('identity', 'e06363e603ce0caf2999d495036cbd52');
INSERT INTO meta VALUES ('secret', '52f2c783449a6eacc8df669c398373ab49692f3bc2c8f8826f52da10f2ab07d7');
INSERT INTO meta VALUES ('numbers', '80000');
INSERT INTO workers VALUES (1, 'desk', 8529, 'rowonce run companies.yaml companies.csv --yes --as Ann --max-pause 1s -o companies-out.csv', 'Ann', 1796015804248, 1796015805091, 1796015805091, 0, '[]');
INSERT INTO workers VALUES (2, 'desk', 8570, 'rowonce run people.yaml people.csv --yes --as Ann --max-pause 1s -o people-out.csv', 'Ann', 1796015806300, 1796015808228, 1796015808228, 0, '[]');
INSERT INTO workers VALUES (3, 'desk', 8682, 'rowonce run team.yaml team.csv --yes --as Ann --max-pause 1s -o team-out.csv', 'Ann', 1796015808828, 1796015809809, 1796015809809, 0, '[]');
INSERT INTO workers VALUES (4, 'desk', 8761, 'forget', 'Ann', 1796015810552, 1796015810588, 1796015810588, 0, '[]');
INSERT INTO workers VALUES (5, 'desk', 8761, 'forget', 'Ann', 1796015810596, 1796015810647, 1796015810647, 0, '[]');
INSERT INTO workers VALUES (6, 'desk', 8803, 'rowonce run companies.yaml companies.csv --yes --as Ann --max-pause 1s -o companies-out.csv', 'Ann', 1796015811568, 1796015812142, 1796015812142, 0, '[]');
INSERT INTO workers VALUES (7, 'desk', 8866, 'rowonce run people.yaml people.csv --yes --as Ann --max-pause 1s -o people-out.csv', 'Ann', 1796015812559, 1796015813787, 1796015813787, 0, '[]');
INSERT INTO workers VALUES (8, 'desk', 8968, 'rowonce run team.yaml team.csv --yes --as Ann --max-pause 1s -o team-out.csv', 'Ann', 1796015814181, 1796015814606, 1796015814606, 0, '[]');
INSERT INTO accounts VALUES (1, '["id","data"]', NULL, NULL, NULL, 1796015804000, NULL, '{}');
INSERT INTO accounts VALUES (2, '["id","first"]', NULL, NULL, NULL, 1796015806000, NULL, '{}');
INSERT INTO accounts VALUES (3, '["id","second"]', NULL, NULL, NULL, 1796015806000, NULL, '{}');
INSERT INTO accounts VALUES (4, '["id","team"]', NULL, NULL, NULL, 1796015809000, NULL, '{}');
INSERT INTO known_as VALUES (1, 'address', '["provider","http://127.0.0.1:41127",null,null]');
INSERT INTO known_as VALUES (4, 'address', '["service","http://127.0.0.1:46605","org-1",null]');
INSERT INTO known_as VALUES (1, 'id', 'data');
INSERT INTO known_as VALUES (2, 'id', 'first');
INSERT INTO known_as VALUES (3, 'id', 'second');
INSERT INTO known_as VALUES (4, 'id', 'team');
INSERT INTO known_as VALUES (1, 'name', 'data');
INSERT INTO known_as VALUES (2, 'name', 'first');
INSERT INTO known_as VALUES (3, 'name', 'second');
INSERT INTO known_as VALUES (4, 'name', 'team');
INSERT INTO budgets VALUES ('batch:cc18121a', 50, 0, 2, 1, 0);
INSERT INTO budgets VALUES ('extra:cc18121a', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:cc18121a:1', NULL, 0, 2, 1, 0);
INSERT INTO budgets VALUES ('day:1:20787', NULL, 0, 10, 1, 0);
INSERT INTO budgets VALUES ('month:1:202611', NULL, 0, 10, 1, 0);
INSERT INTO budgets VALUES ('batch:a47a607b', 50, 0, 11, 6, 0);
INSERT INTO budgets VALUES ('extra:a47a607b', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:a47a607b:2', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('share:a47a607b:3', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('share:a47a607b:1', NULL, 0, 8, 0, 0);
INSERT INTO budgets VALUES ('day:2:20787', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('month:2:202611', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('day:3:20787', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('month:3:202611', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('batch:9ce4658c', 0, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('extra:9ce4658c', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:9ce4658c:4', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('day:4:20787', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('month:4:202611', NULL, 0, 0, 0, 0);
INSERT INTO batches VALUES ('cc18121a', 1, 'd7ed40219d6aaa3fdec6b646b425e797bf7235640ea06406303a3a1cbea4e379', 1, '23cbea5b7644c3813d65e63ba5ce29498950ffd272a4faf8a44ec52ac2bf30ea', 1, 'enrich-company', 'finished', 1796015804296, NULL, NULL, NULL, 0, '{"accountName":"data","vendor":"provider","inputPath":"/home/ann/companies.csv","inputSha256":"592b747d3c4ccd7dfd6b1841a4172b9b5f078299fa0847dfe2eea1f3d1cad7fa","header":["No","Website","Note"],"inputRows":7,"settings":{"job":"/home/ann/companies.yaml","columns":{"domain":"Website"},"add":{"Company":"name","City":"city"},"answer_at":{"gives":{"name":"name","city":"city"},"byKind":true},"output_path":"/home/ann/companies-out.csv","shared_hosts":{},"by_kind":true,"buysAgain":{"[\"id\",\"data\"]":62549646}},"run":{"worker":6,"pid":8803},"startedAtMs":1796015811729,"isSubmitted":true,"outputPath":"/home/ann/companies-out.csv","outputSha256":"d693b86b73955390fc71a87cc970d1be7cffbf1a648fdb7af38811f2de77aa11"}', NULL);
INSERT INTO batches VALUES ('a47a607b', 2, 'ffee87d9c4f02868ca8613445abfce32308cbd06a745f008d69303b333eab37c', 1, '3edda046bfaffaa9c91cc9ded427c2e4e4696da4c8bfb823da4fc17f9f86e7b8', 2, 'find-email,enrich-person', 'open', 1796015806533, NULL, NULL, NULL, 0, '{"accountName":"first","vendor":"provider","inputPath":"/home/ann/people.csv","inputSha256":"f6a07bd9648d9500b7434ee2a50edbef520f2c672276c4fde99bc370b8d10a9a","header":["First","Last","Website","Email"],"inputRows":7,"settings":{"job":"/home/ann/people.yaml","columns":{"find-email.first_name":"First","find-email.last_name":"Last","find-email.domain":"Website","enrich-person.email":"Email"},"add":{"Email":"find-email.email","Title":"enrich-person.job_title"},"on_existing":"fill","answer_at":{"steps":{"find-email":{"accounts":{"[\"id\",\"first\"]":{"gives":{"email":"data.email"},"byKind":true},"[\"id\",\"second\"]":{"gives":{"email":"data.email"},"byKind":true}}},"enrich-person":{"gives":{"job_title":"title"},"byKind":true}}},"output_path":"/home/ann/people-out.csv","shared_hosts":{},"by_kind":true,"buysAgain":{"[\"id\",\"first\"]":62549646,"[\"id\",\"second\"]":62549646,"[\"id\",\"data\"]":62549646}},"run":{"worker":7,"pid":8866},"startedAtMs":1796015812610,"isSubmitted":true,"outputPath":"/home/ann/people-out.csv","outputSha256":"3d1bdee49f6cfe53349e9473fe95c7cb7627a674c13e435a6a2bc5324e81c78f"}', NULL);
INSERT INTO batches VALUES ('9ce4658c', 3, '1eebb02eef2ef4e09a4a82f93113f630d7ec288baf9da152ee94d3a705e86711', 1, '5ff7ebb28a7c23a92b21fe82c6ece09eba8db8b8f469555d3617c73e1df33eb8', 4, 'onboard', 'finished', 1796015809010, NULL, NULL, NULL, 0, '{"accountName":"team","vendor":"service","inputPath":"/home/ann/team.csv","inputSha256":"bb83dbf4ab71f43b107f2afbb3abb40c3255403dbcb27a1e230fa092764b1a83","header":["Email","Project","Role"],"inputRows":3,"settings":{"job":"/home/ann/team.yaml","columns":{"email":"Email","role":"Role","project_id":"Project"},"output_path":"/home/ann/team-out.csv","shared_hosts":{},"by_kind":true,"buysAgain":{"[\"id\",\"team\"]":131512252}},"plannedRows":3,"run":{"worker":8,"pid":8968},"startedAtMs":1796015814301,"isSubmitted":true,"outputPath":"/home/ann/team-out.csv","outputSha256":"c676ef62e08f938dafab9fd566aac18fb1f8227abadded62eda9b6ef038b0f19"}', NULL);
INSERT INTO batch_accounts VALUES ('9ce4658c', 4, 0, 'team');
INSERT INTO batch_accounts VALUES ('a47a607b', 1, 2, 'data');
INSERT INTO batch_accounts VALUES ('a47a607b', 2, 0, 'first');
INSERT INTO batch_accounts VALUES ('a47a607b', 3, 1, 'second');
INSERT INTO batch_accounts VALUES ('cc18121a', 1, 0, 'data');
INSERT INTO subjects VALUES (1, 4, 'proj-1', 'ann@acme.com', 1, '{"email":"ann@acme.com","state":"invited","role":"viewer","inviteCode":"invite-1"}', '9ce4658c', 1796015809283);
INSERT INTO subjects VALUES (2, 4, 'proj-1', 'bob@acme.com', 1, '{"email":"bob@acme.com","state":"invited","role":"editor","inviteCode":"invite-2"}', '9ce4658c', 1796015809337);
INSERT INTO notes VALUES (1, 1796015804299, 'begun', NULL, NULL, 'cc18121a', NULL, 1, 'person', '', NULL);
INSERT INTO notes VALUES (2, 1796015806542, 'begun', NULL, NULL, 'a47a607b', NULL, 2, 'person', '', NULL);
INSERT INTO notes VALUES (3, 1796015809013, 'begun', NULL, NULL, '9ce4658c', NULL, 3, 'person', '', NULL);
INSERT INTO notes VALUES (4, 1796015810610, 'erased', 'person', NULL, NULL, NULL, 5, 'person', '', NULL);
INSERT INTO notes VALUES (5, 1796015810610, 'forgot', NULL, NULL, NULL, 2, 5, 'person', '', NULL);
INSERT INTO notes VALUES (6, 1796015810610, 'forgot', NULL, NULL, NULL, 1, 5, 'person', '', NULL);
INSERT INTO notes VALUES (7, 1796015810610, 'forgot', NULL, NULL, NULL, NULL, 5, 'person', '044328e4d650e19cd071e6b53fb5c397d9ad7109f3ffe9c0adaecf4a043efc99', NULL);
INSERT INTO replies VALUES (1, 200, 1796015804544, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:44 GMT"}', X'7B226E616D65223A225468652061636D652E636F6D20436F6D70616E79222C2263697479223A225065727468227D', 0);
INSERT INTO replies VALUES (4, 404, 1796015804650, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:44 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (7, 422, 1796015804703, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:44 GMT"}', X'7B226572726F72223A225468697320646F6D61696E206973206E6F7420736572766564227D', 0);
INSERT INTO replies VALUES (13, 200, 1796015804808, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:44 GMT"}', X'7B226E616D65223A2254686520656D6265722D776F726B732E636F6D20436F6D70616E79222C2263697479223A225065727468227D', 0);
INSERT INTO replies VALUES (10001, 200, 1796015806774, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10002, 200, 1796015806776, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B2264617461223A7B22656D61696C223A22616E6E4061636D652E636F6D227D7D', 0);
INSERT INTO replies VALUES (10006, 404, 1796015806829, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10008, 200, 1796015806867, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10010, 404, 1796015806881, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10014, 200, 1796015806928, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B2264617461223A7B22656D61696C223A22626F6240656D6265722D776F726B732E636F6D227D7D', 0);
INSERT INTO replies VALUES (10013, 202, 1796015806928, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B226A6F62223A226A6F622D64616E227D', 0);
INSERT INTO replies VALUES (10018, 404, 1796015806999, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:46 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10021, 200, 1796015807002, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 05:16:47 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10024, 200, 1796015807048, '{}', X'', 0);
INSERT INTO replies VALUES (10028, 200, 1796015807089, '{}', X'', 0);
INSERT INTO replies VALUES (20001, 200, 1796015809256, '{"content-type":"application/json","x-request-id":"sandbox-1","date":"Mon, 30 Nov 2026 05:16:49 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D31227D', 0);
INSERT INTO replies VALUES (20004, 200, 1796015809332, '{"content-type":"application/json","x-request-id":"sandbox-2","date":"Mon, 30 Nov 2026 05:16:49 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D32227D', 0);
INSERT INTO attempts VALUES (1, 1, X'6C1BCA7A731CBB66A4594EC955CDE36A', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"acme.com"},"ifLost":"hold"}', -1, 'cc18121a', 2, 20787, 202611, 1, 1796015804504, 1796015874506, NULL, NULL, NULL, NULL, NULL, NULL, 5, 1796015804633, 'found', 1, 0, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (4, 1, X'0AA0FE712433C991F53BE4B8D4D146C8', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"miss-bunya.com"},"ifLost":"hold"}', -1, 'cc18121a', 3, 20787, 202611, 1, 1796015804635, 1796015874636, NULL, NULL, NULL, NULL, NULL, NULL, 8, 1796015804658, 'no_match', 0, 0, '[{"code":"answer","facts":{"status":404,"words":"No match"}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (7, 1, X'3356AB26FFD7966DE913055759391FBE', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"refused-coast.com"},"ifLost":"hold"}', -1, 'cc18121a', 4, 20787, 202611, 1, 1796015804659, 1796015874674, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1796015804716, 'refused', 0, 0, '[{"code":"answer","facts":{"status":422,"words":"This domain is not served"}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10, 1, X'02F8F925E1DFFD174618AED0FAC08E6C', 'doubt', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"lost-drift.com"},"ifLost":"hold"}', -1, 'cc18121a', 5, 20787, 202611, 1, 1796015804717, 1796015874718, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1796015804745, NULL, NULL, 0, '[{"code":"answer_lost","facts":{"how":"none_came","words":"other side closed"}}]', NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (13, 1, X'974B92FDFDED809F8E69B8825FD84F1B', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"ember-works.com"},"ifLost":"hold"}', -1, 'cc18121a', 8, 20787, 202611, 1, 1796015804768, 1796015874771, NULL, NULL, NULL, NULL, NULL, NULL, 16, 1796015804818, 'found', 1, 0, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10001, 2, X'397A0237EEC4720EEB42027242046013', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"flo@acme.com"},"ifLost":"hold"}', -1, 'a47a607b', 7, 20787, 202611, 2, 1796015806732, 1796015876735, NULL, NULL, NULL, NULL, NULL, NULL, 10007, 1796015806792, 'found', 2, 1, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10002, 2, X'1DCBF1E20CB5875AD323FA8AF8281C37', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Ann","last_name":"Lee","domain":"acme.com"},"ifLost":"hold"}', -1, 'a47a607b', 2, 20787, 202611, 3, 1796015806733, 1796015876735, NULL, NULL, NULL, NULL, NULL, NULL, 10007, 1796015806804, 'found', 1, 1, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10006, 2, X'EC24B375886B54878AFD2B7E5310919F', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Bob","last_name":"Poe","domain":"ember-works.com"},"ifLost":"hold"}', -1, 'a47a607b', 3, 20787, 202611, 3, 1796015806805, 1796015876808, NULL, NULL, NULL, NULL, NULL, NULL, 10011, 1796015806844, 'no_match', 0, 0, '[{"code":"answer","facts":{"status":404,"words":"No match"}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10008, 2, X'212ADDAB6A8DAB94D563E6DC9CA17F6F', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"ann@acme.com"},"ifLost":"hold"}', -1, 'a47a607b', 2, 20787, 202611, 2, 1796015806818, 1796015876830, NULL, NULL, NULL, NULL, NULL, NULL, 10015, 1796015806888, 'found', 2, 1, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10010, 2, X'13963BC715AD12B54E9FBC65062E8CAC', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Cat","last_name":"Roy","domain":"bunya-mill.com"},"ifLost":"hold"}', -1, 'a47a607b', 4, 20787, 202611, 3, 1796015806845, 1796015876854, NULL, NULL, NULL, NULL, NULL, NULL, 10015, 1796015806892, 'no_match', 0, 0, '[{"code":"answer","facts":{"status":404,"words":"No match"}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10013, 2, X'8A76C4C78D0FAD25C55526F909D5CF86', 'accepted', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Dan","last_name":"Ngata","domain":"coast-line.com"},"ifLost":"hold"}', -1, 'a47a607b', 5, 20787, 202611, 3, 1796015806892, 1796015876899, NULL, NULL, NULL, NULL, NULL, NULL, 10015, 1796015806948, NULL, NULL, 0, '[{"code":"accepted_as","facts":{"id":"job-dan"}}]', NULL, NULL, NULL, 'job-dan', '/jobs/{id}', 0);
INSERT INTO attempts VALUES (10014, 2, X'2DDDB1EE86353F1B386E4B3176F62B34', 'answered', 1, 'first', 3, 'find-email', '{"parameters":{"first_name":"Bob","last_name":"Poe","domain":"ember-works.com"},"ifLost":"hold"}', -1, 'a47a607b', 3, 20787, 202611, 3, 1796015806899, 1796015876899, NULL, NULL, NULL, NULL, NULL, NULL, 10020, 1796015806947, 'found', 1, 1, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10018, 2, X'9A1B53D466C1CF00347A936707500F9D', 'answered', 1, 'first', 3, 'find-email', '{"parameters":{"first_name":"Cat","last_name":"Roy","domain":"bunya-mill.com"},"ifLost":"hold"}', -1, 'a47a607b', 4, 20787, 202611, 3, 1796015806956, 1796015876966, NULL, NULL, NULL, NULL, NULL, NULL, 10025, 1796015807024, 'no_match', 0, 0, '[{"code":"answer","facts":{"status":404,"words":"No match"}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10019, 2, X'21A3977A08B1A0B2295D9025548FC200', 'doubt', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Eve","last_name":"Chen","domain":"drift-wood.com"},"ifLost":"hold"}', -1, 'a47a607b', 6, 20787, 202611, 3, 1796015806956, 1796015876966, NULL, NULL, NULL, NULL, NULL, NULL, 10020, 1796015807001, NULL, NULL, 0, '[{"code":"answer_lost","facts":{"how":"none_came","words":"other side closed"}}]', NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10021, 2, X'FA134BBB0BAC21DE6FFBC5BCC50EF09C', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"bob@ember-works.com"},"ifLost":"hold"}', -1, 'a47a607b', 3, 20787, 202611, 2, 1796015806984, 1796015876988, NULL, NULL, NULL, NULL, NULL, NULL, 10025, 1796015807024, 'found', 2, 1, '[{"code":"answer","facts":{"status":200}}]', 62549646, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10024, 2, X'554B707CE7A5A37F786F3652273CB316', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{},"ifLost":"hold"}', -1, 'a47a607b', 8, 20787, 202611, 3, 1796015807024, 1796015877035, NULL, NULL, NULL, NULL, NULL, NULL, 10027, 1796015807052, 'found', 1, 1, '[{"code":"erased","facts":{}}]', 62549646, 0, 1796015810610, NULL, NULL, 0);
INSERT INTO attempts VALUES (10028, 2, X'752D3F5E0EDD0AB5CAFC8B2B42F75E33', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{},"ifLost":"hold"}', -1, 'a47a607b', 8, 20787, 202611, 2, 1796015807073, 1796015877074, NULL, NULL, NULL, NULL, NULL, NULL, 10031, 1796015807092, 'found', 2, 1, '[{"code":"erased","facts":{}}]', 62549646, 0, 1796015810610, NULL, NULL, 0);
INSERT INTO attempts VALUES (20001, 3, X'6688D79CC3DAC75BD7ED8BAE7A838B8C', 'answered', 1, 'first', 4, 'create-invite', '{"parameters":{"role":"viewer","email":"ann@acme.com"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"ann@acme.com"},"leaves":{"email":"ann@acme.com","state":"invited","role":"viewer"},"already":{"email":"ann@acme.com"}},"project":"proj-1","after":0}', -1, '9ce4658c', 2, 20787, 202611, 0, 1796015809214, 1796015879218, NULL, NULL, NULL, NULL, 1, 0, 20005, 1796015809283, 'found', 0, 0, '[{"code":"answer","facts":{"status":200}}]', 131512252, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (20004, 3, X'DE9AE8C447D4567DCD1D48FA8082D26C', 'answered', 1, 'first', 4, 'create-invite', '{"parameters":{"role":"editor","email":"bob@acme.com"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"bob@acme.com"},"leaves":{"email":"bob@acme.com","state":"invited","role":"editor"},"already":{"email":"bob@acme.com"}},"project":"proj-1","after":0}', -1, '9ce4658c', 3, 20787, 202611, 0, 1796015809285, 1796015879289, NULL, NULL, NULL, NULL, 2, 0, 20008, 1796015809337, 'found', 0, 0, '[{"code":"answer","facts":{"status":200}}]', 131512252, 0, NULL, NULL, NULL, 0);
INSERT INTO rows VALUES ('9ce4658c', 2, 'applied', 20001, NULL, NULL, '[{"code":"invited","facts":{"role":"viewer","project":"proj-1"}}]', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"ann@acme.com"},"to":"viewer","action":"invite","email":"ann@acme.com","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"ann@acme.com","role":"viewer"}}}', NULL);
INSERT INTO rows VALUES ('9ce4658c', 3, 'applied', 20004, NULL, NULL, '[{"code":"invited","facts":{"role":"editor","project":"proj-1"}}]', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"bob@acme.com"},"to":"editor","action":"invite","email":"bob@acme.com","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"bob@acme.com","role":"editor"}}}', NULL);
INSERT INTO rows VALUES ('9ce4658c', 4, 'invalid', NULL, NULL, NULL, '[{"code":"not_an_email","facts":{"input":"email","cell":"not an address"}}]', '{"kind":"end","outcome":{"kind":"invalid","findings":[{"code":"not_an_email","facts":{"input":"email","cell":"not an address"}}]}}', NULL);
INSERT INTO rows VALUES ('a47a607b', 2, 'matched', 10008, '[10002]', 'first_name+last_name+domain; email', NULL, NULL, '[10002,10008]');
INSERT INTO rows VALUES ('a47a607b', 3, 'matched', 10021, '[10006,10014]', 'first_name+last_name+domain; email', NULL, NULL, '[10014,10021]');
INSERT INTO rows VALUES ('a47a607b', 4, 'no_match', 10018, '[10010]', NULL, '[{"code":"no_match","step":"find-email","account":"first","facts":{"by":["first_name+last_name+domain"]}},{"code":"no_match","step":"find-email","account":"second","facts":{"by":["first_name+last_name+domain"]}}]', NULL, '[]');
INSERT INTO rows VALUES ('a47a607b', 5, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows VALUES ('a47a607b', 6, 'in_doubt', 10019, NULL, NULL, '[{"code":"in_doubt","step":"find-email","facts":{"since":"2026-11-30T05:16:46.956Z","credits":3}},{"code":"answer_lost","step":"find-email","facts":{"how":"none_came","words":"other side closed"}}]', NULL, '[]');
INSERT INTO rows VALUES ('a47a607b', 7, 'matched', 10001, NULL, 'email', NULL, NULL, '[10001]');
INSERT INTO rows VALUES ('a47a607b', 8, 'matched', 10028, '[10024]', 'first_name+last_name+domain; email', '[{"code":"erased_on","facts":{"date":"2026-11-30"}}]', NULL, '[10024,10028]');
INSERT INTO rows VALUES ('cc18121a', 2, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('cc18121a', 3, 'no_match', 4, NULL, NULL, '[{"code":"no_match","facts":{"by":["domain"]}}]', NULL, NULL);
INSERT INTO rows VALUES ('cc18121a', 4, 'refused', 7, NULL, NULL, '[{"code":"refused","facts":{"by":"domain","status":422,"words":"This domain is not served"}}]', NULL, NULL);
INSERT INTO rows VALUES ('cc18121a', 5, 'in_doubt', 10, NULL, NULL, '[{"code":"in_doubt","facts":{"since":"2026-11-30T05:16:44.717Z","credits":1}},{"code":"answer_lost","facts":{"how":"none_came","words":"other side closed"}}]', NULL, NULL);
INSERT INTO rows VALUES ('cc18121a', 6, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('cc18121a', 7, 'invalid', NULL, NULL, NULL, '[{"code":"nothing_usable","facts":{}},{"code":"blank","facts":{"input":"domain"}}]', NULL, NULL);
INSERT INTO rows VALUES ('cc18121a', 8, 'matched', 13, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO cells VALUES ('9ce4658c', 2, '{"cells":["ann@acme.com","proj-1","viewer"]}');
INSERT INTO cells VALUES ('9ce4658c', 3, '{"cells":["bob@acme.com","proj-1","editor"]}');
INSERT INTO cells VALUES ('9ce4658c', 4, '{"cells":["not an address","proj-1","viewer"]}');
INSERT INTO cells VALUES ('a47a607b', 2, '{"cells":["Ann","Lee","acme.com",""]}');
INSERT INTO cells VALUES ('a47a607b', 3, '{"cells":["Bob","Poe","ember-works.com",""]}');
INSERT INTO cells VALUES ('a47a607b', 4, '{"cells":["Cat","Roy","bunya-mill.com",""]}');
INSERT INTO cells VALUES ('a47a607b', 5, '{"cells":["Dan","Ngata","coast-line.com",""]}');
INSERT INTO cells VALUES ('a47a607b', 6, '{"cells":["Eve","Chen","drift-wood.com",""]}');
INSERT INTO cells VALUES ('a47a607b', 7, '{"cells":["Flo","Ray","acme.com","flo@acme.com"]}');
INSERT INTO cells VALUES ('cc18121a', 2, '{"cells":["1","acme.com","ours"]}');
INSERT INTO cells VALUES ('cc18121a', 3, '{"cells":["2","miss-bunya.com",""]}');
INSERT INTO cells VALUES ('cc18121a', 4, '{"cells":["3","refused-coast.com",""]}');
INSERT INTO cells VALUES ('cc18121a', 5, '{"cells":["4","lost-drift.com","he said \"yes\""]}');
INSERT INTO cells VALUES ('cc18121a', 6, '{"cells":["5","ACME.com","twice"]}');
INSERT INTO cells VALUES ('cc18121a', 7, '{"cells":["6","","no address"]}');
INSERT INTO cells VALUES ('cc18121a', 8, '{"cells":["7","ember-works.com",""]}');
INSERT INTO files VALUES ('/home/ann/companies.csv', 'list', '592b747d3c4ccd7dfd6b1841a4172b9b5f078299fa0847dfe2eea1f3d1cad7fa', 'cc18121a', 'desk');
INSERT INTO files VALUES ('/home/ann/companies.yaml', 'job', '', 'cc18121a', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.csv', 'written', 'd693b86b73955390fc71a87cc970d1be7cffbf1a648fdb7af38811f2de77aa11', 'cc18121a', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.needs-attention.csv', 'written', '5c04a7cba59bdbb2e2baff3b97267934dda045b2acacc77b51860d46e3108679', 'cc18121a', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.report.html', 'written', '8b7a4ef25c44a83a0d98ab0c3b649fd9f9d982dc98ebc9b6577e53c915b4843e', 'cc18121a', 'desk');
INSERT INTO files VALUES ('/home/ann/people.csv', 'list', 'f6a07bd9648d9500b7434ee2a50edbef520f2c672276c4fde99bc370b8d10a9a', 'a47a607b', 'desk');
INSERT INTO files VALUES ('/home/ann/people.yaml', 'job', '', 'a47a607b', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.needs-attention.csv', 'written', '4ece40c5fc6e4bcc62bc47fc26a531d8b647d5332a01f80767562ade7b0b8908', 'a47a607b', 'desk');
INSERT INTO files VALUES ('/home/ann/team.csv', 'list', 'bb83dbf4ab71f43b107f2afbb3abb40c3255403dbcb27a1e230fa092764b1a83', '9ce4658c', 'desk');
INSERT INTO files VALUES ('/home/ann/team.yaml', 'job', '', '9ce4658c', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.csv', 'written', 'c676ef62e08f938dafab9fd566aac18fb1f8227abadded62eda9b6ef038b0f19', '9ce4658c', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.needs-attention.csv', 'written', 'c4953d36ad2b8c3ca76738ac976de22b2e81dd91a0dac4e78cdfdf84debdabd3', '9ce4658c', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.report.html', 'written', 'fec23237af52efd7aa1667393444f8380a2a13db605e17787bdd6b4a80645041', '9ce4658c', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.csv', 'written', '3d1bdee49f6cfe53349e9473fe95c7cb7627a674c13e435a6a2bc5324e81c78f', 'a47a607b', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.report.html', 'written', 'ddcf4103a611bcb62ad3543d48fd4a9ad2047b1e4e4c778aba28c4432e5eb813', 'a47a607b', 'desk');
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
