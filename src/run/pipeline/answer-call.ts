import { asReadToday } from '../../client/kept-answers.ts';
import type { CallKey } from '../../core/call-key.ts';
import { invariant, StopError, stop, unreachable } from '../../core/errors.ts';
import type { MappedInput } from '../../files/input.ts';
import { erasedReason } from '../../ledger/erase.ts';
import type {
  AnswerAtHand,
  AnswerRecord,
  AttemptId,
  Batch,
  CallState,
  Doubt,
  NoAnswerKind,
} from '../../ledger/ledger.ts';
import { mayBuyAgain, rereadOf, rereadWords } from '../../plan/batch.ts';
import { shownPlanId } from '../../plan/consent.ts';
import type { Reread, RunContext } from '../../plan/context.ts';
import { asksErasedAgain, type FoundCall, findCalls, isFreshFor } from '../../plan/known-calls.ts';
import { buy } from '../buy.ts';
import type { CallEnd, CallToBuy, Waits, Withheld } from '../call.ts';
import { untilMoved } from '../intent.ts';
import { keepReading, noAnswerWords } from '../readings.ts';
import { doubtReason } from '../reconcile.ts';
import { type InDoubt, resolveDoubt } from '../recover.ts';
import type { Run } from '../session.ts';
import { MOST_TOLD, PUT_OFF, type PutOff } from '../too-fast.ts';

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
  readonly uncovered: Set<CallKey>;
}

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
 * looks, and looks again after each step until there is something to go on with. It ends, because every step gets an answer,
 * resolves a doubt or leaves the call; a ledger that twice knows more than it shows is a fault of ours.
 */
async function answerOnce(work: Work, wanted: CallToBuy): Promise<Obtained> {
  const { flying, unknown, run } = work;
  let obtained: Obtained | undefined;
  let step: Step;
  let seen: string | undefined;
  try {
    if (unknown.delete(wanted.key)) step = obtainedBy(work, await buy(run, { ...wanted, ifUnknown: true }));
    while (step === undefined || step === 'known') {
      const found = await look(work, wanted);
      const before: string | undefined = step === undefined ? undefined : seen;
      seen = standing(found.state);
      step = await answerFrom(work, wanted, found);
      invariant(
        step !== 'known' || seen !== before,
        `the ledger knows more of call ${wanted.key} than ${seen}`,
      );
    }
    obtained = step;
    return obtained;
  } finally {
    // What is put off to the next run is put off for all rows of this one.
    if (obtained?.kind !== 'in_doubt' || obtained.attempt !== undefined) flying.delete(wanted.key);
  }
}

function standing(state: CallState): string {
  if ('answer' in state) return `${state.kind} ${state.answer.attempt}`;
  return 'doubt' in state ? `${state.kind} ${state.doubt.attempt}` : state.kind;
}

async function look({ context, batch, run }: Work, wanted: CallToBuy): Promise<FoundCall<CallState>> {
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
  return found;
}

async function answerFrom(
  work: Work,
  wanted: CallToBuy,
  { state, key, call, isElsewhere = false }: FoundCall<CallState>,
): Promise<Step> {
  // What was erased in another account is nothing that a request of this one could replace.
  const isNew = state.kind === 'unknown' || (isElsewhere && asksErasedAgain(work.batch));
  if (isNew) return obtainedBy(work, await buy(work.run, { ...wanted, ifUnknown: true }));
  switch (state.kind) {
    case 'answered':
    case 'unanswered':
      return useAnswer(work, wanted, state);
    case 'in_flight':
      await untilMoved(work.run);
      return undefined;
    case 'in_doubt':
      return answerInDoubt(work, { ...wanted, key, call }, state);
    default:
      return unreachable(state);
  }
}

/**
 * The answer that was just bought is in memory as the ledger has it. Only operations that look into its body read it.
 * @returns undefined when the ledger has to be asked what became of the call.
 */
