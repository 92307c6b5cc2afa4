import type { Client } from '../client/client.ts';
import type { Verdict } from '../client/judge.ts';

/** So often a call is told "too many requests" while others are answered, until it is left to the next run. */
export const MOST_TOLD = 8;

/** The reason of a row that was told so too often. It waits for the next run, and for nobody's decision. */
export const PUT_OFF = `the vendor said "too many requests" to this row ${MOST_TOLD} times while other rows were answered; nothing is at risk, and the next run asks again`;

/**
 * Calls that the vendor tells "too many requests" while it answers others: what is wrong then is the call and not the
 * speed of its account. One for all runs of an account.
 */
export class TooFast {
  #answeredSentMs = Number.NEGATIVE_INFINITY;
  #asking = 0;
  #alone = 0;

  /** A call was answered whose request left then, monotonic. */
  answered(sentAtMs: number): void {
    this.#answeredSentMs = Math.max(this.#answeredSentMs, sentAtMs);
  }

  begin(): AskedCall {
    this.#asking += 1;
    return new AskedCall(this);
  }

  answeredSince(sentAtMs: number): boolean {
    return this.#answeredSentMs > sentAtMs;
  }

  addAlone(): void {
    this.#alone += 1;
  }

  end(isAlone: boolean): void {
    this.#asking -= 1;
    if (isAlone) this.#alone -= 1;
  }

  get onlyAloneAreLeft(): boolean {
    return this.#alone === this.#asking;
  }
}

export class AskedCall {
  readonly #all: TooFast;
  #toldSentMs = Number.POSITIVE_INFINITY;
  #isAlone = false;
  #times = 0;

  constructor(all: TooFast) {
    this.#all = all;
  }

  /** The vendor said "too many requests" to its request that left then. */
  told(sentAtMs: number): Told {
    const othersPass = this.#all.answeredSince(this.#toldSentMs);
    this.#toldSentMs = sentAtMs;
    if (othersPass && !this.#isAlone) {
      this.#isAlone = true;
      this.#all.addAlone();
    }
    if (this.#times === 0 || othersPass || (this.#isAlone && this.#all.onlyAloneAreLeft)) this.#times += 1;
    return { times: this.#times, isAlone: this.#isAlone };
  }

  end(): void {
    this.#all.end(this.#isAlone);
  }
}

/** `isAlone`: others that left later than one of its requests were answered. `times`: how often it was told so, as far as that counts. */
export interface Told {
  readonly times: number;
  readonly isAlone: boolean;
}

/** The vendor told this call alone "too many requests", so often that the next run has to ask again. */
export interface PutOff {
  readonly kind: 'put_off';
}

/** The account waits, and the slot is left to others. A call that alone is told so teaches nothing about the speed. */
export function turnedAway(
  limiter: Client['limiter'],
  asked: AskedCall,
  { pauseMs, why }: Extract<Verdict, { readonly kind: 'paused' }>,
  sentAtMs: number,
): 'again' | PutOff {
  const { times, isAlone } = asked.told(sentAtMs);
  limiter.pause(pauseMs, sentAtMs, why, !isAlone);
  return times < MOST_TOLD ? 'again' : { kind: 'put_off' };
}
