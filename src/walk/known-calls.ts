import { AccountTime } from '../client/time.ts';
import { type CallKey, callKeyOf } from '../core/call-key.ts';
import { systemClock } from '../core/clock.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import { type Job, policyOfStep } from '../job/job.ts';
import {
  type Batch,
  type BatchId,
  type CallState,
  type Detail,
  type Doubt,
  type FreshSince,
  type LedgerReader,
  standingDecision,
} from '../ledger/ledger.ts';
import { parseDurationMs } from '../lib/duration.ts';
import type { AskedAccount, PlanContext } from './resolved-job.ts';

/** A call, and the account that is asked. */
export interface AskedCall {
  readonly key: CallKey;
  readonly call: Call;
  readonly by: AskedAccount;
}

export interface FoundCall<State> extends AskedCall {
  readonly state: State;
  /** Whether the call was found in another account, where its person was forgotten. */
  readonly isElsewhere?: boolean;
}

/**
 * Finds the calls, and returns them in the order in which they were asked for. A call that is unknown here
 * counts as erased if it was erased in another account because a person was forgotten there.
 */
export async function findCalls<State extends CallState<Detail>>(
  askedCalls: readonly AskedCall[],
  ledger: Pick<LedgerReader, 'forgettingAccounts'>,
  find: (keys: readonly CallKey[], calls: readonly AskedCall[]) => Promise<readonly State[]>,
): Promise<readonly FoundCall<State>[]> {
  const keysOf = (calls: readonly AskedCall[]) => calls.map(({ key }) => key);
  const states = await find(keysOf(askedCalls), askedCalls);
  const found = askedCalls.map(({ key, call, by }, index) => {
    return { key, call, by, state: states[index] as State, isElsewhere: false };
  });
  // A person who was forgotten in one account is bought through no other without a question.
  for (const other of await ledger.forgettingAccounts()) {
    const unknown = found.filter(
      ({ state, by }) => state.kind === 'unknown' && by.account.identity !== other,
    );
    if (unknown.length === 0) continue;
    const there = unknown.map((each) => ({ ...each, key: callKeyOf(other, each.call) }));
    const elsewhere = await find(keysOf(there), there);
    for (const [index, each] of unknown.entries()) {
      const state = elsewhere[index];
      if (state !== undefined && erasedAtOf(state) !== undefined)
        Object.assign(each, { state, isElsewhere: true });
    }
  }
  return found;
}

const erasedAtOf = (state: CallState<Detail>): number | undefined =>
  state.kind === 'answered' ? state.answer.erasedAtMs : undefined;

/**
 * The rows one of whose calls was erased because a person was forgotten, with the time of the erasure. Such a
 * row asks nothing more: another step, or another account, would be told of the same person.
 * @param callsOf the calls that a row may still make.
 */
export async function forgottenAmong<Row>(
  rows: readonly Row[],
  callsOf: (row: Row) => readonly AskedCall[],
  ledger: Pick<LedgerReader, 'forgettingAccounts' | 'find'>,
): Promise<ReadonlyMap<Row, number>> {
  const forgotten = new Map<Row, number>();
  if ((await ledger.forgettingAccounts()).length === 0) return forgotten;
  const asking = rows.flatMap((row) => callsOf(row).map((call) => ({ row, call })));
  const calls = asking.map(({ call }) => call);
  const found = await findCalls(calls, ledger, (keys) => ledger.find(keys, { detail: 'kind' }));
  for (const [at, { row }] of asking.entries()) {
    const erasedAtMs = found[at] && erasedAtOf(found[at].state);
    if (erasedAtMs !== undefined) forgotten.set(row, erasedAtMs);
  }
  return forgotten;
}

// ------------------------------------------------------------------------------------------------- freshness

/**
 * An answer is used as long as it is new enough. The cut-offs are fixed when a batch begins. Otherwise a run
 * that resumes weeks later would find its own answers too old, and would buy them again and again.
 */

/**
 * The time from which a new batch counts the age of answers: the run's clock, or in a plan the clock that a
 * run would use.
 */
export async function startMsOf(context: PlanContext, ledger: LedgerReader): Promise<number> {
  const clock = context.clock ?? (await AccountTime.of(systemClock, ledger, context.account.identity));
  return clock.wallMs();
}

