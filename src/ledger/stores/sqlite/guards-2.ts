import { refusal } from './guards.ts';

/**
 * The money rules that schema 2 adds, beside those of `guards.ts`. What is replaced is dropped here and made anew.
 * SQLite runs the triggers of one event in no order that it promises, so none of them builds on another.
 */
const REFRESHING = `
-- What the batch itself bought is always fresh, and a refresh that got lost is not tried again: it may have been paid.
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

CREATE TRIGGER batches_fresh BEFORE UPDATE OF fresh_found, fresh_no_match ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: how old an answer may be is fixed when the batch begins');
END;

CREATE TRIGGER calls_refreshed BEFORE UPDATE OF answer ON calls WHEN NEW.answer < OLD.answer BEGIN
  SELECT RAISE(ABORT, 'money rule: an older answer comes back only when the newer one is taken back')
   WHERE NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.answer);
END;

-- Below a refresh that is taken back lies the answer that it replaced.
DROP TRIGGER retractions_effect;
CREATE TRIGGER retractions_effect AFTER INSERT ON retractions BEGIN
  UPDATE match_rates SET answers = answers - 1 WHERE (account, operation) =
    (SELECT c.account, c.operation FROM calls c WHERE c.answer = NEW.attempt);
  UPDATE accounts SET answers = answers - 1 WHERE id = (SELECT account FROM calls WHERE answer = NEW.attempt);
  UPDATE tallies SET count = count - 1
   WHERE name = 'calls' AND batch = (SELECT batch FROM attempts WHERE id = NEW.attempt);
  UPDATE calls SET answer = (SELECT replaces FROM attempts WHERE id = NEW.attempt)
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;
`;

/** Of the table itself, so that a migration which makes the table anew makes this anew as well. */
export const REQUESTS_KEEPING = `
-- A vendor that honours a key takes all requests under it for one, so they must be one.
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
`;

const REPEATING = `${REQUESTS_KEEPING}
DROP TRIGGER closures_money;
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
`;

const RELEASING = `
CREATE TRIGGER looks_looking BEFORE INSERT ON looks BEGIN
  SELECT RAISE(ABORT, 'money rule: only a lost attempt is looked at')
   WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt');
END;

CREATE TRIGGER releases_releasing BEFORE INSERT ON releases BEGIN
  SELECT RAISE(ABORT, 'money rule: only what a call is in doubt about is released')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE doubt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: nobody said that it did not happen')
   WHERE NOT EXISTS (SELECT 1 FROM looks WHERE attempt = NEW.attempt AND said = 'not_happened');
  SELECT RAISE(ABORT, 'money rule: a call that is being sent again is not released')
    FROM calls c JOIN attempts a ON a.call = c.id AND a.open = 1 WHERE c.doubt = NEW.attempt;
END;

-- The call may have lost others, under other keys: the newest of them is what it is in doubt about then.
CREATE TRIGGER releases_effect AFTER INSERT ON releases BEGIN
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id = NEW.attempt OR id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
  UPDATE calls SET doubt = (SELECT max(h.attempt) FROM held_attempts h WHERE h.call = calls.id)
   WHERE doubt = NEW.attempt;
END;

CREATE TRIGGER attempts_holding BEFORE INSERT ON attempts WHEN NEW.freed_by IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins without being freed');
END;

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

CREATE TRIGGER attempts_freed AFTER UPDATE OF freed_by ON attempts BEGIN
  UPDATE money SET in_doubt = in_doubt - NEW.reserved
   WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.id);
END;

CREATE TRIGGER told_held BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: what was given back is not charged')
    FROM attempts WHERE id = NEW.attempt AND freed_by IS NOT NULL;
END;

DROP TRIGGER calls_doubted;
CREATE TRIGGER calls_doubted BEFORE UPDATE OF doubt ON calls WHEN NEW.doubt IS NOT OLD.doubt BEGIN
  SELECT RAISE(ABORT, 'money rule: a doubt ends only with an answer or a release')
   WHERE (NEW.doubt IS NULL OR NEW.doubt < OLD.doubt) AND NEW.answer IS NULL
     AND NOT EXISTS (SELECT 1 FROM releases WHERE attempt = OLD.doubt);
  SELECT RAISE(ABORT, 'money rule: a doubt comes from an attempt of the call that was lost')
   WHERE NEW.doubt IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM held_attempts WHERE attempt = NEW.doubt AND call = NEW.id);
END;
`;

/** Written once, never taken out. */
const APPEND_ONLY = ['requests', 'looks', 'releases'];

export const GUARDS_2 = [
  REFRESHING,
  REPEATING,
  RELEASING,
  ...APPEND_ONLY.map((table) => refusal('UPDATE', table)),
  ...APPEND_ONLY.map((table) => refusal('DELETE', table)),
].join('');
