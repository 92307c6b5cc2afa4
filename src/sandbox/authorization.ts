import { hash } from 'node:crypto';
import { unreachable } from '../core/errors.ts';

/** The four shapes of the Authorization header that the two vendors publish, to the character. */
export type AuthorizationShape =
  | 'Bearer <key>'
  | 'Bearer :<key>'
  | 'Bearer <project>:<key>'
  | '<project>:<key>';

const PATTERNS: Readonly<Record<AuthorizationShape, RegExp>> = {
  'Bearer <key>': /^Bearer (?<key>[^\s:]+)$/,
  'Bearer :<key>': /^Bearer :(?<key>[^\s:]+)$/,
  'Bearer <project>:<key>': /^Bearer (?<project>[^\s:]+):(?<key>[^\s:]+)$/,
  '<project>:<key>': /^(?<project>[^\s:]+):(?<key>[^\s:]+)$/,
};

export interface Authorization {
  readonly shape: AuthorizationShape | 'none' | 'other';
  /** Empty when the shape has no project part. */
  readonly project: string;
  /** Short hash of the key; empty without one. The key itself is never kept. */
  readonly account: string;
  /** Keys named like this are refused from the start, so that a test needs no preparation. */
  readonly revoked: boolean;
}

/** Takes the header apart. Anything that is none of the published shapes is `other`. */
export function readAuthorization(header: string | undefined): Authorization {
  if (header === undefined) return { shape: 'none', project: '', account: '', revoked: false };
  for (const shape of Object.keys(PATTERNS) as AuthorizationShape[]) {
    const groups = PATTERNS[shape].exec(header)?.groups;
    if (groups === undefined) continue;
    const { key = '', project = '' } = groups;
    return { shape, project, account: accountOf(key), revoked: key.startsWith('revoked') };
  }
  return { shape: 'other', project: '', account: '', revoked: false };
}

/** A short hash of the key: it tells the keys of a sandbox apart and does not reveal them. */
export function accountOf(key: string): string {
  return hash('sha256', `sandbox-account ${key}`, 'hex').slice(0, 12);
}

/** The error message for an Authorization header of a wrong shape. */
export function wrongShapeWords(
  expected: readonly AuthorizationShape[],
  received: Authorization['shape'],
): string {
  const got =
    received === 'none'
      ? 'there was none'
      : `it was ${received === 'other' ? 'none of the known shapes' : received}`;
  const shapes = expected.map((shape) => `"${shape}" (${explanation(shape)})`).join(' or ');
  return `The Authorization header must be exactly ${shapes}; ${got}.`;
}

function explanation(shape: AuthorizationShape): string {
  switch (shape) {
    case 'Bearer <key>':
      return 'the word Bearer, a blank and the key';
    case 'Bearer :<key>':
      return 'with an empty project part before the colon';
    case 'Bearer <project>:<key>':
      return 'with the project before the colon';
    case '<project>:<key>':
      return 'without the word Bearer';
    default:
      return unreachable(shape);
  }
}
