import type { Outcome } from '../../core/row.ts';
import type { AttemptId, Batch, FinishedRow } from '../../ledger/ledger.ts';
import { crashPoint } from '../../lib/faults.ts';
import type { RunContext } from '../../plan/context.ts';
import type { Task } from './tasks.ts';

const ROWS_IN_A_COMMIT = 1_000;

/** Where many spend, a commit is some statements to a server on another machine. */
const GATHER_MS = 250;

/**
 * Keeps how rows ended, and the attempts that led there, many by one statement. Rows that a crash loses here are finished again
 * from their answers.
 */
export class Finishing {
  readonly #context: Pick<RunContext, 'ledger' | 'emit'>;
  readonly #batch: Batch;
  readonly #onError: (error: unknown) => void;
  readonly #isUndecided: (answers: readonly AttemptId[]) => boolean;
  #ended: FinishedRow[] = [];
  /** They have ended by answers that may yet be taken back. */
  #undecided: FinishedRow[] = [];
  #isScheduled = false;
  #written: Promise<void> = Promise.resolve();

  /**
   * @param onError is told what kept rows from being finished that nobody waits for.
   * @param isUndecided whether answers may yet be taken back, so that the row that ended by them waits.
   */
  constructor(
    context: Pick<RunContext, 'ledger' | 'emit'>,
    batch: Batch,
    onError: (error: unknown) => void,
    isUndecided: (answers: readonly AttemptId[]) => boolean = () => false,
  ) {
    this.#isUndecided = isUndecided;
    this.#context = context;
    this.#batch = batch;
    this.#onError = onError;
  }

  add({ row, input }: Task, outcome: Outcome, answers: readonly AttemptId[]): void {
    this.#ended.push({ batch: this.#batch.id, row, outcome, answers, input });
  }

  addNow(task: Task, outcome: Outcome, answers: readonly AttemptId[]): void {
    const isUndecided = this.#isUndecided(answers);
    if (this.#undecided.length > 0 && !isUndecided) this.addUndecided(this.#isUndecided);
    this.add(task, outcome, answers);
    if (isUndecided) this.#undecided.push(...this.#ended.splice(-1));
    else this.writeSoon();
  }

  /** Finishes also the rows whose answers might have been taken back, but for those that still may. */
  addUndecided(isStill: (answers: readonly AttemptId[]) => boolean = () => false): void {
    const [still, decided] = [true, false].map((is) =>
      this.#undecided.filter(({ answers }) => isStill(answers) === is),
    );
    this.#ended.push(...(decided ?? []));
    this.#undecided = still ?? [];
  }

  writeSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const write = (): void => {
      this.#isScheduled = false;
      this.write().catch(this.#onError);
    };
    if (this.#context.ledger.spenders === undefined) setImmediate(write);
    else setTimeout(write, GATHER_MS);
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
    for (const _ of rows) crashPoint('before-row');
    await this.#context.ledger.finishRows(rows);
    for (const { row, outcome } of rows) {
      crashPoint('after-row');
      this.#context.emit({ kind: 'row', row, outcome: outcome.kind });
    }
  }
}
