import { keptUnlessErased, ofAttempt, WORDS } from './refusals.ts';

/** How an attempt ended, once, and what follows for the money, the call and the counts. */
export const CLOSURES = [
  `
-- How each attempt ended. \`dialect\`: 48 bits of the hash of the dialect by which the answer was read.
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

-- That an attempt is closed once is the primary key of closures.
CREATE TRIGGER closures_closing BEFORE INSERT ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer needs its raw reply')
   WHERE NEW.kind = 'settled' AND NOT EXISTS (SELECT 1 FROM replies WHERE attempt = NEW.attempt);
END;

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

-- A refresh that got lost leaves the older answer in place.
CREATE TRIGGER closures_doubt AFTER INSERT ON closures WHEN NEW.kind = 'in_doubt' BEGIN
  UPDATE calls SET
      doubt = NEW.attempt,
      repeats = repeats + EXISTS (
        SELECT 1 FROM attempts a JOIN decisions d ON d.id = a.decision
         WHERE a.id = NEW.attempt AND d.kind = 'repeat')
    WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt) AND answer IS NULL;
END;

-- Never refuses an answer for being dearer than reserved: it has been charged, so the book must say so.
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

-- An answer under a key is spent where the first request under it was risked, because its money was held there: no other
-- batch, and no later day, has reserved anything for it.
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
`,
  keptUnlessErased('closures', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt kind answer charged closed_at dialect',
    content: WORDS,
  }),
].join('');
