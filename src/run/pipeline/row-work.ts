import PQueue from 'p-queue';
import { dialectMark } from '../../client/dialect.ts';
import { StopError } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import type { Outcome } from '../../core/row.ts';
import type { AttemptId, Batch, FinishedRow, KnownAnswer } from '../../ledger/ledger.ts';
import { crashPoint } from '../../lib/faults.ts';
import { forgettingBeside, isSurelyFreshFor } from '../../plan/known-calls.ts';
import { type MetCall, RowWalk } from '../../plan/row-walk.ts';
import type { Task, TaskSource } from '../row-tasks.ts';
import { answerTo, type Work } from './answer-call.ts';

/**
 * Rows are read, walked to their end and finished. Those that end with what the ledger knows are walked side by side; any other asks
 * for its next call by itself, in a queue that holds as many as the account's slots can use.
 */

export interface RowsWork extends Work {
  /** Fires when no further row is begun. */
  readonly signal: AbortSignal;
  stopAll(error: unknown): void;
}

/**
 * How many rows are worked on for each slot: one has it, one has had its answer and waits until its end is on the disk, and one
 * waits for the slot.
 */
const ROWS_PER_SLOT = 3;

/** How many more may wait for something else than a slot, such as the time to ask again, before they hold up the others. */
const SPARE_ROWS = 16;

/** No more are read while so many wait, so that memory does not grow with the file, and until hardly any do: each wait of the queue costs. */
const [MOST_AHEAD, FEW_AHEAD] = [512, 64];

/** @returns whether rows wait for others, or for a later time. */
export async function workRows(work: RowsWork, source: TaskSource): Promise<boolean> {
  const { context, signal, stopAll } = work;
  const ends = new RowEnds(work);
  let waits = false;
  const queue = new PQueue({ concurrency: context.account.limits.concurrency * ROWS_PER_SLOT + SPARE_ROWS });
  const begin = (row: Walking): void =>
    void queue
      .add(async () => {
        if (!signal.aborted && (await workRow(work, row, ends)) === 'waits') waits = true;
      })
      .catch(stopAll);
  try {
    for await (const tasks of source) {
      if (signal.aborted) break;
      const left = await leftOf(work, tasks, ends.add.bind(ends));
      // The reading waits, so that memory does not grow with the file.
      if (ends.isFull) await ends.write();
      // What is left may take hours, and a person who looks at the batch in the meantime wants to see what is finished.
      else if (left.length > 0) ends.writeSoon();
      for (const row of left) begin(row);
      if (queue.size >= MOST_AHEAD) await queue.onSizeLessThan(FEW_AHEAD);
      // Who waits for a row is to have it before the next is begun.
      if (context.pace !== undefined) ends.writeSoon();
    }
  } catch (error) {
    stopAll(error);
  }
  // Answers to requests in flight are recorded, whatever stopped the reading, because they may be paid for.
  await queue.onIdle();
  if (!isOfNoRow(signal)) ends.addUndecided();
  await ends.write().catch(stopAll);
  return waits;
}

