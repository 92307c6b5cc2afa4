import {
  type Admission,
  type BudgetScope,
  capReached,
  credits,
  type DecisionId,
  type Intent,
  type LedgerReader,
  type Money,
} from '../../ledger.ts';
import { AlteredRow, type Connection, type Reads } from './connection.ts';
import { sumOfText } from './table.ts';
import { batchNumber } from './tables.ts';

/** Reads what each scope of money holds. The triggers keep the totals (`schema/`). */
interface Caps {
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

export const sumOfGroup = (first: number, last: number, before: number): number =>
  sumOfText(JSON.stringify([first, last, before]), null);

/**
 * Checks the same sum as the database's own guard, so that a reached budget is an answer and not an exception.
 * @param reserve what the attempt is to reserve, which may be more than the intent says.
 */
export function overBudget(
  connection: Connection,
  { payer, reserve }: { readonly payer: Payer; readonly reserve: number },
): Admission | undefined {
  const caps = capsOf(connection, payer.batch);
  for (const { scope, name } of payer.scopes) {
    const cap = caps[scope];
    // Where there is no cap, nothing has to be added up: what it reserves moves no total that has one.
    if (cap === null) continue;
    if (takenIn(connection, name) + reserve > cap)
      return capReached(scope, moneyIn(connection, new Set([name]), cap));
  }
  return undefined;
}

/** What nobody else can spend of a scope, with what is not booked yet. */
const takenIn = (connection: Connection, name: string): number =>
  heldOf(bookedIn(connection, name)) + heldOf(pendingIn(connection).get(name) ?? NOTHING);

const heldOf = ({ spent, reserved, held }: Totals): number => spent + reserved + held;

function moneyIn(connection: Connection, names: ReadonlySet<string>, cap: number): Money {
  const money = { ...NOTHING };
  for (const name of names) {
    addTo(money, bookedIn(connection, name));
    addTo(money, pendingIn(connection).get(name) ?? NOTHING);
  }
  return moneyFrom(money, cap);
}

const bookedIn = (connection: Connection, name: string): Totals =>
  connection.once(name, () => totalsOf(connection, name));

/** By which kind of decision a call in doubt is sent again; another one allows nothing, and the guards refuse it. */
export function sendingAgain(connection: Connection, decision: DecisionId): 'repeat' | 'retry' {
  const sql = 'SELECT said FROM notes WHERE id = ?';
  return connection.get<{ said: string }>(sql, decision)?.said === 'repeat' ? 'repeat' : 'retry';
}

const PENDING = 'what is not booked yet';

type Adding = { -readonly [Kind in keyof Totals]: Totals[Kind] };
type Pending = Map<string, Adding>;

interface Scope {
  readonly scope: BudgetScope;
  readonly name: string;
}

/** Who pays for attempts: those that one batch makes on one day, apart for what it sends again by a decision. All of them share it. */
export interface Payer {
  readonly batch: number;
  readonly account: number;
  /** UTC, since 1970. */
  readonly day: number;
  /** Whether it sends again, by a person's or a job's decision, what is in doubt. */
  readonly isRetry: boolean;
  readonly scopes: readonly Scope[];
}

interface PayerRow {
  readonly batch: number;
  readonly account: number;
  readonly atMs: number;
  readonly retried: number;
}

const DAY_MS = 86_400_000;

let newest: Payer = { batch: 0, account: 0, day: Number.NaN, isRetry: false, scopes: [] };

/** Nearly all attempts that follow each other are of one batch and one day, and to name its scopes takes longer than to write an entry. */
function payerAt(
  { batch, account, isRetry }: Pick<Payer, 'batch' | 'account' | 'isRetry'>,
  atMs: number,
): Payer {
  const day = Math.floor(atMs / DAY_MS);
  const isNewest =
    newest.day === day && newest.batch === batch && newest.account === account && newest.isRetry === isRetry;
  if (!isNewest) {
    const scopes: Scope[] = [
      { scope: 'batch', name: `batch:${batch}` },
      { scope: 'day', name: periodScope('day', account, atMs) },
      { scope: 'month', name: periodScope('month', account, atMs) },
    ];
    if (isRetry) scopes.push({ scope: 'extra', name: `extra:${batch}` });
    newest = { batch, account, day, isRetry, scopes };
  }
  return newest;
}

export function payerOf(connection: Connection, attempt: number): Payer {
  const row = connection.get<PayerRow>(
    `SELECT a.batch, c.account, a.at AS atMs, a.kind = 'retry' AS retried
       FROM attempts a CROSS JOIN calls c ON c.id = a.call WHERE a.id = ?`,
    attempt,
  );
  if (row === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  const { batch, account, atMs, retried } = row;
  return payerAt({ batch, account, isRetry: retried === 1 }, atMs);
}

/** Who pays for an attempt that is about to be written. @param account its number. */
export function payerFor(connection: Connection, { batch, atMs, decision }: Intent, account: number): Payer {
  const isRetry = decision !== undefined && sendingAgain(connection, decision) === 'retry';
  return payerAt({ batch: batchNumber(batch), account, isRetry }, atMs);
}

/**
 * Adds what an entry moves to what is not booked yet. All that writes entries says so: it is not read from them.
 * @param payer who pays, or the attempt that does.
 */
export function noteMoved(connection: Connection, payer: Payer | number, moved: Partial<Totals>): void {
  const pending = pendingIn(connection);
  const { scopes } = typeof payer === 'number' ? payerOf(connection, payer) : payer;
  for (const { name } of scopes) {
    const to = pending.get(name) ?? { ...NOTHING };
    addTo(to, moved);
    pending.set(name, to);
  }
}

function addTo(to: Adding, { spent = 0, reserved = 0, held = 0 }: Partial<Totals>): void {
  to.spent += spent;
  to.reserved += reserved;
  to.held += held;
}

/**
 * Nothing at the beginning of a transaction, when all entries are booked. It is forgotten when they are booked, and when one is taken
 * back that is written alone: all before it are booked.
 */
const pendingIn = (connection: Connection): Pending => connection.once(PENDING, () => new Map());

const NO_CAPS: Caps = { batch: null, extra: null, day: null, month: null };

const CAPS = 'caps';

function capsOf(connection: Connection, batch: number): Caps {
  const known = connection.known<Map<number, Caps>>(CAPS) ?? connection.once(CAPS, () => new Map());
  const caps =
    known.get(batch) ??
    connection.get<Caps>(
      `SELECT b.budget AS batch, b.extra_credits AS extra, p.per_day AS day, p.per_month AS month
         FROM batches b JOIN accounts p ON p.id = b.account WHERE b.id = +?`,
      batch,
    ) ??
    NO_CAPS;
  known.set(batch, caps);
  return caps;
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
  return `${scope}:${account}:${new Date(atMs).toISOString().slice(0, scope === 'day' ? 10 : 7)}`;
}
