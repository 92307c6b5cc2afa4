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

export const GUARDS_4 = [MISSES].join('');
