import { hash } from 'node:crypto';
import type { Admission } from '../../src/sandbox/gate.ts';
import type { JsonMembers } from '../../src/sandbox/json.ts';
import type { Entry, ReceivedBody } from '../../src/sandbox/registrar.ts';
import { rejection, type SandboxDecision, type VendorOperation } from '../../src/sandbox/vendor.ts';

/**
 * A provider that honours idempotency keys, and says what became of a request. It acts once for each key, and answers later
 * requests as it answered the first.
 */

interface KeyedAnswer extends SandboxDecision {
  /** The client makes a mistake when it sends other bytes with the same key. */
  readonly fingerprint: string;
}

/** As the book has it. */
type Answered = JsonMembers & {
  readonly idempotency_key: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: JsonMembers;
};

export class KeyedAnswers {
  readonly #answers = new Map<string, KeyedAnswer>();

  note({ account, credits, more }: Entry): void {
    if (more?.answered === undefined) return;
    const { idempotency_key: key, fingerprint, status, body } = more.answered as Answered;
    this.#answers.set(nameOf(account, key), { fingerprint, status, body, credits });
  }

  answer(admitted: Admission, received: ReceivedBody): SandboxDecision | undefined {
    const before = this.#answers.get(nameOf(admitted.account, keyOf(admitted) ?? ''));
    if (before === undefined || before.fingerprint === fingerprintOf(admitted, received)) return before;
    return rejection(422, 'This idempotency key belongs to another request.');
  }

  more(admitted: Admission, received: ReceivedBody, { status, body }: SandboxDecision): object {
    const key = keyOf(admitted);
    const fingerprint = fingerprintOf(admitted, received);
    return key === undefined ? {} : { answered: { idempotency_key: key, fingerprint, status, body } };
  }

  readBack(): VendorOperation {
    return {
      vendor: 'provider',
      method: 'GET',
      authorization: ['Bearer <key>'],
      isLookUp: true,
      name: 'read-back',
      path: '/requests/{idempotency_key}',
      decide: ({ account, segment }) => {
        const answered = this.#answers.get(nameOf(account, segment));
        if (answered === undefined) return rejection(404, 'unknown request');
        return { status: 200, credits: 0, body: { status: answered.status, answer: answered.body } };
      },
    };
  }
}

function keyOf({ operation, headers }: Admission): string | undefined {
  const key = headers['idempotency-key'];
  const isKeyed = operation.vendor === 'provider' && operation.isLookUp !== true;
  return isKeyed && typeof key === 'string' && key !== '' ? key : undefined;
}

/** It is unique, because an account's short hash has no line end. */
const nameOf = (account: string, key: string): string => `${account}\n${key}`;

const fingerprintOf = ({ operation: { method }, target }: Admission, { text = '' }: ReceivedBody): string =>
  hash('sha256', `${method} ${target}\n${text}`, 'hex').slice(0, 24);
