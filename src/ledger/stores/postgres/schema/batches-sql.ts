/** What a run processes: one input, one operation, one account. */
export const BATCHES = `
-- \`id\` is the id that a user types, \`ordinal\` the order of making.
CREATE TABLE batches (
  id text PRIMARY KEY,
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  account text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'finished', 'superseded', 'cancelled')),
  sandbox boolean NOT NULL,
  created_at bigint NOT NULL,
  budget bigint CHECK (budget >= 0),
  extra_credits bigint CHECK (extra_credits >= 0),
  fresh_found bigint,
  fresh_no_match bigint
);
`;
