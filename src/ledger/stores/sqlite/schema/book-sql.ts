import { ENDED, MOVES, type Move, SENT } from '../../../rules/moves.ts';
import { isOneOf } from '../lookups.ts';
import { refusedEntry, tableOf } from './refusals.ts';

/** The list of moves as SQL: NULL is any state, any phase, or no change. */
const TRANSITIONS = MOVES.flatMap(({ kind, when, during, stands, open, names }: Move) =>
  (when ?? [null]).flatMap((state) =>
    (during ?? [null]).map((phase) => {
      const cells = [kind, state, phase, stands ?? null, open ?? null, names];
      return `(${cells.map((cell) => (cell === null ? 'NULL' : `'${cell}'`)).join(', ')})`;
    }),
  ),
);

/** An entry of another kind among the notes would move its call without what its own table demands. */
const NOTE_KINDS = MOVES.map(({ kind }) => kind).filter((kind) => tableOf(kind) === 'notes');

/** How far the attempt is that is under way: it has its reply, or has not. */
const PHASE =
  "iif(calls.open IS NULL, 'nothing', iif(EXISTS (SELECT 1 FROM replies WHERE of = calls.open), 'back', 'sent'))";

/** Where the list has a move for an entry, in SQL. @param of the attempt that it is about. */
const isAllowed = (kind: string, of: string): string => `t.kind = ${kind}
         AND (t.state IS NULL OR t.state = calls.state) AND (t.phase IS NULL OR t.phase = ${PHASE})
         AND CASE t.names WHEN 'open' THEN calls.open = ${of} WHEN 'stands' THEN calls.stands = ${of} ELSE TRUE END`;

/** What an entry does when it is written. @param of the attempt that it is about. @param sees what stands after it, in SQL. */
function moves(table: string, { of = 'NEW.of', sees = 'NULL' } = {}): string {
  const before = `CASE t.next_state
          WHEN 'before' THEN CASE
            WHEN ${sees} IS NULL THEN 'free'
            WHEN EXISTS (SELECT 1 FROM losses WHERE attempt = ${sees} AND ended IS NULL) THEN 'doubt'
            ELSE 'answered' END
          ELSE coalesce(t.next_state, calls.state) END`;
  return `
CREATE TRIGGER ${table}_move AFTER INSERT ON ${table} BEGIN
  UPDATE book SET unbooked = NEW.id WHERE id = 1 AND unbooked IS NULL;
  UPDATE calls SET (head, state, stands, open) = (
      SELECT NEW.id,
        ${sees === 'NULL' ? 'coalesce(t.next_state, calls.state)' : before},
        CASE t.next_state WHEN 'before' THEN ${sees} ELSE iif(t.next_state IS NULL, calls.stands, ${of}) END,
        CASE t.next_phase WHEN 'nothing' THEN NULL ELSE iif(t.next_phase IS NULL, calls.open, ${of}) END
        FROM transitions t
       WHERE ${isAllowed('NEW.kind', of)})
   WHERE id = NEW.call;
  SELECT RAISE(ABORT, 'money rule: an entry is about a call') WHERE changes() <> 1;
END;
`;
}

/**
 * The book: entries that follow each other without a gap, and never change. They have one row of numbers, and stand in four
 * tables: each has the columns that its kinds need, and only their guards look at them. An entry moves its call from one place to
 * another, as the view `transitions` allows; what an entry may say beyond that, each kind has guards for.
 */
