import type { StopError } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import type { KnownSubject, SentTimes } from './call-records.ts';
import {
  type Context,
  changeFacts,
  dayOf,
  ensureAccount,
  monthOf,
  NO_MOST,
  oneRow,
  recordFrom,
  type StoredRow,
  type WriteContext,
  withoutNulls,
} from './context.ts';
import { type Cell, each, type Sql } from './db.ts';
import { budgetName, moneyOf, setCap } from './money.ts';
import { type LimitNow, limitAt, type PauseFacts } from './pauses.ts';
import {
  type AccountCaps,
  type AttemptId,
  type BatchId,
  type Credits,
  credits,
  type Money,
} from './records.ts';
import { isAnswered, isCurrent, isDoubted, isHolding, replyOf } from './schema.ts';
import { takeBack, usedIn } from './transitions.ts';

/** Accounts at a vendor. How an account answers is counted over its newest attempts, which an index finds. */

/** The marks by which an account of the accounts file is recognised. */
export interface AccountMarks {
  /** The id that the user states; absent where the user states none. */
  readonly id?: string;
  /** Vendor, origin, organisation and connected account, as canonical JSON. */
  readonly address: string;
  readonly name: string;
}

/** What the store knows of an account by its marks. */
export type Recognised =
  /** `isWhole`: by all of these marks. */
  | { readonly kind: 'known'; readonly identity: string; readonly isWhole: boolean }
  /** No account of its name has bought or changed anything, or has a call in doubt. */
  | { readonly kind: 'new' }
  /**
   * It has another address or another id than the account of its name that bought or changed something, or
   * has a call in doubt.
   */
  | ({ readonly kind: 'moved'; readonly identity: string; readonly address: string } & AtStake);

/** `answers`: those that were found or charged. */
export interface AtStake {
  readonly answers: number;
  readonly changes: number;
  readonly doubts: number;
}

export interface AccountState extends Omit<AccountFacts, 'limit'> {
  /** Whether it ever answered, and other than 404: one that never did may have a wrong address. */
  readonly hasAnswered: boolean;
  readonly hasAnsweredNot404: boolean;
  /** How much longer the vendor asked us to wait, by the clock of the database. */
  readonly pausedForMs?: number;
  readonly limit?: LimitNow;
  /** The newest time that both this machine's clock and the account's vendor have reached, ms since 1970. */
  readonly agreedMs?: number;
}

/** What is known of an account. It is kept as JSON in `accounts.facts`. */
export interface AccountFacts extends PauseFacts {
  /**
   * Why no one may ask with it any more, until a person begins anew: the key, the credits, or an address that
   * gives 404 alone.
   */
  readonly ended?: Pick<StopError, 'code' | 'message' | 'next'>;
  readonly usage?: UsageMark;
  /** The path of its base URL at the newest start, kept until it answers anything but 404. */
  readonly only404At?: string;
}

/**
 * The vendor's own count of credits, and ours of all that the account ever spent. Both are read when no
 * attempt of ours is open or in doubt. If one has grown more than the other later, calls in doubt cost the
 * difference.
 */
export interface UsageMark {
  readonly counted: number;
  readonly spent: Credits;
  readonly atMs: number;
}

// ------------------------------------------------------------------------------------ how an account answers

/** However long ago. */
const EVER_ANSWERED = `SELECT 1 FROM attempts att JOIN replies rep ON ${replyOf('rep', 'att')}
  WHERE att.account = ? AND ${isAnswered('att')}`;

const HAS_ANSWERED = `SELECT EXISTS (${EVER_ANSWERED}) AS "any",
  EXISTS (${EVER_ANSWERED} AND rep.status <> 404) AS "other"`;

interface AccountRow {
  readonly id: number;
  readonly cap_day: number | null;
  readonly cap_month: number | null;
  /** The rest of the pause that the vendor asked for. */
  readonly paused_for: number | null;
  readonly now: number;
  readonly agreed_time: number | null;
  readonly facts: string;
}

/** A pause of more than a day comes from a clock that was changed. */
const KEPT_ACCOUNT = `
SELECT *,
  CASE WHEN paused_until > {now} AND paused_until <= {now} + 86400000
    THEN paused_until - {now} END AS paused_for, {now} AS now
FROM accounts WHERE identity = ?`;

async function keptAccount(sql: Sql, identity: string): Promise<AccountRow | undefined> {
  return (await sql.rows<AccountRow>(KEPT_ACCOUNT, [identity]))[0];
}

// --------------------------------------------------------------------------------------- which account it is

/**
 * An attempt that shows that the account is at its address: nothing is ever at stake without one. A vendor
 * that refuses everything for free shows nothing.
 */
