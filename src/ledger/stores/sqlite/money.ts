import {
  type Admission,
  type BudgetScope,
  capReached,
  credits,
  type DecisionId,
  heldCredits,
  type Intent,
  type LedgerReader,
  type Money,
} from '../../ledger.ts';
import { AlteredRow, type Connection, type Reads } from './connection.ts';
import { sumOfText } from './table.ts';
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
  readonly held: number;
}

export const MONEY_READS = {
  batchMoney: (connection, batch, scope = 'batch') =>
    moneyOf(connection, `${scope}:${batchNumber(batch)}`, capsOf(connection, batchNumber(batch))[scope]),
  accountMoney(connection, identity, scope, atMs) {
    const sql = 'SELECT id, per_day AS day, per_month AS month FROM accounts WHERE identity = ?';
    const account = connection.get<{ id: number; day: number | null; month: number | null }>(sql, identity);
    const id = account?.id ?? 0;
    if (scope !== 'ever') return moneyOf(connection, periodScope(scope, id, atMs), account?.[scope] ?? null);
    return moneyFrom(connection.get<Totals>(EVER, `month:${id}:`, `month:${id};`) ?? NOTHING, null);
  },
  /** Whether of one answer at least nobody stated the price. */
  isSpentAtMost(connection, of) {
    const [where, value] =
      'batch' in of ? ['t.batch = ?', batchNumber(of.batch)] : ['p.identity = ?', of.account];
    const sql = `SELECT 1 FROM tallies t JOIN batches b ON b.id = t.batch JOIN accounts p ON p.id = b.account
      WHERE t.name = 'estimated' AND t.count > 0 AND ${where} LIMIT 1`;
    return connection.get(sql, value) !== undefined;
  },
} satisfies Partial<Reads<LedgerReader>>;

/** All months of an account; `;` is the character after `:`. */
const EVER = `
SELECT coalesce(sum(spent), 0) AS spent, coalesce(sum(reserved), 0) AS reserved, coalesce(sum(held), 0) AS held
  FROM totals WHERE scope >= ? AND scope < ?`;

/**
 * Books the entries that were written since the last group. The database commits nothing before that, nor above a cap.
 * @returns whether there were any.
 */
export function book(connection: Connection): boolean {
  const due = connection.get<Due>(DUE);
  if (due === undefined) return false;
  const { first, last, before } = due;
  const sum = sumOfGroup(first, last, before);
  connection.run('INSERT INTO groups (id, first, sum) VALUES (?, ?, ?)', last, first, sum);
  connection.forget();
  return true;
}

interface Due {
  readonly first: number;
  readonly last: number;
  readonly before: number;
}

const DUE = `
SELECT b.booked + 1 AS first, g.sum AS before, max(
    b.booked, coalesce((SELECT max(id) FROM attempts), 0), coalesce((SELECT max(id) FROM ends), 0),
    coalesce((SELECT max(id) FROM notes), 0)) AS last
  FROM book b CROSS JOIN groups g ON g.id = b.booked WHERE b.unbooked IS NOT NULL`;

/** @param before the sum of the group before. */
export const sumOfGroup = (first: number, last: number, before: number): number =>
  sumOfText(JSON.stringify([first, last, before]), null);

/** Checks the same sum as the database's own guard, so that a reached budget is an answer and not an exception. */
export function overBudget(connection: Connection, intent: Intent): Admission | undefined {
  const batch = batchNumber(intent.batch);
  const caps = capsOf(connection, batch);
  const isRetry = intent.decision !== undefined && sendingAgain(connection, intent.decision) === 'retry';
  const capped = SCOPES.filter((scope) => scope !== 'extra' || isRetry).flatMap((scope) => {
    const cap = caps[scope];
    return cap === null ? [] : [{ scope, cap }];
  });
  // Where there is no cap, nothing has to be added up: what it reserves moves no total that has one.
  if (capped.length === 0) return undefined;
  const pending = pendingIn(connection);
  for (const { scope, cap } of capped) {
    // Where it is not certain which of two days it is, what was spent on either counts.
    const days = [intent.atMs, intent.leastMs ?? intent.atMs];
    const names = new Set(days.map((atMs) => nameOf(scope, batch, caps.account, atMs)));
    const totals = [...names].flatMap((name) => [
      connection.once(name, () => totalsOf(connection, name)),
      pending.get(name) ?? NOTHING,
    ]);
    const money = moneyFrom(totals.reduce(sum, NOTHING), cap);
    if (heldCredits(money) + intent.reserve > cap) return capReached(scope, money);
  }
  return undefined;
}

/** By which kind of decision a call in doubt is sent again; another one allows nothing, and the guards refuse it. */
export function sendingAgain(connection: Connection, decision: DecisionId): 'repeat' | 'retry' {
  const sql = 'SELECT said FROM notes WHERE id = ?';
  return connection.get<{ said: string }>(sql, decision)?.said === 'repeat' ? 'repeat' : 'retry';
}

const PENDING = 'what is not booked yet';

/** By scope. */
type Pending = Map<string, Totals>;

