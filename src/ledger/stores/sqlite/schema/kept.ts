import {
  ACTS_TABLE,
  CALLS_TABLE,
  ENDS_TABLE,
  NOTES_TABLE,
  NOTICES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  SUBJECTS_TABLE,
} from '../tables.ts';

/** What stays in a table as it was written, and what of it may be altered after all. */
interface Kept {
  readonly table: string;
  readonly event: 'UPDATE' | 'DELETE';
  /** The guard's name, where a table has several of one event. */
  readonly name?: string;
  /** The columns that the guard looks at, where others have guards of their own. */
  readonly of?: string;
  readonly says: string;
  /** What is let through, in SQL over `OLD` and `NEW`. */
  readonly unless?: string;
}

/** That these columns stay, in SQL. */
function same(columns: string | readonly string[]): string {
  const of = (side: string): string => String(columns).replaceAll(/\w+/g, ` ${side}.$&`).trim();
  return `(${of('NEW')}) IS (${of('OLD')})`;
}

const covers = (what: string, id: string, row = '0'): string =>
  `EXISTS (SELECT 1 FROM erased x WHERE x.what = '${what}' AND x.id = ${id} AND x.row = ${row})`;

/** Whether an erasure covers an attempt, or its whole call. */
const ofAttempt = (attempt: string, call: string): string =>
  `(${covers('attempt', attempt)} OR ${covers('call', call)})`;

/** The condition that a text or a list of bytes is unchanged or emptied. */
const emptied = (column: string, empty: string): string =>
  `(NEW.${column} IS OLD.${column} OR (OLD.${column} IS NOT NULL AND NEW.${column} IS ${empty}))`;

/** The reason of a row whose content was erased. */
const REASON = "LIKE 'erased on ____-__-__'";
const WORDS = emptied('words', "'erased'");
const HEADERS = emptied('headers', "'{}'");
/** From an answer about several people one person is cut out; an answer about one person is emptied with its call. */
const BODY = `(NEW.body IS OLD.body OR (OLD.body IS NOT NULL AND NEW.body = x'') OR (length(NEW.body) < length(OLD.body) AND json_valid(NEW.body)))`;

