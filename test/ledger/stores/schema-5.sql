-- table accounts
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  per_day INTEGER CHECK (per_day >= 0),
  per_month INTEGER CHECK (per_month >= 0),
  paused_until INTEGER,
  answers INTEGER NOT NULL DEFAULT 0,
  answers_not_404 INTEGER NOT NULL DEFAULT 0
, learned_per_second REAL CHECK (learned_per_second > 0), learned_at INTEGER, usage_counted REAL, usage_spent INTEGER, usage_at INTEGER, last_other INTEGER NOT NULL DEFAULT 0, misses INTEGER NOT NULL DEFAULT 0 CHECK (misses >= 0), misses_place TEXT, misses_kept INTEGER NOT NULL DEFAULT 0 CHECK (misses_kept IN (0, 1)), checksum INTEGER) STRICT;

-- trigger accounts_altered
CREATE TRIGGER accounts_altered AFTER UPDATE ON accounts
WHEN NEW.checksum IS NOT NULL AND NEW.checksum IS OLD.checksum
 AND ((NEW.answers, NEW.answers_not_404, NEW.last_other, NEW.misses)
    IS (OLD.answers, OLD.answers_not_404, OLD.last_other, OLD.misses)
  OR (NEW.misses_place, NEW.misses_kept) IS NOT (OLD.misses_place, OLD.misses_kept)) BEGIN
  UPDATE accounts SET checksum = NULL WHERE id = NEW.id;
END;

-- trigger accounts_last_other
CREATE TRIGGER accounts_last_other BEFORE UPDATE OF last_other ON accounts WHEN NEW.last_other < OLD.last_other BEGIN
  SELECT RAISE(ABORT, 'money rule: what an account answered otherwise is not forgotten');
END;

-- trigger accounts_no_delete
CREATE TRIGGER accounts_no_delete BEFORE DELETE ON accounts BEGIN
  SELECT RAISE(ABORT, 'money rule: accounts are only ever added to');
END;

-- index accounts_unsummed
CREATE INDEX accounts_unsummed ON accounts (id) WHERE checksum IS NULL;

-- table agreements
CREATE TABLE agreements (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  -- What was agreed to, as it was shown.
  shown TEXT NOT NULL,
  agreed_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- trigger agreements_no_delete
CREATE TRIGGER agreements_no_delete BEFORE DELETE ON agreements BEGIN
  SELECT RAISE(ABORT, 'money rule: agreements are only ever added to');
END;

-- trigger agreements_no_update
CREATE TRIGGER agreements_no_update BEFORE UPDATE ON agreements BEGIN
  SELECT RAISE(ABORT, 'money rule: agreements are only ever added to');
END;

-- view answer_ages
CREATE VIEW answer_ages (attempt, batch, found, answered_at) AS
  SELECT a.id, a.batch,
         t.attempt IS NOT NULL OR coalesce(
           (SELECT e.answer FROM readings e WHERE e.attempt = a.id ORDER BY e.id DESC LIMIT 1), k.answer) = 'found',
         coalesce(t.received_at, r.received_at)
    FROM attempts a
    JOIN closures k ON k.attempt = a.id
    LEFT JOIN replies r ON r.attempt = a.id
    LEFT JOIN told t ON t.attempt = a.id
   WHERE k.kind = 'settled' OR t.attempt IS NOT NULL OR a.id IN (SELECT attempt FROM readings);

-- view attempt_scopes
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

-- table attempts
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
, freed_by INTEGER REFERENCES attempts (id), newest INTEGER, boot INTEGER REFERENCES boots (id), uptime INTEGER CHECK ((uptime IS NULL) = (boot IS NULL))) STRICT;

-- trigger attempts_admission
CREATE TRIGGER attempts_admission BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins open') WHERE NEW.open <> 1;
  SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch admits nothing')
    FROM batches WHERE id = NEW.batch AND state IN ('superseded', 'cancelled');
  SELECT RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    FROM calls c, batches b WHERE c.id = NEW.call AND b.id = NEW.batch AND c.account <> b.account;
  SELECT RAISE(ABORT, 'money rule: the call is already answered')
    FROM calls WHERE id = NEW.call AND answer IS NOT NULL AND answer IS NOT NEW.replaces;
  SELECT RAISE(ABORT, 'money rule: there is no such answer to replace')
    FROM calls WHERE id = NEW.call AND NEW.replaces IS NOT NULL AND answer IS NOT NEW.replaces;
  SELECT RAISE(ABORT, 'money rule: the call is in doubt and nobody decided to send it again')
    FROM calls c WHERE c.id = NEW.call AND c.doubt IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM decisions d WHERE d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt
         AND d.batch = NEW.batch AND d.kind IN ('repeat', 'retry'));
  SELECT RAISE(ABORT, 'money rule: a decision without a doubt')
    FROM calls WHERE id = NEW.call AND doubt IS NULL AND NEW.decision IS NOT NULL;
END;

-- trigger attempts_boot_kept
CREATE TRIGGER attempts_boot_kept BEFORE UPDATE OF boot, uptime ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

-- index attempts_call
CREATE INDEX attempts_call ON attempts (call);

-- trigger attempts_changing
CREATE TRIGGER attempts_changing BEFORE INSERT ON attempts
WHEN (SELECT subject FROM calls WHERE id = NEW.call) IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: the subject was changed since the change was planned')
    FROM calls c JOIN subjects s ON s.id = c.subject WHERE c.id = NEW.call AND s.sequence <> c.after;
  SELECT RAISE(ABORT, 'money rule: another change of the subject is under way or in doubt')
    FROM calls c JOIN pending_changes p ON p.subject = c.subject AND p.call <> c.id WHERE c.id = NEW.call;
END;

-- trigger attempts_closed
CREATE TRIGGER attempts_closed BEFORE UPDATE OF open ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: only a closure closes an attempt')
   WHERE NEW.open <> 0 OR NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.id);
END;

-- index attempts_decision
CREATE INDEX attempts_decision ON attempts (decision) WHERE decision IS NOT NULL;

-- trigger attempts_freed
CREATE TRIGGER attempts_freed AFTER UPDATE OF freed_by ON attempts BEGIN
  UPDATE money SET in_doubt = in_doubt - NEW.reserved
   WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.id);
END;

-- index attempts_freed_by
CREATE INDEX attempts_freed_by ON attempts (freed_by) WHERE freed_by IS NOT NULL;

