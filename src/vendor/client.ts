import type { Clock } from '../core/clock.ts';
import { invariant, StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { Admitted, RawReply } from '../ledger/ledger.ts';
import type { Account } from './account/account.ts';
import { resolveKey } from './account/account-key.ts';
import type { AnswerRule, Dialect } from './dialect.ts';
import { vendorReply } from './envelope.ts';
import { judge, type Reply, type Verdict } from './judge.ts';
import { Limiter, type LimiterOptions, type Waiter } from './limits/limiter.ts';
import { rateHintsIn } from './rate-hints.ts';
import { basePathOf, type FreeRequest, type HttpRequest, type RequestValues } from './request.ts';
import { Transport } from './transport.ts';

export type { Limits, Pause, Waiter } from './limits/limiter.ts';

/** Answers take seconds, not minutes; an answer that comes later counts as lost, so this is generous. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** When a free question has failed this often, some seconds apart, the vendor is down. */
const MOST_TRIES = 5;

export interface ClientOptions extends Omit<LimiterOptions, 'limits' | 'clock'> {
  readonly account: Account;
  readonly dialect: Dialect;
  readonly baseUrl: URL;
  readonly clock: Clock;
  /** The clock that measures the age of intents; `clock` without it. */
  readonly machine?: Clock;
  /** Reads what an answer says about the time, and dates the answer. */
  heard?(reply: Reply): Reply;
  /** Called when an unrequested answer came on a connection that had carried `requests` requests. */
  onSurplus?(requests: number): void;
}

/** A request that is finished. */
export interface Sent {
  readonly reply: Reply;
  /** Monotonic time at which the request left, or was given up. */
  readonly sentAtMs: number;
}

/** A free question that was sent. */
export interface Asked extends Sent {
  readonly verdict: Verdict;
}

/** The answer to a free question. `refused`: the vendor does not answer it. */
export type Page =
  | { readonly kind: 'answered'; readonly raw: RawReply }
  | { readonly kind: 'refused'; readonly why: string };

/** The right to send one request now. */
export interface Turn {
  /** Sends what may cost something, once for each admission. */
  send(admission: Admitted, request: HttpRequest, onSent: () => void): Promise<Sent>;
  /** Ends the turn early, because nothing will be sent. */
  giveBack(): void;
}

/** Admissions whose request was sent. */
const USED = new WeakSet<Admitted>();

interface Parts {
  readonly dialect: Dialect;
  readonly origin: string;
  /** Path of the account's base address, without a slash at its end. */
  readonly basePath: string;
  readonly values: RequestValues;
  /** How long a whole exchange may take. */
  readonly timeoutMs: number;
  readonly limiter: Limiter;
  readonly transport: Transport;
  readonly machine: Clock;
  readonly heard: (reply: Reply) => Reply;
}

/** One account of a vendor: opens it, sends at its pace, hears what answers say about the pace, and judges free answers. */
export class Client {
  readonly dialect: Dialect;
  readonly origin: string;
  readonly basePath: string;
  readonly values: RequestValues;
  readonly timeoutMs: number;
  readonly limiter: Limiter;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.dialect = parts.dialect;
    this.origin = parts.origin;
    this.basePath = parts.basePath;
    this.values = parts.values;
    this.timeoutMs = parts.timeoutMs;
    this.limiter = parts.limiter;
    this.#parts = parts;
  }

  /** @throws StopError `account` when the key is not where the account says. */
  static async open(options: ClientOptions): Promise<Client> {
    const { account, dialect, baseUrl, clock, machine = clock, heard = (reply) => reply } = options;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, limits, projectId, organizationId } = account;
    const values: RequestValues = {
      key: await resolveKey(account),
      ...present({ project_id: projectId, organization_id: organizationId }),
    };
    const { origin } = baseUrl;
    const transport = new Transport({
      origin,
      connections: limits.concurrency,
      timeoutMs,
      clock: machine,
      onSurplus: options.onSurplus ?? (() => {}),
      keptHeaders: headersReadBy(dialect),
      keys: [values.key],
    });
    const limiter = new Limiter({ ...options, limits });
    const basePath = basePathOf(baseUrl);
    const shared = { origin, basePath, values, timeoutMs, limiter, transport, machine, heard };
    return new Client({ ...shared, dialect });
  }

  /** A client for the same account that reads answers by another dialect. */
  speaking(dialect: Dialect): Client {
    return new Client({ ...this.#parts, dialect });
  }

  /**
   * Silence → permit → `work`, which commits the intent and sends at once. A slot is held by the caller, so a permit never
   * waits for one and then bursts. The permit is given back however `work` ends. Only `run/attempt.ts` calls this.
   */
  exchange<T>(waiter: Waiter, work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#inTurn(waiter, (send, giveBack) =>
      work({
        giveBack,
        send(admission, request, onSent) {
          invariant(!USED.has(admission), 'an admission sends one request');
          USED.add(admission);
          return send(request, onSent);
        },
      }),
    );
  }

  /** Asks a free question once, at the account's pace. It has no intent, because it costs nothing. */
  ask(waiter: Waiter, request: FreeRequest): Promise<Asked> {
    return this.limiter.slot(waiter, () => this.#askOnce(waiter, request));
  }

  /**
   * Asks a free question until it is answered. A crash at any point only means to ask again.
   * @throws StopError `key`, `address` or `vendor_credits` when the vendor says so, `paused` when it does not answer.
   */
  askPatiently(waiter: Waiter, request: FreeRequest): Promise<Page> {
    const { limiter } = this;
    return limiter.slot(waiter, async () => {
      for (let failures = 0; ; ) {
        const { reply, verdict, sentAtMs } = await this.#askOnce(waiter, request);
        if (verdict.kind === 'stop') throw new StopError(verdict.stop);
        if (verdict.kind === 'settle') {
          limiter.settled();
          return pageFrom(reply, verdict);
        }
        const { why } = verdict.closure;
        if (verdict.kind === 'pause') {
          limiter.pause(verdict.pauseMs, sentAtMs, `the vendor asked to wait (${why})`);
          continue;
        }
        refuseWrongAddress(reply, this.origin);
        failures += 1;
        if (failures === MOST_TRIES) throw silent(request, why);
        limiter.backOff(sentAtMs, why);
      }
    });
  }

  async close(): Promise<void> {
    await this.#parts.limiter.close();
    await this.#parts.transport.close();
  }

  #askOnce(waiter: Waiter, request: FreeRequest): Promise<Asked> {
    return this.#inTurn(waiter, async (send) => {
      const sent = await send(request, () => {});
      this.hear(sent);
      return { ...sent, verdict: judgeFree(sent.reply, this.dialect, request, this.origin) };
    });
  }

  async #inTurn<T>(
    waiter: Waiter,
    work: (
      send: (request: HttpRequest, onSent: () => void) => Promise<Sent>,
      giveBack: () => void,
    ) => Promise<T>,
  ): Promise<T> {
    const { limiter, transport, machine, heard } = this.#parts;
    await transport.untilQuiet();
    const permit = await limiter.permit(waiter);
    // Taken before the commit, so that a process that is stopped in the middle of it is late as well. It is the
    // machine's own calendar, because a jump of that shows that the machine may have slept.
    const intentAt = { monotonicMs: machine.monotonicMs(), wallMs: machine.wallMs() };
    const send = async (request: HttpRequest, onSent: () => void): Promise<Sent> => {
      let sentAtMs = intentAt.monotonicMs;
      const left = (): void => {
        sentAtMs = machine.monotonicMs();
        permit.sent();
        onSent();
      };
      const reply = heard(await transport.send(request, { intentAt, onSent: left }));
      if (reply.kind === 'answered') permit.answered();
      return { reply, sentAtMs };
    };
    try {
      return await work(send, () => permit.done());
    } finally {
      permit.done();
    }
  }

  /**
   * Hears what an answer says about how fast its account may be asked; a service that the vendor is behind has limits of its
   * own. Requests that wait may leave at once, so a paid answer is closed, and what it says of the clocks is heeded, before.
   */
  hear({ reply, sentAtMs }: Sent): void {
    if (reply.kind !== 'answered') return;
    const { raw } = reply;
    const own = vendorReply(raw, this.dialect);
    const hints = own === undefined ? rateHintsIn(raw, undefined) : rateHintsIn(own, this.dialect.rate_hints);
    this.limiter.hear(hints, sentAtMs);
  }
}

