import { systemClock } from '../../core/clock.ts';
import { PlanSoFar } from '../../objects/plan-object.ts';
import type { Reading } from '../api.ts';
import type { ProgressListener } from './child.ts';

/** What plans have counted of lists that they still read: a page that waits for one asks every second. */
export class Readings {
  readonly #ofLists = new Map<string, Reading>();
  #underWay = 0;
  #rested = Promise.withResolvers<void>();

  of(list: string): Reading | null {
    return this.#ofLists.get(list) ?? null;
  }

  /** Resolves when no page waits for a reading. */
  rest(): Promise<void> {
    return this.#underWay === 0 ? Promise.resolve() : this.#rested.promise;
  }

  /** @param work reads the list, and hands on what its command says meanwhile. */
  async during<Answer>(
    list: string,
    work: (onProgress: ProgressListener) => Promise<Answer>,
  ): Promise<Answer> {
    let begunMs: number | undefined;
    let reading: Reading | undefined;
    this.#underWay += 1;
    try {
      return await work((message) => {
        const { data } = PlanSoFar.safeParse(message);
        if (data === undefined) return;
        const nowMs = systemClock.monotonicMs();
        begunMs ??= nowMs;
        reading = { ...data, seconds: (nowMs - begunMs) / 1000 };
        this.#ofLists.set(list, reading);
      });
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) {
        this.#rested.resolve();
        this.#rested = Promise.withResolvers();
      }
      // Another plan of the list may be under way since: a choice that she changes is planned anew.
      if (this.#ofLists.get(list) === reading) this.#ofLists.delete(list);
    }
  }
}
