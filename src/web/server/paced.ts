import type { Clock } from '../../core/clock.ts';

/** What takes longer to be read the longer a batch is, so it is read again only after a far longer while. */

const IDLE_PER_READING = 20;

interface Reading<T> {
  /** What it was read at: it is read again when this has changed. */
  readonly mark: number | string;
  readonly value: Promise<T>;
  /** Until then it stays, whatever has changed. */
  untilMs: number;
}

export class Paced<T> {
  readonly #clock: Clock;
  readonly #readings = new Map<string, Reading<T>>();

  readonly #most: number;

  /** @param most readings are kept; then the oldest goes. */
  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** @param mark changes with what is read. */
  of(id: string, mark: number | string, read: () => Promise<T>): Promise<T> {
    const known = this.#readings.get(id);
    const began = this.#clock.monotonicMs();
    if (known !== undefined && (known.mark === mark || began < known.untilMs)) return known.value;
    const reading: Reading<T> = { mark, value: read(), untilMs: Number.POSITIVE_INFINITY };
    this.#readings.delete(id);
    this.#readings.set(id, reading);
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= this.#most) break;
      this.#readings.delete(oldest);
    }
    reading.value.then(
      () => {
        const now = this.#clock.monotonicMs();
        reading.untilMs = now + (now - began) * IDLE_PER_READING;
      },
      () => this.#readings.delete(id),
    );
    return reading.value;
  }
}