-- trigger attempts_freeing
CREATE TRIGGER attempts_freeing BEFORE UPDATE OF freed_by ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: only what a lost attempt holds is given back')
   WHERE NOT EXISTS (SELECT 1 FROM held_attempts WHERE attempt = NEW.id);
  SELECT RAISE(ABORT, 'money rule: money at risk is given back by a release, or by the answer under its key')
   WHERE NOT EXISTS (SELECT 1 FROM releases WHERE attempt = NEW.freed_by AND attempt = NEW.id)
     AND NOT EXISTS (
       SELECT 1 FROM repeated_attempts p JOIN closures k ON k.attempt = p.attempt
        WHERE p.attempt = NEW.freed_by AND p.held = NEW.id
          AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM releases WHERE attempt = p.attempt)));
END;

-- trigger attempts_holding
CREATE TRIGGER attempts_holding BEFORE INSERT ON attempts WHEN NEW.freed_by IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins without being freed');
END;

-- trigger attempts_newest
CREATE TRIGGER attempts_newest BEFORE UPDATE OF newest ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: what was on its way beside a 404 is noted once, when it is answered')
   WHERE OLD.newest IS NOT NULL OR NEW.newest IS NOT (SELECT max(id) FROM attempts) OR NOT EXISTS (
     SELECT 1 FROM closures k JOIN replies r ON r.attempt = k.attempt AND r.status = 404
      WHERE k.attempt = OLD.id AND k.kind = 'settled');
END;

-- trigger attempts_no_delete
CREATE TRIGGER attempts_no_delete BEFORE DELETE ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: attempts are only ever added to');
END;

-- trigger attempts_no_newest
CREATE TRIGGER attempts_no_newest BEFORE INSERT ON attempts WHEN NEW.newest IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins without an answer');
END;

-- index attempts_open
CREATE UNIQUE INDEX attempts_open ON attempts (call) WHERE open = 1;

-- trigger attempts_paid_row
CREATE TRIGGER attempts_paid_row BEFORE UPDATE OF paid_row ON attempts WHEN NEW.paid_row > OLD.paid_row BEGIN
  SELECT RAISE(ABORT, 'money rule: the row that paid is the lowest that used the answer');
END;

-- trigger attempts_price
CREATE TRIGGER attempts_price BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt reserves the highest price that was seen')
    FROM calls c
    JOIN prices p ON p.account = c.account AND p.operation = c.operation
     AND p.credits_max = coalesce(json_extract(c.call, '$.creditsMost'), -1)
   WHERE c.id = NEW.call AND NEW.reserved < p.highest
     -- What is sent again to the byte is charged once, and the lost attempt holds the money for that.
     AND NOT (NEW.reserved = 0 AND EXISTS (
       SELECT 1 FROM decisions d JOIN requests r ON r.attempt = d.doubt
        WHERE d.id = NEW.decision AND d.kind = 'repeat'));
END;

-- trigger attempts_refresh
CREATE TRIGGER attempts_refresh BEFORE INSERT ON attempts WHEN NEW.replaces IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer that is fresh enough for the batch is not bought anew')
   WHERE NOT EXISTS (
     SELECT 1 FROM answer_ages g JOIN batches b ON b.id = NEW.batch
      WHERE g.attempt = NEW.replaces AND g.batch <> NEW.batch
        AND g.answered_at < iif(g.found, b.fresh_found, b.fresh_no_match)
        AND NOT EXISTS (
          SELECT 1 FROM attempts l JOIN closures k ON k.attempt = l.id AND k.kind = 'in_doubt'
           WHERE l.replaces = NEW.replaces AND l.intent_at >= iif(g.found, b.fresh_found, b.fresh_no_match)));
END;

-- trigger attempts_refresh_timing
CREATE TRIGGER attempts_refresh_timing BEFORE INSERT ON attempts WHEN NEW.replaces IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a batch that began in the future buys nothing anew')
    FROM batches WHERE id = NEW.batch AND created_at - NEW.intent_at > 302000;
END;

-- index attempts_replaces
CREATE INDEX attempts_replaces ON attempts (replaces) WHERE replaces IS NOT NULL;

-- trigger attempts_reserve
CREATE TRIGGER attempts_reserve AFTER INSERT ON attempts BEGIN
  INSERT INTO money (scope, reserved) SELECT scope, NEW.reserved FROM attempt_scopes WHERE attempt = NEW.id
    ON CONFLICT (scope) DO UPDATE SET reserved = reserved + excluded.reserved;
  SELECT RAISE(ABORT, 'money rule: above a cap')
    FROM attempt_scopes s JOIN money m ON m.scope = s.scope
   WHERE s.attempt = NEW.id AND m.spent + m.reserved + m.in_doubt > s.cap;
END;

-- index attempts_row
CREATE INDEX attempts_row ON attempts (batch, row);

-- trigger attempts_timing
CREATE TRIGGER attempts_timing BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an intent is not dated before what an answer has confirmed')
   WHERE NEW.intent_at < (SELECT max(confirmed_at) FROM boots);
  SELECT RAISE(ABORT, 'money rule: an intent is dated by the confirmed time and the uptime since')
    FROM boots WHERE id = NEW.boot
     AND NEW.intent_at - (confirmed_at + NEW.uptime - confirmed_uptime) NOT BETWEEN 0 AND 302000;
END;

-- trigger attempts_unchanged
CREATE TRIGGER attempts_unchanged
BEFORE UPDATE OF id, call, batch, row, reserved, intent_at, decision, replaces, checksum ON attempts
WHEN (NEW.id, NEW.call, NEW.batch, NEW.row, NEW.reserved, NEW.intent_at, NEW.decision, NEW.replaces)
  IS NOT (OLD.id, OLD.call, OLD.batch, OLD.row, OLD.reserved, OLD.intent_at, OLD.decision, OLD.replaces)
  OR NOT EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = OLD.call AND x.row = 0) BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

-- table batches
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
  command TEXT, fresh_found INTEGER, fresh_no_match INTEGER, rows_beyond INTEGER CHECK (rows_beyond >= 0), planned_rows INTEGER NOT NULL DEFAULT 0 CHECK (planned_rows >= 0), checksum INTEGER,
  UNIQUE (key, generation)
) STRICT;

-- trigger batches_altered
CREATE TRIGGER batches_altered AFTER UPDATE ON batches
WHEN NEW.checksum IS NOT NULL AND NEW.checksum IS OLD.checksum BEGIN
  UPDATE batches SET checksum = NULL WHERE id = NEW.id;
END;

-- trigger batches_ended
CREATE TRIGGER batches_ended BEFORE UPDATE OF state ON batches
WHEN OLD.state IN ('superseded', 'cancelled') AND NEW.state <> OLD.state BEGIN
  SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch never resumes');
END;

-- trigger batches_fresh
CREATE TRIGGER batches_fresh BEFORE UPDATE OF fresh_found, fresh_no_match ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: how old an answer may be is fixed when the batch begins');
END;

