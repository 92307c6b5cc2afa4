import type { Outcome } from '../../core/row.ts';
import {
  type AnswerAtHand,
  type AnswerKind,
  type AttemptId,
  type Batch,
  type BatchId,
  type CallState,
  type Doubt,
  type FinishedRow,
  type Ledger,
  type LedgerReader,
  standingDecision,
} from '../../ledger/ledger.ts';
import { identifierOf } from '../../ledger/tally.ts';
import { type ResolvedJob, RowWalk, type WalkedRow } from '../../plan/row-walk.ts';
import { doubtReason } from '../reconcile.ts';
import { leftIn, taskMaker } from '../row-tasks.ts';
import { type Held, restsOn } from '../rows.ts';
import { unlessStopped } from './batch-account.ts';
import { jobOfBatch } from './job-today.ts';

/** What a person says of a call ends the rows that wait for it, as far as their operations ask for nothing more. */

type ToldAnswer = Pick<AnswerAtHand, 'why' | 'body'> & {
  readonly kind: Extract<AnswerKind, 'found' | 'no_match'>;
};

/** An answer, or that a batch leaves the call out. */
type Said = ToldAnswer | { readonly kind: 'skipped'; readonly why: string };

/**
 * @param only of this batch alone.
 * @returns the rows that end, also those of several steps that are in doubt still. The others go on with the next run of their batch.
 */
export async function rowsToldOf(
  ledger: Ledger,
  doubt: Doubt,
  said: Said,
  only?: BatchId,
): Promise<readonly FinishedRow[]> {
  const ended: FinishedRow[] = [];
  const places = Map.groupBy(await ledger.rowsRestingOn(doubt.attempt), ({ batch }) => batch);
  for (const [id, rows] of places) {
    const batch = only === undefined || id === only ? await ledger.batch(id) : undefined;
    if (batch === undefined) continue;
    const walking = await walkingIn(ledger, batch);
    for (const { row } of rows) {
      const walked = await walking(row, doubt, said);
      if (walked !== undefined) ended.push({ batch: id, row, ...walked });
    }
  }
  return ended;
}

type Walked = Pick<FinishedRow, 'outcome' | 'answers'>;
type Walking = (row: number, doubt: Doubt, said: Said) => Promise<Walked | undefined>;

/** Where the job is not there as it was, what was told alone says how a row ends whose batch no run goes on with. */
async function walkingIn(ledger: Ledger, batch: Batch): Promise<Walking> {
  const isOver = batch.state === 'superseded' || batch.state === 'cancelled';
  const job = await unlessStopped(jobOfBatch(batch));
  const taskOf = job && (await taskMaker(job, batch));
  return async (row, doubt, said) => {
    const left = taskOf && (await leftIn(ledger, batch, { fromRow: row, beforeRow: row + 1 }));
    const task = left && taskOf?.(left);
    if (job !== undefined && task?.kind === 'work')
      return walked(ledger, batch, job, task.work, { doubt, said });
    return isOver ? endedBy(doubt, said) : undefined;
  };
}

function endedBy({ call, attempt }: Doubt, { kind }: Said): Walked | undefined {
  if (kind !== 'found') return undefined;
  const outcome: Outcome =
    call.change === undefined ? { kind: 'matched', matchedBy: identifierOf(call) } : { kind: 'applied' };
  return { outcome, answers: [attempt] };
}

/** @returns how the row ends; undefined where it asks for what nobody has answered. */
async function walked(
  ledger: LedgerReader,
  { id, accountIdentity }: Batch,
  { job, dialect }: ResolvedJob,
  work: WalkedRow,
  { doubt, said }: { readonly doubt: Doubt; readonly said: Said },
): Promise<Walked | undefined> {
  const walk = new RowWalk(job.operation, dialect, work);
  const answers: AttemptId[] = [];
  const held: Held[] = [];
  for (;;) {
    const step = walk.step();
    if (step.kind === 'end')
      return { outcome: step.outcome, answers: restsOn(step.outcome, answers, held).calls };
    const key = step.met.keyFor(accountIdentity);
    const [state] = await ledger.find([key], { batch: id });
    const known = key === doubt.key ? asSaid(said, doubt) : standing(state);
    if (known === undefined) return undefined;
    if ('reason' in known) {
      walk.hold(step.met, { kind: known.kind, reason: known.reason });
      held.push(known);
    } else {
      walk.tell(step.met, known);
      answers.push(known.attempt);
    }
  }
}

type Known = AnswerAtHand | Held;

function asSaid(said: Said, { attempt, batch }: Doubt): Known {
  if (said.kind === 'skipped') return { kind: 'skipped', reason: said.why, attempt };
  return { ...said, attempt, batch };
}

/** Another step of the row may be in doubt as well. */
function standing(state: CallState | undefined): Known | undefined {
  if (state?.kind === 'answered') return state.answer.erasedAtMs === undefined ? state.answer : undefined;
  if (state?.kind !== 'in_doubt') return undefined;
  const { doubt } = state;
  const decision = standingDecision(state);
  if (decision !== undefined && decision.kind !== 'skip') return undefined;
  return decision === undefined
    ? { kind: 'in_doubt', reason: doubtReason(doubt), attempt: doubt.attempt }
    : { kind: 'skipped', reason: skippedWords(doubt), attempt: doubt.attempt };
}

export const skippedWords = ({ why }: Pick<Doubt, 'why'>): string => `skipped by the user: ${why}`;
