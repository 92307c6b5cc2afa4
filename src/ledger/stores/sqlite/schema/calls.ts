import { hasKey } from '../lookups.ts';
import { covers, refusedEvent } from './refusals.ts';

/** The guard names columns, so that other columns of the row may change. */
const UNCHANGED = `
CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, shape, own, checksum ON calls
WHEN (NEW.id, NEW.account, NEW.operation, NEW.shape, NEW.own ->> '$.operation', NEW.own ->> '$.creditsMost', NEW.own ->> '$.after')
  IS NOT (SELECT q.call, OLD.account, q.operation, NULL, q.operation, q.credits_most, OLD.after FROM asked q WHERE q.call = OLD.id)
  OR NOT ${covers('call', 'OLD.id')} OR NEW.own -> '$.parameters' IS NOT '{}'
  OR NEW.own ->> '$.erasedAtMs' IS NOT (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
END;
`;

/** That a key stands for one call. The index has a part of the key alone: keys are random, so few share it. */
function oneKey(event: 'INSERT' | 'UPDATE OF key'): string {
  return `
CREATE TRIGGER calls_one_key_${event.slice(0, 6).toLowerCase()} BEFORE ${event} ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: a key stands for one call')
    FROM calls c WHERE ${hasKey('c', 'NEW.key')} AND c.id IS NOT NEW.id;
END;
`;
}

export const CALLS_TABLE_8 = `
-- A question that has a \`shape\` has in \`own\` its own values, separated as in JSON, or the digits of the only one as a
-- number; another is JSON as a whole, and names its \`operation\`. At most one of \`answer\` and \`doubt\` is set; both name
-- the attempt that led to it, and \`answer_behind\` is by how much that is above the first. A change has the \`subject\` that
-- it alters, and in \`after\` the sequence of the subject at which it may be sent.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL CHECK (length(key) = 32),
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT,
  shape INTEGER REFERENCES shapes (id),
  own ANY NOT NULL,
  answer_behind INTEGER,
  doubt INTEGER REFERENCES attempts (id),
  repeats INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL,
  subject INTEGER REFERENCES subjects (id),
  after INTEGER CHECK ((after IS NULL) = (subject IS NULL)),
  answer INTEGER GENERATED ALWAYS AS (id + answer_behind) VIRTUAL REFERENCES attempts (id),
  call TEXT NOT NULL GENERATED ALWAYS AS (iif(typeof(own) = 'integer', '"' || own || '"', own)) VIRTUAL,
  CHECK (answer_behind IS NULL OR doubt IS NULL),
  CHECK ((operation IS NULL) = (shape IS NOT NULL))
) STRICT;
`;

export const CALLS_INDEXES = `
CREATE INDEX calls_key ON calls (substr(key, 1, 4));
CREATE INDEX calls_doubt ON calls (doubt) WHERE doubt IS NOT NULL;
CREATE INDEX calls_subject ON calls (subject) WHERE subject IS NOT NULL;
`;

/**
 * Paid requests. The answer of a call changes only by what settled it, and a doubt ends with an answer or a release.
 */
export const CALLS = [
  CALLS_TABLE_8,
  CALLS_INDEXES,
  `
-- What a call asks for and may cost, in whichever way its question stands.
CREATE VIEW asked (call, operation, credits_most) AS
  SELECT c.id, coalesce(c.operation, (SELECT s.operation FROM shapes s WHERE s.id = c.shape)),
         iif(c.shape IS NULL, c.call ->> '$.creditsMost', (SELECT s.credits_most FROM shapes s WHERE s.id = c.shape))
    FROM calls c;
`,
  oneKey('INSERT'),
  oneKey('UPDATE OF key'),
  `
CREATE TRIGGER calls_beginning BEFORE INSERT ON calls WHEN NEW.answer_behind IS NOT NULL OR NEW.doubt IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a call begins without an answer and without a doubt');
END;

CREATE TRIGGER calls_doubted BEFORE UPDATE OF doubt ON calls WHEN NEW.doubt IS NOT OLD.doubt BEGIN
  SELECT RAISE(ABORT, 'money rule: a doubt ends only with an answer or a release')
   WHERE (NEW.doubt IS NULL OR NEW.doubt < OLD.doubt) AND NEW.answer_behind IS NULL
     AND NOT EXISTS (SELECT 1 FROM releases WHERE attempt = OLD.doubt);
  SELECT RAISE(ABORT, 'money rule: a doubt comes from an attempt of the call that was lost')
   WHERE NEW.doubt IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM held_attempts WHERE attempt = NEW.doubt AND call = NEW.id);
END;

CREATE TRIGGER calls_answered BEFORE UPDATE OF answer_behind ON calls WHEN NEW.answer_behind IS NOT OLD.answer_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer ends by a retraction, or by a doubt where it turned out to be none')
   WHERE NEW.answer_behind IS NULL
     AND NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.id + OLD.answer_behind)
     AND (NEW.doubt IS NULL OR NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = OLD.id + OLD.answer_behind));
  SELECT RAISE(ABORT, 'money rule: an answer comes from a settled attempt of the call, from a person, or from a reading')
   WHERE NEW.answer_behind IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.id + NEW.answer_behind AND a.call = NEW.id
        AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
          OR EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)));
END;
`,
  UNCHANGED,
  refusedEvent('DELETE', 'calls'),
].join('');