export function freshSinceOf(
  job: Pick<Job, 'refresh_after' | 'refresh_no_match_after'>,
  refreshAll: boolean,
  startMs: number,
): FreshSince | undefined {
  if (refreshAll) return { foundMs: startMs, noMatchMs: startMs };
  // `never` is not a duration.
  const cutOff = (age = 'never'): number | undefined => {
    const ageMs = parseDurationMs(age);
    return ageMs === undefined ? undefined : startMs - ageMs;
  };
  const since = present({
    foundMs: cutOff(job.refresh_after),
    noMatchMs: cutOff(job.refresh_no_match_after),
  });
  return Object.keys(since).length === 0 ? undefined : since;
}

/**
 * Whether the batch is finished, and a new one would have other answers. Either the batch used answers that
 * are too old by now, or calls that its rows left out were answered since, by another start of the list. An
 * unfinished batch never goes stale, because it resumes with the cut-offs of its own beginning.
 */
export async function hasGoneStale(
  ledger: LedgerReader,
  batch: Pick<Batch, 'id' | 'state' | 'plannedRows'> | undefined,
  freshSince: FreshSince | undefined,
): Promise<boolean> {
  if (batch?.state !== 'finished') return false;
  if (freshSince !== undefined && (await ledger.hasOlderThan(batch.id, freshSince))) return true;
  return batch.plannedRows === undefined && ledger.hasAnsweredSince(batch.id);
}

/**
 * Whether a batch buys answers again that were erased because a person wanted to be forgotten. Only a run
 * with --refresh of the whole list does so; an answer that is merely too old is no reason. The cut-off of a
 * refreshed batch is its own beginning.
 */
export function asksErasedAgain({
  freshSince,
  createdAtMs,
  settings = {},
}: Partial<Pick<Batch, 'freshSince' | 'createdAtMs' | 'settings'>>): boolean {
  const isOfAll = settings.asked_anew === undefined;
  return isOfAll && freshSince?.foundMs !== undefined && freshSince.foundMs === createdAtMs;
}

// ------------------------------------------------------------------------------------------------ sent again

/** What a run does about calls in doubt. */
interface DecidedDoubts {
  /**
   * It pays for them again, so that its plan counts them: a person or the job has sent them again, or their
   * repeat is harmless.
   */
  readonly again: ReadonlySet<CallKey>;
  /** A person leaves them out of each start of the list. */
  readonly leftOut: ReadonlySet<CallKey>;
}

/**
 * Calls that `resolveDoubt` ends without cost are in neither set. This function decides nothing and sends
 * nothing.
 * @param of the batch that a run would go on with, or the path of the list where none exists yet.
 */
export async function decidedDoubts(
  { ledger, job }: Pick<PlanContext, 'job'> & { readonly ledger: LedgerReader },
  keys: readonly CallKey[],
  of: { readonly batch: BatchId | undefined; readonly list?: string | undefined },
): Promise<DecidedDoubts> {
  const { batch } = of;
  const again = new Set<CallKey>();
  const leftOut = new Set<CallKey>();
  for (const state of await ledger.find(keys, of)) {
    if (state.kind !== 'in_doubt') continue;
    const { doubt } = state;
    const decision = standingDecision(state);
    const mayPay = policyOfStep(job, doubt.call.operation) === 'retry';
    // The job pays once for a call. After that a person decides.
    const paysAgain = decision === undefined && mayPay && !(await wasRetried(ledger, doubt, batch));
    const isRetry = decision?.kind === 'retry' || paysAgain;
    const isHarmless = typeof doubt.call.ifLost === 'object' && decision?.kind !== 'skip';
    if (isRetry || isHarmless) again.add(doubt.key);
    if (decision?.kind === 'skip' && decision.by === 'person') leftOut.add(doubt.key);
  }
  return { again, leftOut };
}

/**
 * Whether the job's policy has paid for this call again in this batch already. It may do so once, because the
 * extra credits are for many calls that were lost by chance, not for one that the vendor always loses. After
 * that, a person decides.
 */
export async function wasRetried(ledger: LedgerReader, doubt: Doubt, batch?: BatchId): Promise<boolean> {
  if (batch === undefined) return false;
  const history = await ledger.history(doubt.batch, doubt.row);
  return history.some(
    ({ call, decision }) =>
      decision?.kind === 'retry' &&
      decision.by === 'job' &&
      decision.batch === batch &&
      callKeyOf(doubt.accountIdentity, call) === doubt.key,
  );
}
