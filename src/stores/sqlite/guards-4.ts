import { refusal } from './guards.ts';

/**
 * The rules that schema 4 adds, beside the money rules of `guards.ts`, `guards-2.ts` and `guards-3.ts`. What is replaced
 * is dropped here and made anew.
 */
const MISSES = `
CREATE TRIGGER closures_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) = 404 BEGIN
  UPDATE attempts SET series = (SELECT p.series FROM batches b JOIN accounts p ON p.id = b.account WHERE b.id = attempts.batch)
   WHERE id = NEW.attempt;
  UPDATE accounts SET misses = misses + 1
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
END;

CREATE TRIGGER closures_no_miss AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404 BEGIN
  UPDATE accounts SET series = series + 1, misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt)
     AND misses > 0;
END;

CREATE TRIGGER accounts_series BEFORE UPDATE OF series ON accounts WHEN NEW.series < OLD.series BEGIN
  SELECT RAISE(ABORT, 'money rule: a series of misses that has ended does not go on');
END;

CREATE TRIGGER attempts_no_series BEFORE INSERT ON attempts WHEN NEW.series IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins outside of any series');
END;

CREATE TRIGGER attempts_series BEFORE UPDATE OF series ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer is of the series in which it was given')
   WHERE OLD.series IS NOT NULL OR NOT EXISTS (
     SELECT 1 FROM closures k JOIN replies r ON r.attempt = k.attempt AND r.status = 404
       JOIN batches b ON b.id = OLD.batch JOIN accounts p ON p.id = b.account AND p.series = NEW.series
      WHERE k.attempt = OLD.id AND k.kind = 'settled');
END;

DROP TRIGGER retractions_retracting;
CREATE TRIGGER retractions_retracting BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: only a free 404 of the series with which its account''s answers end is taken back')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a
       JOIN calls c ON c.id = a.call AND c.answer = a.id
       JOIN accounts p ON p.id = c.account AND p.series = a.series
       JOIN closures k ON k.attempt = a.id AND k.answer = 'no_match' AND k.charged = 0
       JOIN replies r ON r.attempt = a.id AND r.status = 404
      WHERE a.id = NEW.attempt);
END;

CREATE TRIGGER retractions_miss AFTER INSERT ON retractions BEGIN
  UPDATE accounts SET misses = misses - 1
   WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
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
