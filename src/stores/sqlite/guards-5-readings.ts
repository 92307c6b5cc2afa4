import { refusal } from './guards.ts';

/**
 * Rules of schema 5 about readings: only what a vendor answered to a question is read again, and no budget falls by it.
 * The closure of the attempt stays as it is, and so do rows, which name the newest reading that they could know.
 */
const READINGS = `
CREATE TRIGGER readings_reading BEFORE INSERT ON readings BEGIN
  SELECT RAISE(ABORT, 'money rule: only a settled answer of the vendor is read again')
   WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'settled')
      OR EXISTS (SELECT 1 FROM retractions WHERE attempt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: the answer to a change is never read again')
    FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = NEW.attempt AND c.subject IS NOT NULL;
  SELECT RAISE(ABORT, 'money rule: no budget falls by a reading')
   WHERE NEW.charged < (SELECT charged FROM closures WHERE attempt = NEW.attempt)
      OR NEW.charged < (SELECT max(charged) FROM readings WHERE attempt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: a reading comes after those that were before it')
   WHERE NEW.id <= (SELECT max(id) FROM readings);
END;

-- What the answer cost more than was known is spent where the answer was spent: under an idempotency key that is the first
-- request under it.
CREATE TRIGGER readings_money AFTER INSERT ON readings BEGIN
  UPDATE money SET spent = spent + NEW.charged - max(
      (SELECT charged FROM closures WHERE attempt = NEW.attempt),
      coalesce((SELECT max(charged) FROM readings WHERE attempt = NEW.attempt AND id <> NEW.id), 0))
    WHERE scope IN (
      SELECT scope FROM attempt_scopes
       WHERE attempt = coalesce((SELECT min(id) FROM attempts WHERE freed_by = NEW.attempt), NEW.attempt));
END;

CREATE TRIGGER retractions_read BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: what was read as more than a free miss is not taken back')
    FROM readings WHERE attempt = NEW.attempt AND (answer <> 'no_match' OR charged > 0);
END;
`;

export const READING_GUARDS = [READINGS, refusal('UPDATE', 'readings'), refusal('DELETE', 'readings')].join(
  '',
);
