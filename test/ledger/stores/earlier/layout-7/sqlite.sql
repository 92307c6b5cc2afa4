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
  UNIQUE (key, generation),
  UNIQUE (id, account)
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
  reason TEXT,
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
INSERT INTO steps VALUES (7);
INSERT INTO meta VALUES ('identity', '32a3e91aa3be97efc66fcbd3d884f8d5');
INSERT INTO meta VALUES ('secret', '7f714082c5f0a145cb82ba0f85139b60dac2ef4c7944a15477405afd1c48f902');
INSERT INTO meta VALUES ('numbers', '80000');
INSERT INTO workers VALUES (1, 'desk', 26303, 'rowonce run companies.yaml companies.csv --yes --as Ann --max-pause 1s -o companies-out.csv', 'Ann', 1796004856798, 1796004858878, 1796004858878, 0, '[]');
INSERT INTO workers VALUES (2, 'desk', 26390, 'rowonce run people.yaml people.csv --yes --as Ann --max-pause 1s -o people-out.csv', 'Ann', 1796004860554, 1796004863858, 1796004863858, 0, '[]');
INSERT INTO workers VALUES (3, 'desk', 26553, 'rowonce run team.yaml team.csv --yes --as Ann --max-pause 1s -o team-out.csv', 'Ann', 1796004865695, 1796004866733, 1796004866733, 0, '[]');
INSERT INTO workers VALUES (4, 'desk', 26638, 'forget', 'Ann', 1796004867694, 1796004867816, 1796004867816, 0, '[]');
INSERT INTO workers VALUES (5, 'desk', 26638, 'forget', 'Ann', 1796004867865, 1796004868061, 1796004868061, 0, '[]');
INSERT INTO workers VALUES (6, 'desk', 26689, 'rowonce run companies.yaml companies.csv --yes --as Ann --max-pause 1s -o companies-out.csv', 'Ann', 1796004869093, 1796004870216, 1796004870216, 0, '[]');
INSERT INTO workers VALUES (7, 'desk', 26738, 'rowonce run people.yaml people.csv --yes --as Ann --max-pause 1s -o people-out.csv', 'Ann', 1796004871070, 1796004873088, 1796004873088, 0, '[]');
INSERT INTO workers VALUES (8, 'desk', 26795, 'rowonce run team.yaml team.csv --yes --as Ann --max-pause 1s -o team-out.csv', 'Ann', 1796004875473, 1796004876407, 1796004876407, 0, '[]');
INSERT INTO accounts VALUES (1, '["id","data"]', NULL, NULL, NULL, 1796004857000, NULL, '{}');
INSERT INTO accounts VALUES (2, '["id","first"]', NULL, NULL, NULL, 1796004861000, NULL, '{}');
INSERT INTO accounts VALUES (3, '["id","second"]', NULL, NULL, NULL, 1796004862000, NULL, '{}');
INSERT INTO accounts VALUES (4, '["id","team"]', NULL, NULL, NULL, 1796004866000, NULL, '{}');
INSERT INTO known_as VALUES (1, 'address', '["provider","http://127.0.0.1:42489",null,null]');
INSERT INTO known_as VALUES (4, 'address', '["service","http://127.0.0.1:36561","org-1",null]');
INSERT INTO known_as VALUES (1, 'id', 'data');
INSERT INTO known_as VALUES (2, 'id', 'first');
INSERT INTO known_as VALUES (3, 'id', 'second');
INSERT INTO known_as VALUES (4, 'id', 'team');
INSERT INTO known_as VALUES (1, 'name', 'data');
INSERT INTO known_as VALUES (2, 'name', 'first');
INSERT INTO known_as VALUES (3, 'name', 'second');
INSERT INTO known_as VALUES (4, 'name', 'team');
INSERT INTO budgets VALUES ('batch:39be50a7', 50, 0, 2, 1, 0);
INSERT INTO budgets VALUES ('extra:39be50a7', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:39be50a7:1', NULL, 0, 2, 1, 0);
INSERT INTO budgets VALUES ('day:1:20787', NULL, 0, 10, 1, 0);
INSERT INTO budgets VALUES ('month:1:202611', NULL, 0, 10, 1, 0);
INSERT INTO budgets VALUES ('batch:5f474b28', 50, 0, 11, 6, 0);
INSERT INTO budgets VALUES ('extra:5f474b28', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:5f474b28:2', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('share:5f474b28:3', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('share:5f474b28:1', NULL, 0, 8, 0, 0);
INSERT INTO budgets VALUES ('day:2:20787', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('month:2:202611', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('day:3:20787', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('month:3:202611', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('batch:dfac1e32', 0, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('extra:dfac1e32', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:dfac1e32:4', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('day:4:20787', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('month:4:202611', NULL, 0, 0, 0, 0);
INSERT INTO batches VALUES ('39be50a7', 1, 'd7ed40219d6aaa3fdec6b646b425e797bf7235640ea06406303a3a1cbea4e379', 1, '86e00ee5f8ad11d22cb69e6f517d53925e4d14fa75ea2e79bd6afc04df0c3016', 1, 'enrich-company', 'finished', 1796004857257, NULL, NULL, NULL, 0, '{"accountName":"data","vendor":"provider","inputPath":"/home/ann/companies.csv","inputSha256":"592b747d3c4ccd7dfd6b1841a4172b9b5f078299fa0847dfe2eea1f3d1cad7fa","header":["No","Website","Note"],"inputRows":7,"settings":{"job":"/home/ann/companies.yaml","columns":{"domain":"Website"},"add":{"Company":"name","City":"city"},"answer_at":{"gives":{"name":"name","city":"city"}},"output_path":"/home/ann/companies-out.csv","buysAgain":{"[\"id\",\"data\"]":222114691}},"run":{"worker":6,"pid":26689},"startedAtMs":1796004869293,"isSubmitted":true,"outputPath":"/home/ann/companies-out.csv","outputSha256":"dd0d9bca6248b65f2ae1d41a676e2952f29e003f339ac8c80705d6473cfc84d4"}', NULL);
INSERT INTO batches VALUES ('5f474b28', 2, 'ffee87d9c4f02868ca8613445abfce32308cbd06a745f008d69303b333eab37c', 1, '3e049d8216067b49c1be274b12b635f214bfb454b5b192451bc9e8e6f309feb6', 2, 'find-email,enrich-person', 'open', 1796004860795, NULL, NULL, NULL, 0, '{"accountName":"first","vendor":"provider","inputPath":"/home/ann/people.csv","inputSha256":"f6a07bd9648d9500b7434ee2a50edbef520f2c672276c4fde99bc370b8d10a9a","header":["First","Last","Website","Email"],"inputRows":7,"settings":{"job":"/home/ann/people.yaml","columns":{"find-email.first_name":"First","find-email.last_name":"Last","find-email.domain":"Website","enrich-person.email":"Email"},"add":{"Email":"find-email.email","Title":"enrich-person.job_title"},"on_existing":"fill","answer_at":{"steps":{"find-email":{"accounts":{"[\"id\",\"first\"]":{"gives":{"email":"data.email"}},"[\"id\",\"second\"]":{"gives":{"email":"data.email"}}}},"enrich-person":{"gives":{"job_title":"title"}}}},"output_path":"/home/ann/people-out.csv","buysAgain":{"[\"id\",\"first\"]":222114691,"[\"id\",\"second\"]":222114691,"[\"id\",\"data\"]":222114691}},"run":{"worker":7,"pid":26738},"startedAtMs":1796004871241,"isSubmitted":true,"outputPath":"/home/ann/people-out.csv","outputSha256":"d3b168aa34ff267f715f79b6f228f4440c2b291ffe1983d039425b0b0e9180d9"}', NULL);
INSERT INTO batches VALUES ('dfac1e32', 3, '1eebb02eef2ef4e09a4a82f93113f630d7ec288baf9da152ee94d3a705e86711', 1, '30b16cac6d0e627c35c752ec1db99cd805c51d9a2d29a09a3f6abc144dc8ffe6', 4, 'onboard', 'finished', 1796004865861, NULL, NULL, NULL, 0, '{"accountName":"team","vendor":"service","inputPath":"/home/ann/team.csv","inputSha256":"bb83dbf4ab71f43b107f2afbb3abb40c3255403dbcb27a1e230fa092764b1a83","header":["Email","Project","Role"],"inputRows":3,"settings":{"job":"/home/ann/team.yaml","columns":{"email":"Email","role":"Role","project_id":"Project"},"output_path":"/home/ann/team-out.csv","buysAgain":{"[\"id\",\"team\"]":30541089}},"plannedRows":3,"run":{"worker":8,"pid":26795},"startedAtMs":1796004875860,"isSubmitted":true,"outputPath":"/home/ann/team-out.csv","outputSha256":"76222d7a749159ec0895a2a4e73f4e2e836bf3e8868d4ea14c3cc9a4751855f6"}', NULL);
INSERT INTO batch_accounts VALUES ('39be50a7', 1, 0, 'data');
INSERT INTO batch_accounts VALUES ('5f474b28', 1, 2, 'data');
INSERT INTO batch_accounts VALUES ('5f474b28', 2, 0, 'first');
INSERT INTO batch_accounts VALUES ('5f474b28', 3, 1, 'second');
INSERT INTO batch_accounts VALUES ('dfac1e32', 4, 0, 'team');
INSERT INTO subjects VALUES (1, 4, 'proj-1', 'ann@acme.com', 1, '{"email":"ann@acme.com","state":"invited","role":"viewer","inviteCode":"invite-1"}', 'dfac1e32', 1796004866250);
INSERT INTO subjects VALUES (2, 4, 'proj-1', 'bob@acme.com', 1, '{"email":"bob@acme.com","state":"invited","role":"editor","inviteCode":"invite-2"}', 'dfac1e32', 1796004866314);
INSERT INTO notes VALUES (1, 1796004857273, 'begun', NULL, NULL, '39be50a7', NULL, 1, 'person', '', NULL);
INSERT INTO notes VALUES (2, 1796004860820, 'begun', NULL, NULL, '5f474b28', NULL, 2, 'person', '', NULL);
INSERT INTO notes VALUES (3, 1796004865865, 'begun', NULL, NULL, 'dfac1e32', NULL, 3, 'person', '', NULL);
INSERT INTO notes VALUES (4, 1796004867934, 'erased', 'person', NULL, NULL, NULL, 5, 'person', '', NULL);
INSERT INTO notes VALUES (5, 1796004867934, 'forgot', NULL, NULL, NULL, 2, 5, 'person', '', NULL);
INSERT INTO notes VALUES (6, 1796004867934, 'forgot', NULL, NULL, NULL, 1, 5, 'person', '', NULL);
INSERT INTO notes VALUES (7, 1796004867934, 'forgot', NULL, NULL, NULL, NULL, 5, 'person', 'e6f8592c6c81107e46a0f3a5ff8e806b78cd3fe77e4ed78fe9e642afe0faf364', NULL);
INSERT INTO replies VALUES (1, 200, 1796004857907, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:17 GMT"}', X'7B226E616D65223A225468652061636D652E636F6D20436F6D70616E79222C2263697479223A225065727468227D', 0);
INSERT INTO replies VALUES (4, 404, 1796004857985, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:17 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (7, 422, 1796004858056, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:18 GMT"}', X'7B226572726F72223A225468697320646F6D61696E206973206E6F7420736572766564227D', 0);
INSERT INTO replies VALUES (13, 200, 1796004858417, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:18 GMT"}', X'7B226E616D65223A2254686520656D6265722D776F726B732E636F6D20436F6D70616E79222C2263697479223A225065727468227D', 0);
INSERT INTO replies VALUES (10001, 200, 1796004861578, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:21 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10002, 200, 1796004861658, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:21 GMT"}', X'7B2264617461223A7B22656D61696C223A22616E6E4061636D652E636F6D227D7D', 0);
INSERT INTO replies VALUES (10006, 404, 1796004861833, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:21 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10008, 200, 1796004861844, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:21 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10011, 404, 1796004862131, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:22 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10014, 200, 1796004862131, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:22 GMT"}', X'7B2264617461223A7B22656D61696C223A22626F6240656D6265722D776F726B732E636F6D227D7D', 0);
INSERT INTO replies VALUES (10017, 202, 1796004862485, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:22 GMT"}', X'7B226A6F62223A226A6F622D64616E227D', 0);
INSERT INTO replies VALUES (10020, 404, 1796004862486, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:22 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10021, 200, 1796004862486, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:14:22 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10027, 200, 1796004862638, '{}', X'', 0);
INSERT INTO replies VALUES (10031, 200, 1796004862692, '{}', X'', 0);
INSERT INTO replies VALUES (20001, 200, 1796004866179, '{"content-type":"application/json","x-request-id":"sandbox-1","date":"Mon, 30 Nov 2026 02:14:26 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D31227D', 0);
INSERT INTO replies VALUES (20004, 200, 1796004866303, '{"content-type":"application/json","x-request-id":"sandbox-2","date":"Mon, 30 Nov 2026 02:14:26 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D32227D', 0);
INSERT INTO attempts VALUES (1, 1, X'823788AB8544E914C753135CBD76C254', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"acme.com"},"ifLost":"hold"}', -1, '39be50a7', 2, 20787, 202611, 1, 1796004857833, 1796004927835, NULL, NULL, NULL, NULL, NULL, NULL, 5, 1796004857967, 'found', 1, 0, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (4, 1, X'34F82A1B9CA401930F3EE99FDF061DD1', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"miss-bunya.com"},"ifLost":"hold"}', -1, '39be50a7', 3, 20787, 202611, 1, 1796004857969, 1796004927970, NULL, NULL, NULL, NULL, NULL, NULL, 8, 1796004857999, 'no_match', 0, 0, 'status 404, "No match"', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (7, 1, X'E72928EE5F188FCAC1266C84FCAF56AB', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"refused-coast.com"},"ifLost":"hold"}', -1, '39be50a7', 4, 20787, 202611, 1, 1796004858032, 1796004928033, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1796004858058, 'refused', 0, 0, 'status 422, "This domain is not served"', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10, 1, X'03A1C5EB55A7117B3F75185E8D464D3C', 'doubt', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"lost-drift.com"},"ifLost":"hold"}', -1, '39be50a7', 5, 20787, 202611, 1, 1796004858059, 1796004928060, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1796004858076, NULL, NULL, 0, 'no answer came (other side closed)', NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (13, 1, X'21CC43B3A8C488C7A371AE54CEAD55AD', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"ember-works.com"},"ifLost":"hold"}', -1, '39be50a7', 8, 20787, 202611, 1, 1796004858114, 1796004928206, NULL, NULL, NULL, NULL, NULL, NULL, 16, 1796004858478, 'found', 1, 0, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10001, 2, X'751A2FE7AD80C2D2E00C1CFD9D273FE1', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"flo@acme.com"},"ifLost":"hold"}', -1, '5f474b28', 7, 20787, 202611, 2, 1796004861527, 1796004931534, NULL, NULL, NULL, NULL, NULL, NULL, 10007, 1796004861679, 'found', 2, 1, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10002, 2, X'D6556BA4A98B12304311C5BCC4436A80', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Ann","last_name":"Lee","domain":"acme.com"},"ifLost":"hold"}', -1, '5f474b28', 2, 20787, 202611, 3, 1796004861530, 1796004931534, NULL, NULL, NULL, NULL, NULL, NULL, 10007, 1796004861735, 'found', 1, 1, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10006, 2, X'D05E8663CD4272864C4C88932654DCF2', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Bob","last_name":"Poe","domain":"ember-works.com"},"ifLost":"hold"}', -1, '5f474b28', 3, 20787, 202611, 3, 1796004861745, 1796004931746, NULL, NULL, NULL, NULL, NULL, NULL, 10012, 1796004861843, 'no_match', 0, 0, 'status 404, "No match"', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10008, 2, X'A0A5D1BA8552A2A7F730C60C34C4EC34', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"ann@acme.com"},"ifLost":"hold"}', -1, '5f474b28', 2, 20787, 202611, 2, 1796004861809, 1796004931811, NULL, NULL, NULL, NULL, NULL, NULL, 10013, 1796004861857, 'found', 2, 1, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10011, 2, X'2255B172F63B3FCE8C50581EFCA1BD9B', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Cat","last_name":"Roy","domain":"bunya-mill.com"},"ifLost":"hold"}', -1, '5f474b28', 4, 20787, 202611, 3, 1796004861843, 1796004931856, NULL, NULL, NULL, NULL, NULL, NULL, 10019, 1796004862140, 'no_match', 0, 0, 'status 404, "No match"', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10014, 2, X'265D7FFA85B5B73F2BE0CFEF430EB259', 'answered', 1, 'first', 3, 'find-email', '{"parameters":{"first_name":"Bob","last_name":"Poe","domain":"ember-works.com"},"ifLost":"hold"}', -1, '5f474b28', 3, 20787, 202611, 3, 1796004861924, 1796004931932, NULL, NULL, NULL, NULL, NULL, NULL, 10019, 1796004862403, 'found', 1, 1, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10017, 2, X'00551ED5494E4D01646DC203958AF763', 'accepted', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Dan","last_name":"Ngata","domain":"coast-line.com"},"ifLost":"hold"}', -1, '5f474b28', 5, 20787, 202611, 3, 1796004862141, 1796004932404, NULL, NULL, NULL, NULL, NULL, NULL, 10019, 1796004862493, NULL, NULL, 0, 'the vendor answers later, by its id "job-dan"', NULL, NULL, NULL, 'job-dan', '/jobs/{id}', 0);
INSERT INTO attempts VALUES (10020, 2, X'CB99D14ED520AB0EF10DD75A9AC194A2', 'answered', 1, 'first', 3, 'find-email', '{"parameters":{"first_name":"Cat","last_name":"Roy","domain":"bunya-mill.com"},"ifLost":"hold"}', -1, '5f474b28', 4, 20787, 202611, 3, 1796004862420, 1796004932467, NULL, NULL, NULL, NULL, NULL, NULL, 10025, 1796004862493, 'no_match', 0, 0, 'status 404, "No match"', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10021, 2, X'B2E15215EEBC7532E9EF3B6B98BA2048', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"bob@ember-works.com"},"ifLost":"hold"}', -1, '5f474b28', 3, 20787, 202611, 2, 1796004862420, 1796004932467, NULL, NULL, NULL, NULL, NULL, NULL, 10025, 1796004862493, 'found', 2, 1, 'status 200', 222114691, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10024, 2, X'DF01BB2FF9AF4F9F5238F469E9EEBD3B', 'doubt', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Eve","last_name":"Chen","domain":"drift-wood.com"},"ifLost":"hold"}', -1, '5f474b28', 6, 20787, 202611, 3, 1796004862494, 1796004932534, NULL, NULL, NULL, NULL, NULL, NULL, 10025, 1796004862577, NULL, NULL, 0, 'no answer came (other side closed)', NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (10027, 2, X'89A9403BCE8EC5A6033532AC88C5F29E', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{},"ifLost":"hold"}', -1, '5f474b28', 8, 20787, 202611, 3, 1796004862599, 1796004932607, NULL, NULL, NULL, NULL, NULL, NULL, 10030, 1796004862652, 'found', 1, 1, 'erased', 222114691, 0, 1796004867934, NULL, NULL, 0);
INSERT INTO attempts VALUES (10031, 2, X'9F8B7E19CD99060BE827202C29E45B0C', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{},"ifLost":"hold"}', -1, '5f474b28', 8, 20787, 202611, 2, 1796004862666, 1796004932666, NULL, NULL, NULL, NULL, NULL, NULL, 10034, 1796004862699, 'found', 2, 1, 'erased', 222114691, 0, 1796004867934, NULL, NULL, 0);
INSERT INTO attempts VALUES (20001, 3, X'C8660BADD7700815924DF62BC4A7F419', 'answered', 1, 'first', 4, 'create-invite', '{"parameters":{"role":"viewer","email":"ann@acme.com"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"ann@acme.com"},"leaves":{"email":"ann@acme.com","state":"invited","role":"viewer"},"already":{"email":"ann@acme.com"}},"project":"proj-1","after":0}', -1, 'dfac1e32', 2, 20787, 202611, 0, 1796004866107, 1796004936120, NULL, NULL, NULL, NULL, 1, 0, 20005, 1796004866250, 'found', 0, 0, 'status 200', 30541089, 0, NULL, NULL, NULL, 0);
INSERT INTO attempts VALUES (20004, 3, X'021A35823F84450AE1000A3D7CC02E20', 'answered', 1, 'first', 4, 'create-invite', '{"parameters":{"role":"editor","email":"bob@acme.com"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"bob@acme.com"},"leaves":{"email":"bob@acme.com","state":"invited","role":"editor"},"already":{"email":"bob@acme.com"}},"project":"proj-1","after":0}', -1, 'dfac1e32', 3, 20787, 202611, 0, 1796004866252, 1796004936261, NULL, NULL, NULL, NULL, 2, 0, 20007, 1796004866314, 'found', 0, 0, 'status 200', 30541089, 0, NULL, NULL, NULL, 0);
INSERT INTO rows VALUES ('39be50a7', 2, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('39be50a7', 3, 'no_match', 4, NULL, NULL, 'no match by domain', NULL, NULL);
INSERT INTO rows VALUES ('39be50a7', 4, 'refused', 7, NULL, NULL, 'the vendor refused domain (status 422, "This domain is not served")', NULL, NULL);
INSERT INTO rows VALUES ('39be50a7', 5, 'in_doubt', 10, NULL, NULL, 'in doubt since 2026-11-30T02:14:18.059Z, 1 credit at risk: no answer came (other side closed)', NULL, NULL);
INSERT INTO rows VALUES ('39be50a7', 6, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('39be50a7', 7, 'invalid', NULL, NULL, NULL, 'no usable identifier: domain: blank', NULL, NULL);
INSERT INTO rows VALUES ('39be50a7', 8, 'matched', 13, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('5f474b28', 2, 'matched', 10008, '[10002]', 'first_name+last_name+domain; email', NULL, NULL, '[10002,10008]');
INSERT INTO rows VALUES ('5f474b28', 3, 'matched', 10021, '[10006,10014]', 'first_name+last_name+domain; email', NULL, NULL, '[10014,10021]');
INSERT INTO rows VALUES ('5f474b28', 4, 'no_match', 10020, '[10011]', NULL, 'find-email: first: no match by first_name+last_name+domain; second: no match by first_name+last_name+domain', NULL, '[]');
INSERT INTO rows VALUES ('5f474b28', 5, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows VALUES ('5f474b28', 6, 'in_doubt', 10024, NULL, NULL, 'find-email: in doubt since 2026-11-30T02:14:22.494Z, 3 credits at risk: no answer came (other side closed)', NULL, '[]');
INSERT INTO rows VALUES ('5f474b28', 7, 'matched', 10001, NULL, 'email', NULL, NULL, '[10001]');
INSERT INTO rows VALUES ('5f474b28', 8, 'matched', 10031, '[10027]', 'first_name+last_name+domain; email', 'erased on 2026-11-30', NULL, '[10027,10031]');
INSERT INTO rows VALUES ('dfac1e32', 2, 'applied', 20001, NULL, NULL, 'invited as viewer', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"ann@acme.com"},"to":"viewer","action":"invite","email":"ann@acme.com","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"ann@acme.com","role":"viewer"}}}', NULL);
INSERT INTO rows VALUES ('dfac1e32', 3, 'applied', 20004, NULL, NULL, 'invited as editor', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"bob@acme.com"},"to":"editor","action":"invite","email":"bob@acme.com","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"bob@acme.com","role":"editor"}}}', NULL);
INSERT INTO rows VALUES ('dfac1e32', 4, 'invalid', NULL, NULL, NULL, 'e-mail "not an address" is not an e-mail address', '{"kind":"end","outcome":{"kind":"invalid","reason":"e-mail \"not an address\" is not an e-mail address"}}', NULL);
INSERT INTO cells VALUES ('39be50a7', 2, '{"cells":["1","acme.com","ours"]}');
INSERT INTO cells VALUES ('39be50a7', 3, '{"cells":["2","miss-bunya.com",""]}');
INSERT INTO cells VALUES ('39be50a7', 4, '{"cells":["3","refused-coast.com",""]}');
INSERT INTO cells VALUES ('39be50a7', 5, '{"cells":["4","lost-drift.com","he said \"yes\""]}');
INSERT INTO cells VALUES ('39be50a7', 6, '{"cells":["5","ACME.com","twice"]}');
INSERT INTO cells VALUES ('39be50a7', 7, '{"cells":["6","","no address"]}');
INSERT INTO cells VALUES ('39be50a7', 8, '{"cells":["7","ember-works.com",""]}');
INSERT INTO cells VALUES ('5f474b28', 2, '{"cells":["Ann","Lee","acme.com",""]}');
INSERT INTO cells VALUES ('5f474b28', 3, '{"cells":["Bob","Poe","ember-works.com",""]}');
INSERT INTO cells VALUES ('5f474b28', 4, '{"cells":["Cat","Roy","bunya-mill.com",""]}');
INSERT INTO cells VALUES ('5f474b28', 5, '{"cells":["Dan","Ngata","coast-line.com",""]}');
INSERT INTO cells VALUES ('5f474b28', 6, '{"cells":["Eve","Chen","drift-wood.com",""]}');
INSERT INTO cells VALUES ('5f474b28', 7, '{"cells":["Flo","Ray","acme.com","flo@acme.com"]}');
INSERT INTO cells VALUES ('dfac1e32', 2, '{"cells":["ann@acme.com","proj-1","viewer"]}');
INSERT INTO cells VALUES ('dfac1e32', 3, '{"cells":["bob@acme.com","proj-1","editor"]}');
INSERT INTO cells VALUES ('dfac1e32', 4, '{"cells":["not an address","proj-1","viewer"]}');
INSERT INTO files VALUES ('/home/ann/companies.csv', 'list', '592b747d3c4ccd7dfd6b1841a4172b9b5f078299fa0847dfe2eea1f3d1cad7fa', '39be50a7', 'desk');
INSERT INTO files VALUES ('/home/ann/companies.yaml', 'job', '', '39be50a7', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.csv', 'written', 'dd0d9bca6248b65f2ae1d41a676e2952f29e003f339ac8c80705d6473cfc84d4', '39be50a7', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.needs-attention.csv', 'written', 'a8dda3b42b8c9f918f21afa81d2520e66428a3f4270c3689645a814d74f0731e', '39be50a7', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.report.html', 'written', '922ef81fff0bd0b5a16f3d719067e5c53cec3c710f112d9fb1e7eaa178513c80', '39be50a7', 'desk');
INSERT INTO files VALUES ('/home/ann/people.csv', 'list', 'f6a07bd9648d9500b7434ee2a50edbef520f2c672276c4fde99bc370b8d10a9a', '5f474b28', 'desk');
INSERT INTO files VALUES ('/home/ann/people.yaml', 'job', '', '5f474b28', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.needs-attention.csv', 'written', '8b82c0b75ecc98043c56c1969e59421cb90a503a8a9039d89bbb544d077d235b', '5f474b28', 'desk');
INSERT INTO files VALUES ('/home/ann/team.csv', 'list', 'bb83dbf4ab71f43b107f2afbb3abb40c3255403dbcb27a1e230fa092764b1a83', 'dfac1e32', 'desk');
INSERT INTO files VALUES ('/home/ann/team.yaml', 'job', '', 'dfac1e32', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.csv', 'written', '76222d7a749159ec0895a2a4e73f4e2e836bf3e8868d4ea14c3cc9a4751855f6', 'dfac1e32', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.needs-attention.csv', 'written', '1f47a2280f46923d73847be281be12f4006144a7f94eb47d6d44911c42924ed2', 'dfac1e32', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.report.html', 'written', '3c468801062925ad1a208519dea14d0fef623f22b19d31829523562e588c17f8', 'dfac1e32', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.csv', 'written', 'd3b168aa34ff267f715f79b6f228f4440c2b291ffe1983d039425b0b0e9180d9', '5f474b28', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.report.html', 'written', 'a2dde45808ef99c28834a17bf542abf5ba4292329977bf00e207a42742d5fe64', '5f474b28', 'desk');
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
