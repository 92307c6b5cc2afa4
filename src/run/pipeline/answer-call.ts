import { asReadToday } from '../../client/kept-answers.ts';
import type { CallKey } from '../../core/call-key.ts';
import { invariant, StopError, unreachable } from '../../core/errors.ts';
import { erasedReason } from '../../ledger/erase.ts';
import type { AttemptId, Batch, CallState, Doubt } from '../../ledger/ledger.ts';
import { mayBuyAgain } from '../../plan/batch.ts';
import type { RunContext } from '../../plan/context.ts';
import { asksErasedAgain, type FoundCall, findCalls, isFreshFor } from '../../plan/known-calls.ts';
import { buy } from '../buy.ts';
import type { Answered, CallToBuy, Waits } from '../call.ts';
import { untilMoved } from '../intent.ts';
import { keepReading, noAnswerWords } from '../readings.ts';
import { doubtReason } from '../reconcile.ts';
import { type InDoubt, resolveDoubt } from '../recover.ts';
import type { Run } from '../session.ts';
import { MOST_TOLD, PUT_OFF } from '../too-fast.ts';

/** The work on the rows of a batch in one run, and what the rows know of each other's calls. */
export interface Work {
  readonly context: RunContext;
  readonly batch: Batch;
  readonly run: Run;
  /** The calls that are being answered now, so that equal calls of other rows wait instead of being bought again. */
  readonly flying: Map<CallKey, Promise<Obtained>>;
  /** The calls that the ledger did not know when their rows were read ahead. Each is bought without another look. */
  readonly unknown: Set<CallKey>;
  /** What a person wants sent again, and the extra credits do not cover. Their rows stay pending. */
  readonly uncovered: Map<CallKey, Doubt>;
  /** Whether a doubt is waited for that may be asked about or repeated later only. */
  readonly mayWait: boolean;
}

/** `refused` means that the subject of a change is no longer as planned. A call that has no doubt of its own leaves no attempt here. */
interface Held {
  readonly kind: 'in_doubt' | 'skipped' | 'refused';
  readonly reason: string;
  readonly attempt?: AttemptId;
  /** Another call of the same person. */
  readonly waitsFor?: AttemptId | undefined;
}

type Standing = Exclude<CallState, { readonly kind: 'in_flight' }>;

type Obtained = Answered | Held | Waits;

/** It ends, whatever the ledger says: who asks for a call that others ask for may look many times. */
const MOST_LOOKS = 1_000;

export function answerTo(work: Work, wanted: CallToBuy): Promise<Obtained> {
  const { flying } = work;
  const earlier = flying.get(wanted.key);
  if (earlier !== undefined) return earlier;
  const obtained = answerOnce(work, wanted);
  flying.set(wanted.key, obtained);
  return obtained;
}

/**
 * Buys at once a call that the ledger did not know when the row was read. Otherwise, or if the ledger knows more by now, it
 * looks, and looks again after each step until there is something to go on with: every step gets an answer, ends a doubt or leaves the call.
 */
async function answerOnce(work: Work, wanted: CallToBuy): Promise<Obtained> {
  const { flying, unknown } = work;
  let obtained: Obtained | undefined;
  try {
    if (unknown.delete(wanted.key)) obtained = await bought(work, { ...wanted, ifUnknown: true });
    for (let looks = 0; obtained === undefined; looks += 1) {
      invariant(looks < MOST_LOOKS, `the ledger knows more of call ${wanted.key} than it shows`);
      obtained = await answerFrom(work, wanted, await look(work, wanted));
    }
    return obtained;
  } finally {
    // What is put off to the next run is put off for all rows of this one.
    if (obtained?.kind !== 'in_doubt' || obtained.attempt !== undefined) flying.delete(wanted.key);
  }
}

/** Waits for who asks for the call by now. */
async function look(work: Work, wanted: CallToBuy): Promise<FoundCall<Standing>> {
  const { context, batch, run } = work;
  const { ledger, account } = context;
  const [found] = await findCalls<CallState>([wanted], {
    accountIdentity: account.identity,
    ledger,
    find: async (keys) =>
      asReadToday(await ledger.find(keys, { batch: batch.id }), context, (read) =>
        keepReading({ ledger, clock: run.session.clock, dialect: run.session.client.dialect }, read),
      ),
  });
  invariant(found !== undefined, 'the ledger answers for every key');
  const { state } = found;
  if (state.kind !== 'in_flight') return { ...found, state };
  await untilMoved(run);
  return look(work, wanted);
}

