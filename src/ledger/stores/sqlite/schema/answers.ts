import { attemptsOf } from '../lookups.ts';
import { refusedEntry } from './refusals.ts';

export const ANSWER_WORDS = "'found', 'no_match', 'refused'";

/** An entry about an attempt, in SQL. */
const ofAttempt = (entry: string, kinds: string): string =>
  `${entry}.of = NEW.of AND ${entry}.of <> ${entry}.id AND ${entry}.kind IN (${kinds})`;

/**
 * What an answer means: when it comes, when it is read again by a later dialect, and when a series of misses is taken back.
 * Only a vendor's answer to a question is read again, and no budget falls by it.
 */
export const ANSWERS = [
  refusedEntry('answering', ['answered'], {
    says: 'an answer says what it is, and has the status of its raw reply',
    where: `coalesce(NEW.said, '') NOT IN (${ANSWER_WORDS})
      OR NEW.status IS NOT (SELECT r.status FROM entries r WHERE ${ofAttempt('r', "'reply'")})`,
  }),
  // No other batch, and no later day, has reserved anything for an answer under a key that was risked before.
  refusedEntry('paying', ['answered'], {
    says: 'an answer under a key is spent where the first request under it was risked',
    where: `NEW.pays IS NOT (
     SELECT min(o.attempt) FROM requests r CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key
       CROSS JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL
      WHERE r.attempt = NEW.of AND o.attempt < NEW.of)`,
  }),
  refusedEntry('reading', ['reading'], {
    says: 'only an answer of the vendor is read again',
    where: `EXISTS (SELECT 1 FROM entries x WHERE ${ofAttempt('x', "'retracted', 'told'")})
      OR NOT EXISTS (SELECT 1 FROM entries k WHERE ${ofAttempt('k', "'answered', 'read'")})`,
  }),
  refusedEntry('read', ['read'], {
    says: 'a reply that its call is in doubt about is read as an answer, and by no repeat under its key',
    where: `coalesce(NEW.said, '') NOT IN (${ANSWER_WORDS})
      OR NOT EXISTS (SELECT 1 FROM entries r WHERE ${ofAttempt('r', "'reply'")})
      OR EXISTS (
        SELECT 1 FROM requests r CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key
          CROSS JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL
         WHERE r.attempt = NEW.of AND o.attempt < NEW.of)`,
  }),
  refusedEntry('reading_change', ['reading', 'read'], {
    says: 'the answer to a change is never read again',
    from: 'calls c',
    where: 'c.id = NEW.call AND c.subject IS NOT NULL',
  }),
  refusedEntry('reading_pays', ['reading'], {
    says: 'what an answer costs more is spent where the answer was spent',
    where: `NEW.pays IS NOT (SELECT k.pays FROM entries k WHERE ${ofAttempt('k', "'answered', 'read'")})`,
  }),
  `
-- The answers of calls that were not taken back, whatever they are read as.
CREATE VIEW standing_answers (call, attempt) AS
  SELECT k.call, k.of FROM calls c CROSS JOIN entries k ON k.of IN ${attemptsOf('c.id')}
   WHERE k.of <> k.id AND k.kind IN ('answered', 'told', 'read')
     AND NOT EXISTS (SELECT 1 FROM entries x WHERE x.of = k.of AND x.of <> x.id AND x.kind = 'retracted');
`,
  refusedEntry('retracting', ['retracted'], {
    says: 'only a free 404 after which its account answered nothing else is taken back',
    where: `NOT EXISTS (
     SELECT 1 FROM entries k CROSS JOIN calls c ON c.id = k.call CROSS JOIN accounts p ON p.id = c.account
      WHERE ${ofAttempt('k', "'answered'")} AND k.said = 'no_match' AND k.spent = 0 AND k.status = 404 AND p.last_other < k.id)`,
  }),
  refusedEntry('retracting_read', ['retracted'], {
    says: 'what was read as more than a free miss is not taken back',
    from: 'entries e',
    where: `${ofAttempt('e', "'reading'")} AND (e.said <> 'no_match' OR e.spent > 0)`,
  }),
  refusedEntry('retracting_change', ['retracted'], {
    says: 'the answer to a change is never taken back',
    from: 'calls c',
    where: 'c.id = NEW.call AND c.subject IS NOT NULL',
  }),
  refusedEntry('retracting_booked', ['retracted'], {
    says: 'nothing is taken back before all answers are booked',
    from: 'book b CROSS JOIN entries e ON e.id > b.booked',
    where: "e.kind = 'answered'",
  }),
  // Below what is taken back lies the answer that was there before it.
  refusedEntry('retracted_to', ['retracted'], {
    says: 'under what is taken back stands what it had replaced',
    where: `NEW.sees IS NOT (
     SELECT max(g.attempt) FROM standing_answers g WHERE g.call = NEW.call AND g.attempt <> NEW.of)`,
  }),
  `
CREATE TRIGGER entries_miss AFTER INSERT ON entries WHEN NEW.kind = 'answered' AND NEW.status = 404 BEGIN
  UPDATE accounts SET misses = misses + 1 WHERE id = (SELECT account FROM calls WHERE id = NEW.call);
END;

CREATE TRIGGER entries_no_miss AFTER INSERT ON entries WHEN NEW.kind = 'answered' AND NEW.status <> 404 BEGIN
  UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT account FROM calls WHERE id = NEW.call)
     AND (misses > 0 OR misses_place IS NOT NULL OR misses_kept = 1);
END;

CREATE TRIGGER accounts_last_other BEFORE UPDATE OF last_other ON accounts WHEN NEW.last_other < OLD.last_other BEGIN
  SELECT RAISE(ABORT, 'money rule: what an account answered otherwise is not forgotten');
END;
`,
].join('');
