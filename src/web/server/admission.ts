import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { newSecret, OnceOnly, SHORT_MS, sameSecret } from './secrets.ts';

/** Who is let in: the word of a printed address becomes the token of a tab, once and within a minute. */
export class Admission {
  /** What `serve.json` holds, for tools of this user. */
  readonly tool = newSecret();
  readonly #tabs: string[] = [];
  readonly #openings: OnceOnly<true>;
  readonly #redirect: string;
  #expiry: NodeJS.Timeout | undefined;

  /** @param folder where a browser may find its way in, as `redirectIn` says. */
  constructor(clock: Clock, folder: string) {
    this.#openings = new OnceOnly(clock);
    this.#redirect = redirectIn(folder);
  }

  issue(): string {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.removeRedirect(), SHORT_MS).unref();
    return this.#openings.issue(true);
  }

  /** @returns the token of a new tab; undefined when the word lets nobody in. */
  admit(opening: string): string | undefined {
    if (this.#openings.redeem(opening) === undefined) return undefined;
    this.removeRedirect();
    const token = newSecret();
    this.#tabs.unshift(token);
    this.#tabs.length = Math.min(this.#tabs.length, MOST_TABS);
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

/** As many tabs as may be open with a token each; the oldest of more is asked to open the page again. */
const MOST_TABS = 100;

/** The file that leads a browser to an address with its word, because every user of a machine can read arguments. */
export function redirectIn(folder: string): string {
  return join(folder, 'open.html');
}
