import { refusal } from './guards.ts';

/**
 * The rules of changes, beside the money rules of `guards.ts` and `guards-2.ts`: a change is made once, against what its
 * subject was when it was planned, and what it left is kept.
 */
const PLANNING = `
CREATE TRIGGER planned_planning BEFORE INSERT ON planned BEGIN
  SELECT RAISE(ABORT, 'money rule: nothing is added to the plan of a batch that has begun')
    FROM batches WHERE id = NEW.batch;
END;

CREATE TRIGGER batches_planned BEFORE INSERT ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: a batch begins with its whole plan')
   WHERE NEW.planned_rows <> (SELECT count(*) FROM planned WHERE batch = NEW.id);
END;

CREATE TRIGGER batches_plan_kept BEFORE UPDATE OF rows_beyond, planned_rows ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: the plan of a batch does not change');
END;
`;

const CHANGING = `
CREATE TRIGGER calls_changing BEFORE INSERT ON calls WHEN NEW.subject IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a change and its subject are of one account')
   WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE id = NEW.subject AND account = NEW.account);
END;

CREATE TRIGGER calls_change_kept BEFORE UPDATE OF subject, after ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: what a call changes is kept as it was written');
END;

CREATE TRIGGER attempts_changing BEFORE INSERT ON attempts
WHEN (SELECT subject FROM calls WHERE id = NEW.call) IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: the subject was changed since the change was planned')
    FROM calls c JOIN subjects s ON s.id = c.subject WHERE c.id = NEW.call AND s.sequence <> c.after;
  SELECT RAISE(ABORT, 'money rule: another change of the subject is under way or in doubt')
    FROM calls c JOIN pending_changes p ON p.subject = c.subject AND p.call <> c.id WHERE c.id = NEW.call;
END;
`;

const SETTLING = `
-- Of a call that was lost several times, the entry is of the attempt that the call is in doubt about: it is the answer.
CREATE TRIGGER changes_logging BEFORE INSERT ON changes BEGIN
  SELECT RAISE(ABORT, 'money rule: an entry is of an attempt of a change of that subject, and follows what it was planned at')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a JOIN calls c ON c.id = a.call
      WHERE a.id = NEW.attempt AND c.subject = NEW.subject AND c.after + 1 = NEW.sequence);
  SELECT RAISE(ABORT, 'money rule: an entry is of a change that is just being settled')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1)
     AND NOT EXISTS (
       SELECT 1 FROM calls c JOIN decisions d ON d.call = c.id AND d.doubt = c.doubt AND d.kind = 'told'
        WHERE c.doubt = NEW.attempt);
END;

CREATE TRIGGER changes_effect AFTER INSERT ON changes BEGIN
  UPDATE subjects SET sequence = NEW.sequence WHERE id = NEW.subject;
END;

-- One that was told about while it was being sent again has its entry already.
CREATE TRIGGER closures_changing BEFORE INSERT ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: a change is settled with an entry of what it left')
    FROM attempts a JOIN calls c ON c.id = a.call
   WHERE a.id = NEW.attempt AND NEW.kind = 'settled' AND c.subject IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM changes WHERE subject = c.subject AND sequence = c.after + 1);
  SELECT RAISE(ABORT, 'money rule: only a change that is settled has an entry of what it left')
    FROM changes WHERE attempt = NEW.attempt AND NEW.kind <> 'settled';
END;

CREATE TRIGGER told_changing BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: a change is told about with an entry of what it left')
    FROM attempts a JOIN calls c ON c.id = a.call
   WHERE a.id = NEW.attempt AND c.subject IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM changes WHERE attempt = c.doubt);
END;

CREATE TRIGGER retractions_changing BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: the answer to a change is never taken back')
    FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = NEW.attempt AND c.subject IS NOT NULL;
END;

CREATE TRIGGER subjects_beginning BEFORE INSERT ON subjects WHEN NEW.sequence <> 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject begins unchanged');
END;

CREATE TRIGGER subjects_moving BEFORE UPDATE OF sequence ON subjects BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject moves on by one, with the entry of a settled change')
   WHERE NEW.sequence <> OLD.sequence + 1
      OR NOT EXISTS (SELECT 1 FROM changes WHERE subject = NEW.id AND sequence = NEW.sequence);
END;

CREATE TRIGGER subjects_unchanged BEFORE UPDATE OF id, account, project, name, checksum ON subjects BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject is kept as it was written');
END;
`;

/** Written once, never taken out. */
const APPEND_ONLY = ['planned', 'changes'];

export const GUARDS_3 = [
  PLANNING,
  CHANGING,
  SETTLING,
  ...APPEND_ONLY.map((table) => refusal('UPDATE', table)),
  ...[...APPEND_ONLY, 'subjects'].map((table) => refusal('DELETE', table)),
].join('');
