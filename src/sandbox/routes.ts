import type { JsonMembers } from './json.ts';
import type { VendorOperation } from './vendor.ts';

/** Finds the operation of a path, to the character: no trailing slash, no other version, a query only behind a GET. */

export type Route =
  | {
      readonly kind: 'operation';
      readonly operation: VendorOperation;
      readonly segment: string;
      readonly query: string;
      readonly parameters: JsonMembers;
    }
  | { readonly kind: 'error'; readonly status: number; readonly error: string };

/** Paths that are announced and not available yet; their exact form is not published. */
const UNAVAILABLE = /^\/latest\/(?:projects\/delete|scim)(?:\/|$)/;

export class Routes {
  readonly #byPath = new Map<string, VendorOperation>();
  readonly #patterns: { readonly pattern: RegExp; readonly operation: VendorOperation }[] = [];

  constructor(operations: readonly VendorOperation[]) {
    for (const operation of operations) {
      if (!operation.path.includes('{')) this.#byPath.set(operation.path, operation);
      else this.#patterns.push({ pattern: patternOf(operation.path), operation });
    }
  }

  /** @param target the path with the query, from the request's first line. */
  find(method: string, target: string): Route {
    const queryAt = target.includes('?') ? target.indexOf('?') : target.length;
    const path = target.slice(0, queryAt);
    const query = target.slice(queryAt);
    const found = this.#findPath(path);
    if (found === undefined || (found.operation.method === 'POST' && query !== '')) return nothingAt(target);
    const { operation, segment } = found;
    if (method !== operation.method) {
      return { kind: 'error', status: 405, error: `${path} takes ${operation.method}, not ${method}.` };
    }
    return withParameters(operation, segment, query);
  }

  #findPath(path: string): { readonly operation: VendorOperation; readonly segment: string } | undefined {
    const operation = this.#byPath.get(path);
    if (operation !== undefined) return { operation, segment: '' };
    for (const { pattern, operation: candidate } of this.#patterns) {
      const segment = pattern.exec(path)?.[1];
      if (segment !== undefined) return { operation: candidate, segment };
    }
    return undefined;
  }
}

function nothingAt(target: string): Route {
  const error = UNAVAILABLE.test(target) ? 'not available' : `There is nothing at ${target}.`;
  return { kind: 'error', status: 404, error };
}

function withParameters(operation: VendorOperation, encodedSegment: string, query: string): Route {
  const names = [...new URLSearchParams(query)].map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    return { kind: 'error', status: 400, error: `"${twice}" is given more than once.` };
  }
  try {
    const segment = decodeURIComponent(encodedSegment);
    return { kind: 'operation', operation, segment, query, parameters: parametersIn(query) };
  } catch {
    return { kind: 'error', status: 400, error: `"${encodedSegment}" is not percent-encoded text.` };
  }
}

/** The parameters behind the question mark of a target, if it has one. */
export function parametersIn(target: string): JsonMembers {
  return Object.fromEntries(new URLSearchParams(/\?.*/s.exec(target)?.[0] ?? ''));
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`);
}