/** All guards that only forbid change. What an erasure covers may be emptied; amounts, times, kinds and numbers stay for ever. */
const KEPT: readonly Kept[] = [
  { table: 'accounts', event: 'DELETE', says: 'an account is never deleted' },
  {
    table: 'batches',
    event: 'UPDATE',
    name: 'batches_unchanged',
    of: 'id, ordinal, key, generation, account, created_at',
    says: 'what a batch is does not change',
  },
  {
    table: 'batches',
    event: 'UPDATE',
    name: 'batches_fresh',
    of: 'fresh_found, fresh_no_match',
    says: 'how old an answer may be is fixed when the batch begins',
  },
  {
    table: 'batches',
    event: 'UPDATE',
    name: 'batches_plan_kept',
    of: 'rows_beyond, planned_rows',
    says: 'the plan of a batch does not change',
  },
  { table: 'batches', event: 'DELETE', says: 'a batch is never deleted' },

  { table: 'book', event: 'DELETE', says: 'the book is never deleted' },
  { table: 'attempts', event: 'UPDATE', says: 'an attempt is kept as it was written' },
  { table: 'attempts', event: 'DELETE', says: 'an attempt is never deleted' },
  {
    table: 'replies',
    event: 'UPDATE',
    says: 'a reply is kept as it came, and emptied by an erasure alone',
    unless: `${same(REPLIES_TABLE.fixed)} AND ${HEADERS} AND ${BODY} AND ${ofAttempt('OLD.of', 'OLD.call')}`,
  },
  { table: 'replies', event: 'DELETE', says: 'a reply is never deleted' },
  {
    table: 'ends',
    event: 'UPDATE',
    says: 'how an attempt ended is kept as it was written, and emptied by an erasure alone',
    unless: `${same(ENDS_TABLE.fixed)}
  AND ${WORDS} AND ${ofAttempt('OLD.of', 'OLD.call')}`,
  },
  { table: 'ends', event: 'DELETE', says: 'how an attempt ended is never deleted' },
  {
    table: 'notes',
    event: 'UPDATE',
    says: 'a note is kept as it was written, and emptied by an erasure alone',
    unless: `${same(NOTES_TABLE.fixed)}
  AND ${HEADERS} AND ${WORDS} AND ${BODY} AND ${ofAttempt('OLD.of', 'OLD.call')}`,
  },
  { table: 'notes', event: 'DELETE', says: 'a note is never deleted' },

  { table: 'groups', event: 'UPDATE', says: 'a group is kept as it was booked' },
  { table: 'groups', event: 'DELETE', says: 'a group is never deleted' },
  { table: 'totals', event: 'DELETE', says: 'a total is never deleted' },

  {
    table: 'calls',
    event: 'UPDATE',
    name: 'calls_unchanged',
    of: CALLS_TABLE.fixed.join(', '),
    says: 'a call is kept as it was written',
    unless: `${same('id, account, operation, credits_most, subject, after')}
  AND ${covers('call', 'OLD.id')} AND NEW.parameters = '{}'
  AND NEW.terms ->> '$.erasedAtMs' IS (
    SELECT max(e.at) FROM erased x JOIN erasures e ON e.id = x.erasure WHERE x.what = 'call' AND x.id = OLD.id)`,
  },
  { table: 'calls', event: 'DELETE', says: 'a call is never deleted' },
  { table: 'losses', event: 'DELETE', says: 'a loss is never deleted' },
  {
    table: 'requests',
    event: 'UPDATE',
    says: 'a request is kept as it left, and emptied by an erasure alone',
    unless: `${same(REQUESTS_TABLE.fixed)}
  AND ${emptied('path', "'erased'")} AND ${emptied('body', 'NULL')}
  AND ${ofAttempt('OLD.attempt', '(SELECT a.call FROM attempts a WHERE a.id = OLD.attempt)')}`,
  },
  { table: 'requests', event: 'DELETE', says: 'a request is never deleted' },
  { table: 'prices', event: 'DELETE', says: 'a price that was seen is never deleted' },

  {
    table: 'rows',
    event: 'UPDATE',
    name: 'rows_final',
    says: 'a final outcome is never changed',
    unless: `${same('batch, row')} AND (OLD.outcome = 'in_doubt' OR (
    ${same('outcome, matched_by, answers, read_to')} AND NEW.input IS NULL AND NEW.reason ${REASON}
    AND ${covers('row', 'OLD.batch', 'OLD.row')}))`,
  },
  {
    table: 'rows',
    event: 'DELETE',
    name: 'rows_kept',
    says: 'a finished row is kept unless its answer was taken back',
    unless: `EXISTS (
    SELECT 1 FROM json_each(OLD.answers) j CROSS JOIN notes x ON x.of = j.value AND x.kind = 'retracted')`,
  },
  { table: 'payers', event: 'DELETE', says: 'which row paid is never forgotten' },

  {
    table: 'planned',
    event: 'UPDATE',
    says: 'a planned row is kept as it was planned, and emptied by an erasure alone',
    unless: `${same('batch, row')} AND json_extract(NEW.planned, '$.outcome.reason') ${REASON}
  AND json_extract(NEW.planned, '$.kind') = 'end' AND ${covers('row', 'OLD.batch', 'OLD.row')}`,
  },
  { table: 'planned', event: 'DELETE', says: 'a planned row is never deleted' },
  {
    table: 'subjects',
    event: 'UPDATE',
    name: 'subjects_unchanged',
    of: SUBJECTS_TABLE.fixed.join(', '),
    says: 'a subject is kept as it was named, and its name emptied by an erasure alone',
    unless: `${same('id, account, project')} AND NEW.name = 'erased:' || OLD.id AND ${covers('subject', 'OLD.id')}`,
  },
  { table: 'subjects', event: 'DELETE', says: 'a subject is never deleted' },
  {
    table: 'changes',
    event: 'UPDATE',
    says: 'what a change left is kept as it was written, and emptied by an erasure alone',
    unless: `${same('attempt, subject, sequence, state, role, project_id')}
  AND ${['email', 'invite_code', 'user_id'].map((column) => emptied(column, 'NULL')).join(' AND ')}
  AND ${covers('subject', 'OLD.subject')}`,
  },
  { table: 'changes', event: 'DELETE', says: 'what a change left is never deleted' },

  // Once its files are gone, their names go, too.
  {
    table: 'erasures',
    event: 'UPDATE',
    name: 'erasures_kept',
    says: 'an erasure is kept as it was ordered, and only ever comes to its end',
    unless: `${same('id, kind, at, key_check')} AND NEW.scrubbed >= OLD.scrubbed
  AND (${same('files, sum')} OR (NEW.files = '[]' AND NEW.scrubbed = 1))`,
  },
  { table: 'erasures', event: 'DELETE', says: 'an erasure is never deleted' },
  { table: 'erased', event: 'UPDATE', says: 'what an erasure covers does not change' },
  { table: 'erased', event: 'DELETE', says: 'what an erasure covers stays covered' },

  { table: 'agreements', event: 'UPDATE', says: 'what a person agreed to is kept as it was shown' },
  { table: 'agreements', event: 'DELETE', says: 'an agreement is never deleted' },
  { table: 'holds', event: 'UPDATE', says: 'a pause is kept as a person ordered it' },
  { table: 'holds', event: 'DELETE', says: 'a pause is never deleted' },
  { table: 'copies', event: 'UPDATE', says: 'where a ledger was copied to does not change' },
  { table: 'copies', event: 'DELETE', says: 'a ledger that was copied spends no more' },
  {
    table: 'acts',
    event: 'UPDATE',
    says: 'who did what is kept as it was noted, and a name replaced by an erasure alone',
    unless: `${same(ACTS_TABLE.fixed)} AND EXISTS (SELECT 1 FROM erasures WHERE scrubbed = 0 AND kind = 'person')`,
  },
  { table: 'acts', event: 'DELETE', says: 'who did what is never deleted' },
  {
    table: 'notices',
    event: 'UPDATE',
    says: 'a notice is kept as it was told, and is received once',
    unless: `${same(NOTICES_TABLE.fixed)} AND ${same('sum')} AND OLD.sent_at IS NULL`,
  },
  { table: 'notices', event: 'DELETE', says: 'a notice is never deleted' },
];

/** What is not known to be allowed is refused: a condition that comes to NULL lets nothing through. */
export const GUARDS_OF_CHANGE = KEPT.map(
  ({ table, event, of, says, unless, name = `${table}_no_${event.toLowerCase()}` }) => `
CREATE TRIGGER ${name} BEFORE ${event}${of === undefined ? '' : ` OF ${of}`} ON ${table}
${unless === undefined ? '' : `WHEN (${unless}) IS NOT TRUE `}BEGIN
  SELECT RAISE(ABORT, 'money rule: ${says}');
END;
`,
).join('');
