/** undici's dispatcher, with a network of the world behind it: the program's own handlers are told what undici would tell them. */
import type { Answer, Question, Way } from '../network.ts';
import type { Timer } from '../schedule.ts';
import { here, owned, pass } from '../world.ts';

interface Controller {
  aborted: boolean;
  reason: Error | null;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

interface Handler {
  onRequestStart(controller: Controller, context: unknown): void;
  onResponseStart(controller: Controller, status: number, headers: Answer['headers']): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(controller: Controller, trailers: object): void;
  onResponseError(controller: Controller | null, error: Error): void;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | null;
}

const UNMADE: Readonly<Record<NonNullable<Way['unmade']>, string>> = {
  refused: 'ECONNREFUSED',
  unresolved: 'ENOTFOUND',
  certificate: 'CERT_HAS_EXPIRED',
  timeout: 'UND_ERR_CONNECT_TIMEOUT',
};

const failure = (code: string, message = code): Error => Object.assign(new Error(message), { code });

/** No exchange may take so long. */
const HELD_MS = 2 * 3_600_000;
const AWAKE_MS = 1_000;

const CONNECT_MS = 1;

/** One exchange, from the connection to the last byte. */
class Exchange {
  readonly #question: Question;
  readonly #handler: Handler;
  readonly #over: (isKept: boolean) => void;
  readonly #here = here();
  readonly #controller: Controller;
  #isOver = false;
  #held: Timer | undefined;

  constructor(question: Question, handler: Handler, over: (isKept: boolean) => void) {
    this.#question = question;
    this.#handler = handler;
    this.#over = over;
    this.#controller = {
      aborted: false,
      reason: null,
      abort: (reason) => this.#abort(reason),
      pause() {},
      resume() {},
    };
  }

  /** @param isOpen that it has a connection, on which it leaves at once, as with undici. */
  start(isOpen: boolean): void {
    const { network } = this.#here.world;
    const way = network.way(this.#question);
    const { unmade, outMs } = way;
    if (unmade !== undefined)
      this.#later(outMs, () => this.#failed(null, failure(UNMADE[unmade], `connect ${UNMADE[unmade]}`)));
    else if (isOpen) this.#begin(way);
    else this.#later(CONNECT_MS, () => this.#begin(way));
  }

  /** One passage: undici writes the first byte in the turn in which it asks whether it may. */
  #begin(way: Way): void {
    pass(() => {
      this.#handler.onRequestStart(this.#controller, {});
      if (!this.#controller.aborted) this.#leave(way);
    });
  }

  /** From here on the request goes its way without the process. */
  #leave(way: Way): void {
    const { network, schedule } = this.#here.world;
    const { outMs, backMs, cut } = way;
    network.left(this.#question);
    const fail = (): void => this.#failed(this.#controller, failure('ECONNRESET'));
    if (cut === 'going') {
      this.#later(outMs, fail);
      return;
    }
    const back = owned(() => pass(() => this.#hear(answer as Answer, cut)));
    let answer: Answer | undefined;
    if (cut === 'silence') this.#hold();
    schedule.after(outMs, () => {
      answer = network.arrive(this.#question);
      if (cut !== 'silence') schedule.after(backMs + (answer.afterMs ?? 0), back);
    });
  }

  #hear(answer: Answer, cut: Way['cut']): void {
    if (this.#isOver) return;
    if (cut === 'answer') {
      this.#failed(this.#controller, failure('ECONNRESET'));
      return;
    }
    const { status, headers, body, isEndless = false } = answer;
    this.#handler.onResponseStart(this.#controller, status, headers);
    const bytes = Buffer.from(body);
    const half = bytes.subarray(0, bytes.length / 2);
    if (!this.#controller.aborted)
      this.#handler.onResponseData(this.#controller, cut || isEndless ? half : bytes);
    if (this.#controller.aborted) return;
    if (isEndless) this.#hold();
    else if (cut === 'body') this.#failed(this.#controller, failure('UND_ERR_SOCKET', 'other side closed'));
    else {
      this.#end(true);
      answer.heard?.();
      this.#handler.onResponseEnd(this.#controller, {});
    }
  }

  /** An open connection keeps its process alive. Whoever has slept meanwhile closes it as the first thing. */
  #hold(): void {
    const { world, process } = this.#here;
    const late = (): void => process.fail(new Error('an exchange goes on beyond its deadline'));
    const awake = (): void => {
      this.#held = world.schedule.after(AWAKE_MS, owned(late));
    };
    this.#held = world.schedule.after(HELD_MS, owned(awake));
  }

  #abort(reason: Error): void {
    if (this.#isOver) return;
    this.#controller.aborted = true;
    this.#controller.reason = reason;
    this.#failed(this.#controller, reason);
  }

  #failed(controller: Controller | null, error: Error): void {
    if (this.#isOver) return;
    this.#end(false);
    this.#handler.onResponseError(controller, error);
  }

  #end(isKept: boolean): void {
    this.#isOver = true;
    if (this.#held !== undefined) this.#here.world.schedule.cancel(this.#held);
    this.#over(isKept);
  }

  #later(ms: number, work: () => void): void {
    this.#here.world.schedule.after(ms, owned(work));
  }
}

interface Options {
  readonly connections: number;
  readonly keepAliveTimeout: number;
}

class Pool {
  readonly #origin: string;
  readonly #most: number;
  readonly #keptMs: number;
  readonly #schedule = here().world.schedule;
  readonly #waiting: Exchange[] = [];
  /** Until when each of the open connections that no one uses is kept, the oldest first. */
  readonly #kept: number[] = [];
  #used = 0;

  constructor(origin: string | URL, { connections, keepAliveTimeout }: Options) {
    this.#origin = new URL(origin).origin;
    this.#most = connections;
    this.#keptMs = keepAliveTimeout;
  }

  dispatch({ method, path, headers, body }: Asked, handler: Handler): boolean {
    const question = { origin: this.#origin, method, path, headers, body: body?.toString() ?? '' };
    this.#waiting.push(new Exchange(question, handler, (isKept) => this.#over(isKept)));
    this.#next();
    return true;
  }

  #over(isKept: boolean): void {
    this.#used -= 1;
    if (isKept) this.#kept.push(this.#schedule.nowMs + this.#keptMs);
    this.#next();
  }

  #next(): void {
    while (this.#used < this.#most && this.#waiting.length > 0) {
      this.#used += 1;
      const isOpen = (this.#kept.pop() ?? 0) > this.#schedule.nowMs;
      this.#waiting.shift()?.start(isOpen);
    }
  }

  async destroy(): Promise<void> {}

  async close(): Promise<void> {}
}

export { Pool as 'module.exports' };
