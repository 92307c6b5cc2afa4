import type { FindingCode } from '../core/findings.ts';
import { TAKEN_BY } from '../core/given.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { ANSWER_KINDS } from './call-records.ts';
import { type Columns, type Db, inWordsOf, type Type } from './db.ts';
import { LAYOUT, layoutOf } from './layouts.ts';
import { TAKE_PLACES } from './spenders.ts';

/**
 * All that the ledger keeps. A row of `attempts` is one request that may cost something; the current one of a
 * key says where its call stands. The money rules are the constraints here: code that is wrong is refused.
 * Credits are whole numbers, times are ms since 1970.
 */

/**
 * Compared one by one: for a list SQLite makes a table at each statement, which took a third of the time of
 * an intent.
 */
export const oneOf = (column: string, words: readonly string[]): string =>
  `(${words.map((word) => `${column} = '${word}'`).join(' OR ')})`;

/**
 * The states of an attempt, each with the states that it may move to. An attempt in a state of `HOLDING`
 * holds its reserve; an attempt that was charged has spent it.
 * - `open`: the intent is committed, and the request is under way.
 * - `uncharged`: the request never left, or the vendor surely charged nothing for it.
 * - `doubt`: the request may have reached the vendor, and no usable answer came.
 * - `doubt_beside`: the same as `doubt`, while another attempt has the answer of the call.
 * - `retried`: the attempt is in doubt, and a newer attempt has sent the call again.
 * - `released`: a doubt has ended without a charge, or another attempt was charged for it.
 * - `accepted`: the vendor has given an id, and answers later.
 * - `answered`: the vendor has answered, and the answer stands for the call.
 * - `replaced`: the vendor has answered, and the answer of a refresh or a retry stands instead.
 * - `retracted`: the answer turned out to be none.
 * - `erased`: the answer was erased, because of its age or with a person.
 */
export const ATTEMPT_MOVES = {
  open: ['accepted', 'answered', 'doubt', 'doubt_beside', 'uncharged'],
  accepted: ['answered', 'doubt', 'doubt_beside', 'released'],
  doubt: ['answered', 'retried', 'released', 'doubt_beside'],
  answered: ['replaced', 'retracted', 'erased'],
  replaced: ['answered', 'retracted', 'erased'],
  retried: ['doubt', 'released', 'answered', 'replaced'],
  doubt_beside: ['answered', 'replaced', 'released'],
  uncharged: [],
  released: [],
  retracted: ['answered', 'erased'],
  erased: [],
} as const;
export type AttemptState = keyof typeof ATTEMPT_MOVES;

/** Where a call stands. At most one attempt of a key is so. */
export const CURRENT = ['open', 'accepted', 'answered', 'doubt'] as const satisfies readonly AttemptState[];
/** The attempt may have cost something, and no one knows. */
const DOUBTED = ['doubt', 'retried', 'doubt_beside'] as const satisfies readonly AttemptState[];
export const HOLDING = ['open', 'accepted', ...DOUBTED] as const satisfies readonly AttemptState[];
/** The vendor has answered, whether or not another answer stands now. */
const ANSWERED = ['answered', 'replaced'] as const satisfies readonly AttemptState[];
export const PAID = [...ANSWERED, 'retracted', 'erased'] as const satisfies readonly AttemptState[];

/**
 * The states of a row (`RowStatus`), each with the states that it may move to; the table in
 * `docs/internals/ledger.md` names the cause of each move.
 */
export const ROW_MOVES = {
  pending: OUTCOME_KINDS,
  in_doubt: ['pending', 'matched', 'no_match', 'applied', 'refused', 'skipped'],
  skipped: ['in_doubt'],
  matched: ['pending', 'in_doubt'],
  no_match: ['pending', 'in_doubt'],
  refused: ['pending', 'in_doubt'],
  applied: ['in_doubt'],
  unchanged: [],
  invalid: [],
} as const;

/** The reply that is the answer of an attempt, or the first one of an attempt that has no answer. */
export const replyOf = (reply: string, attempt: string): string =>
  `${reply}.attempt = ${attempt}.id AND ${reply}.number = coalesce(${attempt}.reply, 0)`;

