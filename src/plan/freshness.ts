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
 * This file decides whether an answer is still new enough. The cut-offs are fixed when a batch begins. Otherwise a run
 * that resumes weeks later would find its own answers too old, and would buy them again and again.
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
 * anew. An unfinished batch never goes stale, because it resumes with the cut-offs of its own beginning.
 */
export async function hasGoneStale(
  ledger: LedgerReader,
  { key, freshSince }: Pick<BatchSpec, 'key' | 'freshSince'>,
): Promise<boolean> {
  if (freshSince === undefined) return false;
  const existing = await ledger.batchByKey(key);
  return existing?.state === 'finished' && (await ledger.hasOlderThan(existing.id, freshSince));
}

/** The parts of an answer that decide whether it is fresh. */
type DatedAnswer = Pick<AnswerRecord, 'attempt' | 'batch' | 'kind' | 'answeredAtMs'>;

/**
 * Whether the batch may use the answer as it is. A lost attempt to buy it anew counts as answered: the attempt may have
 * been charged, and the older answer is better than paying again.
 * @param batch it has no id when a plan is about a batch that does not exist yet.
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

/** Does what `isFreshFor` does, for an answer whose time was only looked up when the batch has a cut-off. */
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
 * Whether a batch buys answers again that were erased because a person wanted to be forgotten. Only a run with --refresh
 * does so; answers that became too old by themselves are no reason. A refreshed batch has its own beginning as cut-off.
 */
export function asksErasedAgain({
  freshSince,
  createdAtMs,
}: Partial<Pick<Batch, 'freshSince' | 'createdAtMs'>>): boolean {
  return freshSince?.foundMs !== undefined && freshSince.foundMs === createdAtMs;
}
