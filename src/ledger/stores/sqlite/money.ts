import { setImmediate } from 'node:timers/promises';
import {
  type Activity,
  type Admission,
  type BudgetScope,
  credits,
  type Intent,
  type Money,
} from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { batchNumber } from './tables.ts';

/** Reads what each scope of money holds. The triggers keep the totals (`schema/`). */
interface Caps {
  readonly account: number;
  readonly batch: number | null;
  readonly extra: number | null;
  readonly day: number | null;
  readonly month: number | null;
}

interface Totals {
  readonly spent: number;
  readonly reserved: number;
  readonly in_doubt: number;
}

export function batchMoney(connection: Connection, batch: number, scope: 'batch' | 'extra'): Money {
  return moneyOf(connection, `${scope}:${batch}`, capsOf(connection, batch)[scope]);
}

export function accountMoney(
  connection: Connection,
  identity: string,
  scope: 'day' | 'month' | 'ever',
  atMs: number,
): Money {
  const sql = 'SELECT id, per_day AS day, per_month AS month FROM accounts WHERE identity = ?';
  const account = connection.get<{ id: number; day: number | null; month: number | null }>(sql, identity);
  if (scope === 'ever') return moneyEver(connection, account?.id ?? 0);
  return moneyOf(connection, periodScope(scope, account?.id ?? 0, atMs), account?.[scope] ?? null);
}

/** Sums all months of an account; `;` is the character after `:`. */
function moneyEver(connection: Connection, account: number): Money {
  const sums = connection.get<Totals>(
    `SELECT coalesce(sum(spent), 0) AS spent, coalesce(sum(reserved), 0) AS reserved,
            coalesce(sum(in_doubt), 0) AS in_doubt
       FROM money WHERE scope >= ? AND scope < ?`,
    `month:${account}:`,
    `month:${account};`,
  );
  return moneyFrom(sums ?? NOTHING, null);
}

/** Moves the totals by what the transaction has written. The database commits nothing before that, nor above a cap. */
export function book(connection: Connection): void {
  // A reply moves nothing, and is still written where damage keeps the totals from being read.
  if (connection.get('SELECT 1 FROM unbooked LIMIT 1') === undefined) return;
  connection.run('DELETE FROM unbooked');
  connection.forget();
}

/** Checks the same sum as the database's own guard, so that a reached budget is an answer and not an exception. */
export function overBudget(connection: Connection, intent: Intent): Admission | undefined {
  const batch = batchNumber(intent.batch);
  const caps = capsOf(connection, batch);
  const retried = isRetry(connection, intent);
  const capped = SCOPES.filter((scope) => scope !== 'extra' || retried).flatMap((scope) => {
    const cap = caps[scope];
    return cap === null ? [] : [{ scope, cap }];
  });
  // Where there is no cap, nothing has to be added up.
  if (capped.length === 0) return undefined;
  const unbooked = connection.all<Unbooked>(UNBOOKED);
  for (const { scope, cap } of capped) {
    // Where it is not certain which of two days it is, what was spent on either counts.
    const names = new Set(
      [intent.atMs, intent.leastMs ?? intent.atMs].map((atMs) => nameOf(scope, batch, caps.account, atMs)),
    );
    const totals = [...names].flatMap((name) => [
      connection.once(name, () => totalsOf(connection, name)),
      ...unbooked.filter((each) => isIn(each, scope, name)),
    ]);
    const money = moneyFrom(totals.reduce(sum, NOTHING), cap);
    if (money.spent + money.reserved + money.inDoubt + intent.reserve > cap)
      return { kind: 'over_budget', scope, money };
  }
  return undefined;
}

const SCOPES: readonly BudgetScope[] = ['batch', 'day', 'month', 'extra'];

function nameOf(scope: BudgetScope, batch: number, account: number, atMs: number): string {
  return scope === 'day' || scope === 'month' ? periodScope(scope, account, atMs) : `${scope}:${batch}`;
}

/** What the present transaction has moved and not booked yet. */
interface Unbooked extends Totals {
  readonly batch: number;
  readonly account: number;
  /** Days since 1970. */
  readonly day: number;
  readonly retried: number;
}

const UNBOOKED = `SELECT u.batch, b.account, u.day, u.retried, u.spent, u.reserved, u.in_doubt
  FROM unbooked u CROSS JOIN batches b ON b.id = u.batch`;

const DAY_MS = 86_400_000;

function isIn({ batch, account, day, retried }: Unbooked, scope: BudgetScope, name: string): boolean {
  return nameOf(scope, batch, account, day * DAY_MS) === name && (scope !== 'extra' || retried === 1);
}

const sum = (a: Totals, b: Totals): Totals => ({
  spent: a.spent + b.spent,
  reserved: a.reserved + b.reserved,
  in_doubt: a.in_doubt + b.in_doubt,
});

function isRetry(connection: Connection, { decision }: Intent): boolean {
  if (decision === undefined) return false;
  const row = connection.get<{ kind: string }>('SELECT kind FROM decisions WHERE id = ?', decision);
  return row?.kind === 'retry';
}

