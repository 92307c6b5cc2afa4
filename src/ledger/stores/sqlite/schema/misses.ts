import { newestAnswer } from '../lookups.ts';
import { onlyAddedTo } from './refusals.ts';

/**
 * Series of answers of status 404, and answers that were taken back because a wrong address never gave another status.
 */
export const MISSES = [
  `
-- Answers taken back, because status 404 was all that a wrong address ever said. They were not charged.
CREATE TABLE retractions (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id)
) STRICT;

-- Below what is taken back lies the answer that was there before it.
CREATE TRIGGER retractions_effect AFTER INSERT ON retractions BEGIN
  UPDATE match_rates SET answers = answers - 1 WHERE (account, operation) =
    (SELECT c.account, q.operation FROM calls c JOIN asked q ON q.call = c.id WHERE c.answer = NEW.attempt);
  UPDATE accounts SET answers = answers - 1 WHERE id = (SELECT account FROM calls WHERE answer = NEW.attempt);
  UPDATE tallies SET count = count - 1
   WHERE name = 'calls' AND batch = (SELECT batch FROM attempts WHERE id = NEW.attempt);
  UPDATE calls SET answer_behind = ${newestAnswer('calls.id')} - id
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;

-- Requests overtake each other, so an answer of another kind says something of those misses only that had been answered
-- before its own request left.
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
`,
  onlyAddedTo('retractions'),
  `
CREATE TRIGGER closures_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) = 404 BEGIN
  UPDATE attempts SET newest = (SELECT max(id) FROM attempts) WHERE id = NEW.attempt;
  UPDATE accounts SET misses = misses + 1
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
END;

CREATE TRIGGER closures_no_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404 BEGIN
  UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt)
     AND (misses > 0 OR misses_place IS NOT NULL OR misses_kept = 1);
END;

CREATE TRIGGER accounts_last_other BEFORE UPDATE OF last_other ON accounts WHEN NEW.last_other < OLD.last_other BEGIN
  SELECT RAISE(ABORT, 'money rule: what an account answered otherwise is not forgotten');
END;

CREATE TRIGGER attempts_no_newest BEFORE INSERT ON attempts WHEN NEW.newest IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins without an answer');
END;

CREATE TRIGGER attempts_newest BEFORE UPDATE OF newest ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: what was on its way beside a 404 is noted once, when it is answered')
   WHERE OLD.newest IS NOT NULL OR NEW.newest IS NOT (SELECT max(id) FROM attempts) OR NOT EXISTS (
     SELECT 1 FROM closures k JOIN replies r ON r.attempt = k.attempt AND r.status = 404
      WHERE k.attempt = OLD.id AND k.kind = 'settled');
END;
`,
].join('');
