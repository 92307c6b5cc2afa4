import { MOVES, type Move, STANDS } from '../../../rules/moves.ts';
import { isOneOf } from '../lookups.ts';
import { ATTEMPTS_TABLE, ENDS_TABLE, NOTES_TABLE, REPLIES_TABLE, tableOf } from '../tables.ts';
import { refusedEntry } from './refusals.ts';

/** The list of moves as SQL: NULL is any state, any phase, or no change. */
const TRANSITIONS = MOVES.flatMap(({ kind, when, during, stands, open, names }: Move) =>
  (when ?? [null]).flatMap((state) =>
    (during ?? [null]).map((phase) => {
      const cells = [kind, state, phase, stands ?? null, open ?? null, names];
      return `(${cells.map((cell) => (cell === null ? 'NULL' : `'${cell}'`)).join(', ')})`;
    }),
  ),
);

/** How far the attempt is that is under way: it has its reply, or has not. */
const IS_BACK = 'EXISTS (SELECT 1 FROM replies WHERE of = calls.open)';
const PHASE = `iif(calls.open IS NULL, 'nothing', iif(${IS_BACK}, 'back', 'sent'))`;
const DURING = { nothing: 'calls.open IS NULL', sent: `NOT ${IS_BACK}`, back: IS_BACK } as const;

/** Where a call may be for a move, in SQL over `calls`. @param of the attempt that the entry is about. */
function isAllowed({ when, during, names }: Move, of: string): string {
  const [phase, other] = during ?? [];
  const rules = [
    ...(names === 'any' ? [] : [`calls.${names} = ${of}`]),
    ...(when === undefined ? [] : [isOneOf('calls.state', when)]),
    ...(phase === undefined ? [] : [other === undefined ? DURING[phase] : 'calls.open IS NOT NULL']),
  ];
  return rules.length === 0 ? 'TRUE' : rules.join(' AND ');
}

/**
 * What an entry does when it is written. The moves of its table stand in the trigger one by one, which costs less than looking each
 * up in the view. @param of the attempt that it is about. @param sees what stands after it, in SQL. @param when which entries move
 * their call; left out: all.
 */
function moves(
  table: 'attempts' | 'ends' | 'notes',
  { of = 'NEW.of', sees = 'NULL', when = '' }: { of?: string; sees?: string; when?: string } = {},
): string {
  const list: readonly Move[] = MOVES.filter(({ kind }) => tableOf(kind) === table);
  const each = (then: (move: Move) => string | undefined, otherwise: string): string => {
    const [one, ...others] = new Set(list.map((move) => then(move) ?? otherwise));
    if (one !== undefined && others.length === 0) return one;
    const cases = list.map((move) => `\n      WHEN '${move.kind}' THEN ${then(move) ?? otherwise}`);
    return `CASE NEW.kind${cases.join('')} END`;
  };
  const [free, answered, doubt] = STANDS.keys();
  const before = `CASE WHEN ${sees} IS NULL THEN ${free}
        WHEN EXISTS (SELECT 1 FROM losses WHERE attempt = ${sees} AND ended IS NULL) THEN ${doubt} ELSE ${answered} END`;
  const numberOf = (stands: NonNullable<Move['stands']>): string =>
    stands === 'before' ? before : String(STANDS.indexOf(stands));
  const cells = {
    state_number: each(({ stands }) => stands && numberOf(stands), 'state_number'),
    stands: each(({ stands }) => stands && (stands === 'before' ? sees : of), 'stands'),
    open: each(({ open }) => open && (open === 'nothing' ? 'NULL' : of), 'open'),
  };
  const set = Object.entries(cells).filter(([column, value]) => value !== column);
  return `
CREATE TRIGGER ${table}_move AFTER INSERT ON ${table}${when} BEGIN
  UPDATE book SET unbooked = NEW.id WHERE id = 1 AND unbooked IS NULL;
  UPDATE calls SET head = NEW.id${set.map(([column, value]) => `,\n    ${column} = ${value}`).join('')}
   WHERE id = NEW.call AND ${each((move) => isAllowed(move, of), 'FALSE')};
  SELECT RAISE(ABORT, '${REFUSED}') WHERE changes() <> 1 AND EXISTS (SELECT 1 FROM calls WHERE id = NEW.call);
  SELECT RAISE(ABORT, 'money rule: an entry is about a call') WHERE changes() <> 1;
END;
`;
}

