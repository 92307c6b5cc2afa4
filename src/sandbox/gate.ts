import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../core/clock.ts';
import type { Rate } from '../core/rate.ts';
import type { JsonMembers } from './json.ts';
import type { ProviderDialect } from './provider.ts';
import { readAuthorization, rejection, type SandboxAnswer, tooMany, type VendorOperation } from './vendor.ts';

/**
 * Admits a request with a known path and a header of the right shape with a working key, within the rate
 * limit.
 */

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Admission {
  readonly kind: 'admitted';
  readonly operation: VendorOperation;
  readonly target: string;
  /** Short hash of the key. */
  readonly account: string;
  readonly project: string;
  readonly segment: string;
  readonly parameters: JsonMembers;
  readonly headers: IncomingHttpHeaders;
}

export interface Rejection {
  readonly kind: 'turned_away';
  /** Null when the path has no operation. */
  readonly operation: string | null;
  readonly answer: SandboxAnswer;
}

interface AdmissionParts {
  readonly provider: ProviderDialect;
  readonly service: readonly VendorOperation[];
  readonly rateLimit: RateLimit | undefined;
  readonly clock: Clock;
}

export class SandboxAdmission {
  readonly #parts: AdmissionParts;
  readonly #routes: Routes;
  #waitIsTold = false;
  rateLimited = 0;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#routes = routesTo([...parts.provider.operations, ...parts.service]);
  }

  /** Must be called when the request arrives, because a rate limit counts arrivals. */
  admit(head: RequestHead): Admission | Rejection {
    const { method, target, headers } = head;
    const route = routeAt(this.#routes, method, target);
    if (route.kind === 'error') return turnedAway(null, rejection(route.status, route.error));
    const { operation } = route;
    const { name } = operation;
    const authorization = readAuthorization(headers.authorization);
    if (!operation.authorization.some((shape) => shape === authorization.shape)) {
      const shapes = operation.authorization.map((shape) => `"${shape}"`).join(' or ');
      return turnedAway(name, rejection(401, `The Authorization header must be exactly ${shapes}.`));
    }
    const { account, project } = authorization;
    const limited = this.#limited(operation, account);
    return limited ?? { ...route, kind: 'admitted', target, account, project, headers };
  }

  /** Every second 429 says how long to wait, in whole seconds rounded up, because vendors do either. */
  retryAfter(waitMs: number): string | undefined {
    this.#waitIsTold = !this.#waitIsTold;
    return this.#waitIsTold ? String(Math.ceil(waitMs / 1000)) : undefined;
  }

  #limited({ vendor, name }: VendorOperation, account: string): Rejection | undefined {
    const { rateLimit, provider, clock } = this.#parts;
    const waitMs = rateLimit?.waitMs(`${vendor} ${account}`, clock.monotonicMs()) ?? 0;
    if (waitMs === 0) return undefined;
    this.rateLimited += 1;
    const retryAfter = this.retryAfter(waitMs);
    const answer = vendor === 'provider' ? provider.tooMany(waitMs, retryAfter) : tooMany(retryAfter);
    return turnedAway(name, answer);
  }
}

function turnedAway(operation: string | null, answer: SandboxAnswer): Rejection {
  return { kind: 'turned_away', operation, answer };
}

// -------------------------------------------------------------------------------------------------- the rate

/**
 * The rate limit of every key: a request passes when fewer passed within the window that ends now. Refused
 * requests do not count, so a client that waits as told always gets through.
 */
export class RateLimit {
  readonly #rate: Rate;
  /** Times of the last passed requests of each key, in a ring that never holds more than the limit. */
  readonly #passed = new Map<string, { readonly timesMs: number[]; next: number }>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** How long it takes until a request of that key passes; 0 when this one passes, which counts it. */
  waitMs(key: string, nowMs: number): number {
    const { requests, windowMs } = this.#rate;
    const passed = this.#passed.get(key) ?? { timesMs: [], next: 0 };
    this.#passed.set(key, passed);
    const oldestMs = passed.timesMs[passed.next] ?? Number.NEGATIVE_INFINITY;
    if (oldestMs + windowMs > nowMs) return oldestMs + windowMs - nowMs;
    passed.timesMs[passed.next] = nowMs;
    passed.next = (passed.next + 1) % requests;
    return 0;
  }
}

// ---------------------------------------------------------------------------------------------------- routes

type Route =
  | ({ readonly kind: 'operation' } & Pick<Admission, 'operation' | 'segment' | 'parameters'>)
  | { readonly kind: 'error'; readonly status: number; readonly error: string };

type Routes = readonly { readonly pattern: RegExp; readonly operation: VendorOperation }[];

const routesTo = (operations: readonly VendorOperation[]): Routes =>
  operations.map((operation) => ({
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/, '([^/]+)')}$`),
    operation,
  }));

/** @param target the path with the query, from the request's first line. */
function routeAt(routes: Routes, method: string, target: string): Route {
  const [path = ''] = target.split('?', 1);
  const query = target.slice(path.length);
  const found = routes.find(({ pattern }) => pattern.test(path));
  if (found === undefined) return nothingAt(target);
  const { operation, pattern } = found;
  if (operation.method === 'POST' && query !== '') return nothingAt(target);
  if (method !== operation.method) {
    return { kind: 'error', status: 405, error: `${path} takes ${operation.method}, not ${method}.` };
  }
  return withParameters(operation, pattern.exec(path)?.[1] ?? '', query);
}

function nothingAt(target: string): Route {
  return { kind: 'error', status: 404, error: `There is nothing at ${target}.` };
}

function withParameters(operation: VendorOperation, encodedSegment: string, query: string): Route {
  const names = [...new URLSearchParams(query)].map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    return { kind: 'error', status: 400, error: `"${twice}" is given more than once.` };
  }
  try {
    const segment = decodeURIComponent(encodedSegment);
    return { kind: 'operation', operation, segment, parameters: parametersIn(query) };
  } catch {
    return { kind: 'error', status: 400, error: `"${encodedSegment}" is not percent-encoded text.` };
  }
}

/** The parameters behind the question mark of a target, if it has one. */
export function parametersIn(target: string): JsonMembers {
  return Object.fromEntries(new URLSearchParams(/\?.*/s.exec(target)?.[0] ?? ''));
}