-- index batches_lineage
CREATE INDEX batches_lineage ON batches (lineage) WHERE state = 'open';

-- trigger batches_no_delete
CREATE TRIGGER batches_no_delete BEFORE DELETE ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: batches are only ever added to');
END;

-- index batches_open
CREATE UNIQUE INDEX batches_open ON batches (key) WHERE state = 'open';

-- trigger batches_plan_kept
CREATE TRIGGER batches_plan_kept BEFORE UPDATE OF rows_beyond, planned_rows ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: the plan of a batch does not change');
END;

-- trigger batches_planned
CREATE TRIGGER batches_planned BEFORE INSERT ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: a batch begins with its whole plan')
   WHERE NEW.planned_rows <> (SELECT count(*) FROM planned WHERE batch = NEW.id);
END;

-- trigger batches_unchanged
CREATE TRIGGER batches_unchanged BEFORE UPDATE OF id, ordinal, key, generation, account, created_at ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: what a batch is does not change');
END;

-- index batches_unsummed
CREATE INDEX batches_unsummed ON batches (id) WHERE checksum IS NULL;

-- table boots
CREATE TABLE boots (
  id INTEGER PRIMARY KEY,
  boot TEXT NOT NULL UNIQUE,
  seen_at INTEGER NOT NULL,
  seen_uptime INTEGER NOT NULL,
  confirmed_at INTEGER,
  confirmed_uptime INTEGER CHECK ((confirmed_uptime IS NULL) = (confirmed_at IS NULL)),
  checksum INTEGER NOT NULL
) STRICT;

-- trigger boots_beginning
CREATE TRIGGER boots_beginning BEFORE INSERT ON boots WHEN NEW.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a boot begins without a confirmed time');
END;

-- index boots_confirmed
CREATE INDEX boots_confirmed ON boots (confirmed_at);

-- trigger boots_confirming
CREATE TRIGGER boots_confirming BEFORE UPDATE OF confirmed_at, confirmed_uptime ON boots
WHEN OLD.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a confirmed time never goes back')
   WHERE NEW.confirmed_at IS NULL OR NEW.confirmed_at < OLD.confirmed_at
      OR NEW.confirmed_at - NEW.confirmed_uptime < OLD.confirmed_at - OLD.confirmed_uptime;
END;

-- trigger boots_kept
CREATE TRIGGER boots_kept BEFORE UPDATE OF id, boot ON boots BEGIN
  SELECT RAISE(ABORT, 'money rule: a boot is kept as it was written');
END;

-- trigger boots_no_delete
CREATE TRIGGER boots_no_delete BEFORE DELETE ON boots BEGIN
  SELECT RAISE(ABORT, 'money rule: boots are only ever added to');
END;

-- table calls
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  call TEXT NOT NULL,
  answer INTEGER REFERENCES attempts (id),
  doubt INTEGER REFERENCES attempts (id),
  repeats INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL, subject INTEGER REFERENCES subjects (id), after INTEGER CHECK ((after IS NULL) = (subject IS NULL)),
  CHECK (answer IS NULL OR doubt IS NULL)
) STRICT;

-- trigger calls_answered
CREATE TRIGGER calls_answered BEFORE UPDATE OF answer ON calls WHEN NEW.answer IS NOT OLD.answer BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer is taken back only by a retraction')
   WHERE NEW.answer IS NULL AND NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.answer);
  SELECT RAISE(ABORT, 'money rule: an answer comes from a settled attempt of the call, from a person, or from a reading')
   WHERE NEW.answer IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.answer AND a.call = NEW.id
        AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
          OR EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)));
END;

-- trigger calls_change_kept
CREATE TRIGGER calls_change_kept BEFORE UPDATE OF subject, after ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: what a call changes is kept as it was written');
END;

-- trigger calls_changing
CREATE TRIGGER calls_changing BEFORE INSERT ON calls WHEN NEW.subject IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a change and its subject are of one account')
   WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE id = NEW.subject AND account = NEW.account);
END;

-- index calls_doubt
CREATE INDEX calls_doubt ON calls (doubt) WHERE doubt IS NOT NULL;

-- trigger calls_doubted
CREATE TRIGGER calls_doubted BEFORE UPDATE OF doubt ON calls WHEN NEW.doubt IS NOT OLD.doubt BEGIN
  SELECT RAISE(ABORT, 'money rule: a doubt ends only with an answer or a release')
   WHERE (NEW.doubt IS NULL OR NEW.doubt < OLD.doubt) AND NEW.answer IS NULL
     AND NOT EXISTS (SELECT 1 FROM releases WHERE attempt = OLD.doubt);
  SELECT RAISE(ABORT, 'money rule: a doubt comes from an attempt of the call that was lost')
   WHERE NEW.doubt IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM held_attempts WHERE attempt = NEW.doubt AND call = NEW.id);
END;

-- trigger calls_no_delete
CREATE TRIGGER calls_no_delete BEFORE DELETE ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: calls are only ever added to');
END;

-- trigger calls_refreshed
CREATE TRIGGER calls_refreshed BEFORE UPDATE OF answer ON calls WHEN NEW.answer < OLD.answer BEGIN
  SELECT RAISE(ABORT, 'money rule: an older answer comes back only when the newer one is taken back')
   WHERE NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.answer);
END;

-- index calls_subject
CREATE INDEX calls_subject ON calls (subject) WHERE subject IS NOT NULL;

-- trigger calls_unchanged
CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, call, checksum ON calls
WHEN (NEW.id, NEW.account, NEW.operation, NEW.call ->> '$.operation', NEW.call ->> '$.creditsMost', NEW.call ->> '$.after')
  IS NOT (OLD.id, OLD.account, OLD.operation, OLD.call ->> '$.operation', OLD.call ->> '$.creditsMost', OLD.call ->> '$.after')
  OR NOT EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = OLD.id AND x.row = 0) OR NEW.call -> '$.parameters' IS NOT '{}'
  OR NEW.call ->> '$.erasedAtMs' IS NOT (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
END;

-- table changes
CREATE TABLE changes (
  attempt INTEGER PRIMARY KEY REFERENCES closures (attempt) DEFERRABLE INITIALLY DEFERRED,
  subject INTEGER NOT NULL REFERENCES subjects (id),
  sequence INTEGER NOT NULL,
  state TEXT CHECK (state IN ('invited', 'member', 'between', 'gone', 'unsure', 'done')),
  role TEXT CHECK (role IN ('viewer', 'editor', 'admin')),
  email TEXT,
  invite_code TEXT,
  user_id TEXT,
  project_id TEXT,
  checksum INTEGER NOT NULL,
  UNIQUE (subject, sequence),
  CHECK (state IS NOT NULL OR coalesce(role, email, invite_code, user_id, project_id) IS NULL)
) STRICT;

-- trigger changes_effect
CREATE TRIGGER changes_effect AFTER INSERT ON changes BEGIN
  UPDATE subjects SET sequence = NEW.sequence WHERE id = NEW.subject;
END;

-- trigger changes_logging
CREATE TRIGGER changes_logging BEFORE INSERT ON changes BEGIN
  SELECT RAISE(ABORT, 'money rule: an entry is of an attempt of a change of that subject, and follows what it was planned at')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a JOIN calls c ON c.id = a.call
      WHERE a.id = NEW.attempt AND c.subject = NEW.subject AND c.after + 1 = NEW.sequence);
  SELECT RAISE(ABORT, 'money rule: an entry is of a change that is just being settled')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1)
     AND NOT EXISTS (
       SELECT 1 FROM calls c JOIN decisions d ON d.call = c.id AND d.doubt = c.doubt AND d.kind = 'told'
        WHERE c.doubt = NEW.attempt);
