export const BATCHES = `
-- \`id\` is what a user types, \`ordinal\` the order of making. Answers that are older than \`fresh_found\` and \`fresh_no_match\` (ms
-- since 1970) are bought anew; NULL: answers of any age will do. \`held_since\`: when a person paused it. \`rows_beyond\` counts planned
-- rows that the input does not have.
CREATE TABLE IF NOT EXISTS batches (
  id text PRIMARY KEY,
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  key text NOT NULL,
  generation bigint NOT NULL,
  lineage text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'finished', 'superseded', 'cancelled')),
  account text NOT NULL REFERENCES accounts,
  account_name text NOT NULL,
  sandbox boolean NOT NULL,
  vendor text NOT NULL,
  operation text NOT NULL,
  input_path text NOT NULL,
  input_sha256 text NOT NULL,
  input_rows bigint NOT NULL,
  settings json NOT NULL,
  created_at bigint NOT NULL,
  budget bigint CHECK (budget >= 0),
  extra_credits bigint CHECK (extra_credits >= 0),
  output_path text,
  output_sha256 text,
  command text,
  fresh_found bigint,
  fresh_no_match bigint,
  held_since bigint,
  rows_beyond bigint,
  planned_rows bigint NOT NULL DEFAULT 0,
  UNIQUE (key, generation)
);
CREATE UNIQUE INDEX IF NOT EXISTS batches_open ON batches (key) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS batches_lineage ON batches (lineage) WHERE state = 'open';
`;
