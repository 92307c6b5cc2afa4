import { expect } from 'vitest';
import { type CallKey, callKeyOf } from '../../../src/core/call-key.ts';
import { NO_FINDINGS } from '../../../src/core/finding.ts';
import { present } from '../../../src/core/objects.ts';
import type { Call } from '../../../src/core/operation.ts';
import type { Outcome } from '../../../src/core/row.ts';
import {
  type Admission,
  type AnswerKind,
  type AttemptId,
  type BatchId,
  type BatchSpec,
  type BatchStart,
  type CallState,
  credits,
  type DecisionId,
  type DecisionKind,
  type Intent,
  type KeyedRequest,
  type Ledger,
  type Look,
  type Reply,
} from '../../../src/ledger/ledger.ts';
import { said } from '../../support/told.ts';

/** What the tests of the stores write into a ledger: one account, short batches, calls named by one word. */

export const ACCOUNT = 'provider test.example';

/** Noon UTC, so that a test may go some hours either way within the day. */
export const NOON_MS = Date.UTC(2026, 10, 20, 12);
export const DAY_MS = 24 * 60 * 60 * 1000;

/** Refused as a bug, or found to stand otherwise: nothing of it was written, so nothing is sent. */
export async function notAdmitted(asked: Promise<Admission>): Promise<void> {
  const kind = await asked.then(
    (admission) => admission.kind,
    () => 'refused',
  );
  expect(kind).not.toBe('admitted');
}

export function batchSpec(spec: Partial<BatchSpec> = {}): BatchSpec {
  return {
    key: 'key-a',
    lineage: 'lineage-a',
    accountIdentity: ACCOUNT,
    accountName: 'data',
    sandbox: false,
    vendor: 'provider',
    operation: 'enrich-company',
    inputPath: '/home/user/leads.csv',
    inputSha256: 'sha-a',
    header: ['ABN'],
    inputRows: 3,
    settings: { columns: { abn: 'ABN' } },
    createdAtMs: NOON_MS,
    ...spec,
  };
}

export function begin(ledger: Ledger, spec: Partial<BatchSpec> = {}): Promise<BatchStart> {
  return ledger.beginBatch(batchSpec(spec));
}

/** A batch of its own key and lineage. */
export async function batchNamed(
  ledger: Ledger,
  name: string,
  spec: Partial<BatchSpec> = {},
): Promise<BatchId> {
  const { batch } = await begin(ledger, { key: `key-${name}`, lineage: `lineage-${name}`, ...spec });
  return batch.id;
}

export function callNamed(word: string): Call {
  return { operation: 'enrich-company', parameters: { domain: `${word}.example` }, ifLost: 'hold' };
}

export function keyNamed(word: string, account = ACCOUNT): CallKey {
  return callKeyOf(account, callNamed(word));
}

export interface IntentOptions {
  readonly row?: number;
  readonly reserve?: number;
  readonly atMs?: number;
  readonly account?: string;
  readonly decision?: DecisionId;
  readonly replaces?: AttemptId;
  readonly request?: KeyedRequest;
  readonly ifUnknown?: true;
}

export function admit(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: IntentOptions = {},
): Promise<Admission> {
  return ledger.intent(intentOf(batch, word, options));
}

export function intentOf(batch: BatchId, word: string, options: IntentOptions = {}): Intent {
  const { account = ACCOUNT, decision, replaces, request, ifUnknown } = options;
  return {
    key: keyNamed(word, account),
    accountIdentity: account,
    call: callNamed(word),
    batch,
    row: options.row ?? 2,
    reserve: credits(options.reserve ?? 1),
    atMs: options.atMs ?? NOON_MS,
    ...present({ decision, replaces, request, ifUnknown }),
  };
}

export async function admitted(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: IntentOptions = {},
): Promise<AttemptId> {
  const admission = await admit(ledger, batch, word, options);
  if (admission.kind !== 'admitted') throw new Error(`${word} was not admitted: ${admission.kind}`);
  return admission.attempt;
}

/** A request under an idempotency key, which is the same to the byte whenever it is asked for. */
export function requestUnder(idempotencyKey: string): KeyedRequest {
  const body = `{"for":"${idempotencyKey}"}`;
  return { idempotencyKey, method: 'POST', path: '/v1/companies?x=1', body, firstSentAtMs: NOON_MS };
}