END;

-- trigger changes_no_delete
CREATE TRIGGER changes_no_delete BEFORE DELETE ON changes BEGIN
  SELECT RAISE(ABORT, 'money rule: changes are only ever added to');
END;

-- trigger changes_no_update
CREATE TRIGGER changes_no_update BEFORE UPDATE ON changes
WHEN NOT ((NEW.attempt, NEW.subject, NEW.sequence, NEW.state, NEW.role, NEW.project_id) IS (OLD.attempt, OLD.subject, OLD.sequence, OLD.state, OLD.role, OLD.project_id) AND ((NEW.email IS OLD.email OR NEW.email IS NULL) AND (NEW.invite_code IS OLD.invite_code OR NEW.invite_code IS NULL) AND (NEW.user_id IS OLD.user_id OR NEW.user_id IS NULL)) AND EXISTS (SELECT 1 FROM erased x WHERE x.what = 'subject' AND x.id = OLD.subject AND x.row = 0)) BEGIN
  SELECT RAISE(ABORT, 'money rule: changes are only ever added to, and emptied by an erasure');
END;

-- table closures
CREATE TABLE closures (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  kind TEXT NOT NULL CHECK (kind IN ('settled', 'not_sent', 'paused', 'stopped', 'in_doubt')),
  answer TEXT CHECK (answer IN ('found', 'no_match', 'refused')),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  why TEXT NOT NULL,
  closed_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL, dialect INTEGER,
  CHECK ((kind = 'settled') = (answer IS NOT NULL)),
  CHECK (kind = 'settled' OR charged = 0)
) STRICT;

-- trigger closures_answer
CREATE TRIGGER closures_answer AFTER INSERT ON closures WHEN NEW.kind = 'settled' BEGIN
  UPDATE calls SET answer = NEW.attempt, doubt = NULL
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
  UPDATE accounts SET
      answers = answers + 1,
      answers_not_404 = answers_not_404 + ((SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404)
    WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
  INSERT INTO match_rates (account, operation, found, answers)
    SELECT c.account, c.operation, NEW.answer = 'found', 1
      FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = NEW.attempt
    ON CONFLICT (account, operation) DO UPDATE SET found = found + excluded.found, answers = answers + 1;
  INSERT INTO tallies (batch, name, count)
    SELECT batch, 'calls', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger closures_changing
CREATE TRIGGER closures_changing BEFORE INSERT ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: a change is settled with an entry of what it left')
    FROM attempts a JOIN calls c ON c.id = a.call
   WHERE a.id = NEW.attempt AND NEW.kind = 'settled' AND c.subject IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM changes WHERE subject = c.subject AND sequence = c.after + 1);
  SELECT RAISE(ABORT, 'money rule: only a change that is settled has an entry of what it left')
    FROM changes WHERE attempt = NEW.attempt AND NEW.kind <> 'settled';
END;

-- trigger closures_closing
CREATE TRIGGER closures_closing BEFORE INSERT ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer needs its raw reply')
   WHERE NEW.kind = 'settled' AND NOT EXISTS (SELECT 1 FROM replies WHERE attempt = NEW.attempt);
END;

-- trigger closures_doubt
CREATE TRIGGER closures_doubt AFTER INSERT ON closures WHEN NEW.kind = 'in_doubt' BEGIN
  UPDATE calls SET
      doubt = NEW.attempt,
      repeats = repeats + EXISTS (
        SELECT 1 FROM attempts a JOIN decisions d ON d.id = a.decision
         WHERE a.id = NEW.attempt AND d.kind = 'repeat')
    WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt) AND answer IS NULL;
END;

-- trigger closures_miss
CREATE TRIGGER closures_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) = 404 BEGIN
  UPDATE attempts SET newest = (SELECT max(id) FROM attempts) WHERE id = NEW.attempt;
  UPDATE accounts SET misses = misses + 1
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
END;

-- trigger closures_money
CREATE TRIGGER closures_money AFTER INSERT ON closures
WHEN NEW.kind <> 'settled' OR NOT EXISTS (SELECT 1 FROM requests WHERE attempt = NEW.attempt) BEGIN
  UPDATE attempts SET open = 0 WHERE id = NEW.attempt;
  UPDATE money SET
      spent = spent + NEW.charged,
      reserved = reserved - (SELECT a.reserved FROM attempts a WHERE a.id = NEW.attempt),
      in_doubt = in_doubt
        + iif(NEW.kind = 'in_doubt', (SELECT a.reserved FROM attempts a WHERE a.id = NEW.attempt), 0)
    WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.attempt);
  INSERT INTO tallies (batch, name, count)
    SELECT batch, 'requests', 1 FROM attempts WHERE id = NEW.attempt AND NEW.kind <> 'not_sent'
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger closures_money_under_key
CREATE TRIGGER closures_money_under_key AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND EXISTS (SELECT 1 FROM requests WHERE attempt = NEW.attempt) BEGIN
  UPDATE attempts SET open = 0 WHERE id = NEW.attempt;
  UPDATE money SET reserved = reserved - (SELECT a.reserved FROM attempts a WHERE a.id = NEW.attempt)
    WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.attempt);
  UPDATE money SET spent = spent + NEW.charged
    WHERE scope IN (
      SELECT scope FROM attempt_scopes WHERE attempt = coalesce(
        (SELECT min(held) FROM repeated_attempts WHERE attempt = NEW.attempt), NEW.attempt));
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
  INSERT INTO tallies (batch, name, count)
    SELECT batch, 'requests', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger closures_no_delete
CREATE TRIGGER closures_no_delete BEFORE DELETE ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: closures are only ever added to');
END;