/** Whether the run was stopped because what came says nothing of any row. */
export function isOfNoRow({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof StopError && reason.code === 'address';
}

interface Walking {
  readonly task: Task;
  readonly walk: RowWalk;
  readonly answers: AttemptId[];
}

/** Walks a row to its end, and gets an answer for each of its calls on the way. After a crash the same walk arrives at the same place. */
async function workRow(
  work: Work,
  { task, walk, answers }: Walking,
  ends: RowEnds,
): Promise<'waits' | undefined> {
  const { identity } = work.context.account;
  for (;;) {
    const step = walk.step();
    if (step.kind === 'end') {
      ends.addNow(task, step.outcome, answers);
      return undefined;
    }
    const { met } = step;
    const obtained = await answerTo(work, { key: met.keyFor(identity), call: met.call, row: task.row });
    if (obtained.kind === 'waits') return 'waits';
    if (obtained.kind !== 'answered') {
      const { kind, reason, attempt, waitsFor } = obtained;
      // The doubt of a call belongs to its row as an answer does.
      if (attempt !== undefined) answers.push(attempt);
      ends.addNow(task, { kind, reason }, answers, waitsFor);
      return undefined;
    }
    walk.tell(met, obtained.answer);
    answers.push(obtained.answer.attempt);
  }
}

// ------------------------------------------------------------------------------------------------ what is known

type Knowing = Pick<Work, 'context' | 'batch' | 'unknown'>;

type End = (task: Task, outcome: Outcome, answers: readonly AttemptId[]) => void;

interface Asking {
  readonly walking: Walking;
  readonly met: MetCall;
}

/**
 * Finishes the rows that end without a question to anybody. They are walked side by side, so that the ledger is asked once for the
 * next call of all of them: one by one, each costs ten times as much. Whatever is not beyond question, such as a lost answer or one
 * that is too old, is left, and so is all that is bought.
 * @returns the rows that are left, as far as they got.
 */
export async function leftOf(work: Knowing, tasks: readonly Task[], end: End): Promise<readonly Walking[]> {
  const { job, dialect } = work.context;
  const { operation } = job;
  const begun = tasks.flatMap((task): readonly Walking[] => {
    if (task.kind === 'work')
      return [{ task, walk: new RowWalk(operation, dialect, task.work), answers: [] }];
    end(task, task.outcome, []);
    return [];
  });
  // A change is never answered from an older one, and an operation that looks into answers needs their bodies.
  const isPossible = operation.change === undefined && operation.readsAnswers !== true;
  return isPossible ? walkTogether(work, begun, end) : begun;
}

async function walkTogether(work: Knowing, begun: readonly Walking[], end: End): Promise<readonly Walking[]> {
  const { ledger, account } = work.context;
  const others = await forgettingBeside({ ledger, accountIdentity: account.identity });
  const left: Walking[] = [];
  for (let asking = askingOf(begun, end); asking.length > 0; ) {
    const keys = asking.map(({ met }) => met.keyFor(account.identity));
    const found = await ledger.find(keys, { detail: 'kind' });
    const answered: Walking[] = [];
    for (const [at, { walking, met }] of asking.entries()) {
      const [state, key] = [found[at], keys[at]];
      if (state?.kind === 'answered' && isBeyondQuestion(work, state.answer)) {
        walking.walk.tell(met, state.answer);
        walking.answers.push(state.answer.attempt);
        answered.push(walking);
      } else {
        // One about a forgotten person may be known by another account.
        if (state?.kind === 'unknown' && key !== undefined && others.length === 0) work.unknown.add(key);
        left.push(walking);
      }
    }
    asking = askingOf(answered, end);
  }
  return left;
}

/** What rows ask for next; those that have ended are finished. */
function askingOf(all: readonly Walking[], end: End): readonly Asking[] {
  const asking: Asking[] = [];
  for (const walking of all) {
    const step = walking.walk.step();
    if (step.kind === 'call') asking.push({ walking, met: step.met });
    else end(walking.task, step.outcome, walking.answers);
  }
  return asking;
}

function isBeyondQuestion({ context, batch }: Knowing, answer: KnownAnswer): boolean {
  const isRead = answer.dialect === dialectMark(context.dialect);
  return answer.erasedAtMs === undefined && isRead && isSurelyFreshFor(batch, answer);
}

// ---------------------------------------------------------------------------------------------- how rows ended

const ROWS_IN_A_COMMIT = 1_000;

/** Where many spend, a commit is some statements to a server on another machine. */
const WAIT_FOR_OTHERS_MS = 250;

/**
 * Keeps how rows ended, and the attempts that led there, many by one statement. Rows that a crash loses here are finished again
 * from their answers.
 */
class RowEnds {
  readonly #work: RowsWork;
  readonly #batch: Batch;
  #ended: FinishedRow[] = [];
  /** They have ended by answers that may yet be taken back. */
  #undecided: FinishedRow[] = [];
  #isScheduled = false;
  #written: Promise<void> = Promise.resolve();

  constructor(work: RowsWork) {
    this.#work = work;
    this.#batch = work.batch;
  }

  add(task: Task, outcome: Outcome, answers: readonly AttemptId[]): void {
    this.#ended.push(this.#endOf(task, outcome, answers));
  }

  addNow(task: Task, outcome: Outcome, answers: readonly AttemptId[], waitsFor?: AttemptId): void {
    const end = { ...this.#endOf(task, outcome, answers), ...present({ waitsFor }) };
    if (this.#isUndecided(end)) this.#undecided.push(end);
    else {
      this.addUndecided((each) => this.#isUndecided(each));
      this.#ended.push(end);
      this.writeSoon();
    }
  }

  /** Finishes also the rows whose answers might have been taken back, but for those that still may. */
  addUndecided(isStill: (end: FinishedRow) => boolean = () => false): void {
    if (this.#undecided.length === 0) return;
    this.#ended.push(...this.#undecided.filter((end) => !isStill(end)));
    this.#undecided = this.#undecided.filter(isStill);
  }

  #endOf({ row, input }: Task, outcome: Outcome, answers: readonly AttemptId[]): FinishedRow {
    return { batch: this.#batch.id, row, outcome, answers, input };
  }

  /** Who waits for each row has had it by the time that a series is seen. */
  #isUndecided({ answers }: FinishedRow): boolean {
    const { context, run } = this.#work;
    return context.pace === undefined && answers.some((answer) => run.session.series.isUndecided(answer));
  }

  writeSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const write = (): void => {
      this.#isScheduled = false;
      this.write().catch(this.#work.stopAll);
    };
    if (this.#work.context.ledger.spenders === undefined) setImmediate(write);
    else setTimeout(write, WAIT_FOR_OTHERS_MS);
  }

  get isFull(): boolean {
    return this.#ended.length >= ROWS_IN_A_COMMIT;
  }

  write(): Promise<void> {
    const rows = this.#ended;
    this.#ended = [];
    if (rows.length > 0) this.#written = this.#write(rows);
    return this.#written;
  }

  async #write(rows: readonly FinishedRow[]): Promise<void> {
    const { ledger, emit } = this.#work.context;
    for (const _ of rows) crashPoint('before-row');
    await ledger.finishRows(rows);
    for (const { row, outcome } of rows) {
      crashPoint('after-row');
      emit({ kind: 'row', row, outcome: outcome.kind });
    }
  }
}