const IS_USE = `(att.said IN ('found', 'no_match') OR att.charged > 0 OR ${isHolding('att')})`;

const MARKED = `
SELECT known.kind, acc.identity, (SELECT count(*) FROM known_as known_id
  WHERE known_id.account = acc.id AND known_id.kind = 'id') AS ids,
  (SELECT count(*) FROM (SELECT 1 AS used FROM attempts att
    WHERE att.account = acc.id AND ${IS_USE} LIMIT 1) seen) AS used
FROM known_as known JOIN accounts acc ON acc.id = known.account
WHERE (known.kind = 'id' AND known.value = ?) OR (known.kind = 'address' AND known.value = ?)
  OR (known.kind = 'name' AND known.value = ?)`;

/** Accounts that had a name, the newest first. */
const NAMED = `
SELECT acc.id, acc.identity,
  (SELECT max(known_address.value) FROM known_as known_address
    WHERE known_address.account = acc.id AND known_address.kind = 'address') AS address
FROM known_as known JOIN accounts acc ON acc.id = known.account
  WHERE known.kind = 'name' AND known.value = ? ORDER BY acc.id DESC`;

const AT_STAKE = `
SELECT count(CASE WHEN subject IS NULL AND (said = 'found' OR charged > 0) THEN 1 END) AS answers,
  count(CASE WHEN subject IS NOT NULL AND said = 'found' THEN 1 END) AS changes,
  count(CASE WHEN state = 'open' OR ${isDoubted('attempts')} THEN 1 END) AS doubts
FROM attempts WHERE account = ?`;

async function recognised(sql: Pick<Sql, 'rows'>, marks: AccountMarks): Promise<Recognised> {
  const { id, address, name } = marks;
  type Marked = {
    readonly kind: string;
    readonly identity: string;
    readonly ids: number;
    readonly used: number;
  };
  const marked = await sql.rows<Marked>(MARKED, [id ?? '', address, name]);
  // Where the accounts at an address have ids, the address alone does not say which of them is meant.
  const isSame = ({ kind, ids }: Marked): boolean => kind === 'address' && (id === undefined || ids === 0);
  const known = marked.find(({ kind }) => kind === 'id') ?? marked.find(isSame);
  const ownMarks = marked.filter(({ identity }) => identity === known?.identity);
  const isWhole = ownMarks.length === (id === undefined ? 2 : 3);
  if (known?.used === 1) return { kind: 'known', identity: known.identity, isWhole };
  // A run that was killed before its first request leaves an address behind. The vendor may have moved since.
  type Named = { readonly id: number; readonly identity: string; readonly address: string | null };
  for (const { id: number, identity, address: was } of await sql.rows<Named>(NAMED, [name])) {
    const stake = await oneRow<AtStake>(sql, AT_STAKE, [number]);
    if (stake.answers + stake.changes + stake.doubts > 0)
      return { kind: 'moved', identity, address: was ?? identity, ...stake };
  }
  return known === undefined ? { kind: 'new' } : { kind: 'known', identity: known.identity, isWhole };
}

// ------------------------------------------------------------------------------------------ reading

const EVER = `
SELECT coalesce(sum(spent), 0) AS spent, coalesce(sum(held), 0) AS held,
  (SELECT coalesce(sum(reserved), 0) FROM attempts WHERE ${isDoubted('attempts')} AND account = ?) AS doubted
FROM budgets WHERE kind = 'month' AND batch = '' AND account = ?`;

async function everOf(sql: Sql, account: number): Promise<Money> {
  const sums = await oneRow<Record<'spent' | 'held' | 'doubted', number>>(sql, EVER, [account, account]);
  const [reserved, inDoubt] = [credits(sums.held - sums.doubted), credits(sums.doubted)];
  return { spent: credits(sums.spent), reserved, inDoubt };
}

const SENDS = `
SELECT sent_at AS "atMs", CASE WHEN charged IS NOT NULL THEN ended_at END AS "answeredAtMs" FROM attempts
WHERE account = ? AND sent_at >= ? AND said IS DISTINCT FROM 'not_sent'
ORDER BY sent_at DESC, id DESC LIMIT CAST(? AS {int})`;

/** Rows about an account; none where the ledger does not know it. */
export async function rowsAbout<Row>(
  { db, account }: Pick<Context, 'db' | 'account'>,
  identity: string,
  sql: string,
  params: readonly Cell[] = [],
): Promise<readonly Row[]> {
  const number = await account(identity);
  return number === undefined ? [] : db.rows<Row>(sql, [number, ...params]);
}