export const isCurrent = (table: string): string => `${table}.is_current = 1`;
export const isPast = (table: string): string => `${table}.is_current = 0`;
export const isInDoubt = (state: string): boolean => (DOUBTED as readonly string[]).includes(state);
export const inStates = (table: string, states: readonly string[]): string => oneOf(`${table}.state`, states);
export const isAnswered = (table: string): string => inStates(table, ANSWERED);
/** The same words as in the index `attempts_held`, or SQLite does not use the index. */
export const isDoubted = (table: string): string => inStates(table, DOUBTED);
/** Whether another attempt of the same call is under way, accepted or in doubt. */
const isDecidedByOther = (table: string): string => `EXISTS (SELECT 1 FROM attempts att_other
    WHERE att_other.key = ${table}.key AND ${isCurrent('att_other')} AND att_other.state <> 'answered')`;
/**
 * An earlier attempt that is in doubt, of a call that was answered since or has nothing that stands. While
 * another attempt of its call is under way, accepted or in doubt, what comes of both is decided by that one.
 */
export const isBeside = (table: string): string =>
  `(${isDoubted(table)} AND ${isPast(table)} AND NOT ${isDecidedByOther(table)})`; // rule 10f
/** An attempt in one of these states holds its reserve. */
export const isHolding = (table: string): string => inStates(table, HOLDING);

/** What an attempt says if its newest reading is an answer. */
export const AN_ANSWER = `('${ANSWER_KINDS.join("', '")}')`;

/** Whether an attempt takes what an earlier one of its row has found, as `isTaking` says of its call. */
export const takes = (table: string): string =>
  `(${table}.operation IN ({taking})
    AND ${table}.asked LIKE '{"parameters":{"${TAKEN_BY}":%')`;

/**
 * Whether the vendor has sold what an attempt brought: a find, or what stood in its place and was none of its
 * kind.
 */
export const hasSold = (table: string): string =>
  `(${table}.said = 'found' OR ${table}.said = 'no_match' AND ${hasFirst(`${table}.why`, 'none_of_its_kind')})`;

/** Whether the first of the findings in a column, which may have none, has this code. */
export const hasFirst = (column: string, code: FindingCode): string => `{code ${column}} = '${code}'`;

/** Whether a row of a batch is asked for several things. */
export const hasSteps = (batch: string): string => `${batch}.steps > 1`;
/** Whether a batch asks with several accounts. */
export const hasAccounts = (batch: string): string =>
  `EXISTS (SELECT 1 FROM batch_accounts share WHERE share.batch = ${batch}.id AND share.place > 0)`;

/** The attempts at a call whose answer is none by its newest reading. @param key the key of the call. */
export const unanswered = (key: string): string => `
SELECT att_past.id FROM attempts att_past
  WHERE att_past.key = ${key} AND ${isPast('att_past')} AND att_past.state = 'retracted'
  AND att_past.said NOT IN ${AN_ANSWER}`;

/**
 * A refresh that stands in the way of another one of its batch: no doubt is paid again. What was
 * taken back is asked again.
 */
const REFRESHES = `state NOT IN ('uncharged', 'released', 'retracted')`;

/**
 * Whether an answer `att` with its reply `rep` is too old for a batch: it came before the cut-off of its
 * kind, another batch bought it, and no refresh stands in the way of one. That is any of the batch itself,
 * whatever the clocks say, and one that is in doubt since the cut-off. What is read as none is too old
 * where every answer would be.
 * @param batch its columns; the id is null of one that does not exist yet.
 */
export function isTooOld(batch: Readonly<Record<'id' | 'found' | 'noMatch', string>>): string {
  const { id, found, noMatch } = batch;
  const cutOff = `CASE WHEN att.said = 'found' THEN ${found}
    WHEN att.said IN ('no_match', 'refused') OR ${found} > ${noMatch} THEN ${noMatch}
    WHEN ${found} <= ${noMatch} THEN ${found} END`;
  const isOfOther = `att.batch IS DISTINCT FROM ${id}`; // rule 15b
  return `rep.at < ${cutOff} AND ${isOfOther} AND NOT EXISTS (SELECT 1 FROM attempts att_later
    WHERE att_later.prior = att.id AND att_later.kind = 'refresh' AND att_later.${REFRESHES}
      AND (att_later.batch = ${id} OR (att_later.sent_at >= ${cutOff} AND ${isDoubted('att_later')})))`;
}

const PASSED = Object.keys(ATTEMPT_MOVES).filter((state) => !(CURRENT as readonly string[]).includes(state));

/** No code takes more out of a budget than its cap. */
const WITHIN_CAP = 'CHECK (spent + held <= cap + overrun)'; // rule 11b

