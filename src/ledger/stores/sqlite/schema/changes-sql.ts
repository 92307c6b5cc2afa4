import { SENT } from '../../../rules/moves.ts';
import { CHANGES_TABLE, PLANNED_TABLE, SUBJECTS_TABLE } from '../tables.ts';
import { refusedEntry } from './refusals.ts';

/**
 * Plans, the people and things that changes alter, and the log of what each change left. A change is made once, against
 * the state of its subject in the plan, and its result is kept.
 */
export const CHANGES = [
  `
-- The rows of a batch as they were planned, each as JSON. They are written before their batch, which ends the plan; the
-- reference, looked at by the commit, leaves no plan without a batch.
${PLANNED_TABLE.definition}

CREATE TRIGGER planned_planning BEFORE INSERT ON planned BEGIN
  SELECT RAISE(ABORT, 'money rule: nothing is added to the plan of a batch that has begun')
    FROM batches WHERE id = NEW.batch;
END;

CREATE TRIGGER batches_planned BEFORE INSERT ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: a batch begins with its whole plan')
   WHERE NEW.planned_rows <> (SELECT count(*) FROM planned WHERE batch = NEW.id);
END;

-- Whom or what changes alter. \`project\` is '' for what belongs to the account itself. \`sequence\` is how many changes
-- of it were settled; how the last of them left it stands in \`changes\`.
${SUBJECTS_TABLE.definition}

CREATE TRIGGER subjects_beginning BEFORE INSERT ON subjects WHEN NEW.sequence <> 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject begins unchanged');
END;

CREATE TRIGGER subjects_moving BEFORE UPDATE OF sequence ON subjects BEGIN
  SELECT RAISE(ABORT, 'money rule: a subject moves on by one, with the entry of a settled change')
   WHERE NEW.sequence <> OLD.sequence + 1
      OR NOT EXISTS (SELECT 1 FROM changes WHERE subject = NEW.id AND sequence = NEW.sequence);
END;

-- What each settled change left of its subject; \`state\` is NULL as long as nothing is known. It is written just after the entry
-- that settles the attempt.
${CHANGES_TABLE.definition}

CREATE TRIGGER changes_following BEFORE INSERT ON changes BEGIN
  SELECT RAISE(ABORT, 'money rule: what a change left is of an attempt of a change of that subject, and follows what it was planned at')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a JOIN calls c ON c.id = a.call
      WHERE a.id = NEW.attempt AND c.subject = NEW.subject AND c.after + 1 = NEW.sequence);
END;

CREATE TRIGGER changes_logging BEFORE INSERT ON changes BEGIN
  SELECT RAISE(ABORT, 'money rule: what a change left is of a change that was just settled')
   WHERE NOT EXISTS (
     SELECT 1 FROM book b CROSS JOIN answers e ON e.attempt = NEW.attempt WHERE e.id > b.booked AND e.kind <> 'read');
END;

CREATE TRIGGER groups_changes BEFORE INSERT ON groups BEGIN
  SELECT RAISE(ABORT, 'money rule: a change is settled with what it left')
    FROM (
      SELECT call FROM ends WHERE id BETWEEN NEW.first AND NEW.id AND kind = 'answered'
      UNION ALL SELECT call FROM notes WHERE id BETWEEN NEW.first AND NEW.id AND kind = 'told') e
    CROSS JOIN calls c ON c.id = e.call AND c.subject IS NOT NULL
   WHERE NOT EXISTS (SELECT 1 FROM changes WHERE subject = c.subject AND sequence = c.after + 1);
END;

CREATE TRIGGER changes_effect AFTER INSERT ON changes BEGIN
  UPDATE subjects SET sequence = NEW.sequence WHERE id = NEW.subject;
END;

-- Changes that are under way, or whose answers were lost: while there is one, its subject takes no other.
CREATE VIEW pending_changes (subject, call, attempt) AS
  SELECT subject, id, stands FROM calls WHERE subject IS NOT NULL AND state = 'doubt'
  UNION ALL SELECT subject, id, open FROM calls WHERE subject IS NOT NULL AND open IS NOT NULL;

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
`,
  refusedEntry('planned', SENT, {
    says: 'the subject was changed since the change was planned',
    from: 'calls c CROSS JOIN subjects s ON s.id = c.subject',
    where: 'c.id = NEW.call AND s.sequence <> c.after',
  }),
  refusedEntry('alone', SENT, {
    says: 'another change of the subject is under way or in doubt',
    from: 'calls c CROSS JOIN pending_changes p ON p.subject = c.subject AND p.call <> c.id',
    where: 'c.id = NEW.call',
  }),
].join('');
