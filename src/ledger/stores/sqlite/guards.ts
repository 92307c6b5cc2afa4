/**
 * The money rules as the database keeps them, whoever writes to it (protocol, rule 11). Code checks the same before it
 * writes; what gets past the code fails here and its transaction with it. `test/ledger/stores/guards.test.ts` goes around
 * the code with raw SQL to show that each of them holds.
 */
const ADMISSION = `
-- A decision names the loss that it is about, so an attempt that got lost uses it up, and one that never left does not.
CREATE TRIGGER attempts_admission BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt begins open') WHERE NEW.open <> 1;
  SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch admits nothing')
    FROM batches WHERE id = NEW.batch AND state IN ('superseded', 'cancelled');
  SELECT RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    FROM calls c, batches b WHERE c.id = NEW.call AND b.id = NEW.batch AND c.account <> b.account;
  SELECT RAISE(ABORT, 'money rule: the call is already answered')
    FROM calls WHERE id = NEW.call AND answer IS NOT NULL AND answer IS NOT NEW.replaces;
  SELECT RAISE(ABORT, 'money rule: there is no such answer to replace')
    FROM calls WHERE id = NEW.call AND NEW.replaces IS NOT NULL AND answer IS NOT NEW.replaces;
  SELECT RAISE(ABORT, 'money rule: the call is in doubt and nobody decided to send it again')
    FROM calls c WHERE c.id = NEW.call AND c.doubt IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM decisions d WHERE d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt
         AND d.batch = NEW.batch AND d.kind IN ('repeat', 'retry'));
  SELECT RAISE(ABORT, 'money rule: a decision without a doubt')
    FROM calls WHERE id = NEW.call AND doubt IS NULL AND NEW.decision IS NOT NULL;
END;

CREATE TRIGGER attempts_reserve AFTER INSERT ON attempts BEGIN
  INSERT INTO money (scope, reserved) SELECT scope, NEW.reserved FROM attempt_scopes WHERE attempt = NEW.id
    ON CONFLICT (scope) DO UPDATE SET reserved = reserved + excluded.reserved;
  SELECT RAISE(ABORT, 'money rule: above a cap')
    FROM attempt_scopes s JOIN money m ON m.scope = s.scope
   WHERE s.attempt = NEW.id AND m.spent + m.reserved + m.in_doubt > s.cap;
END;
`;

const CLOSING = `
CREATE TRIGGER replies_recording BEFORE INSERT ON replies BEGIN
  SELECT RAISE(ABORT, 'money rule: a reply belongs to an open attempt')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1);
END;

-- That an attempt is closed once is the primary key of closures.
CREATE TRIGGER closures_closing BEFORE INSERT ON closures BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer needs its raw reply')
   WHERE NEW.kind = 'settled' AND NOT EXISTS (SELECT 1 FROM replies WHERE attempt = NEW.attempt);
END;

-- Never refuses an answer for being dearer than reserved: it has been charged, so the book must say so.
CREATE TRIGGER closures_money AFTER INSERT ON closures BEGIN
  UPDATE attempts SET open = 0 WHERE id = NEW.attempt;
  UPDATE money SET
      spent = spent + NEW.charged,
      reserved = reserved - (SELECT a.reserved FROM attempts a WHERE a.id = NEW.attempt),
      in_doubt = in_doubt
        + iif(NEW.kind = 'in_doubt', (SELECT a.reserved FROM attempts a WHERE a.id = NEW.attempt), 0)
    WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.attempt);
  INSERT INTO tallies (batch, name, count)
    SELECT batch, 'requests', 1 FROM attempts WHERE id = NEW.attempt AND NEW.kind <> 'not_sent'
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER closures_answer AFTER INSERT ON closures WHEN NEW.kind = 'settled' BEGIN
  UPDATE calls SET answer = NEW.attempt, doubt = NULL
   WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
  UPDATE accounts SET
      answers = answers + 1,
      answers_not_404 = answers_not_404 + ((SELECT status FROM replies WHERE attempt = NEW.attempt) IS NOT 404)
    WHERE id = (SELECT b.account FROM attempts a JOIN batches b ON b.id = a.batch WHERE a.id = NEW.attempt);
  INSERT INTO match_rates (account, operation, found, answers)
    SELECT c.account, c.operation, NEW.answer = 'found', 1
      FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = NEW.attempt
    ON CONFLICT (account, operation) DO UPDATE SET found = found + excluded.found, answers = answers + 1;
  INSERT INTO tallies (batch, name, count)
    SELECT batch, 'calls', 1 FROM attempts WHERE id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

-- A refresh that got lost leaves the older answer in place.
CREATE TRIGGER closures_doubt AFTER INSERT ON closures WHEN NEW.kind = 'in_doubt' BEGIN
  UPDATE calls SET
      doubt = NEW.attempt,
      repeats = repeats + EXISTS (
        SELECT 1 FROM attempts a JOIN decisions d ON d.id = a.decision
         WHERE a.id = NEW.attempt AND d.kind = 'repeat')
    WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt) AND answer IS NULL;
END;
`;