const TABLES = [
  `CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) {strict};`,
  // Everybody who had the store open to spend. newest_group: the number of its last transaction, see
  // db/postgres-commit.ts; none of `moved`.
  `CREATE TABLE workers (
  id {id},
  host TEXT NOT NULL,
  pid {int} NOT NULL,
  command TEXT NOT NULL,
  operator TEXT,
  since {int} NOT NULL,
  seen_at {int} NOT NULL,
  ended_at {int},
  newest_group {int} NOT NULL DEFAULT 0,
  accounts TEXT NOT NULL DEFAULT '[]'
) {strict};`,
  // agreed_time: the newest time that the clock and the vendor's Date both reached. terms, facts: JSON.
  `CREATE TABLE accounts (
  id {id},
  identity TEXT NOT NULL UNIQUE,
  cap_day {int},
  cap_month {int},
  paused_until {int},
  agreed_time {int},
  terms TEXT,
  facts TEXT NOT NULL DEFAULT '{}'
) {strict};`,
  // An account is known by several marks. An id or an address (JSON: vendor, origin, organisation,
  // connected account) belongs to one account alone, a name may have been that of several.
  `CREATE TABLE known_as (
  account {int} NOT NULL REFERENCES accounts,
  kind TEXT NOT NULL CHECK (kind IN ('id', 'address', 'name')),
  value TEXT NOT NULL,
  PRIMARY KEY (kind, value, account)
) {keyed};
CREATE UNIQUE INDEX known_as_one ON known_as (kind, value) WHERE kind <> 'name';`,
  // The highest price that an answer has shown. credits_max: what the job says that such a call costs at
  // most, -1 where it says nothing.
  `CREATE TABLE prices (
  account {int} NOT NULL REFERENCES accounts,
  operation TEXT NOT NULL,
  credits_max {int} NOT NULL,
  highest {int} NOT NULL,
  PRIMARY KEY (account, operation, credits_max)
) {strict};`,
  // kind, and what it is of: batch, share (of that, what an account asks), extra (of that, what is sent
  // again), day (since 1970) or month (202611) of an account. What it is not of is '' or 0. held: what
  // requests under way and in doubt may cost. overrun: how far answers that were dearer than expected, or a
  // cap that was lowered, went above.
  `CREATE TABLE budgets (
  kind TEXT NOT NULL CHECK (${oneOf('kind', ['batch', 'share', 'extra', 'day', 'month'])}),
  batch TEXT NOT NULL DEFAULT '',
  account {int} NOT NULL DEFAULT 0,
  period {int} NOT NULL DEFAULT 0,
  cap {int},
  closed {int} NOT NULL DEFAULT 0,
  spent {int} NOT NULL DEFAULT 0 CHECK (spent >= 0),
  held {int} NOT NULL DEFAULT 0 CHECK (held >= 0),
  overrun {int} NOT NULL DEFAULT 0 CHECK (overrun >= 0),
  PRIMARY KEY (kind, batch, account, period),
  CHECK ((batch = '') = ${oneOf('kind', ['day', 'month'])}),
  CHECK ((account = 0) = ${oneOf('kind', ['batch', 'extra'])}),
  CHECK ((period > 0) = ${oneOf('kind', ['day', 'month'])}),
  ${WITHIN_CAP}
) {keyed};`,
  // account: the first of its accounts. steps: how many operations its rows are asked.
  `CREATE TABLE batches (
  id TEXT PRIMARY KEY CHECK (length(id) = 8),
  number {int} NOT NULL UNIQUE,
  key TEXT NOT NULL,
  generation {int} NOT NULL,
  lineage TEXT NOT NULL,
  account {int} NOT NULL REFERENCES accounts,
  operation TEXT NOT NULL,
  steps {int} NOT NULL CHECK (steps > 0),
  state TEXT NOT NULL CHECK (state IN ('open', 'finished', 'superseded', 'cancelled')),
  created_at {int} NOT NULL,
  fresh_found {int},
  fresh_no_match {int},
  paused_since {int},
  is_sandbox {int} NOT NULL DEFAULT 0,
  facts TEXT NOT NULL,
  work_order TEXT,
  UNIQUE (key, generation)
) {strict};
CREATE UNIQUE INDEX batches_open ON batches (lineage) WHERE state = 'open';`,
  // The accounts that a batch may ask. place: 0 for the first one of its job. name: by which its newest run
  // knows the account.
  `CREATE TABLE batch_accounts (
  batch TEXT NOT NULL REFERENCES batches,
  account {int} NOT NULL REFERENCES accounts,
  place {int} NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (batch, account)
) {keyed};`,
  // A person or a thing that changes alter. seq counts its settled changes; facts is how the last
  // applied one left it.
  `CREATE TABLE subjects (
  id {id},
  account {int} NOT NULL REFERENCES accounts,
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  seq {int} NOT NULL DEFAULT 0,
  facts TEXT,
  batch TEXT REFERENCES batches,
  changed_at {int},
  UNIQUE (account, project, name)
) {strict};`,
  // What people and rules decided, told, looked at, agreed to, paused or erased. who: rule, job or person;
  // worker: the one that did it. subject: the person of whom a list says something (kind learned), after so
  // many settled changes.
  `CREATE TABLE notes (
  id {id},
  at {int} NOT NULL,
  kind TEXT NOT NULL,
  said TEXT,
  attempt {int},
  batch TEXT,
  account {int},
  worker {int},
  who TEXT NOT NULL,
  words TEXT NOT NULL,
  facts TEXT,
  subject {int} REFERENCES subjects,
  after {int},
  CHECK ((subject IS NULL) = (after IS NULL)),
  UNIQUE (id, attempt, said, batch)
) {strict};
CREATE UNIQUE INDEX notes_subject ON notes (subject, after) WHERE subject IS NOT NULL;
CREATE INDEX notes_attempt ON notes (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX notes_kind ON notes (kind, batch, at);`,
  // What came back, before anybody judged it; status 0: nothing came, and a person told (`notes`). An
  // erasure empties it. number: 0 for the first reply, 1 for the one that ended an accepted attempt.
  `CREATE TABLE replies (
  attempt {int} NOT NULL,
  status {int} NOT NULL,
  at {int} NOT NULL,
  headers TEXT NOT NULL,
  body {bytes} NOT NULL,
  number {int} NOT NULL,
  PRIMARY KEY (attempt, number)
) {strict};`,
  // state: see ATTEMPT_MOVES. is_current: as `movesTo` says; it begins open, so current. kind: a refresh buys
  // anew what is too old; a repeat (by a rule) and a retry (by a person or a job) send a doubt again. payer:
  // the first attempt under the same key of the vendor, which charges once; what this one costs is booked
  // there. moved: the group that booked it last. row: the lowest of its batch that used it. worker: who sent
  // it. reply: the number of the reply that is its answer. vendor_id: by which the vendor answers later.
  // later_path: where it is asked by that id, the path of the dialect; of what was accepted before layout 7
  // the operation. shares_id: 1 where another call of the account has or had the same id there, so that it is
  // not known which call its answer belongs to. A number beyond 2^53 - 1 could stand for two.
  `CREATE TABLE attempts (
  id {int} PRIMARY KEY CHECK (id < 9007199254740992),
  worker {int} NOT NULL,
  key {bytes} NOT NULL CHECK (length(key) = 16),
  state TEXT NOT NULL,
  is_current {int} NOT NULL DEFAULT 1,
  kind TEXT NOT NULL CHECK (${oneOf('kind', ['first', 'refresh', 'repeat', 'retry'])}),
  account {int} NOT NULL,
  operation TEXT NOT NULL,
  asked TEXT NOT NULL,
  credits_max {int} NOT NULL,
  batch TEXT NOT NULL,
  row {int} NOT NULL,
  day {int} NOT NULL,
  month {int} NOT NULL,
  reserved {int} NOT NULL CHECK (reserved >= 0),
  sent_at {int} NOT NULL,
  over_at {int} NOT NULL,
  request TEXT,
  prior {int} REFERENCES attempts,
  payer {int} REFERENCES attempts,
  decision {int},
  subject {int} REFERENCES subjects,
  after {int},
  moved {int} NOT NULL,
  ended_at {int},
  said TEXT,
  charged {int} CHECK (charged >= 0),
  is_at_most {int} NOT NULL DEFAULT 0,
  why TEXT,
  dialect {int},
  reply {int},
  erased_at {int},
  vendor_id TEXT,
  later_path TEXT,
  shares_id {int} NOT NULL DEFAULT 0,
  CHECK ((is_current = 1 AND ${oneOf('state', CURRENT)}) OR (is_current = 0 AND ${oneOf('state', PASSED)})),
  CHECK ((state = 'open') = (ended_at IS NULL)),
  CHECK (${oneOf('state', PAID)} = (charged IS NOT NULL)),
  CHECK (charged IS NULL OR (reply IS NOT NULL AND said IS NOT NULL)),
  CHECK ((kind = 'first') = (prior IS NULL)),
  CHECK ((kind IN ('repeat', 'retry')) = (decision IS NOT NULL)),
  CHECK (payer IS NULL OR (kind = 'repeat' AND reserved = 0)),
  CHECK ((subject IS NULL) = (after IS NULL)),
  CHECK (state <> 'accepted' OR (vendor_id IS NOT NULL AND later_path IS NOT NULL AND shares_id = 0)),
  FOREIGN KEY (id, reply) REFERENCES replies,
  FOREIGN KEY (batch, account) REFERENCES batch_accounts,
  FOREIGN KEY (decision, prior, kind, batch) REFERENCES notes (id, attempt, said, batch)
) {strict};`,
  // Never bought twice: a call has one current attempt. A new one needs that the last one stepped aside
  // in the same transaction.
  `CREATE UNIQUE INDEX attempts_current ON attempts (key) WHERE is_current = 1;`, // rule 15a
  // No one is invited twice: one change of a subject at a time, and one that was planned before another was
  // settled is refused.
  `CREATE UNIQUE INDEX attempts_change ON attempts (subject, after)
  WHERE subject IS NOT NULL AND is_current = 1;`,
  // One decision sends one request. What never left, or did not happen, gives it back.
  `CREATE UNIQUE INDEX attempts_decision ON attempts (decision)
  WHERE decision IS NOT NULL AND state NOT IN ('uncharged', 'released');`,
  // An id of an account leads to the answer of one call.
  // rule 9h
  `CREATE UNIQUE INDEX attempts_later ON attempts (account, later_path, vendor_id) WHERE state = 'accepted';
CREATE INDEX attempts_vendor_id ON attempts (vendor_id, account) WHERE vendor_id IS NOT NULL;`,
  // A vendor may say once of a call that it has not served it.
  `CREATE UNIQUE INDEX attempts_not_served ON attempts (key) WHERE said = 'not_served';`, // rule 9c
  // A batch buys an answer anew once, also when that is in doubt.
  `CREATE UNIQUE INDEX attempts_refreshed ON attempts (prior, batch) WHERE kind = 'refresh' AND ${REFRESHES};
CREATE INDEX attempts_prior ON attempts (prior) WHERE prior IS NOT NULL;
CREATE INDEX attempts_subject ON attempts (subject, after) WHERE subject IS NOT NULL;
CREATE INDEX attempts_payer ON attempts (payer) WHERE payer IS NOT NULL;`,
  // It has few attempts, and names the state, because SQLite would read a whole batch or account
  // otherwise.
  `CREATE INDEX attempts_held ON attempts (state, account, batch)
  WHERE state = 'open' OR state = 'accepted' OR ${oneOf('state', DOUBTED)};`,
  // The earlier attempts of a call.
  `CREATE INDEX attempts_past ON attempts (key) WHERE is_current = 0;
CREATE INDEX attempts_batch ON attempts (batch, row);
CREATE INDEX attempts_account ON attempts (account, sent_at);
CREATE INDEX attempts_at_most ON attempts (account, batch) WHERE is_at_most = 1 AND charged > 0;`,
  // A row has its state from its submit on. attempt: the one that it stands on; what else it rests on is in
  // `uses`. work: what was planned for it, JSON. has_fills: 0 where one account is asked in one step, so that
  // nothing says what filled which.
  `CREATE TABLE rows (
  batch TEXT NOT NULL REFERENCES batches,
  row {int} NOT NULL,
  state TEXT NOT NULL CHECK (${oneOf('state', Object.keys(ROW_MOVES))}),
  attempt {int} REFERENCES attempts,
  matched_by TEXT,
  findings TEXT,
  work TEXT,
  has_fills {int} NOT NULL DEFAULT 0,
  PRIMARY KEY (batch, row)
) {keyed};
CREATE INDEX rows_state ON rows (batch, state, row);`,
  // Which rows move with an attempt.
  `CREATE INDEX rows_attempt ON rows (attempt) WHERE attempt IS NOT NULL;`,
  // Every attempt on which a row rests, where `rows.attempt` alone does not say that: of a row that has
  // several, or steps to fill, or waits. nth: in the order of asking. is_filling: its answer filled a step.
  // waits: the row, which is in doubt and stands on no attempt, waits for what comes of this one.
  `CREATE TABLE uses (
  batch TEXT NOT NULL,
  row {int} NOT NULL,
  nth {int} NOT NULL,
  attempt {int} NOT NULL REFERENCES attempts,
  is_filling {int} NOT NULL,
  waits {int} NOT NULL,
  PRIMARY KEY (batch, row, nth)
) {keyed};
CREATE INDEX uses_attempt ON uses (attempt);`,
  // The rows of a list as they stand there, JSON: their cells, and why a row cannot be read. They go by
  // retention and by forget.
  `CREATE TABLE cells (
  batch TEXT NOT NULL REFERENCES batches,
  row {int} NOT NULL,
  cells TEXT NOT NULL,
  PRIMARY KEY (batch, row)
) {keyed};`,
  // On a host: what we wrote where (kind written), which lists and jobs a batch read (list, job; sha256
  // is empty where it is not known).
  `CREATE TABLE files (
  path TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('written', 'list', 'job')),
  sha256 TEXT NOT NULL,
  batch TEXT,
  host TEXT NOT NULL
) {strict};
CREATE UNIQUE INDEX files_once ON files (path, kind, sha256, host, coalesce(batch, ''));`,
  `CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  body TEXT NOT NULL,
  at {int} NOT NULL,
  sent_at {int}
) {strict};`,
].join('\n');

