import type { PositionedRow } from '../../core/format.ts';
import type { InputRow, Outcome, RowNumber } from '../../core/row.ts';
import { firstBelow, lastOfFirst } from '../../core/row-range.ts';
import { countryOf, type MappedInput, requireSameInput, rowInputOf } from '../../files/input.ts';
import { readSettings } from '../../job/job-settings.ts';
import type {
  Batch,
  BatchId,
  FinishedInput,
  Ledger,
  LedgerReader,
  ListedRows,
  PlannedRow,
} from '../../ledger/ledger.ts';
import { finishedPages } from '../../ledger/row-pages.ts';
import { keptWork } from '../../operations/team/planned-work.ts';
import type { Pace, RunContext } from '../../plan/context.ts';
import {
  optionsOf,
  type PreparedRow,
  preparedCells,
  rowPreparer,
  type WalkedRow,
} from '../../plan/row-walk.ts';
import type { RowSet } from '../row-set.ts';

/** A row without a final outcome yet: the input for its operation, or the outcome of a row that needs no operation. */
export type Task = {
  readonly row: RowNumber;
  /** The fingerprint of the row's cells; absent for a row that the file does not have. */
  readonly input?: number | undefined;
} & (
  | { readonly kind: 'work'; readonly work: WalkedRow }
  | { readonly kind: 'end'; readonly outcome: Outcome }
);

/** The tasks of a batch in the order of their rows, in groups. They are read no faster than they are worked on. */
export type TaskSource = AsyncIterable<readonly Task[]>;

export interface SubmittedTasks {
  readonly context: RunContext;
  readonly input: MappedInput;
  readonly batch: Batch;
  readonly sample: ReadonlySet<RowNumber> | undefined;
  readonly finished: RowSet;
}

const PLANNED_PAGE = 1_000;

export function tasksOf(source: SubmittedTasks): TaskSource {
  return source.context.job.operation.change === undefined ? tasksOfFile(source) : tasksOfPlan(source);
}

async function* tasksOfFile(source: SubmittedTasks): AsyncGenerator<readonly Task[]> {
  const { context, input, batch, finished } = source;
  const first = firstBelow(input.sheet.headerRow);
  const from = await context.ledger.positionBefore(batch.id, finished.lowestMissing(first));
  const lastRow = lastRowWanted(source);
  const isWanted = ({ row }: InputRow): boolean => row <= lastRow;
  const tasksAmong = taskFinder(source, from?.row ?? 0);
  // The file is read on only when the tasks of what was read are taken: each reading notices whether it was changed.
  for await (const group of input.sheet.groups(from)) {
    yield await tasksAmong(group.filter(isWanted));
    if (!group.every(isWanted)) return;
  }
}

/** Finds the tasks among rows, which come in rising order. Rows that are finished are held against what they were finished from. */
function taskFinder(
  source: SubmittedTasks,
  fromRow: RowNumber,
): (rows: readonly PositionedRow[]) => Promise<readonly Task[]> {
  const { context, input, batch, sample, finished } = source;
  const { ledger } = context;
  const taskOf = taskMaker(source);
  const finishedInputs = new FinishedInputs(ledger, batch.id, fromRow);
  const inputOf = rowInputOf(input.columns.columns, input.survey.header);
  return async (rows) => {
    const tasks: Task[] = [];
    for (const each of rows) {
      const { row } = each;
      if (finished.has(row))
        requireSameInput(input, batch, row, await finishedInputs.of(row), () => inputOf(each));
      else if (sample?.has(row) !== false) tasks.push(taskOf(each));
    }
    return tasks;
  };
}

function taskMaker({ context, input }: Pick<SubmittedTasks, 'context' | 'input'>): (row: InputRow) => Task {
  const prepare = rowPreparer(context, input.columns);
  const inputOf = rowInputOf(input.columns.columns, input.survey.header);
  return (each) => preparedTask(each.row, inputOf(each), prepare(each));
}

function preparedTask(row: RowNumber, input: number, prepared: PreparedRow): Task {
  return prepared.kind === 'ready'
    ? { row, input, kind: 'work', work: prepared }
    : { row, input, kind: 'end', outcome: prepared };
}

export interface RowRange {
  readonly fromRow: RowNumber;
  readonly beforeRow: RowNumber;
}

