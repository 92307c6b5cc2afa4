import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Door } from './address.ts';
import { newSecret, OnceOnly, SHORT_MS, sameSecret } from './secrets.ts';

/** Who is let in: the word of a printed address becomes the token of a tab, once and within a minute. */
export class Admission {
  /** What `serve.json` holds, for tools of this user. */
  readonly tool = newSecret();
  /** What tabs get with their token, to know this start again by `prove`. */
  readonly proofKey = newSecret();
  readonly #tabs: { readonly token: string; readonly door: Door }[] = [];
  readonly #openings: OnceOnly<Door>;
  readonly #redirect: string;
  #expiry: NodeJS.Timeout | undefined;

  /** @param folder where a browser may find its way in, as `redirectIn` says. */
  constructor(clock: Clock, folder: string) {
    this.#openings = new OnceOnly(clock);
    this.#redirect = redirectIn(folder);
  }

  /** @param door the address under which the word is valid. */
  issue(door: Door): string {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.removeRedirect(), SHORT_MS).unref();
    return this.#openings.issue(door);
  }

  /** @returns the token of a new tab; undefined when the word lets nobody in. */
  admit(opening: string, door: Door): string | undefined {
    if (this.#openings.redeem(opening) !== door) return undefined;
    this.removeRedirect();
    const token = newSecret();
    this.#tabs.unshift({ token, door });
    this.#tabs.length = Math.min(this.#tabs.length, MOST_TABS);
    return token;
  }

  /** @param door the address that was asked: the token of a tab is valid where its word was. */
  holderOf(token: string, door: Door): 'tool' | 'tab' | undefined {
    if (sameSecret(token, this.tool)) return 'tool';
    const isTab = this.#tabs.some((tab) => sameSecret(token, tab.token) && tab.door === door);
    return isTab ? 'tab' : undefined;
  }

  /** Says what only this start can say of words that nobody has said before. */
  prove(nonce: string): string {
    return createHmac('sha256', this.proofKey).update(`rowonce-proof:${nonce}`).digest('base64url');
  }

  removeRedirect(): void {
    rmSync(this.#redirect, { force: true });
  }
}

/** As many tabs as may be open with a token each; the oldest of more is asked to open the page again. */
const MOST_TABS = 100;

/** The file that leads a browser to an address with its word, because every user of a machine can read arguments. */
export function redirectIn(folder: string): string {
  return join(folder, 'open.html');
}