/**
 * The line in which workers stand that share an account: PostgreSQL's own, because from a folder one process
 * spends. A copy leaves it out. Times are microseconds by the database's clock.
 */
const LINES_OF_POSTGRES = [
  // place, due_us: the next one. A worker that takes places locks its row.
  `CREATE TABLE lines (
  account BIGINT PRIMARY KEY,
  place BIGINT NOT NULL DEFAULT 0,
  due_us BIGINT NOT NULL DEFAULT 0
);`,
  // Places that were taken. at_us: when its request was at the vendor at the latest. What was not used
  // is deleted.
  `CREATE TABLE places (
  account BIGINT,
  place BIGINT,
  at_us BIGINT NOT NULL,
  PRIMARY KEY (account, place)
);
${TAKE_PLACES}`,
].join('\n');

/** Whether a state moves to one that it may not move to. */
const strays = (moves: Readonly<Record<string, readonly string[]>>): string => {
  const cases = Object.entries(moves).map(([from, to]) =>
    to.length === 0 ? `WHEN '${from}' THEN 1 = 1` : `WHEN '${from}' THEN NOT ${oneOf('NEW.state', to)}`,
  );
  return `OLD.state <> NEW.state AND CASE OLD.state ${cases.join(' ')} END`;
};

const differs = (...columns: readonly string[]): string =>
  columns.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');