/** The tasks of a range, which are the same as those of the file: a row is prepared where it is worked on, and not before. */
export async function* tasksOfRange(
  context: RunContext,
  listed: Pick<ListedRows, 'tasksOf'>,
  { id, settings }: Batch,
  { fromRow, beforeRow }: RowRange,
): TaskSource {
  const { job } = context;
  const options = optionsOf(context);
  // By which the process that has the list tells telephone numbers, so that both send the same.
  const code = job.repair === true ? readSettings(settings).country : undefined;
  const country = code === undefined ? undefined : await countryOf(code);
  const rows = await listed.tasksOf(id, fromRow, beforeRow);
  yield rows.map((each) =>
    preparedTask(
      each.row,
      each.input,
      'cells' in each
        ? preparedCells(job, each.cells, options, country)
        : { kind: 'invalid', reason: each.unreadable },
    ),
  );
}

async function* tasksOfPlan(source: SubmittedTasks): AsyncGenerator<readonly Task[]> {
  const { context, input, batch, finished } = source;
  const lastRow = lastRowWanted(source);
  for (let from = finished.lowestMissing(firstBelow(input.sheet.headerRow)); ; ) {
    const page = await context.ledger.plannedRows(batch.id, from, PLANNED_PAGE);
    const isWanted = ({ row }: PlannedRow): boolean => row <= lastRow && !finished.has(row);
    yield page.filter(isWanted).map(plannedTask);
    const last = page.at(-1);
    if (last === undefined || page.length < PLANNED_PAGE || last.row > lastRow) return;
    from = last.row + 1;
  }
}

function plannedTask(planned: PlannedRow): Task {
  if (planned.kind === 'end') return planned;
  const { repaired, refusedBefore } = planned.work;
  const notes = {
    ...(typeof repaired === 'string' ? { repaired } : {}),
    ...(typeof refusedBefore === 'string' ? { refusedBefore } : {}),
  };
  return { ...planned, work: { input: planned.work, ...notes } };
}

export async function* paced(source: TaskSource, pace: Pace | undefined): AsyncGenerator<readonly Task[]> {
  for await (const tasks of source) {
    for (let left = tasks; left.length > 0; ) {
      const last = await pace?.upTo(left[0]?.row ?? 0);
      const end = last === undefined ? -1 : left.findIndex(({ row }) => row > last);
      yield end < 0 ? left : left.slice(0, end);
      left = end < 0 ? [] : left.slice(end);
    }
  }
}

export async function plannedProjects(ledger: Ledger, { id }: Batch): Promise<ReadonlySet<string>> {
  const projects = new Set<string>();
  for (let from = 0; ; ) {
    const page = await ledger.plannedRows(id, from, PLANNED_PAGE);
    for (const planned of page) {
      for (const project of projectsIn(planned)) projects.add(project);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PLANNED_PAGE) return projects;
    from = last.row + 1;
  }
}

function projectsIn(planned: PlannedRow): readonly string[] {
  if (planned.kind === 'end') return [];
  const { subject, parts = [{ subject }] } = keptWork(planned.work);
  return parts.flatMap((part) => part.subject.project ?? []);
}

function lastRowWanted({ context, input }: Pick<SubmittedTasks, 'context' | 'input'>): RowNumber {
  return lastOfFirst(input.sheet.headerRow, context.limit);
}

/** The input fingerprints of finished rows. Callers ask in rising order of the rows, because one page is held at a time. */
class FinishedInputs {
  readonly #pages: AsyncIterator<readonly FinishedInput[]>;
  #page: readonly FinishedInput[] = [];
  #next = 0;

  constructor(ledger: Pick<LedgerReader, 'finishedRows'>, batch: BatchId, fromRow: RowNumber) {
    this.#pages = finishedPages(ledger, batch, fromRow);
  }

  async of(row: RowNumber): Promise<number | undefined> {
    for (;;) {
      for (; this.#next < this.#page.length; this.#next += 1) {
        const finished = this.#page[this.#next];
        if (finished !== undefined && finished.row >= row)
          return finished.row === row ? finished.input : undefined;
      }
      const { value, done } = await this.#pages.next();
      if (done) return undefined;
      this.#page = value;
      this.#next = 0;
    }
  }
}
