import { covers, refusedEvent } from './refusals.ts';

/** The guard names columns, so that other columns of the row may change. */
const UNCHANGED = `
CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, call, checksum ON calls
WHEN (NEW.id, NEW.account, NEW.operation, NEW.call ->> '$.operation', NEW.call ->> '$.creditsMost', NEW.call ->> '$.after')
  IS NOT (OLD.id, OLD.account, OLD.operation, OLD.call ->> '$.operation', OLD.call ->> '$.creditsMost', OLD.call ->> '$.after')
  OR NOT ${covers('call', 'OLD.id')} OR NEW.call -> '$.parameters' IS NOT '{}'
  OR NEW.call ->> '$.erasedAtMs' IS NOT (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
END;
`;

/**
 * Paid requests. The answer of a call changes only by what settled it, and a doubt ends with an answer or a release.
 */
export const CALLS = [
  `
-- At most one of \`answer\` and \`doubt\` is set; both name the attempt that led to it. A change has the
-- \`subject\` that it alters, and in \`after\` the sequence of the subject at which it may be sent.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  call TEXT NOT NULL,
  answer INTEGER REFERENCES attempts (id),
  doubt INTEGER REFERENCES attempts (id),
  repeats INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL, subject INTEGER REFERENCES subjects (id), after INTEGER CHECK ((after IS NULL) = (subject IS NULL)),
  CHECK (answer IS NULL OR doubt IS NULL)
) STRICT;
CREATE INDEX calls_doubt ON calls (doubt) WHERE doubt IS NOT NULL;
CREATE INDEX calls_subject ON calls (subject) WHERE subject IS NOT NULL;

CREATE TRIGGER calls_doubted BEFORE UPDATE OF doubt ON calls WHEN NEW.doubt IS NOT OLD.doubt BEGIN
  SELECT RAISE(ABORT, 'money rule: a doubt ends only with an answer or a release')
   WHERE (NEW.doubt IS NULL OR NEW.doubt < OLD.doubt) AND NEW.answer IS NULL
     AND NOT EXISTS (SELECT 1 FROM releases WHERE attempt = OLD.doubt);
  SELECT RAISE(ABORT, 'money rule: a doubt comes from an attempt of the call that was lost')
   WHERE NEW.doubt IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM held_attempts WHERE attempt = NEW.doubt AND call = NEW.id);
END;

CREATE TRIGGER calls_answered BEFORE UPDATE OF answer ON calls WHEN NEW.answer IS NOT OLD.answer BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer is taken back only by a retraction')
   WHERE NEW.answer IS NULL AND NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.answer);
  SELECT RAISE(ABORT, 'money rule: an answer comes from a settled attempt of the call, from a person, or from a reading')
   WHERE NEW.answer IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.answer AND a.call = NEW.id
        AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
          OR EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)));
END;
`,
  UNCHANGED,
  refusedEvent('DELETE', 'calls'),
].join('');
