/** What batches and accounts spent, and the highest prices that were seen. */
export const MONEY = `
-- A row for each budget, named by its scope: see \`scopesOf\` in money.ts.
CREATE TABLE totals (
  scope text PRIMARY KEY,
  spent bigint NOT NULL DEFAULT 0,
  reserved bigint NOT NULL DEFAULT 0,
  in_doubt bigint NOT NULL DEFAULT 0,
  estimated boolean NOT NULL DEFAULT false,
  CHECK (spent >= 0 AND reserved >= 0 AND in_doubt >= 0)
);

-- \`credits_most\` is -1 where the call names none.
CREATE TABLE prices (
  account text NOT NULL,
  operation text NOT NULL,
  credits_most bigint NOT NULL,
  highest bigint NOT NULL CHECK (highest >= 0),
  PRIMARY KEY (account, operation, credits_most)
);
`;
