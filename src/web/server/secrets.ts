import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';

/** The words that open doors of the page's server. None of them is ever in a path, a cookie or an argument. */

/** How long an opening word or a ticket can be used, ms. */
export const SHORT_MS = 60_000;

/** Enough for every tab and download of a minute, few enough that asking for more cannot fill the memory. */
const MOST_KEPT = 1_000;

/** Words that work once and for a minute, each standing for something. */
export class OnceOnly<T> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly what: T; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(what: T): string {
    const now = this.#clock.monotonicMs();
    for (const [word, { untilMs }] of this.#kept)
      if (untilMs <= now || this.#kept.size >= MOST_KEPT) this.#kept.delete(word);
    const word = newSecret();
    this.#kept.set(word, { what, untilMs: now + SHORT_MS });
    return word;
  }

  /** @returns what the word stands for; undefined for one that was used, is too old or was never issued. */
  redeem(word: string): T | undefined {
    const found = this.#kept.get(word);
    this.#kept.delete(word);
    return found === undefined || found.untilMs <= this.#clock.monotonicMs() ? undefined : found.what;
  }
}

/** 256 random bits, safe in addresses and headers. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that does not depend on where two secrets differ. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
