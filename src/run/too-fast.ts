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
  readonly #asking = new Set<AskedCall>();

  /** A call was answered whose request left then, monotonic. */
  answered(sentAtMs: number): void {
    this.#answeredSentMs = Math.max(this.#answeredSentMs, sentAtMs);
  }

  begin(): AskedCall {
    const call = { toldSentMs: Number.POSITIVE_INFINITY, isAlone: false, times: 0 };
    this.#asking.add(call);
    return call;
  }

  end(call: AskedCall): void {
    this.#asking.delete(call);
  }

  /**
   * The vendor said so to a request of the call that left then. The account waits, and the slot is left to others. A call that alone is
   * told so teaches nothing about the speed.
   */
  told(
    call: AskedCall,
    limiter: Client['limiter'],
    { pauseMs, why }: Extract<Verdict, { readonly kind: 'paused' }>,
    sentAtMs: number,
  ): 'again' | PutOff {
    const othersPass = this.#answeredSentMs > call.toldSentMs;
    call.toldSentMs = sentAtMs;
    call.isAlone ||= othersPass;
    const isTail = [...this.#asking].every(({ isAlone }) => isAlone);
    if (call.times === 0 || othersPass || isTail) call.times += 1;
    limiter.pause(pauseMs, sentAtMs, why, !call.isAlone);
    return call.times < MOST_TOLD ? 'again' : { kind: 'put_off' };
  }
}

export interface AskedCall {
  toldSentMs: number;
  /** Whether others that left later than one of its requests were answered. */
  isAlone: boolean;
  /** How often it was told so, after others were answered, or when only such calls were left. */
  times: number;
}

/** The vendor told this call alone "too many requests", so often that the next run has to ask again. */
export interface PutOff {
  readonly kind: 'put_off';
}