export function replyWith(text: string, status = 200, receivedAtMs = NOON_MS + 40): Reply {
  return {
    status,
    headers: { 'x-request-id': `r-${text}` },
    body: Buffer.from(text),
    receivedAtMs,
  };
}

export interface AnswerOptions extends IntentOptions {
  readonly kind?: AnswerKind;
  readonly charged?: number;
  readonly status?: number;
  readonly receivedAtMs?: number;
  readonly endedAtMs?: number;
  readonly body?: string;
}

/** Asked and answered; unless told otherwise, the body of the answer is the word. */
export async function answered(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: AnswerOptions = {},
): Promise<AttemptId> {
  const attempt = await admitted(ledger, batch, word, options);
  await ledger.keep(attempt, replyWith(options.body ?? word, options.status ?? 200, options.receivedAtMs));
  const { kind = 'found', charged = 1, endedAtMs = NOON_MS + 50 } = options;
  const end = {
    kind: 'answered',
    answer: kind,
    charged: credits(charged),
    why: said(`it was ${kind}`),
  } as const;
  await ledger.end(attempt, end, endedAtMs);
  return attempt;
}

/** Asked, and no answer came. */
export async function lost(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: IntentOptions = {},
): Promise<AttemptId> {
  const attempt = await admitted(ledger, batch, word, options);
  await ledger.end(attempt, { kind: 'in_doubt', why: said('the connection was reset') }, NOON_MS + 50);
  return attempt;
}

export function decide(ledger: Ledger, batch: BatchId, word: string, kind: DecisionKind, told?: Reply) {
  const spec = {
    key: keyNamed(word),
    batch,
    kind,
    by: 'person',
    why: 'somebody said so',
    atMs: NOON_MS,
  } as const;
  return ledger.decide(spec, { reply: told });
}

/** Somebody was invited into a project, which costs nothing. */
export async function invited(ledger: Ledger, batch: BatchId): Promise<void> {
  const subject = { project: 'proj-1', name: 'kim@example.org' };
  const left = { state: 'invited', role: 'viewer', email: subject.name, inviteCode: 'invite-1' } as const;
  const call: Call = {
    operation: 'invite',
    project: subject.project,
    parameters: { name: subject.name },
    ifLost: 'hold',
    after: 0,
    change: { subject, leaves: { state: 'invited' }, atStake: 'may have no invite' },
  };
  const intent = { ...intentOf(batch, 'invite', { reserve: 0 }), key: callKeyOf(ACCOUNT, call), call };
  const admission = await ledger.intent(intent);
  if (admission.kind !== 'admitted') throw new Error(`it was not admitted: ${admission.kind}`);
  await ledger.keep(admission.attempt, replyWith('done'));
  const end = {
    kind: 'answered',
    answer: 'found',
    charged: credits(0),
    why: said('it was found'),
    left,
  } as const;
  await ledger.end(admission.attempt, end, NOON_MS + 50);
}

/** What the vendor said about a lost attempt when it was asked. */
export function lookAt(attempt: AttemptId, said: Look['said'], look: Partial<Look> = {}): Look {
  const why = `it said ${said}`;
  return {
    attempt,
    kind: 'read_back',
    said,
    why,
    status: 200,
    body: Buffer.from(said),
    atMs: NOON_MS,
    ...look,
  };
}

/** The vendor said that it did not happen, and the money was given back. */
export async function released(ledger: Ledger, attempt: AttemptId): Promise<void> {
  await ledger.look(lookAt(attempt, 'not_happened'));
  await ledger.release(attempt, 'the vendor has no such request', NOON_MS + 60);
}

export async function stateOf(ledger: Ledger, word: string, batch?: BatchId) {
  const [state] = await ledger.find([keyNamed(word)], { batch });
  if (state === undefined) throw new Error('a ledger answers for every key');
  return withBytes(state);
}

/** A body comes as text or as bytes, as the store likes. */
function withBytes(state: CallState): CallState {
  if (!('answer' in state)) return state;
  const body = Buffer.from(state.answer.body as string);
  return { ...state, answer: { ...state.answer, body } } as CallState;
}

export function settle(
  ledger: Ledger,
  batch: BatchId,
  row: number,
  outcome: Outcome,
  answers: readonly AttemptId[] = [],
): Promise<void> {
  return ledger.finishRows([{ batch, row, outcome, answers }]);
}

export const MATCHED = { kind: 'matched', matchedBy: 'domain', findings: NO_FINDINGS } as const;
export const IN_DOUBT = { kind: 'in_doubt', findings: said('no answer came') } as const;
