import { type Dialect, dialectMark } from '../client/dialect.ts';
import { type Judgment, judgedToday, type Rereading } from '../client/kept-answers.ts';
import { type Clock, isoTime } from '../core/clock.ts';
import { finding, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import type { MappedInput } from '../files/input.ts';
import {
  type AttemptRecord,
  type Batch,
  isAnswer,
  type Ledger,
  type NoAnswerKind,
} from '../ledger/ledger.ts';
import { rereadOf, rereadWords } from '../plan/batch.ts';
import type { RunContext } from '../plan/context.ts';
import { shownPrice } from './intent.ts';

/**
 * What today's dialect reads in answers that another dialect read. A reading and the rows that rest on its
 * answer change in one commit.
 */

interface Reader {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly dialect: Dialect;
}

/**
 * Adds today's reading of a kept answer to the ledger, before the answer is used. If the new reading makes
 * its price higher, the difference counts as spent from now on; if lower, nothing is free again. After a
 * crash before the commit, the next run reads the answer again.
 */
export async function keepReading(
  { ledger, clock, dialect }: Reader,
  { record, judged }: Rereading,
): Promise<void> {
  const { attempt } = record;
  const judgedRecord = { ...judged, ...shownPrice(judged, dialect), findings: findingsOf(record, judged) };
  await ledger.readAgain({ ...judgedRecord, attempt, dialect: dialectMark(dialect), atMs: clock.wallMs() });
}

function findingsOf({ call, reply }: AttemptRecord, { answer, why }: Judgment): Findings {
  if (call.change !== undefined)
    return together(finding('not_proven', {}), why, finding('check_at_service', {}));
  return isAnswer(answer)
    ? why
    : noAnswerToday({ answeredAtMs: reply?.receivedAtMs ?? 0, kind: answer, why });
}

/** Of a row whose call was bought and has no answer by today's dialect. */
export const noAnswerToday = (answer: {
  readonly answeredAtMs: number;
  readonly kind: NoAnswerKind;
  readonly why: Findings;
}): Findings =>
  together(
    finding('no_answer_today', { at: isoTime(answer.answeredAtMs), kind: answer.kind }),
    answer.why,
    finding('buy_again', {}),
  );

/**
 * Reads again the answers to changes of a batch that counted as done. A change that today's dialect does not
 * read as done is in doubt: it may have been made, so it is not sent again, and a person has to look.
 */
export async function readChangesAnew(reader: Reader, { id, accountIdentity }: Batch): Promise<void> {
  const { ledger, dialect } = reader;
  const read = ledger.rowsReadOtherwise(id, accountIdentity, dialectMark(dialect));
  for await (const { outcome, answers } of read) {
    if (outcome.kind !== 'applied' && outcome.kind !== 'in_doubt') continue;
    for (const record of await ledger.attempts(answers.map(({ attempt }) => attempt))) {
      const { call, end, decision } = record;
      const isDone = end?.kind === 'answered' && end.answer === 'found' && decision?.kind !== 'told';
      const judged = call.change !== undefined && isDone ? judgedToday(record, dialect) : undefined;
      if (judged !== undefined) await keepReading(reader, { record, judged });
    }
  }
}

/**
 * Whether a new batch settles the rows whose answers are read differently today, as --yes says; undefined
 * when there is no such row.
 */
export async function settlesAnew(context: RunContext, input: MappedInput): Promise<boolean | undefined> {
  const reread = await rereadOf(context, input);
  if (reread === undefined) return undefined;
  if (context.buyAgain === true) return true;
  const next = 'They keep their outcome; to settle them again, agree with --yes.';
  context.emit({ kind: 'note', message: `${rereadWords(reread)} ${next}` });
  return false;
}
