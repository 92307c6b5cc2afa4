import { vendorReply } from '../client/dialect.ts';
import { readBody, valueAt } from '../core/answer-body.ts';
import type { Run } from './session.ts';

/** The credits that the vendor says are left, by its dialect's free question; undefined where it has none, or says no number. */
export async function balanceOf({ session: { client }, waiter }: Run): Promise<number | undefined> {
  const { balance } = client.dialect;
  if (balance === undefined) return undefined;
  const { reply } = await client.ask(waiter, client.freeRequest(balance));
  if (reply.kind !== 'answered') return undefined;
  const own = vendorReply(reply.raw, client.dialect);
  if (own === undefined || Math.floor(own.status / 100) !== 2) return undefined;
  return amountIn(own.body, balance.credits);
}

/** The amount at a place of an answer, also where it is written as text. */
export function amountIn(bytes: Parameters<typeof readBody>[0], path: string): number | undefined {
  const body = readBody(bytes);
  const value = body.kind === 'json' ? valueAt(body.value, path) : undefined;
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
