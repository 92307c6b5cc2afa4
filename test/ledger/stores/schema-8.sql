-- view asked
CREATE VIEW asked (call, operation, credits_most) AS
  SELECT c.id, coalesce(c.operation, (SELECT s.operation FROM shapes s WHERE s.id = c.shape)),
         iif(c.shape IS NULL, c.call ->> '$.creditsMost', (SELECT s.credits_most FROM shapes s WHERE s.id = c.shape))
    FROM calls c;

-- view attempt_books
CREATE VIEW attempt_books (attempt, batch, day, operation, retried, reserved) AS
  SELECT a.id, a.batch, a.intent_at / 86400000, q.operation,
         coalesce((SELECT d.kind = 'retry' FROM decisions d WHERE d.id = a.decision), 0), a.reserved
    FROM attempts a JOIN asked q ON q.call = a.call;

-- table attempts
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  call_behind INTEGER NOT NULL,
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  paid_behind INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  intent_at INTEGER NOT NULL,
  decision INTEGER REFERENCES decisions (id),
  replaces INTEGER REFERENCES attempts (id),
  checksum INTEGER NOT NULL,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  freed_by INTEGER REFERENCES attempts (id),
  newest INTEGER,
  boot INTEGER REFERENCES boots (id),
  uptime INTEGER CHECK ((uptime IS NULL) = (boot IS NULL)),
  call INTEGER NOT NULL GENERATED ALWAYS AS (id - call_behind) VIRTUAL REFERENCES calls (id),
  paid_row INTEGER NOT NULL GENERATED ALWAYS AS (row - paid_behind) VIRTUAL
) STRICT;

-- trigger attempts_admission
CREATE TRIGGER attempts_admission BEFORE INSERT ON attempts BEGIN
  -- Its call is counted from its number, which is not known here unless it was written.
  SELECT RAISE(ABORT, 'money rule: an attempt says its number') WHERE NEW.id < 1;
  SELECT CASE
    WHEN NEW.open <> 1 THEN RAISE(ABORT, 'money rule: an attempt begins open')
    WHEN b.state = 'superseded' OR b.state = 'cancelled'
      THEN RAISE(ABORT, 'money rule: a superseded or cancelled batch admits nothing')
    WHEN c.account <> b.account THEN RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    WHEN c.answer IS NOT NULL AND c.answer IS NOT NEW.replaces
      THEN RAISE(ABORT, 'money rule: the call is already answered')
    WHEN NEW.replaces IS NOT NULL AND c.answer IS NOT NEW.replaces
      THEN RAISE(ABORT, 'money rule: there is no such answer to replace')
    WHEN c.doubt IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM decisions d WHERE d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt
           AND d.batch = NEW.batch AND d.kind IN ('repeat', 'retry'))
      THEN RAISE(ABORT, 'money rule: the call is in doubt and nobody decided to send it again')
    WHEN c.doubt IS NULL AND NEW.decision IS NOT NULL
      THEN RAISE(ABORT, 'money rule: a decision without a doubt')
    END
    FROM calls c CROSS JOIN batches b WHERE c.id = NEW.call AND b.id = NEW.batch;
END;

-- index attempts_later
CREATE INDEX attempts_later ON attempts (call) WHERE call <> id;

-- trigger attempts_paid_row
CREATE TRIGGER attempts_paid_row BEFORE UPDATE OF paid_behind ON attempts WHEN NEW.paid_behind < OLD.paid_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: the row that paid is the lowest that used the answer');
END;

-- trigger attempts_price
CREATE TRIGGER attempts_price BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt reserves the highest price that was seen')
    FROM calls c
    -- Few accounts have prices, so what the call asks for is read last.
    CROSS JOIN prices p ON p.account = c.account
    CROSS JOIN asked q ON q.call = c.id AND q.operation = p.operation AND coalesce(q.credits_most, -1) = p.credits_max
   WHERE c.id = NEW.call AND NEW.reserved < p.highest
     -- What is sent again to the byte is charged once, and the lost attempt holds the money for that.
     AND NOT (NEW.reserved = 0 AND EXISTS (
       SELECT 1 FROM decisions d JOIN requests r ON r.attempt = d.doubt
        WHERE d.id = NEW.decision AND d.kind = 'repeat'));
END;

