/**
 * The highest price that was seen, only for vendors whose answers state their cost: an attempt reserves at least that,
 * and it is not forgotten.
 */
export const PRICES = `
-- \`highest\`: the highest price that an answer has shown. \`credits_max\` is what the job said, -1 where it said nothing.
CREATE TABLE prices (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  credits_max INTEGER NOT NULL,
  highest INTEGER NOT NULL CHECK (highest >= 0),
  sum INTEGER NOT NULL,
  PRIMARY KEY (account, operation, credits_max)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER prices_rising BEFORE UPDATE ON prices BEGIN
  SELECT RAISE(ABORT, 'money rule: the highest price that was seen only ever rises')
   WHERE NEW.highest < OLD.highest
      OR (NEW.account, NEW.operation, NEW.credits_max) IS NOT (OLD.account, OLD.operation, OLD.credits_max);
END;
`;