const DECIDING = `
CREATE TRIGGER decisions_deciding BEFORE INSERT ON decisions BEGIN
  SELECT RAISE(ABORT, 'money rule: only a call in doubt is decided on')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = NEW.call AND doubt = NEW.doubt);
  SELECT RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    FROM calls c, batches b WHERE c.id = NEW.call AND b.id = NEW.batch AND c.account <> b.account;
END;

CREATE TRIGGER told_telling BEFORE INSERT ON told BEGIN
  SELECT RAISE(ABORT, 'money rule: only an attempt in doubt can be told')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a
       JOIN closures k ON k.attempt = a.id AND k.kind = 'in_doubt'
       JOIN calls c ON c.id = a.call AND c.doubt IS NOT NULL
       JOIN decisions d ON d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt AND d.kind = 'told'
      WHERE a.id = NEW.attempt AND NEW.charged = a.reserved);
END;

-- What was at risk counts as spent, in the batch that risked it.
CREATE TRIGGER told_money AFTER INSERT ON told BEGIN
  UPDATE money SET spent = spent + NEW.charged, in_doubt = in_doubt - NEW.charged
   WHERE scope IN (SELECT scope FROM attempt_scopes WHERE attempt = NEW.attempt);
  UPDATE calls SET answer = NEW.attempt, doubt = NULL WHERE doubt = NEW.attempt;
  INSERT INTO tallies (batch, name, count)
    SELECT a.batch, 'calls', 1 FROM attempts a JOIN calls c ON c.answer = a.id AND c.id = a.call
     WHERE a.id = NEW.attempt
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER retractions_retracting BEFORE INSERT ON retractions BEGIN
  SELECT RAISE(ABORT, 'money rule: only a free 404 of an account that never answered otherwise is taken back')
   WHERE NOT EXISTS (
     SELECT 1 FROM attempts a
       JOIN calls c ON c.id = a.call AND c.answer = a.id
       JOIN accounts p ON p.id = c.account AND p.answers_not_404 = 0
       JOIN closures k ON k.attempt = a.id AND k.answer = 'no_match' AND k.charged = 0
       JOIN replies r ON r.attempt = a.id AND r.status = 404
      WHERE a.id = NEW.attempt);
END;

CREATE TRIGGER retractions_effect AFTER INSERT ON retractions BEGIN
  UPDATE match_rates SET answers = answers - 1 WHERE (account, operation) =
    (SELECT c.account, c.operation FROM calls c WHERE c.answer = NEW.attempt);
  UPDATE accounts SET answers = answers - 1 WHERE id = (SELECT account FROM calls WHERE answer = NEW.attempt);
  UPDATE tallies SET count = count - 1
   WHERE name = 'calls' AND batch = (SELECT batch FROM attempts WHERE id = NEW.attempt);
  UPDATE calls SET answer = NULL WHERE id = (SELECT call FROM attempts WHERE id = NEW.attempt);
END;
`;

/** The answers of a row are a list, which no foreign key can watch. */
function rowsPointing(event: 'INSERT' | 'UPDATE'): string {
  return `
CREATE TRIGGER rows_pointing_${event.toLowerCase()} BEFORE ${event} ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a row points to attempts that exist')
    FROM json_each(NEW.answers) j WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = j.value);
END;
`;
}

