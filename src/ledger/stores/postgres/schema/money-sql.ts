/** What batches and accounts spent, and the highest prices that were seen. */
export const MONEY = `
-- A row for each budget: \`of\` is a batch, or an account whose day or month \`period\` names. \`cap\` is what the newest admission
-- was held against.
CREATE TABLE totals (
  scope text NOT NULL CHECK (scope IN ('batch', 'extra', 'day', 'month')),
  of text NOT NULL,
  period text NOT NULL,
  spent bigint NOT NULL,
  reserved bigint NOT NULL,
  in_doubt bigint NOT NULL,
  cap bigint,
  estimated boolean NOT NULL,
  PRIMARY KEY (scope, of, period),
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
