import type { Dialect, DialectOperation } from '../client/dialect.ts';
import { isExactCharge, type Reply } from '../client/judge.ts';
import { type StopError, stop } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import type { Closure, Reading } from '../ledger/ledger.ts';
import type { Run } from './session.ts';

/**
 * When answers state their price, nobody knows it before the first answer: the dialect may be wrong by any factor, and all
 * parallel requests would be charged before the mistake shows. So the first request of an operation is sent alone. The
 * others wait until its answer has shown the price, which the ledger then reserves for each of them. A miss shows no price,
 * so the next request is sent alone, too. The promise resolves when the call may be bought.
 * @returns a function that the caller must call after the purchase, also when it failed.
 */
export async function untilPriced({ session }: Run, call: Call): Promise<() => void> {
  const { client, ledger, account, priced } = session;
  const name = nameOf(call);
  const leave = await client.limiter.lane(name);
  try {
    if (!priced.has(name) && (await ledger.price(account.identity, call)) === undefined) return leave;
    priced.add(name);
  } catch (error) {
    leave();
    throw error;
  }
  leave();
  return nothing;
}

export function isPriced({ session: { client, priced } }: Run, call: Call): boolean {
  return client.dialect.credits_charged === undefined || priced.has(nameOf(call));
}

function nothing(): void {}

function nameOf({ operation, creditsMost }: Call): string {
  return JSON.stringify([operation, creditsMost]);
}

/** Adds to the closure whether the answer showed the price of such answers, and whether it may have cost less. */
export function priced(
  closure: Closure,
  reply: Reply,
  dialect: Dialect,
  operation: DialectOperation,
): Closure {
  if (closure.kind !== 'answered') return closure;
  const shown = { ...closure, ...shownPrice(closure, dialect) };
  const raw = reply.kind === 'answered' ? reply.raw : undefined;
  return isExactCharge(closure.charged, raw, dialect, operation) ? shown : { ...shown, isAtMost: true };
}

/** Says that an answer shows the price of such answers, where it does: it states its cost, and was for money. */
export function shownPrice(
  { answer, charged }: Pick<Reading, 'answer' | 'charged'>,
  { credits_charged: stated }: Dialect,
): { readonly showsPrice?: true } {
  return stated !== undefined && (answer === 'found' || charged > 0) ? { showsPrice: true } : {};
}

export function dearer(charged: number, most: number): StopError {
  return stop(
    'dearer',
    `An answer cost ${charged} credits, but the dialect and earlier answers say at most ${most}.`,
    'Correct the credits of this operation in the dialect, then run the same command again.',
  );
}
