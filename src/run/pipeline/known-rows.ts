import { dialectMark } from '../../client/dialect.ts';
import type { CallKey } from '../../core/call-key.ts';
import { invariant, StopError } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import type { InputRow } from '../../core/row.ts';
import type { MappedInput } from '../../files/input.ts';
import {
  beginWriting,
  type Destination,
  NotYet,
  type OutputFiles,
  type RowsFinishing,
} from '../../files/output/output.ts';
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
import { Finishing } from './finishing.ts';
import { writeRows } from './output.ts';
import { type SubmittedTasks, type Task, taskMaker, tasksOf } from './tasks.ts';

/**
 * Rows of a list that was bought before end with what the ledger knows. They are walked side by side, so that it is asked once
 * for the next call of all of them, and are finished together: one by one, each costs ten times as much. Whatever is not
 * beyond question, such as a lost answer or one that is too old, is left to the pipeline, and so is all that is bought.
 */

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

  #begin(task: Task): Walking | undefined {
    const { job, dialect } = this.#context;
    if (task.kind === 'work')
      return { task, walk: new RowWalk(job.operation, dialect, task.work), answers: [], records: [] };
    this.#finishing.add(task, task.outcome, []);
    return undefined;
  }

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

/**
 * A list whose rows were all bought before is written while its rows are finished. So its file is split once, and each answer is read
 * and checked once. What is written is what the ledger would give, and it is put in its place once the ledger has it.
 *
 * Where a row turns out not to be known, what was written is thrown away, and the pipeline goes on with what is left: it
 * writes the output from the ledger, as every other run does.
 */

interface KnownListOptions extends Omit<KnownRowsOptions, 'finishing'>, SubmittedTasks {
  readonly input: MappedInput;
  readonly destination: Destination | undefined;
  readonly signal: AbortSignal;
}

/** A shorter list is soon written from the ledger, and is not to wait for a look at its first rows. */
const LEAST_ROWS = 2_000;

/** @returns what was written; undefined when rows may be left. Those that were finished are in the ledger, and in `finished`. */
export async function writeKnownList(options: KnownListOptions): Promise<OutputFiles | undefined> {
  const { context, batch, input, destination, sample, finished } = options;
  const isWhole = context.limit === undefined && sample === undefined;
  // Whoever reads a stream has got what was written to it.
  if (!isWhole || input.survey.rows < LEAST_ROWS || destination?.kind !== 'file') return undefined;
  const heed = (event: RunEvent): void => {
    if (event.kind === 'row') finished.add(event.row);
    context.emit(event);
  };
  const finishing = new Finishing({ ...context, emit: heed }, batch, () => {});
  const known = new KnownRows({ ...options, finishing });
  if (!known.isPossible) return undefined;
  const isLikely = await knowsFirst(known, options);
  await finishing.write();
  if (!isLikely) return undefined;
  const notes: RunEvent[] = [];
  const emit = (event: RunEvent): void =>
    void (event.kind === 'note' ? notes.push(event) : context.emit(event));
  try {
    const rows = finishingOf(known, finishing, options);
    const files = await writeRows({ ...context, emit }, input, batch, destination, rows);
    for (const note of notes) context.emit(note);
    return files;
  } catch (error) {
    await finishing.write();
    // Whatever else has stopped it stops the ordinary way as well, which says it.
    if (error instanceof NotYet || error instanceof StopError) return undefined;
    throw error;
  }
}

/** Whether the first rows are known. They are finished then, so that an output without named columns knows what answers have. */
async function knowsFirst(known: KnownRows, options: KnownListOptions): Promise<boolean> {
  for await (const tasks of tasksOf(options)) return (await known.take(tasks)).length === 0;
  return false;
}

function finishingOf(
  known: KnownRows,
  finishing: Finishing,
  { context, input, signal }: KnownListOptions,
): RowsFinishing {
  const taskOf = taskMaker({ context, input });
  return {
    async records(rows: readonly InputRow[], kept: readonly (RowRecord | undefined)[]) {
      if (signal.aborted) throw new NotYet();
      const isFinished = (record: RowRecord | undefined): boolean =>
        record !== undefined && record.outcome.kind !== 'in_doubt';
      if (kept.every(isFinished)) return kept;
      const tasks = rows.filter((_row, at) => !isFinished(kept[at])).map(taskOf);
      const records = await known.records(tasks);
      if (records === undefined) throw new NotYet();
      let next = 0;
      return kept.map((record) => (isFinished(record) ? record : records[next++]));
    },
    async kept() {
      await finishing.write();
      beginWriting(context.emit);
    },
  };
}