/** Who pays for an attempt. */
export interface Payer {
  readonly batch: number;
  readonly account: number;
  readonly atMs: number;
  /** Whether it sends again, by a person's or a job's decision, what is in doubt. */
  readonly isRetry: boolean;
}

interface PayerRow extends Omit<Payer, 'isRetry'> {
  readonly retried: number;
}

export function payerOf(connection: Connection, attempt: number): Payer {
  const row = connection.get<PayerRow>(
    `SELECT a.batch, c.account, a.at AS atMs, a.kind = 'retry' AS retried
       FROM attempts a CROSS JOIN calls c ON c.id = a.call WHERE a.id = ?`,
    attempt,
  );
  if (row === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  return { ...row, isRetry: row.retried === 1 };
}

/** Who pays for an attempt that is about to be written: what it reserves counts from here on. @param account its number. */
export function payerFor(
  connection: Connection,
  { batch, atMs, decision, reserve }: Intent,
  account: number,
): Payer {
  const isRetry = decision !== undefined && sendingAgain(connection, decision) === 'retry';
  const payer = { batch: batchNumber(batch), account, atMs, isRetry };
  noteMoved(connection, () => payer, { reserved: reserve });
  return payer;
}

/** Adds what an entry moves to what is not booked yet, where somebody in this transaction has asked for that. */
export function noteMoved(connection: Connection, payer: () => Payer, moved: Partial<Totals>): void {
  const pending = connection.known<Pending>(PENDING);
  if (pending !== undefined) add(pending, payer(), { ...NOTHING, ...moved });
}

function add(pending: Pending, { batch, account, atMs, isRetry }: Payer, moved: Totals): void {
  for (const scope of SCOPES) {
    if (scope === 'extra' && !isRetry) continue;
    const name = nameOf(scope, batch, account, atMs);
    pending.set(name, sum(pending.get(name) ?? NOTHING, moved));
  }
}

function pendingIn(connection: Connection): Pending {
  return connection.once(PENDING, () => {
    const pending: Pending = new Map();
    const booked = connection.get<{ booked: number }>('SELECT booked FROM book')?.booked ?? 0;
    for (const { retried, ...moved } of connection.all<PayerRow & Totals>(MOVED, { booked }))
      add(pending, { ...moved, isRetry: retried === 1 }, moved);
    return pending;
  });
}

const MOVED = `
SELECT p.batch, c.account, p.at AS atMs, p.kind = 'retry' AS retried, e.spent, e.reserved, e.held
  FROM (
    SELECT id AS payer, 0 AS spent, reserved, 0 AS held FROM attempts WHERE id > :booked
    UNION ALL SELECT e.of, iif(e.pays IS NULL, e.spent, 0), -a.reserved, iif(e.kind = 'lost' OR e.kind = 'lost_beside', a.reserved, 0)
      FROM ends e CROSS JOIN attempts a ON a.id = e.of WHERE e.id > :booked
    UNION ALL SELECT pays, spent, 0, 0 FROM ends WHERE id > :booked AND pays IS NOT NULL
    UNION ALL SELECT of, iif(pays IS NULL, spent, 0), 0, held FROM notes WHERE id > :booked
    UNION ALL SELECT pays, spent, 0, 0 FROM notes WHERE id > :booked AND pays IS NOT NULL) e
  CROSS JOIN attempts p ON p.id = e.payer CROSS JOIN calls c ON c.id = p.call`;

const SCOPES: readonly BudgetScope[] = ['batch', 'day', 'month', 'extra'];

function nameOf(scope: BudgetScope, batch: number, account: number, atMs: number): string {
  return scope === 'day' || scope === 'month' ? periodScope(scope, account, atMs) : `${scope}:${batch}`;
}

const sum = (a: Totals, b: Totals): Totals => ({
  spent: a.spent + b.spent,
  reserved: a.reserved + b.reserved,
  held: a.held + b.held,
});

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
  const sql = 'SELECT spent, reserved, held FROM totals WHERE scope = ?';
  return connection.get<Totals>(sql, scope) ?? NOTHING;
}

const NOTHING: Totals = { spent: 0, reserved: 0, held: 0 };

function moneyFrom({ spent, reserved, held }: Totals, cap: number | null): Money {
  return {
    ...(cap === null ? {} : { cap: credits(cap) }),
    spent: credits(spent),
    reserved: credits(reserved),
    inDoubt: credits(held),
  };
}

/** The name of a period's scope, as in the view `booking_scopes`: `day:1:2026-11-20`, `month:1:2026-11`; UTC. */
function periodScope(scope: 'day' | 'month', account: number, atMs: number): string {
  return `${scope}:${account}:${dayOf(atMs).slice(0, scope === 'day' ? 10 : 7)}`;
}

const DAY_MS = 86_400_000;
let newestDay = { number: Number.NaN, text: '' };

/** UTC, as `2026-11-20`. Nearly all dates are of one day, and a date takes longer to write than an entry. */
function dayOf(atMs: number): string {
  const number = Math.floor(atMs / DAY_MS);
  if (number !== newestDay.number) newestDay = { number, text: new Date(atMs).toISOString().slice(0, 10) };
  return newestDay.text;
}
