import { callKeyOf } from '../../../src/core/call-key.ts';
import type { Subject, SubjectFacts } from '../../../src/core/membership.ts';
import { present } from '../../../src/core/objects.ts';
import type { Call } from '../../../src/core/operation.ts';
import {
  type AnswerKind,
  type AttemptId,
  type BatchId,
  credits,
  type Ledger,
} from '../../../src/ledger/ledger.ts';
import { ACCOUNT, type IntentOptions, intentOf, NOON_MS, replyWith } from './book.ts';

/** What the tests of the stores change: people in projects, by calls that are named by their operation. */

export const KIM: Subject = { project: 'proj-1', name: 'kim@example.org' };

export const INVITED: SubjectFacts = {
  state: 'invited',
  role: 'viewer',
  email: 'kim@example.org',
  inviteCode: 'invite-1',
};
export const MEMBER: SubjectFacts = {
  state: 'member',
  role: 'admin',
  email: 'kim@example.org',
  userId: 'u-1',
};

/** @param after how many changes of the subject were settled when it was planned. */
export function changeOf(operation: string, after: number, subject = KIM): Call {
  return {
    operation,
    ...(subject.project === undefined ? {} : { project: subject.project }),
    parameters: { name: subject.name },
    ifLost: 'hold',
    after,
    change: { subject, leaves: { state: 'invited' }, atStake: 'may have no invite' },
  };
}

/** Sent. Costs nothing, unless told otherwise. */
async function admittedChange(
  ledger: Ledger,
  batch: BatchId,
  call: Call,
  options: IntentOptions = {},
): Promise<AttemptId> {
  const { account = ACCOUNT, reserve = 0 } = options;
  const intent = intentOf(batch, call.operation, { ...options, reserve });
  const admission = await ledger.intent({ ...intent, key: callKeyOf(account, call), call });
  if (admission.kind !== 'admitted') throw new Error(`${call.operation} was not admitted: ${admission.kind}`);
  return admission.attempt;
}

interface ChangeOptions extends IntentOptions {
  readonly answer?: AnswerKind;
  readonly status?: number;
  readonly left?: SubjectFacts;
}

/** Sent and answered. */
export async function changed(
  ledger: Ledger,
  batch: BatchId,
  call: Call,
  options: ChangeOptions = {},
): Promise<AttemptId> {
  const { answer = 'found', status = 200, left, atMs = NOON_MS } = options;
  const attempt = await admittedChange(ledger, batch, call, options);
  await ledger.keep(attempt, replyWith('done', status));
  const end = { kind: 'answered', answer, charged: credits(0), why: `it was ${answer}` } as const;
  await ledger.end(attempt, { ...end, ...present({ left }) }, atMs + 50);
  return attempt;
}

export async function known(ledger: Ledger, subject = KIM) {
  const all = await ledger.subjects(ACCOUNT);
  return all.find((each) => each.subject.name === subject.name && each.subject.project === subject.project);
}