export const BOOK = [
  `
-- One row. \`booked\` is the newest entry that is booked, \`unbooked\` the first that is not, \`booking\` the group that is just
-- being booked. \`commits\` is the number that the watermark repeats outside of this file; \`clean\` is 1 only between an orderly
-- end and the next start. The reference, looked at by the commit, leaves no entry without a group.
CREATE TABLE book (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  booked INTEGER NOT NULL,
  unbooked INTEGER REFERENCES groups (id) DEFERRABLE INITIALLY DEFERRED,
  booking INTEGER,
  commits INTEGER NOT NULL,
  clean INTEGER NOT NULL CHECK (clean IN (0, 1)),
  identity TEXT NOT NULL CHECK (length(identity) = 32)
) STRICT;

-- What outside of the store is held against the count would be worth nothing if the count could stand still or go back.
CREATE TRIGGER book_counting BEFORE UPDATE OF commits ON book WHEN NEW.commits IS NOT OLD.commits + 1 BEGIN
  SELECT RAISE(ABORT, 'money rule: the commits of a ledger are counted one by one');
END;

-- The name of a group that is there would let the commit pass.
CREATE TRIGGER book_owing BEFORE UPDATE OF unbooked ON book
WHEN NEW.unbooked <= OLD.booked OR (OLD.unbooked IS NOT NULL AND (NEW.unbooked IS NOT NULL OR OLD.booking IS NULL)) BEGIN
  SELECT RAISE(ABORT, 'money rule: what was written is booked before it is committed');
END;

CREATE TRIGGER book_booked BEFORE UPDATE OF booked ON book WHEN NEW.booked IS NOT OLD.booking BEGIN
  SELECT RAISE(ABORT, 'money rule: what is booked is the newest group');
END;

-- Requests that were about to leave. \`kind\` is \`intent\` for a call of which nothing stands; \`repeat\` and \`retry\` go by the
-- decision \`sees\` about a doubt, \`refresh\` is to replace the answer \`sees\`. \`reserved\` is in credits, \`at\` in ms since 1970,
-- \`uptime\` in ms of the boot.
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK ${isOneOf('kind', SENT)},
  call INTEGER NOT NULL,
  sees INTEGER CHECK ((sees IS NULL) = (kind = 'intent')),
  batch INTEGER NOT NULL,
  row INTEGER NOT NULL,
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  at INTEGER NOT NULL,
  boot INTEGER,
  uptime INTEGER CHECK ((uptime IS NULL) = (boot IS NULL)),
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_later ON attempts (call) WHERE call <> id;
CREATE INDEX attempts_row ON attempts (batch, row);
CREATE INDEX attempts_sees ON attempts (sees) WHERE sees IS NOT NULL;

-- What came back, before it was judged. It moves no money, and so has no number: it stands between an attempt and its end, or comes
-- late, after the attempt was lost. Headers
-- and body may name a person; they have a sum of their own.
CREATE TABLE replies (
  of INTEGER PRIMARY KEY,
  call INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  headers TEXT NOT NULL,
  content_sum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

-- How each attempt ended, once: it gives back what it had reserved, and holds it where it got lost. \`said\`: what the answer is, or why there is none. What it \`spent\` is booked at the attempt \`pays\`
-- where that is another one. \`estimated\`: nobody stated the price. Without words, the status is all there is to say.
CREATE TABLE ends (
  of INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK ${isOneOf('kind', ENDED)},
  call INTEGER NOT NULL,
  pays INTEGER,
  spent INTEGER NOT NULL CHECK (spent = 0 OR (spent > 0 AND kind = 'answered')),
  at INTEGER NOT NULL,
  said TEXT,
  status INTEGER,
  dialect INTEGER,
  estimated INTEGER NOT NULL CHECK (estimated = 0 OR estimated = 1),
  sum INTEGER NOT NULL,
  words TEXT,
  content_sum INTEGER
) STRICT;
CREATE INDEX ends_id ON ends (id);

-- All that happens later: what was decided, told, looked up and read again about an attempt, and what was taken back. \`sees\`:
-- what stands again after that, or the note or the end that this one follows. \`facts\` is JSON of what only some kinds have.
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK ${isOneOf('kind', NOTE_KINDS)},
  call INTEGER NOT NULL,
  of INTEGER NOT NULL,
  sees INTEGER,
  pays INTEGER,
  batch INTEGER,
  spent INTEGER NOT NULL,
  held INTEGER NOT NULL,
  at INTEGER NOT NULL,
  said TEXT,
  status INTEGER,
  dialect INTEGER,
  estimated INTEGER NOT NULL CHECK (estimated = 0 OR estimated = 1),
  facts TEXT,
  sum INTEGER NOT NULL,
  headers TEXT,
  words TEXT,
  body BLOB,
  content_sum INTEGER
) STRICT;
CREATE INDEX notes_of ON notes (of);
CREATE INDEX notes_readings ON notes (of) WHERE kind = 'reading' OR kind = 'read';

-- Where each call stands.
CREATE VIEW places (call, state, stands, phase, open, head) AS
  SELECT id, state, stands, nullif(${PHASE}, 'nothing'), open, head FROM calls;

-- For whoever looks with another program: all entries, with what each moved. A reply has no number.
CREATE VIEW entries (id, kind, call, of, reserved, spent, held, at, said, status, words) AS
  SELECT id, kind, call, id, reserved, 0, 0, at, NULL, NULL, NULL FROM attempts
  UNION ALL SELECT NULL, 'reply', call, of, 0, 0, 0, at, NULL, status, NULL FROM replies
  UNION ALL SELECT e.id, e.kind, e.call, e.of, -a.reserved, e.spent,
                   iif(e.kind = 'lost' OR e.kind = 'lost_beside', a.reserved, 0), e.at, e.said, e.status, e.words
    FROM ends e CROSS JOIN attempts a ON a.id = e.of
  UNION ALL SELECT id, kind, call, of, 0, spent, held, at, said, status, words FROM notes;

-- Which entry moves a call from where to where. \`state\` is what stands, \`phase\` how far the open attempt is; NULL is any of
-- them, or that it stays. \`names\`: to which attempt of the call the entry has to point.
CREATE VIEW transitions (kind, state, phase, next_state, next_phase, names) AS VALUES
  ${TRANSITIONS.join(',\n  ')};
`,
  moves('attempts', { of: 'NEW.id' }),
  `
-- A reply moves its call by being there. One that is late is about an attempt that was lost, and moves nothing.
CREATE TRIGGER replies_move BEFORE INSERT ON replies BEGIN
  SELECT RAISE(ABORT, 'money rule: no such entry follows where its call stands')
   WHERE NOT EXISTS (
     SELECT 1 FROM transitions t CROSS JOIN calls
       WHERE calls.id = NEW.call AND ${isAllowed("'reply'", 'NEW.of')})
     AND NOT EXISTS (
     SELECT 1 FROM losses l CROSS JOIN calls CROSS JOIN transitions t
       WHERE l.attempt = NEW.of AND l.call = NEW.call AND calls.id = l.call AND ${isAllowed("'late'", 'NEW.of')});
END;
`,
  moves('ends'),
  moves('notes', { sees: 'NEW.sees' }),
  refusedEntry('about', ['reading', 'look', 'freed', 'counted'], {
    says: 'a note is about an attempt of its call',
    where: 'NOT EXISTS (SELECT 1 FROM attempts a WHERE a.id = NEW.of AND a.call = NEW.call)',
  }),
  `
CREATE TRIGGER notes_amounts BEFORE INSERT ON notes BEGIN
  SELECT RAISE(ABORT, 'money rule: a note moves what its kind moves, and nothing else')
   WHERE CASE NEW.kind
     WHEN 'told' THEN NEW.spent <> -NEW.held
     WHEN 'counted' THEN NEW.spent <> -NEW.held
     WHEN 'read' THEN NEW.spent < -NEW.held
     WHEN 'released' THEN NEW.spent <> 0
     WHEN 'freed' THEN NEW.spent <> 0
     WHEN 'reading' THEN NEW.spent < 0 OR NEW.held <> 0
     ELSE (NEW.spent, NEW.held) <> (0, 0) END;
END;
`,
].join('');