function capsOf(connection: Connection, batch: number): Caps {
  const caps = connection.once(`caps ${batch}`, () =>
    connection.get<Caps>(
      `SELECT b.account, b.budget AS batch, b.extra_credits AS extra, p.per_day AS day, p.per_month AS month
         FROM batches b JOIN accounts p ON p.id = b.account WHERE b.id = +?`,
      batch,
    ),
  );
  return caps ?? { account: 0, batch: null, extra: null, day: null, month: null };
}

const moneyOf = (connection: Connection, scope: string, cap: number | null): Money =>
  moneyFrom(totalsOf(connection, scope), cap);

function totalsOf(connection: Connection, scope: string): Totals {
  const sql = 'SELECT spent, reserved, in_doubt FROM money WHERE scope = ?';
  return connection.get<Totals>(sql, scope) ?? NOTHING;
}

const NOTHING: Totals = { spent: 0, reserved: 0, in_doubt: 0 };

function moneyFrom({ spent, reserved, in_doubt }: Totals, cap: number | null): Money {
  return {
    ...(cap === null ? {} : { cap: credits(cap) }),
    spent: credits(spent),
    reserved: credits(reserved),
    inDoubt: credits(in_doubt),
  };
}

/** The name of a period's scope, as in the view `attempt_scopes`: `day:1:2026-11-20`, `month:1:2026-11`; UTC. */
function periodScope(scope: 'day' | 'month', account: number, atMs: number): string {
  return `${scope}:${account}:${new Date(atMs).toISOString().slice(0, scope === 'day' ? 10 : 7)}`;
}

const SENT = `FROM attempts a CROSS JOIN closures k ON k.attempt = a.id
 WHERE a.batch = :batch AND a.row >= :from AND a.row < :before AND k.kind <> 'not_sent'`;

/** Rows whose attempts are looked at in one read: some milliseconds, which hold up nobody else of the process. */
const ROWS_AT_ONCE = 10_000;

interface Part {
  readonly batch: number;
  readonly from: number;
  readonly before: number;
}

type Read = <T>(work: () => T) => Promise<T>;

async function* partsOf(connection: Connection, batch: number, read: Read): AsyncGenerator<Part> {
  const sql = 'SELECT max(row) AS last FROM attempts WHERE batch = ?';
  const last = (await read(() => connection.get<{ last: number | null }>(sql, batch)))?.last ?? -1;
  for (let from = 0; from <= last; from += ROWS_AT_ONCE) {
    yield { batch, from, before: from + ROWS_AT_ONCE };
    await setImmediate();
  }
}

/**
 * What a batch sent over time, by the dates of its intents, and what it spent, by the dates of closures.
 * @param most how many buckets, at least 1.
 * @param unitMs the length of a bucket is a multiple of this.
 * @param read explains what may be wrong with the ledger.
 */
export async function activityOf(
  connection: Connection,
  { batch, most, unitMs = 1 }: { readonly batch: number; readonly most: number; readonly unitMs?: number },
  read: Read,
): Promise<Activity> {
  let [fromMs, untilMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const part of partsOf(connection, batch, read)) {
    const span = await read(() =>
      connection.get<{ first: number | null; last: number | null }>(
        `SELECT min(a.intent_at) AS first, max(max(a.intent_at, k.closed_at)) AS last ${SENT}`,
        { ...part },
      ),
    );
    fromMs = Math.min(fromMs, span?.first ?? fromMs);
    untilMs = Math.max(untilMs, span?.last ?? untilMs);
  }
  if (untilMs < fromMs) return { fromMs: 0, bucketMs: 1, buckets: [] };
  const bucketMs = Math.ceil((untilMs - fromMs + 1) / (most * unitMs)) * unitMs;
  const length = Math.ceil((untilMs - fromMs + 1) / bucketMs);
  const buckets = Array.from({ length }, () => ({ requests: 0, credits: 0 }));
  for await (const part of partsOf(connection, batch, read)) {
    const counted = await read(() => connection.all<Counted>(COUNTED, { ...part, fromMs, bucketMs }));
    for (const { sent, closed, requests, credits } of counted) {
      const [begun, ended] = [buckets[sent], buckets[closed]];
      if (begun !== undefined) begun.requests += requests;
      if (ended !== undefined) ended.credits += credits;
    }
  }
  return { fromMs, bucketMs, buckets };
}

interface Counted {
  readonly sent: number;
  readonly closed: number;
  readonly requests: number;
  readonly credits: number;
}

/** If the clock was set back, an attempt may have closed before the first one began. */
const COUNTED = `SELECT CAST((a.intent_at - :fromMs) / :bucketMs AS INTEGER) AS sent,
  max(0, CAST((k.closed_at - :fromMs) / :bucketMs AS INTEGER)) AS closed,
  count(*) AS requests, sum(k.charged) AS credits
  ${SENT} GROUP BY 1, 2`;
