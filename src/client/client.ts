import { lookup } from 'node:dns/promises';
import { promisify } from 'node:util';
import type { Clock } from '../core/clock.ts';
import { messageOf, StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import type { AdmittedAttempt, Reply } from '../ledger/ledger.ts';
import type { Account } from './account/account.ts';
import { resolveKey } from './account/account-key.ts';
import { requireAgreement } from './account/agreements.ts';
import {
  CONNECT_TIMEOUT_MS,
  connectorTo,
  FIRST_CONNECT_TIMEOUT_MS,
  loadUndici,
  proxyFor,
} from './connector.ts';
import { type AnswerRule, type Dialect, dialectQuestion, type ListEntry, vendorReply } from './dialect.ts';
import { type Delivery, judge, type NotSentCause, type Verdict } from './judge.ts';
import { Limiter, type LimiterOptions, type Permit, type Waiter } from './limits/limiter.ts';
import { type MemberList, type Page, readMemberList } from './member-list.ts';
import { rateHintsIn } from './rate-hints.ts';
import {
  basePathOf,
  type FreeRequest,
  freeRequestOf,
  type HttpRequest,
  type RequestShape,
  type RequestValues,
  TIME_REQUEST,
  type TimeRequest,
} from './request.ts';
import { Transport } from './transport.ts';

export type { Permit, Waiter } from './limits/limiter.ts';
export type { Limits, Pause } from './limits/limits.ts';
export type { ListedPerson, MemberList } from './member-list.ts';

/** Answers take seconds, not minutes; an answer that comes later counts as lost, so this is generous. */
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ClientOptions extends Omit<LimiterOptions, 'limits' | 'clock'> {
  readonly account: Account;
  readonly dialect: Dialect;
  readonly baseUrl: URL;
  readonly clock: Clock;
  /** Whether the account has ever answered; left out: never. */
  readonly hasAnswered?: boolean;
  /** Reads what an answer says about the time, and dates the answer. */
  heard?(reply: Delivery, askedMs: number): Delivery;
}

export interface Exchange {
  readonly reply: Delivery;
  /** When the request left, or was given up, monotonic. */
  readonly sentAtMs: number;
}

export interface FreeAnswer extends Exchange {
  readonly verdict: Verdict;
}

interface Parts {
  readonly dialect: Dialect;
  readonly origin: string;
  /** Path of the account's base address, without a slash at its end. */
  readonly basePath: string;
  readonly values: RequestValues;
  readonly timeoutMs: number;
  readonly limiter: Limiter;
  readonly transport: Transport;
  readonly machine: Clock;
  readonly heard: (reply: Delivery, askedMs: number) => Delivery;
  /** Connections that failed one after the other, as long as the account has never answered. */
  readonly reach: { hasAnswered: boolean; failed: number; failedAtMs: number };
}

/** So many failed connections are no outage, where the account has never answered: its address is wrong. */
const MOST_FAILED = 3;

/** When a free question has failed this often, some seconds apart, the vendor is down. */
const MOST_TRIES = 5;

/** Vendors without such a question often answer with an empty 404; after a proxy's page we ask again. */
const NO_SUCH_QUESTION: AnswerRule = { status: [404], body: { is: 'blank' }, means: 'refused' };

/**
 * One account of a vendor: opens it, sends at its pace, hears what answers say about the pace, and judges
 * free answers.
 */
export class Client {
  readonly dialect: Dialect;
  readonly origin: string;
  readonly basePath: string;
  readonly values: RequestValues;
  readonly timeoutMs: number;
  readonly limiter: Limiter;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
    ({ dialect: this.dialect, origin: this.origin, basePath: this.basePath } = parts);
    ({ values: this.values, timeoutMs: this.timeoutMs, limiter: this.limiter } = parts);
  }

  /**
   * @throws StopError `account` when the key is not where the account says, `consent` when nobody has agreed
   * to what the dialect sends.
   */
  static async open(options: ClientOptions): Promise<Client> {
    await requireAgreedRequests(options.dialect, options.baseUrl);
    const { account, dialect, baseUrl, clock, machine = clock, heard = (reply) => reply } = options;
    const { hasAnswered = false } = options;
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
      connectMs: hasAnswered ? CONNECT_TIMEOUT_MS : FIRST_CONNECT_TIMEOUT_MS,
      clock: machine,
      keptHeaders: wordsOf(dialect),
      keys: [values.key],
    });
    const limiter = new Limiter({ ...options, limits });
    const basePath = basePathOf(baseUrl);
    const reach = { hasAnswered, failed: 0, failedAtMs: Number.NEGATIVE_INFINITY };
    const shared = { origin, basePath, values, timeoutMs, limiter, transport, machine, heard, reach };
    return new Client({ ...shared, dialect });
  }

  /** A client for the same account that speaks another dialect. @throws StopError `consent` as `open`. */
  async speaking(dialect: Dialect): Promise<Client> {
    await requireAgreedRequests(dialect, this.origin);
    return new Client({ ...this.#parts, dialect });
  }

  /**
   * Slot → permit. The holder commits an intent, sends at once, and gives the permit back. Only `run/buy.ts`
   * takes one for what may cost something.
   */
  permit(waiter: Waiter): Promise<Permit> {
    return this.limiter.permit(waiter);
  }

  /** Sends what may cost something, once for each admission. */
  send(
    permit: Permit,
    admission: AdmittedAttempt,
    request: HttpRequest,
    onSent: () => void,
  ): Promise<Exchange> {
    admission.use();
    return this.#exchange(permit, request, onSent);
  }

  #exchange(permit: Permit, request: HttpRequest | TimeRequest, tellSent?: () => void): Promise<Exchange> {
    const { transport, machine, heard, reach } = this.#parts;
    const { intentAt } = permit;
    let sentAtMs = intentAt.monotonicMs;
    const onSent = (): void => {
      sentAtMs = machine.monotonicMs();
      permit.sent();
      tellSent?.();
    };
    return new Promise((resolve) => {
      const onReply = (raw: Delivery): void => {
        const reply = heard(raw, intentAt.wallMs);
        if (reply.kind === 'answered') {
          permit.answered();
          reach.hasAnswered = true;
        }
        resolve({ reply, sentAtMs });
      };
      transport.send(request, { intentAt, mayLeave: () => permit.mayLeave(), onSent, onReply });
    });
  }

  freeRequest(
    shape: RequestShape,
    parameters: JsonObject = {},
    values: RequestValues = this.values,
  ): FreeRequest {
    return freeRequestOf(this.dialect, this.basePath, shape, parameters, values);
  }

  /**
   * Reads all people of a list of a project, page by page. Each page is asked for as `askPatiently` does.
   * @throws what `askPatiently` throws.
   */
  members(waiter: Waiter, project: string, listing: ListEntry): Promise<MemberList> {
    const values = { ...this.values, project_id: project };
    return readMemberList(this.dialect, listing, (parameters) =>
      this.askPatiently(waiter, this.freeRequest(listing, parameters, values)),
    );
  }

  /** Asks a free question once, at the account's pace. It has no intent, because it costs nothing. */
  async ask(waiter: Waiter, request: FreeRequest): Promise<FreeAnswer> {
    const { method, path } = request;
    const question = { method, path, credits: { most: 0, found: 0 }, answers: [NO_SUCH_QUESTION] };
    return this.#free(waiter, request, (sent) => {
      this.hear(sent);
      return { ...sent, verdict: judge(sent.reply, this.dialect, question) };
    });
  }

  /**
   * Asks what time it is at the vendor's, for `ClientOptions.heard`. Whatever comes of it, the caller goes
   * on.
   */
  async askTime(waiter: Waiter): Promise<void> {
    await this.#free(waiter, TIME_REQUEST, () => {});
  }

  async #free<T>(
    waiter: Waiter,
    request: FreeRequest | TimeRequest,
    read: (sent: Exchange) => T,
  ): Promise<T> {
    const permit = await this.permit(waiter);
    try {
      await permit.untilDue();
      return read(await this.#exchange(permit, request));
    } finally {
      permit.giveBack();
    }
  }

  /**
   * Asks a free question until it is answered. A crash at any point only means to ask again.
   * @throws StopError `key`, `address` or `vendor_credits` when the vendor says so, `paused` when it does not
   * answer.
   */
  async askPatiently(waiter: Waiter, request: FreeRequest): Promise<Page> {
    const { limiter } = this;
    for (let failures = 0; ; ) {
      const { reply, verdict, sentAtMs } = await this.ask(waiter, request);
      if (verdict.kind === 'stopped') throw new StopError(verdict.stop);
      if (verdict.kind === 'answered') {
        limiter.settled();
        return pageFrom(reply, verdict);
      }
      const { why } = verdict;
      if (verdict.kind === 'paused') {
        limiter.pause(verdict.pauseMs, sentAtMs, why);
        continue;
      }
      const wrong = this.unreachable({ reply, sentAtMs });
      if (wrong !== undefined) throw wrong;
      failures += 1;
      if (failures === MOST_TRIES) throw silent(request, why);
      limiter.backOff(sentAtMs, why);
    }
  }

  /**
   * Why no request will reach the vendor, judged by one that was not sent. What fails to connect may do so
   * later, unless the account has never answered. Those that fail at the same time are one.
   */
  unreachable({ reply, sentAtMs }: Exchange): StopError | undefined {
    if (reply.kind !== 'not_sent' || reply.cause === 'late') return undefined;
    const { reach, machine } = this.#parts;
    if (reply.cause === 'unreachable') {
      if (reach.hasAnswered || sentAtMs < reach.failedAtMs) return undefined;
      reach.failedAtMs = machine.monotonicMs();
      reach.failed += 1;
      if (reach.failed < MOST_FAILED) return undefined;
    }
    return cannotBeReached(this.origin, reply.message, reply.cause);
  }

  async close(): Promise<void> {
    this.#parts.limiter.close();
    await this.#parts.transport.close();
  }

  /**
   * Hears what an answer says about how fast its account may be asked; a service that the vendor is behind
   * has limits of its own. Requests that wait may leave at once, so the end of a paid answer has its place in
   * the ledger before, and what the answer says of the clocks is applied before.
   * @param isPause whoever judged it has it wait, and says so in the vendor's words.
   */
  hear({ reply }: Exchange, isPause = false): void {
    if (reply.kind !== 'answered') return;
    const { raw } = reply;
    const own = vendorReply(raw, this.dialect);
    const hints = own === undefined ? rateHintsIn(raw, undefined) : rateHintsIn(own, this.dialect.rate_hints);
    const { pauseMs: _, ...others } = hints;
    this.limiter.hear(isPause ? others : hints);
  }
}

