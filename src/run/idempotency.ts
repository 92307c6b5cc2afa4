import { randomUUID } from 'node:crypto';
import { parseDurationMs } from '../core/duration.ts';
import { present } from '../core/objects.ts';
import type { KeyedRequest } from '../ledger/ledger.ts';
import type { Dialect } from '../vendor/dialect.ts';
import type { HttpRequest } from '../vendor/request.ts';

/**
 * Requests under an idempotency key: however often one arrives, the vendor acts and charges once. So a lost one may be
 * sent again without a risk, as long as it is the same to the byte and the vendor still remembers the key.
 */

/** The vendor counts from the arrival of the first request on a clock of its own, so a part of its time is left unused. */
const UNUSED_SHARE = 0.1;
/** Longer than a request can be on its way to the vendor. */
const LONGEST_UNUSED_MS = 5 * 60_000;

/** A key for one attempt; undefined when the vendor takes none. */
export function newIdempotencyKey({ idempotency }: Dialect): string | undefined {
  return idempotency === undefined ? undefined : randomUUID();
}

/** What is kept of a request that is about to leave under a new key. */
export function keyedRequest(
  idempotencyKey: string,
  { method, path, body }: HttpRequest,
  firstSentAtMs: number,
): KeyedRequest {
  return { idempotencyKey, method, path, ...present({ body }), firstSentAtMs };
}

/**
 * Whether the vendor surely still takes a request for the one that it had.
 * @param greatestAgeMs how long ago the first under its key was sent, at the most.
 */
export function isStillHonoured({ idempotency }: Dialect, greatestAgeMs: number): boolean {
  const validMs = parseDurationMs(idempotency?.valid_for ?? '') ?? 0;
  return greatestAgeMs < validMs - Math.min(validMs * UNUSED_SHARE, LONGEST_UNUSED_MS);
}
