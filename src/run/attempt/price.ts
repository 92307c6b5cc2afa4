import { type StopError, stop } from '../../core/errors.ts';
import type { Call } from '../../core/operation.ts';
import type { Closure } from '../../ledger/ledger.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import type { Run } from '../session.ts';

/**
 * Where answers say what they cost, nobody knows the price before the first of them: the dialect may be wrong by any
 * factor, and a whole slot-full of requests would be charged before anybody sees that. So the first request of an operation
 * leaves alone, and the others wait until its answer has shown the price, which the ledger then reserves for each of them.
 * Resolves when the call may be bought: at once where its price is known. A miss shows no price, so the next one is alone,
 * too.
 * @returns to be called when it was bought, or was not.
 */
export async function untilPriced({ session, waiter }: Run, call: Call): Promise<() => void> {
  const { client, ledger, account, priced } = session;
  const name = nameOf(call);
  if (client.dialect.credits_charged === undefined || priced.has(name)) return nothing;
  const leave = await client.limiter.alone(name, waiter);
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

function nothing(): void {}

function nameOf({ operation, creditsMost }: Call): string {
  return JSON.stringify([operation, creditsMost]);
}

/** With the word whether the answer showed what such answers cost. */
export function priced(closure: Closure, { credits_charged: stated }: Dialect): Closure {
  if (closure.kind !== 'settled' || stated === undefined) return closure;
  const wasForMoney = closure.answer === 'found' || closure.charged > 0;
  return wasForMoney ? { ...closure, showsPrice: true } : closure;
}

/** @param most what the answer was expected to cost at most. */
export function dearer(charged: number, most: number): StopError {
  return stop(
    'dearer',
    `An answer cost ${charged} credits, and by the dialect and by earlier answers it costs ${most} at most.`,
    'Correct the credits of this operation in the dialect, then run the same command again.',
  );
}