/** @returns undefined when the ledger has to be asked what became of the call. */
async function answerFrom(
  work: Work,
  wanted: CallToBuy,
  { state, key, call, isElsewhere = false }: FoundCall<Standing>,
): Promise<Obtained | undefined> {
  // What was erased in another account is nothing that a request of this one could replace.
  const isNew = state.kind === 'unknown' || (isElsewhere && asksErasedAgain(work.batch));
  if (isNew) return bought(work, { ...wanted, ifUnknown: true });
  switch (state.kind) {
    case 'answered':
    case 'unanswered':
      return useAnswer(work, wanted, state);
    case 'in_doubt':
      return settle(work, { ...wanted, key, call }, state);
    default:
      return unreachable(state);
  }
}

/** Uses the answer, or buys the call anew: what is too old, and what turned out to be no answer where a person agreed to that. */
async function useAnswer(
  work: Work,
  wanted: CallToBuy,
  { kind, answer }: Extract<CallState, { readonly kind: 'answered' | 'unanswered' }>,
): Promise<Obtained | undefined> {
  const { context, batch } = work;
  const { erasedAtMs, attempt } = answer;
  const isFresh = await isFreshFor(batch, answer, context.ledger);
  if (erasedAtMs !== undefined && (isFresh || !asksErasedAgain(batch)))
    return { kind: 'skipped', reason: erasedReason(erasedAtMs) };
  if (isFresh && kind === 'answered') return { kind, answer };
  if (isFresh && kind === 'unanswered' && !mayBuyAgain(batch, context.dialect))
    return { kind: 'in_doubt', reason: noAnswerWords(answer), attempt };
  return bought(work, { ...wanted, replaces: attempt });
}

/**
 * Settles a call in doubt by rule 10, or leaves its row in doubt. A stop in between leaves the row as its lost call did. Another run may
 * decide about the same loss: then the ledger refuses what this one makes of it.
 */
async function settle(work: Work, wanted: CallToBuy, state: InDoubt): Promise<Obtained | undefined> {
  const { context, run, batch } = work;
  const { attempt } = state.doubt;
  try {
    const resolved = await resolveDoubt(run, state, context.job.inDoubt.kind, work.mayWait);
    if (resolved?.kind !== 'send_again') return resolved;
    return await bought(work, { ...wanted, ...resolved.again }, state);
  } catch (error) {
    if (error instanceof StopError) throw error;
    const [now] = await context.ledger.find([wanted.key], { batch: batch.id });
    if (now?.kind === 'in_doubt' && now.doubt.attempt === attempt) throw error;
    return undefined;
  }
}

/**
 * Buys the call. Its answer is in memory as the ledger has it; only operations that look into its body read it there.
 * @param lost what is sent again.
 * @returns undefined when the ledger has to be asked what became of the call.
 */
async function bought(work: Work, wanted: CallToBuy, lost?: InDoubt): Promise<Obtained | undefined> {
  const end = await buy(work.run, wanted);
  if (end === 'over_extra' && lost !== undefined) return uncovered(work, lost);
  if (typeof end !== 'object') return undefined;
  switch (end.kind) {
    case 'answered':
      return work.context.job.operation.readsAnswers === true ? undefined : end;
    case 'waits':
      return end;
    case 'moved':
      return {
        kind: 'refused',
        reason: `changed by batch ${end.by} since this was planned; run the list again to make a new plan`,
      };
    case 'subject_in_doubt':
      return {
        kind: 'in_doubt',
        reason: `row ${end.row} of batch ${end.by} asked to change the same person, and the result is in doubt; settle that first`,
        waitsFor: end.attempt,
      };
    case 'put_off':
      return lost === undefined
        ? { kind: 'in_doubt', reason: PUT_OFF }
        : stillInDoubt(lost.doubt, `sent again, and told "too many requests" ${MOST_TOLD} times`);
    default:
      return unreachable(end);
  }
}

/** What a person wants sent again waits for more extra credits. What only the job wants stays in doubt. */
function uncovered(work: Work, { doubt, decision }: InDoubt): Held | Waits {
  if (decision?.kind !== 'retry' || decision.by !== 'person')
    return stillInDoubt(doubt, 'not sent again, because the extra credits do not cover it');
  work.uncovered.set(doubt.key, doubt);
  return { kind: 'waits' };
}

const stillInDoubt = (doubt: Doubt, why: string): Held => ({
  kind: 'in_doubt',
  reason: `${doubtReason(doubt)}; ${why}`,
  attempt: doubt.attempt,
});
