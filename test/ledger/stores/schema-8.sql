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

-- index attempts_later
CREATE INDEX attempts_later ON attempts (call) WHERE call <> id;

-- trigger attempts_price
CREATE TRIGGER attempts_price BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt reserves the highest price that was seen')
    FROM calls c
    -- With a plus the JSON is read only where a price is kept at all.
    JOIN asked q ON q.call = c.id
    JOIN prices p ON p.account = c.account AND p.operation = q.operation
     AND +p.credits_max = coalesce(q.credits_most, -1)
   WHERE c.id = NEW.call AND NEW.reserved < p.highest
     -- What is sent again to the byte is charged once, and the lost attempt holds the money for that.
     AND NOT (NEW.reserved = 0 AND EXISTS (
       SELECT 1 FROM decisions d JOIN requests r ON r.attempt = d.doubt
        WHERE d.id = NEW.decision AND d.kind = 'repeat'));
END;

-- table calls
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL CHECK (length(key) = 32),
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT,
  shape INTEGER REFERENCES shapes (id),
  call TEXT NOT NULL,
  answer INTEGER REFERENCES attempts (id),
  doubt INTEGER REFERENCES attempts (id),
  repeats INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL,
  subject INTEGER REFERENCES subjects (id),
  after INTEGER CHECK ((after IS NULL) = (subject IS NULL)),
  CHECK (answer IS NULL OR doubt IS NULL),
  CHECK ((operation IS NULL) = (shape IS NOT NULL))
) STRICT;

-- index calls_key
CREATE INDEX calls_key ON calls (substr(key, 1, 4));

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

-- trigger calls_unchanged
CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, shape, call, checksum ON calls
WHEN (NEW.id, NEW.account, NEW.operation, NEW.shape, NEW.call ->> '$.operation', NEW.call ->> '$.creditsMost', NEW.call ->> '$.after')
  IS NOT (SELECT q.call, OLD.account, q.operation, NULL, q.operation, q.credits_most, OLD.after FROM asked q WHERE q.call = OLD.id)
  OR NOT EXISTS (SELECT 1 FROM erased x WHERE x.what = 'call' AND x.id = OLD.id AND x.row = 0) OR NEW.call -> '$.parameters' IS NOT '{}'
  OR NEW.call ->> '$.erasedAtMs' IS NOT (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
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
  UPDATE calls SET answer = (SELECT replaces FROM attempts WHERE id = NEW.attempt)
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
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
