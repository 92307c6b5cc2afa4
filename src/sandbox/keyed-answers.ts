import { hash } from 'node:crypto';
import type { Entry } from './book-entry.ts';
import type { SandboxDecision } from './vendor.ts';

/**
 * What was answered under an idempotency key: the vendor acts once for all requests with the same key of an account,
 * and answers every later one as it answered the first.
 */

/** How long a key is honoured, by the vendor's own clock. */
const VALID_MS = 24 * 60 * 60 * 1000;

export interface KeyedAnswer extends SandboxDecision {
  /** Of the request: the same key for other bytes is a mistake of the client's. */
  readonly fingerprint: string;
  readonly atMs: number;
}

export class KeyedAnswers {
  readonly #answers = new Map<string, KeyedAnswer>();

  /** Takes note of a line of the book; most have no key. */
  note({ at, account, credits, answered }: Entry): void {
    if (answered === undefined) return;
    const { idempotency_key: key, fingerprint, status, body } = answered;
    this.#answers.set(nameOf(account, key), { fingerprint, status, body, credits, atMs: Date.parse(at) });
  }

  /** Undefined when nothing was done under that key, or too long ago. */
  find(account: string, key: string, nowMs: number): KeyedAnswer | undefined {
    const answer = this.#answers.get(nameOf(account, key));
    return answer !== undefined && nowMs - answer.atMs < VALID_MS ? answer : undefined;
  }
}

/** A short hash of the account holds no line end. */
function nameOf(account: string, key: string): string {
  return `${account}\n${key}`;
}

/** The same for the same bytes alone. */
export function fingerprintOf(method: string, target: string, body: string): string {
  return hash('sha256', `${method} ${target}\n${body}`, 'hex').slice(0, 24);
}
