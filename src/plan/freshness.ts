import { invariant } from '../core/errors.ts';
import type { Job } from '../job/job.ts';
import type {
  AnswerRecord,
  Batch,
  BatchSpec,
  FreshSince,
  KnownAnswer,
  LedgerReader,
} from '../ledger/ledger.ts';

/**
 * How old an answer may be and still be used. The cut-offs are fixed when a batch begins, so that a run that resumes
 * weeks later does not find what it bought itself too old and buys it for ever.
 */

/** The cut-offs of a batch that begins at `startMs`; undefined when answers of any age are used. */
export function freshSinceOf(
  { refreshAfterMs, refreshNoMatchAfterMs }: Pick<Job, 'refreshAfterMs' | 'refreshNoMatchAfterMs'>,
  refreshAll: boolean,
  startMs: number,
): FreshSince | undefined {
  if (refreshAll) return { foundMs: startMs, noMatchMs: startMs };
  if (refreshAfterMs === undefined && refreshNoMatchAfterMs === undefined) return undefined;
  return {
    ...(refreshAfterMs === undefined ? {} : { foundMs: startMs - refreshAfterMs }),
    ...(refreshNoMatchAfterMs === undefined ? {} : { noMatchMs: startMs - refreshNoMatchAfterMs }),
  };
}

/**
 * Whether the batch of this key is finished and used answers that are too old by now: then a new generation buys those
 * anew. An unfinished one never has, because it resumes with the cut-offs of its own beginning: otherwise a run that is
 * started again and again would find what it bought itself too old, and never end.
 */
export async function hasGoneStale(
  ledger: LedgerReader,
  { key, freshSince }: Pick<BatchSpec, 'key' | 'freshSince'>,
): Promise<boolean> {
  if (freshSince === undefined) return false;
  const existing = await ledger.batchByKey(key);
  return existing?.state === 'finished' && (await ledger.hasOlderThan(existing.id, freshSince));
}

/** What is asked of an answer before it is used. */
type DatedAnswer = Pick<AnswerRecord, 'attempt' | 'batch' | 'kind' | 'answeredAtMs'>;

/**
 * Whether the batch may use the answer as it is. An attempt to buy it anew that got lost counts as if it had been
 * answered: it may have been paid for, and the older answer is better than paying again.
 * @param batch without an id: one that a plan is about and that does not exist yet.
 */
export async function isFreshFor(
  batch: Partial<Pick<Batch, 'id' | 'freshSince'>>,
  answer: DatedAnswer,
  ledger: Pick<LedgerReader, 'lostRefresh'>,
): Promise<boolean> {
  if (answer.batch === batch.id) return true;
  const cutOffMs = cutOffFor(answer, batch.freshSince);
  if (cutOffMs === undefined || answer.answeredAtMs >= cutOffMs) return true;
  const lostMs = await ledger.lostRefresh(answer.attempt);
  return lostMs !== undefined && lostMs >= cutOffMs;
}

/** The same of an answer whose time was only looked up where the batch has a cut-off. */
export async function isKnownFreshFor(
  batch: Partial<Pick<Batch, 'id' | 'freshSince'>>,
  answer: KnownAnswer,
  ledger: Pick<LedgerReader, 'lostRefresh'>,
): Promise<boolean> {
  if (batch.freshSince === undefined) return true;
  const { answeredAtMs } = answer;
  invariant(answeredAtMs !== undefined, 'a ledger did not say how old an answer is');
  return isFreshFor(batch, { ...answer, answeredAtMs }, ledger);
}

function cutOffFor({ kind }: DatedAnswer, freshSince: FreshSince | undefined): number | undefined {
  return kind === 'found' ? freshSince?.foundMs : freshSince?.noMatchMs;
}

/**
 * Whether a batch asks again for what was erased when somebody wanted to be forgotten. Only who typed --refresh does: that
 * answers have become too old says nothing of what people want. So its cut-off is the very moment at which it began.
 */
export function asksErasedAgain({
  freshSince,
  createdAtMs,
}: Partial<Pick<Batch, 'freshSince' | 'createdAtMs'>>): boolean {
  return freshSince?.foundMs !== undefined && freshSince.foundMs === createdAtMs;
}
