import { refusal } from './guards.ts';

/**
 * What schema 5 keeps of erasures, and what its guards let pass for them: once an entry covers a row of the book, its
 * content may be set to the emptied value and its checksum renewed, and nothing else of it may change. Amounts, times,
 * kinds and numbers stay for ever.
 */
const TABLES = `
-- \`key_check\` tells whether the key beside the ledger is the one under which calls were hidden. \`files\` are to be removed,
-- as a JSON list of paths. \`scrubbed\` is 1 once files, free pages and log hold nothing of it any more.
CREATE TABLE erasures (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'age')),
  at INTEGER NOT NULL,
  key_check TEXT CHECK ((key_check IS NULL) = (kind = 'age')),
  files TEXT NOT NULL CHECK (json_type(files) = 'array'),
  checksum INTEGER NOT NULL,
  scrubbed INTEGER NOT NULL DEFAULT 0 CHECK (scrubbed IN (0, 1))
) STRICT;

-- What an erasure covers: a call with all that is known of it, what was said about one attempt, a row of the batch \`id\`,
-- or whom changes altered.
CREATE TABLE erased (
  what TEXT NOT NULL CHECK (what IN ('call', 'attempt', 'row', 'subject')),
  id INTEGER NOT NULL,
  row INTEGER NOT NULL,
  erasure INTEGER NOT NULL REFERENCES erasures (id),
  PRIMARY KEY (what, id, row, erasure)
) STRICT, WITHOUT ROWID;
`;

const ENTRIES = `
CREATE TRIGGER erased_settled BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: what may have been charged is erased only after it is settled')
    FROM attempts a
   WHERE ((NEW.what = 'call' AND a.call = NEW.id) OR (NEW.what = 'attempt' AND a.id = NEW.id))
     AND (a.open = 1 OR EXISTS (SELECT 1 FROM held_attempts h WHERE h.attempt = a.id)
       OR EXISTS (SELECT 1 FROM calls c WHERE c.id = a.call AND c.doubt IS NOT NULL));
  SELECT RAISE(ABORT, 'money rule: an erasure that has ended covers nothing more')
    FROM erasures WHERE id = NEW.erasure AND scrubbed = 1;
END;

CREATE TRIGGER erasures_kept BEFORE UPDATE ON erasures
WHEN (NEW.id, NEW.kind, NEW.at, NEW.key_check, NEW.files, NEW.checksum)
  IS NOT (OLD.id, OLD.kind, OLD.at, OLD.key_check, OLD.files, OLD.checksum) OR NEW.scrubbed < OLD.scrubbed BEGIN
  SELECT RAISE(ABORT, 'money rule: erasures are only ever added to');
END;
`;

const REASON = "LIKE 'erased on ____-__-__'";

const covers = (what: string, id: string, row = '0'): string =>
  `EXISTS (SELECT 1 FROM erased x WHERE x.what = '${what}' AND x.id = ${id} AND x.row = ${row})`;

const ofCall = (attempt: string): string =>
  covers('call', `(SELECT a.call FROM attempts a WHERE a.id = ${attempt})`);
const ofAttempt = (attempt: string): string => `(${ofCall(attempt)} OR ${covers('attempt', attempt)})`;

interface Emptied {
  readonly trigger: string;
  readonly table: string;
  /** Of the old row. */
  readonly covered: string;
  readonly kept: string;
  /** Columns that no trigger but this one looks at; left out: all. */
  readonly of?: string;
  /** What the other columns may become. */
  readonly content: string;
}

/** A row is kept as it was written, unless it is covered and nothing but its content is emptied. */
function keptUnlessErased({ trigger, table, covered, kept, of, content }: Emptied): string {
  const columns = (side: string): string =>
    kept
      .split(' ')
      .map((column) => `${side}.${column}`)
      .join(', ');
  return `
DROP TRIGGER ${trigger};
CREATE TRIGGER ${trigger} BEFORE UPDATE ${of === undefined ? '' : `OF ${of} `}ON ${table}
WHEN NOT ((${columns('NEW')}) IS (${columns('OLD')}) AND (${content}) AND ${covered}) BEGIN
  SELECT RAISE(ABORT, 'money rule: ${table} are only ever added to, and emptied by an erasure');
END;
`;
}

/** A word or a list of bytes that is as it was, or emptied. */
const emptied = (column: string, empty: string): string =>
  `(NEW.${column} IS OLD.${column} OR NEW.${column} IS ${empty})`;

const WORDS = emptied('why', "'erased'");
const HEADERS = emptied('headers', "'{}'");
/** Of an answer about several people one is cut out; all of it goes with its call. */
const BODY = `(NEW.body IS OLD.body OR NEW.body = x'' OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))`;

