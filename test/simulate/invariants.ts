/** What holds in every world, by the book of the vendor and by the tables of the ledger. */
import { promise } from './played.ts';
import type { Stage } from './stage.ts';

/** No call is charged more often than that. */
export function requireOneCharge(stage: Stage, most = 1): void {
  const times = new Map<string, number>();
  for (const { key } of stage.vendor.charges) times.set(key, (times.get(key) ?? 0) + 1);
  for (const [key, count] of times) promise(count <= most, `charged ${count} times, at most ${most}: ${key}`);
}
