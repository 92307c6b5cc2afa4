import { refusedEvent } from './refusals.ts';

/**
 * The highest price that was seen, only for vendors whose answers state their cost: an attempt reserves at least that,
 * and it is not forgotten.
 */
export const PRICES = [
  `
-- \`highest\`: the highest price that an answer has shown. \`credits_max\` is what the job said, -1 where it said nothing.
CREATE TABLE prices (
  account INTEGER NOT NULL REFERENCES accounts (id),
  operation TEXT NOT NULL,
  credits_max INTEGER NOT NULL,
  highest INTEGER NOT NULL CHECK (highest >= 0),
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, operation, credits_max)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempts_price BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt reserves the highest price that was seen')
    FROM calls c
    -- Few accounts have prices, so what the call asks for is read last.
    CROSS JOIN prices p ON p.account = c.account
    CROSS JOIN asked q ON q.call = c.id AND q.operation = p.operation AND coalesce(q.credits_most, -1) = p.credits_max
   WHERE c.id = NEW.call AND NEW.reserved < p.highest
     -- What is sent again to the byte is charged once, and the lost attempt holds the money for that.
     AND NOT (NEW.reserved = 0 AND EXISTS (
       SELECT 1 FROM decisions d JOIN requests r ON r.attempt = d.doubt
        WHERE d.id = NEW.decision AND d.kind = 'repeat'));
END;

CREATE TRIGGER prices_rising BEFORE UPDATE ON prices BEGIN
  SELECT RAISE(ABORT, 'money rule: the highest price that was seen only ever rises')
   WHERE NEW.highest < OLD.highest
      OR (NEW.account, NEW.operation, NEW.credits_max) IS NOT (OLD.account, OLD.operation, OLD.credits_max);
END;
`,
  refusedEvent('DELETE', 'prices'),
].join('');
