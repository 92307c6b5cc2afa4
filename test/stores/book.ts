import { type CallKey, callKeyOf } from '../../src/call-key.ts';
import {
  type Admission,
  type AnswerKind,
  type AttemptId,
  type BatchId,
  type BatchSpec,
  type BatchStart,
  credits,
  type DecisionId,
  type DecisionKind,
  type Ledger,
  type RawReply,
} from '../../src/ledger.ts';
import type { Call } from '../../src/operation.ts';
import type { Outcome } from '../../src/row.ts';

/** What the tests of the stores write into a ledger: one account, short batches, calls named by one word. */

export const ACCOUNT = 'provider test.example';
/** Noon UTC, so that a test may go some hours either way within the day. */
export const NOON_MS = Date.UTC(2026, 10, 20, 12);
export const DAY_MS = 24 * 60 * 60 * 1000;

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
}

export function admit(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: IntentOptions = {},
): Promise<Admission> {
  const { account = ACCOUNT, decision } = options;
  return ledger.admit({
    key: keyNamed(word, account),
    accountIdentity: account,
    call: callNamed(word),
    batch,
    row: options.row ?? 2,
    reserve: credits(options.reserve ?? 1),
    atMs: options.atMs ?? NOON_MS,
    ...(decision === undefined ? {} : { decision }),
  });
}

export async function admitted(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: IntentOptions = {},
): Promise<AttemptId> {
  const admission = await admit(ledger, batch, word, options);
  if (admission.kind !== 'admitted')
    throw new Error(`${word} was not admitted: over the ${admission.scope}'s budget`);
  return admission.attempt;
}

export function replyWith(text: string, status = 200): RawReply {
  return {
    status,
    headers: { 'x-request-id': `r-${text}` },
    body: Buffer.from(text),
    receivedAtMs: NOON_MS + 40,
  };
}

export interface AnswerOptions extends IntentOptions {
  readonly kind?: AnswerKind;
  readonly charged?: number;
  readonly status?: number;
}

/** Asked and answered; the body of the answer is the word. */
export async function answered(
  ledger: Ledger,
  batch: BatchId,
  word: string,
  options: AnswerOptions = {},
): Promise<AttemptId> {
  const attempt = await admitted(ledger, batch, word, options);
  await ledger.record(attempt, replyWith(word, options.status ?? 200));
  const { kind = 'found', charged = 1 } = options;
  const closure = {
    kind: 'settled',
    answer: kind,
    charged: credits(charged),
    why: `it was ${kind}`,
  } as const;
  await ledger.closeAttempt(attempt, closure, NOON_MS + 50);
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
  await ledger.closeAttempt(attempt, { kind: 'in_doubt', why: 'the connection was reset' }, NOON_MS + 50);
  return attempt;
}

export function decide(ledger: Ledger, batch: BatchId, word: string, kind: DecisionKind, told?: RawReply) {
  const spec = {
    key: keyNamed(word),
    batch,
    kind,
    by: 'person',
    why: 'somebody said so',
    atMs: NOON_MS,
  } as const;
  return ledger.decide(spec, told);
}

export async function stateOf(ledger: Ledger, word: string, batch?: BatchId) {
  const [state] = await ledger.find([keyNamed(word)], batch);
  if (state === undefined) throw new Error('a ledger answers for every key');
  return state;
}

export function settle(
  ledger: Ledger,
  batch: BatchId,
  row: number,
  outcome: Outcome,
  answers: readonly AttemptId[] = [],
): Promise<void> {
  return ledger.settleRow({ batch, row, outcome, answers });
}

export const MATCHED = { kind: 'matched', matchedBy: 'domain' } as const;
export const IN_DOUBT = { kind: 'in_doubt', reason: 'no answer came' } as const;
