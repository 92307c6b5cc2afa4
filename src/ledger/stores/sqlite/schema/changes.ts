import { covers, emptied, keptUnlessErased, REASON } from './refusals.ts';

/**
 * Plans, the people and things that changes alter, and the log of what each change left. A change is made once, against
 * the state of its subject in the plan, and its result is kept.
 */
export const CHANGES = [
  `
-- The rows of a batch as they were planned, each as JSON. They are written before their batch, which ends the plan; the
-- reference, looked at by the commit, leaves no plan without a batch.
CREATE TABLE planned (
  batch INTEGER NOT NULL REFERENCES batches (id) DEFERRABLE INITIALLY DEFERRED,
  row INTEGER NOT NULL,
  planned TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

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
`,
  keptUnlessErased('planned', {
    covered: covers('row', 'OLD.batch', 'OLD.row'),
    kept: 'batch row',
    content: `json_extract(NEW.planned, '$.outcome.reason') ${REASON} AND json_extract(NEW.planned, '$.kind') = 'end'`,
  }),
  `
-- Whom or what changes alter. \`project\` is '' for what belongs to the account itself. \`sequence\` is how many changes
-- of it were settled; how the last of them left it stands in \`changes\`.
CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (id),
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL,
  UNIQUE (account, project, name)
) STRICT;

CREATE TRIGGER subjects_beginning BEFORE INSERT ON subjects WHEN NEW.sequence <> 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject begins unchanged');
END;

CREATE TRIGGER subjects_moving BEFORE UPDATE OF sequence ON subjects BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject moves on by one, with the entry of a settled change')
   WHERE NEW.sequence <> OLD.sequence + 1
      OR NOT EXISTS (SELECT 1 FROM changes WHERE subject = NEW.id AND sequence = NEW.sequence);
END;
`,
  // The sequence advances with each change, under a guard of its own.
  keptUnlessErased('subjects', {
    trigger: 'subjects_unchanged',
    covered: covers('subject', 'OLD.id'),
    kept: 'id account project',
    of: 'id, account, project, name, checksum',
    content: `NEW.name = 'erased:' || OLD.id`,
  }),
  `
-- What each settled change left of its subject; \`state\` is NULL as long as nothing is known. An entry is written just
-- before what settles the attempt; the reference, looked at by the commit, leaves no entry of one that is open.
CREATE TABLE changes (
  attempt INTEGER PRIMARY KEY REFERENCES closures (attempt) DEFERRABLE INITIALLY DEFERRED,
  subject INTEGER NOT NULL REFERENCES subjects (id),
  sequence INTEGER NOT NULL,
  state TEXT CHECK (state IN ('invited', 'member', 'between', 'gone', 'unsure', 'done')),
  role TEXT CHECK (role IN ('viewer', 'editor', 'admin')),
  email TEXT,
  invite_code TEXT,
  user_id TEXT,
  project_id TEXT,
  checksum INTEGER NOT NULL,
  UNIQUE (subject, sequence),
  CHECK (state IS NOT NULL OR coalesce(role, email, invite_code, user_id, project_id) IS NULL)
) STRICT;

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
`,
  keptUnlessErased('changes', {
    covered: covers('subject', 'OLD.subject'),
    kept: 'attempt subject sequence state role project_id',
    content: ['email', 'invite_code', 'user_id'].map((column) => emptied(column, 'NULL')).join(' AND '),
  }),
  `
-- Changes that are under way, or whose answers were lost: while there is one, its subject takes no other.
CREATE VIEW pending_changes (subject, call, attempt) AS
  SELECT c.subject, c.id, c.doubt FROM calls c WHERE c.subject IS NOT NULL AND c.doubt IS NOT NULL
  UNION ALL
  SELECT c.subject, c.id, a.id
    FROM calls c JOIN attempts a ON a.call = c.id AND a.open = 1 WHERE c.subject IS NOT NULL;

-- For whoever looks with another program: who is in which project, as far as is known.
CREATE VIEW memberships (account, project, person, email, role, invite_code, user_id, state, sequence) AS
  SELECT p.identity, s.project, s.name, g.email, g.role, g.invite_code, g.user_id, g.state, s.sequence
    FROM subjects s
    JOIN accounts p ON p.id = s.account
    JOIN changes g ON g.subject = s.id AND g.sequence = s.sequence
   WHERE s.project <> '';

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
`,
].join('');
