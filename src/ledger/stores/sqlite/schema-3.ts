import { GUARDS_3 } from './guards-3.ts';

/**
 * What schema 3 adds: what changes alter, the log of what each of them left, and the plans that batches of changes work
 * off. Everything that schemas 1 and 2 kept stays as it is, checksums included.
 */
export const SCHEMA_3 = `
-- \`rows_beyond\`: planned rows that the input does not have. \`planned_rows\`: how many rows the plan has in all.
ALTER TABLE batches ADD COLUMN rows_beyond INTEGER CHECK (rows_beyond >= 0);
ALTER TABLE batches ADD COLUMN planned_rows INTEGER NOT NULL DEFAULT 0 CHECK (planned_rows >= 0);

-- The rows of a batch as they were planned, each as JSON. They are written before their batch, which ends the plan; the
-- reference, looked at by the commit, leaves no plan without a batch.
CREATE TABLE planned (
  batch INTEGER NOT NULL REFERENCES batches (id) DEFERRABLE INITIALLY DEFERRED,
  row INTEGER NOT NULL,
  planned TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (batch, row)
) STRICT, WITHOUT ROWID;

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

-- Of a change: what it alters, and the subject's sequence at which it may be sent.
ALTER TABLE calls ADD COLUMN subject INTEGER REFERENCES subjects (id);
ALTER TABLE calls ADD COLUMN after INTEGER CHECK ((after IS NULL) = (subject IS NULL));
CREATE INDEX calls_subject ON calls (subject) WHERE subject IS NOT NULL;

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
${GUARDS_3}`;
