import { PRICES_TABLE } from '../tables.ts';
/**
 * The highest price that was seen, only for vendors whose answers state their cost: an attempt reserves at least that,
 * and it is not forgotten.
 */
export const PRICES = `
-- \`highest\`: the highest price that an answer has shown. \`credits_max\` is what the job said, -1 where it said nothing.
${PRICES_TABLE.definition}

CREATE TRIGGER prices_rising BEFORE UPDATE ON prices BEGIN
  SELECT RAISE(ABORT, 'money rule: the highest price that was seen only ever rises')
   WHERE NEW.highest < OLD.highest
      OR (NEW.account, NEW.operation, NEW.credits_max) IS NOT (OLD.account, OLD.operation, OLD.credits_max);
END;
`;
