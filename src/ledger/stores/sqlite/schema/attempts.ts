import { BODY, covers, emptied, HEADERS, keptUnlessErased, ofAttempt, refusedEvent } from './refusals.ts';

/** The guard names columns, so that other columns of the row may change. */
const UNCHANGED = `
CREATE TRIGGER attempts_unchanged
BEFORE UPDATE OF id, call_behind, batch, row, reserved, intent_at, decision, replaces, checksum ON attempts
WHEN (NEW.id, NEW.call_behind, NEW.batch, NEW.row, NEW.reserved, NEW.intent_at, NEW.decision, NEW.replaces)
  IS NOT (OLD.id, OLD.call_behind, OLD.batch, OLD.row, OLD.reserved, OLD.intent_at, OLD.decision, OLD.replaces)
  OR NOT ${covers('call', 'OLD.id - OLD.call_behind')} BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;
`;

export const ATTEMPTS_TABLE_8 = `
-- A call has the number of its first attempt; \`call_behind\` is by how much a later one is above it. \`replaces\` is the answer
-- that a refresh buys anew, \`paid_row\` the lowest row of the batch that used the answer, \`paid_behind\` rows below its own. A
-- lost attempt holds what it reserved until it is freed, told about or read; \`freed_by\` is the attempt whose release or answer
-- gave it back. An attempt that was answered with a 404 has in \`newest\` the newest attempt of the store by then.
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  call_behind INTEGER NOT NULL,
  batch INTEGER NOT NULL REFERENCES batches (id),
  row INTEGER NOT NULL,
  paid_behind INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  intent_at INTEGER NOT NULL,
  decision INTEGER REFERENCES decisions (id),
  replaces INTEGER REFERENCES attempts (id),
  checksum INTEGER NOT NULL,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  freed_by INTEGER REFERENCES attempts (id),
  newest INTEGER,
  boot INTEGER REFERENCES boots (id),
  uptime INTEGER CHECK ((uptime IS NULL) = (boot IS NULL)),
  call INTEGER NOT NULL GENERATED ALWAYS AS (id - call_behind) VIRTUAL REFERENCES calls (id),
  paid_row INTEGER NOT NULL GENERATED ALWAYS AS (row - paid_behind) VIRTUAL
) STRICT;
`;

export const ATTEMPTS_INDEXES = `
CREATE UNIQUE INDEX attempts_open ON attempts (call) WHERE open = 1;
CREATE INDEX attempts_later ON attempts (call) WHERE call <> id;
CREATE INDEX attempts_row ON attempts (batch, row);
CREATE INDEX attempts_decision ON attempts (decision) WHERE decision IS NOT NULL;
CREATE INDEX attempts_freed_by ON attempts (freed_by) WHERE freed_by IS NOT NULL;
CREATE INDEX attempts_replaces ON attempts (replaces) WHERE replaces IS NOT NULL;
`;

