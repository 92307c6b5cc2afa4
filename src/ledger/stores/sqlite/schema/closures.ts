import { ENDINGS, wordOf } from '../words.ts';
import { moves } from './money.ts';
import { emptied, keptUnlessErased, ofAttempt } from './refusals.ts';

/** Whether the answer is another than a 404, which is all that a wrong address ever says. */
const OTHER =
  "(NEW.kind = 'settled' AND (SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404)";

export const CLOSURES_TABLE_8 = `
-- How each attempt ended. \`said\` is why, in words, or the status that is all there is to say. \`dialect\`: by which the
-- answer was read, as the number of a shape; before schema 8, 48 bits of its hash, which the shape has.
CREATE TABLE closures (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  ending INTEGER NOT NULL CHECK (ending BETWEEN 0 AND ${ENDINGS.length - 1}),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  said ANY NOT NULL,
  closed_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  dialect INTEGER,
  kind TEXT NOT NULL GENERATED ALWAYS AS (${wordOf(
    'ending',
    ENDINGS.map(([kind]) => kind),
  )}) VIRTUAL,
  answer TEXT GENERATED ALWAYS AS (${wordOf(
    'ending',
    ENDINGS.map(([, answer]) => answer),
  )}) VIRTUAL,
  why TEXT NOT NULL GENERATED ALWAYS AS (iif(typeof(said) = 'integer', 'status ' || said, said)) VIRTUAL,
  CHECK (kind = 'settled' OR charged = 0)
) STRICT;
`;

/** How an attempt ended, once, and what follows for the money, the call and the counts. */
export const CLOSURES = [
  CLOSURES_TABLE_8,
  `
-- That an attempt is closed once is the primary key of closures.
CREATE TRIGGER closures_closing BEFORE INSERT ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer needs its raw reply')
   WHERE NEW.kind = 'settled' AND NOT EXISTS (SELECT 1 FROM replies WHERE attempt = NEW.attempt);
END;

CREATE TRIGGER closures_answer AFTER INSERT ON closures WHEN NEW.kind = 'settled' BEGIN
  UPDATE calls SET answer_behind = NEW.attempt - id, doubt = NULL
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;

-- A refresh that got lost leaves the older answer in place, unless that turned out to be none.
CREATE TRIGGER closures_doubt AFTER INSERT ON closures WHEN NEW.kind = 'in_doubt' BEGIN
  UPDATE calls SET
      doubt = NEW.attempt,
      answer_behind = NULL,
      repeats = repeats + EXISTS (
        SELECT 1 FROM attempts a JOIN decisions d ON d.id = a.decision
         WHERE a.id = NEW.attempt AND d.kind = 'repeat')
    WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt)
      AND (answer IS NULL OR EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = calls.answer));
END;

-- Never refuses an answer for being dearer than reserved: it has been charged, so the book must say so.
CREATE TRIGGER closures_money AFTER INSERT ON closures BEGIN
  UPDATE attempts SET open = 0 WHERE id = NEW.attempt;${moves('NEW.attempt', {
    spent: 'NEW.charged',
    reserved: '-reserved',
    in_doubt: "iif(NEW.kind = 'in_doubt', reserved, 0)",
    requests: "NEW.kind <> 'not_sent'",
    answers: "NEW.kind = 'settled'",
    found: "NEW.answer IS 'found'",
    answers_not_404: OTHER,
    last_other: `NEW.attempt * ${OTHER}`,
  })}
END;

-- An answer under a key is spent where the first request under it was risked, because its money was held there: no other
-- batch, and no later day, has reserved anything for it.
CREATE TRIGGER closures_money_under_key AFTER INSERT ON closures
WHEN NEW.kind = 'settled' AND EXISTS (SELECT 1 FROM repeated_attempts WHERE attempt = NEW.attempt) BEGIN${moves('NEW.attempt', { spent: '-NEW.charged' })}${moves(
    '(SELECT min(held) FROM repeated_attempts WHERE attempt = NEW.attempt)',
    { spent: 'NEW.charged' },
  )}
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
END;
`,
  keptUnlessErased('closures', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt ending charged closed_at dialect',
    content: emptied('said', "'erased'"),
  }),
].join('');