export const readAccounts = (context: Context) => ({
  recognise: (marks: AccountMarks): Promise<Recognised> => recognised(context.db, marks),

  async account(identity: string): Promise<AccountState> {
    const accountRow = await keptAccount(context.db, identity);
    if (accountRow === undefined) return { hasAnswered: false, hasAnsweredNot404: false };
    type Answers = Record<'any' | 'other', boolean | 0 | 1>;
    const { any, other } = await oneRow<Answers>(context.db, HAS_ANSWERED, [accountRow.id, accountRow.id]);
    const answered = { hasAnswered: Boolean(any), hasAnsweredNot404: Boolean(other) };
    const { paused_for: pausedForMs, agreed_time: agreedMs, now, facts } = accountRow;
    const { limit: ofFacts, ...others }: AccountFacts = JSON.parse(facts);
    const limit = limitAt(ofFacts, now);
    return { ...answered, ...withoutNulls({ pausedForMs, agreedMs }), ...others, ...present({ limit }) };
  },

  /** Those answers whose calls are unknown again once they are taken back. */
  async freeAnswers(identity: string, answers: readonly AttemptId[]): Promise<readonly AttemptId[]> {
    const accountRow = await keptAccount(context.db, identity);
    return accountRow === undefined ? [] : freeAmong(context.db, accountRow, answers);
  },

  /** The batches with rows that ended by these answers. */
  batchesUsing: async (answers: readonly AttemptId[]): Promise<readonly BatchId[]> =>
    (
      await context.db.each(
        usedIn,
        answers.map((attempt) => ({ attempt })),
      )
    ).map(({ batch }) => batch),

  /** Money of the account's batches in a day, a month or (`ever`) in all; `ever` has no cap. */
  async accountMoney(identity: string, scope: 'day' | 'month' | 'ever', atMs: number): Promise<Money> {
    const { id = 0, cap_day, cap_month } = (await keptAccount(context.db, identity)) ?? {};
    if (scope === 'ever') return everOf(context.db, id);
    const [cap, period] = scope === 'day' ? [cap_day, dayOf(atMs)] : [cap_month, monthOf(atMs)];
    const money = await moneyOf(context.db, budgetName(scope, { account: id, period }));
    return typeof cap === 'number' ? { ...money, cap: credits(cap) } : money;
  },

  /**
   * The highest price that an answer of the account has shown for the operation, kept apart for each
   * `creditsMost`.
   */
  async price(
    identity: string,
    { operation, creditsMost = NO_MOST }: Pick<Call, 'operation' | 'creditsMost'>,
  ): Promise<Credits | undefined> {
    const sql = 'SELECT highest FROM prices WHERE account = ? AND operation = ? AND credits_max = ?';
    const [price] = await rowsAbout<{ highest: number }>(context, identity, sql, [operation, creditsMost]);
    return price && credits(price.highest);
  },

  /** The account's sends since `sinceMs`, oldest first, at most `limit`: the newest ones. */
  async sends(identity: string, sinceMs: number, limit: number): Promise<readonly SentTimes[]> {
    const since = [Math.ceil(sinceMs), limit];
    const sends = await rowsAbout<StoredRow<SentTimes>>(context, identity, SENDS, since);
    return sends.map((sent) => recordFrom<SentTimes>(sent)).reverse();
  },

  /**
   * Every person and thing that the account's changes altered or tried to, those in doubt among
   * them.
   */
  subjects: async (identity: string): Promise<readonly KnownSubject[]> =>
    (await rowsAbout<KeptSubject>(context, identity, SUBJECTS)).map(subjectFrom),
});

// ------------------------------------------------------------------------------------------ writing

type Facts = { readonly [Name in keyof AccountFacts]: AccountFacts[Name] | undefined };

const KEEP_MARK = [
  `UPDATE known_as SET account = ? WHERE kind = ? AND value = ? AND kind <> 'name'
    AND NOT EXISTS (SELECT 1 FROM attempts att WHERE att.account = known_as.account AND ${IS_USE})`,
  'INSERT INTO known_as (account, kind, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
];

