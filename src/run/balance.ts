import type { Asked } from '../client/client.ts';
import { type Dialect, vendorReply } from '../client/dialect.ts';
import { readBody, valueAt } from '../core/answer-body.ts';
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
