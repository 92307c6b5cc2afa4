import { randomUUID } from 'node:crypto';
import type { Dialect } from '../client/dialect.ts';
import type { HttpRequest } from '../client/request.ts';
import { present } from '../core/objects.ts';
import { type KeyedRequest, SENT_WITHIN_MS } from '../ledger/ledger.ts';
import { parseDurationMs } from '../lib/duration.ts';

/**
 * The vendor acts on a request under an idempotency key and charges for it once, however often it arrives. So a lost
 * request may be sent again without a risk, as long as its bytes are the same and the vendor still remembers the key.
 */

/** The vendor counts from the arrival of the first request, by its own clock. So this part of the key's time is not used. */
const UNUSED_SHARE = 0.1;
/** The most time that is left unused. No request takes longer to reach the vendor. */
const LONGEST_UNUSED_MS = 5 * 60_000;

export function newIdempotencyKey({ idempotency }: Dialect): string | undefined {
  return idempotency === undefined ? undefined : randomUUID();
}

export function keyedRequest(
  idempotencyKey: string,
  { method, path, body }: HttpRequest,
  firstSentAtMs: number,
): KeyedRequest {
  return { idempotencyKey, method, path, ...present({ body }), firstSentAtMs };
}

/**
 * Whether the vendor surely still recognises a repeated request, as late as it may leave after it was asked for.
 * @param greatestAgeMs the longest time that may have passed since the first request under the key was sent.
 */
export function isStillHonoured({ idempotency }: Dialect, greatestAgeMs: number): boolean {
  // It is dated by a clock that was ahead, so nobody knows how old it is.
  if (greatestAgeMs < -SENT_WITHIN_MS) return false;
  const validMs = parseDurationMs(idempotency?.valid_for ?? '') ?? 0;
  const unusedMs = Math.min(validMs * UNUSED_SHARE, LONGEST_UNUSED_MS);
  return greatestAgeMs < validMs - Math.max(unusedMs, SENT_WITHIN_MS);
}
