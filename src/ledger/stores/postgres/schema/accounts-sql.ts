/** Accounts at vendors, and what was learned about them. */
export const ACCOUNTS = `
-- \`last_other\` is the newest attempt that was answered with anything but a 404, \`misses\` how many 404 came since.
CREATE TABLE accounts (
  identity text PRIMARY KEY,
  per_day bigint CHECK (per_day >= 0),
  per_month bigint CHECK (per_month >= 0),
  answers bigint NOT NULL DEFAULT 0,
  answers_not_404 bigint NOT NULL DEFAULT 0,
  last_other bigint NOT NULL DEFAULT 0,
  misses bigint NOT NULL DEFAULT 0,
  misses_place json,
  misses_kept boolean NOT NULL DEFAULT false
);

CREATE TABLE match_rates (
  account text NOT NULL,
  operation text NOT NULL,
  found bigint NOT NULL,
  answers bigint NOT NULL,
  PRIMARY KEY (account, operation)
);
`;
