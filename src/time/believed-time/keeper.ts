import type { Time, TimeMark } from '../../ledger/ledger.ts';
import { extended } from './reckoning.ts';

/** How often the confirmed time is written while it advances as expected. */
const KEEP_EVERY_MS = 60_000;

/**
 * A confirmed time that differs by more than this from the stored one is written at once. The database allows for two.
 */
const KEEP_BEYOND_MS = 1_000;

export type Keeping = Pick<Time, 'keepSeenTime' | 'keepConfirmedTime' | 'refuteTimes'>;

export const KEEPS_NOTHING: Keeping = {
  keepSeenTime: async () => {},
  keepConfirmedTime: async () => {},
  refuteTimes: async () => {},
};

/** What holds intents that are dated and not in the ledger yet. */
export interface Holder {
  /** Has them written before whatever is written next. */
  append(): void;
}

/**
 * Keeps in the ledger what is known of the time. No write is awaited: the next commit holds it, and a loss only means that the
 * next answer has to tell the time again. The ledger refuses an intent that is dated before the time it knows of, so intents
 * that are dated by now come into it first.
 */
export class Keeper {
  readonly #ledger: Keeping;
  /** The confirmed time as it was last written, and the monotonic time of that write. */
  #written: (TimeMark & { readonly writtenMs: number }) | undefined;
  readonly #holders = new Set<Holder>();

  /** @param confirmed what is in the ledger already. */
  constructor(ledger: Keeping, confirmed: TimeMark | undefined, monotonicMs: number) {
    this.#ledger = ledger;
    this.#written = confirmed && { ...confirmed, writtenMs: monotonicMs };
  }

  /** @returns what ends it. */
  heldBy(holder: Holder): () => void {
    this.#holders.add(holder);
    return () => void this.#holders.delete(holder);
  }

  seen(seen: TimeMark): void {
    void this.#ledger.keepSeenTime(seen).catch(() => {});
  }

  /** Writes it, unless the last written time still says as much at this uptime. @param identity of the account that told it. */
  confirmed(confirmed: TimeMark, monotonicMs: number, uptimeMs: number, identity: string): void {
    const written = this.#written;
    const isLate = written === undefined || monotonicMs - written.writtenMs >= KEEP_EVERY_MS;
    if (!isLate && extended(confirmed, uptimeMs) - extended(written, uptimeMs) <= KEEP_BEYOND_MS) return;
    this.#written = { ...confirmed, writtenMs: monotonicMs };
    this.#handOver();
    void this.#ledger.keepConfirmedTime(confirmed, identity).catch(() => {});
  }

  refuted(afterMs: number): void {
    this.#written = undefined;
    this.#handOver();
    void this.#ledger.refuteTimes(afterMs).catch(() => {});
  }

  #handOver(): void {
    for (const holder of this.#holders) holder.append();
  }
}
