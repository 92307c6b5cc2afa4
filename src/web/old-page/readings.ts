import type { Clock } from '../../core/clock.ts';

interface Reading<T> {
  /** What it was read at: it is read again when this has changed. */
  readonly mark: string;
  readonly value: Promise<T>;
  /** Until then it stays, whatever has changed. */
  untilMs: number;
}

/** As many as may be open in tabs. */
const MOST_KEPT = 50;

/** What takes long to be read and is asked for again and again. A refusal may be mended, so it is not kept. */
export class Readings<T> {
  readonly #clock: Clock;
  readonly #idlePerReading: number;
  readonly #kept = new Map<string, Reading<T>>();

  /** @param idlePerReading for how many times as long as it took to read it stays. */
  constructor(clock: Clock, idlePerReading = 0) {
    this.#clock = clock;
    this.#idlePerReading = idlePerReading;
  }

  /** @param mark changes with what is read. */
  of(id: string, mark: string, read: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(id);
    const began = this.#clock.monotonicMs();
    if (known !== undefined && (known.mark === mark || began < known.untilMs)) return known.value;
    const reading: Reading<T> = { mark, value: read(), untilMs: Number.POSITIVE_INFINITY };
    this.#kept.delete(id);
    this.#kept.set(id, reading);
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    reading.value.then(
      () => {
        const now = this.#clock.monotonicMs();
        reading.untilMs = now + (now - began) * this.#idlePerReading;
      },
      () => this.#kept.delete(id),
    );
    return reading.value;
  }
}
