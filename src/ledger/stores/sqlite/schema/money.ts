import { refusedEvent } from './refusals.ts';

/** What the entries of a transaction move, until it is booked before the commit (schema 7). */
export const UNBOOKED = `
-- What the entries of the present transaction move, for each batch, day of the intent (since 1970) and operation, apart for
-- retries of what was in doubt. The reference can never hold, so no transaction commits before all of it is booked.
CREATE TABLE unbooked (
  batch INTEGER NOT NULL,
  day INTEGER NOT NULL,
  operation TEXT NOT NULL,
  retried INTEGER NOT NULL,
  admitted INTEGER NOT NULL DEFAULT 0,
  spent INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL DEFAULT 0,
  in_doubt INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  answers INTEGER NOT NULL DEFAULT 0,
  found INTEGER NOT NULL DEFAULT 0,
  answers_not_404 INTEGER NOT NULL DEFAULT 0,
  last_other INTEGER NOT NULL DEFAULT 0,
  booked INTEGER NOT NULL DEFAULT 0 CHECK (booked = 0) REFERENCES ledger (id) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (batch, day, operation, retried)
) STRICT, WITHOUT ROWID;
`;

/**
 * Adds to what is unbooked of an attempt. @param attempt in SQL. @param moved columns and what is added to them, in SQL.
 */
export function moves(attempt: string, moved: Readonly<Record<string, string>>): string {
  const columns = Object.keys(moved);
  return `
  INSERT INTO unbooked (batch, day, operation, retried, ${columns.join(', ')})
    SELECT batch, day, operation, retried, ${Object.values(moved).join(', ')} FROM attempt_books WHERE attempt = ${attempt}
    ON CONFLICT (batch, day, operation, retried) DO UPDATE
      SET ${columns.map(added).join(', ')};`;
}

const added = (column: string): string =>
  column === 'last_other'
    ? 'last_other = max(last_other, excluded.last_other)'
    : `${column} = ${column} + excluded.${column}`;

/** Totals of spent, reserved and doubtful money. No commit that admits an attempt exceeds a cap. */
export const MONEY = [
  `
-- Totals, kept by triggers so that no code can forget them, and added up anew after an unclean end (\`verify.ts\`).
CREATE TABLE money (
  scope TEXT PRIMARY KEY,
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt >= 0)
) STRICT, WITHOUT ROWID;
`,
  UNBOOKED,
  `
-- Under what an attempt is booked.
CREATE VIEW attempt_books (attempt, batch, day, operation, retried, reserved) AS
  SELECT a.id, a.batch, a.intent_at / 86400000, q.operation,
         coalesce((SELECT d.kind = 'retry' FROM decisions d WHERE d.id = a.decision), 0), a.reserved
    FROM attempts a JOIN asked q ON q.call = a.call;

-- Whose money it is that is not booked yet: of the batch, of its account's day and month (UTC, by the intent), and, for a
-- retry of a call in doubt, of the batch's extra credits. No cap is NULL.
CREATE VIEW unbooked_scopes (batch, day, operation, retried, moved, scope, cap) AS
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt, 'batch:' || u.batch, b.budget
    FROM unbooked u JOIN batches b ON b.id = u.batch
  UNION ALL
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt,
         'day:' || b.account || ':' || date(u.day * 86400, 'unixepoch'), p.per_day
    FROM unbooked u JOIN batches b ON b.id = u.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt,
         'month:' || b.account || ':' || strftime('%Y-%m', u.day * 86400, 'unixepoch'), p.per_month
    FROM unbooked u JOIN batches b ON b.id = u.batch JOIN accounts p ON p.id = b.account
  UNION ALL
  SELECT u.batch, u.day, u.operation, u.retried, u.spent + u.reserved + u.in_doubt, 'extra:' || u.batch, b.extra_credits
    FROM unbooked u JOIN batches b ON b.id = u.batch WHERE u.retried = 1;

CREATE TRIGGER attempts_reserve AFTER INSERT ON attempts BEGIN${moves('NEW.id', { admitted: '1', reserved: 'NEW.reserved' })}
END;

-- What is not booked is booked by being deleted. A cap is held against all that its scope will have in the end. An answer that
-- is dearer than reserved has been charged, so a cap refuses only attempts.
CREATE TRIGGER unbooked_booking BEFORE DELETE ON unbooked BEGIN
  SELECT RAISE(ABORT, 'money rule: above a cap')
    FROM unbooked_scopes s
   WHERE OLD.admitted > 0 AND s.cap IS NOT NULL
     AND (s.batch, s.day, s.operation, s.retried) = (OLD.batch, OLD.day, OLD.operation, OLD.retried)
     AND s.cap < (SELECT sum(x.moved) FROM unbooked_scopes x WHERE x.scope = s.scope)
       + coalesce((SELECT m.spent + m.reserved + m.in_doubt FROM money m WHERE m.scope = s.scope), 0);
  -- The new totals, and not the differences, because a difference may be below zero.
  INSERT INTO money (scope, spent, reserved, in_doubt)
    SELECT s.scope, coalesce(m.spent, 0) + OLD.spent, coalesce(m.reserved, 0) + OLD.reserved,
           coalesce(m.in_doubt, 0) + OLD.in_doubt
      FROM unbooked_scopes s LEFT JOIN money m ON m.scope = s.scope
     WHERE (s.batch, s.day, s.operation, s.retried) = (OLD.batch, OLD.day, OLD.operation, OLD.retried)
    ON CONFLICT (scope) DO UPDATE
      SET spent = excluded.spent, reserved = excluded.reserved, in_doubt = excluded.in_doubt;
  INSERT INTO tallies (batch, name, count)
    SELECT OLD.batch, name, count FROM (
      SELECT 'requests' AS name, OLD.requests AS count UNION ALL SELECT 'calls', OLD.answers) WHERE count > 0
    ON CONFLICT (batch, name) DO UPDATE SET count = count + excluded.count;
  UPDATE accounts SET
      answers = answers + OLD.answers,
      answers_not_404 = answers_not_404 + OLD.answers_not_404,
      last_other = max(last_other, OLD.last_other)
    WHERE OLD.answers > 0 AND id = (SELECT account FROM batches WHERE id = OLD.batch);
  INSERT INTO match_rates (account, operation, found, answers)
    SELECT account, OLD.operation, OLD.found, OLD.answers FROM batches WHERE id = OLD.batch AND OLD.answers > 0
    ON CONFLICT (account, operation) DO UPDATE
      SET found = found + excluded.found, answers = answers + excluded.answers;
END;
`,
  refusedEvent('DELETE', 'money'),
].join('');