/** What is sent for a call: the intent before it, the request under an idempotency key, and the raw reply. */
export const ATTEMPTS = [
  ATTEMPTS_TABLE_8,
  ATTEMPTS_INDEXES,
  `
-- A decision names the loss that it is about, so an attempt that got lost uses it up, and one that never left does not.
CREATE TRIGGER attempts_admission BEFORE INSERT ON attempts BEGIN
  -- Its call is counted from its number, which is not known here unless it was written.
  SELECT RAISE(ABORT, 'money rule: an attempt says its number') WHERE NEW.id < 1;
  SELECT CASE
    WHEN NEW.open <> 1 THEN RAISE(ABORT, 'money rule: an attempt begins open')
    WHEN b.state = 'superseded' OR b.state = 'cancelled'
      THEN RAISE(ABORT, 'money rule: a superseded or cancelled batch admits nothing')
    WHEN c.account <> b.account THEN RAISE(ABORT, 'money rule: the call and the batch are of different accounts')
    WHEN c.answer IS NOT NULL AND c.answer IS NOT NEW.replaces
      THEN RAISE(ABORT, 'money rule: the call is already answered')
    WHEN NEW.replaces IS NOT NULL AND c.answer IS NOT NEW.replaces
      THEN RAISE(ABORT, 'money rule: there is no such answer to replace')
    WHEN c.doubt IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM decisions d WHERE d.id = NEW.decision AND d.call = c.id AND d.doubt = c.doubt
           AND d.batch = NEW.batch AND d.kind IN ('repeat', 'retry'))
      THEN RAISE(ABORT, 'money rule: the call is in doubt and nobody decided to send it again')
    WHEN c.doubt IS NULL AND NEW.decision IS NOT NULL
      THEN RAISE(ABORT, 'money rule: a decision without a doubt')
    END
    FROM calls c CROSS JOIN batches b WHERE c.id = NEW.call AND b.id = NEW.batch;
END;

CREATE TRIGGER attempts_closed BEFORE UPDATE OF open ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: only a closure closes an attempt')
   WHERE NEW.open <> 0 OR NOT EXISTS (SELECT 1 FROM closures WHERE attempt = NEW.id);
END;

CREATE TRIGGER attempts_paid_row BEFORE UPDATE OF paid_behind ON attempts WHEN NEW.paid_behind < OLD.paid_behind BEGIN
  SELECT RAISE(ABORT, 'money rule: the row that paid is the lowest that used the answer');
END;
`,
  UNCHANGED,
  refusedEvent('DELETE', 'attempts'),
  `
-- What left under an idempotency key, without headers, so that it can be sent again to the byte.
CREATE TABLE requests (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  idempotency_key TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  path TEXT NOT NULL,
  first_sent_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB
) STRICT;
CREATE INDEX requests_key ON requests (idempotency_key);

-- A vendor that honours a key takes all requests under it for one, so they must be one.
CREATE TRIGGER requests_keeping BEFORE INSERT ON requests BEGIN
  SELECT RAISE(ABORT, 'money rule: a request belongs to an open attempt')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1);
  SELECT RAISE(ABORT, 'money rule: an idempotency key stands for one request of one call')
    FROM requests r JOIN attempts e ON e.id = r.attempt JOIN attempts a ON a.id = NEW.attempt
   WHERE r.idempotency_key = NEW.idempotency_key
     AND (e.call <> a.call OR (r.method, r.path, r.body, r.first_sent_at)
       IS NOT (NEW.method, NEW.path, NEW.body, NEW.first_sent_at));
  SELECT RAISE(ABORT, 'money rule: a lost request that is repeated under its key reserves nothing')
    FROM attempts a JOIN requests r ON r.idempotency_key = NEW.idempotency_key
    JOIN held_attempts h ON h.attempt = r.attempt
   WHERE a.id = NEW.attempt AND a.reserved <> 0;
  SELECT RAISE(ABORT, 'money rule: a repeat under a key is the lost request itself')
    FROM attempts a JOIN calls c ON c.id = a.call JOIN decisions d ON d.id = a.decision AND d.kind = 'repeat'
   WHERE a.id = NEW.attempt AND NOT EXISTS (
     SELECT 1 FROM requests r WHERE r.attempt = c.doubt AND r.idempotency_key = NEW.idempotency_key);
END;
`,
  keptUnlessErased('requests', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt idempotency_key method first_sent_at',
    content: `${emptied('path', "'erased'")} AND ${emptied('body', 'NULL')}`,
  }),
  `
-- Headers that have a \`shape\` are their own values, separated as in JSON; others are JSON as a whole.
CREATE TABLE replies (
  attempt INTEGER PRIMARY KEY REFERENCES attempts (id),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL,
  shape INTEGER REFERENCES shapes (id)
) STRICT;

CREATE TRIGGER replies_recording BEFORE INSERT ON replies BEGIN
  SELECT RAISE(ABORT, 'money rule: a reply belongs to an open attempt')
   WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = NEW.attempt AND open = 1);
END;
`,
  keptUnlessErased('replies', {
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt status received_at',
    content: `(${HEADERS} AND NEW.shape IS OLD.shape OR NEW.headers IS '{}' AND NEW.shape IS NULL) AND ${BODY}`,
  }),
].join('');
