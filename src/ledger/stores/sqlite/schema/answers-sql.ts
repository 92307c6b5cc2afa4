import { attemptsOf, isOneOf } from '../lookups.ts';
import { refusedEntry } from './refusals.ts';

/** That what is said of an answer is one of the words for it, in SQL. */
export const isAnswer = (said: string): string => isOneOf(said, ['found', 'no_match', 'refused']);

/** The first of the lost requests under the key of an attempt that hold money, which pays for its answer. */
const PAYER = `(
     SELECT min(o.attempt) FROM requests r CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key
       CROSS JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL
      WHERE r.attempt = NEW.of AND o.attempt < NEW.of)`;

/**
 * What an answer means: when it comes, when it is read again by a later dialect, and when a series is taken back.
 * Only a vendor's answer to a question is read again, and no budget falls by it.
 */
export const ANSWERS = [
  refusedEntry('answering', ['answered'], {
    says: 'an answer says what it is, and has the status of its raw reply',
    where: `NEW.said IS NULL OR NOT ${isAnswer('NEW.said')} OR NOT EXISTS (
     SELECT 1 FROM replies WHERE of = NEW.of AND status = NEW.status)`,
  }),
  // No other batch, and no later day, has reserved anything for an answer under a key that was risked before.
  refusedEntry('paying', ['answered'], {
    says: 'an answer under a key is spent where the first request under it was risked',
    where: `NEW.pays IS NOT ${PAYER}`,
  }),
  refusedEntry('reading', ['reading'], {
    says: 'only an answer of the vendor is read again',
    where: `EXISTS (SELECT 1 FROM notes x WHERE x.of = NEW.of AND (x.kind = 'retracted' OR x.kind = 'told'))
      OR NOT EXISTS (SELECT 1 FROM answers k WHERE k.attempt = NEW.of AND k.kind <> 'told')`,
  }),
  refusedEntry('read', ['read'], {
    says: 'a reply that its call is in doubt about is read as an answer, and by no repeat under its key',
    where: `NEW.said IS NULL OR NOT ${isAnswer('NEW.said')} OR NOT EXISTS (SELECT 1 FROM replies WHERE of = NEW.of)
      OR ${PAYER} IS NOT NULL`,
  }),
  refusedEntry('reading_change', ['reading', 'read'], {
    says: 'the answer to a change is never read again',
    from: 'calls c',
    where: 'c.id = NEW.call AND c.subject IS NOT NULL',
  }),
  refusedEntry('reading_pays', ['reading'], {
    says: 'what an answer costs more is spent where the answer was spent',
    where: "NEW.pays IS NOT (SELECT k.pays FROM ends k WHERE k.of = NEW.of AND k.kind = 'answered')",
  }),
  `
-- The answers of calls that were not taken back, whatever they are read as.
CREATE VIEW standing_answers (call, attempt) AS
  SELECT c.id, k.attempt FROM calls c CROSS JOIN answers k ON k.attempt IN ${attemptsOf('c.id')}
   WHERE NOT EXISTS (SELECT 1 FROM notes x WHERE x.of = k.attempt AND x.kind = 'retracted');
`,
  refusedEntry('retracting', ['retracted'], {
    says: 'only a free refusal, or a free 404 after which its account answered nothing else, is taken back',
    where: `NOT EXISTS (
     SELECT 1 FROM ends k CROSS JOIN calls c ON c.id = k.call CROSS JOIN accounts p ON p.id = c.account
      WHERE k.of = NEW.of AND k.kind = 'answered' AND k.spent = 0
        AND (k.said = 'refused' OR (k.said = 'no_match' AND k.status = 404 AND p.last_other < k.id)))`,
  }),
  refusedEntry('retracting_read', ['retracted'], {
    says: 'what was read as something else, or as charged, is not taken back',
    from: "notes e CROSS JOIN ends k ON k.of = e.of AND k.kind = 'answered'",
    where: "e.of = NEW.of AND e.kind = 'reading' AND (e.said <> k.said OR e.spent > 0)",
  }),
  refusedEntry('retracting_change', ['retracted'], {
    says: 'the answer to a change is never taken back',
    from: 'calls c',
    where: 'c.id = NEW.call AND c.subject IS NOT NULL',
  }),
  refusedEntry('retracting_booked', ['retracted'], {
    says: 'nothing is taken back before all answers are booked',
    from: 'book b CROSS JOIN ends e ON e.id > b.booked',
    where: "e.kind = 'answered'",
  }),
  // Below what is taken back lies the answer that was there before it.
  refusedEntry('retracted_to', ['retracted'], {
    says: 'under what is taken back stands what it had replaced',
    where: `NEW.sees IS NOT (
     SELECT max(g.attempt) FROM standing_answers g WHERE g.call = NEW.call AND g.attempt <> NEW.of)`,
  }),
  `
CREATE TRIGGER ends_miss AFTER INSERT ON ends WHEN NEW.kind = 'answered' AND NEW.status = 404 BEGIN
  UPDATE accounts SET misses = misses + 1 WHERE id = (SELECT account FROM calls WHERE id = NEW.call);
END;

CREATE TRIGGER ends_no_miss AFTER INSERT ON ends WHEN NEW.kind = 'answered' AND NEW.status <> 404 BEGIN
  UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0
   WHERE id = (SELECT account FROM calls WHERE id = NEW.call)
     AND (misses > 0 OR misses_place IS NOT NULL OR misses_kept = 1);
END;

CREATE TRIGGER accounts_last_other BEFORE UPDATE OF last_other ON accounts WHEN NEW.last_other < OLD.last_other BEGIN
  SELECT RAISE(ABORT, 'money rule: what an account answered otherwise is not forgotten');
END;
`,
].join('');
