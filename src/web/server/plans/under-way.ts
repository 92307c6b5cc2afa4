import { stop } from '../../../core/errors.ts';

/**
 * Plans that are being made. Each is a process that reads the whole list, so it ends when nobody waits for it any more: whoever
 * asked has left, or has the same question in a newer process, which knows more and answers both.
 */
export class PlansUnderWay<T> {
  readonly #newest = new Map<string, Making<T>>();

  /** @param question its newest process answers all who ask it. @param asker fires when whoever asks has left. */
  async ask(question: string, asker: AbortSignal, make: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#newest.get(question)?.giveUp();
    let making = this.#begin(question, asker, make);
    for (;;) {
      try {
        return await making.made;
      } catch (error) {
        if (!making.isGivenUp || asker.aborted) throw error;
        making = this.#newest.get(question) ?? this.#begin(question, asker, make);
      }
    }
  }

  #begin(question: string, asker: AbortSignal, make: (signal: AbortSignal) => Promise<T>): Making<T> {
    const making = new Making(asker, make);
    this.#newest.set(question, making);
    const end = (): void => {
      if (this.#newest.get(question) === making) this.#newest.delete(question);
    };
    making.made.then(end, end);
    return making;
  }
}

class Making<T> {
  readonly #controller = new AbortController();
  readonly made: Promise<T>;

  constructor(asker: AbortSignal, make: (signal: AbortSignal) => Promise<T>) {
    const leave = (): void => this.giveUp();
    asker.addEventListener('abort', leave, { once: true });
    if (asker.aborted) leave();
    this.made = make(this.#controller.signal).finally(() => asker.removeEventListener('abort', leave));
  }

  get isGivenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  giveUp(): void {
    this.#controller.abort(stop('terminated', 'This plan is no longer being made.', 'Ask for it again.'));
  }
}
