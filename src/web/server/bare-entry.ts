import type { Clock } from '../../core/clock.ts';
import { OnceOnly } from './secrets.ts';

/**
 * The way in where a browser does not find the page's name. At the bare address a program that once served there may have
 * left a service worker, which answers before we are asked. So a browser comes there without a word first, and is told to
 * forget what was left; a worker that was left asks for its script then, and gets one that removes it. The word is for a later
 * visit, and for none between which and the one before a worker's script was asked for.
 */
export class BareEntry {
  readonly #keys: OnceOnly<Visit>;
  #workersSeen = 0;
  #isOpen = false;

  constructor(clock: Clock) {
    this.#keys = new OnceOnly(clock);
  }

  /** Whether a browser came in here since the start. Before that nothing of the page is at the bare address. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @returns the key of a first visit. It works once and for a minute, as each that follows. */
  begin(): string {
    return this.#keys.issue({ workersSeen: undefined });
  }

  /** A browser has asked for the script of a service worker. */
  noteWorker(): void {
    this.#workersSeen += 1;
  }

  /** @returns whether the way is free; the key of the next visit where that is not known yet; undefined for no key of ours. */
  visit(key: string): 'free' | { readonly nextKey: string } | undefined {
    const before = this.#keys.redeem(key);
    if (before === undefined) return undefined;
    const workersSeen = this.#workersSeen;
    if (before.workersSeen !== workersSeen) return { nextKey: this.#keys.issue({ workersSeen }) };
    this.#isOpen = true;
    return 'free';
  }
}

/** The visit before: how many scripts of workers had been asked for then. Undefined: there was none. */
interface Visit {
  readonly workersSeen: number | undefined;
}