export const writeAccounts = (context: WriteContext) => ({
  /**
   * Keeps that the account is known by these marks. A mark of another account stays with that account, unless
   * that account has never asked anything.
   */
  keepMarks: (identity: string, { id, address, name }: AccountMarks): Promise<void> =>
    context.transaction(async (sql) => {
      const account = await ensureAccount(sql, identity);
      for (const [kind, value] of Object.entries({ id, address, name }))
        if (value !== undefined) for (const text of KEEP_MARK) await sql.rows(text, [account, kind, value]);
    }),

  setAccountCaps: (identity: string, caps: AccountCaps): Promise<void> =>
    context.transaction(async (sql) => {
      const { perDay = null, perMonth = null } = caps;
      const id = await ensureAccount(sql, identity);
      await sql.rows('UPDATE accounts SET cap_day = ?, cap_month = ? WHERE id = ?', [perDay, perMonth, id]);
      await setCap(sql, budgetName('day', { account: id }), perDay);
      await setCap(sql, budgetName('month', { account: id }), perMonth);
    }),

  /** A fact that is undefined is not valid any more. */
  changeAccount: (identity: string, facts: Facts): Promise<void> =>
    context.transaction(async (sql) =>
      changeFacts(sql, 'accounts', await ensureAccount(sql, identity), () => facts),
    ),

  /**
   * Keeps a time that this machine's clock and the account's vendor have both reached; one that is earlier
   * than the kept one changes nothing.
   */
  keepAgreedTime: (identity: string, atMs: number): Promise<void> =>
    context.transaction(async (sql) => {
      const later = `UPDATE accounts SET agreed_time = {most}(coalesce(agreed_time, 0), CAST(? AS {int}))
        WHERE id = ?`;
      await sql.rows(later, [Math.floor(atMs), await ensureAccount(sql, identity)]);
    }),

  /**
   * Takes answers back, so that their rows wait. Calls that were refused or not matched for nothing are
   * unknown again; what was charged or changed something stays.
   * @param keeps whether all answers stay, because a mended dialect reads them otherwise.
   * @returns how many calls are unknown again.
   */
  takeBack: (identity: string, answers: readonly AttemptId[], keeps = false): Promise<number> =>
    context.transaction(async (sql) => {
      const accountRow = await keptAccount(sql, identity);
      if (accountRow === undefined) return 0;
      const free = keeps ? [] : await freeAmong(sql, accountRow, answers);
      await takeBack(sql, answers, free);
      return free.length;
    }),
});

const FREE = each({ id: 'int', account: 'int' })<{ id: AttemptId }>(`
SELECT att.id FROM v JOIN attempts att ON att.id = v.id
WHERE att.account = v.account AND ${isAnswered('att')}
  AND att.said IN ('no_match', 'refused') AND att.charged = 0 AND att.subject IS NULL`);

/** Those answers of an account whose calls are unknown again once they are taken back. */
async function freeAmong(
  db: Pick<Sql, 'each'>,
  { id: account }: Pick<AccountRow, 'id'>,
  answers: readonly AttemptId[],
): Promise<readonly AttemptId[]> {
  return (
    await db.each(
      FREE,
      answers.map((id) => ({ id, account })),
    )
  ).map(({ id }) => id);
}

// ---------------------------------------------------------------------- people and things that changes alter

/** A request that is being sent again is in doubt all the same. Forgotten people are unknown now. */
interface KeptSubject {
  readonly project: string;
  readonly name: string;
  readonly sequence: number;
  readonly facts: string | null;
  readonly batch: BatchId | null;
  readonly changedAtMs: number | null;
  readonly doubted_by: BatchId | null;
  readonly row: number;
  readonly operation: string;
  readonly is_open: 0 | 1;
}

const SUBJECTS = `
SELECT sub.project, sub.name, sub.seq AS sequence, sub.facts, sub.batch,
  sub.changed_at AS "changedAtMs", att_doubted.batch AS doubted_by, att_doubted.row, att_doubted.operation,
  CASE WHEN att_doubted.state = 'open' THEN 1 ELSE 0 END AS is_open
FROM subjects sub
  LEFT JOIN attempts att ON att.subject = sub.id AND att.subject IS NOT NULL AND ${isCurrent('att')}
    AND att.state <> 'answered'
  LEFT JOIN attempts att_retried ON att_retried.id = att.prior AND att_retried.state = 'retried'
  LEFT JOIN attempts att_doubted ON att_doubted.id = coalesce(att_retried.id, att.id)
WHERE sub.account = ? AND sub.name NOT LIKE 'erased:%' AND (sub.seq > 0 OR att.id IS NOT NULL)
  ORDER BY sub.id`;

function subjectFrom({ project, name, sequence, batch, changedAtMs, ...others }: KeptSubject): KnownSubject {
  const { doubted_by, row, operation, is_open } = others;
  const facts: SubjectFacts | null = others.facts === null ? null : JSON.parse(others.facts);
  return {
    subject: project === '' ? { name } : { project, name },
    sequence,
    ...withoutNulls({ facts, batch, changedAtMs }),
    ...(doubted_by === null
      ? {}
      : { doubt: { batch: doubted_by, row, operation, ...(is_open === 1 ? { isOpen: true } : {}) } }),
  };
}
