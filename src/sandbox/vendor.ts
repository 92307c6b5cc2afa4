import type { AuthorizationShape } from './authorization.ts';
import type { SandboxChange, SandboxPerson } from './book-entry.ts';
import type { JsonMembers } from './json.ts';

/** What the two vendors of the sandbox have in common: operations at paths, requests, decisions. */

export type SandboxVendor = 'provider' | 'service';

export type SandboxMethod = 'GET' | 'POST';

export interface VendorOperation {
  readonly vendor: SandboxVendor;
  readonly name: string;
  readonly method: SandboxMethod;
  /** As published; a `{name}` stands for one segment. */
  readonly path: string;
  /** The shapes of the Authorization header that are taken. */
  readonly authorization: readonly AuthorizationShape[];
  /** Never costs anything and alters nothing; faults pass it by, unless they are asked for. */
  readonly isLookUp?: true;
  /** Pure: what the vendor would answer, charge and change. Nothing happens before the decision is booked. */
  decide(request: VendorRequest): SandboxDecision;
}

export interface VendorRequest {
  /** Number of the request since the book was begun; new identifiers are made from it. */
  readonly sequence: number;
  /** Short hash of the key. */
  readonly account: string;
  readonly project: string;
  /** The segment of the path, decoded; empty when the path has none. */
  readonly segment: string;
  /** What stands behind the question mark, with it; empty when nothing does. */
  readonly query: string;
  /** The members of the body; of a GET, the parameters of its query. */
  readonly body: JsonMembers;
}

/** A whole answer. */
export interface SandboxAnswer {
  readonly status: number;
  readonly body: JsonMembers;
  /** Besides those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SandboxDecision extends SandboxAnswer {
  readonly credits: number;
  readonly change?: SandboxChange;
  /** Whose change was refused, where it is known. */
  readonly refused?: SandboxPerson;
}

/** The answer with headers besides its own. */
export function withHeaders(answer: SandboxAnswer, headers: Readonly<Record<string, string>>): SandboxAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

/** An answer that costs and changes nothing. */
export function refusal(status: number, error: string): SandboxDecision {
  return { status, body: { error }, credits: 0 };
}

/** What is said above the rate. `retryAfter` is in whole seconds; undefined where it is kept quiet. */
export function tooMany(retryAfter: string | undefined): SandboxAnswer {
  const answer = { status: 429, body: { error: 'Rate limit exceeded.' } };
  return retryAfter === undefined ? answer : { ...answer, headers: { 'retry-after': retryAfter } };
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

/** The same for a body that must hold at least one of these strings, none of them empty, and nothing else. */
export function problemOfIdentifiers(body: JsonMembers, identifiers: readonly string[]): string | undefined {
  const given = identifiers.filter((name) => name in body);
  if (given.length === 0) return `One of ${identifiers.join(', ')} is needed.`;
  const blank = given.find((name) => body[name] === '');
  if (blank !== undefined) return `"${blank}" is empty.`;
  const others = identifiers.filter((name) => !given.includes(name));
  return problemOfStrings(body, given, others);
}
