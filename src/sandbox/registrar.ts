import { hash } from 'node:crypto';
import { type Clock, isoTime } from '../core/clock.ts';
import type { SandboxAdmitted } from './admission.ts';
import { type BookSum, SandboxBook } from './book.ts';
import type { Entry, SandboxChange } from './book-entry.ts';
import { isMembers, type Json, type JsonMembers, jsonIn } from './json.ts';
import { ServiceState } from './service-state.ts';
import { rejection, type SandboxDecision, type VendorOperation } from './vendor.ts';

/**
 * Decides requests and carries them out. Every charge, every change and every refused person is in the book before the
 * request is answered.
 */

export interface ReceivedBody {
  /** The body as text; undefined when it was too large. */
  readonly text: string | undefined;
  readonly contentType: string;
}

/** The decision about a request, and the credits that were booked for it just now. */
interface Act {
  readonly decision: SandboxDecision;
  readonly credits: number;
}

interface Parts {
  readonly clock: Clock;
  readonly book: SandboxBook;
  readonly state: ServiceState;
  readonly keyed: KeyedAnswers;
  readonly noted: (entry: Entry) => void;
}

export class Registrar {
  readonly #parts: Parts;
  #sequence: number;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#sequence = parts.book.lastSequence;
  }

  /**
   * Reads the book back, so that sums, keyed answers and the service's state are those before a restart.
   * @param noted receives every entry, also those that are read back.
   */
  static async open(
    bookPath: string | undefined,
    clock: Clock,
    noted: (entry: Entry) => void,
  ): Promise<Registrar> {
    const state = new ServiceState();
    const keyed = new KeyedAnswers();
    const book = await SandboxBook.open(bookPath, (entry) => note(entry, { state, keyed, noted }));
    return new Registrar({ clock, book, state, keyed, noted });
  }

  get state(): ServiceState {
    return this.#parts.state;
  }

  /** The number of the next request, or of the next change from outside. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** The answer to an idempotency key of that account. */
  answered(account: string, idempotencyKey: string): KeyedAnswer | undefined {
    const { keyed, clock } = this.#parts;
    return keyed.find(account, idempotencyKey, clock.wallMs());
  }

  creditsOf(account: string): number {
    return this.#parts.book.creditsOf(account);
  }

  sum(): BookSum {
    return this.#parts.book.sum();
  }

  /**
   * Decides and books in one turn of the event loop, so that two requests can never both be first.
   * @param happens false when the decision is made but not carried out.
   */
  act(admitted: SandboxAdmitted, sequence: number, received: ReceivedBody, happens: boolean): Act {
    const { operation, account, target, idempotencyKey } = admitted;
    const fingerprint = fingerprintOf(operation.method, target, received.text ?? '');
    const isKeyed = operation.vendor === 'provider' && operation.isLookUp !== true;
    const key = isKeyed ? idempotencyKey : undefined;
    const before = key === undefined ? undefined : this.answered(account, key);
    if (before !== undefined) {
      const same = before.fingerprint === fingerprint;
      const decision = same ? before : rejection(422, 'This idempotency key belongs to another request.');
      return { decision, credits: 0 };
    }
    const { decision, parameters } = decide(admitted, sequence, received);
    if (!happens) return { decision, credits: 0 };
    const { status, body, credits, change, refused } = decision;
    if (credits > 0 || change !== undefined || refused !== undefined || key !== undefined) {
      const { vendor, name } = operation;
      const answered = key === undefined ? undefined : { idempotency_key: key, fingerprint, status, body };
      const booked = { vendor, operation: name, parameters, account, credits, change, refused, answered };
      this.#append(sequence, booked);
    }
    return { decision, credits };
  }

  /** Books a change of the vendors that a test makes from outside. */
  alter(operation: string, change: SandboxChange): void {
    const entry = { vendor: 'sandbox', operation, parameters: {}, account: '', credits: 0, change } as const;
    this.#append(this.nextSequence(), entry);
  }

  close(): void {
    this.#parts.book.close();
  }

  #append(sequence: number, booked: Omit<Entry, 'at' | 'sequence'>): void {
    const { book, clock } = this.#parts;
    const entry = { at: isoTime(clock.wallMs()), sequence, ...booked };
    book.append(entry);
    note(entry, this.#parts);
  }
}

/** Updates everything that is remembered besides sums from a line of the book. */
function note(entry: Entry, { state, keyed, noted }: Pick<Parts, 'state' | 'keyed' | 'noted'>): void {
  if (entry.change !== undefined) state.apply(entry.change, entry.account);
  keyed.note(entry);
  noted(entry);
}

function decide(
  { operation, account, project, segment, query, parameters }: SandboxAdmitted,
  sequence: number,
  { text, contentType }: ReceivedBody,
): { readonly decision: SandboxDecision; readonly parameters: JsonMembers } {
  const json = operation.method === 'GET' ? parameters : jsonIn(text ?? '');
  const body = isMembers(json) ? json : {};
  const problem = problemOfBody(operation, text, json, contentType);
  const request = { sequence, account, project, segment, query, body };
  return { decision: problem ?? operation.decide(request), parameters: body };
}

function problemOfBody(
  { vendor, method }: VendorOperation,
  text: string | undefined,
  json: Json | undefined,
  contentType: string,
): SandboxDecision | undefined {
  if (text === undefined) return rejection(413, 'The body is larger than 1 MB.');
  // Only the service publishes its content type. The provider's is not known, so it accepts any.
  if (vendor === 'service' && method === 'POST' && !/^application\/json\s*(?:;|$)/i.test(contentType)) {
    return rejection(415, 'Content-Type must be application/json.');
  }
  return isMembers(json) ? undefined : rejection(400, 'The body must be a JSON object.');
}

/**
 * Remembers what was answered to each idempotency key. The vendor acts once for all requests of an account with the same
 * key, and answers every later one as it answered the first.
 */

/** A key is valid for so long, by the vendor's own clock. */
const VALID_MS = 24 * 60 * 60 * 1000;

interface KeyedAnswer extends SandboxDecision {
  /** The fingerprint of the request: the client makes a mistake when it sends other bytes with the same key. */
  readonly fingerprint: string;
  readonly atMs: number;
}

class KeyedAnswers {
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
function fingerprintOf(method: string, target: string, body: string): string {
  return hash('sha256', `${method} ${target}\n${body}`, 'hex').slice(0, 24);
}

/** The provider's free questions: what became of a request, and how many credits a key has used. */
export function lookUps(registrar: Registrar): readonly VendorOperation[] {
  const authorization = ['Bearer <key>'] as const;
  const shared = { vendor: 'provider', method: 'GET', authorization, isLookUp: true } as const;
  return [
    {
      ...shared,
      name: 'read-back',
      path: '/requests/{idempotency_key}',
      decide: ({ account, segment }) => {
        const answered = registrar.answered(account, segment);
        if (answered === undefined) return rejection(404, 'unknown request');
        return { status: 200, credits: 0, body: { status: answered.status, answer: answered.body } };
      },
    },
    {
      ...shared,
      name: 'usage',
      path: '/usage',
      decide: ({ account }) => {
        return { status: 200, credits: 0, body: { credits: registrar.creditsOf(account) } };
      },
    },
  ];
}
