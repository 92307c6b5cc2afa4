import type { AuthorizationShape } from './authorization.ts';
import type { Change } from './book.ts';
import type { JsonMembers } from './json.ts';

/** What the two vendors of the sandbox have in common: operations at paths, requests, decisions. */

export type Vendor = 'provider' | 'service';

export interface VendorOperation {
  readonly vendor: Vendor;
  readonly name: string;
  /** As published; `{user_id}` stands for one segment. */
  readonly path: string;
  readonly authorization: AuthorizationShape;
  /** Pure: what the vendor would answer, charge and change. Nothing happens before the decision is booked. */
  decide(request: VendorRequest): Decision;
}

export interface VendorRequest {
  /** Number of the request since the book was begun; new identifiers are made from it. */
  readonly sequence: number;
  /** Short hash of the key. */
  readonly account: string;
  readonly project: string;
  /** The segment of the path, decoded; empty when the path has none. */
  readonly userId: string;
  readonly body: JsonMembers;
}

export interface Decision {
  readonly status: number;
  readonly body: JsonMembers;
  readonly credits: number;
  readonly change?: Change;
}

/** An answer that costs and changes nothing. */
export function refusal(status: number, error: string): Decision {
  return { status, body: { error }, credits: 0 };
}

/** The first thing that is wrong with a body that must hold exactly these strings, in words; undefined when none is. */
export function problemOfStrings(
  body: JsonMembers,
  required: readonly string[],
  extra: readonly string[] = [],
): string | undefined {
  for (const name of required) {
    if (typeof body[name] !== 'string') return `"${name}" must be a string.`;
  }
  const known = [...required, ...extra];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  return `"${unknown}" is not a field of this operation; it takes ${known.join(', ') || 'none'}.`;
}
