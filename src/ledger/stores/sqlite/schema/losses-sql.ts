import { LOSS_OVER } from '../../../rules/moves.ts';
import { isOneOf } from '../lookups.ts';
import { refusedEntry } from './refusals.ts';

/** Requests whose answers were lost: what each may have been charged, and how that was over, once. */
export const LOSSES = [
  `
-- \`ended\` is the entry by which it is over: given back, told, counted with what was told, or read. A lost attempt of a call
-- that is answered by now may hold for ever, because nobody can settle it.
CREATE TABLE losses (
  attempt INTEGER PRIMARY KEY,
  call INTEGER NOT NULL,
  holds INTEGER NOT NULL CHECK (holds >= 0),
  ended INTEGER
) STRICT;
CREATE INDEX losses_call ON losses (call);

CREATE TRIGGER ends_losing AFTER INSERT ON ends WHEN NEW.kind = 'lost' OR NEW.kind = 'lost_beside' BEGIN
  INSERT INTO losses (attempt, call, holds) SELECT NEW.of, NEW.call, reserved FROM attempts WHERE id = NEW.of;
END;

CREATE TRIGGER notes_ending_loss AFTER INSERT ON notes WHEN ${isOneOf('NEW.kind', LOSS_OVER)} BEGIN
  UPDATE losses SET ended = NEW.id WHERE attempt = NEW.of AND ended IS NULL AND holds = -NEW.held;
  SELECT RAISE(ABORT, 'money rule: what a lost attempt holds is over once, with all of it') WHERE changes() <> 1;
END;

CREATE TRIGGER losses_adding BEFORE INSERT ON losses BEGIN
  SELECT RAISE(ABORT, 'money rule: only the entry that was just written loses an attempt')
   WHERE NOT EXISTS (
     SELECT 1 FROM book b CROSS JOIN ends e ON e.of = NEW.attempt AND e.call = NEW.call
       CROSS JOIN attempts a ON a.id = e.of AND a.reserved = NEW.holds
      WHERE e.id > b.booked AND (e.kind = 'lost' OR e.kind = 'lost_beside'));
END;

CREATE TRIGGER losses_ending BEFORE UPDATE ON losses BEGIN
  SELECT RAISE(ABORT, 'money rule: a loss is over by the entry that says so')
   WHERE (NEW.attempt, NEW.call, NEW.holds) IS NOT (OLD.attempt, OLD.call, OLD.holds) OR OLD.ended IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM notes n WHERE n.id = NEW.ended AND n.of = OLD.attempt AND ${isOneOf('n.kind', LOSS_OVER)});
END;
`,
  // A refresh that got lost leaves the older answer in place, unless that turned out to be none.
  refusedEntry('lost_answer', ['lost'], {
    says: 'an answer does not end in the doubt about what was to replace it',
    from: 'calls c',
    where: `c.id = NEW.call AND c.state = 'answered' AND NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = c.stands)`,
  }),
  refusedEntry('lost_beside', ['lost_beside'], {
    says: 'what is lost in the place of what was no answer is in doubt',
    from: 'calls c CROSS JOIN unanswered u ON u.attempt = c.stands',
    where: 'c.id = NEW.call',
  }),
  refusedEntry('deciding', ['decided', 'told'], {
    says: 'the call and the batch are of different accounts',
    where: `NOT EXISTS (
     SELECT 1 FROM calls c CROSS JOIN batches b ON b.account = c.account WHERE c.id = NEW.call AND b.id = NEW.batch)`,
  }),
  refusedEntry('looking', ['look'], {
    says: 'only a lost attempt is looked at',
    where: 'NOT EXISTS (SELECT 1 FROM losses WHERE attempt = NEW.of)',
  }),
  refusedEntry('releasing', ['released'], {
    says: 'nobody said that it did not happen',
    where: `NOT EXISTS (
     SELECT 1 FROM notes l WHERE l.of = NEW.of AND l.kind = 'look' AND l.said = 'not_happened')`,
  }),
  // The call may have lost others, under other keys: the newest of them is what it is in doubt about then. Without one, what
  // the lost attempt was to replace is there again.
  refusedEntry('released_to', ['released'], {
    says: 'after a release there stands what stood before',
    where: `NEW.sees IS NOT coalesce(
     (SELECT max(l.attempt) FROM losses l
       WHERE l.call = NEW.call AND l.ended IS NULL AND l.attempt <> NEW.of AND NOT EXISTS (
         SELECT 1 FROM requests r CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key
          WHERE r.attempt = NEW.of AND o.attempt = l.attempt AND l.attempt < NEW.of)),
     (SELECT max(g.attempt) FROM standing_answers g WHERE g.call = NEW.call))`,
  }),
  // Money at risk is given back by a release, or by the answer under its key.
  refusedEntry('freeing', ['freed'], {
    says: 'what is given back follows the release or the answer of the same request',
    where: `NOT EXISTS (
     SELECT 1 FROM (
         SELECT id, of FROM ends WHERE kind = 'answered' UNION ALL SELECT id, of FROM notes WHERE kind = 'released') e
       CROSS JOIN requests r ON r.attempt = e.of CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key
      WHERE e.id = NEW.sees AND o.attempt = NEW.of AND NEW.of < e.of)`,
  }),
  refusedEntry('counting', ['counted'], {
    says: 'what is counted follows what was told of its call',
    where:
      "NOT EXISTS (SELECT 1 FROM notes t WHERE t.id = NEW.sees AND t.kind = 'told' AND t.call = NEW.call)",
  }),
].join('');
