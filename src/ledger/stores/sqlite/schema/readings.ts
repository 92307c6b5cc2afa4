import { moves } from './money.ts';
import { keptUnlessErased, ofAttempt, WORDS } from './refusals.ts';

/** What a reading costs more than was known of its answer before. */
const MORE = `NEW.charged - max(
      (SELECT charged FROM closures WHERE attempt = NEW.attempt),
      coalesce((SELECT max(charged) FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id), 0))`;

const ANSWERS = "'found', 'no_match', 'refused'";

/**
 * What an answer means by a later dialect than the one that settled it. Only a vendor's answer to a question is read
 * again, and no budget decreases because of it. A reply that was kept in doubt is read as well, and becomes the answer
 * that it always was; the money at risk stays spent. What turns out to be no answer is read as an attempt that ends like
 * that: its call may be bought again in its place. The closure of the attempt does not change, and neither do rows,
 * which name the newest reading that existed when they were settled. 48 bits of a dialect's hash identify it.
 */
export const READINGS = [
  `
CREATE TABLE readings (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  answer TEXT NOT NULL CHECK (answer IN (${ANSWERS}, 'not_sent', 'paused', 'stopped', 'in_doubt')),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  why TEXT NOT NULL,
  dialect INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX readings_attempt ON readings (attempt);

-- What was taken for an answer and is none by its newest reading.
CREATE VIEW unanswered (attempt) AS
  SELECT e.attempt FROM readings e
   WHERE e.answer NOT IN (${ANSWERS})
     AND NOT EXISTS (SELECT 1 FROM readings n WHERE n.attempt = e.attempt AND n.id > e.id);

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
   WHERE NEW.answer NOT IN (${ANSWERS})
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

-- What the answer cost more than was known is spent where the answer was spent: under an idempotency key that is the first
-- request under it.
CREATE TRIGGER readings_money AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'settled')
  OR EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN${moves(
    'coalesce((SELECT min(id) FROM attempts WHERE freed_by = NEW.attempt), NEW.attempt)',
    { spent: MORE },
  )}
END;

-- A reply that was in doubt is its call's answer once it is read, and what was at risk counts as spent.
CREATE TRIGGER readings_doubt AFTER INSERT ON readings
WHEN EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt')
 AND NOT EXISTS (SELECT 1 FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id) BEGIN${moves('NEW.attempt', { spent: 'NEW.charged', in_doubt: '-reserved' })}
  UPDATE calls SET answer_behind = NEW.attempt - id, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count) SELECT batch, 'calls', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER retractions_read BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: what was read as more than a free miss is not taken back')
    FROM readings WHERE attempt = NEW.attempt AND (answer <> 'no_match' OR charged > 0);
END;
`,
  keptUnlessErased('readings', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'id attempt answer charged dialect at',
    content: WORDS,
  }),
].join('');
