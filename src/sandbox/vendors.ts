import { type Clock, isoTime } from '../clock.ts';
import { stop } from '../errors.ts';
import { type Authorization, accountOf, readAuthorization, wrongShapeWords } from './authorization.ts';
import { Book, type Entry } from './book.ts';
import type { SandboxControls } from './control.ts';
import { type Fault, Faults } from './faults.ts';
import { isMembers, type JsonMembers, parseJson } from './json.ts';
import { Provider } from './provider.ts';
import { type Rate, RateLimit } from './rate.ts';
import { Routes } from './routes.ts';
import { Service } from './service.ts';
import { type Decision, refusal, type VendorOperation } from './vendor.ts';

/** Both vendors behind one door: who may come in, what they are answered, and that it is booked before they hear it. */

export interface VendorSettings {
  readonly bookPath: string | undefined;
  readonly rate: Rate | undefined;
  readonly matchRate: number;
  readonly seed: number;
  readonly faults: string;
  readonly clock: Clock;
}

/** What the head of a request leads to, before its body is read. */
export type Admission = Admitted | TurnedAway;

export interface Admitted {
  readonly kind: 'admitted';
  readonly operation: VendorOperation;
  readonly authorization: Authorization;
  readonly userId: string;
}

export interface TurnedAway {
  readonly kind: 'turned_away';
  readonly status: number;
  readonly error: string;
  /** Whole seconds, for the header of that name. */
  readonly retryAfter?: string;
}

/** What happens to an admitted request; everything in it that costs or changes is booked already. */
export interface Handled {
  readonly decision: Decision;
  readonly fault?: Fault;
  /** What was booked, which is nothing when an uncharged fault came first. */
  readonly credits: number;
}

export class Vendors implements SandboxControls {
  readonly #settings: VendorSettings;
  readonly #provider: Provider;
  readonly #service: Service;
  readonly #book: Book;
  readonly #routes: Routes;
  readonly #rateLimit: RateLimit | undefined;
  readonly #faultCounts: Record<string, number> = {};
  #faults: Faults;
  #sequence: number;
  #requests = 0;
  #rateLimited = 0;
  #waitIsTold = false;

  private constructor(settings: VendorSettings, service: Service, book: Book) {
    this.#settings = settings;
    this.#service = service;
    this.#book = book;
    this.#provider = new Provider(settings.seed, checkedMatchRate(settings.matchRate));
    this.#routes = new Routes([...this.#provider.operations(), ...service.operations()]);
    this.#rateLimit = settings.rate === undefined ? undefined : new RateLimit(settings.rate);
    this.#faults = new Faults(settings.faults, settings.seed);
    this.#sequence = book.lastSequence;
  }

  /** Reads the book back, so that sums and the service's state are those before a restart. */
  static async open(settings: VendorSettings): Promise<Vendors> {
    const service = new Service();
    const book = await Book.open(settings.bookPath, ({ change, account }) => {
      if (change !== undefined) service.state.apply(change, account);
    });
    try {
      return new Vendors(settings, service, book);
    } catch (error) {
      book.close();
      throw error;
    }
  }

  /** The number of the next request. */
  nextSequence(): number {
    this.#requests += 1;
    this.#sequence += 1;
    return this.#sequence;
  }

  /** At the moment when a request arrives, because that is what a rate limit counts. */
  admit(method: string, path: string, header: string | undefined): Admission {
    const route = this.#routes.find(method, path);
    if (route.kind === 'error') return { kind: 'turned_away', status: route.status, error: route.error };
    const { operation, userId } = route;
    const authorization = readAuthorization(header);
    if (authorization.shape !== operation.authorization) {
      const error = wrongShapeWords(operation.authorization, authorization.shape);
      return { kind: 'turned_away', status: 401, error };
    }
    if (authorization.revoked || this.#service.state.isRevoked(authorization.account)) {
      return { kind: 'turned_away', status: 401, error: 'This key has been revoked.' };
    }
    return this.#limited(operation, authorization) ?? { kind: 'admitted', operation, authorization, userId };
  }

