import type { Clock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { Admission, type Admitted, type RequestHead, type TurnedAway } from './admission.ts';
import { API_CALL, innerCallIn, wrapped } from './api-call.ts';
import { accountOf } from './authorization.ts';
import type { SandboxControls } from './control.ts';
import { type DialectName, providerIn, serviceIn } from './dialects.ts';
import { answerOnPurpose } from './fault-answers.ts';
import { type Fault, Faults, isWireFault, type WireFault } from './faults.ts';
import { isMembers, type Json, parseJson } from './json.ts';
import { Knowledge } from './knowledge.ts';
import { lookUps } from './look-ups.ts';
import type { RateLimit } from './rate.ts';
import { type ReceivedBody, Registrar } from './registrar.ts';
import { parametersIn } from './routes.ts';
import { type Answer, type Decision, type VendorOperation, withHeaders } from './vendor.ts';

/** Both vendors behind one door: admission, then what goes wrong on purpose, then the decision, then the answer. */

/** What a 429 that is a fault asks for. */
const FAULT_RETRY_MS = 1000;

/** Where true answers of the provider say what they cost. */
const PRICE_HEADER = 'x-credits-charged';

export interface VendorSettings {
  readonly bookPath: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly matchRate: number;
  readonly seed: number;
  readonly faults: string;
  /** Look-ups suffer faults like everything else. */
  readonly faultyLookUps: boolean;
  readonly dialect: DialectName;
  readonly clock: Clock;
}

/** What becomes of an admitted request; everything in it that costs or changes is booked already. */
export interface Handled {
  readonly kind: 'handled';
  /** What the client gets, when it gets all of it. */
  readonly answer: Answer;
  /** What went wrong on purpose, with the answer or instead of it. */
  readonly fault?: Fault;
  /** How the answer is lost on its way. */
  readonly lost?: WireFault;
  /** What was booked, which is nothing when an uncharged fault came first. */
  readonly credits: number;
  /** What was asked inside an "API Call"; `operation` is null where the provider has none at that path. */
  readonly inner?: { readonly operation: string | null; readonly body: Json };
}

export class Vendors implements SandboxControls {
  readonly #settings: VendorSettings;
  readonly #knowledge: Knowledge;
  readonly #registrar: Registrar;
  readonly #admission: Admission;
  /** By name, for faults that strike one alone. */
  readonly #operations: readonly string[];
  readonly #faultCounts: Record<string, number> = {};
  #faults: Faults;
  #requests = 0;
  #dateOffsetMs: number | null = 0;

  private constructor(settings: VendorSettings, registrar: Registrar) {
    const { clock, rateLimit } = settings;
    this.#settings = settings;
    this.#registrar = registrar;
    this.#knowledge = new Knowledge(settings.seed, checkedMatchRate(settings.matchRate));
    const provider = providerIn(settings.dialect, this.#knowledge);
    const free = lookUps(registrar);
    const service = serviceIn(settings.dialect, registrar.state);
    this.#operations = [...provider.operations, ...free, ...service].map(({ name }) => name);
    this.#faults = this.#faultsIn(settings.faults);
    this.#admission = new Admission({
      provider,
      lookUps: free,
      service,
      rateLimit,
      clock,
      isRevoked: (account) => registrar.state.isRevoked(account),
    });
  }

  /** A StopError (usage) when the book cannot be used or a setting makes no sense. */
  static async open(settings: VendorSettings): Promise<Vendors> {
    const registrar = await Registrar.open(settings.bookPath, settings.clock);
    try {
      return new Vendors(settings, registrar);
    } catch (error) {
      registrar.close();
      throw error;
    }
  }

  /** The number of the next request. */
  nextSequence(): number {
    this.#requests += 1;
    return this.#registrar.nextSequence();
  }

  admit(head: RequestHead): Admitted | TurnedAway {
    return this.#admission.admit(head);
  }

  /** @param origin where the sandbox listens, for redirects to elsewhere. */
  handle(admitted: Admitted, sequence: number, received: ReceivedBody, origin: string): Handled {
    return admitted.operation === API_CALL
      ? this.#handleApiCall(admitted, sequence, received, origin)
      : this.#handle(admitted, sequence, received, origin);
  }

  #handle(admitted: Admitted, sequence: number, received: ReceivedBody, origin: string): Handled {
    const { operation, account, target } = admitted;
    const fault = this.#drawFault(operation);
    const happens = fault === undefined || fault.charged || fault.kind === 'slow';
    const { decision, credits } = this.#registrar.act(admitted, sequence, received, happens);
    const said = this.#admission.rateHeaders(operation.vendor, account);
    const whole = withHeaders(decision, { ...priceOf(operation, decision), ...said });
    if (fault === undefined) return { kind: 'handled', answer: whole, credits };
    if (fault.kind === 'slow') return { kind: 'handled', answer: whole, fault, credits };
    if (isWireFault(fault.kind)) {
      return { kind: 'handled', answer: decision, fault, lost: fault.kind, credits };
    }
    const answer = answerOnPurpose(fault.kind, {
      location: `${origin}/moved${target}`,
      retryAfter: () => this.#admission.retryAfter(FAULT_RETRY_MS),
    });
    return { kind: 'handled', answer: withHeaders(answer, said), fault, credits };
  }

  /** The inner call is admitted, may fail and is booked like any other, and its answer is put into one of the service's. */
  #handleApiCall(admitted: Admitted, sequence: number, received: ReceivedBody, origin: string): Handled {
    const { decision } = this.#registrar.act(admitted, sequence, received, true);
    const json = parseJson(received.text ?? '');
    if (decision.status !== 200 || !isMembers(json)) return { kind: 'handled', answer: decision, credits: 0 };
    const { account, method, target, text } = innerCallIn(json);
    const inner = this.#admission.admitInner({ method, target, account });
    const asked = method === 'GET' ? parametersIn(target) : (parseJson(text) ?? {});
    if (inner.kind === 'turned_away') {
      const noted = { operation: inner.operation, body: asked };
      return { kind: 'handled', answer: wrapped(inner.answer), credits: 0, inner: noted };
    }
    const handled = this.#handle(inner, sequence, { text, contentType: 'application/json' }, origin);
    const noted = { operation: inner.operation.name, body: asked };
    return { ...handled, answer: wrapped(handled.answer), inner: noted };
  }

  #drawFault({ name, isLookUp }: VendorOperation): Fault | undefined {
    const isSpared = isLookUp === true && !this.#settings.faultyLookUps;
    const fault = this.#faults.draw(name, isSpared);
    if (fault !== undefined) this.#faultCounts[fault.name] = (this.#faultCounts[fault.name] ?? 0) + 1;
    return fault;
  }

  book(): object {
    const { rateLimited } = this.#admission;
    const counted = { requests: this.#requests, rate_limited: rateLimited, faults: this.#faultCounts };
    return { ...counted, ...this.#registrar.sum() };
  }

  state(): object {
    return this.#registrar.state.all();
  }

  accept(email: string): void {
    this.#registrar.alter('accept', { kind: 'accepted', email });
  }

  revoke(key: string): void {
    this.#registrar.alter('revoke', { kind: 'key_revoked', account: accountOf(key) });
  }

  removeAdmin(project: string, key: string): void {
    this.#registrar.alter('remove-admin', { kind: 'admin_removed', project, account: accountOf(key) });
  }

  setFaults(text: string): void {
    this.#faults = this.#faultsIn(text);
  }

  #faultsIn(text: string): Faults {
    return new Faults(text, this.#settings.seed, this.#operations);
  }

  setMatchRate(rate: number): void {
    this.#knowledge.matchRate = checkedMatchRate(rate);
  }

  setDate(offsetMs: number | null): void {
    this.#dateOffsetMs = offsetMs;
  }

  /** The time that an answer says. */
  get date(): Readonly<Record<string, string>> {
    if (this.#dateOffsetMs === null) return {};
    return { date: new Date(this.#settings.clock.wallMs() + this.#dateOffsetMs).toUTCString() };
  }

  close(): void {
    this.#registrar.close();
  }
}

/** Stated by what is charged for alone, and by a repeated answer as it was the first time. */
function priceOf({ vendor, isLookUp }: VendorOperation, { credits }: Decision): Record<string, string> {
  return vendor === 'provider' && isLookUp !== true ? { [PRICE_HEADER]: String(credits) } : {};
}

function checkedMatchRate(rate: number): number {
  if (rate >= 0 && rate <= 1) return rate;
  throw stop('usage', `A match rate of ${rate} is not a share.`, 'Give a number from 0 to 1, such as 0.8.');
}
