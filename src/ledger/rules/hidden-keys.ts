import { createHmac } from 'node:crypto';

/**
 * Hides calls of forgotten people: a call's key reveals what it asked to anybody who can guess the question, so an HMAC of it takes its
 * place. Without the erasure key, which is not in the ledger, an erased call would be unknown, and bought again by mistake.
 */
export const ERASURE_KEY_BYTES = 32;

export function hiddenKey(secret: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', secret).update(key).digest();
}

/** A check value by which a ledger recognises the key without revealing it. */
export function keyCheck(secret: Buffer): string {
  return createHmac('sha256', secret).update('rowonce erasure key').digest('hex').slice(0, 16);
}
