import { CHARGED_ONCE, type End } from './call-records.ts';
import { type Db, each, eachOf, eachWhole, eachWriting, type FilledRow, type Sql } from './db.ts';
import { ROWS_KNOWN, TAKEN_BACK } from './moves.ts';
import { HOLDING, isCurrent } from './schema.ts';

/** How attempts end, and what that books: money moves by what a statement moved, whose number is in `moved`. */

const END_COLUMNS = {
  /** Its number: its worker's and its own, given before it is written. So a group that is written again is the same group. */
  attempt: 'int',
  /** `answered`, `doubt`: it may have been charged, or `uncharged`: it cost nothing. */
  state: 'text',
  /** Of an answer `found`, `no_match` or `refused`; of what is uncharged `not_sent`, `paused` or `stopped`. */
  said: 'text',
  charged: 'int',
  is_at_most: 'int',
  why: 'text',
  dialect: 'int',
  at: 'int',
  /** What the answer says that such calls cost. */
  price: 'int',
  /** How a change left its subject, JSON; null: as before. */
  facts: 'text',
  moved: 'int',
} as const;

/** An end, as it is written. Late answers end doubts as well. */
export type EndRow = Omit<
  FilledRow<typeof END_COLUMNS, 'said' | 'charged' | 'dialect' | 'price' | 'facts'>,
  'moved'
>;

export function endRow(attempt: number, end: End, atMs: number): EndRow {
  const { kind, why } = end;
  const row = { attempt, why, at: Math.floor(atMs), charged: null, is_at_most: 0, dialect: null };
  if (kind === 'in_doubt') return { ...row, state: 'doubt', said: null, price: null, facts: null };
  if (kind !== 'answered') return { ...row, state: 'uncharged', said: kind, price: null, facts: null };
  const { answer: said, charged, isAtMost, dialect = null, showsPrice, left = null } = end;
  const answer = { said, charged, is_at_most: isAtMost && charged > 0 ? 1 : 0, dialect };
  const price = showsPrice ? charged : null;
  return { ...row, state: 'answered', ...answer, price, facts: left && JSON.stringify(left) };
}

/** Sets a state, and whether the attempt is then the current one of its key. */
const movesTo = (state: string): string =>
  `state = ${state}, is_current = CASE WHEN (${state}) IN ('open', 'answered', 'doubt') THEN 1 ELSE 0 END`;

/** What stands of its key is another attempt, so this answer came too late to stand. */
const HAS_SUCCESSOR = `EXISTS (SELECT 1 FROM attempts o WHERE o.key = attempts.key AND o.id <> attempts.id AND ${isCurrent('o')})`;

/** What it was to replace was answered, or is an answer: the doubt stays beside that. */
const IS_BESIDE = `EXISTS (SELECT 1 FROM attempts p WHERE p.id = attempts.prior AND p.state = 'replaced')`;

/** A vendor charges once under one key: an answer that came before is what was paid, and of those of a group the first. */
const IS_PAID = `(v.place > 1 OR EXISTS (SELECT 1 FROM attempts f
  WHERE (f.id = coalesce(attempts.payer, attempts.id) OR f.payer = coalesce(attempts.payer, attempts.id)) AND f.id <> attempts.id AND f.charged > 0))`;

const endSql = (moves: string, charged: string): string => `
UPDATE attempts SET ${moves}, said = v.said, charged = ${charged}, is_at_most = v.is_at_most, why = v.why, dialect = v.dialect,
  ended_at = v.at, reply = CASE WHEN v.state = 'answered' THEN v.attempt END,
  moved = CASE WHEN v.state = 'doubt' THEN attempts.moved ELSE v.moved END FROM v WHERE attempts.id = v.attempt`;

/** Those that are ended, each with its place among what the group charges under one key of the vendor. */
const ENDING_ATTEMPTS = `(SELECT v.*, row_number() OVER (PARTITION BY coalesce(p.payer, p.id), v.charged > 0 ORDER BY v.attempt) AS place
  FROM v JOIN attempts p ON p.id = v.attempt
  WHERE p.state = 'open' OR (v.state = 'answered' AND p.state IN ('doubt', 'retried', 'doubt_beside'))) e`;

/** Which of them this group ended: what it made a doubt has no number of it. */
const ENDED = `SELECT c.id FROM v JOIN attempts c ON c.id = v.attempt WHERE c.moved = v.moved OR (v.state = 'doubt' AND c.state <> 'open' AND c.ended_at = v.at)`;

