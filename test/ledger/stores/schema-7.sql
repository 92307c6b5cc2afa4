-- view attempt_books
CREATE VIEW attempt_books (attempt, batch, day, operation, retried, reserved) AS
  SELECT a.id, a.batch, a.intent_at / 86400000, c.operation,
         coalesce((SELECT d.kind = 'retry' FROM decisions d WHERE d.id = a.decision), 0), a.reserved
    FROM attempts a JOIN calls c ON c.id = a.call;

-- trigger attempts_admission
CREATE TRIGGER attempts_admission BEFORE INSERT ON attempts BEGIN
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

-- trigger attempts_freed
CREATE TRIGGER attempts_freed AFTER UPDATE OF freed_by ON attempts BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, in_doubt)
    SELECT batch, day, operation, retried, -reserved FROM attempt_books WHERE attempt = NEW.id
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET in_doubt = in_doubt + excluded.in_doubt;
END;

-- trigger attempts_price
CREATE TRIGGER attempts_price BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt reserves the highest price that was seen')
    FROM calls c
    -- With a plus the JSON is read only where a price is kept at all.
    JOIN prices p ON p.account = c.account AND p.operation = c.operation
     AND +p.credits_max = coalesce(json_extract(c.call, '$.creditsMost'), -1)
   WHERE c.id = NEW.call AND NEW.reserved < p.highest
     -- What is sent again to the byte is charged once, and the lost attempt holds the money for that.
     AND NOT (NEW.reserved = 0 AND EXISTS (
       SELECT 1 FROM decisions d JOIN requests r ON r.attempt = d.doubt
        WHERE d.id = NEW.decision AND d.kind = 'repeat'));
END;

-- trigger attempts_reserve
CREATE TRIGGER attempts_reserve AFTER INSERT ON attempts BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, admitted, reserved)
    SELECT batch, day, operation, retried, 1, NEW.reserved FROM attempt_books WHERE attempt = NEW.id
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET admitted = admitted + excluded.admitted, reserved = reserved + excluded.reserved;
END;

-- table closures
CREATE TABLE closures (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  kind TEXT NOT NULL CHECK (kind = 'settled' OR kind = 'not_sent' OR kind = 'paused' OR kind = 'stopped' OR kind = 'in_doubt'),
  answer TEXT CHECK (answer = 'found' OR answer = 'no_match' OR answer = 'refused'),
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
END;

-- trigger closures_money
CREATE TRIGGER closures_money AFTER INSERT ON closures BEGIN
  UPDATE attempts SET open = 0 WHERE id = NEW.attempt;
  INSERT INTO unbooked (batch, day, operation, retried, spent, reserved, in_doubt, requests, answers, found, answers_not_404, last_other)
    SELECT batch, day, operation, retried, NEW.charged, -reserved, iif(NEW.kind = 'in_doubt', reserved, 0), NEW.kind <> 'not_sent', NEW.kind = 'settled', NEW.answer IS 'found', (NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404), NEW.attempt * (NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404) FROM attempt_books WHERE attempt = NEW.attempt
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent, reserved = reserved + excluded.reserved, in_doubt = in_doubt + excluded.in_doubt, requests = requests + excluded.requests, answers = answers + excluded.answers, found = found + excluded.found, answers_not_404 = answers_not_404 + excluded.answers_not_404, last_other = max(last_other, excluded.last_other);
END;

-- trigger closures_money_under_key
CREATE TRIGGER closures_money_under_key AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND EXISTS (SELECT 1 FROM repeated_attempts WHERE attempt = NEW.attempt) BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, spent)
    SELECT batch, day, operation, retried, -NEW.charged FROM attempt_books WHERE attempt = NEW.attempt
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent;
  INSERT INTO unbooked (batch, day, operation, retried, spent)
    SELECT batch, day, operation, retried, NEW.charged FROM attempt_books WHERE attempt = (SELECT min(held) FROM repeated_attempts WHERE attempt = NEW.attempt)
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent;
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
END;

-- trigger closures_no_miss
CREATE TRIGGER closures_no_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404 BEGIN
  UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt)
     AND (misses > 0 OR misses_place IS NOT NULL OR misses_kept = 1);
END;

-- trigger readings_doubt
CREATE TRIGGER readings_doubt AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt')
 AND NOT EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, spent, in_doubt)
    SELECT batch, day, operation, retried, NEW.charged, -reserved FROM attempt_books WHERE attempt = NEW.attempt
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent, in_doubt = in_doubt + excluded.in_doubt;
  UPDATE calls SET answer = NEW.attempt, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count) SELECT batch, 'calls', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- trigger readings_money
CREATE TRIGGER readings_money AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'settled')
  OR EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, spent)
    SELECT batch, day, operation, retried, NEW.charged - max(
      (SELECT charged FROM closures WHERE attempt = NEW.attempt),
      coalesce((SELECT max(charged) FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id), 0)) FROM attempt_books WHERE attempt = coalesce((SELECT min(id) FROM attempts WHERE freed_by = NEW.attempt), NEW.attempt)
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent;
END;

