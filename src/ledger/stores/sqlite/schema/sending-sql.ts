import { SENT } from '../../../rules/moves.ts';
import { REQUESTS_TABLE } from '../tables.ts';
import { isAnswer } from './answers-sql.ts';
import { refusedEntry } from './refusals.ts';

const AGAIN = ['repeat', 'retry'] as const;

/** What must hold before a request leaves: guards of the entries that begin an attempt, and of the requests that are kept. */
export const SENDING = [
  // By that number the attempts of a call are found. Where none is said, it is below 1 until the row is there.
  refusedEntry('first', SENT, {
    says: 'an attempt says its number, which is that of no other call',
    where: 'NEW.id < 1 OR (NEW.id <> NEW.call AND EXISTS (SELECT 1 FROM calls WHERE id = NEW.id))',
  }),
  refusedEntry('batch', SENT, {
    says: 'a superseded or cancelled batch admits nothing',
    where: "NOT EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch AND state IN ('open', 'finished'))",
  }),
  refusedEntry('account', SENT, {
    says: 'the call and the batch are of different accounts',
    from: 'calls c CROSS JOIN batches b',
    where: 'c.id = NEW.call AND b.id = NEW.batch AND c.account <> b.account',
  }),
  // A decision names the loss that it is about, so an attempt that got lost uses it up, and one that never left does not.
  refusedEntry('permission', AGAIN, {
    says: 'the call is in doubt and nobody decided to send it again',
    where: `NOT EXISTS (
     SELECT 1 FROM notes d CROSS JOIN calls c ON c.id = d.call
      WHERE d.id = NEW.sees AND d.kind = 'decided' AND d.said = NEW.kind AND d.batch = NEW.batch
        AND d.call = NEW.call AND d.of = c.stands)`,
  }),
  refusedEntry('replacing', ['refresh'], {
    says: 'there is no such answer to replace',
    where: 'NEW.sees IS NOT (SELECT stands FROM calls WHERE id = NEW.call)',
  }),
  // What the batch itself bought is always fresh, and a refresh that got lost is not tried again: it may have been paid. What
  // turned out to be no answer is bought again at any age.
  refusedEntry('freshness', ['refresh'], {
    says: 'an answer that is fresh enough for the batch is not bought anew',
    where: `NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = NEW.sees) AND NOT EXISTS (
     SELECT 1 FROM answer_ages g CROSS JOIN batches b ON b.id = NEW.batch
      WHERE g.attempt = NEW.sees AND g.batch <> NEW.batch
        AND g.answered_at < iif(g.found, b.fresh_found, b.fresh_no_match)
        AND NOT EXISTS (
          SELECT 1 FROM attempts l CROSS JOIN losses x ON x.attempt = l.id
           WHERE l.sees = NEW.sees AND l.kind = 'refresh' AND l.at >= iif(g.found, b.fresh_found, b.fresh_no_match)))`,
  }),
  // Its cut-off would take what was bought yesterday for too old.
  refusedEntry('future', ['refresh'], {
    says: 'a batch that began in the future buys nothing anew',
    from: 'batches',
    where: `id = NEW.batch AND created_at - NEW.at > 302000 AND NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = NEW.sees)`,
  }),
  // What is sent again to the byte is charged once, and the lost attempt holds the money for that.
  refusedEntry('price', SENT, {
    says: 'an attempt reserves the highest price that was seen',
    from: `calls c CROSS JOIN prices p ON p.account = c.account AND p.operation = c.operation
      AND p.credits_max = coalesce(c.credits_most, -1)`,
    where: `c.id = NEW.call AND NEW.reserved < p.highest
     AND NOT (NEW.kind = 'repeat' AND NEW.reserved = 0 AND EXISTS (
       SELECT 1 FROM notes d CROSS JOIN requests r ON r.attempt = d.of WHERE d.id = NEW.sees))`,
  }),
  // Another day may have a budget left. Five minutes are more than an intent waits for its commit.
  refusedEntry('told', SENT, {
    says: 'an intent is not dated before what its account was told',
    from: 'calls c CROSS JOIN accounts p ON p.id = c.account',
    where: 'c.id = NEW.call AND NEW.at < p.told - 302000',
  }),
  `
-- What left under an idempotency key, without headers, so that it can be sent again to the byte.
${REQUESTS_TABLE.definition}
CREATE INDEX requests_key ON requests (idempotency_key);

-- A vendor that honours a key takes all requests under it for one, so they must be one.
CREATE TRIGGER requests_kept BEFORE INSERT ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: a request belongs to an open attempt')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE open = NEW.attempt);
END;

CREATE TRIGGER requests_one BEFORE INSERT ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: an idempotency key stands for one request of one call')
    FROM requests r CROSS JOIN attempts e ON e.id = r.attempt CROSS JOIN attempts a ON a.id = NEW.attempt
   WHERE r.idempotency_key = NEW.idempotency_key
     AND (e.call <> a.call OR (r.method, r.path, r.body, r.first_sent_at)
       IS NOT (NEW.method, NEW.path, NEW.body, NEW.first_sent_at));
END;

CREATE TRIGGER requests_reserving BEFORE INSERT ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: a lost request that is repeated under its key reserves nothing')
    FROM attempts a CROSS JOIN requests r ON r.idempotency_key = NEW.idempotency_key
    CROSS JOIN losses l ON l.attempt = r.attempt AND l.ended IS NULL
   WHERE a.id = NEW.attempt AND a.reserved <> 0;
END;

CREATE TRIGGER requests_repeating BEFORE INSERT ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: a repeat under a key is the lost request itself')
    FROM attempts a CROSS JOIN calls c ON c.id = a.call
   WHERE a.id = NEW.attempt AND a.kind = 'repeat' AND NOT EXISTS (
     SELECT 1 FROM requests r WHERE r.attempt = c.stands AND r.idempotency_key = NEW.idempotency_key);
END;

-- The answers of attempts, as they came, were told or were first read.
CREATE VIEW answers (attempt, call, id, kind, said, at) AS
  SELECT of, call, id, kind, said, at FROM ends WHERE kind = 'answered'
  UNION ALL SELECT of, call, id, kind, said, at FROM notes WHERE kind = 'told' OR kind = 'read';

-- What was taken for an answer and is none by its newest reading.
CREATE VIEW unanswered (attempt) AS
  SELECT e.of FROM notes e
   WHERE (e.kind = 'reading' OR e.kind = 'read') AND NOT ${isAnswer('e.said')}
     AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.of = e.of AND n.id > e.id AND n.kind = 'reading');

-- Which kind an answer is by its newest reading, when it was given, and by whom it was bought. What was told counts as found.
CREATE VIEW answer_ages (attempt, call, batch, found, answered_at) AS
  SELECT a.id, a.call, a.batch,
         k.kind = 'told' OR coalesce(
           (SELECT e.said FROM notes e WHERE e.of = a.id AND (e.kind = 'reading' OR e.kind = 'read') ORDER BY e.id DESC LIMIT 1),
           k.said) = 'found',
         iif(k.kind = 'told', (SELECT t.facts ->> '$.received_at' FROM notes t WHERE t.id = k.id),
           (SELECT r.at FROM replies r WHERE r.of = a.id))
    FROM answers k CROSS JOIN attempts a ON a.id = k.attempt;
`,
].join('');