/**
 * Of a first attempt that this process has under way, and that stays the current one of its key: the index of keys is not written. What
 * others have ended meanwhile is looked at again by who waits for it.
 */
export const END_FIRST = eachWriting(END_COLUMNS, 'attempt')(
  `${endSql('state = v.state', 'v.charged')} AND attempts.state = 'open'`,
  ENDED,
);

const ENDS_AS = `CASE WHEN v.state = 'answered' AND ${HAS_SUCCESSOR} THEN 'replaced' WHEN v.state = 'doubt' AND ${IS_BESIDE} THEN 'doubt_beside' ELSE v.state END`;

const CHARGED = `CASE WHEN v.charged > 0 AND ${IS_PAID} THEN 0 ELSE v.charged END`;

/** Of all at once in both databases, as are the statements around it: two of a group may be of one call. */
const END_ANY = {
  ...eachWriting(END_COLUMNS, 'attempt')(
    endSql(movesTo(ENDS_AS), CHARGED)
      .replaceAll('v.', 'e.')
      .replace('FROM v WHERE', `FROM ${ENDING_ATTEMPTS} WHERE`),
    ENDED,
  ),
  whole: true,
} as const;

/** The doubt of a retry gives way to the late answer of what it retried, and stays held beside that. */
const RETRY_GIVES_WAY = eachWhole(END_COLUMNS)(`
UPDATE attempts SET state = 'doubt_beside', is_current = 0 FROM v JOIN attempts late ON late.id = v.attempt
WHERE v.state = 'answered' AND late.state = 'retried' AND attempts.prior = late.id AND attempts.kind IN ('retry', 'repeat') AND attempts.state = 'doubt'`);

/** The answer that a lost refresh was to replace gives way to the late answer of the refresh. */
const ANSWER_GIVES_WAY = eachWhole(END_COLUMNS)(`
UPDATE attempts SET state = 'replaced', is_current = 0 FROM v JOIN attempts late ON late.id = v.attempt
WHERE v.state = 'answered' AND late.state = 'doubt_beside' AND late.prior = attempts.id AND attempts.state = 'answered'`);

/** What stood before a request that brought nothing stands again, unless something else does; of what is taken back an older answer. */
const COMES_BACK = eachWhole({ attempt: 'int' })(`
UPDATE attempts SET state = CASE attempts.state WHEN 'replaced' THEN 'answered' ELSE 'doubt' END, is_current = 1 FROM v JOIN attempts c ON c.id = v.attempt
WHERE attempts.id = c.prior AND (c.state IN ('uncharged', 'doubt_beside', 'released') AND attempts.state = 'retried'
    OR c.state IN ('uncharged', 'doubt_beside', 'released', 'retracted') AND attempts.state = 'replaced')
  AND NOT EXISTS (SELECT 1 FROM attempts o WHERE o.key = attempts.key AND ${isCurrent('o')})`);

/** What was lost under the same key of the vendor cost nothing of its own. */
const IS_FREED = eachWhole({ attempt: 'int', moved: 'int', at: 'int' })(`
UPDATE attempts SET state = 'released', is_current = 0, moved = v.moved, ended_at = v.at,
  why = CASE c.state WHEN 'released' THEN c.why ELSE '${CHARGED_ONCE}' END FROM v JOIN attempts c ON c.id = v.attempt
WHERE c.moved = v.moved AND (c.charged IS NOT NULL OR c.state = 'released') AND c.payer IS NOT NULL AND attempts.state = 'retried'
  AND (attempts.id = c.payer OR attempts.payer = c.payer)`);

const SCOPE = `CASE k.n WHEN 1 THEN 'batch:' || p.batch WHEN 2 THEN 'day:' || p.account || ':' || p.day
  WHEN 3 THEN 'month:' || p.account || ':' || p.month WHEN 4 THEN CASE p.kind WHEN 'retry' THEN 'extra:' || p.batch END END`;
const FOUR = '(SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) k';

/** What attempts have spent, and what they hold no more, by the scopes of their payers. */
export const perScope = (attempts: string, spent: string, held: string): string => `
SELECT ${SCOPE} AS scope, sum(p.spent) AS spent, sum(p.held) AS held FROM (
  SELECT p.batch, p.account, p.day, p.month, p.kind, sum(${spent}) AS spent, sum(${held}) AS held
  FROM ${attempts} JOIN attempts p ON p.id = coalesce(c.payer, c.id) GROUP BY 1, 2, 3, 4, 5) p CROSS JOIN ${FOUR} GROUP BY 1`;

