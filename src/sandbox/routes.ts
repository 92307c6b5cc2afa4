import type { VendorOperation } from './vendor.ts';

/** Finds the operation of a path, to the character: no query, no trailing slash, no other version. */

export type Route =
  | { readonly kind: 'operation'; readonly operation: VendorOperation; readonly userId: string }
  | { readonly kind: 'error'; readonly status: number; readonly error: string };

/** Published as announced and not available; how they will look is not. */
const UNAVAILABLE = /^\/latest\/(?:projects\/delete|scim)(?:\/|$)/;

export class Routes {
  readonly #byPath = new Map<string, VendorOperation>();
  readonly #patterns: { readonly pattern: RegExp; readonly operation: VendorOperation }[] = [];

  constructor(operations: readonly VendorOperation[]) {
    for (const operation of operations) {
      if (!operation.path.includes('{user_id}')) this.#byPath.set(operation.path, operation);
      else this.#patterns.push({ pattern: patternOf(operation.path), operation });
    }
  }

  find(method: string, path: string): Route {
    const route = this.#findPath(path);
    if (route.kind === 'error' || method === 'POST') return route;
    return { kind: 'error', status: 405, error: `${path} takes POST, not ${method}.` };
  }

  #findPath(path: string): Route {
    const operation = this.#byPath.get(path);
    if (operation !== undefined) return { kind: 'operation', operation, userId: '' };
    for (const { pattern, operation: candidate } of this.#patterns) {
      const segment = pattern.exec(path)?.[1];
      if (segment !== undefined) return withUser(candidate, segment);
    }
    const error = UNAVAILABLE.test(path) ? 'not available' : `There is nothing at ${path}.`;
    return { kind: 'error', status: 404, error };
  }
}

function withUser(operation: VendorOperation, segment: string): Route {
  try {
    return { kind: 'operation', operation, userId: decodeURIComponent(segment) };
  } catch {
    return { kind: 'error', status: 400, error: `"${segment}" is not a percent-encoded user_id.` };
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace('{user_id}', '([^/]+)')}$`);
}