/** Whether a cache has kept an answer for some time, so that it may be older than what is asked about. */
export function wasKept({ headers: { age } }: Reply): boolean {
  return age !== undefined && Number(age) !== 0;
}

export const KEPT_BY_CACHE = 'a cache has kept it for some time';

function pageFrom(reply: Delivery, verdict: Verdict): Page {
  const isWhole = reply.kind === 'answered' && Math.floor(reply.raw.status / 100) === 2;
  const isRead = verdict.kind === 'answered' && verdict.answer !== 'refused';
  return isWhole && isRead ? { kind: 'answered', raw: reply.raw } : { kind: 'refused', why: verdict.why };
}

const REACH_ADVICE: Readonly<Partial<Record<NotSentCause, string>>> = {
  certificate:
    'Check base_url of the account, or name the authority of its certificate in NODE_EXTRA_CA_CERTS.',
  proxy: 'Correct that variable, or put the host of base_url into NO_PROXY.',
};

function cannotBeReached(origin: string, why: string, cause: NotSentCause = 'unreachable'): StopError {
  const next = REACH_ADVICE[cause] ?? 'Check base_url of the account, the network and the proxy.';
  return stop('address', `${origin} cannot be reached: ${why}.`, { next, again: 'mended' });
}

function silent({ method, path }: HttpRequest, why: string): StopError {
  const fact = `The service did not answer ${method} ${path} in ${MOST_TRIES} tries: ${why}.`;
  return stop('paused', fact, 'Run the same command again later.');
}

