import { type Clock, systemClock } from '../core/clock.ts';
import { parseRate } from '../core/rate.ts';
import { answerOnPurpose, type Fault, Faults, isWireFault, type WireFault } from './faults.ts';
import { type Admission, RateLimit, type Rejection, type RequestHead, SandboxAdmission } from './gate.ts';
import type { JsonMembers } from './json.ts';
import { Knowledge, type ProviderDialect, publishedProvider } from './provider.ts';
import { type Beside, type ReceivedBody, Registrar } from './registrar.ts';
import type { ServiceState } from './service.ts';
import { serviceOperations } from './service.ts';
import { type SandboxAnswer, type SandboxDecision, type VendorOperation, withHeaders } from './vendor.ts';

/** Handles requests to both vendors: admission, then a fault, if any, then the decision, then the answer. */

/** The wait that a 429 asks for when it is a fault. */
const FAULT_RETRY_MS = 1000;

/** The header in which true answers of the provider say what they cost. */
const PRICE_HEADER = 'x-credits-charged';

export interface VendorOptions {
  /** The file of the book; left out, the book is kept in memory. */
  readonly bookPath?: string;
  /** The rate limit of each key, as `parseRate` reads it; left out for none. */
  readonly rate?: string;
  /** Share of identifiers that are known, 0 to 1. */
  readonly matchRate?: number;
  readonly seed?: number;
  /** The faults, written like those of `--faults`. */
  readonly faults?: string;
  /** What a test adds to the sandbox of a user. */
  readonly extension?: Extension;
  readonly clock?: Clock;
}

type VendorSettings = VendorOptions & Required<Pick<VendorOptions, 'clock' | 'extension' | 'seed'>>;

/** What a test adds to its own sandbox. The sandbox that users start has no extension. */
export interface Extension extends Beside {
  /** Replaces the published dialect of the provider. */
  provider?(knowledge: Knowledge): ProviderDialect;
  /** Replaces the published operations of the service. */
  service?(published: readonly VendorOperation[], state: ServiceState): readonly VendorOperation[];
  /**
   * Answers `METHOD /sandbox/…` before the sandbox itself does; undefined when it has no answer of its own.
   */
  control?(vendors: Vendors, endpoint: string, body: JsonMembers): ControlReply | undefined;
  /** Is asked and answers in words of its own. */
  readonly translator?: Translator;
  /** Receives each request to a vendor with how it ended, before it is answered. */
  exchanged?(exchange: Exchange): void;
}

/** Stands between a client and the vendors. */
export interface Translator {
  /** The request as the vendors know it. */
  requestOf(
    head: RequestHead,
    text?: string,
  ): { readonly head: RequestHead; readonly text: string | undefined };
  /** How it ended, as the client knows it. @param head that of `requestOf`. */
  translate<Ended extends Rejection | Outcome>(outcome: Ended, head: RequestHead): Ended;
}

export interface Exchange extends Pick<RequestHead, 'method' | 'headers'> {
  readonly sequence: number;
  readonly url: string;
  /** The body; undefined when it was too large. */
  readonly text: string | undefined;
  readonly admission: Admission | Rejection;
  readonly outcome: Rejection | Outcome;
}

export interface ControlReply {
  readonly status: number;
  readonly body: object;
}

/** The result of an admitted request. Its charge and its change are in the book already. */
export interface Outcome {
  readonly kind: 'handled';
  /** The answer that the client gets, unless it is lost on its way. */
  readonly answer: SandboxAnswer;
  readonly fault?: Fault;
  readonly lost?: WireFault;
  /** The credits that were booked; 0 when an uncharged fault came first. */
  readonly credits: number;
}

export class Vendors {
  readonly #settings: VendorSettings;
  readonly registrar: Registrar;
  readonly #admission: SandboxAdmission;
  readonly #faultCounts: Record<string, number> = {};
  #faults = new Faults('', 0);
  #requests = 0;