-- trigger attempts_unchanged
CREATE TRIGGER attempts_unchanged
BEFORE UPDATE OF id, call_behind, batch, row, reserved, intent_at, decision, replaces, checksum ON attempts
WHEN (NEW.id, NEW.call_behind, NEW.batch, NEW.row, NEW.reserved, NEW.intent_at, NEW.decision, NEW.replaces)
  IS NOT (OLD.id, OLD.call_behind, OLD.batch, OLD.row, OLD.reserved, OLD.intent_at, OLD.decision, OLD.replaces)
  OR NOT EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = OLD.id - OLD.call_behind AND x.row = 0) BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

-- table calls
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL CHECK (length(key) = 32),
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT,
  shape INTEGER REFERENCES shapes (id),
  own ANY NOT NULL,
  answer_behind INTEGER,
  doubt INTEGER REFERENCES attempts (id),
  repeats INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL,
  subject INTEGER REFERENCES subjects (id),
  after INTEGER CHECK ((after IS NULL) = (subject IS NULL)),
  answer INTEGER GENERATED ALWAYS AS (id + answer_behind) VIRTUAL REFERENCES attempts (id),
  call TEXT NOT NULL GENERATED ALWAYS AS (iif(typeof(own) = 'integer', '"' || own || '"', own)) VIRTUAL,
  CHECK (answer_behind IS NULL OR doubt IS NULL),
  CHECK ((operation IS NULL) = (shape IS NOT NULL))
) STRICT;

-- trigger calls_answered
CREATE TRIGGER calls_answered BEFORE UPDATE OF answer_behind ON calls WHEN NEW.answer_behind IS NOT OLD.answer_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer is taken back only by a retraction')
   WHERE NEW.answer_behind IS NULL AND NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.id + OLD.answer_behind);
  SELECT RAISE(ABORT, 'money rule: an answer comes from a settled attempt of the call, from a person, or from a reading')
   WHERE NEW.answer_behind IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.id + NEW.answer_behind AND a.call = NEW.id
        AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
          OR EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)));
END;

-- trigger calls_doubted
CREATE TRIGGER calls_doubted BEFORE UPDATE OF doubt ON calls WHEN NEW.doubt IS NOT OLD.doubt BEGIN
  SELECT RAISE(ABORT, 'money rule: a doubt ends only with an answer or a release')
   WHERE (NEW.doubt IS NULL OR NEW.doubt < OLD.doubt) AND NEW.answer_behind IS NULL
     AND NOT EXISTS (SELECT 1 FROM releases WHERE attempt = OLD.doubt);
  SELECT RAISE(ABORT, 'money rule: a doubt comes from an attempt of the call that was lost')
   WHERE NEW.doubt IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM held_attempts WHERE attempt = NEW.doubt AND call = NEW.id);
END;

-- index calls_key
CREATE INDEX calls_key ON calls (substr(key, 1, 4));

-- trigger calls_beginning
CREATE TRIGGER calls_beginning BEFORE INSERT ON calls WHEN NEW.answer_behind IS NOT NULL OR NEW.doubt IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a call begins without an answer and without a doubt');
END;

-- trigger calls_one_key_insert
CREATE TRIGGER calls_one_key_insert BEFORE INSERT ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: a key stands for one call')
    FROM calls c WHERE substr(c.key, 1, 4) = substr(NEW.key, 1, 4) AND c.key = NEW.key AND c.id IS NOT NEW.id;
END;

-- trigger calls_one_key_update
CREATE TRIGGER calls_one_key_update BEFORE UPDATE OF key ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: a key stands for one call')
    FROM calls c WHERE substr(c.key, 1, 4) = substr(NEW.key, 1, 4) AND c.key = NEW.key AND c.id IS NOT NEW.id;
END;

-- trigger calls_refreshed
CREATE TRIGGER calls_refreshed BEFORE UPDATE OF answer_behind ON calls WHEN NEW.answer_behind < OLD.answer_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: an older answer comes back only when the newer one is taken back')
   WHERE NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.id + OLD.answer_behind);
END;

