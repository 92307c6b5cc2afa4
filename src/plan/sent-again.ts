import { type CallKey, callKeyOf } from '../core/call-key.ts';
import { policyOf } from '../job/job-schema.ts';
import { type BatchId, type Doubt, type LedgerReader, standingDecision } from '../ledger/ledger.ts';
import type { PlanContext } from './row-walk.ts';

/**
 * This file says which calls in doubt a run may send again, so that its plan counts what they may cost. It follows the rules of
 * `resolveDoubt`, where those that surely cost nothing come first. Nothing here decides or sends anything.
 */

export interface SentAgain {
  /** Credits of it that count as in doubt already, and no more once it is sent again. */
  readonly atRisk: number;
}

/** @param batch the batch that a run would go on with; undefined for one that does not exist yet. */
export async function callsSentAgain(
  { ledger, ...context }: PlanContext & { readonly ledger: LedgerReader },
  keys: readonly CallKey[],
  batch: BatchId | undefined,
): Promise<ReadonlyMap<CallKey, SentAgain>> {
  const again = new Map<CallKey, SentAgain>();
  const states = await ledger.find(keys, { batch });
  for (const [at, key] of keys.entries()) {
    const state = states[at];
    if (state?.kind !== 'in_doubt') continue;
    const { doubt } = state;
    const decision = standingDecision(state);
    if (decision?.kind === 'skip') continue;
    const isPaid = decision ? decision.kind === 'retry' : await paysAgain(context, ledger, doubt, batch);
    const isHarmless = typeof doubt.call.ifLost === 'object';
    const isFree = endsWithoutCost(context, doubt);
    if (!isPaid && !isHarmless && !isFree) continue;
    const isOwn = !isPaid && !isHarmless && doubt.batch === batch;
    again.set(key, { atRisk: isOwn ? doubt.atRisk : 0 });
  }
  return again;
}

/** Whether the job says to pay again, and has not done so for this call yet. */
async function paysAgain(
  { job, account }: Pick<PlanContext, 'job' | 'account'>,
  ledger: LedgerReader,
  doubt: Doubt,
  batch: BatchId | undefined,
): Promise<boolean> {
  if (policyOf(job) !== 'retry') return false;
  return batch === undefined || !(await wasRetried(ledger, account.identity, doubt, batch));
}

/**
 * Whether the job's policy has paid for this call again in this batch already. It may do so once, because the extra credits
 * are for many calls that were lost by chance, not for one that the vendor always loses. After that, a person decides.
 */
export async function wasRetried(
  ledger: LedgerReader,
  accountIdentity: string,
  doubt: Doubt,
  batch: BatchId,
): Promise<boolean> {
  const history = await ledger.history(doubt.batch, doubt.row);
  return history.some(
    ({ call, decision }) =>
      decision?.kind === 'retry' &&
      decision.by === 'job' &&
      decision.batch === batch &&
      callKeyOf(accountIdentity, call) === doubt.key,
  );
}

/** Whether a rule may repeat the call under its key, or end its doubt by a question, after which it is bought like any other. */
function endsWithoutCost(
  { dialect, account }: Pick<PlanContext, 'dialect' | 'account'>,
  { call, request }: Doubt,
): boolean {
  const { idempotency, usage, operations } = dialect;
  return (
    (idempotency !== undefined && request !== undefined) ||
    operations[call.operation]?.read_back !== undefined ||
    (usage !== undefined && account.exclusiveKey === true)
  );
}
