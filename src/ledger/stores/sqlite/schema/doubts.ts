import { isOfCall, newestAnswer } from '../lookups.ts';
import { moves } from './money.ts';
import { BODY, emptied, HEADERS, keptUnlessErased, ofAttempt, WORDS } from './refusals.ts';

/** Attempts with lost answers: what they hold, what the vendor said about them, and what was decided. */
export const DOUBTS = [
  `
-- A lost attempt holds what it reserved until it is freed, told about or read.
CREATE VIEW held_attempts (attempt, call, reserved) AS
  SELECT a.id, a.call, a.reserved
    FROM attempts a JOIN closures k ON k.attempt = a.id
   WHERE k.kind = 'in_doubt' AND a.freed_by IS NULL
     AND NOT EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)
     AND NOT EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id);

-- For an attempt under an idempotency key: those before it under the same key that still hold money. To the vendor they
-- are one request, so they are charged once at most.
CREATE VIEW repeated_attempts (attempt, held) AS
  SELECT r.attempt, h.attempt
    FROM requests r
    JOIN requests e ON e.idempotency_key = r.idempotency_key AND e.attempt < r.attempt
    JOIN held_attempts h ON h.attempt = e.attempt;

-- What is done about a call in doubt, and about which loss: a decision on an earlier one says nothing on a later.
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  call INTEGER NOT NULL REFERENCES calls (id),
  doubt INTEGER NOT NULL REFERENCES attempts (id),
  batch INTEGER NOT NULL REFERENCES batches (id),
  kind TEXT NOT NULL CHECK (kind IN ('repeat', 'retry', 'skip', 'told', 'hold')),
  decided_by TEXT NOT NULL CHECK (decided_by IN ('rule', 'job', 'person')),
  why TEXT NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_doubt ON decisions (doubt, batch);

CREATE TRIGGER decisions_deciding BEFORE INSERT ON decisions BEGIN
  SELECT RAISE(ABORT, 'money rule: only a call in doubt is decided on')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = NEW.call AND doubt = NEW.doubt);
  SELECT RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    FROM calls c, batches b WHERE c.id = NEW.call AND b.id = NEW.batch AND c.account <> b.account;
END;
`,
  keptUnlessErased('decisions', {
    covered: ofAttempt('OLD.doubt'),
    kept: 'id call doubt batch kind decided_by at',
    content: WORDS,
  }),
  `
-- What a person said about an attempt in doubt. Its reply becomes the call's answer, its money counts as spent.
CREATE TABLE told (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  decision INTEGER NOT NULL REFERENCES decisions (id),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TRIGGER told_telling BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: only an attempt in doubt can be told')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a
       JOIN closures k ON k.attempt = a.id AND k.kind = 'in_doubt'
       JOIN calls c ON c.id = a.call AND c.doubt IS NOT NULL
       JOIN decisions d ON d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt AND d.kind = 'told'
      WHERE a.id = NEW.attempt AND NEW.charged = a.reserved);
END;

-- What was at risk counts as spent, in the batch that risked it.
CREATE TRIGGER told_money AFTER INSERT ON told BEGIN${moves('NEW.attempt', { spent: 'NEW.charged', in_doubt: '-NEW.charged' })}
  UPDATE calls SET answer_behind = NEW.attempt - id, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count)
    SELECT a.batch, 'calls', 1 FROM attempts a JOIN calls c ON c.answer = a.id AND c.id = a.call
     WHERE a.id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER told_held BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: what was given back is not charged')
    FROM attempts WHERE id = NEW.attempt AND freed_by IS NOT NULL;
END;
`,
  keptUnlessErased('told', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt decision charged status received_at',
    content: `${HEADERS} AND ${BODY}`,
  }),
  `
-- What the vendor said, when it was asked without cost, about an attempt that was lost.
CREATE TABLE looks (
  id INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts (id),
  kind TEXT NOT NULL CHECK (kind IN ('read_back', 'usage')),
  said TEXT NOT NULL CHECK (said IN ('happened', 'not_happened', 'unclear')),
  why TEXT NOT NULL,
  status INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX looks_attempt ON looks (attempt);

CREATE TRIGGER looks_looking BEFORE INSERT ON looks BEGIN
  SELECT RAISE(ABORT, 'money rule: only a lost attempt is looked at')
   WHERE NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.attempt AND kind = 'in_doubt');
END;
`,
  keptUnlessErased('looks', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'id attempt kind said status at',
    content: `${WORDS} AND ${emptied('body', "x''")}`,
  }),
  `
-- Lost attempts that were not charged, as a look said.
CREATE TABLE releases (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  why TEXT NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TRIGGER releases_releasing BEFORE INSERT ON releases BEGIN
  SELECT RAISE(ABORT, 'money rule: only what a call is in doubt about is released')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE doubt = NEW.attempt);
  SELECT RAISE(ABORT, 'money rule: nobody said that it did not happen')
   WHERE NOT EXISTS (SELECT 1 FROM looks WHERE attempt = NEW.attempt AND said = 'not_happened');
  SELECT RAISE(ABORT, 'money rule: a call that is being sent again is not released')
    FROM calls c JOIN attempts a ON a.call = c.id AND a.open = 1 WHERE c.doubt = NEW.attempt;
END;

-- The call may have lost others, under other keys: the newest of them is what it is in doubt about then. Without one, what
-- the lost attempt was to replace is there again.
CREATE TRIGGER releases_effect AFTER INSERT ON releases BEGIN
  UPDATE attempts SET freed_by = NEW.attempt
   WHERE id = NEW.attempt OR id IN (SELECT held FROM repeated_attempts WHERE attempt = NEW.attempt);
  UPDATE calls SET doubt = (SELECT max(h.attempt) FROM held_attempts h WHERE ${isOfCall('h.attempt', 'h.call', 'calls.id')})
   WHERE doubt = NEW.attempt;
  UPDATE calls SET answer_behind = ${newestAnswer('calls.id')} - id
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt) AND doubt IS NULL;
END;

CREATE TRIGGER attempts_holding BEFORE INSERT ON attempts WHEN NEW.freed_by IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins without being freed');
END;

CREATE TRIGGER attempts_freeing BEFORE UPDATE OF freed_by ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: only what a lost attempt holds is given back')
   WHERE NOT EXISTS (SELECT 1 FROM held_attempts WHERE attempt = NEW.id);
  SELECT RAISE(ABORT, 'money rule: money at risk is given back by a release, or by the answer under its key')
   WHERE NOT EXISTS (SELECT 1 FROM releases WHERE attempt = NEW.freed_by AND attempt = NEW.id)
     AND NOT EXISTS (
       SELECT 1 FROM repeated_attempts p JOIN closures k ON k.attempt = p.attempt
        WHERE p.attempt = NEW.freed_by AND p.held = NEW.id
          AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM releases WHERE attempt = p.attempt)));
END;

CREATE TRIGGER attempts_freed AFTER UPDATE OF freed_by ON attempts BEGIN${moves('NEW.id', { in_doubt: '-reserved' })}
END;
`,
  keptUnlessErased('releases', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt at',
    content: WORDS,
  }),
].join('');