  private constructor(settings: VendorSettings, registrar: Registrar) {
    const { clock, rate, extension, matchRate = 0.8, faults = '' } = settings;
    this.#settings = settings;
    this.registrar = registrar;
    const knowledge = new Knowledge(settings.seed, matchRate);
    const provider = (extension.provider ?? publishedProvider)(knowledge);
    const published = serviceOperations(registrar.state);
    const service = extension.service?.(published, registrar.state) ?? published;
    this.setFaults(faults);
    this.#admission = new SandboxAdmission({
      provider,
      service,
      rateLimit: rate === undefined ? undefined : new RateLimit(parseRate(rate)),
      clock,
    });
  }

  /** @throws StopError `usage` when the book cannot be used or a setting is wrong. */
  static async open(options: VendorOptions): Promise<Vendors> {
    const { bookPath, clock = systemClock, extension = {}, seed = 1 } = options;
    const registrar = await Registrar.open(bookPath, clock, extension);
    try {
      return new Vendors({ ...options, clock, extension, seed }, registrar);
    } catch (error) {
      registrar.close();
      throw error;
    }
  }

  nextSequence(): number {
    this.#requests += 1;
    return this.registrar.nextSequence();
  }

  admit(head: RequestHead): Admission | Rejection {
    return this.#admission.admit(head);
  }

  /** @param origin where the sandbox listens; redirects are made from it. */
  handle(admitted: Admission, sequence: number, received: ReceivedBody, origin: string): Outcome {
    const { operation, target } = admitted;
    const fault = this.#drawFault(operation, `${target} ${received.text ?? ''}`);
    const happens = fault === undefined || fault.charged || fault.kind === 'slow';
    const { decision, credits } = this.registrar.act(admitted, sequence, received, happens);
    const whole = withHeaders(decision, priceOf(operation, decision));
    if (fault === undefined) return { kind: 'handled', answer: whole, credits };
    if (fault.kind === 'slow') return { kind: 'handled', answer: whole, fault, credits };
    if (isWireFault(fault.kind)) {
      return { kind: 'handled', answer: decision, fault, lost: fault.kind, credits };
    }
    const answer = answerOnPurpose(fault.kind, {
      location: `${origin}/moved${target}`,
      retryAfter: () => this.#admission.retryAfter(FAULT_RETRY_MS),
    });
    return { kind: 'handled', answer, fault, credits };
  }

  #drawFault({ name, isLookUp }: VendorOperation, question: string): Fault | undefined {
    const fault = isLookUp ? undefined : this.#faults.draw(`${name} ${question}`);
    if (fault !== undefined) this.#faultCounts[fault.name] = (this.#faultCounts[fault.name] ?? 0) + 1;
    return fault;
  }

  book(): object {
    const { rateLimited } = this.#admission;
    const counted = { requests: this.#requests, rate_limited: rateLimited, faults: this.#faultCounts };
    return { ...counted, ...this.registrar.sum() };
  }

  /** Answers `METHOD /sandbox/…`, which is no part of either vendor. */
  control(endpoint: string, body: JsonMembers): ControlReply {
    const extended = this.#settings.extension.control?.(this, endpoint, body);
    if (extended !== undefined) return extended;
    if (endpoint === 'GET /sandbox/book') return { status: 200, body: this.book() };
    return { status: 404, body: { error: `The sandbox has no "${endpoint}".` } };
  }

  setFaults(text: string): void {
    this.#faults = new Faults(text, this.#settings.seed);
  }

  get date(): Readonly<Record<string, string>> {
    return { date: new Date(this.#settings.clock.wallMs()).toUTCString() };
  }

  close(): void {
    this.registrar.close();
  }
}

/** The price header. Only charged operations have it; a repeated answer states the price of the first. */
function priceOf(
  { vendor, isLookUp }: VendorOperation,
  { credits }: SandboxDecision,
): Record<string, string> {
  return vendor === 'provider' && isLookUp !== true ? { [PRICE_HEADER]: String(credits) } : {};
}
