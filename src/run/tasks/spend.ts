import { type Clock, isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { counted, grouped } from '../../core/plain-text.ts';
import type { BalanceNote, Batch, LedgerReader, Spent } from '../../ledger/ledger.ts';
import { eachLedgerThere, openIfFree } from '../open-ledger.ts';

/** What a month cost, from the ledgers alone. Days and months are those of UTC, as budgets count them. */

export const SPEND_BY = ['account', 'batch', 'day', 'operator'] as const;
export type SpendBy = (typeof SPEND_BY)[number];

/** Credits of one group, as they are told. Play money of sandboxes is never in a group with other money. */
export interface SpendGroup {
  /** The name of the account, the id of the batch, the day, or who was at work; null where nobody is known. */
  readonly name: string | null;
  readonly sandbox: boolean;
  readonly spent: number;
  /** Whether just that was spent; otherwise it is the most. */
  readonly exact: boolean;
  readonly in_doubt: number;
  /** What batches that began in the month saved by asking once. */
  readonly saved: number;
  readonly requests: number;
  /** Number of batches that began in the month. */
  readonly batches: number;
  /** The account's budget of a month, or the batch's own. */
  readonly budget: number | null;
  /** The list of a batch, and its account. */
  readonly input?: string | undefined;
  readonly account?: string | undefined;
}

export interface Spend {
  readonly month: string;
  readonly by: SpendBy;
  readonly groups: SpendGroup[];
}

interface SpendOptions {
  readonly store: string | undefined;
  /** `2026-11`. */
  readonly month: string;
  readonly by: SpendBy;
}

/** @throws StopError `usage` for what is no month. */
export function monthOf(text: string): string {
  if (/^20\d{2}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw stop('usage', 'The month is not written as 2026-11.', 'Give a year and a month.');
}

export async function spendOf({ store, month, by }: SpendOptions): Promise<Spend> {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const [fromMs, untilMs] = [Date.UTC(year, number - 1), Date.UTC(year, number)];
  const groups = new Map<string, Sum>();
  await eachLedgerThere(store, async (ledger) => {
    const lines = new Map((await ledger.batches()).map((line) => [line.id, line]));
    for await (const part of ledger.spentBetween(fromMs, untilMs)) {
      const line = lines.get(part.batch);
      if (line === undefined) continue;
      const sum = sumFor(groups, line, nameBy(by, line, part));
      add(sum, part, line);
    }
    for (const line of lines.values()) {
      if (line.createdAtMs < fromMs || line.createdAtMs >= untilMs) continue;
      const name = nameBy(by, line, { dayMs: line.createdAtMs, ...(await begunBy(ledger, line, by)) });
      const sum = sumFor(groups, line, name);
      sum.batches += 1;
      sum.lines.add(line);
      sum.saved += await ledger.saved(line.id);
    }
    for (const sum of groups.values()) await complete(sum, ledger, by, fromMs);
  });
  const shown = [...groups.values()].map(({ lines: _, ...group }) => group).filter(isUsed);
  return { month, by, groups: shown.sort(by === 'day' ? byName : bySpent) };
}

/** `since 2026-11-02 the vendor took 243 credits, and our books have 372: 129 more`. */
export function driftWords({ sinceMs, taken, booked }: Drift): string {
  const apart = booked - taken;
  const words = apart === 0 ? 'as many' : `${grouped(Math.abs(apart))} ${apart > 0 ? 'more' : 'fewer'}`;
  const since = isoTime(sinceMs).slice(0, 10);
  return `since ${since} the vendor took ${counted(taken, 'credit')}, and our books have ${grouped(booked)}: ${words}`;
}

const byName = (one: SpendGroup, other: SpendGroup): number =>
  Number(one.sandbox) - Number(other.sandbox) || (one.name ?? '').localeCompare(other.name ?? '');
const bySpent = (one: SpendGroup, other: SpendGroup): number =>
  Number(one.sandbox) - Number(other.sandbox) || other.spent - one.spent || byName(one, other);

const isUsed = ({ spent, in_doubt, requests, batches }: SpendGroup): boolean =>
  spent + in_doubt + requests + batches > 0;

function nameBy(
  by: SpendBy,
  { id, accountName }: Batch,
  { dayMs, operator = null }: Pick<Spent, 'dayMs'> & { readonly operator?: string | null | undefined },
): string | null {
  switch (by) {
    case 'account':
      return accountName;
    case 'batch':
      return id;
    case 'day':
      return isoTime(dayMs).slice(0, 10);
    case 'operator':
      return operator;
  }
}

/** Who began it, for what it saved; it is not looked up where nobody asks. */
async function begunBy(ledger: LedgerReader, { id }: Batch, by: SpendBy): Promise<Pick<Spent, 'operator'>> {
  const [first] = by === 'operator' ? await ledger.acts(id) : [];
  return first?.kind === 'begun' ? { operator: first.operator } : {};
}

type Writable<Of> = { -readonly [Name in keyof Of]: Of[Name] };

/** A group while it is added up. */
type Sum = Writable<SpendGroup> & { readonly lines: Set<Batch> };

function sumFor(groups: Map<string, Sum>, { sandbox }: Batch, name: string | null): Sum {
  const key = JSON.stringify([sandbox, name]);
  const sum: Sum = groups.get(key) ?? {
    ...{ name, sandbox, spent: 0, exact: true, in_doubt: 0, saved: 0, requests: 0, batches: 0, budget: null },
    lines: new Set(),
  };
  groups.set(key, sum);
  return sum;
}

function add(sum: Sum, { spent, inDoubt, requests }: Spent, line: Batch): void {
  sum.lines.add(line);
  sum.spent += spent;
  sum.in_doubt += inDoubt;
  sum.requests += requests;
}

/** What the ledger says of all of it: whether prices were stated, and the budget. Batches of other ledgers are not known to it. */
async function complete(sum: Sum, ledger: LedgerReader, by: SpendBy, fromMs: number): Promise<void> {
  for (const { id } of sum.lines) if ((await ledger.batchMoney(id)).isAtMost) sum.exact = false;
  const [line] = sum.lines;
  if (line === undefined || by === 'day' || by === 'operator') return;
  const { cap = null } =
    by === 'account'
      ? await ledger.accountMoney(line.accountIdentity, 'month', fromMs)
      : await ledger.batchMoney(line.id);
  sum.budget ??= cap;
  if (by === 'batch') Object.assign(sum, { input: line.inputPath, account: line.accountName });
}

// ------------------------------------------------------------------------------------ beside the vendor's count

/** How far the vendor's count and ours are apart, since it was asked first without a rise in between. */
export interface Drift {
  readonly sinceMs: number;
  readonly atMs: number;
  readonly left: number;
  /** By what the vendor's balance fell. */
  readonly taken: number;
  /** By what our books rose. */
  readonly booked: number;
}

/** The drift of each account that was asked more than once. Where a balance has risen, credits were bought, and counting begins anew. */
function driftsIn(notes: readonly BalanceNote[]): ReadonlyMap<string, Drift> {
  const first = new Map<string, BalanceNote>();
  const last = new Map<string, BalanceNote>();
  for (const note of notes) {
    const before = last.get(note.accountIdentity);
    if (before === undefined || note.left > before.left) first.set(note.accountIdentity, note);
    last.set(note.accountIdentity, note);
  }
  const drifts = [...last].flatMap(([identity, { atMs, left, spent }]) => {
    const from = first.get(identity);
    if (from === undefined || from.atMs === atMs) return [];
    const drift = { sinceMs: from.atMs, atMs, left, taken: from.left - left, booked: spent - from.spent };
    return [[identity, drift] as const];
  });
  return new Map(drifts);
}

/**
 * Notes what the vendor says is left beside our books. It changes no call: a person reads it in `accounts test`.
 * @returns undefined where nothing can be said: there is no store, another process is at work, or it was asked for the first time.
 */
export async function heldAgainstBooks(
  accountIdentity: string,
  left: number,
  clock: Clock,
): Promise<Drift | undefined> {
  const [location] = await eachLedgerThere(undefined, async (_, at) => at);
  const ledger = location === undefined ? undefined : await openIfFree(location, 'accounts test', clock);
  if (ledger === undefined) return undefined;
  try {
    const note = {
      accountIdentity,
      atMs: clock.wallMs(),
      left,
      spent: await spentBy(ledger, accountIdentity),
    };
    await ledger.noteBalance(note);
    return driftsIn(await ledger.balances()).get(accountIdentity);
  } finally {
    await ledger.close();
  }
}

async function spentBy(ledger: LedgerReader, accountIdentity: string): Promise<number> {
  const own = new Set(
    (await ledger.batches()).filter((each) => each.accountIdentity === accountIdentity).map(({ id }) => id),
  );
  let sum = 0;
  for await (const part of ledger.spentBetween(0, Number.MAX_SAFE_INTEGER))
    if (own.has(part.batch)) sum += part.spent;
  return sum;
}
