import { setImmediate } from 'node:timers/promises';
import type { RowNumber } from '../core/row.ts';
import type { Activity, BatchId, LedgerReader, SentPart } from './ledger.ts';

/** Reports over the records of any store, which are read in parts, so that nobody else of the process waits for long. */

/** A part takes some milliseconds. */
const ROWS_AT_ONCE = 10_000;

type Sends = Pick<LedgerReader, 'sent'>;

async function* sentIn(ledger: Sends, batch: BatchId): AsyncGenerator<SentPart['sent']> {
  for (let from: RowNumber | undefined = 0; from !== undefined; ) {
    const part: SentPart = await ledger.sent(batch, from, ROWS_AT_ONCE);
    yield part.sent;
    from = part.next;
    await setImmediate();
  }
}

/** By the dates of its intents, and of ends for what it spent. @param unitMs a bucket is a multiple of this long. */
export async function activityOf(ledger: Sends, batch: BatchId, most: number, unitMs = 1): Promise<Activity> {
  let [fromMs, untilMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const sent of sentIn(ledger, batch)) {
    for (const { atMs, endedAtMs } of sent) {
      fromMs = Math.min(fromMs, atMs);
      untilMs = Math.max(untilMs, atMs, endedAtMs);
    }
  }
  if (untilMs < fromMs) return { fromMs: 0, bucketMs: 1, buckets: [] };
  const durationMs = untilMs - fromMs + 1;
  const bucketMs = Math.ceil(durationMs / (most * unitMs)) * unitMs;
  const length = Math.ceil(durationMs / bucketMs);
  const buckets = Array.from({ length }, () => ({ requests: 0, credits: 0 }));
  // If the clock was set back, an attempt may have ended before the first one began.
  const bucketAt = (ms: number) => buckets[Math.max(0, Math.floor((ms - fromMs) / bucketMs))];
  for await (const sent of sentIn(ledger, batch)) {
    for (const { atMs, endedAtMs, credits } of sent) {
      const [begun, ended] = [bucketAt(atMs), bucketAt(endedAtMs)];
      if (begun !== undefined) begun.requests += 1;
      if (ended !== undefined) ended.credits += credits;
    }
  }
  return { fromMs, bucketMs, buckets };
}
