import type { Asked } from '../client/client.ts';
import { type Dialect, vendorReply } from '../client/dialect.ts';
import { readBody, valueAt } from '../core/answer-body.ts';
import type { Clock } from '../core/clock.ts';
import type { BalanceNote, LedgerReader } from '../ledger/ledger.ts';
import { eachLedgerThere, openIfFree } from './open-ledger.ts';
import type { Run } from './session.ts';

/** The credits that the vendor says are left, by its dialect's free question; undefined where it has none, or says no number. */
export async function balanceOf({ session: { client }, waiter }: Run): Promise<number | undefined> {
  const { balance } = client.dialect;
  if (balance === undefined) return undefined;
  return amountIn(await client.ask(waiter, client.freeRequest(balance)), client.dialect, balance.credits);
}

/**
 * The amount at a place of the answer to a free question, also where it is written as text; undefined where the answer says that
 * it is none: what stands beside an error may be of any day.
 */
export function amountIn(
  { reply, verdict }: Pick<Asked, 'reply' | 'verdict'>,
  dialect: Dialect,
  path: string,
): number | undefined {
  if (reply.kind !== 'answered' || verdict.kind !== 'answered' || verdict.answer !== 'found')
    return undefined;
  const own = vendorReply(reply.raw, dialect);
  if (own === undefined || Math.floor(own.status / 100) !== 2) return undefined;
  const body = readBody(own.body);
  const value = body.kind === 'json' ? valueAt(body.value, path) : undefined;
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}

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
export function driftsIn(notes: readonly BalanceNote[]): ReadonlyMap<string, Drift> {
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
 * Notes what the vendor says is left beside our books. It changes no call: a person reads it in `accounts test` and `spend`.
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