const REFUSED = 'money rule: no such entry follows where its call stands';
const [REPLY] = MOVES.filter(({ kind }) => kind === 'reply').map((move) => isAllowed(move, 'NEW.of'));

/**
 * The book: entries that follow each other without a gap, and never change. They have one row of numbers, and stand in four
 * tables: each has the columns that its kinds need, and only their guards look at them. An entry moves its call from one place to
 * another, as the view `transitions` allows; what an entry may say beyond that, each kind has guards for.
 */
export const BOOK = [
  `
-- One row. \`booked\` is the newest entry that is booked, \`unbooked\` the first that is not, \`booking\` the group that is just
-- being booked. The reference, looked at by the commit, leaves no entry without a group.
CREATE TABLE book (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  booked INTEGER NOT NULL,
  unbooked INTEGER REFERENCES groups (id) DEFERRABLE INITIALLY DEFERRED,
  booking INTEGER,
  identity TEXT NOT NULL CHECK (length(identity) = 32)
) STRICT;

-- The name of a group that is there would let the commit pass.
CREATE TRIGGER book_owing BEFORE UPDATE OF unbooked ON book
WHEN NEW.unbooked <= OLD.booked OR (OLD.unbooked IS NOT NULL AND (NEW.unbooked IS NOT NULL OR OLD.booking IS NULL)) BEGIN
  SELECT RAISE(ABORT, 'money rule: what was written is booked before it is committed');
END;

CREATE TRIGGER book_booked BEFORE UPDATE OF booked ON book WHEN NEW.booked IS NOT OLD.booking BEGIN
  SELECT RAISE(ABORT, 'money rule: what is booked is the newest group');
END;

-- Requests that were about to leave. \`kind\` is \`intent\` for a call of which nothing stands; \`repeat\` and \`retry\` go by the
-- decision \`sees\` about a doubt, \`refresh\` is to replace the answer \`sees\`. \`reserved\` is in credits, \`at\` in ms since 1970.
${ATTEMPTS_TABLE.definition}
CREATE INDEX attempts_later ON attempts (call) WHERE call <> id;
CREATE INDEX attempts_row ON attempts (batch, row);
CREATE INDEX attempts_sees ON attempts (sees) WHERE sees IS NOT NULL;

-- What came back, before it was judged. It moves no money, and so has no number: it stands between an attempt and its end, or comes
-- late, after the attempt was lost. \`dated\`: by how many seconds its Date is older than \`at\`; \`typed\`: which of the usual ones
-- its Content-Type is. The other headers and the body may name a person; they have a sum of their own.
${REPLIES_TABLE.definition}

-- How each attempt ended, once: it gives back what it had reserved, and holds it where it got lost. \`said\`: what the answer is, or why there is none. What it \`spent\` is booked at the attempt \`pays\`
-- where that is another one. \`estimated\`: nobody stated the price. Without words, the status is all there is to say.
${ENDS_TABLE.definition}
CREATE INDEX ends_id ON ends (id);

-- All that happens later: what was decided, told, looked up and read again about an attempt, and what was taken back. \`sees\`:
-- what stands again after that, or the note or the end that this one follows. \`facts\` is JSON of what only some kinds have.
${NOTES_TABLE.definition}
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
  `
-- A call begins with its first attempt under way, which saves a second write of it. It has the number of that attempt.
CREATE TRIGGER attempts_beginning AFTER INSERT ON attempts WHEN NEW.id = NEW.call BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt with the number of its call is the one that it begins with')
   WHERE NEW.kind <> 'intent' OR NOT EXISTS (
     SELECT 1 FROM calls WHERE id = NEW.id AND state = 'free' AND open = NEW.id AND head = NEW.id);
END;
`,
  moves('attempts', { of: 'NEW.id', when: ' WHEN NEW.id <> NEW.call' }),
  `
-- A reply moves its call by being there. One that is late is about an attempt that was lost, and moves nothing.
CREATE TRIGGER replies_move BEFORE INSERT ON replies BEGIN
  SELECT RAISE(ABORT, '${REFUSED}')
   WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = NEW.call AND ${REPLY})
     AND NOT EXISTS (SELECT 1 FROM losses WHERE attempt = NEW.of AND call = NEW.call);
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