interface Rule {
  readonly of: readonly string[];
  readonly says: string;
  /** An update of these columns of a row is refused where this is true of OLD and NEW. */
  readonly when: string;
}

const never = (says: string, ...of: readonly string[]): Rule => ({ of, says, when: differs(...of) });

const RULES: Readonly<Record<string, Rule>> = {
  attempts_move: {
    of: ['state', 'charged'],
    says: 'an attempt moves as the protocol says, and what was charged is never less',
    when: `(${strays(ATTEMPT_MOVES)}) OR OLD.charged > NEW.charged`,
  },
  attempts_fixed: never(
    'an attempt stays what it was',
    ...['id', 'worker', 'key', 'batch', 'day', 'month', 'reserved', 'kind', 'account'],
    ...['prior', 'payer', 'decision', 'subject', 'after'],
  ),
  rows_move: {
    of: ['state', 'attempt', 'matched_by', 'batch', 'row'],
    says: 'a row moves as the protocol says, and a final outcome stays as it is',
    when: `${differs('batch', 'row')} OR (${strays(ROW_MOVES)})
      OR (OLD.state = NEW.state AND OLD.state NOT IN ('pending', 'in_doubt')
        AND (${differs('attempt', 'matched_by')}))`,
  },
  batches_move: {
    of: ['state', 'id', 'key', 'account'],
    says: 'a superseded or cancelled batch never resumes',
    when: `${differs('id', 'key', 'account')}
      OR (OLD.state IN ('superseded', 'cancelled') AND OLD.state <> NEW.state)`,
  },
  replies_cut: {
    of: ['attempt', 'number', 'body'],
    says: 'a reply is kept as it came, or shortened by an erasure',
    when: `${differs('attempt', 'number')} OR (OLD.status <> 0 AND OLD.body <> NEW.body
      AND length(NEW.body) >= length(OLD.body))`,
  },
};

