import { promisify } from 'node:util';
import type { Clock } from '../core/clock.ts';
import { messageOf, StopError, stop } from '../core/errors.ts';
import { sayAll } from '../core/finding-words.ts';
import { present } from '../core/objects.ts';
import type { Call, JsonObject } from '../core/operation.ts';
import { asField, DO_AGAIN, phrase, type Words } from '../core/phrase.ts';
import type { AdmittedAttempt, Reply } from '../ledger/ledger.ts';
import type { Account } from './account/account.ts';
import { resolveKey, resolveSecrets } from './account/account-key.ts';
import { requireAgreement } from './account/agreements.ts';
import {
  CONNECT_TIMEOUT_MS,
  connectorTo,
  FIRST_CONNECT_TIMEOUT_MS,
  loadUndici,
  proxyFor,
} from './connector.ts';
import {
  type AnswerRule,
  type Dialect,
  dialectQuestion,
  type ListEntry,
  timeoutMsOf,
  vendorReply,
} from './dialect.ts';
import { judge, type NotSentCause, type Verdict, type WireReply } from './judge.ts';
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
import type { AccountTime } from './time.ts';
import { Transport } from './transport.ts';

export type { Permit, Waiter } from './limits/limiter.ts';
export type { Limits, Pause } from './limits/limits.ts';
export type { ListedPerson, MemberList } from './member-list.ts';

/** Answers take seconds, not minutes. A later answer counts as lost, so this time is generous. */
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ClientOptions extends Omit<LimiterOptions, 'limits' | 'clock'> {
  readonly account: Account;
  readonly dialect: Dialect;
  readonly baseUrl: URL;
  readonly clock: Clock;
  /** Whether the account has ever answered; left out: never. */
  readonly hasAnswered?: boolean;
  /** Hears the time that an answer states, and dates the answer; left out: an answer is dated as it came. */
  readonly time?: Pick<AccountTime, 'readDate' | 'wallMs'>;
  /** Hears what a user has to know of the clocks. */
  onNews?(message: string): void;
}

export interface Exchange {
  readonly reply: WireReply;
  /** The monotonic time at which the request left, or was given up. */
  readonly sentAtMs: number;
}

export interface FreeAnswer extends Exchange {
  readonly verdict: Verdict;
}

interface Parts extends Pick<Client, 'dialect' | 'origin' | 'basePath' | 'values' | 'timeoutMs' | 'limiter'> {
  readonly transport: Transport;
  readonly machine: Clock;
  readonly time: ClientOptions['time'];
  readonly onNews: ClientOptions['onNews'];
  /** Connections that failed one after the other, counted while the account has never answered. */
  readonly reach: { hasAnswered: boolean; failed: number; failedAtMs: number };
}

/**
 * For an account that has never answered, this many failed connections are no outage: its address is wrong.
 */
const MOST_FAILED = 3;

/** When a free request has failed this often, with seconds between the tries, the vendor is down. */
const MOST_TRIES = 5;

/**
 * Vendors that know no such request often answer with an empty 404. After a proxy's page the request is sent
 * again.
 */
const NO_SUCH_REQUEST: AnswerRule = { status: [404], body: { is: 'blank' }, means: 'refused' };

/**
 * The client for one account of a vendor: opens it, sends at its pace, learns the pace from answers, and
 * judges free answers.
 */
