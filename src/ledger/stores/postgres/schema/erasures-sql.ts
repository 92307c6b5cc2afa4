export const ERASURES = `
-- \`key_check\` tells whether a process has the key under which calls of forgotten people are hidden.
CREATE TABLE IF NOT EXISTS erasures (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('person', 'age')),
  at bigint NOT NULL,
  key_check text CHECK ((key_check IS NULL) = (kind = 'age'))
);

-- A call with all that is known of it, what was said about one attempt, a row of a batch, or whom changes altered.
CREATE TABLE IF NOT EXISTS erased (
  what text NOT NULL CHECK (what IN ('call', 'attempt', 'row', 'subject')),
  id bigint CHECK ((id IS NULL) = (what = 'row')),
  batch text CHECK ((batch IS NULL) = (what <> 'row')),
  row bigint NOT NULL,
  erasure bigint NOT NULL REFERENCES erasures,
  UNIQUE NULLS NOT DISTINCT (what, id, batch, row, erasure)
);
`;