/**
 * Rows of the other tables are never deleted: an erasure empties them. A key whose attempts were deleted
 * would be free. What a row rests on is written anew with each of its ends.
 */
const MAY_BE_DELETED = ['meta', 'workers', 'prices', 'uses', 'cells', 'files', 'notices'];

const says = (rule: string): string => `'money rule: ${rule}'`;
const trigger = {
  sqlite: (name: string, on: string, rule: string, when: string) =>
    `CREATE TRIGGER ${name} BEFORE ${on} WHEN ${when} BEGIN SELECT RAISE(ABORT, ${says(rule)}); END;`,
  postgres: (name: string, on: string, rule: string, when: string) =>
    `CREATE TRIGGER ${name} BEFORE ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse(${says(rule)});`,
};
const REFUSE = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$;`;

const rulesOf = (name: Db['name']): string =>
  [
    ...(name === 'postgres' ? [REFUSE] : []),
    ...Object.entries(RULES).map(([rule, { of, says: rules, when }]) =>
      trigger[name](rule, `UPDATE OF ${of.join(', ')} ON ${rule.split('_')[0]}`, rules, when),
    ),
    trigger[name]('attempts_begin', 'INSERT ON attempts', 'an attempt begins open', `NEW.state <> 'open'`),
    ...keptTables()
      .filter(({ table }) => !MAY_BE_DELETED.includes(table))
      .map(({ table }) =>
        trigger[name](`${table}_kept`, `DELETE ON ${table}`, 'nothing is deleted', '1 = 1'),
      ),
  ].join('\n');

const tablesOf = (name: Db['name']): string =>
  inWordsOf(name, name === 'postgres' ? `${TABLES}\n${LINES_OF_POSTGRES}` : TABLES);

export interface KeptTable {
  readonly table: string;
  readonly columns: Columns;
  /** What tells its rows apart; empty where that may be null. */
  readonly key: readonly string[];
  readonly isNumbered: boolean;
}

const TYPES: Readonly<Record<string, Type>> = {
  TEXT: 'text',
  '{bytes}': 'bytes',
  '{int}': 'int',
  '{id}': 'int',
};

/** All tables, each after those that it names. */
export const keptTables = (): readonly KeptTable[] =>
  [...TABLES.matchAll(/^CREATE TABLE (\w+) \(\n([^;]*);/gm)].map(([, table = '', body = '']) => {
    const columns = [...body.matchAll(/^ {2}(\w+) (TEXT|\{\w+\})(.*)$/gm)];
    const [, ownKey] = columns.find(([line]) => /PRIMARY KEY|\{id\}/.test(line)) ?? [];
    const several = /^ {2}PRIMARY KEY \((.*)\)/m.exec(body)?.[1]?.split(', ') ?? [];
    return {
      table,
      columns: Object.fromEntries(columns.map(([, name = '', type = '']) => [name, TYPES[type] ?? 'text'])),
      key: ownKey === undefined ? several : [ownKey],
      isNumbered: body.includes('id {id}'),
    };
  });

const STEPS = '{schema} CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY);';

/**
 * For a copy: its attempts do not begin open, so the rules are laid out when all rows are in. Existing tables
 * are kept, with what roles may do with them.
 */
export const layTables = (db: Db): Promise<void> =>
  db.script(
    `${STEPS} ${tablesOf(db.name).replaceAll(/^CREATE (TABLE|INDEX|UNIQUE INDEX) /gm, 'CREATE $1 IF NOT EXISTS ')}`,
  );
export const layRules = (db: Db): Promise<void> =>
  db.script(`BEGIN; INSERT INTO steps (number) VALUES (${LAYOUT}); ${rulesOf(db.name)} COMMIT;`);

/** Lays out what is not there yet: whole, or not at all. */
export async function layAll(db: Db): Promise<void> {
  await db.script(STEPS);
  if ((await layoutOf(db)) !== undefined) return;
  await db.script(
    `BEGIN; INSERT INTO steps (number) VALUES (${LAYOUT}); ${tablesOf(db.name)} ${rulesOf(db.name)} COMMIT;`,
  );
}
