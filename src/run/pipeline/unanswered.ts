import { isoTime } from '../../core/clock.ts';
import { StopError, stop } from '../../core/errors.ts';
import type { MappedInput } from '../../files/input.ts';
import type { AnswerRecord, NoAnswerKind } from '../../ledger/ledger.ts';
import { rereadOf, rereadWords } from '../../plan/batch.ts';
import { shownPlanId } from '../../plan/consent.ts';
import type { Reread, RunContext } from '../../plan/context.ts';
import type { Held } from './obtained.ts';

/**
 * What was settled by an answer that the dialect reads otherwise today, as far as a person has to agree: to settle rows anew,
 * and to buy again what turned out to be no answer.
 */

/** Whether a new batch settles the rows whose answers are read differently today; undefined when there is no such row. */
export async function settlesAnew(context: RunContext, input: MappedInput): Promise<boolean | undefined> {
  const { accept, ifBatch } = context;
  // A person who names a batch agrees to nothing that a new one would buy.
  if (ifBatch !== undefined && accept !== 'anew') return undefined;
  const reread = await rereadOf(context, input);
  if (ifBatch !== undefined) throw await whatIsAnew(context, input, reread);
  if (reread === undefined) return undefined;
  if (accept === 'anew' || (await context.askReread?.(reread)) === true) return true;
  const next = 'They keep their outcome; to settle them again, agree with --yes.';
  context.emit({ kind: 'note', message: `${rereadWords(reread)} ${next}` });
  return false;
}

/** What settling the rows anew would buy, for an answer to just that. */
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
export function heldBack({ attempt, answeredAtMs, kind, why }: AnswerRecord<NoAnswerKind>): Held {
  const fact = `what came at ${isoTime(answeredAtMs)} is not an answer but ${WORDS[kind]}, by today's dialect: ${why}`;
  return { kind: 'in_doubt', reason: `${fact}; run the list with --yes to buy it again`, attempt };
}

const WORDS: Readonly<Record<NoAnswerKind, string>> = {
  paused: 'a rate limit',
  in_doubt: 'in doubt',
  stopped: 'a refused key, address or credit',
  not_sent: 'a statement that nothing was done',
};
