/**
 * Money by scope. Entries are booked in groups: a group adds up what its entries move, by the attempts that pay, and writes
 * the new totals. No commit leaves an entry unbooked, and no group that admits an attempt exceeds a cap.
 */
export const MONEY = `
-- What was booked together: the entries from \`first\` to the one that the group is named by. \`sum\` is over both and over the
-- group before.
CREATE TABLE groups (
  id INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

-- Of a batch (\`batch:ID\`), of an account's day and month (UTC, by the attempts), and of what a batch spends on sending again
-- what is in doubt (\`extra:ID\`). \`held\` is what lost requests may have been charged.
CREATE TABLE totals (
  scope TEXT PRIMARY KEY,
  spent INTEGER NOT NULL CHECK (spent >= 0),
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  held INTEGER NOT NULL CHECK (held >= 0)
) STRICT, WITHOUT ROWID;

-- Empty but while a group is booked: what it moves, for each batch, day of the attempt (since 1970), operation, and apart for
-- what is sent again by a person's or a job's decision. What begins has no operation here, because rates are of what was answered.
CREATE TABLE booking (
  batch INTEGER NOT NULL,
  account INTEGER NOT NULL,
  day INTEGER NOT NULL,
  operation TEXT NOT NULL,
  retried INTEGER NOT NULL,
  admitted INTEGER NOT NULL DEFAULT 0,
  spent INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL DEFAULT 0,
  held INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  answers INTEGER NOT NULL DEFAULT 0,
  found INTEGER NOT NULL DEFAULT 0,
  others INTEGER NOT NULL DEFAULT 0,
  last_other INTEGER NOT NULL DEFAULT 0,
  estimated INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE VIEW booking_scopes (scope, cap, admitted, spent, reserved, held) AS
  SELECT s.scope, s.cap, sum(s.admitted), sum(s.spent), sum(s.reserved), sum(s.held) FROM (
    SELECT 'batch:' || m.batch AS scope, b.budget AS cap, m.admitted, m.spent, m.reserved, m.held
      FROM booking m CROSS JOIN batches b ON b.id = m.batch
    UNION ALL
    SELECT 'day:' || m.account || ':' || date(m.day * 86400, 'unixepoch'), p.per_day, m.admitted, m.spent, m.reserved, m.held
      FROM booking m CROSS JOIN accounts p ON p.id = m.account
    UNION ALL
    SELECT 'month:' || m.account || ':' || strftime('%Y-%m', m.day * 86400, 'unixepoch'), p.per_month,
           m.admitted, m.spent, m.reserved, m.held
      FROM booking m CROSS JOIN accounts p ON p.id = m.account
    UNION ALL
    SELECT 'extra:' || m.batch, b.extra_credits, m.admitted, m.spent, m.reserved, m.held
      FROM booking m CROSS JOIN batches b ON b.id = m.batch WHERE m.retried = 1) s
   GROUP BY s.scope, s.cap;

CREATE TRIGGER groups_booking BEFORE INSERT ON groups WHEN NEW.id <> 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a group books all that was written since the last one, once')
    FROM book
   WHERE unbooked IS NULL OR NEW.first <> booked + 1 OR NEW.id < unbooked
      OR NEW.id < (SELECT max(id) FROM attempts) OR NEW.id < (SELECT max(id) FROM ends) OR NEW.id < (SELECT max(id) FROM notes)
      OR NEW.id - NEW.first + 1 <> (SELECT count(*) FROM attempts WHERE id >= NEW.first)
        + (SELECT count(*) FROM ends WHERE id >= NEW.first) + (SELECT count(*) FROM notes WHERE id >= NEW.first);
END;

CREATE TRIGGER groups_calls BEFORE INSERT ON groups BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is booked with its first attempt')
   WHERE (SELECT count(*) FROM calls WHERE id >= NEW.first) <> (SELECT count(*) FROM attempts WHERE id >= NEW.first AND call = id);
END;

CREATE TRIGGER groups_under_key BEFORE INSERT ON groups BEGIN
  SELECT RAISE(ABORT, 'money rule: what one key stands for is charged once, so its answer gives back what was lost under it')
    FROM (
      SELECT of FROM ends WHERE id BETWEEN NEW.first AND NEW.id AND kind = 'answered'
      UNION ALL SELECT of FROM notes WHERE id BETWEEN NEW.first AND NEW.id AND kind = 'released') e
    CROSS JOIN requests r ON r.attempt = e.of
    CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key AND o.attempt < r.attempt
    CROSS JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL;
END;

CREATE TRIGGER groups_told BEFORE INSERT ON groups BEGIN
  SELECT RAISE(ABORT, 'money rule: what is told of a call counts for all that it had lost')
    FROM notes e CROSS JOIN losses l ON l.call = e.call AND l.ended IS NULL CROSS JOIN ends k ON k.of = l.attempt AND k.id < e.id
   WHERE e.id BETWEEN NEW.first AND NEW.id AND e.kind = 'told';
END;

-- An answer that is dearer than reserved has been charged, so a cap refuses only attempts. The new totals are written, and not
-- the differences, because a difference may be below zero.
CREATE TRIGGER groups_booked AFTER INSERT ON groups WHEN NEW.id <> 0 BEGIN
  UPDATE book SET booking = NEW.id WHERE id = 1;
  INSERT INTO booking (batch, account, day, operation, retried, admitted, reserved)
    SELECT batch, (SELECT account FROM batches WHERE id = batch), at / 86400000, '', kind = 'retry', count(*), sum(reserved)
      FROM attempts WHERE id BETWEEN NEW.first AND NEW.id GROUP BY 1, 3, 5;
  INSERT INTO booking (batch, account, day, operation, retried, spent, reserved, held, requests, calls, answers, found, others,
                       last_other, estimated)
    SELECT i.batch, c.account, i.at / 86400000, c.operation, i.kind = 'retry', sum(iif(e.pays IS NULL, e.spent, 0)), -sum(i.reserved),
           sum(iif(e.kind = 'lost' OR e.kind = 'lost_beside', i.reserved, 0)), sum(e.said IS NOT 'not_sent'),
           sum(e.kind = 'answered'), sum(e.kind = 'answered'), sum(e.said IS 'found'),
           sum(e.kind = 'answered' AND e.status <> 404), max(iif(e.kind = 'answered' AND e.status <> 404, e.of, 0)), sum(e.estimated)
      FROM ends e CROSS JOIN attempts i ON i.id = e.of CROSS JOIN calls c ON c.id = e.call
     WHERE e.id BETWEEN NEW.first AND NEW.id GROUP BY 1, 3, 4, 5;
  INSERT INTO booking (batch, account, day, operation, retried, spent, held, calls, answers, estimated)
    SELECT i.batch, c.account, i.at / 86400000, c.operation, i.kind = 'retry', sum(m.spent), sum(m.held), sum(m.calls), sum(m.answers),
           sum(m.estimated)
      FROM (
        SELECT of AS payer, iif(pays IS NULL, spent, 0) AS spent, held, (kind = 'told') + (kind = 'read') - (kind = 'retracted') AS calls,
               -(kind = 'retracted') AS answers, estimated
          FROM notes WHERE id BETWEEN NEW.first AND NEW.id
        UNION ALL
        SELECT pays, spent, 0, 0, 0, estimated FROM ends
         WHERE id BETWEEN NEW.first AND NEW.id AND pays IS NOT NULL
        UNION ALL
        SELECT pays, spent, 0, 0, 0, estimated FROM notes
         WHERE id BETWEEN NEW.first AND NEW.id AND pays IS NOT NULL) m
      CROSS JOIN attempts i ON i.id = m.payer CROSS JOIN calls c ON c.id = i.call
     GROUP BY 1, 3, 4, 5;
  INSERT INTO totals (scope, spent, reserved, held)
    SELECT iif(s.admitted > 0 AND s.cap < s.spent + s.reserved + s.held + coalesce(t.spent + t.reserved + t.held, 0),
               RAISE(ABORT, 'money rule: above a cap'), s.scope),
           coalesce(t.spent, 0) + s.spent, coalesce(t.reserved, 0) + s.reserved, coalesce(t.held, 0) + s.held
      FROM booking_scopes s LEFT JOIN totals t ON t.scope = s.scope WHERE true
    ON CONFLICT (scope) DO UPDATE SET spent = excluded.spent, reserved = excluded.reserved, held = excluded.held;
  INSERT INTO tallies (batch, name, count)
    SELECT m.batch, m.name, coalesce(t.count, 0) + sum(m.count)
      FROM (
        SELECT batch, 'requests' AS name, requests AS count FROM booking
        UNION ALL SELECT batch, 'calls', calls FROM booking
        UNION ALL SELECT batch, 'estimated', estimated FROM booking) m
      LEFT JOIN tallies t ON t.batch = m.batch AND t.name = m.name
     WHERE m.count <> 0 GROUP BY m.batch, m.name
    ON CONFLICT (batch, name) DO UPDATE SET count = excluded.count;
  UPDATE accounts SET
      answers = accounts.answers + m.answers, answers_not_404 = answers_not_404 + m.others,
      last_other = max(accounts.last_other, m.last_other)
    FROM (SELECT account, sum(answers) AS answers, sum(others) AS others, max(last_other) AS last_other FROM booking
           GROUP BY account HAVING sum(answers) <> 0 OR max(last_other) > 0) m
   WHERE accounts.id = m.account;
  INSERT INTO match_rates (account, operation, found, answers)
    SELECT account, operation, sum(found), sum(answers) FROM booking GROUP BY 1, 2 HAVING sum(answers) <> 0
    ON CONFLICT (account, operation) DO UPDATE
      SET found = match_rates.found + excluded.found, answers = match_rates.answers + excluded.answers;
  DELETE FROM booking;
  UPDATE book SET booked = NEW.id, unbooked = NULL, booking = NULL WHERE id = 1;
END;

CREATE TRIGGER booking_filled BEFORE INSERT ON booking BEGIN
  SELECT RAISE(ABORT, 'money rule: a group books what its entries move, and nothing else') FROM book WHERE booking IS NULL;
END;

CREATE TRIGGER totals_added BEFORE INSERT ON totals BEGIN
  SELECT RAISE(ABORT, 'money rule: only a group moves a total') FROM book WHERE booking IS NULL;
END;

CREATE TRIGGER totals_moved BEFORE UPDATE ON totals BEGIN
  SELECT RAISE(ABORT, 'money rule: only a group moves a total') FROM book WHERE booking IS NULL OR NEW.scope <> OLD.scope;
END;

CREATE TRIGGER book_booking BEFORE UPDATE OF booking ON book BEGIN
  SELECT RAISE(ABORT, 'money rule: a group is booked when it is written')
   WHERE NEW.booking <= OLD.booked OR NOT EXISTS (SELECT 1 FROM groups WHERE id = coalesce(NEW.booking, OLD.booking))
      OR (NEW.booking IS NULL AND NEW.booked IS NOT OLD.booking);
END;
`;