-- trigger closures_no_miss
CREATE TRIGGER closures_no_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404 BEGIN
  UPDATE accounts
     SET last_other = max(last_other, NEW.attempt), misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
END;

-- trigger closures_no_update
CREATE TRIGGER closures_no_update BEFORE UPDATE ON closures
WHEN NOT ((NEW.attempt, NEW.kind, NEW.answer, NEW.charged, NEW.closed_at, NEW.dialect) IS (OLD.attempt, OLD.kind, OLD.answer, OLD.charged, OLD.closed_at, OLD.dialect) AND ((NEW.why IS OLD.why OR NEW.why IS 'erased')) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: closures are only ever added to, and emptied by an erasure');
END;

-- table decisions
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

-- trigger decisions_deciding
CREATE TRIGGER decisions_deciding BEFORE INSERT ON decisions BEGIN
  SELECT RAISE(ABORT, 'money rule: only a call in doubt is decided on')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = NEW.call AND doubt = NEW.doubt);
  SELECT RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    FROM calls c, batches b WHERE c.id = NEW.call AND b.id = NEW.batch AND c.account <> b.account;
END;

-- index decisions_doubt
CREATE INDEX decisions_doubt ON decisions (doubt, batch);

-- trigger decisions_no_delete
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions BEGIN
  SELECT RAISE(ABORT, 'money rule: decisions are only ever added to');
END;

-- trigger decisions_no_update
CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions
WHEN NOT ((NEW.id, NEW.call, NEW.doubt, NEW.batch, NEW.kind, NEW.decided_by, NEW.at) IS (OLD.id, OLD.call, OLD.doubt, OLD.batch, OLD.kind, OLD.decided_by, OLD.at) AND ((NEW.why IS OLD.why OR NEW.why IS 'erased')) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.doubt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.doubt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: decisions are only ever added to, and emptied by an erasure');
END;

-- table erased
CREATE TABLE erased (
  what TEXT NOT NULL CHECK (what IN ('call', 'attempt', 'row', 'subject')),
  id INTEGER NOT NULL,
  row INTEGER NOT NULL,
  erasure INTEGER NOT NULL REFERENCES erasures (id),
  PRIMARY KEY (what, id, row, erasure)
) STRICT, WITHOUT ROWID;

-- trigger erased_no_delete
CREATE TRIGGER erased_no_delete BEFORE DELETE ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: erased are only ever added to');
END;

-- trigger erased_no_update
CREATE TRIGGER erased_no_update BEFORE UPDATE ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: erased are only ever added to');
END;

-- trigger erased_settled
CREATE TRIGGER erased_settled BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: what may have been charged is erased only after it is settled')
    FROM attempts a
   WHERE ((NEW.what = 'call' AND a.call = NEW.id) OR (NEW.what = 'attempt' AND a.id = NEW.id))
     AND (a.open = 1 OR EXISTS (SELECT 1 FROM held_attempts h WHERE h.attempt = a.id)
       OR EXISTS (SELECT 1 FROM calls c WHERE c.id = a.call AND c.doubt IS NOT NULL));
  SELECT RAISE(ABORT, 'money rule: an erasure that has ended covers nothing more')
    FROM erasures WHERE id = NEW.erasure AND scrubbed = 1;
END;

-- table erasures
CREATE TABLE erasures (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'age')),
  at INTEGER NOT NULL,
  key_check TEXT CHECK ((key_check IS NULL) = (kind = 'age')),
  files TEXT NOT NULL CHECK (json_type(files) = 'array'),
  checksum INTEGER NOT NULL,
  scrubbed INTEGER NOT NULL DEFAULT 0 CHECK (scrubbed IN (0, 1))
) STRICT;

-- trigger erasures_kept
CREATE TRIGGER erasures_kept BEFORE UPDATE ON erasures
WHEN (NEW.id, NEW.kind, NEW.at, NEW.key_check, NEW.files, NEW.checksum)
  IS NOT (OLD.id, OLD.kind, OLD.at, OLD.key_check, OLD.files, OLD.checksum) OR NEW.scrubbed < OLD.scrubbed BEGIN
  SELECT RAISE(ABORT, 'money rule: erasures are only ever added to');
END;

-- trigger erasures_no_delete
CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures BEGIN
  SELECT RAISE(ABORT, 'money rule: erasures are only ever added to');
END;

-- table files
CREATE TABLE files (
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;

-- view held_attempts
CREATE VIEW held_attempts (attempt, call, reserved) AS
  SELECT a.id, a.call, a.reserved
    FROM attempts a JOIN closures k ON k.attempt = a.id
   WHERE k.kind = 'in_doubt' AND a.freed_by IS NULL
     AND NOT EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
     AND NOT EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id);

-- table ledger
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  commits INTEGER NOT NULL,
  clean INTEGER NOT NULL CHECK (clean IN (0, 1))
, identity TEXT CHECK (length(identity) = 32)) STRICT;

-- trigger ledger_counting
CREATE TRIGGER ledger_counting BEFORE UPDATE OF commits ON ledger WHEN NEW.commits IS NOT OLD.commits + 1
BEGIN SELECT RAISE(ABORT, 'money rule: the commits of a ledger are counted one by one'); END;

-- trigger ledger_named
CREATE TRIGGER ledger_named BEFORE UPDATE OF identity ON ledger WHEN NEW.identity IS NULL
BEGIN SELECT RAISE(ABORT, 'money rule: a ledger has a name'); END;

-- trigger ledger_no_delete
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN
  SELECT RAISE(ABORT, 'money rule: ledger are only ever added to');
END;

