import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { canonicalJson } from '../core/call-key.ts';
import { stop } from '../core/errors.ts';
import type { JsonValue } from '../core/operation.ts';
import { counted } from '../core/plain-text.ts';
import type { MappedInput } from '../files/input.ts';
import { askedByOrigin } from '../job/job-origin.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { builtInDialect } from '../vendor/dialect-of.ts';
import { batchIdentityOf, batchKeyOf } from './batch-key.ts';
import type { RunContext } from './order.ts';
import { isGeneric, requestWords, sentRequests } from './sent-requests.ts';
import { beginsWork, type ChangePlan } from './team/change-plan.ts';

/**
 * A job or a dialect that another person wrote does not act unseen: when it could do more than its operation says, a
 * person sees it and agrees to it once. The ledger keeps the agreement under a hash of all that decides what is sent, so
 * every altered word is asked about again.
 */

/**
 * Asks for the agreement where it is missing. A sandbox account, a resumed batch and a run with nothing to send need none.
 * @throws StopError `consent` when nobody agreed, now or before.
 */
export async function requireAgreement(
  order: RunContext,
  input: MappedInput,
  changes: ChangePlan | undefined,
): Promise<void> {
  const { account, job, ledger, clock, askRequests, emit } = order;
  if (account.sandbox || (changes !== undefined && !beginsWork(changes, job.operation))) return;
  const requests = (await sentRequests(order)).map(requestWords);
  for (const request of requests) emit({ kind: 'note', message: `Sends ${request}.` });
  const reasons = await reasonsToAsk(order);
  if (reasons.length === 0 || (await goesOn(order, input))) return;
  const sha256 = await contentOf(order);
  if ((await ledger.agreement(sha256)) !== undefined) return;
  if ((await askRequests?.({ reasons, requests })) !== true) {
    throw stop(
      'consent',
      `${reasons.join(' ')} Nobody has agreed to that yet.`,
      'Look at the job and its dialect, then agree once by `rowonce run` with --yes.',
    );
  }
  await ledger.noteAgreement({
    sha256,
    shown: [...reasons, ...requests].join('\n'),
    agreedAtMs: clock.wallMs(),
  });
}

async function reasonsToAsk(
  order: Pick<RunContext, 'job' | 'account' | 'dialect'>,
): Promise<readonly string[]> {
  const { job, dialect, account } = order;
  const [own] = isGeneric(job) ? await sentRequests(order) : [];
  const alters = own !== undefined && own.method !== 'GET';
  const price =
    account.dialectPath === undefined ? undefined : freePrice(order, await builtInDialect(dialect.vendor));
  return [
    ...(alters ? [`The job ${job.name} sends ${requestWords(own)}.`] : []),
    ...(price === undefined ? [] : [price]),
  ];
}

/**
 * A sentence when the dialect gives a price of 0 to an operation that usually costs credits, because no budget would
 * limit that. A dialect that reads the price from the answer is believed.
 */
function freePrice(
  { job: { operation }, dialect }: Pick<RunContext, 'job' | 'dialect'>,
  builtIn: Dialect,
): string | undefined {
  const usual = builtIn.operations[operation.name]?.credits;
  const stated = dialect.operations[operation.name]?.credits;
  if (usual === undefined || stated === undefined || usual.most === 0) return undefined;
  const booked = stated.per_result ?? stated.found;
  const isFree = stated.most === 0 || (booked === 0 && dialect.credits_charged === undefined);
  if (!isFree) return undefined;
  return `The dialect ${dialect.name} says that ${operation.name} costs nothing, and up to ${counted(usual.most, 'credit')} a call are usual.`;
}

/** Whether the run only resumes an open batch, or repeats a finished one without buying anything anew. */
async function goesOn(order: RunContext, input: MappedInput): Promise<boolean> {
  const key = batchKeyOf(batchIdentityOf(order, input), input.survey.sha256);
  const existing = await order.ledger.batchByKey(key);
  if (existing?.state === 'open') return true;
  const isAnew = order.refresh === true || order.job.refreshAfterMs !== undefined;
  return existing?.state === 'finished' && order.job.operation.change === undefined && !isAnew;
}

/** A hash of all that decides what is sent and where to. Built-in dialects are left out, as they come with the program. */
async function contentOf({ account, job }: Pick<RunContext, 'account' | 'job'>): Promise<string> {
  const { operation, columns = null, waterfall = null } = job;
  // The origin is part of the hash, so that an agreement to a trial does not count for a whole list.
  const settings = { ...job.settings, ...askedByOrigin(job.origin) };
  const files = [account.dialectPath, account.via?.dialectPath].map((path) =>
    path === undefined ? null : readFile(path, 'utf8'),
  );
  const parts: readonly JsonValue[] = [
    ...['rowonce-agreement-1', account.identity, account.baseUrl?.href ?? null],
    ...[operation.name, settings, columns, waterfall],
    ...(await Promise.all(files)),
  ];
  return hash('sha256', canonicalJson(parts), 'hex');
}
