/** How old answers are, and when one is bought again. */
export const FRESHNESS = `
-- Which kind an answer is by its newest reading, when it was given, and by whom it was bought. What was told counts as
-- found.
CREATE VIEW answer_ages (attempt, batch, found, answered_at) AS
  SELECT a.id, a.batch,
         t.attempt IS NOT NULL OR coalesce(
           (SELECT e.answer FROM readings e WHERE e.attempt = a.id ORDER BY e.id DESC LIMIT 1), k.answer) = 'found',
         coalesce(t.received_at, r.received_at)
    FROM attempts a
    JOIN closures k ON k.attempt = a.id
    LEFT JOIN replies r ON r.attempt = a.id
    LEFT JOIN told t ON t.attempt = a.id
   WHERE k.kind = 'settled' OR t.attempt IS NOT NULL OR a.id IN (SELECT attempt FROM readings);

-- What the batch itself bought is always fresh, and a refresh that got lost is not tried again: it may have been paid.
-- What turned out to be no answer is bought again at any age: one that gets lost is its call's doubt.
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

CREATE TRIGGER batches_fresh BEFORE UPDATE OF fresh_found, fresh_no_match ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: how old an answer may be is fixed when the batch begins');
END;

CREATE TRIGGER calls_refreshed BEFORE UPDATE OF answer_behind ON calls WHEN NEW.answer_behind < OLD.answer_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: an older answer comes back only when the newer one is taken back')
   WHERE NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.id + OLD.answer_behind);
END;
`;