/** What ended is booked in any case: above a cap it is an overrun. */
const bookSql = (attempts: string, spent = 'coalesce(c.charged, 0)', held = 'c.reserved'): string => `
UPDATE budgets SET spent = budgets.spent + d.spent, held = budgets.held - d.held,
  overrun = CASE WHEN budgets.spent + d.spent + budgets.held - d.held > budgets.cap + budgets.overrun
    THEN budgets.spent + d.spent + budgets.held - d.held - budgets.cap ELSE budgets.overrun END
FROM (${perScope(attempts, spent, held)}) d WHERE budgets.scope = d.scope`;

export const MOVED_COLUMNS = { attempt: 'int', moved: 'int' } as const;

export const BOOK_END = eachWhole(MOVED_COLUMNS)(
  bookSql('v JOIN attempts c ON c.id = v.attempt AND c.moved = v.moved'),
);

export const BOOK_FREED = eachWhole(MOVED_COLUMNS)(
  bookSql(`(SELECT DISTINCT c.id, c.payer, c.charged, c.reserved FROM v
    JOIN attempts x ON x.id = v.attempt AND x.payer IS NOT NULL AND x.moved = v.moved
    JOIN attempts c ON (c.id = x.payer OR c.payer = x.payer) AND c.state = 'released' AND c.moved = v.moved) c`),
);

export const SETTLED = eachWhole(END_COLUMNS)(`
UPDATE subjects SET seq = subjects.seq + 1, facts = coalesce(v.facts, subjects.facts),
  batch = CASE WHEN coalesce(v.facts, subjects.facts) IS DISTINCT FROM subjects.facts THEN c.batch ELSE subjects.batch END,
  changed_at = CASE WHEN coalesce(v.facts, subjects.facts) IS DISTINCT FROM subjects.facts THEN v.at ELSE subjects.changed_at END
FROM v JOIN attempts c ON c.id = v.attempt WHERE c.moved = v.moved AND c.charged IS NOT NULL AND subjects.id = c.subject AND subjects.seq = c.after`);

export const PRICE = each({ attempt: 'int', price: 'int', moved: 'int' })(`
INSERT INTO prices (account, operation, credits_max, highest)
SELECT c.account, c.operation, c.credits_max, max(v.price) FROM v JOIN attempts c ON c.id = v.attempt
WHERE v.price IS NOT NULL AND c.moved = v.moved GROUP BY 1, 2, 3
ON CONFLICT (account, operation, credits_max) DO UPDATE SET highest = excluded.highest WHERE prices.highest < excluded.highest`);

const GIVES_WAY = [RETRY_GIVES_WAY, ANSWER_GIVES_WAY];
const FOLLOWS = [IS_FREED, COMES_BACK];
const BOOKS = [BOOK_END, BOOK_FREED];

/** Of any attempt, in this order. */
export const ENDING = [...GIVES_WAY, END_ANY, ...FOLLOWS];

/** Ends one attempt within a transaction. @returns whether nobody had ended it before. */
export async function endAttempt(sql: Sql, end: EndRow, moved: number): Promise<boolean> {
  const records = [{ ...end, moved }];
  await eachOf(sql, GIVES_WAY, records);
  const ended = await sql.each(END_ANY, records);
  await eachOf(sql, [...FOLLOWS, ...BOOKS, SETTLED, PRICE, ...ROWS_KNOWN], records);
  return ended.length > 0;
}

const RELEASE = each({ attempt: 'int', why: 'text', at: 'int', moved: 'int' })<{ readonly id: number }>(`
UPDATE attempts SET state = 'released', is_current = 0, moved = v.moved, ended_at = v.at, why = v.why FROM v
WHERE attempts.id = v.attempt AND attempts.state IN ('doubt', 'doubt_beside') RETURNING attempts.id`);

/** Gives back what a doubt holds that was not charged. @returns whether it was one. */
export async function releaseAttempt(
  sql: Sql,
  release: { readonly attempt: number; readonly why: string; readonly at: number },
  moved: number,
): Promise<boolean> {
  const records = [{ ...release, moved }];
  const released = await sql.each(RELEASE, records);
  await eachOf(sql, [...FOLLOWS, ...BOOKS, ...ROWS_KNOWN], records);
  return released.length > 0;
}

