import { refusal } from './guards.ts';

/**
 * Rules of schema 4 about prices: an attempt reserves no less than the highest price that was seen, and a price that was
 * seen is not forgotten.
 */
const PRICES = `
CREATE TRIGGER attempts_price BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt reserves the highest price that was seen')
    FROM calls c
    JOIN prices p ON p.account = c.account AND p.operation = c.operation
     AND p.credits_max = coalesce(json_extract(c.call, '$.creditsMost'), -1)
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
`;

export const PRICE_GUARDS = [PRICES, refusal('DELETE', 'prices')].join('');
