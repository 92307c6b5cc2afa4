export const ACCOUNTS = `
-- What is learned may be lost: it is learned again. \`misses_place\` and \`misses_kept\` are about the misses that follow the end
-- \`misses_after\`. Those up to \`misses_forgotten\` count no more. Limits and caps are those of the first who used the account, or
-- of who changed them since: they hold for all. \`limits\` is NULL before the first. \`told\` is the newest time that the clock of one of
-- them and the account's vendor have both reached, and never falls.
CREATE TABLE IF NOT EXISTS accounts (
  identity text PRIMARY KEY,
  limits json,
  per_day bigint CHECK (per_day >= 0),
  per_month bigint CHECK (per_month >= 0),
  misses_place json,
  misses_kept boolean NOT NULL DEFAULT false,
  misses_after bigint,
  misses_forgotten bigint NOT NULL DEFAULT 0,
  paused_until bigint,
  learned json,
  usage json,
  told bigint
);

-- For a picture of a run; the oldest are deleted.
CREATE TABLE IF NOT EXISTS pauses (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text NOT NULL,
  from_at bigint NOT NULL,
  until_at bigint NOT NULL,
  why json NOT NULL,
  asked boolean NOT NULL
);
CREATE INDEX IF NOT EXISTS pauses_account ON pauses (account, until_at);
`;