function obtainedBy({ context: { job } }: Work, bought: CallEnd): Step {
  if (typeof bought !== 'object') return bought === 'known' ? bought : undefined;
  if (bought.kind !== 'answered') return withheld(bought);
  return job.operation.readsAnswers === true ? undefined : bought;
}

/**
 * Uses the answer, or buys the call anew: what is too old, and what turned out to be no answer where a person agreed to that.
 * @returns undefined when it was bought anew, so that the ledger knows more now.
 */
async function useAnswer(
  work: Work,
  wanted: CallToBuy,
  state: Extract<CallState, { readonly kind: 'answered' | 'unanswered' }>,
): Promise<Step> {
  const { context, run, batch } = work;
  const { erasedAtMs, attempt } = state.answer;
  const isFresh = await isFreshFor(batch, state.answer, context.ledger);
  if (erasedAtMs !== undefined) {
    if (isFresh || !asksErasedAgain(batch)) return { kind: 'skipped', reason: erasedReason(erasedAtMs) };
  } else if (isFresh) {
    if (state.kind === 'answered') return state;
    if (!mayBuyAgain(batch, context.dialect)) return heldBack(state.answer);
  }
  const bought = await buy(run, { ...wanted, replaces: attempt });
  if (bought === 'known') return bought;
  return typeof bought === 'object' && bought.kind === 'put_off' ? withheld(bought) : undefined;
}

/** Resolves a doubt as far as that is possible. @returns what the row gets; undefined when the ledger knows more now. */
async function answerInDoubt(work: Work, wanted: CallToBuy, state: InDoubt): Promise<Step> {
  const { context, run, batch } = work;
  try {
    return await resolved(work, wanted, state);
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    run.stopAll(error);
    // The stop came between the doubt and its end, so the row says what is known of it, or waits still to be sent again.
    const [left] = await context.ledger.find([wanted.key], { batch: batch.id });
    if (left?.kind !== 'in_doubt' || isWanted(state)) throw error;
    return { kind: 'in_doubt', reason: doubtReason(left.doubt), attempt: left.doubt.attempt };
  }
}

/**
 * Decides about a doubt. Of the runs of an account one at a time does so for a call: what another one decided meanwhile is about a loss
 * that is no longer the last one.
 */
async function resolved(work: Work, wanted: CallToBuy, state: InDoubt): Promise<Step> {
  const { context, run, batch } = work;
  const leave = await run.session.client.limiter.lane(`doubt ${wanted.key}`, run.waiter);
  const isSame = async (): Promise<boolean> => {
    const [now] = await context.ledger.find([wanted.key], { batch: batch.id });
    return now?.kind === 'in_doubt' && now.doubt.attempt === state.doubt.attempt;
  };
  try {
    return (await isSame()) ? await resolvedAlone(work, wanted, state) : undefined;
  } catch (error) {
    // Another process may have gone on from the doubt meanwhile: then the ledger refuses what this one makes of it.
    if (error instanceof StopError || (await isSame())) throw error;
    return undefined;
  } finally {
    leave();
  }
}

async function resolvedAlone(work: Work, wanted: CallToBuy, state: InDoubt): Promise<Step> {
  const { context, run, uncovered } = work;
  const { doubt } = state;
  const { attempt } = doubt;
  const resolution = await resolveDoubt(run, state, context.job.inDoubt.kind);
  switch (resolution.kind) {
    case 'hold':
      return { kind: 'in_doubt', reason: resolution.reason, attempt };
    case 'skip':
      return { kind: 'skipped', reason: resolution.reason, attempt };
    case 'resolved':
      return undefined;
    case 'send_again':
      return retried(await buy(run, { ...wanted, ...resolution.again }), state, uncovered);
    default:
      return unreachable(resolution);
  }
}

type Obtained = Answering | Held | Waits;

/** `known`: the ledger knows more than it showed. Undefined: it knows more by now. */
type Step = Obtained | 'known' | undefined;