-- table looks
CREATE TABLE looks (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  kind TEXT NOT NULL CHECK (kind IN ('read_back', 'usage')),
  said TEXT NOT NULL CHECK (said IN ('happened', 'not_happened', 'unclear')),
  why TEXT NOT NULL,
  status INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

-- index looks_attempt
CREATE INDEX looks_attempt ON looks (attempt);

-- trigger looks_looking
CREATE TRIGGER looks_looking BEFORE INSERT ON looks BEGIN
  SELECT RAISE(ABORT, 'money rule: only a lost attempt is looked at')
   WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt');
END;

-- trigger looks_no_delete
CREATE TRIGGER looks_no_delete BEFORE DELETE ON looks BEGIN
  SELECT RAISE(ABORT, 'money rule: looks are only ever added to');
END;

-- trigger looks_no_update
CREATE TRIGGER looks_no_update BEFORE UPDATE ON looks
WHEN NOT ((NEW.id, NEW.attempt, NEW.kind, NEW.said, NEW.status, NEW.at) IS (OLD.id, OLD.attempt, OLD.kind, OLD.said, OLD.status, OLD.at) AND ((NEW.why IS OLD.why OR NEW.why IS 'erased') AND (NEW.body IS OLD.body OR NEW.body IS x'')) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: looks are only ever added to, and emptied by an erasure');
END;

-- table marks
CREATE TABLE marks (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  lines INTEGER NOT NULL, checksum INTEGER,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

-- table match_rates
CREATE TABLE match_rates (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  found INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  PRIMARY KEY (account, operation)
) STRICT, WITHOUT ROWID;

-- view memberships
CREATE VIEW memberships (account, project, person, email, role, invite_code, user_id, state, sequence) AS
  SELECT p.identity, s.project, s.name, g.email, g.role, g.invite_code, g.user_id, g.state, s.sequence
    FROM subjects s
    JOIN accounts p ON p.id = s.account
    JOIN changes g ON g.subject = s.id AND g.sequence = s.sequence
   WHERE s.project <> '';

-- table money
CREATE TABLE money (
  scope TEXT PRIMARY KEY,
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt >= 0)
) STRICT, WITHOUT ROWID;

-- trigger money_no_delete
CREATE TRIGGER money_no_delete BEFORE DELETE ON money BEGIN
  SELECT RAISE(ABORT, 'money rule: money are only ever added to');
END;

-- table pauses
CREATE TABLE pauses (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (id),
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL,
  why TEXT NOT NULL,
  asked INTEGER NOT NULL CHECK (asked IN (0, 1))
) STRICT;

-- index pauses_account
CREATE INDEX pauses_account ON pauses (account, until_at);

-- view pending_changes
CREATE VIEW pending_changes (subject, call, attempt) AS
  SELECT c.subject, c.id, c.doubt FROM calls c WHERE c.subject IS NOT NULL AND c.doubt IS NOT NULL
  UNION ALL
  SELECT c.subject, c.id, a.id
    FROM calls c JOIN attempts a ON a.call = c.id AND a.open = 1 WHERE c.subject IS NOT NULL;

-- table planned
CREATE TABLE planned (
  batch INTEGER NOT NULL REFERENCES batches (id) DEFERRABLE INITIALLY DEFERRED,
  row INTEGER NOT NULL,
  planned TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

-- trigger planned_no_delete
CREATE TRIGGER planned_no_delete BEFORE DELETE ON planned BEGIN
  SELECT RAISE(ABORT, 'money rule: planned are only ever added to');
END;

-- trigger planned_no_update
CREATE TRIGGER planned_no_update BEFORE UPDATE ON planned
WHEN NOT ((NEW.batch, NEW.row) IS (OLD.batch, OLD.row) AND (json_extract(NEW.planned, '$.outcome.reason') LIKE 'erased on ____-__-__' AND json_extract(NEW.planned, '$.kind') = 'end') AND EXISTS (SELECT 1 FROM erased x WHERE x.what = 'row' AND x.id = OLD.batch AND x.row = OLD.row)) BEGIN
  SELECT RAISE(ABORT, 'money rule: planned are only ever added to, and emptied by an erasure');
END;

-- trigger planned_planning
CREATE TRIGGER planned_planning BEFORE INSERT ON planned BEGIN
  SELECT RAISE(ABORT, 'money rule: nothing is added to the plan of a batch that has begun')
    FROM batches WHERE id = NEW.batch;
END;

-- table prices
CREATE TABLE prices (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  credits_max INTEGER NOT NULL,
  highest INTEGER NOT NULL CHECK (highest >= 0),
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, operation, credits_max)
) STRICT, WITHOUT ROWID;

-- trigger prices_no_delete
CREATE TRIGGER prices_no_delete BEFORE DELETE ON prices BEGIN
  SELECT RAISE(ABORT, 'money rule: prices are only ever added to');
END;

-- trigger prices_rising
CREATE TRIGGER prices_rising BEFORE UPDATE ON prices BEGIN
  SELECT RAISE(ABORT, 'money rule: the highest price that was seen only ever rises')
   WHERE NEW.highest < OLD.highest
      OR (NEW.account, NEW.operation, NEW.credits_max) IS NOT (OLD.account, OLD.operation, OLD.credits_max);
END;

-- table readings
CREATE TABLE readings (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  answer TEXT NOT NULL CHECK (answer IN ('found', 'no_match', 'refused')),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  why TEXT NOT NULL,
  dialect INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- index readings_attempt
CREATE INDEX readings_attempt ON readings (attempt);

-- trigger readings_doubt
CREATE TRIGGER readings_doubt AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt')
 AND NOT EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN
  UPDATE money SET
      spent = spent + NEW.charged,
      in_doubt = in_doubt - (SELECT reserved FROM attempts WHERE id = NEW.attempt)
    WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.attempt);
  UPDATE calls SET answer = NEW.attempt, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count) SELECT batch, 'calls', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger readings_money
CREATE TRIGGER readings_money AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'settled')
  OR EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN
  UPDATE money SET spent = spent + NEW.charged - max(
      (SELECT charged FROM closures WHERE attempt = NEW.attempt),
      coalesce((SELECT max(charged) FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id), 0))
    WHERE scope IN (
      SELECT scope FROM attempt_scopes
       WHERE attempt = coalesce((SELECT min(id) FROM attempts WHERE freed_by = NEW.attempt), NEW.attempt));
END;

-- trigger readings_no_delete
CREATE TRIGGER readings_no_delete BEFORE DELETE ON readings BEGIN
  SELECT RAISE(ABORT, 'money rule: readings are only ever added to');
END;

