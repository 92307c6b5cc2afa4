import { hash } from 'node:crypto';
import type { JsonMembers } from './json.ts';

export type SandboxVendor = 'provider' | 'service';

export type SandboxMethod = 'GET' | 'POST';

export interface VendorOperation {
  readonly vendor: SandboxVendor;
  readonly name: string;
  readonly method: SandboxMethod;
  /** The published path; a `{name}` stands for one segment. */
  readonly path: string;
  /** The shapes of the Authorization header that are accepted. */
  readonly authorization: readonly AuthorizationShape[];
  /** True for a request that costs and changes nothing. Faults spare it. */
  readonly isLookUp?: true;
  /**
   * Returns what the vendor would answer, charge and change. It is pure: nothing happens before the decision
   * is booked.
   */
  readonly decide: Decide;
}

export type Decide = (request: VendorRequest) => SandboxDecision;

export interface VendorRequest {
  /** Number of the request since the book began; new identifiers are made from it. */
  readonly sequence: number;
  /** Short hash of the key. */
  readonly account: string;
  readonly project: string;
  /** The segment of the path, decoded; empty when the path has none. */
  readonly segment: string;
  /** The members of the body; for a GET, the parameters of its query. */
  readonly body: JsonMembers;
}

export interface SandboxAnswer {
  readonly status: number;
  readonly body: JsonMembers;
  /** Headers besides those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SandboxDecision extends SandboxAnswer {
  readonly credits: number;
  /** What was found, by our names, where the answer has others. */
  readonly gave?: JsonMembers;
  readonly change?: SandboxChange;
}

/**
 * A change of a vendor, made by a request or by a test. The vendor's state is all changes applied in order.
 */
export type SandboxChange =
  | {
      readonly kind: 'project_created';
      readonly project: string;
      readonly name: string;
      readonly description: string;
      readonly organization: string;
    }
  | {
      readonly kind: 'invited';
      readonly project: string;
      readonly email: string;
      readonly role: string;
      readonly invite: string;
      /** True when the person was in the organization already and accepted at once. */
      readonly accepted: boolean;
    }
  | { readonly kind: 'role_changed'; readonly project: string; readonly user: string; readonly role: string }
  | { readonly kind: 'invite_deleted'; readonly project: string; readonly invite: string }
  | { readonly kind: 'user_removed'; readonly project: string; readonly user: string };

export function withHeaders(answer: SandboxAnswer, headers: Readonly<Record<string, string>>): SandboxAnswer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

export function rejection(status: number, error: string): SandboxDecision {
  return { status, body: { error }, credits: 0 };
}

/** A decision about requests whose body has no problem. */
export function ifValid(problemOf: (body: JsonMembers) => string | undefined, decide: Decide): Decide {
  return (request) => {
    const problem = problemOf(request.body);
    return problem === undefined ? decide(request) : rejection(400, problem);
  };
}

/**
 * The answer to a request above the rate. `retryAfter` is in whole seconds; undefined when it is not told.
 */
export function tooMany(retryAfter: string | undefined): SandboxAnswer {
  const answer = { status: 429, body: { error: 'Rate limit exceeded.' } };
  return retryAfter === undefined ? answer : { ...answer, headers: { 'retry-after': retryAfter } };
}

/**
 * The first problem of a body that must have exactly these strings, in words; undefined when there is none.
 */
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

/** The first problem of a body that must have at least one of these strings, none empty, and nothing else. */
export function problemOfIdentifiers(body: JsonMembers, identifiers: readonly string[]): string | undefined {
  const given = identifiers.filter((name) => name in body);
  if (given.length === 0) return `One of ${identifiers.join(', ')} is needed.`;
  const blank = given.find((name) => body[name] === '');
  if (blank !== undefined) return `"${blank}" is empty.`;
  const others = identifiers.filter((name) => !given.includes(name));
  return problemOfStrings(body, given, others);
}

/** The four shapes of the Authorization header that the two vendors publish, to the character. */
const SHAPES = {
  'Bearer <key>': /^Bearer (?<key>[^\s:]+)$/,
  'Bearer :<key>': /^Bearer :(?<key>[^\s:]+)$/,
  'Bearer <project>:<key>': /^Bearer (?<project>[^\s:]+):(?<key>[^\s:]+)$/,
  '<project>:<key>': /^(?<project>[^\s:]+):(?<key>[^\s:]+)$/,
};
type AuthorizationShape = keyof typeof SHAPES;

export interface Authorization {
  readonly shape: AuthorizationShape | 'other';
  /** Empty when the shape has no project part. */
  readonly project: string;
  /** Short hash of the key; empty without one. The key itself is never kept. */
  readonly account: string;
}

/** Takes the header apart. Anything that is none of the published shapes is `other`. */
export function readAuthorization(header = ''): Authorization {
  for (const shape of Object.keys(SHAPES) as AuthorizationShape[]) {
    const groups = SHAPES[shape].exec(header)?.groups;
    if (groups === undefined) continue;
    const { key = '', project = '' } = groups;
    return { shape, project, account: accountOf(key) };
  }
  return { shape: 'other', project: '', account: '' };
}

/** A short hash of the key: it tells the keys of a sandbox apart and does not reveal them. */
export function accountOf(key: string): string {
  return hash('sha256', `sandbox-account ${key}`, 'hex').slice(0, 12);
}
