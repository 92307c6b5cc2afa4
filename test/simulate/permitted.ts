/** How often each call may be charged: once, and once more for each time that a person asked for it, or the ledger was made to forget it. */
import { promise } from './played.ts';
import type { Stage } from './stage.ts';
import type { Charge } from './vendor.ts';

export class Permitted {
  readonly #stage: Stage;
  readonly #more = new Map<string, number>();
  /** Each account may ask once what another one has asked. */
  #accounts = 1;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Calls that a vendor was asked, once each. */
  get asked(): readonly string[] {
    return [...new Set(this.#stage.sent.map((sent) => sent.replace(/ @\S+$/, '')))];
  }

  /** Each of them once more. */
  again(keys: Iterable<string>): void {
    for (const key of keys) this.#more.set(key, (this.#more.get(key) ?? 0) + 1);
  }

  /** Of all that was asked, what those words name. */
  againAbout(words: readonly string[]): void {
    this.again(this.asked.filter((key) => words.some((word) => key.includes(word))));
  }

  newAccount(): void {
    this.#accounts += 1;
  }

  /** What was charged before that time. @param which of these charges. */
  againFromBefore(ms: number, which: (charge: Charge) => boolean = () => true): void {
    const old = this.#stage.charges.filter((charge) => charge.atMs < ms && which(charge));
    this.again(new Set(old.map(({ key }) => key)));
  }

  /** No ledger knows any more what was charged since then. @param since the number of charges that it knows. */
  lost(since: number): void {
    this.again(this.#stage.charges.slice(since).map(({ key }) => key));
  }

  require(): void {
    const times = new Map<string, number>();
    for (const { key } of this.#stage.charges) times.set(key, (times.get(key) ?? 0) + 1);
    for (const [key, count] of times) {
      const most = this.#accounts + (this.#more.get(key) ?? 0);
      promise(count <= most, `charged ${count} times, at most ${most}: ${key}`);
    }
  }
}