interface Answering {
  readonly kind: 'answered';
  readonly answer: AnswerAtHand;
}

/** `refused` means that the subject of a change is no longer as planned. A call that has no doubt of its own leaves no attempt here. */
export interface Held {
  readonly kind: 'in_doubt' | 'skipped' | 'refused';
  readonly reason: string;
  readonly attempt?: AttemptId;
  /** Another call of the same person. */
  readonly waitsFor?: AttemptId | undefined;
}

function withheld(why: Withheld | PutOff | Waits): Held | Waits {
  switch (why.kind) {
    case 'waits':
      return why;
    case 'moved':
      return {
        kind: 'refused',
        reason: `changed by batch ${why.by} since this was planned; run the list again to make a new plan`,
      };
    case 'subject_in_doubt':
      return {
        kind: 'in_doubt',
        reason: `row ${why.row} of batch ${why.by} asked to change the same person, and the result is in doubt; settle that first`,
        waitsFor: why.attempt,
      };
    case 'put_off':
      return {
        kind: 'in_doubt',
        reason: PUT_OFF,
      };
    default:
      return unreachable(why);
  }
}

/** A person has decided that it is sent again. */
const isWanted = ({ decision }: InDoubt): boolean => decision?.kind === 'retry' && decision.by === 'person';

function retried(
  bought: CallEnd,
  state: InDoubt,
  uncovered: Set<CallKey>,
): Held | Waits | 'known' | undefined {
  const { doubt } = state;
  if (bought === 'known') return bought;
  if (bought === 'over_extra') {
    if (!isWanted(state))
      return stillInDoubt(doubt, 'not sent again, because the extra credits do not cover it');
    uncovered.add(doubt.key);
    return { kind: 'waits' };
  }
  if (typeof bought !== 'object' || bought.kind === 'answered') return undefined;
  if (bought.kind !== 'put_off') return withheld(bought);
  return stillInDoubt(doubt, `sent again, and told "too many requests" ${MOST_TOLD} times`);
}

function stillInDoubt(doubt: Doubt, why: string): Held {
  return { kind: 'in_doubt', reason: `${doubtReason(doubt)}; ${why}`, attempt: doubt.attempt };
}

/**
 * What was settled by an answer that the dialect reads otherwise today, as far as a person has to agree: to settle rows anew,
 * and to buy again what turned out to be no answer.
 */

/** Whether a new batch settles the rows whose answers are read differently today; undefined when there is no such row. */
export async function settlesAnew(context: RunContext, input: MappedInput): Promise<boolean | undefined> {
  const { accept, planId } = context;
  const reread = await rereadOf(context, input);
  if (accept === 'anew' && planId === undefined) throw await whatIsAnew(context, input, reread);
  if (reread === undefined) return undefined;
  if (accept === 'anew' || (await context.askReread?.(reread)) === true) return true;
  const next = 'They keep their outcome; to settle them again, agree with --yes.';
  context.emit({ kind: 'note', message: `${rereadWords(reread)} ${next}` });
  return false;
}

async function whatIsAnew(
  context: RunContext,
  input: MappedInput,
  reread: Reread | undefined,
): Promise<StopError> {
  if (reread === undefined) {
    const fact = "Today's dialect settles every row of this batch as before.";
    return stop('plan', fact, 'Correct the dialect of the account, if an answer was misread.');
  }
  return new StopError({
    code: 'consent',
    message: rereadWords(reread),
    next: "They keep their outcome until you agree; check the list's plan, and start it.",
    plan: await shownPlanId(context, input, undefined),
    answers: ['yes'],
  });
}

/** A row whose call nobody has agreed to buy again. It is in doubt, because the call was bought and has no answer. */
const heldBack = (answer: AnswerRecord<NoAnswerKind>): Held => ({
  kind: 'in_doubt',
  reason: noAnswerWords(answer),
  attempt: answer.attempt,
});
