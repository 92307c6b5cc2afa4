import type { Clock } from '../../../core/clock.ts';
import { StopError, stop } from '../../../core/errors.ts';
import type { Listener } from '../../../core/events.ts';
import type { Account } from '../../../vendor/account/account.ts';
import type { Dialect } from '../../../vendor/dialect.ts';
import type { Reply } from '../../../vendor/judge.ts';
import { Limiter, type Permit, type Waiter } from '../../../vendor/limits/limiter.ts';
import { judgeFree, type Page, pageFrom } from '../../../vendor/member-list.ts';
import { rateHintsIn } from '../../../vendor/rate-hints.ts';
import type { HttpRequest, RequestValues } from '../../../vendor/request.ts';
import type { Transport } from '../../../vendor/transport.ts';
import { basePathOf, requestValuesOf, transportTo } from '../../../vendor/vendor-line.ts';

/** Whom to ask, and who hears of it. */
export interface LookOrder {
  readonly account: Account;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly emit: Listener;
  /** Fires when nothing is to be asked any more. */
  readonly signal: AbortSignal;
  /** How long nothing may move; left out: ten minutes, because nothing is lost when a look is taken another time. */
  readonly maxPauseMs?: number | undefined;
}

const DEFAULT_MAX_PAUSE_MS = 10 * 60_000;

/** A look costs nothing, so it is tried again; who fails five times, some seconds apart, is down. */
const MOST_TRIES = 5;

/**
 * Free questions to a vendor before a run has a line of its own: one at a time, at the account's pace, and asked again
 * until they are answered. They leave nothing behind, so a crash at any point only means to ask again.
 */
export class LookUps {
  readonly values: RequestValues;
  readonly basePath: string;
  readonly #order: LookOrder;
  readonly #origin: string;
  readonly #transport: Transport;
  readonly #limiter: Limiter;
  readonly #waiter: Waiter;

  private constructor(order: LookOrder, baseUrl: URL, values: RequestValues) {
    const { account, clock, dialect, emit, signal, maxPauseMs = DEFAULT_MAX_PAUSE_MS } = order;
    this.values = values;
    this.basePath = basePathOf(baseUrl);
    this.#order = order;
    this.#origin = baseUrl.origin;
    this.#waiter = { signal, maxPauseMs };
    this.#transport = transportTo(baseUrl, account, values, dialect, 1, clock);
    this.#limiter = new Limiter({
      limits: { ...account.limits, concurrency: 1 },
      clock,
      earlierSendsMs: [],
      pausedUntilMs: undefined,
      learnedPerSecond: undefined,
      // One at a time is slow enough to begin with, where nobody knows the plan.
      unhurried: true,
      onPause: ({ untilMs, why, asked }) => emit({ kind: 'paused', untilMs, why, asked }),
      onLearned: () => {},
    });
  }

  /** @throws StopError `account` when the key is not where the account says. */
  static async open(order: LookOrder, baseUrl: URL): Promise<LookUps> {
    return new LookUps(order, baseUrl, await requestValuesOf(order.account));
  }

  /**
   * The answer to one free request.
   * @throws StopError `key`, `address` or `vendor_credits` when the vendor says so, `paused` when it does not answer.
   */
  ask(request: HttpRequest): Promise<Page> {
    return this.#limiter.slot(this.#waiter, async () => {
      for (let failures = 0; failures < MOST_TRIES; ) {
        const { reply, verdict, sentAtMs } = await this.#tryOnce(request);
        if (verdict.kind === 'stop') throw new StopError(verdict.stop);
        if (verdict.kind === 'settle') {
          this.#limiter.settled();
          return pageFrom(reply, verdict);
        }
        const { why } = verdict.closure;
        if (verdict.kind === 'pause') {
          this.#limiter.pause(verdict.pauseMs, sentAtMs, `the vendor asked to wait (${why})`);
          continue;
        }
        refuseWrongAddress(reply, this.#origin);
        failures += 1;
        if (failures === MOST_TRIES) throw silent(request, why);
        this.#limiter.backOff(sentAtMs, why);
      }
      throw silent(request, 'it was not asked');
    });
  }

  async close(): Promise<void> {
    await this.#limiter.close();
    await this.#transport.close();
  }

  async #tryOnce(request: HttpRequest) {
    const { clock, dialect } = this.#order;
    await this.#transport.untilQuiet();
    const permit = await this.#limiter.permit(this.#waiter);
    const sentAtMs = clock.monotonicMs();
    try {
      const reply = await this.#send(request, permit);
      const { rate_hints: names } = dialect;
      if (reply.kind === 'answered') this.#limiter.hear(rateHintsIn(reply.raw, names), sentAtMs);
      return { reply, verdict: judgeFree(reply, dialect, request, this.#origin), sentAtMs };
    } finally {
      permit.done();
    }
  }

  async #send(request: HttpRequest, permit: Permit): Promise<Reply> {
    const { clock } = this.#order;
    const intentAt = { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    const reply = await this.#transport.send(request, { intentAt, onSent: () => permit.sent() });
    if (reply.kind === 'answered') permit.answered();
    return reply;
  }
}

/** What waiting does not mend. */
function refuseWrongAddress(reply: Reply, origin: string): void {
  if (reply.kind !== 'not_sent') return;
  if (reply.cause === 'unreachable' || reply.cause === 'late') return;
  const fact = `${origin} cannot be reached: ${reply.message}.`;
  throw stop('address', fact, 'Check base_url of the account, the network and the proxy.');
}

function silent({ method, path }: HttpRequest, why: string): StopError {
  const fact = `The service does not answer ${method} ${path}, asked ${MOST_TRIES} times: ${why}.`;
  return stop('paused', fact, 'Type the same command again later.');
}