/** Nothing leaves by a dialect of another person before a user has seen what it sends. */
async function requireAgreedRequests(dialect: Dialect, address: URL | string): Promise<void> {
  const question = dialectQuestion(dialect, address);
  if (question !== undefined) await requireAgreement(question);
}

/** A header that the dialect names in any place is one that somebody reads. */
function wordsOf(dialect: Dialect): ReadonlySet<string> {
  return new Set(JSON.stringify(dialect).toLowerCase().split('"'));
}

// ---------------------------------------------------------------------------------------------- before a run

export interface Reached {
  /** Numeric addresses of the host name; empty when a proxy resolves it. */
  readonly addresses: readonly string[];
  /** Host and port of the proxy; undefined without one. */
  readonly proxy: string | undefined;
}

/**
 * Resolves the address, connects as a run does and disconnects without sending a request, so that nothing can
 * be charged.
 * @throws StopError `address`.
 */
export async function checkAddress(url: URL): Promise<Reached> {
  const { hostname, host, protocol, port } = url;
  const name = hostname.replace(/^\[|\]$/g, '');
  const proxy = proxyFor(url)?.url.host;
  try {
    const found = proxy === undefined ? await lookup(name, { all: true }) : [];
    const connect = promisify(connectorTo(loadUndici(), url));
    (await connect({ hostname: name, host, protocol, port }))?.destroy();
    return { addresses: found.map(({ address }) => address), proxy };
  } catch (error) {
    if (error instanceof StopError) throw error;
    // For a host name with several addresses Node collects the errors in one error without a message.
    const why = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
    throw cannotBeReached(url.origin, why);
  }
}