-- trigger calls_unchanged
CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, shape, own, checksum ON calls
WHEN (NEW.id, NEW.account, NEW.operation, NEW.shape, NEW.own ->> '$.operation', NEW.own ->> '$.creditsMost', NEW.own ->> '$.after')
  IS NOT (SELECT q.call, OLD.account, q.operation, NULL, q.operation, q.credits_most, OLD.after FROM asked q WHERE q.call = OLD.id)
  OR NOT EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = OLD.id AND x.row = 0) OR NEW.own -> '$.parameters' IS NOT '{}'
  OR NEW.own ->> '$.erasedAtMs' IS NOT (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
END;

-- table closures
CREATE TABLE closures (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  ending INTEGER NOT NULL CHECK (ending BETWEEN 0 AND 6),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  said ANY NOT NULL,
  closed_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  dialect INTEGER,
  kind TEXT NOT NULL GENERATED ALWAYS AS (CASE ending WHEN 0 THEN 'settled' WHEN 1 THEN 'settled' WHEN 2 THEN 'settled' WHEN 3 THEN 'not_sent' WHEN 4 THEN 'paused' WHEN 5 THEN 'stopped' WHEN 6 THEN 'in_doubt' END) VIRTUAL,
  answer TEXT GENERATED ALWAYS AS (CASE ending WHEN 0 THEN 'no_match' WHEN 1 THEN 'found' WHEN 2 THEN 'refused' END) VIRTUAL,
  why TEXT NOT NULL GENERATED ALWAYS AS (iif(typeof(said) = 'integer', 'status ' || said, said)) VIRTUAL,
  CHECK (kind = 'settled' OR charged = 0)
) STRICT;

-- trigger closures_answer
CREATE TRIGGER closures_answer AFTER INSERT ON closures WHEN NEW.kind = 'settled' BEGIN
  UPDATE calls SET answer_behind = NEW.attempt - id, doubt = NULL
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;

-- trigger closures_no_update
CREATE TRIGGER closures_no_update BEFORE UPDATE ON closures
WHEN NOT ((NEW.attempt, NEW.ending, NEW.charged, NEW.closed_at, NEW.dialect) IS (OLD.attempt, OLD.ending, OLD.charged, OLD.closed_at, OLD.dialect) AND ((NEW.said IS OLD.said OR NEW.said IS 'erased')) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: closures are only ever added to, and emptied by an erasure');
END;

-- trigger erased_settled
CREATE TRIGGER erased_settled BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: what may have been charged is erased only after it is settled')
    FROM attempts a
   WHERE ((NEW.what = 'call' AND ((a.id = NEW.id AND a.call = NEW.id) OR (a.call = NEW.id AND a.call <> a.id))) OR (NEW.what = 'attempt' AND a.id = NEW.id))
     AND (a.open = 1 OR EXISTS (SELECT 1 FROM held_attempts h WHERE h.attempt = a.id)
       OR EXISTS (SELECT 1 FROM calls c WHERE c.id = a.call AND c.doubt IS NOT NULL));
  SELECT RAISE(ABORT, 'money rule: an erasure that has ended covers nothing more')
    FROM erasures WHERE id = NEW.erasure AND scrubbed = 1;
END;

-- trigger readings_doubt
CREATE TRIGGER readings_doubt AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt')
 AND NOT EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, spent, in_doubt)
    SELECT batch, day, operation, retried, NEW.charged, -reserved FROM attempt_books WHERE attempt = NEW.attempt
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent, in_doubt = in_doubt + excluded.in_doubt;
  UPDATE calls SET answer_behind = NEW.attempt - id, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count) SELECT batch, 'calls', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger releases_effect
CREATE TRIGGER releases_effect AFTER INSERT ON releases BEGIN
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id = NEW.attempt OR id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
  UPDATE calls SET doubt = (SELECT max(h.attempt) FROM held_attempts h WHERE ((h.attempt = calls.id AND h.call = calls.id) OR (h.call = calls.id AND h.call <> h.attempt)))
   WHERE doubt = NEW.attempt;
END;

-- table replies
CREATE TABLE replies (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL,
  shape INTEGER REFERENCES shapes (id)
) STRICT;

-- trigger replies_no_update
CREATE TRIGGER replies_no_update BEFORE UPDATE ON replies
WHEN NOT ((NEW.attempt, NEW.status, NEW.received_at) IS (OLD.attempt, OLD.status, OLD.received_at) AND (((NEW.headers IS OLD.headers OR NEW.headers IS '{}') AND NEW.shape IS OLD.shape OR NEW.headers IS '{}' AND NEW.shape IS NULL) AND (NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))) AND (EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = (SELECT a.call FROM attempts a WHERE a.id = OLD.attempt) AND x.row = 0) OR EXISTS (SELECT 1 FROM erased x WHERE x.what = 'attempt' AND x.id = OLD.attempt AND x.row = 0))) BEGIN
  SELECT RAISE(ABORT, 'money rule: replies are only ever added to, and emptied by an erasure');
