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
INSERT INTO steps VALUES (6);
INSERT INTO meta VALUES ('identity', 'de8d71c8c60c265c782ac9c2d0605d46');
INSERT INTO meta VALUES ('secret', 'b2636cd9c13877f991bf2be9131d9eb9711369f94c76fd0517126882b3034d32');
INSERT INTO meta VALUES ('numbers', '80000');
INSERT INTO workers VALUES (1, 'desk', 18935, 'rowonce run companies.yaml companies.csv --yes --as Ann --max-pause 1s -o companies-out.csv', 'Ann', 1796004610796, 1796004612352, 1796004612352, 0, '[]');
INSERT INTO workers VALUES (2, 'desk', 19006, 'rowonce run people.yaml people.csv --yes --as Ann --max-pause 1s -o people-out.csv', 'Ann', 1796004613721, 1796004616222, 1796004616222, 0, '[]');
INSERT INTO workers VALUES (3, 'desk', 19137, 'rowonce run team.yaml team.csv --yes --as Ann --max-pause 1s -o team-out.csv', 'Ann', 1796004617275, 1796004618908, 1796004618908, 0, '[]');
INSERT INTO workers VALUES (4, 'desk', 19321, 'forget', 'Ann', 1796004620453, 1796004620532, 1796004620532, 0, '[]');
INSERT INTO workers VALUES (5, 'desk', 19321, 'forget', 'Ann', 1796004620577, 1796004620900, 1796004620900, 0, '[]');
INSERT INTO workers VALUES (6, 'desk', 19388, 'rowonce run companies.yaml companies.csv --yes --as Ann --max-pause 1s -o companies-out.csv', 'Ann', 1796004622518, 1796004623527, 1796004623527, 0, '[]');
INSERT INTO workers VALUES (7, 'desk', 19444, 'rowonce run people.yaml people.csv --yes --as Ann --max-pause 1s -o people-out.csv', 'Ann', 1796004624562, 1796004625998, 1796004625998, 0, '[]');
INSERT INTO workers VALUES (8, 'desk', 19514, 'rowonce run team.yaml team.csv --yes --as Ann --max-pause 1s -o team-out.csv', 'Ann', 1796004627801, 1796004628287, 1796004628287, 0, '[]');
INSERT INTO accounts VALUES (1, '["id","data"]', NULL, NULL, NULL, 1796004611000, NULL, '{}');
INSERT INTO accounts VALUES (2, '["id","first"]', NULL, NULL, NULL, 1796004614000, NULL, '{}');
INSERT INTO accounts VALUES (3, '["id","second"]', NULL, NULL, NULL, 1796004614000, NULL, '{}');
INSERT INTO accounts VALUES (4, '["id","team"]', NULL, NULL, NULL, 1796004618000, NULL, '{}');
INSERT INTO known_as VALUES (1, 'address', '["provider","http://127.0.0.1:39957",null,null]');
INSERT INTO known_as VALUES (4, 'address', '["service","http://127.0.0.1:36937","org-1",null]');
INSERT INTO known_as VALUES (1, 'id', 'data');
INSERT INTO known_as VALUES (2, 'id', 'first');
INSERT INTO known_as VALUES (3, 'id', 'second');
INSERT INTO known_as VALUES (4, 'id', 'team');
INSERT INTO known_as VALUES (1, 'name', 'data');
INSERT INTO known_as VALUES (2, 'name', 'first');
INSERT INTO known_as VALUES (3, 'name', 'second');
INSERT INTO known_as VALUES (4, 'name', 'team');
INSERT INTO budgets VALUES ('batch:bd89e8ee', 50, 0, 2, 1, 0);
INSERT INTO budgets VALUES ('extra:bd89e8ee', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:bd89e8ee:1', NULL, 0, 2, 1, 0);
INSERT INTO budgets VALUES ('day:1:20787', NULL, 0, 10, 1, 0);
INSERT INTO budgets VALUES ('month:1:202611', NULL, 0, 10, 1, 0);
INSERT INTO budgets VALUES ('batch:16afe588', 50, 0, 11, 6, 0);
INSERT INTO budgets VALUES ('extra:16afe588', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:16afe588:2', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('share:16afe588:3', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('share:16afe588:1', NULL, 0, 8, 0, 0);
INSERT INTO budgets VALUES ('day:2:20787', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('month:2:202611', NULL, 0, 2, 6, 0);
INSERT INTO budgets VALUES ('day:3:20787', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('month:3:202611', NULL, 0, 1, 0, 0);
INSERT INTO budgets VALUES ('batch:a632d5c5', 0, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('extra:a632d5c5', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('share:a632d5c5:4', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('day:4:20787', NULL, 0, 0, 0, 0);
INSERT INTO budgets VALUES ('month:4:202611', NULL, 0, 0, 0, 0);
INSERT INTO batches VALUES ('bd89e8ee', 1, 'd7ed40219d6aaa3fdec6b646b425e797bf7235640ea06406303a3a1cbea4e379', 1, 'b1cc1054dcd599e18b11d1d0e707980e1048fe36b409de10ebbc9386037b231a', 1, 'enrich-company', 'finished', 1796004611120, NULL, NULL, NULL, 0, '{"accountName":"data","vendor":"provider","inputPath":"/home/ann/companies.csv","inputSha256":"592b747d3c4ccd7dfd6b1841a4172b9b5f078299fa0847dfe2eea1f3d1cad7fa","header":["No","Website","Note"],"inputRows":7,"settings":{"job":"/home/ann/companies.yaml","columns":{"domain":"Website"},"add":{"Company":"name","City":"city"},"answer_at":{"gives":{"name":"name","city":"city"}},"output_path":"/home/ann/companies-out.csv","buysAgain":{"[\"id\",\"data\"]":172632911}},"run":{"worker":6,"pid":19388},"isSubmitted":true,"outputPath":"/home/ann/companies-out.csv","outputSha256":"43ad14e197ff49155113effbba7d8bfa0c90624e61cc42d4fb5dff6259a9e9cc"}', NULL);
INSERT INTO batches VALUES ('16afe588', 2, 'ffee87d9c4f02868ca8613445abfce32308cbd06a745f008d69303b333eab37c', 1, 'ad223a3603b20af79670432628422536cd85cd5326f1640c1bd88ddad096dd0a', 2, 'find-email,enrich-person', 'open', 1796004613977, NULL, NULL, NULL, 0, '{"accountName":"first","vendor":"provider","inputPath":"/home/ann/people.csv","inputSha256":"f6a07bd9648d9500b7434ee2a50edbef520f2c672276c4fde99bc370b8d10a9a","header":["First","Last","Website","Email"],"inputRows":7,"settings":{"job":"/home/ann/people.yaml","columns":{"find-email.first_name":"First","find-email.last_name":"Last","find-email.domain":"Website","enrich-person.email":"Email"},"add":{"Email":"find-email.email","Title":"enrich-person.job_title"},"on_existing":"fill","answer_at":{"steps":{"find-email":{"accounts":{"[\"id\",\"first\"]":{"gives":{"email":"data.email"}},"[\"id\",\"second\"]":{"gives":{"email":"data.email"}}}},"enrich-person":{"gives":{"job_title":"title"}}}},"output_path":"/home/ann/people-out.csv","buysAgain":{"[\"id\",\"first\"]":172632911,"[\"id\",\"second\"]":172632911,"[\"id\",\"data\"]":172632911}},"run":{"worker":7,"pid":19444},"isSubmitted":true,"outputPath":"/home/ann/people-out.csv","outputSha256":"dcf7cf66545897b006decdf83c46c2354ddb83e49c7dff7cebfc8f649c72e026 de8ab46e57556f8b4fec98b9bfed2fc323470f21f9914d0824607d0b7930e0dd"}', NULL);
INSERT INTO batches VALUES ('a632d5c5', 3, '1eebb02eef2ef4e09a4a82f93113f630d7ec288baf9da152ee94d3a705e86711', 1, '9b6b85067c6fcc38cb6090cace0cba4434761563002014887ab52b5e0823161e', 4, 'onboard', 'finished', 1796004617737, NULL, NULL, NULL, 0, '{"accountName":"team","vendor":"service","inputPath":"/home/ann/team.csv","inputSha256":"bb83dbf4ab71f43b107f2afbb3abb40c3255403dbcb27a1e230fa092764b1a83","header":["Email","Project","Role"],"inputRows":3,"settings":{"job":"/home/ann/team.yaml","columns":{"email":"Email","role":"Role","project_id":"Project"},"output_path":"/home/ann/team-out.csv","buysAgain":{"[\"id\",\"team\"]":214361494}},"plannedRows":3,"run":{"worker":8,"pid":19514},"isSubmitted":true,"outputPath":"/home/ann/team-out.csv","outputSha256":"e9d63a560d756b35488c8ec33dfbe6b81cf256ede072567394e4710b826233d6"}', NULL);
INSERT INTO batch_accounts VALUES ('16afe588', 1, 2, 'data');
INSERT INTO batch_accounts VALUES ('16afe588', 2, 0, 'first');
INSERT INTO batch_accounts VALUES ('16afe588', 3, 1, 'second');
INSERT INTO batch_accounts VALUES ('a632d5c5', 4, 0, 'team');
INSERT INTO batch_accounts VALUES ('bd89e8ee', 1, 0, 'data');
INSERT INTO subjects VALUES (1, 4, 'proj-1', 'ann@acme.com', 1, '{"email":"ann@acme.com","state":"invited","role":"viewer","inviteCode":"invite-1"}', 'a632d5c5', 1796004618282);
INSERT INTO subjects VALUES (2, 4, 'proj-1', 'bob@acme.com', 1, '{"email":"bob@acme.com","state":"invited","role":"editor","inviteCode":"invite-2"}', 'a632d5c5', 1796004618416);
INSERT INTO notes VALUES (1, 1796004611123, 'begun', NULL, NULL, 'bd89e8ee', NULL, 1, 'person', '', NULL);
INSERT INTO notes VALUES (2, 1796004613995, 'begun', NULL, NULL, '16afe588', NULL, 2, 'person', '', NULL);
INSERT INTO notes VALUES (3, 1796004617747, 'begun', NULL, NULL, 'a632d5c5', NULL, 3, 'person', '', NULL);
INSERT INTO notes VALUES (4, 1796004620632, 'erased', 'person', NULL, NULL, NULL, 5, 'person', '', NULL);
INSERT INTO notes VALUES (5, 1796004620632, 'forgot', NULL, NULL, NULL, 2, 5, 'person', '', NULL);
INSERT INTO notes VALUES (6, 1796004620632, 'forgot', NULL, NULL, NULL, 1, 5, 'person', '', NULL);
INSERT INTO notes VALUES (7, 1796004620632, 'forgot', NULL, NULL, NULL, NULL, 5, 'person', '498a865b21bcae4d87135febbed91055b542b016fce75095af67378620ed3621', NULL);
INSERT INTO replies VALUES (1, 200, 1796004611652, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:11 GMT"}', X'7B226E616D65223A225468652061636D652E636F6D20436F6D70616E79222C2263697479223A225065727468227D', 0);
INSERT INTO replies VALUES (4, 404, 1796004611741, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:11 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (7, 422, 1796004611821, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:11 GMT"}', X'7B226572726F72223A225468697320646F6D61696E206973206E6F7420736572766564227D', 0);
INSERT INTO replies VALUES (13, 200, 1796004612192, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:12 GMT"}', X'7B226E616D65223A2254686520656D6265722D776F726B732E636F6D20436F6D70616E79222C2263697479223A225065727468227D', 0);
INSERT INTO replies VALUES (10001, 200, 1796004614437, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10002, 200, 1796004614444, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B2264617461223A7B22656D61696C223A22616E6E4061636D652E636F6D227D7D', 0);
INSERT INTO replies VALUES (10006, 404, 1796004614517, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10008, 200, 1796004614589, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10010, 404, 1796004614606, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10013, 200, 1796004614633, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B2264617461223A7B22656D61696C223A22626F6240656D6265722D776F726B732E636F6D227D7D', 0);
INSERT INTO replies VALUES (10015, 202, 1796004614657, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B226A6F62223A226A6F622D64616E227D', 0);
INSERT INTO replies VALUES (10018, 404, 1796004614662, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B226572726F72223A224E6F206D61746368227D', 0);
INSERT INTO replies VALUES (10020, 200, 1796004614664, '{"content-type":"application/json","date":"Mon, 30 Nov 2026 02:10:14 GMT"}', X'7B227469746C65223A2248656164206F662045766572797468696E67227D', 0);
INSERT INTO replies VALUES (10026, 200, 1796004614736, '{}', X'', 0);
INSERT INTO replies VALUES (10030, 200, 1796004614952, '{}', X'', 0);
INSERT INTO replies VALUES (20001, 200, 1796004618196, '{"content-type":"application/json","x-request-id":"sandbox-1","date":"Mon, 30 Nov 2026 02:10:18 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D31227D', 0);
INSERT INTO replies VALUES (20004, 200, 1796004618408, '{"content-type":"application/json","x-request-id":"sandbox-2","date":"Mon, 30 Nov 2026 02:10:18 GMT"}', X'7B22696E766974655F636F6465223A22696E766974652D32227D', 0);
INSERT INTO attempts VALUES (1, 1, X'147789400050A2C9063FC89A8875A93C', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"acme.com"},"ifLost":"hold"}', -1, 'bd89e8ee', 2, 20787, 202611, 1, 1796004611554, 1796004681571, NULL, NULL, NULL, NULL, NULL, NULL, 5, 1796004611679, 'found', 1, 0, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (4, 1, X'D5CFEA3D97C7CDDDACFA04EB87286519', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"miss-bunya.com"},"ifLost":"hold"}', -1, 'bd89e8ee', 3, 20787, 202611, 1, 1796004611723, 1796004681724, NULL, NULL, NULL, NULL, NULL, NULL, 8, 1796004611777, 'no_match', 0, 0, 'status 404, "No match"', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (7, 1, X'A55F10AED71FCCC83F7735B858B7D607', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"refused-coast.com"},"ifLost":"hold"}', -1, 'bd89e8ee', 4, 20787, 202611, 1, 1796004611777, 1796004681778, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1796004611838, 'refused', 0, 0, 'status 422, "This domain is not served"', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10, 1, X'7F8579EDE116F9BF33644B504C30320C', 'doubt', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"lost-drift.com"},"ifLost":"hold"}', -1, 'bd89e8ee', 5, 20787, 202611, 1, 1796004611844, 1796004681848, NULL, NULL, NULL, NULL, NULL, NULL, 11, 1796004611990, NULL, NULL, 0, 'no answer came (other side closed)', NULL, NULL, NULL, NULL);
INSERT INTO attempts VALUES (13, 1, X'80B27CBD0F1427097988388777F82E40', 'answered', 1, 'first', 1, 'enrich-company', '{"parameters":{"domain":"ember-works.com"},"ifLost":"hold"}', -1, 'bd89e8ee', 8, 20787, 202611, 1, 1796004612072, 1796004682118, NULL, NULL, NULL, NULL, NULL, NULL, 16, 1796004612211, 'found', 1, 0, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10001, 2, X'D70C33BF3EA544492D4E7EEF0DFD03AA', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"flo@acme.com"},"ifLost":"hold"}', -1, '16afe588', 7, 20787, 202611, 2, 1796004614400, 1796004684403, NULL, NULL, NULL, NULL, NULL, NULL, 10007, 1796004614458, 'found', 2, 1, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10002, 2, X'0F3BE622BC7F8CFCC3E2B36A7C4488F8', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Ann","last_name":"Lee","domain":"acme.com"},"ifLost":"hold"}', -1, '16afe588', 2, 20787, 202611, 3, 1796004614401, 1796004684403, NULL, NULL, NULL, NULL, NULL, NULL, 10007, 1796004614476, 'found', 1, 1, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10006, 2, X'CB6D6FBF07F47FA34BB39ED14CE0F91D', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Bob","last_name":"Poe","domain":"ember-works.com"},"ifLost":"hold"}', -1, '16afe588', 3, 20787, 202611, 3, 1796004614477, 1796004684486, NULL, NULL, NULL, NULL, NULL, NULL, 10011, 1796004614529, 'no_match', 0, 0, 'status 404, "No match"', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10008, 2, X'E1B33BF642ECFD56EED8EEEE5EC66215', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"ann@acme.com"},"ifLost":"hold"}', -1, '16afe588', 2, 20787, 202611, 2, 1796004614506, 1796004684518, NULL, NULL, NULL, NULL, NULL, NULL, 10014, 1796004614604, 'found', 2, 1, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10010, 2, X'0346E427F8AEF82311645580C244597F', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Cat","last_name":"Roy","domain":"bunya-mill.com"},"ifLost":"hold"}', -1, '16afe588', 4, 20787, 202611, 3, 1796004614530, 1796004684532, NULL, NULL, NULL, NULL, NULL, NULL, 10016, 1796004614624, 'no_match', 0, 0, 'status 404, "No match"', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10013, 2, X'BBE62A5DB72E307EAAB0744419A9CBF3', 'answered', 1, 'first', 3, 'find-email', '{"parameters":{"first_name":"Bob","last_name":"Poe","domain":"ember-works.com"},"ifLost":"hold"}', -1, '16afe588', 3, 20787, 202611, 3, 1796004614605, 1796004684607, NULL, NULL, NULL, NULL, NULL, NULL, 10019, 1796004614646, 'found', 1, 1, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10015, 2, X'90B3EB6BCAA57B8CE195D8BC9610BAD6', 'accepted', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Dan","last_name":"Ngata","domain":"coast-line.com"},"ifLost":"hold"}', -1, '16afe588', 5, 20787, 202611, 3, 1796004614625, 1796004684635, NULL, NULL, NULL, NULL, NULL, NULL, 10016, 1796004614661, NULL, NULL, 0, 'the vendor answers later, by its id "job-dan"', NULL, NULL, NULL, 'job-dan');
INSERT INTO attempts VALUES (10018, 2, X'C7FEEB5141582430E11F196C78E6E7E3', 'answered', 1, 'first', 3, 'find-email', '{"parameters":{"first_name":"Cat","last_name":"Roy","domain":"bunya-mill.com"},"ifLost":"hold"}', -1, '16afe588', 4, 20787, 202611, 3, 1796004614646, 1796004684652, NULL, NULL, NULL, NULL, NULL, NULL, 10024, 1796004614667, 'no_match', 0, 0, 'status 404, "No match"', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10020, 2, X'EBDABAA2B3B50124BD772504AA45E79E', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{"email":"bob@ember-works.com"},"ifLost":"hold"}', -1, '16afe588', 3, 20787, 202611, 2, 1796004614657, 1796004684658, NULL, NULL, NULL, NULL, NULL, NULL, 10024, 1796004614669, 'found', 2, 1, 'status 200', 172632911, 0, NULL, NULL);
INSERT INTO attempts VALUES (10022, 2, X'126734AB54AD4436AA93C1C017733CEB', 'doubt', 1, 'first', 2, 'find-email', '{"parameters":{"first_name":"Eve","last_name":"Chen","domain":"drift-wood.com"},"ifLost":"hold"}', -1, '16afe588', 6, 20787, 202611, 3, 1796004614661, 1796004684665, NULL, NULL, NULL, NULL, NULL, NULL, 10023, 1796004614690, NULL, NULL, 0, 'no answer came (other side closed)', NULL, NULL, NULL, NULL);
INSERT INTO attempts VALUES (10026, 2, X'F46A7873E479BC6436B771B85A1055D9', 'answered', 1, 'first', 2, 'find-email', '{"parameters":{},"ifLost":"hold"}', -1, '16afe588', 8, 20787, 202611, 3, 1796004614704, 1796004684707, NULL, NULL, NULL, NULL, NULL, NULL, 10029, 1796004614855, 'found', 1, 1, 'erased', 172632911, 0, 1796004620632, NULL);
INSERT INTO attempts VALUES (10030, 2, X'B55CF5F6DC9383FA12AE631C64B35D2B', 'answered', 1, 'first', 1, 'enrich-person', '{"parameters":{},"ifLost":"hold"}', -1, '16afe588', 8, 20787, 202611, 2, 1796004614872, 1796004684873, NULL, NULL, NULL, NULL, NULL, NULL, 10033, 1796004614959, 'found', 2, 1, 'erased', 172632911, 0, 1796004620632, NULL);
INSERT INTO attempts VALUES (20001, 3, X'BF05E789CD4310236E53BB00277FEA73', 'answered', 1, 'first', 4, 'create-invite', '{"parameters":{"role":"viewer","email":"ann@acme.com"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"ann@acme.com"},"leaves":{"email":"ann@acme.com","state":"invited","role":"viewer"},"already":{"email":"ann@acme.com","state":"member"}},"project":"proj-1","after":0}', -1, 'a632d5c5', 2, 20787, 202611, 0, 1796004618045, 1796004688068, NULL, NULL, NULL, NULL, 1, 0, 20005, 1796004618282, 'found', 0, 0, 'status 200', 214361494, 0, NULL, NULL);
INSERT INTO attempts VALUES (20004, 3, X'0370894618F8A9A70A4869DF2B520D67', 'answered', 1, 'first', 4, 'create-invite', '{"parameters":{"role":"editor","email":"bob@acme.com"},"ifLost":"hold","change":{"subject":{"project":"proj-1","name":"bob@acme.com"},"leaves":{"email":"bob@acme.com","state":"invited","role":"editor"},"already":{"email":"bob@acme.com","state":"member"}},"project":"proj-1","after":0}', -1, 'a632d5c5', 3, 20787, 202611, 0, 1796004618283, 1796004688370, NULL, NULL, NULL, NULL, 2, 0, 20008, 1796004618416, 'found', 0, 0, 'status 200', 214361494, 0, NULL, NULL);
INSERT INTO rows VALUES ('16afe588', 2, 'matched', 10008, '[10002]', 'first_name+last_name+domain; email', NULL, NULL, '[10002,10008]');
INSERT INTO rows VALUES ('16afe588', 3, 'matched', 10020, '[10006,10013]', 'first_name+last_name+domain; email', NULL, NULL, '[10013,10020]');
INSERT INTO rows VALUES ('16afe588', 4, 'no_match', 10018, '[10010]', NULL, 'find-email: first: no match by first_name+last_name+domain; second: no match by first_name+last_name+domain', NULL, '[]');
INSERT INTO rows VALUES ('16afe588', 5, 'pending', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rows VALUES ('16afe588', 6, 'in_doubt', 10022, NULL, NULL, 'find-email: in doubt since 2026-11-30T02:10:14.661Z, 3 credits at risk: no answer came (other side closed)', NULL, '[]');
INSERT INTO rows VALUES ('16afe588', 7, 'matched', 10001, NULL, 'email', NULL, NULL, '[10001]');
INSERT INTO rows VALUES ('16afe588', 8, 'matched', 10030, '[10026]', 'first_name+last_name+domain; email', 'erased on 2026-11-30', NULL, '[10026,10030]');
INSERT INTO rows VALUES ('a632d5c5', 2, 'applied', 20001, NULL, NULL, 'invited as viewer', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"ann@acme.com"},"to":"viewer","action":"invite","email":"ann@acme.com","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"ann@acme.com","role":"viewer"}}}', NULL);
INSERT INTO rows VALUES ('a632d5c5', 3, 'applied', 20004, NULL, NULL, 'invited as editor', '{"kind":"work","work":{"subject":{"project":"proj-1","name":"bob@acme.com"},"to":"editor","action":"invite","email":"bob@acme.com","project":"proj-1","was":{"sequence":0},"personAction":{"kind":"invite","email":"bob@acme.com","role":"editor"}}}', NULL);
INSERT INTO rows VALUES ('a632d5c5', 4, 'invalid', NULL, NULL, NULL, 'e-mail "not an address" is not an e-mail address', '{"kind":"end","outcome":{"kind":"invalid","reason":"e-mail \"not an address\" is not an e-mail address"}}', NULL);
INSERT INTO rows VALUES ('bd89e8ee', 2, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('bd89e8ee', 3, 'no_match', 4, NULL, NULL, 'no match by domain', NULL, NULL);
INSERT INTO rows VALUES ('bd89e8ee', 4, 'refused', 7, NULL, NULL, 'the vendor refused domain (status 422, "This domain is not served")', NULL, NULL);
INSERT INTO rows VALUES ('bd89e8ee', 5, 'in_doubt', 10, NULL, NULL, 'in doubt since 2026-11-30T02:10:11.844Z, 1 credit at risk: no answer came (other side closed)', NULL, NULL);
INSERT INTO rows VALUES ('bd89e8ee', 6, 'matched', 1, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO rows VALUES ('bd89e8ee', 7, 'invalid', NULL, NULL, NULL, 'no usable identifier: domain: blank', NULL, NULL);
INSERT INTO rows VALUES ('bd89e8ee', 8, 'matched', 13, NULL, 'domain', NULL, NULL, NULL);
INSERT INTO cells VALUES ('16afe588', 2, '{"cells":["Ann","Lee","acme.com",""]}');
INSERT INTO cells VALUES ('16afe588', 3, '{"cells":["Bob","Poe","ember-works.com",""]}');
INSERT INTO cells VALUES ('16afe588', 4, '{"cells":["Cat","Roy","bunya-mill.com",""]}');
INSERT INTO cells VALUES ('16afe588', 5, '{"cells":["Dan","Ngata","coast-line.com",""]}');
INSERT INTO cells VALUES ('16afe588', 6, '{"cells":["Eve","Chen","drift-wood.com",""]}');
INSERT INTO cells VALUES ('16afe588', 7, '{"cells":["Flo","Ray","acme.com","flo@acme.com"]}');
INSERT INTO cells VALUES ('a632d5c5', 2, '{"cells":["ann@acme.com","proj-1","viewer"]}');
INSERT INTO cells VALUES ('a632d5c5', 3, '{"cells":["bob@acme.com","proj-1","editor"]}');
INSERT INTO cells VALUES ('a632d5c5', 4, '{"cells":["not an address","proj-1","viewer"]}');
INSERT INTO cells VALUES ('bd89e8ee', 2, '{"cells":["1","acme.com","ours"]}');
INSERT INTO cells VALUES ('bd89e8ee', 3, '{"cells":["2","miss-bunya.com",""]}');
INSERT INTO cells VALUES ('bd89e8ee', 4, '{"cells":["3","refused-coast.com",""]}');
INSERT INTO cells VALUES ('bd89e8ee', 5, '{"cells":["4","lost-drift.com","he said \"yes\""]}');
INSERT INTO cells VALUES ('bd89e8ee', 6, '{"cells":["5","ACME.com","twice"]}');
INSERT INTO cells VALUES ('bd89e8ee', 7, '{"cells":["6","","no address"]}');
INSERT INTO cells VALUES ('bd89e8ee', 8, '{"cells":["7","ember-works.com",""]}');
INSERT INTO files VALUES ('/home/ann/companies.csv', 'list', '592b747d3c4ccd7dfd6b1841a4172b9b5f078299fa0847dfe2eea1f3d1cad7fa', 'bd89e8ee', 'desk');
INSERT INTO files VALUES ('/home/ann/companies.yaml', 'job', '', 'bd89e8ee', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.csv', 'written', '43ad14e197ff49155113effbba7d8bfa0c90624e61cc42d4fb5dff6259a9e9cc', 'bd89e8ee', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.needs-attention.csv', 'written', '11f6dd460e8143443b4be6ef1d3ea49bcfe0a064cd904838f3c1b1c3ea5d2dbc', 'bd89e8ee', 'desk');
INSERT INTO files VALUES ('/home/ann/companies-out.report.html', 'written', '599952258e79bbc67a82195fdc62d3fc108be7e2d517eb1350274f0e3d716b2a', 'bd89e8ee', 'desk');
INSERT INTO files VALUES ('/home/ann/people.csv', 'list', 'f6a07bd9648d9500b7434ee2a50edbef520f2c672276c4fde99bc370b8d10a9a', '16afe588', 'desk');
INSERT INTO files VALUES ('/home/ann/people.yaml', 'job', '', '16afe588', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.csv', 'written', 'de8ab46e57556f8b4fec98b9bfed2fc323470f21f9914d0824607d0b7930e0dd', '16afe588', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.needs-attention.csv', 'written', '7afa7b77d340c924bd4a624e9160728496f7feb93e839f09d0f00b69583df228', '16afe588', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.report.html', 'written', '3dffad635276c749e8cf0799d4b9168f65cbabe5c5a6b8c446c0e2ce32fceacc', '16afe588', 'desk');
INSERT INTO files VALUES ('/home/ann/team.csv', 'list', 'bb83dbf4ab71f43b107f2afbb3abb40c3255403dbcb27a1e230fa092764b1a83', 'a632d5c5', 'desk');
INSERT INTO files VALUES ('/home/ann/team.yaml', 'job', '', 'a632d5c5', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.csv', 'written', 'e9d63a560d756b35488c8ec33dfbe6b81cf256ede072567394e4710b826233d6', 'a632d5c5', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.needs-attention.csv', 'written', '1f47a2280f46923d73847be281be12f4006144a7f94eb47d6d44911c42924ed2', 'a632d5c5', 'desk');
INSERT INTO files VALUES ('/home/ann/team-out.report.html', 'written', '777c3ab696493385301eff4d6f7f2d2b6945931fb5f9de1ae39981db9a405b3e', 'a632d5c5', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.csv', 'written', 'dcf7cf66545897b006decdf83c46c2354ddb83e49c7dff7cebfc8f649c72e026', '16afe588', 'desk');
INSERT INTO files VALUES ('/home/ann/people-out.report.html', 'written', '4b1c0740d8c2ea91a1cefd9c80f9101a4e4f7d78310278564117f889c9d07980', '16afe588', 'desk');
CREATE UNIQUE INDEX known_as_one ON known_as (kind, value) WHERE kind <> 'name';
CREATE UNIQUE INDEX batches_open ON batches (lineage) WHERE state = 'open';
CREATE INDEX notes_attempt ON notes (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX notes_kind ON notes (kind, batch, at);
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
CREATE INDEX rows_state ON rows (batch, state, row);
CREATE INDEX rows_attempt ON rows (attempt) WHERE attempt IS NOT NULL;
CREATE UNIQUE INDEX files_once ON files (path, kind, sha256, host, coalesce(batch, ''));
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
