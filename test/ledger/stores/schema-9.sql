-- trigger attempts_refresh
CREATE TRIGGER attempts_refresh BEFORE INSERT ON attempts WHEN NEW.replaces IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer that is fresh enough for the batch is not bought anew')
   WHERE NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = NEW.replaces) AND NOT EXISTS (
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
    FROM batches WHERE id = NEW.batch AND created_at - NEW.intent_at > 302000
     AND NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = NEW.replaces);
END;

-- trigger calls_answered
CREATE TRIGGER calls_answered BEFORE UPDATE OF answer_behind ON calls WHEN NEW.answer_behind IS NOT OLD.answer_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer ends by a retraction, or by a doubt where it turned out to be none')
   WHERE NEW.answer_behind IS NULL
     AND NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.id + OLD.answer_behind)
     AND (NEW.doubt IS NULL OR NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = OLD.id + OLD.answer_behind));
  SELECT RAISE(ABORT, 'money rule: an answer comes from a settled attempt of the call, from a person, or from a reading')
   WHERE NEW.answer_behind IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.id + NEW.answer_behind AND a.call = NEW.id
        AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
          OR EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)));
END;

-- trigger closures_doubt
CREATE TRIGGER closures_doubt AFTER INSERT ON closures WHEN NEW.kind = 'in_doubt' BEGIN
  UPDATE calls SET
      doubt = NEW.attempt,
      answer_behind = NULL,
      repeats = repeats + EXISTS (
        SELECT 1 FROM attempts a JOIN decisions d ON d.id = a.decision
         WHERE a.id = NEW.attempt AND d.kind = 'repeat')
    WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt)
      AND (answer IS NULL OR EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = calls.answer));
END;

-- table readings
CREATE TABLE readings (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  answer TEXT NOT NULL CHECK (answer IN ('found', 'no_match', 'refused', 'not_sent', 'paused', 'stopped', 'in_doubt')),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  why TEXT NOT NULL,
  dialect INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

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
  SELECT RAISE(ABORT, 'money rule: only what was an answer turns out to be none')
   WHERE NEW.answer NOT IN ('found', 'no_match', 'refused')
     AND NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'settled')
     AND NOT EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: no budget falls by a reading')
   WHERE NEW.charged < (
       SELECT iif(k.kind = 'in_doubt', a.reserved, k.charged)
         FROM closures k JOIN attempts a ON a.id = k.attempt WHERE k.attempt = NEW.attempt)
      OR NEW.charged < (SELECT max(charged) FROM readings WHERE attempt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: a reading comes after those that were before it')
   WHERE NEW.id <= (SELECT max(id) FROM readings);
END;

-- trigger releases_effect
CREATE TRIGGER releases_effect AFTER INSERT ON releases BEGIN
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id = NEW.attempt OR id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
  UPDATE calls SET doubt = (SELECT max(h.attempt) FROM held_attempts h WHERE ((h.attempt = calls.id AND h.call = calls.id) OR (h.call = calls.id AND h.call <> h.attempt)))
   WHERE doubt = NEW.attempt;
  UPDATE calls SET answer_behind = (SELECT max(a.id) FROM attempts a JOIN answer_ages g ON g.attempt = a.id
     WHERE ((a.id = calls.id AND a.call = calls.id) OR (a.call = calls.id AND a.call <> a.id)) AND NOT EXISTS (SELECT 1 FROM retractions x WHERE x.attempt = a.id)) - id
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt) AND doubt IS NULL;
END;

-- trigger retractions_effect
CREATE TRIGGER retractions_effect AFTER INSERT ON retractions BEGIN
  UPDATE match_rates SET answers = answers - 1 WHERE (account, operation) =
    (SELECT c.account, q.operation FROM calls c JOIN asked q ON q.call = c.id WHERE c.answer = NEW.attempt);
  UPDATE accounts SET answers = answers - 1 WHERE id = (SELECT account FROM calls WHERE answer = NEW.attempt);
  UPDATE tallies SET count = count - 1
   WHERE name = 'calls' AND batch = (SELECT batch FROM attempts WHERE id = NEW.attempt);
  UPDATE calls SET answer_behind = (SELECT max(a.id) FROM attempts a JOIN answer_ages g ON g.attempt = a.id
     WHERE ((a.id = calls.id AND a.call = calls.id) OR (a.call = calls.id AND a.call <> a.id)) AND NOT EXISTS (SELECT 1 FROM retractions x WHERE x.attempt = a.id)) - id
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;

-- view unanswered
CREATE VIEW unanswered (attempt) AS
  SELECT e.attempt FROM readings e
   WHERE e.answer NOT IN ('found', 'no_match', 'refused')
     AND NOT EXISTS (SELECT 1 FROM readings n WHERE n.attempt = e.attempt AND n.id > e.id);