export class Client {
  readonly dialect: Dialect;
  readonly origin: string;
  /** The path of the account's base address, without a slash at its end. */
  readonly basePath: string;
  readonly values: RequestValues;
  /** How long a request may take if its operation says nothing. */
  readonly timeoutMs: number;
  readonly limiter: Limiter;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
    ({ dialect: this.dialect, origin: this.origin, basePath: this.basePath } = parts);
    ({ values: this.values, timeoutMs: this.timeoutMs, limiter: this.limiter } = parts);
  }

  /**
   * @throws StopError `account` when the key is not where the account says, `consent` when no one has
   *   agreed to the requests of the dialect.
   */
  static async open(options: ClientOptions): Promise<Client> {
    await requireAgreedRequests(options.dialect, options.baseUrl);
    const { account, dialect, baseUrl, clock, machine = clock, time, onNews } = options;
    const { hasAnswered = false } = options;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, limits, projectId, organizationId } = account;
    const secrets = await resolveSecrets(account);
    const values: RequestValues = {
      key: await resolveKey(account),
      ...present({ project_id: projectId, organization_id: organizationId, secrets }),
    };
    const { origin } = baseUrl;
    const transport = new Transport({
      origin,
      connections: limits.concurrency,
      timeoutMs,
      connectMs: hasAnswered ? CONNECT_TIMEOUT_MS : FIRST_CONNECT_TIMEOUT_MS,
      clock: machine,
      // A header that the dialect names in any place is read somewhere, so replies keep it.
      keptHeaders: new Set(JSON.stringify(dialect).toLowerCase().split('"')),
      keys: [values.key, ...Object.values(secrets ?? {})],
    });
    const limiter = new Limiter({ ...options, limits });
    const basePath = basePathOf(baseUrl);
    const reach = { hasAnswered, failed: 0, failedAtMs: Number.NEGATIVE_INFINITY };
    const shared = { origin, basePath, values, timeoutMs, limiter, transport, machine, time, onNews, reach };
    return new Client({ ...shared, dialect });
  }

  /** A client for the same account that speaks another dialect. @throws StopError `consent` like `open`. */
  async speaking(dialect: Dialect): Promise<Client> {
    await requireAgreedRequests(dialect, this.origin);
    return new Client({ ...this.#parts, dialect });
  }

  /**
   * Waits for a slot, and returns a permit. Its holder commits an intent, sends at once, and gives the permit
   * back. Only `run/buy.ts` takes a permit for a request that may cost something.
   */
  permit(waiter: Waiter): Promise<Permit> {
    return this.limiter.permit(waiter);
  }

  /** How long the request of a call may take. */
  timeoutMsOf(call: Call): number {
    const operation = this.dialect.operations[call.operation];
    return (operation && timeoutMsOf(operation)) ?? this.timeoutMs;
  }

  /** Sends a request that may cost something, once for each admission. */
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
    const { transport, machine, time, onNews, reach } = this.#parts;
    const { intentAt } = permit;
    let sentAtMs = intentAt.monotonicMs;
    const onSent = (): void => {
      sentAtMs = machine.monotonicMs();
      permit.sent();
      tellSent?.();
    };
    return new Promise((resolve) => {
      const onReply = (reply: WireReply): void => {
        if (reply.kind !== 'answered') {
          resolve({ reply, sentAtMs });
          return;
        }
        const news = time?.readDate(reply.raw.headers, intentAt.wallMs);
        if (news !== undefined) onNews?.(news);
        permit.answered();
        reach.hasAnswered = true;
        const receivedAtMs = time?.wallMs() ?? reply.raw.receivedAtMs;
        resolve({ reply: { kind: 'answered', raw: { ...reply.raw, receivedAtMs } }, sentAtMs });
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

  /**
   * Sends a free request once, at the account's pace. It has no intent, because it costs nothing. A poll
   * lets a request that buys go first after each poll.
   */
  async ask(
    waiter: Waiter,
    request: FreeRequest,
    asking: { readonly isPoll?: boolean } = {},
  ): Promise<FreeAnswer> {
    const { method, path } = request;
    const free = { method, path, credits: { most: 0, found: 0 }, answers: [NO_SUCH_REQUEST] };
    const read = (sent: Exchange): FreeAnswer => {
      this.applyHints(sent);
      return { ...sent, verdict: judge(sent.reply, this.dialect, free) };
    };
    return this.#free(waiter, request, read, asking);
  }

  /** Asks the vendor for the time, for `ClientOptions.time`. Whatever the result, the caller goes on. */
  async askTime(waiter: Waiter): Promise<void> {
    await this.#free(waiter, TIME_REQUEST, () => {});
  }

  async #free<T>(
    waiter: Waiter,
    request: FreeRequest | TimeRequest,
    read: (sent: Exchange) => T,
    { isPoll = false } = {},
  ): Promise<T> {
    const permit = await this.limiter.permit(waiter, isPoll);
    try {
      await permit.untilDue();
      return read(await this.#exchange(permit, request));
    } finally {
      permit.giveBack();
    }
  }

  /**
   * Sends a free request until it is answered. A crash at any point only means to send it again.
   * @throws StopError `key`, `address` or `vendor_credits` when the vendor says so, `paused` when the
   *   vendor does not answer.
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
      const why = sayAll(verdict.why, 'terminal');
      if (verdict.kind === 'paused') {
        limiter.pause(verdict, sentAtMs, why);
        continue;
      }
      const wrong = this.unreachable({ reply, sentAtMs });
      if (wrong !== undefined) throw wrong;
      failures += 1;
      if (failures === MOST_TRIES) {
        const fact = `The service did not answer ${request.method} ${request.path} in ${MOST_TRIES} tries`;
        throw stop('paused', `${fact}: ${why}.`, phrase`${DO_AGAIN} later.`);
      }
      limiter.backOff(sentAtMs, why);
    }
  }

  /**
   * The reason why no request will reach the vendor, judged by a request that was not sent. A failed
   * connection may work later, unless the account has never answered. Connections that fail at the same time
   * count as one.
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
    this.limiter.close();
    await this.#parts.transport.close();
  }

  /**
   * Applies the rate hints of an answer to the pace of its account. A service before the vendor has limits of
   * its own. Requests that wait may leave at once, so by then the end of a paid answer already has its place
   * in the ledger, and the answer's date is already applied to the clocks.
   * @param isPause whether the caller makes the account wait itself, with the vendor's words.
   */
  applyHints({ reply }: Exchange, isPause = false): void {
    if (reply.kind !== 'answered') return;
    const { raw } = reply;
    const vendorsReply = vendorReply(raw, this.dialect);
    const hints =
      vendorsReply === undefined
        ? rateHintsIn(raw, undefined)
        : rateHintsIn(vendorsReply, this.dialect.rate_hints);
    const { pauseMs: _, ...others } = hints;
    this.limiter.applyHints(isPause ? others : hints);
  }
}

/**
 * Whether a cache has kept an answer for some time, so that the answer may be older than the state it
 * describes.
 */
export function wasKept({ headers: { age } }: Reply): boolean {
  return age !== undefined && Number(age) !== 0;
}

export const KEPT_BY_CACHE = 'a cache has kept it for some time';

function pageFrom(reply: WireReply, verdict: Verdict): Page {
  const isWhole = reply.kind === 'answered' && Math.floor(reply.raw.status / 100) === 2;
  const isRead = verdict.kind === 'answered' && verdict.answer !== 'refused';
  return isWhole && isRead
    ? { kind: 'answered', raw: reply.raw }
    : { kind: 'refused', why: sayAll(verdict.why, 'terminal') };
}

const BASE_URL = asField('base_url', 'the address');

const REACH_ADVICE: Readonly<Partial<Record<NotSentCause, Words>>> = {
  certificate: phrase`Check ${BASE_URL} of the account, or name the authority of its certificate in
    NODE_EXTRA_CA_CERTS.`,
  proxy: phrase`Correct that variable, or put the host of ${BASE_URL} into NO_PROXY.`,
};

function cannotBeReached(origin: string, why: string, cause: NotSentCause = 'unreachable'): StopError {
  const next = REACH_ADVICE[cause] ?? phrase`Check ${BASE_URL} of the account, the network and the proxy.`;
  return stop('address', `${origin} cannot be reached: ${why}.`, { next, again: 'mended' });
}

/** Nothing is sent with a dialect of another person before a user has seen its requests. */
async function requireAgreedRequests(dialect: Dialect, address: URL | string): Promise<void> {
  const question = dialectQuestion(dialect, address);
  if (question !== undefined) await requireAgreement(question);
}

// ---------------------------------------------------------------------------------------------- before a run

/**
 * Resolves the address, connects like a run and disconnects without sending a request, so that nothing can be
 * charged.
 * @returns numeric addresses of the host name, none where a proxy resolves it; and the host and port of that.
 * @throws StopError `address`.
 */
export async function checkAddress(url: URL) {
  const { hostname, host, protocol, port } = url;
  const name = hostname.replace(/^\[|\]$/g, '');
  const proxy = proxyFor(url)?.url.host;
  try {
    const { lookup } = await import('node:dns/promises');
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