const RETRACT = each({ attempt: 'int' })(
  `UPDATE attempts SET state = 'retracted', is_current = 0 FROM v WHERE attempts.id = v.attempt AND attempts.state IN ('answered', 'replaced')`,
);

/** What counted as answered was not: it was charged all the same, and nothing stands in the way of another request. */
export const retractAttempt = (sql: Sql, attempt: number) => sql.each(RETRACT, [{ attempt }]);

/**
 * Answers that spoke of the account, and not of what was asked: the rows that they ended wait.
 * @param free their calls are unknown again, or an older answer stands again, once no row is in doubt about them.
 */
export async function takeBack(sql: Sql, all: readonly number[], free: readonly number[]): Promise<void> {
  const record = (attempt: number) => ({ attempt });
  await sql.each(RETRACT, free.map(record));
  await eachOf(sql, [TAKEN_BACK, ...ROWS_KNOWN], all.map(record));
  await sql.each(COMES_BACK, free.map(record));
}

const READ_AGAIN = each({
  attempt: 'int',
  state: 'text',
  said: 'text',
  why: 'text',
  dialect: 'int',
  charged: 'int',
  is_at_most: 'int',
})(`
UPDATE attempts SET ${movesTo('v.state')}, said = v.said, why = v.why, dialect = v.dialect, charged = v.charged, is_at_most = v.is_at_most FROM v WHERE attempts.id = v.attempt`);

const BOOK_MORE = eachWhole({ attempt: 'int', more: 'int' })(
  bookSql('v JOIN attempts c ON c.id = v.attempt', 'v.more', '0'),
);

/** Writes over what an answer was read as, and books what it costs more than before. */
export async function readAgain(
  sql: Sql,
  read: Omit<EndRow, 'at' | 'price' | 'facts'>,
  more: number,
): Promise<void> {
  await sql.each(READ_AGAIN, [read]);
  if (more > 0) await sql.each(BOOK_MORE, [{ attempt: read.attempt, more }]);
}

/** An attempt may stand twice in a group: a sweep ends it while its answer comes. The answer holds, else what came first. */
export function onePerAttempt(ends: readonly EndRow[]): readonly EndRow[] {
  const only = new Map<number, EndRow>();
  for (const end of ends) {
    const had = only.get(end.attempt);
    if (had === undefined || (had.state !== 'answered' && end.state === 'answered'))
      only.set(end.attempt, end);
  }
  return [...only.values()];
}

// --------------------------------------------------------------------------------------------- the proof

export interface Difference {
  readonly scope: string;
  readonly booked: { readonly spent: number; readonly held: number };
  readonly added: { readonly spent: number; readonly held: number };
}

/** Adds every budget up anew from the attempts. @returns what differs, which is nothing. */
export async function check(db: Pick<Db, 'rows'>): Promise<readonly Difference[]> {
  const found = await db.rows<{ scope: string; spent: number; held: number; sum: number; holds: number }>(`
    WITH added AS (SELECT scope, sum(charged) AS sum, sum(holds) AS holds FROM (
        SELECT ${SCOPE} AS scope, coalesce(c.charged, 0) AS charged,
          CASE WHEN c.state IN (${HOLDING.map((state) => `'${state}'`).join(', ')}) THEN c.reserved ELSE 0 END AS holds
        FROM attempts c JOIN attempts p ON p.id = coalesce(c.payer, c.id) CROSS JOIN ${FOUR}) AS booked GROUP BY scope)
    SELECT n.scope, coalesce(b.spent, 0) AS spent, coalesce(b.held, 0) AS held, coalesce(d.sum, 0) AS sum, coalesce(d.holds, 0) AS holds
    FROM (SELECT scope FROM budgets UNION SELECT scope FROM added WHERE scope IS NOT NULL) n
    LEFT JOIN budgets b ON b.scope = n.scope LEFT JOIN added d ON d.scope = n.scope
    WHERE coalesce(b.spent, 0) <> coalesce(d.sum, 0) OR coalesce(b.held, 0) <> coalesce(d.holds, 0)`);
  return found.map(({ scope, spent, held, sum, holds }) => ({
    scope,
    booked: { spent, held },
    added: { spent: sum, held: holds },
  }));
}
