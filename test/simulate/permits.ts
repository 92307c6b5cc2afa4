/** Questions for later answers take at most every second permit of an account while something waits to be bought there. */
import { Limiter } from '../../src/client/limits/limiter.ts';
import { promise } from './played.ts';
import type { Stage } from './stage.ts';

/** The permits of one account in one process. */
interface Line {
  /** The requests that wait and are no questions, and since when. */
  readonly waiting: Set<{ readonly sinceMs: number }>;
  /** When the last permit was given, if that was for a question. */
  polledAtMs: number | undefined;
}

/** Watches the stage that was set last. */
export class Permits {
  static #newest: Permits | undefined;
  readonly #stage: Stage;
  readonly #lines = new WeakMap<Limiter, Line>();
  /** For how long some request had waited when a second question in a row was let through. */
  #waitedMs: number | undefined;

  static {
    const { permit } = Limiter.prototype;
    Limiter.prototype.permit = function watched(waiter, isPoll = false) {
      const given = permit.call(this, waiter, isPoll);
      const watching = Permits.#newest;
      if (watching !== undefined) watching.#watch(this, isPoll, given);
      return given;
    };
  }

  constructor(stage: Stage) {
    this.#stage = stage;
    Permits.#newest = this;
  }

  #watch(limiter: Limiter, isPoll: boolean, given: Promise<unknown>): void {
    const line = this.#lines.get(limiter) ?? { waiting: new Set(), polledAtMs: undefined };
    this.#lines.set(limiter, line);
    const own = { sinceMs: this.#stage.schedule.nowMs };
    if (!isPoll) line.waiting.add(own);
    const leave = (): boolean => line.waiting.delete(own);
    given.then(() => {
      leave();
      this.#given(line, isPoll);
    }, leave);
  }

  /** What waited already when a question got its permit comes before the next question. */
  #given(line: Line, isPoll: boolean): void {
    const { nowMs } = this.#stage.schedule;
    const { polledAtMs = Number.NEGATIVE_INFINITY, waiting } = line;
    const passedOver = [...waiting].find(({ sinceMs }) => sinceMs < polledAtMs);
    if (isPoll && passedOver !== undefined) this.#waitedMs ??= nowMs - passedOver.sinceMs;
    line.polledAtMs = isPoll ? nowMs : undefined;
  }

  require(): void {
    promise(
      this.#waitedMs === undefined,
      `two questions for later answers follow each other, and a request waits for ${this.#waitedMs} ms`,
    );
  }
}
