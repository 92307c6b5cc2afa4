import { dialectMark } from '../../client/dialect.ts';
import type { CallKey } from '../../core/call-key.ts';
import { invariant } from '../../core/errors.ts';
import type {
  AnswerRecord,
  AttemptId,
  Batch,
  CallState,
  DatedAnswer,
  RowRecord,
} from '../../ledger/ledger.ts';
import type { RunContext } from '../../plan/context.ts';
import { forgettingBeside, isSurelyFreshFor } from '../../plan/known-calls.ts';
import { type MetCall, RowWalk } from '../../plan/row-walk.ts';
import type { Finishing } from './finishing.ts';
import type { Task } from './tasks.ts';

/**
 * Rows of a list that was bought before end with what the ledger knows. They are walked side by side, so that it is asked once
 * for the next call of all of them, and are finished together: one by one, each costs ten times as much. Whatever is not
 * beyond question, such as a lost answer or one that is too old, is left to the pipeline, and so is all that is bought.
 */

/** A row on its walk, with the answers that were found for it so far. */
export interface Walking {
  readonly task: Task;
  readonly walk: RowWalk;
  readonly answers: AttemptId[];
  /** The same answers as a row's record has them, where it is asked for. */
  readonly records: AnswerRecord[];
}

interface Asking {
  readonly walking: Walking;
  readonly met: MetCall;
}

export interface KnownRowsOptions {
  readonly context: RunContext;
  readonly batch: Batch;
  /** Takes the calls that the ledger does not know, so that it is not asked about each of them again. */
  readonly unknown: Set<CallKey>;
  readonly finishing: Finishing;
}

/** Finishes the rows that end without a question to anybody. */
export class KnownRows {
  readonly #context: RunContext;
  readonly #batch: Batch;
  readonly #unknown: Set<CallKey>;
  readonly #finishing: Finishing;
  /** A change is never answered from an older one, and an operation that looks into answers needs their bodies. */
  readonly isPossible: boolean;

  constructor({ context, batch, unknown, finishing }: KnownRowsOptions) {
    const { operation } = context.job;
    this.#context = context;
    this.#batch = batch;
    this.#unknown = unknown;
    this.#finishing = finishing;
    this.isPossible = operation.change === undefined && operation.readsAnswers !== true;
  }

  /** @returns the rows that are left, as far as they got. The others wait in `finishing` at most until it is full. */
  async take(tasks: readonly Task[]): Promise<readonly Walking[]> {
    const begun = tasks.flatMap((task) => this.#begin(task) ?? []);
    const left = this.isPossible ? await this.#walkOn(begun, 'checked') : begun;
    // The reading waits, so that memory does not grow with the file.
    if (this.#finishing.isFull) await this.#finishing.write();
    // What is left may take hours, and a person who looks at the batch in the meantime wants to see what is finished.
    else if (left.length > 0) this.#finishing.writeSoon();
    return left;
  }

  /**
   * Does the same for rows that are written at once.
   * @returns the records that the ledger will have of them; undefined where a row is left, or answered by this very batch: which
   * row pays for that is known when all of them are finished.
   */
  async records(tasks: readonly Task[]): Promise<readonly RowRecord[] | undefined> {
    const begun = tasks.map((task) => this.#begin(task));
    const walking = begun.filter((each) => each !== undefined);
    const left = await this.#walkOn(walking, 'whole');
    const isOwn = ({ records }: Walking): boolean => records.some(({ batch }) => batch === this.#batch.id);
    if (left.length > 0 || walking.some(isOwn)) return undefined;
    if (this.#finishing.isFull) await this.#finishing.write();
    return tasks.map((task, at) => recordOf(task, begun[at]));
  }

  /** A row that is to be walked. One that needs no operation is finished. */
  #begin(task: Task): Walking | undefined {
    const { job, dialect } = this.#context;
    if (task.kind === 'work')
      return { task, walk: new RowWalk(job.operation, dialect, task.work), answers: [], records: [] };
    this.#finishing.add(task, task.outcome, []);
    return undefined;
  }

  /** Takes each row as far as it gets with what the ledger knows. @returns those that have not ended. */
  async #walkOn(begun: readonly Walking[], detail: 'checked' | 'whole'): Promise<readonly Walking[]> {
    const { ledger, account } = this.#context;
    const others = await forgettingBeside({ ledger, accountIdentity: account.identity });
    const left: Walking[] = [];
    for (let asking = this.#asking(begun); asking.length > 0; ) {
      const keys = asking.map(({ met }) => met.keyFor(account.identity));
      const isRead = asking.some(({ walking }) => walking.walk.needsBodies);
      const found: readonly CallState<'checked' | 'whole'>[] = await ledger.find(keys, {
        detail: isRead ? 'whole' : detail,
      });
      const answered: Walking[] = [];
      for (const [at, { walking, met }] of asking.entries()) {
        const state = found[at];
        if (state?.kind === 'answered' && this.#isBeyondQuestion(state.answer)) {
          tell(walking, met, state.answer, detail);
          answered.push(walking);
        } else {
          // One about a forgotten person may be known by another account.
          if (state?.kind === 'unknown' && others.length === 0) this.#unknown.add(keys[at] as CallKey);
          left.push(walking);
        }
      }
      asking = this.#asking(answered);
    }
    return left;
  }

  /** The rows that have not ended, each with the call that it needs next. The others are noted as ended. */
  #asking(all: readonly Walking[]): readonly Asking[] {
    const asking: Asking[] = [];
    for (const walking of all) {
      const step = walking.walk.step();
      if (step.kind === 'call') asking.push({ walking, met: step.met });
      else this.#finishing.add(walking.task, step.outcome, walking.answers);
    }
    return asking;
  }

  #isBeyondQuestion(answer: DatedAnswer): boolean {
    const { erasedAtMs, dialect } = answer;
    const isRead = dialect === dialectMark(this.#context.dialect);
    return erasedAtMs === undefined && isRead && isSurelyFreshFor(this.#batch, answer);
  }
}

/** @param detail what is wanted of the row: a body that is only looked into on the way does not wait with it. */
function tell(
  { walk, answers, records }: Walking,
  met: MetCall,
  answer: AnswerRecord | DatedAnswer,
  detail: 'checked' | 'whole',
): void {
  walk.tell(met, answer);
  answers.push(answer.attempt);
  if (detail === 'whole' && 'body' in answer) records.push(answer);
}

/** As the ledger gives it. What the row was finished from is left out, because its cells have only just been read. */
function recordOf(task: Task, walking: Walking | undefined): RowRecord {
  const { row } = task;
  if (task.kind === 'end') return { row, outcome: task.outcome, answers: [] };
  const step = walking?.walk.step();
  invariant(walking !== undefined && step?.kind === 'end', `row ${row} has not ended`);
  return { row, outcome: step.outcome, answers: walking.records };
}
