import type { Turn } from '../../../ledger/ledger.ts';

export class RatePermit {
  readonly #giver: PermitGiver;
  readonly #turn: Turn | undefined;

  constructor(giver: PermitGiver, turn: Turn | undefined) {
    [this.#giver, this.#turn] = [giver, turn];
  }

  /** Resolves when its request may leave, or at `latestMs`, monotonic; undefined when it may. */
  untilDue(latestMs: number): Promise<void> | undefined {
    return this.#turn?.untilDue(latestMs);
  }

  holds(): boolean {
    return this.mayLeave() && this.#giver.holds();
  }

  /** Whether it may be used in this very turn, to be asked just before its headers leave. */
  mayLeave(): boolean {
    return this.#turn?.mayLeave() !== false;
  }

  sent(): void {
    this.#turn?.left();
    this.#giver.sent(this);
  }

  answered(): void {
    this.#turn?.answered();
    this.#giver.answered(this);
  }

  /** To be called when its attempt is over, with all consequences of its answer, or given up. */
  done(): void {
    this.#turn?.giveBack();
    this.#giver.done(this);
  }
}

export interface PermitGiver {
  holds(): boolean;
  sent(permit: RatePermit): void;
  answered(permit: RatePermit): void;
  done(permit: RatePermit): void;
}

/** A request that is on its way, or answered: its monotonic time, and its number in the log of each window. */
interface Sent {
  readonly atMs: number;
  readonly numbers: readonly number[];
  isAnswered: boolean;
}

export class Outstanding {
  readonly #permits = new Map<RatePermit, Sent | undefined>();
  #inHand = 0;
  #answered = 0;
  #applied = 0;
  /** Who waits until so many have had them, in rising order. */
  readonly #untilApplied: { readonly answers: number; readonly resolve: () => void }[] = [];

  get size(): number {
    return this.#permits.size;
  }

  get inHand(): number {
    return this.#inHand;
  }

  get inFlight(): number {
    return this.#permits.size - this.#inHand - (this.#answered - this.#applied);
  }

  add(permit: RatePermit): void {
    this.#permits.set(permit, undefined);
    this.#inHand += 1;
  }

  isInHand(permit: RatePermit): boolean {
    return this.#permits.has(permit) && this.#permits.get(permit) === undefined;
  }

  sent(permit: RatePermit, atMs: number, numbers: readonly number[]): void {
    this.#permits.set(permit, { atMs, numbers, isAnswered: false });
    this.#inHand -= 1;
  }

  answered(permit: RatePermit): Sent | undefined {
    const sent = this.#permits.get(permit);
    if (sent === undefined || sent.isAnswered) return undefined;
    sent.isAnswered = true;
    this.#answered += 1;
    return sent;
  }

  remove(permit: RatePermit): boolean {
    if (this.isInHand(permit)) this.#inHand -= 1;
    const isUnapplied = this.#permits.get(permit)?.isAnswered === true;
    const wasOut = this.#permits.delete(permit);
    if (isUnapplied) this.#oneApplied();
    return wasOut;
  }

  /** Resolves when as many answers as have come by now have had their consequences; undefined when that is so. */
  applied(): Promise<void> | undefined {
    const answers = this.#answered;
    if (this.#applied === answers) return undefined;
    return new Promise((resolve) => this.#untilApplied.push({ answers, resolve }));
  }

  sentSince(atMs: number): number {
    let count = 0;
    for (const sent of this.#permits.values()) if (sent !== undefined && sent.atMs > atMs) count += 1;
    return count;
  }

  #oneApplied(): void {
    this.#applied += 1;
    while ((this.#untilApplied[0]?.answers ?? Number.POSITIVE_INFINITY) <= this.#applied)
      this.#untilApplied.shift()?.resolve();
  }
}