-- trigger retractions_retracting
CREATE TRIGGER retractions_retracting BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: nothing is taken back before all answers are booked') FROM unbooked;
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
  kind TEXT NOT NULL CHECK (kind = 'matched' OR kind = 'no_match' OR kind = 'applied' OR kind = 'unchanged' OR kind = 'invalid' OR kind = 'refused' OR kind = 'in_doubt' OR kind = 'skipped'),
  matched_by TEXT,
  reason TEXT,
  answers TEXT NOT NULL CHECK (json_type(answers) = 'array'), input INTEGER, checksum INTEGER, read_to INTEGER,
  PRIMARY KEY (batch, row),
  CHECK ((kind = 'matched') = (matched_by IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- trigger rows_pointing_insert
CREATE TRIGGER rows_pointing_insert BEFORE INSERT ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that are closed')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = j.value);
END;

-- trigger rows_pointing_update
CREATE TRIGGER rows_pointing_update BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that are closed')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = j.value);
END;

-- trigger told_money
CREATE TRIGGER told_money AFTER INSERT ON told BEGIN
  INSERT INTO unbooked (batch, day, operation, retried, spent, in_doubt)
    SELECT batch, day, operation, retried, NEW.charged, -NEW.charged FROM attempt_books WHERE attempt = NEW.attempt
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET spent = spent + excluded.spent, in_doubt = in_doubt + excluded.in_doubt;
  UPDATE calls SET answer = NEW.attempt, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count)
    SELECT a.batch, 'calls', 1 FROM attempts a JOIN calls c ON c.answer = a.id AND c.id = a.call
     WHERE a.id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- table unbooked
CREATE TABLE unbooked (
  batch INTEGER NOT NULL,
  day INTEGER NOT NULL,
  operation TEXT NOT NULL,
  retried INTEGER NOT NULL,
  admitted INTEGER NOT NULL DEFAULT 0,
  spent INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL DEFAULT 0,
  in_doubt INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  answers INTEGER NOT NULL DEFAULT 0,
  found INTEGER NOT NULL DEFAULT 0,
  answers_not_404 INTEGER NOT NULL DEFAULT 0,
  last_other INTEGER NOT NULL DEFAULT 0,
  booked INTEGER NOT NULL DEFAULT 0 CHECK (booked = 0) REFERENCES ledger (id) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (batch, day, operation, retried)
) STRICT, WITHOUT ROWID;

-- trigger unbooked_booking
CREATE TRIGGER unbooked_booking BEFORE DELETE ON unbooked BEGIN
  SELECT RAISE(ABORT, 'money rule: above a cap')
    FROM unbooked_scopes s
   WHERE OLD.admitted > 0 AND s.cap IS NOT NULL
     AND (s.batch, s.day, s.operation, s.retried) = (OLD.batch, OLD.day, OLD.operation, OLD.retried)
     AND s.cap < (SELECT sum(x.moved) FROM unbooked_scopes x WHERE x.scope = s.scope)
       + coalesce((SELECT m.spent + m.reserved + m.in_doubt FROM money m WHERE m.scope = s.scope), 0);
  -- The new totals, and not the differences, because a difference may be below zero.
  INSERT INTO money (scope, spent, reserved, in_doubt)
    SELECT s.scope, coalesce(m.spent, 0) + OLD.spent, coalesce(m.reserved, 0) + OLD.reserved,
           coalesce(m.in_doubt, 0) + OLD.in_doubt
      FROM unbooked_scopes s LEFT JOIN money m ON m.scope = s.scope
     WHERE (s.batch, s.day, s.operation, s.retried) = (OLD.batch, OLD.day, OLD.operation, OLD.retried)
    ON CONFLICT (scope) DO UPDATE
      SET spent = excluded.spent, reserved = excluded.reserved, in_doubt = excluded.in_doubt;
  INSERT INTO tallies (batch, name, count)
    SELECT OLD.batch, name, count FROM (
      SELECT 'requests' AS name, OLD.requests AS count UNION ALL SELECT 'calls', OLD.answers) WHERE count > 0
    ON CONFLICT (batch, name) DO UPDATE SET count = count + excluded.count;
  UPDATE accounts SET
      answers = answers + OLD.answers,
      answers_not_404 = answers_not_404 + OLD.answers_not_404,
      last_other = max(last_other, OLD.last_other)
    WHERE OLD.answers > 0 AND id = (SELECT account FROM batches WHERE id = OLD.batch);
  INSERT INTO match_rates (account, operation, found, answers)
    SELECT account, OLD.operation, OLD.found, OLD.answers FROM batches WHERE id = OLD.batch AND OLD.answers > 0
    ON CONFLICT (account, operation) DO UPDATE
      SET found = found + excluded.found, answers = answers + excluded.answers;
END;

-- view unbooked_scopes
CREATE VIEW unbooked_scopes (batch, day, operation, retried, moved, scope, cap) AS
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt, 'batch:' || u.batch, b.budget
    FROM unbooked u JOIN batches b ON b.id = u.batch
  UNION ALL
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt,
         'day:' || b.account || ':' || date(u.day * 86400, 'unixepoch'), p.per_day
    FROM unbooked u JOIN batches b ON b.id = u.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt,
         'month:' || b.account || ':' || strftime('%Y-%m', u.day * 86400, 'unixepoch'), p.per_month
    FROM unbooked u JOIN batches b ON b.id = u.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt, 'extra:' || u.batch, b.extra_credits
    FROM unbooked u JOIN batches b ON b.id = u.batch WHERE u.retried = 1;
