import type { Outcome } from '../../core/row.ts';
import type {
  AnswerAtHand,
  AnswerKind,
  AttemptId,
  Batch,
  Doubt,
  FinishedRow,
  Ledger,
  LedgerReader,
} from '../../ledger/ledger.ts';
import { identifierOf } from '../../ledger/tally.ts';
import { type ResolvedJob, RowWalk, type WalkedRow } from '../../plan/row-walk.ts';
import { leftIn, taskMaker } from '../row-tasks.ts';
import { unlessStopped } from './batch-account.ts';
import { jobOfBatch } from './job-today.ts';

/** What a person says that came of a call ends the rows that wait for it, as far as their operations ask for nothing more. */

export type ToldAnswer = Pick<AnswerAtHand, 'why' | 'body'> & {
  readonly kind: Extract<AnswerKind, 'found' | 'no_match'>;
};

/** @returns the rows that end. The others go on with the next run of their batch. */
export async function rowsToldOf(
  ledger: Ledger,
  doubt: Doubt,
  told: ToldAnswer,
): Promise<readonly FinishedRow[]> {
  const ended: FinishedRow[] = [];
  const places = Map.groupBy(await ledger.rowsRestingOn(doubt.attempt), ({ batch }) => batch);
  for (const [id, rows] of places) {
    const batch = await ledger.batch(id);
    if (batch === undefined) continue;
    const walking = await walkingIn(ledger, batch);
    for (const { row } of rows) {
      const walked = await walking(row, doubt, told);
      if (walked !== undefined) ended.push({ batch: id, row, ...walked });
    }
  }
  return ended;
}

type Walked = Pick<FinishedRow, 'outcome' | 'answers'>;
type Walking = (row: number, doubt: Doubt, told: ToldAnswer) => Promise<Walked | undefined>;

/** Where the job is not there as it was, what was told alone says how a row ends whose batch no run goes on with. */
async function walkingIn(ledger: Ledger, batch: Batch): Promise<Walking> {
  const isOver = batch.state === 'superseded' || batch.state === 'cancelled';
  const job = await unlessStopped(jobOfBatch(batch));
  const taskOf = job && (await taskMaker(job, batch));
  return async (row, doubt, told) => {
    const left = taskOf && (await leftIn(ledger, batch, { fromRow: row, beforeRow: row + 1 }));
    const task = left && taskOf?.(left);
    if (job !== undefined && task?.kind === 'work')
      return walked(ledger, batch, job, task.work, { doubt, told });
    return isOver ? endedBy(doubt, told) : undefined;
  };
}

function endedBy({ call, attempt }: Doubt, { kind }: ToldAnswer): Walked | undefined {
  if (kind !== 'found') return undefined;
  const outcome: Outcome =
    call.change === undefined ? { kind: 'matched', matchedBy: identifierOf(call) } : { kind: 'applied' };
  return { outcome, answers: [attempt] };
}

/** @returns how the row ends; undefined where it asks for what nobody has answered. */
async function walked(
  ledger: LedgerReader,
  { accountIdentity }: Batch,
  { job, dialect }: ResolvedJob,
  work: WalkedRow,
  { doubt, told }: { readonly doubt: Doubt; readonly told: ToldAnswer },
): Promise<Walked | undefined> {
  const walk = new RowWalk(job.operation, dialect, work);
  const answers: AttemptId[] = [];
  for (;;) {
    const step = walk.step();
    if (step.kind === 'end') return { outcome: step.outcome, answers };
    const key = step.met.keyFor(accountIdentity);
    const [state] = await ledger.find([key]);
    const { attempt, batch } = doubt;
    const answer = key === doubt.key ? { ...told, attempt, batch } : answeredIn(state);
    if (answer === undefined) return undefined;
    walk.tell(step.met, answer);
    answers.push(answer.attempt);
  }
}

function answeredIn(
  state: Awaited<ReturnType<LedgerReader['find']>>[number] | undefined,
): AnswerAtHand | undefined {
  return state?.kind === 'answered' && state.answer.erasedAtMs === undefined ? state.answer : undefined;
}
