import { ENDED, MOVES, type Names, type Phase, SENT, type Stands } from '../../../rules/moves.ts';
import { emptied, keptUnlessErased, ofAttempt, refusedEntry, refusedEvent } from './refusals.ts';

/** The list of moves as SQL: NULL is any state, any phase, or no change. */
const TRANSITIONS = MOVES.flatMap(
  (move: {
    readonly kind: string;
    readonly when?: readonly Stands[];
    readonly during?: readonly (Phase | 'nothing')[];
    readonly stands?: Stands | 'before';
    readonly open?: Phase | 'nothing';
    readonly names: Names;
  }) =>
    (move.when ?? [null]).flatMap((when) =>
      (move.during ?? [null]).map(
        (during) =>
          `(${[move.kind, when, during, move.stands ?? null, move.open ?? null, move.names]
            .map((cell) => (cell === null ? 'NULL' : `'${cell}'`))
            .join(', ')})`,
      ),
    ),
);

/**
 * The book: entries that follow each other without a gap, and never change. An entry moves its call from one place to
 * another, as the view `transitions` allows; what one may say beyond that, each kind has guards for.
 */
export const BOOK = [
  `
-- One row. \`tail\` is the number of the newest entry, \`booked\` of the newest one that is booked, \`booking\` the group that is
-- just being booked. \`commits\` is the number that the watermark repeats outside of this file; \`clean\` is 1 only between an
-- orderly end and the next start. The reference, looked at by the commit, leaves no entry without a group.
CREATE TABLE book (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tail INTEGER NOT NULL REFERENCES groups (id) DEFERRABLE INITIALLY DEFERRED,
  booked INTEGER NOT NULL,
  booking INTEGER,
  commits INTEGER NOT NULL,
  clean INTEGER NOT NULL CHECK (clean IN (0, 1)),
  identity TEXT NOT NULL CHECK (length(identity) = 32)
) STRICT;

-- What outside of the store is held against the count would be worth nothing if the count could stand still or go back.
CREATE TRIGGER book_counting BEFORE UPDATE OF commits ON book WHEN NEW.commits IS NOT OLD.commits + 1 BEGIN
  SELECT RAISE(ABORT, 'money rule: the commits of a ledger are counted one by one');
END;

CREATE TRIGGER book_tail BEFORE UPDATE OF tail ON book BEGIN
  SELECT RAISE(ABORT, 'money rule: entries are numbered without a gap')
   WHERE NEW.tail <> OLD.tail + 1 OR NOT EXISTS (SELECT 1 FROM entries WHERE id = NEW.tail);
END;

CREATE TRIGGER book_booked BEFORE UPDATE OF booked ON book BEGIN
  SELECT RAISE(ABORT, 'money rule: what is booked is the newest group')
   WHERE NEW.booked < OLD.booked OR NOT EXISTS (SELECT 1 FROM groups WHERE id = NEW.booked);
END;

-- What happened, one after the other. \`of\` is the attempt that an entry is about, which is the number of the entry that began
-- it; its batch, its day and its kind pay. \`sees\` is what an entry goes by: the decision of a repeat or a retry, the answer
-- that a refresh is to replace, what stands again after a release, the entry that a \`freed\` or \`counted\` follows. \`pays\` is the
-- attempt that pays where it is another. \`reserved\`, \`spent\` and \`held\` are what the entry moves, in credits. \`at\` is in ms
-- since 1970, \`uptime\` in ms of the boot. \`facts\` is JSON of what only some entries have.
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  call INTEGER NOT NULL,
  of INTEGER NOT NULL,
  sees INTEGER,
  pays INTEGER,
  batch INTEGER,
  row INTEGER,
  reserved INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  held INTEGER NOT NULL,
  at INTEGER NOT NULL,
  boot INTEGER,
  uptime INTEGER CHECK ((uptime IS NULL) = (boot IS NULL)),
  said TEXT,
  status INTEGER,
  dialect INTEGER,
  facts TEXT,
  sum INTEGER NOT NULL,
  CHECK ((of = id) = (${SENT.map((kind) => `kind = '${kind}'`).join(' OR ')}))
) STRICT;
CREATE INDEX entries_of ON entries (of) WHERE of <> id;
CREATE INDEX entries_later ON entries (call) WHERE call <> id AND of = id;
CREATE INDEX entries_row ON entries (batch, row) WHERE of = id;
CREATE INDEX entries_readings ON entries (of) WHERE kind = 'reading' OR kind = 'read';
CREATE INDEX entries_sees ON entries (sees) WHERE sees IS NOT NULL;

-- Which entry moves a call from where to where. \`state\` is what stands, \`phase\` how far the open attempt is; NULL is any of
-- them, or that it stays. \`names\`: to which attempt of the call the entry has to point.
CREATE VIEW transitions (kind, state, phase, next_state, next_phase, names) AS VALUES
  ${TRANSITIONS.join(',\n  ')};

CREATE TRIGGER entries_move AFTER INSERT ON entries BEGIN
  UPDATE book SET tail = NEW.id;
  UPDATE calls SET (head, state, stands, phase, open) = (
      SELECT NEW.id,
        CASE t.next_state
          WHEN 'before' THEN CASE
            WHEN NEW.sees IS NULL THEN 'free'
            WHEN EXISTS (SELECT 1 FROM losses WHERE attempt = NEW.sees AND ended IS NULL) THEN 'doubt'
            ELSE 'answered' END
          ELSE coalesce(t.next_state, calls.state) END,
        CASE t.next_state WHEN 'before' THEN NEW.sees ELSE iif(t.next_state IS NULL, calls.stands, NEW.of) END,
        iif(t.next_phase IS NULL, calls.phase, nullif(t.next_phase, 'nothing')),
        CASE t.next_phase WHEN 'nothing' THEN NULL ELSE iif(t.next_phase IS NULL, calls.open, NEW.of) END
        FROM transitions t
       WHERE t.kind = NEW.kind
         AND (t.state IS NULL OR t.state = calls.state)
         AND (t.phase IS NULL OR t.phase = coalesce(calls.phase, 'nothing'))
         AND CASE t.names WHEN 'open' THEN calls.open = NEW.of WHEN 'stands' THEN calls.stands = NEW.of ELSE TRUE END)
   WHERE id = NEW.call;
  SELECT RAISE(ABORT, 'money rule: no such entry follows where its call stands')
   WHERE (SELECT head FROM calls WHERE id = NEW.call) IS NOT NEW.id;
END;
`,
  refusedEntry('about', ['reading', 'look', 'freed', 'counted'], {
    says: 'an entry is about an attempt of its call',
    where: 'NOT EXISTS (SELECT 1 FROM entries a WHERE a.id = NEW.of AND a.of = a.id AND a.call = NEW.call)',
  }),
  refusedEntry('giving', [...ENDED], {
    says: 'an attempt that ends gives back what it had reserved',
    where: 'NEW.reserved <> -(SELECT a.reserved FROM entries a WHERE a.id = NEW.of)',
  }),
  `
-- What an entry of another kind than those that have guards of their own could move, nothing would ever take back.
CREATE TRIGGER entries_amounts BEFORE INSERT ON entries BEGIN
  SELECT RAISE(ABORT, 'money rule: an entry moves what its kind moves, and nothing else')
   WHERE CASE NEW.kind
     WHEN 'intent' THEN NEW.reserved < 0 OR (NEW.spent, NEW.held) <> (0, 0)
     WHEN 'answered' THEN NEW.spent < 0 OR NEW.held <> 0
     WHEN 'reply' THEN (NEW.reserved, NEW.spent, NEW.held) <> (0, 0, 0)
     WHEN 'repeat' THEN NEW.reserved < 0 OR (NEW.spent, NEW.held) <> (0, 0)
     WHEN 'retry' THEN NEW.reserved < 0 OR (NEW.spent, NEW.held) <> (0, 0)
     WHEN 'refresh' THEN NEW.reserved < 0 OR (NEW.spent, NEW.held) <> (0, 0)
     WHEN 'lost' THEN NEW.spent <> 0 OR NEW.held <> -NEW.reserved
     WHEN 'lost_beside' THEN NEW.spent <> 0 OR NEW.held <> -NEW.reserved
     WHEN 'unsold' THEN (NEW.spent, NEW.held) <> (0, 0)
     WHEN 'told' THEN NEW.reserved <> 0 OR NEW.spent <> -NEW.held
     WHEN 'counted' THEN NEW.reserved <> 0 OR NEW.spent <> -NEW.held
     WHEN 'read' THEN NEW.reserved <> 0 OR NEW.spent < -NEW.held
     WHEN 'released' THEN (NEW.reserved, NEW.spent) <> (0, 0)
     WHEN 'freed' THEN (NEW.reserved, NEW.spent) <> (0, 0)
     WHEN 'reading' THEN (NEW.reserved, NEW.held) <> (0, 0) OR NEW.spent < 0
     ELSE (NEW.reserved, NEW.spent, NEW.held) <> (0, 0, 0) END;
END;

-- All that may name a person: what came back, in bytes and in headers, and why something is so. Of an answer without words
-- the status is all there is to say.
CREATE TABLE contents (
  entry INTEGER PRIMARY KEY,
  headers TEXT,
  words TEXT,
  body BLOB,
  sum INTEGER NOT NULL
) STRICT;

CREATE TRIGGER contents_coming BEFORE INSERT ON contents BEGIN
  SELECT RAISE(ABORT, 'money rule: contents come with their entry')
    FROM book WHERE NEW.entry <= booked OR NEW.entry > tail;
END;
`,
  keptUnlessErased('contents', {
    covered: ofAttempt('(SELECT e.of FROM entries e WHERE e.id = OLD.entry)'),
    kept: 'entry',
    content: `${emptied('headers', "'{}'")} AND ${emptied('words', "'erased'")}
   AND (NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))`,
  }),
  refusedEvent('DELETE', 'contents'),
  refusedEvent('UPDATE', 'entries'),
  refusedEvent('DELETE', 'entries'),
  refusedEvent('DELETE', 'book'),
].join('');
