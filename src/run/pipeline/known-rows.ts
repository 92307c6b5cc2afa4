import { crashPoint } from '../../core/faults.ts';
import { present } from '../../core/objects.ts';
import type { AttemptId, Batch, DatedAnswer, SettledRow } from '../../ledger/ledger.ts';
import type { RunContext } from '../../plan/context.ts';
import { isSurelyFreshFor } from '../../plan/known-calls.ts';
import { type MetCall, operationAnswer, RowWalk } from '../../plan/row-walk.ts';
import { dialectMark } from '../../vendor/dialect.ts';
import type { Task } from './tasks.ts';

/**
 * Rows of a list that was bought before end with what the ledger knows. They are walked side by side, so that it is asked once
 * for the next call of all of them, and are settled together: one by one, each costs ten times as much. Whatever is not
 * beyond question, such as a lost answer or one that is too old, is left to the pipeline, and so is all that is bought.
 */

/** A row with the answers that were found for it so far. */
interface Walking {
  readonly task: Task;
  readonly walk: RowWalk;
  readonly answers: AttemptId[];
}

/** A commit takes as long as settling a hundred rows. */
const ROWS_IN_A_COMMIT = 1_000;

/** Settles what can be settled without a question to anybody. */
export class KnownRows {
  readonly #context: RunContext;
  readonly #batch: Batch;
  /** A change is never answered from an older one, and an operation that looks into answers needs their bodies. */
  readonly #isPossible: boolean;
  #ended: SettledRow[] = [];

  constructor({ context, batch }: { readonly context: RunContext; readonly batch: Batch }) {
    const { operation } = context.job;
    this.#context = context;
    this.#batch = batch;
    this.#isPossible = operation.change === undefined && operation.readsAnswers !== true;
  }

  /** @returns the tasks that are left. The rows of the others are settled at the latest by `settle`. */
  async take(tasks: readonly Task[]): Promise<readonly Task[]> {
    if (!this.#isPossible) return tasks;
    const ended = new Map<Task, Ending>();
    for (const task of tasks)
      if (task.kind === 'end') ended.set(task, { outcome: task.outcome, answers: [] });
    let walking = tasks.flatMap((task) => startOf(task, this.#context));
    while (walking.length > 0) walking = await stepOf(walking, ended, this.#context, this.#batch);
    for (const [{ row, input }, ending] of ended) {
      this.#ended.push({ batch: this.#batch.id, row, ...ending, ...present({ input }) });
    }
    const left = tasks.filter((task) => !ended.has(task));
    // What is left may take hours, and whoever looks at the batch meanwhile is to see what is settled.
    if (left.length > 0 || this.#ended.length >= ROWS_IN_A_COMMIT) await this.settle();
    return left;
  }

  /** Settles the rows that wait to be settled with others. */
  async settle(): Promise<void> {
    const rows = this.#ended;
    this.#ended = [];
    if (rows.length === 0) return;
    for (const _ of rows) crashPoint('before-row');
    await this.#context.ledger.settleRows(this.#batch.id, rows);
    for (const { row, outcome } of rows) {
      crashPoint('after-row');
      this.#context.emit({ kind: 'row', row, outcome: outcome.kind });
    }
  }
}

type Ending = Pick<SettledRow, 'outcome' | 'answers'>;

function startOf(task: Task, { job, dialect }: RunContext): readonly Walking[] {
  if (task.kind === 'end') return [];
  return [{ task, walk: new RowWalk(job.operation, dialect, task.work), answers: [] }];
}

/** Takes each row one call further. @returns those that have not ended and may still do so. */
async function stepOf(
  walking: readonly Walking[],
  ended: Map<Task, Ending>,
  { ledger, job, account, dialect }: RunContext,
  batch: Batch,
): Promise<Walking[]> {
  const asking: { readonly each: Walking; readonly met: MetCall }[] = [];
  for (const each of walking) {
    const step = each.walk.step();
    if (step.kind === 'end') ended.set(each.task, { outcome: step.outcome, answers: each.answers });
    else asking.push({ each, met: step.met });
  }
  const found = await ledger.plainAnswers(asking.map(({ met }) => met.keyFor(account.identity)));
  return asking.flatMap(({ each, met }, at) => {
    const answer = found[at];
    if (answer === undefined || !isBeyondQuestion(answer, batch, dialectMark(dialect))) return [];
    each.walk.tell(met, operationAnswer(answer, job.operation));
    each.answers.push(answer.attempt);
    return [each];
  });
}

function isBeyondQuestion(answer: DatedAnswer, batch: Batch, dialect: number): boolean {
  return answer.erasedAtMs === undefined && answer.dialect === dialect && isSurelyFreshFor(batch, answer);
}