-- trigger readings_no_update
CREATE TRIGGER readings_no_update BEFORE UPDATE ON readings
WHEN NOT ((NEW.id, NEW.attempt, NEW.answer, NEW.charged, NEW.dialect, NEW.at) IS (OLD.id, OLD.attempt, OLD.answer, OLD.charged, OLD.dialect, OLD.at) AND ((NEW.why IS OLD.why OR NEW.why IS 'erased')) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: readings are only ever added to, and emptied by an erasure');
END;

-- trigger readings_reading
CREATE TRIGGER readings_reading BEFORE INSERT ON readings BEGIN
  SELECT RAISE(ABORT, 'money rule: only an answer of the vendor is read again, or a reply that its call is in doubt about')
   WHERE EXISTS (SELECT 1 FROM retractions WHERE attempt = NEW.attempt)
      OR (NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'settled')
        AND NOT EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt)
        AND NOT EXISTS (
          SELECT 1 FROM calls c JOIN replies r ON r.attempt = c.doubt
           WHERE c.doubt = NEW.attempt
             AND NOT EXISTS (SELECT 1 FROM repeated_attempts WHERE attempt = NEW.attempt)));
  SELECT RAISE(ABORT, 'money rule: the answer to a change is never read again')
    FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = NEW.attempt AND c.subject IS NOT NULL;
  SELECT RAISE(ABORT, 'money rule: no budget falls by a reading')
   WHERE NEW.charged < (
       SELECT iif(k.kind = 'in_doubt', a.reserved, k.charged)
         FROM closures k JOIN attempts a ON a.id = k.attempt WHERE k.attempt = NEW.attempt)
      OR NEW.charged < (SELECT max(charged) FROM readings WHERE attempt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: a reading comes after those that were before it')
   WHERE NEW.id <= (SELECT max(id) FROM readings);
END;

-- table releases
CREATE TABLE releases (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  why TEXT NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- trigger releases_effect
CREATE TRIGGER releases_effect AFTER INSERT ON releases BEGIN
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id = NEW.attempt OR id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
  UPDATE calls SET doubt = (SELECT max(h.attempt) FROM held_attempts h WHERE h.call = calls.id)
   WHERE doubt = NEW.attempt;
END;

-- trigger releases_no_delete
CREATE TRIGGER releases_no_delete BEFORE DELETE ON releases BEGIN
  SELECT RAISE(ABORT, 'money rule: releases are only ever added to');
END;

-- trigger releases_no_update
CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases
WHEN NOT ((NEW.attempt, NEW.at) IS (OLD.attempt, OLD.at) AND ((NEW.why IS OLD.why OR NEW.why IS 'erased')) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: releases are only ever added to, and emptied by an erasure');
END;

-- trigger releases_releasing
CREATE TRIGGER releases_releasing BEFORE INSERT ON releases BEGIN
  SELECT RAISE(ABORT, 'money rule: only what a call is in doubt about is released')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE doubt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: nobody said that it did not happen')
   WHERE NOT EXISTS (SELECT 1 FROM looks WHERE attempt = NEW.attempt AND said = 'not_happened');
  SELECT RAISE(ABORT, 'money rule: a call that is being sent again is not released')
    FROM calls c JOIN attempts a ON a.call = c.id AND a.open = 1 WHERE c.doubt = NEW.attempt;
END;

-- view repeated_attempts
CREATE VIEW repeated_attempts (attempt, held) AS
  SELECT r.attempt, h.attempt
    FROM requests r
    JOIN requests e ON e.idempotency_key = r.idempotency_key AND e.attempt < r.attempt
    JOIN held_attempts h ON h.attempt = e.attempt;

-- table replies
CREATE TABLE replies (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

-- trigger replies_no_delete
CREATE TRIGGER replies_no_delete BEFORE DELETE ON replies BEGIN
  SELECT RAISE(ABORT, 'money rule: replies are only ever added to');
END;

-- trigger replies_no_update
CREATE TRIGGER replies_no_update BEFORE UPDATE ON replies
WHEN NOT ((NEW.attempt, NEW.status, NEW.received_at) IS (OLD.attempt, OLD.status, OLD.received_at) AND ((NEW.headers IS OLD.headers OR NEW.headers IS '{}') AND (NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: replies are only ever added to, and emptied by an erasure');
END;

-- trigger replies_recording
CREATE TRIGGER replies_recording BEFORE INSERT ON replies BEGIN
  SELECT RAISE(ABORT, 'money rule: a reply belongs to an open attempt')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1);
END;

-- table requests
CREATE TABLE requests (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  idempotency_key TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  path TEXT NOT NULL,
  first_sent_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB
) STRICT;

-- trigger requests_keeping
CREATE TRIGGER requests_keeping BEFORE INSERT ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: a request belongs to an open attempt')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1);
  SELECT RAISE(ABORT, 'money rule: an idempotency key stands for one request of one call')
    FROM requests r JOIN attempts e ON e.id = r.attempt JOIN attempts a ON a.id = NEW.attempt
   WHERE r.idempotency_key = NEW.idempotency_key
     AND (e.call <> a.call OR (r.method, r.path, r.body, r.first_sent_at)
       IS NOT (NEW.method, NEW.path, NEW.body, NEW.first_sent_at));
  SELECT RAISE(ABORT, 'money rule: a lost request that is repeated under its key reserves nothing')
    FROM attempts a JOIN requests r ON r.idempotency_key = NEW.idempotency_key
    JOIN held_attempts h ON h.attempt = r.attempt
   WHERE a.id = NEW.attempt AND a.reserved <> 0;
  SELECT RAISE(ABORT, 'money rule: a repeat under a key is the lost request itself')
    FROM attempts a JOIN calls c ON c.id = a.call JOIN decisions d ON d.id = a.decision AND d.kind = 'repeat'
   WHERE a.id = NEW.attempt AND NOT EXISTS (
     SELECT 1 FROM requests r WHERE r.attempt = c.doubt AND r.idempotency_key = NEW.idempotency_key);
END;

-- index requests_key
CREATE INDEX requests_key ON requests (idempotency_key);

-- trigger requests_no_delete
CREATE TRIGGER requests_no_delete BEFORE DELETE ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: requests are only ever added to');
END;

-- trigger requests_no_update
CREATE TRIGGER requests_no_update BEFORE UPDATE ON requests
WHEN NOT ((NEW.attempt, NEW.idempotency_key, NEW.method, NEW.first_sent_at) IS (OLD.attempt, OLD.idempotency_key, OLD.method, OLD.first_sent_at) AND ((NEW.path IS OLD.path OR NEW.path IS 'erased') AND (NEW.body IS OLD.body OR NEW.body IS NULL)) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: requests are only ever added to, and emptied by an erasure');
END;

-- table retractions
CREATE TABLE retractions (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id)
) STRICT;

-- trigger retractions_changing
CREATE TRIGGER retractions_changing BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: the answer to a change is never taken back')
    FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = NEW.attempt AND c.subject IS NOT NULL;
END;

-- trigger retractions_effect
CREATE TRIGGER retractions_effect AFTER INSERT ON retractions BEGIN
  UPDATE match_rates SET answers = answers - 1 WHERE (account, operation) =
    (SELECT c.account, c.operation FROM calls c WHERE c.answer = NEW.attempt);
  UPDATE accounts SET answers = answers - 1 WHERE id = (SELECT account FROM calls WHERE answer = NEW.attempt);
  UPDATE tallies SET count = count - 1
   WHERE name = 'calls' AND batch = (SELECT batch FROM attempts WHERE id = NEW.attempt);
  UPDATE calls SET answer = (SELECT replaces FROM attempts WHERE id = NEW.attempt)
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;

-- trigger retractions_no_delete
CREATE TRIGGER retractions_no_delete BEFORE DELETE ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: retractions are only ever added to');
END;

-- trigger retractions_no_update
CREATE TRIGGER retractions_no_update BEFORE UPDATE ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: retractions are only ever added to');
END;

-- trigger retractions_read
CREATE TRIGGER retractions_read BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: what was read as more than a free miss is not taken back')
    FROM readings WHERE attempt = NEW.attempt AND (answer <> 'no_match' OR charged > 0);
END;

-- trigger retractions_retracting
CREATE TRIGGER retractions_retracting BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: only a free 404 after which its account answered nothing else is taken back')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a
       JOIN calls c ON c.id = a.call AND c.answer = a.id
       JOIN accounts p ON p.id = c.account AND p.last_other <= a.newest
       JOIN closures k ON k.attempt = a.id AND k.answer = 'no_match' AND k.charged = 0
       JOIN replies r ON r.attempt = a.id AND r.status = 404
      WHERE a.id = NEW.attempt);
END;

-- table rows
CREATE TABLE rows (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN
    ('matched', 'no_match', 'applied', 'unchanged', 'invalid', 'refused', 'in_doubt', 'skipped')),
  matched_by TEXT,
  reason TEXT,
  answers TEXT NOT NULL CHECK (json_type(answers) = 'array'), input INTEGER, checksum INTEGER, read_to INTEGER,
  PRIMARY KEY (batch, row),
  CHECK ((kind = 'matched') = (matched_by IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- trigger rows_changed
CREATE TRIGGER rows_changed AFTER UPDATE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.kind;
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.kind, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger rows_final
CREATE TRIGGER rows_final BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a final outcome is never changed')
   WHERE NEW.batch <> OLD.batch OR NEW.row <> OLD.row OR (OLD.kind <> 'in_doubt' AND NOT (
     (NEW.kind, NEW.matched_by, NEW.answers, NEW.read_to)
       IS (OLD.kind, OLD.matched_by, OLD.answers, OLD.read_to)
     AND NEW.input IS NULL AND NEW.reason LIKE 'erased on ____-__-__' AND EXISTS (SELECT 1 FROM erased x WHERE x.what = 'row' AND x.id = OLD.batch AND x.row = OLD.row)));
END;

-- index rows_in_doubt
CREATE INDEX rows_in_doubt ON rows (batch, row) WHERE kind = 'in_doubt';

-- trigger rows_kept
CREATE TRIGGER rows_kept BEFORE DELETE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a settled row is kept unless its answer was taken back')
   WHERE NOT EXISTS (
     SELECT 1 FROM json_each(OLD.answers) j JOIN retractions r ON r.attempt = j.value);
END;

-- trigger rows_pointing_insert
CREATE TRIGGER rows_pointing_insert BEFORE INSERT ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that exist')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = j.value);
END;

-- trigger rows_pointing_update
CREATE TRIGGER rows_pointing_update BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that exist')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = j.value);
END;

-- trigger rows_reopened
CREATE TRIGGER rows_reopened AFTER DELETE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.kind;
END;

-- trigger rows_settled
CREATE TRIGGER rows_settled AFTER INSERT ON rows BEGIN
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.kind, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- table subjects
CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (id),
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL,
  UNIQUE (account, project, name)
) STRICT;

-- trigger subjects_beginning
CREATE TRIGGER subjects_beginning BEFORE INSERT ON subjects WHEN NEW.sequence <> 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject begins unchanged');
END;

-- trigger subjects_moving
CREATE TRIGGER subjects_moving BEFORE UPDATE OF sequence ON subjects BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject moves on by one, with the entry of a settled change')
   WHERE NEW.sequence <> OLD.sequence + 1
      OR NOT EXISTS (SELECT 1 FROM changes WHERE subject = NEW.id AND sequence = NEW.sequence);
END;

-- trigger subjects_no_delete
CREATE TRIGGER subjects_no_delete BEFORE DELETE ON subjects BEGIN
  SELECT RAISE(ABORT, 'money rule: subjects are only ever added to');
END;

-- trigger subjects_unchanged
CREATE TRIGGER subjects_unchanged BEFORE UPDATE OF id, account, project, name, checksum ON subjects
WHEN NOT ((NEW.id, NEW.account, NEW.project) IS (OLD.id, OLD.account, OLD.project) AND (NEW.name = 'erased:' || OLD.id) AND EXISTS (SELECT 1 FROM erased x WHERE x.what = 'subject' AND x.id = OLD.id AND x.row = 0)) BEGIN
  SELECT RAISE(ABORT, 'money rule: subjects are only ever added to, and emptied by an erasure');
END;

-- table tallies
CREATE TABLE tallies (
  batch INTEGER NOT NULL REFERENCES batches (id),
  name TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (batch, name)
) STRICT, WITHOUT ROWID;

-- table told
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

-- trigger told_changing
CREATE TRIGGER told_changing BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: a change is told about with an entry of what it left')
    FROM attempts a JOIN calls c ON c.id = a.call
   WHERE a.id = NEW.attempt AND c.subject IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM changes WHERE attempt = c.doubt);
END;

-- trigger told_held
CREATE TRIGGER told_held BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: what was given back is not charged')
    FROM attempts WHERE id = NEW.attempt AND freed_by IS NOT NULL;
END;

-- trigger told_money
CREATE TRIGGER told_money AFTER INSERT ON told BEGIN
  UPDATE money SET spent = spent + NEW.charged, in_doubt = in_doubt - NEW.charged
   WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.attempt);
  UPDATE calls SET answer = NEW.attempt, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count)
    SELECT a.batch, 'calls', 1 FROM attempts a JOIN calls c ON c.answer = a.id AND c.id = a.call
     WHERE a.id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger told_no_delete
CREATE TRIGGER told_no_delete BEFORE DELETE ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: told are only ever added to');
END;

-- trigger told_no_update
CREATE TRIGGER told_no_update BEFORE UPDATE ON told
WHEN NOT ((NEW.attempt, NEW.decision, NEW.charged, NEW.status, NEW.received_at) IS (OLD.attempt, OLD.decision, OLD.charged, OLD.status, OLD.received_at) AND ((NEW.headers IS OLD.headers OR NEW.headers IS '{}') AND (NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: told are only ever added to, and emptied by an erasure');
END;

-- trigger told_telling
CREATE TRIGGER told_telling BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: only an attempt in doubt can be told')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a
       JOIN closures k ON k.attempt = a.id AND k.kind = 'in_doubt'
       JOIN calls c ON c.id = a.call AND c.doubt IS NOT NULL
       JOIN decisions d ON d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt AND d.kind = 'told'
      WHERE a.id = NEW.attempt AND NEW.charged = a.reserved);
END;
