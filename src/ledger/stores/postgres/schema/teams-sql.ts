/** What batches of changes left, which were made elsewhere: they are read here, and none is made. */
export const TEAMS = `
-- The rows of a batch as they were planned.
CREATE TABLE IF NOT EXISTS planned (
  batch text NOT NULL,
  row bigint NOT NULL,
  planned json NOT NULL,
  PRIMARY KEY (batch, row)
);

-- Whom or what changes alter. \`sequence\` is how many changes of it were settled.
CREATE TABLE IF NOT EXISTS subjects (
  id bigint PRIMARY KEY,
  account text NOT NULL,
  project text NOT NULL,
  name text NOT NULL,
  sequence bigint NOT NULL,
  UNIQUE (account, project, name)
);

-- What each settled change left of its subject.
CREATE TABLE IF NOT EXISTS changes (
  attempt bigint PRIMARY KEY,
  subject bigint NOT NULL,
  sequence bigint NOT NULL,
  state text,
  role text,
  email text,
  invite_code text,
  user_id text,
  project_id text,
  UNIQUE (subject, sequence)
);
`;
