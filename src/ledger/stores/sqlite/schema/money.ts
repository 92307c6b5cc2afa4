import { refusedEvent } from './refusals.ts';

/** Totals of spent, reserved and doubtful money, and the scopes of each attempt. No attempt exceeds a cap. */
export const MONEY = [
  `
-- Totals, kept by triggers so that no code can forget them, and added up anew after an unclean end (\`verify.ts\`).
CREATE TABLE money (
  scope TEXT PRIMARY KEY,
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt >= 0)
) STRICT, WITHOUT ROWID;

-- Whose money an attempt is: of its batch, of its account's day and month (UTC, by the intent), and, for a retry of a
-- call in doubt, of the batch's extra credits. No cap is NULL.
CREATE VIEW attempt_scopes (attempt, scope, cap) AS
  SELECT a.id, 'batch:' || a.batch, b.budget
    FROM attempts a JOIN batches b ON b.id = a.batch
  UNION ALL
  SELECT a.id, 'day:' || b.account || ':' || a.day, p.per_day
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT a.id, 'month:' || b.account || ':' || substr(a.day, 1, 7), p.per_month
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT a.id, 'extra:' || a.batch, b.extra_credits
    FROM attempts a JOIN batches b ON b.id = a.batch JOIN decisions d ON d.id = a.decision
   WHERE d.kind = 'retry';

CREATE TRIGGER attempts_reserve AFTER INSERT ON attempts BEGIN
  INSERT INTO money (scope, reserved) SELECT scope, NEW.reserved FROM attempt_scopes WHERE attempt = NEW.id
    ON CONFLICT (scope) DO UPDATE SET reserved = reserved + excluded.reserved;
  SELECT RAISE(ABORT, 'money rule: above a cap')
    FROM attempt_scopes s JOIN money m ON m.scope = s.scope
   WHERE s.attempt = NEW.id AND m.spent + m.reserved + m.in_doubt > s.cap;
END;
`,
  refusedEvent('DELETE', 'money'),
].join('');
