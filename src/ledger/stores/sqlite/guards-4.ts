import { refusal } from './guards.ts';

/**
 * The rules that schema 4 adds, beside the money rules of `guards.ts`, `guards-2.ts` and `guards-3.ts`. What is replaced
 * is dropped here and made anew.
 */
const MISSES = `
CREATE TRIGGER closures_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) = 404 BEGIN
  UPDATE attempts SET newest = (SELECT max(id) FROM attempts) WHERE id = NEW.attempt;
  UPDATE accounts SET misses = misses + 1
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
END;

CREATE TRIGGER closures_no_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404 BEGIN
  UPDATE accounts
     SET last_other = max(last_other, NEW.attempt), misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
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

-- Requests overtake each other, so an answer of another kind says something of those misses only that had been answered
-- before its own request left.
DROP TRIGGER retractions_retracting;
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
`;

/**
 * An intent is dated by what answers confirmed of the time, because the day that it is dated to is the day whose budget it
 * takes.
 */
const TIMING = `
-- Five minutes are what clocks may differ, and two seconds what a confirmed time may move before it is written.
CREATE TRIGGER attempts_timing BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an intent is not dated before what an answer has confirmed')
   WHERE NEW.intent_at < (SELECT max(confirmed_at) FROM boots);
  SELECT RAISE(ABORT, 'money rule: an intent is dated by the confirmed time and the uptime since')
    FROM boots WHERE id = NEW.boot
     AND NEW.intent_at - (confirmed_at + NEW.uptime - confirmed_uptime) NOT BETWEEN 0 AND 302000;
END;

CREATE TRIGGER attempts_boot_kept BEFORE UPDATE OF boot, uptime ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

-- Its cut-off would take what was bought yesterday for too old.
CREATE TRIGGER attempts_refresh_timing BEFORE INSERT ON attempts WHEN NEW.replaces IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a batch that began in the future buys nothing anew')
    FROM batches WHERE id = NEW.batch AND created_at - NEW.intent_at > 302000;
END;

CREATE TRIGGER boots_beginning BEFORE INSERT ON boots WHEN NEW.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a boot begins without a confirmed time');
END;

CREATE TRIGGER boots_confirming BEFORE UPDATE OF confirmed_at, confirmed_uptime ON boots
WHEN OLD.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a confirmed time never goes back')
   WHERE NEW.confirmed_at IS NULL OR NEW.confirmed_at < OLD.confirmed_at
      OR NEW.confirmed_at - NEW.confirmed_uptime < OLD.confirmed_at - OLD.confirmed_uptime;
END;

CREATE TRIGGER boots_kept BEFORE UPDATE OF id, boot ON boots BEGIN
  SELECT RAISE(ABORT, 'money rule: a boot is kept as it was written');
END;
`;

export const GUARDS_4 = [MISSES].join('');

/** They have tests of their own. */
export const TIME_GUARDS = [TIMING, refusal('DELETE', 'boots')].join('');