/** Vendors without such a question often answer with an empty 404; after a proxy's page we ask again. */
const NO_SUCH_QUESTION: AnswerRule = { status: [404], body: { is: 'blank' }, means: 'refused' };

/** What a reply to a free request means: no such request can be charged. */
function judgeFree(reply: Reply, dialect: Dialect, request: HttpRequest, origin: string): Verdict {
  const { method, path } = request;
  const question = { method, path, credits: { most: 0, found: 0 }, answers: [NO_SUCH_QUESTION] };
  return judge(reply, dialect, question, { origin, path });
}

/** Turns a verdict into a page. A dialect may call an empty list "no match"; it is a page all the same. */
export function pageFrom(reply: Reply, { kind, closure }: Verdict): Page {
  const isWhole = reply.kind === 'answered' && Math.floor(reply.raw.status / 100) === 2;
  const isRead = kind === 'settle' && closure.kind === 'settled' && closure.answer !== 'refused';
  return isWhole && isRead ? { kind: 'answered', raw: reply.raw } : { kind: 'refused', why: closure.why };
}

/** Response headers that this dialect reads, beyond those that are kept of every answer. */
function headersReadBy(dialect: Dialect): string[] {
  const { rate_hints = {}, credits_charged = {}, operations } = dialect;
  const { limit, remaining, reset, retry_after } = rate_hints;
  const named = [limit, remaining, reset, retry_after, credits_charged.header];
  const outer = dialect.through?.envelope.answers ?? [];
  const rules = [
    ...[...dialect.answers, ...outer],
    ...Object.values(operations).flatMap(({ answers = [], repeated = [] }) => [...answers, ...repeated]),
  ];
  return [
    ...dialect.request_id,
    ...rules.flatMap(({ header = {} }) => Object.keys(header)),
    ...named.filter((name) => name !== undefined),
  ];
}

/** Refuses answers that waiting does not change. */
function refuseWrongAddress(reply: Reply, origin: string): void {
  if (reply.kind !== 'not_sent') return;
  if (reply.cause === 'unreachable' || reply.cause === 'late') return;
  const fact = `${origin} cannot be reached: ${reply.message}.`;
  throw stop('address', fact, 'Check base_url of the account, the network and the proxy.');
}

function silent({ method, path }: HttpRequest, why: string): StopError {
  const fact = `The service does not answer ${method} ${path}, asked ${MOST_TRIES} times: ${why}.`;
  return stop('paused', fact, 'Run the same command again later.');
}