const ROWS = `
CREATE TRIGGER rows_settled AFTER INSERT ON rows BEGIN
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.kind, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER rows_final BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a final outcome is never changed')
   WHERE OLD.kind <> 'in_doubt' OR NEW.batch <> OLD.batch OR NEW.row <> OLD.row;
END;

CREATE TRIGGER rows_changed AFTER UPDATE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.kind;
  INSERT INTO tallies (batch, name, count) VALUES (NEW.batch, 'row:' || NEW.kind, 1)
    ON CONFLICT (batch, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER rows_kept BEFORE DELETE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a settled row is kept unless its answer was taken back')
   WHERE NOT EXISTS (
     SELECT 1 FROM json_each(OLD.answers) j JOIN retractions r ON r.attempt = j.value);
END;

CREATE TRIGGER rows_reopened AFTER DELETE ON rows BEGIN
  UPDATE tallies SET count = count - 1 WHERE batch = OLD.batch AND name = 'row:' || OLD.kind;
END;
`;

const KEPT_AS_WRITTEN = `
CREATE TRIGGER attempts_unchanged
BEFORE UPDATE OF id, call, batch, row, reserved, intent_at, decision, replaces, checksum ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

CREATE TRIGGER attempts_closed BEFORE UPDATE OF open ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: only a closure closes an attempt')
   WHERE NEW.open <> 0 OR NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.id);
END;

CREATE TRIGGER attempts_paid_row BEFORE UPDATE OF paid_row ON attempts WHEN NEW.paid_row > OLD.paid_row BEGIN
  SELECT RAISE(ABORT, 'money rule: the row that paid is the lowest that used the answer');
END;

CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, call, checksum ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
END;

CREATE TRIGGER calls_answered BEFORE UPDATE OF answer ON calls WHEN NEW.answer IS NOT OLD.answer BEGIN
  SELECT RAISE(ABORT, 'money rule: an answer is taken back only by a retraction')
   WHERE NEW.answer IS NULL AND NOT EXISTS (SELECT 1 FROM retractions WHERE attempt = OLD.answer);
  SELECT RAISE(ABORT, 'money rule: an answer comes from a settled attempt of the call, or from a person')
   WHERE NEW.answer IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.answer AND a.call = NEW.id
        AND (k.kind = 'settled' OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = a.id)));
END;

CREATE TRIGGER calls_doubted BEFORE UPDATE OF doubt ON calls WHEN NEW.doubt IS NOT OLD.doubt BEGIN
  SELECT RAISE(ABORT, 'money rule: a doubt ends only with an answer') WHERE NEW.doubt IS NULL AND NEW.answer IS NULL;
  SELECT RAISE(ABORT, 'money rule: a doubt comes from an attempt of the call that was lost')
   WHERE NEW.doubt IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM attempts a JOIN closures k ON k.attempt = a.id
      WHERE a.id = NEW.doubt AND a.call = NEW.id AND k.kind = 'in_doubt');
END;

CREATE TRIGGER batches_unchanged BEFORE UPDATE OF id, ordinal, key, generation, account, created_at ON batches BEGIN
  SELECT RAISE(ABORT, 'money rule: what a batch is does not change');
END;

CREATE TRIGGER batches_ended BEFORE UPDATE OF state ON batches
WHEN OLD.state IN ('superseded', 'cancelled') AND NEW.state <> OLD.state BEGIN
  SELECT RAISE(ABORT, 'money rule: a superseded or cancelled batch never resumes');
END;
`;

/** Written once. */
const APPEND_ONLY = ['replies', 'closures', 'decisions', 'told', 'retractions'];
/** Never taken out. */
const NEVER_DELETED = [...APPEND_ONLY, 'attempts', 'calls', 'batches', 'accounts', 'money', 'ledger'];

export function refusal(event: 'UPDATE' | 'DELETE', table: string): string {
  return `
CREATE TRIGGER ${table}_no_${event.toLowerCase()} BEFORE ${event} ON ${table} BEGIN
  SELECT RAISE(ABORT, 'money rule: ${table} are only ever added to');
END;
`;
}

export const GUARDS = [
  ADMISSION,
  CLOSING,
  DECIDING,
  ROWS,
  rowsPointing('INSERT'),
  rowsPointing('UPDATE'),
  KEPT_AS_WRITTEN,
  ...APPEND_ONLY.map((table) => refusal('UPDATE', table)),
  ...NEVER_DELETED.map((table) => refusal('DELETE', table)),
].join('');
