import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';

/**
 * Decides who is let in: the word of a printed address becomes the token of a tab, once and within a minute.
 */
export class Admission {
  /** The token in `serve.json`, for tools of this user. */
  readonly tool = newSecret();
  readonly #tabs: string[] = [];
  readonly #openings: OnceOnly<true>;
  readonly #redirect: string;

  /** @param folder the folder of the file through which a browser finds its way in, as `redirectIn` says. */
  constructor(clock: Clock, folder: string) {
    this.#openings = new OnceOnly(clock);
    this.#redirect = redirectIn(folder);
  }

  issue(): string {
    return this.#openings.issue(true);
  }

  /** @returns the token of a new tab; undefined when the word lets nobody in. */
  admit(opening: string): string | undefined {
    if (this.#openings.redeem(opening) === undefined) return undefined;
    this.removeRedirect();
    const token = newSecret();
    this.#tabs.push(token);
    return token;
  }

  isTool(token: string): boolean {
    return sameSecret(token, this.tool);
  }

  isTab(token: string): boolean {
    return this.#tabs.some((tab) => sameSecret(token, tab));
  }

  removeRedirect(): void {
    rmSync(this.#redirect, { force: true });
  }
}

/**
 * The file that leads a browser to an address with its word. The word is in a file, because every user of a
 * machine can read the arguments of a process.
 */
export function redirectIn(folder: string): string {
  return join(folder, 'open.html');
}

/** Words that open doors of the page's server. None of them is ever in a path, a cookie or an argument. */

/** How long an opening word or a ticket can be used, ms. */
const SHORT_MS = 60_000;

/** Words that work once and within a minute. Each stands for a value. */
export class OnceOnly<T> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly what: T; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(what: T): string {
    const now = this.#clock.monotonicMs();
    for (const [word, { untilMs }] of this.#kept) if (untilMs <= now) this.#kept.delete(word);
    const word = newSecret();
    this.#kept.set(word, { what, untilMs: now + SHORT_MS });
    return word;
  }

  /**
   * @returns the value for which the word stands; undefined for a word that was used, is too old or was never
   * issued.
   */
  redeem(word: string): T | undefined {
    const found = this.#kept.get(word);
    this.#kept.delete(word);
    return found === undefined || found.untilMs <= this.#clock.monotonicMs() ? undefined : found.what;
  }
}

/** 256 random bits, safe in addresses and headers. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that does not depend on where two secrets differ. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
