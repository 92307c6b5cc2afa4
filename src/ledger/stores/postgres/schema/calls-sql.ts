import { type Kind, MOVES, type Move, SENT } from '../../../rules/moves.ts';

/** One call is one row; each transition is a compare-and-swap on it, and the trigger has the list of all that there are. */
export const CALLS = `
-- Entries of all kinds have their numbers from it. Those of one call grow in the order in which they were written, because each
-- takes its number while it has the call's row.
CREATE SEQUENCE IF NOT EXISTS numbers;

-- What time it is for all workers.
CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql AS $$ SELECT clock_timestamp() $$;
CREATE OR REPLACE FUNCTION ms(duration double precision) RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT make_interval(secs => duration / 1000) $$;

-- \`id\` is the number of the first attempt. \`terms\` is what of the call has no column. \`head\`, \`kind\` and \`of\` are those of
-- the newest entry. \`stands\` and \`open\` are attempts. \`over_at\`: when the newest attempt is over, whoever made it.
CREATE TABLE IF NOT EXISTS calls (
  id bigint PRIMARY KEY,
  key bytea NOT NULL UNIQUE CHECK (length(key) = 32),
  account text NOT NULL,
  operation text NOT NULL,
  credits_most bigint,
  parameters json NOT NULL,
  terms json,
  state text NOT NULL DEFAULT 'free',
  stands bigint CHECK ((stands IS NULL) = (state = 'free')),
  phase text,
  open bigint CHECK ((open IS NULL) = (phase IS NULL)),
  head bigint NOT NULL,
  kind text NOT NULL,
  of bigint NOT NULL,
  over_at timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS calls_open ON calls (over_at) WHERE open IS NOT NULL;
CREATE INDEX IF NOT EXISTS calls_doubt ON calls (id) WHERE state = 'doubt';

-- Never deleted, and updated by an erasure alone. \`of\` is the attempt that the entry is about: its own number where it begins one. \`sees\` is what a
-- repeat or retry was decided by, what a refresh replaces, what stood before what is taken back, and what a freed or counted loss
-- points to. \`pays\` is the attempt at which it is booked. \`said\` is the kind of the answer, closure, look or decision. \`worker\` admitted
-- the attempt. \`words\` is JSON, because a text cannot hold a zero byte.
CREATE TABLE IF NOT EXISTS entries (
  id bigint NOT NULL,
  of bigint NOT NULL,
  call bigint NOT NULL,
  kind text NOT NULL,
  sees bigint,
  pays bigint,
  batch text,
  row bigint,
  reserved bigint CHECK (reserved >= 0),
  spent bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  at bigint NOT NULL,
  worker bigint,
  status bigint,
  said text,
  dialect bigint,
  estimated boolean NOT NULL DEFAULT false,
  words json,
  headers json,
  body bytea,
  facts json,
  PRIMARY KEY (of, id)
);
CREATE INDEX IF NOT EXISTS attempts_call ON entries (call) WHERE id = of;
CREATE INDEX IF NOT EXISTS attempts_batch ON entries (batch, row) WHERE id = of;
-- One reply and one end.
CREATE UNIQUE INDEX IF NOT EXISTS entries_once ON entries (of, (kind NOT IN ('reply', 'late'))) WHERE kind IN ('reply', 'late', 'answered', 'lost', 'lost_beside', 'unsold');

-- To a vendor that honours idempotency keys all requests under one are one request of one call.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  idempotency_key text PRIMARY KEY,
  call bigint NOT NULL
);

CREATE OR REPLACE FUNCTION refuse(what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'money rule: %', what; END $$;

-- A statement says the kind of the entry and its attempt, and for what is taken back also what stands again; the rest follows here.
CREATE OR REPLACE FUNCTION move_call() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_allowed boolean;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.kind = 'erased' THEN
    NEW.kind := OLD.kind;
    IF NEW.state = 'doubt' OR NEW.open IS NOT NULL OR NEW.parameters::text <> '{}'
       OR (NEW.id, NEW.account, NEW.operation, NEW.credits_most, NEW.state, NEW.stands, NEW.phase, NEW.open, NEW.head, NEW.of)
          IS DISTINCT FROM (OLD.id, OLD.account, OLD.operation, OLD.credits_most, OLD.state, OLD.stands, OLD.phase, OLD.open, OLD.head, OLD.of)
       OR NOT EXISTS (SELECT FROM erased WHERE what = 'call' AND id = OLD.id) THEN
      PERFORM refuse('a call is emptied by an erasure alone, once it is settled');
    END IF;
    RETURN NEW;
  END IF;
  NEW.head := nextval('numbers');
  IF TG_OP = 'INSERT' THEN
    NEW.id := NEW.head; NEW.state := 'free'; NEW.stands := NULL; NEW.phase := NULL; NEW.open := NULL;
    OLD := NEW;
  ELSIF (NEW.id, NEW.key, NEW.account) IS DISTINCT FROM (OLD.id, OLD.key, OLD.account) THEN
    PERFORM refuse('a call stays the one that it is');
  END IF;
  IF NEW.kind IN (${listed(SENT)}) THEN
    NEW.of := NEW.head;
    -- Who has copied the ledger has waited for every writer, and whoever writes next sees the mark.
    IF EXISTS (SELECT FROM ledger WHERE arriving OR copied_as IS NOT NULL) THEN PERFORM refuse('a ledger that was copied spends no more'); END IF;
  END IF;
  CASE NEW.kind${MOVES.map(movedBy).join('')}
  END CASE;
  IF is_allowed IS NOT TRUE THEN
    PERFORM refuse(format('no entry %s of attempt %s may follow where call %s is %s %s', NEW.kind, NEW.of, OLD.id, OLD.state, OLD.phase));
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER calls_moved BEFORE INSERT OR UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION move_call();
`;

/** Whether the row may move by an entry of that kind, and where it stands then. */
function movedBy({ kind, when, during, stands, open, names }: Move<Kind>): string {
  const place = [
    when && `OLD.state IN (${listed(when)})`,
    during && `coalesce(OLD.phase, 'nothing') IN (${listed(during)})`,
    names !== 'any' && `NEW.of = OLD.${names}`,
    stands === 'before' && 'NEW.stands IS DISTINCT FROM OLD.stands',
  ].filter((each) => typeof each === 'string');
  const isAllowed = `is_allowed := ${place.length === 0 ? 'true' : place.join(' AND ')};`;
  const state = {
    kept: 'NEW.state := OLD.state; NEW.stands := OLD.stands;',
    before: '',
    set: `NEW.state := '${stands}'; NEW.stands := NEW.of;`,
  }[stands === undefined ? 'kept' : stands === 'before' ? 'before' : 'set'];
  const way = {
    kept: 'NEW.phase := OLD.phase; NEW.open := OLD.open;',
    nothing: 'NEW.phase := NULL; NEW.open := NULL;',
    set: `NEW.phase := '${open}'; NEW.open := NEW.of;`,
  }[open === undefined ? 'kept' : open === 'nothing' ? 'nothing' : 'set'];
  return `\n    WHEN '${kind}' THEN ${[isAllowed, state, way].filter(Boolean).join(' ')}`;
}

function listed(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
