/** What jobs tell outside. It is no money: nothing is decided by it. */
export const NOTICES = `
-- \`sent_at\`: when somebody has received it; NULL until then.
CREATE TABLE IF NOT EXISTS notices (
  id text PRIMARY KEY,
  kind text NOT NULL,
  target text NOT NULL,
  body text NOT NULL,
  at bigint NOT NULL,
  sent_at bigint
);
CREATE INDEX IF NOT EXISTS notices_waiting ON notices (at, id) WHERE sent_at IS NULL;
`;