END;

-- trigger retractions_effect
CREATE TRIGGER retractions_effect AFTER INSERT ON retractions BEGIN
  UPDATE match_rates SET answers = answers - 1 WHERE (account, operation) =
    (SELECT c.account, q.operation FROM calls c JOIN asked q ON q.call = c.id WHERE c.answer = NEW.attempt);
  UPDATE accounts SET answers = answers - 1 WHERE id = (SELECT account FROM calls WHERE answer = NEW.attempt);
  UPDATE tallies SET count = count - 1
   WHERE name = 'calls' AND batch = (SELECT batch FROM attempts WHERE id = NEW.attempt);
  UPDATE calls SET answer_behind = (SELECT replaces FROM attempts WHERE id = NEW.attempt) - id
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;

-- table rows
CREATE TABLE rows (
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  ended INTEGER NOT NULL CHECK (ended BETWEEN 0 AND 7),
  matched_by TEXT,
  reason TEXT,
  settled_by ANY NOT NULL CHECK (typeof(settled_by) = 'integer' OR json_type(settled_by) = 'array'),
  input INTEGER,
  checksum INTEGER,
  read_to INTEGER,
  kind TEXT NOT NULL GENERATED ALWAYS AS (CASE ended WHEN 0 THEN 'no_match' WHEN 1 THEN 'matched' WHEN 2 THEN 'applied' WHEN 3 THEN 'unchanged' WHEN 4 THEN 'invalid' WHEN 5 THEN 'refused' WHEN 6 THEN 'in_doubt' WHEN 7 THEN 'skipped' END) VIRTUAL,
  answers TEXT NOT NULL GENERATED ALWAYS AS (iif(typeof(settled_by) = 'integer', '[' || settled_by || ']', settled_by)) VIRTUAL,
  PRIMARY KEY (batch, row),
  CHECK ((kind = 'matched') = (matched_by IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- trigger rows_final
CREATE TRIGGER rows_final BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a final outcome is never changed')
   WHERE NEW.batch <> OLD.batch OR NEW.row <> OLD.row OR (OLD.ended <> 6 AND NOT (
     (NEW.ended, NEW.matched_by, NEW.settled_by, NEW.read_to)
       IS (OLD.ended, OLD.matched_by, OLD.settled_by, OLD.read_to)
     AND NEW.input IS NULL AND NEW.reason LIKE 'erased on ____-__-__' AND EXISTS (SELECT 1 FROM erased x WHERE x.what = 'row' AND x.id = OLD.batch AND x.row = OLD.row)));
END;

-- trigger rows_pointing_insert
CREATE TRIGGER rows_pointing_insert BEFORE INSERT ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that are closed')
    FROM json_each(iif(typeof(NEW.settled_by) = 'integer', '[' || NEW.settled_by || ']', NEW.settled_by)) j WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = j.value);
END;

-- trigger rows_pointing_update
CREATE TRIGGER rows_pointing_update BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that are closed')
    FROM json_each(iif(typeof(NEW.settled_by) = 'integer', '[' || NEW.settled_by || ']', NEW.settled_by)) j WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = j.value);
END;

-- table shapes
CREATE TABLE shapes (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,
  checksum INTEGER NOT NULL,
  operation TEXT GENERATED ALWAYS AS (text ->> '$.operation') STORED,
  credits_most INTEGER GENERATED ALWAYS AS (text ->> '$.creditsMost') STORED
) STRICT;

-- trigger shapes_no_delete
CREATE TRIGGER shapes_no_delete BEFORE DELETE ON shapes BEGIN
  SELECT RAISE(ABORT, 'money rule: shapes are only ever added to');
END;

-- trigger shapes_no_update
CREATE TRIGGER shapes_no_update BEFORE UPDATE ON shapes BEGIN
  SELECT RAISE(ABORT, 'money rule: shapes are only ever added to');
END;

-- trigger told_money
CREATE TRIGGER told_money AFTER INSERT ON told BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, spent, in_doubt)
    SELECT batch, day, operation, retried, NEW.charged, -NEW.charged FROM attempt_books WHERE attempt = NEW.attempt
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent, in_doubt = in_doubt + excluded.in_doubt;
  UPDATE calls SET answer_behind = NEW.attempt - id, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count)
    SELECT a.batch, 'calls', 1 FROM attempts a JOIN calls c ON c.answer = a.id AND c.id = a.call
     WHERE a.id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;
