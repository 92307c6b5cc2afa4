import { hash } from 'node:crypto';
import type { Entry } from './book-entry.ts';
import type { SandboxDecision } from './vendor.ts';

/**
 * Remembers what was answered to each idempotency key. The vendor acts once for all requests of an account with the same
 * key, and answers every later one as it answered the first.
 */

/** A key is valid for so long, by the vendor's own clock. */
const VALID_MS = 24 * 60 * 60 * 1000;

export interface KeyedAnswer extends SandboxDecision {
  /** The fingerprint of the request: the client makes a mistake when it sends other bytes with the same key. */
  readonly fingerprint: string;
  readonly atMs: number;
}

export class KeyedAnswers {
  readonly #answers = new Map<string, KeyedAnswer>();

  /** Remembers the answer of a line of the book, if its request had a key. */
  note({ at, account, credits, answered }: Entry): void {
    if (answered === undefined) return;
    const { idempotency_key: key, fingerprint, status, body } = answered;
    this.#answers.set(nameOf(account, key), { fingerprint, status, body, credits, atMs: Date.parse(at) });
  }

  /** The answer to the key; undefined when there is none or it is too old. */
  find(account: string, key: string, nowMs: number): KeyedAnswer | undefined {
    const answer = this.#answers.get(nameOf(account, key));
    return answer !== undefined && nowMs - answer.atMs < VALID_MS ? answer : undefined;
  }
}

/** The name of a key of an account. It is unique, because an account's short hash has no line end. */
function nameOf(account: string, key: string): string {
  return `${account}\n${key}`;
}

/** A hash that is equal only for requests with the same bytes. */
export function fingerprintOf(method: string, target: string, body: string): string {
  return hash('sha256', `${method} ${target}\n${body}`, 'hex').slice(0, 24);
}
