import type { Clock } from '../core/clock.ts';
import { API_CALL } from './api-call.ts';
import { type Authorization, readAuthorization, wrongShapeWords } from './authorization.ts';
import type { JsonMembers } from './json.ts';
import type { ProviderDialect } from './provider.ts';
import type { RateLimit } from './rate.ts';
import { Routes } from './routes.ts';
import {
  refusal,
  type SandboxAnswer,
  type SandboxVendor,
  tooMany,
  type VendorOperation,
  withHeaders,
} from './vendor.ts';

/** Admits a request with a known path and a header of the right shape with a working key, within the rate limit. */

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** The head of a provider call inside a call of the service: it names a connected account instead of a key. */
export interface InnerHead {
  readonly method: string;
  readonly target: string;
  readonly account: string;
}

export interface SandboxAdmitted {
  readonly kind: 'admitted';
  readonly operation: VendorOperation;
  readonly target: string;
  /** Short hash of the key. */
  readonly account: string;
  readonly project: string;
  readonly segment: string;
  readonly query: string;
  readonly parameters: JsonMembers;
  readonly idempotencyKey: string | undefined;
}

export interface TurnedAway {
  readonly kind: 'turned_away';
  /** Null when the path has no operation. */
  readonly operation: string | null;
  readonly answer: SandboxAnswer;
}

export interface AdmissionParts {
  readonly provider: ProviderDialect;
  /** The provider's free look-ups, which every dialect has. */
  readonly lookUps: readonly VendorOperation[];
  readonly service: readonly VendorOperation[];
  readonly rateLimit: RateLimit | undefined;
  readonly clock: Clock;
  isRevoked(account: string): boolean;
}

export class SandboxAdmission {
  readonly #parts: AdmissionParts;
  readonly #routes: Routes;
  readonly #providerRoutes: Routes;
  #waitIsTold = false;
  /** How many requests were refused by the rate limit. */
  rateLimited = 0;

  constructor(parts: AdmissionParts) {
    const ofProvider = [...parts.provider.operations, ...parts.lookUps];
    this.#parts = parts;
    this.#providerRoutes = new Routes(ofProvider);
    this.#routes = new Routes([...ofProvider, ...parts.service, API_CALL]);
  }

  /** Must be called when the request arrives, because a rate limit counts arrivals. */
  admit({
    method,
    target,
    authorization: header,
    idempotencyKey,
  }: RequestHead): SandboxAdmitted | TurnedAway {
    const route = this.#routes.find(method, target);
    if (route.kind === 'error') return turnedAway(null, refusal(route.status, route.error));
    const { operation } = route;
    const { name } = operation;
    const authorization = readAuthorization(header);
    if (!operation.authorization.some((shape) => shape === authorization.shape)) {
      const words = wrongShapeWords(operation.authorization, authorization.shape);
      return turnedAway(name, refusal(401, words));
    }
    const { account, project } = authorization;
    if (this.#isDead(authorization)) return turnedAway(name, refusal(401, 'This key has been revoked.'));
    // An "API Call" is limited by the account that its inner call uses.
    const limited = operation === API_CALL ? undefined : this.#limited(operation, account);
    return limited ?? { ...route, kind: 'admitted', target, account, project, idempotencyKey };
  }

  admitInner({ method, target, account }: InnerHead): SandboxAdmitted | TurnedAway {
    const route = this.#providerRoutes.find(method, target);
    if (route.kind === 'error') return turnedAway(null, refusal(route.status, route.error));
    const admitted = { ...route, kind: 'admitted', target, account, project: '' } as const;
    return this.#limited(route.operation, account) ?? { ...admitted, idempotencyKey: undefined };
  }

  /** Every second 429 says how long to wait, in whole seconds rounded up, because vendors do either. */
  retryAfter(waitMs: number): string | undefined {
    this.#waitIsTold = !this.#waitIsTold;
    return this.#waitIsTold ? String(Math.ceil(waitMs / 1000)) : undefined;
  }

  /** The headers about the limit that every answer to this account has. */
  rateHeaders(vendor: SandboxVendor, account: string): Readonly<Record<string, string>> {
    return this.#parts.rateLimit?.headers(`${vendor} ${account}`, this.#parts.clock) ?? {};
  }

  #isDead({ account, revoked }: Authorization): boolean {
    return revoked || this.#parts.isRevoked(account);
  }

  #limited({ vendor, name }: VendorOperation, account: string): TurnedAway | undefined {
    const { rateLimit, provider, clock } = this.#parts;
    const waitMs = rateLimit?.waitMs(`${vendor} ${account}`, clock) ?? 0;
    if (waitMs === 0) return undefined;
    this.rateLimited += 1;
    const retryAfter = this.retryAfter(waitMs);
    const answer = vendor === 'provider' ? provider.tooMany(waitMs, retryAfter) : tooMany(retryAfter);
    return turnedAway(name, withHeaders(answer, this.rateHeaders(vendor, account)));
  }
}

function turnedAway(operation: string | null, answer: SandboxAnswer): TurnedAway {
  return { kind: 'turned_away', operation, answer };
}