const EMPTIED: readonly Emptied[] = [
  {
    trigger: 'replies_no_update',
    table: 'replies',
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt status received_at',
    content: `${HEADERS} AND ${BODY}`,
  },
  {
    trigger: 'told_no_update',
    table: 'told',
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt decision charged status received_at',
    content: `${HEADERS} AND ${BODY}`,
  },
  {
    trigger: 'closures_no_update',
    table: 'closures',
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt kind answer charged closed_at dialect',
    content: WORDS,
  },
  {
    trigger: 'readings_no_update',
    table: 'readings',
    covered: ofAttempt('OLD.attempt'),
    kept: 'id attempt answer charged dialect at',
    content: WORDS,
  },
  {
    trigger: 'decisions_no_update',
    table: 'decisions',
    covered: ofAttempt('OLD.doubt'),
    kept: 'id call doubt batch kind decided_by at',
    content: WORDS,
  },
  {
    trigger: 'looks_no_update',
    table: 'looks',
    covered: ofAttempt('OLD.attempt'),
    kept: 'id attempt kind said status at',
    content: `${WORDS} AND ${emptied('body', "x''")}`,
  },
  {
    trigger: 'releases_no_update',
    table: 'releases',
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt at',
    content: WORDS,
  },
  {
    trigger: 'requests_no_update',
    table: 'requests',
    covered: ofAttempt('OLD.attempt'),
    kept: 'attempt idempotency_key method first_sent_at',
    content: `${emptied('path', "'erased'")} AND ${emptied('body', 'NULL')}`,
  },
  {
    trigger: 'planned_no_update',
    table: 'planned',
    covered: covers('row', 'OLD.batch', 'OLD.row'),
    kept: 'batch row',
    content: `json_extract(NEW.planned, '$.outcome.reason') ${REASON} AND json_extract(NEW.planned, '$.kind') = 'end'`,
  },
  {
    trigger: 'changes_no_update',
    table: 'changes',
    covered: covers('subject', 'OLD.subject'),
    kept: 'attempt subject sequence state role project_id',
    content: ['email', 'invite_code', 'user_id'].map((column) => emptied(column, 'NULL')).join(' AND '),
  },
  {
    trigger: 'subjects_unchanged',
    table: 'subjects',
    covered: covers('subject', 'OLD.id'),
    kept: 'id account project',
    // The sequence moves on with each change, under a guard of its own.
    of: 'id, account, project, name, checksum',
    content: `NEW.name = 'erased:' || OLD.id`,
  },
];

/** Their guards name columns, so that others of the same rows may change as before. */
const ROWS_AND_CALLS = `
DROP TRIGGER attempts_unchanged;
CREATE TRIGGER attempts_unchanged
BEFORE UPDATE OF id, call, batch, row, reserved, intent_at, decision, replaces, checksum ON attempts
WHEN (NEW.id, NEW.call, NEW.batch, NEW.row, NEW.reserved, NEW.intent_at, NEW.decision, NEW.replaces)
  IS NOT (OLD.id, OLD.call, OLD.batch, OLD.row, OLD.reserved, OLD.intent_at, OLD.decision, OLD.replaces)
  OR NOT ${covers('call', 'OLD.call')} BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

DROP TRIGGER calls_unchanged;
CREATE TRIGGER calls_unchanged BEFORE UPDATE OF id, key, account, operation, call, checksum ON calls
WHEN (NEW.id, NEW.account, NEW.operation, NEW.call ->> '$.operation', NEW.call ->> '$.creditsMost', NEW.call ->> '$.after')
  IS NOT (OLD.id, OLD.account, OLD.operation, OLD.call ->> '$.operation', OLD.call ->> '$.creditsMost', OLD.call ->> '$.after')
  OR NOT ${covers('call', 'OLD.id')} OR NEW.call -> '$.parameters' IS NOT '{}'
  OR NEW.call ->> '$.erasedAtMs' IS NOT (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'money rule: a call is kept as it was written');
END;

DROP TRIGGER rows_final;
CREATE TRIGGER rows_final BEFORE UPDATE ON rows BEGIN
  SELECT RAISE(ABORT, 'money rule: a final outcome is never changed')
   WHERE NEW.batch <> OLD.batch OR NEW.row <> OLD.row OR (OLD.kind <> 'in_doubt' AND NOT (
     (NEW.kind, NEW.matched_by, NEW.answers, NEW.read_to)
       IS (OLD.kind, OLD.matched_by, OLD.answers, OLD.read_to)
     AND NEW.input IS NULL AND NEW.reason ${REASON} AND ${covers('row', 'OLD.batch', 'OLD.row')}));
END;
`;

export const ERASURES = TABLES;

export const ERASURE_GUARDS = [
  ENTRIES,
  refusal('DELETE', 'erasures'),
  refusal('UPDATE', 'erased'),
  refusal('DELETE', 'erased'),
  ...EMPTIED.map(keptUnlessErased),
  ROWS_AND_CALLS,
].join('');