  #limited(operation: VendorOperation, { account }: Authorization): TurnedAway | undefined {
    const nowMs = this.#settings.clock.monotonicMs();
    const waitMs = this.#rateLimit?.waitMs(`${operation.vendor} ${account}`, nowMs) ?? 0;
    if (waitMs === 0) return undefined;
    this.#rateLimited += 1;
    const retryAfter = this.retryAfter(waitMs);
    const turnedAway = { kind: 'turned_away', status: 429, error: 'Rate limit exceeded.' } as const;
    return retryAfter === undefined ? turnedAway : { ...turnedAway, retryAfter };
  }

  /** Every second 429 says how long to wait, in whole seconds rounded up, because vendors do either. */
  retryAfter(waitMs: number): string | undefined {
    this.#waitIsTold = !this.#waitIsTold;
    return this.#waitIsTold ? String(Math.ceil(waitMs / 1000)) : undefined;
  }

  /** One turn of the event loop from the decision to the book, so that two requests can never both be first. */
  handle(admitted: Admitted, sequence: number, text: string | undefined, contentType: string): Handled {
    const { operation, authorization, userId } = admitted;
    const { account, project } = authorization;
    const fault = this.#drawFault();
    const body = parseJson(text ?? '');
    const problem = problemOfBody(operation, text, body, contentType);
    const decision =
      problem ?? operation.decide({ sequence, account, project, userId, body: isMembers(body) ? body : {} });
    const happens = fault === undefined || fault.charged || fault.kind === 'slow';
    if (happens && isMembers(body)) this.#carryOut(admitted, sequence, body, decision);
    const credits = happens ? decision.credits : 0;
    return fault === undefined ? { decision, credits } : { decision, fault, credits };
  }

  #drawFault(): Fault | undefined {
    const fault = this.#faults.draw();
    if (fault !== undefined) this.#faultCounts[fault.name] = (this.#faultCounts[fault.name] ?? 0) + 1;
    return fault;
  }

  #carryOut(admitted: Admitted, sequence: number, parameters: JsonMembers, decision: Decision): void {
    const { vendor, name } = admitted.operation;
    const { credits, change } = decision;
    if (credits === 0 && change === undefined) return;
    const { account } = admitted.authorization;
    const booked = { vendor, operation: name, parameters, account, credits };
    this.#append(sequence, change === undefined ? booked : { ...booked, change });
  }

  #append(sequence: number, booked: Omit<Entry, 'at' | 'sequence'>): void {
    this.#book.append({ at: isoTime(this.#settings.clock.wallMs()), sequence, ...booked });
    if (booked.change !== undefined) this.#service.state.apply(booked.change, booked.account);
  }

  #appendControl(operation: string, change: NonNullable<Entry['change']>): void {
    this.#sequence += 1;
    this.#append(this.#sequence, {
      vendor: 'sandbox',
      operation,
      parameters: {},
      account: '',
      credits: 0,
      change,
    });
  }

  book(): object {
    const counted = { requests: this.#requests, rate_limited: this.#rateLimited, faults: this.#faultCounts };
    return { ...counted, ...this.#book.sum() };
  }

  state(): object {
    return this.#service.state.all();
  }

  accept(email: string): void {
    this.#appendControl('accept', { kind: 'accepted', email });
  }

  revoke(key: string): void {
    this.#appendControl('revoke', { kind: 'key_revoked', account: accountOf(key) });
  }

  setFaults(text: string): void {
    this.#faults = new Faults(text, this.#settings.seed);
  }

  setMatchRate(rate: number): void {
    this.#provider.matchRate = checkedMatchRate(rate);
  }

  close(): void {
    this.#book.close();
  }
}

function problemOfBody(
  operation: VendorOperation,
  text: string | undefined,
  body: unknown,
  contentType: string,
): Decision | undefined {
  if (text === undefined) return refusal(413, 'The body is larger than 1 MB.');
  // Published for the service only; what the provider wants is not known, so it takes any.
  if (operation.vendor === 'service' && !/^application\/json\s*(?:;|$)/i.test(contentType)) {
    return refusal(415, 'Content-Type must be application/json.');
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isObject ? undefined : refusal(400, 'The body must be a JSON object.');
}

function checkedMatchRate(rate: number): number {
  if (rate >= 0 && rate <= 1) return rate;
  throw stop('usage', `A match rate of ${rate} is not a share.`, 'Give a number from 0 to 1, such as 0.8.');
}
