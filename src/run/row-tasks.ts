import type { Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { Outcome, RowNumber } from '../core/row.ts';
import { inputReader } from '../files/columns/columns.ts';
import { plannedParts, rowParts } from '../files/kept-rows.ts';
import { issuesAsRead } from '../files/quality/job-issues.ts';
import { readSettings, settingsKept } from '../job/job-settings.ts';
import type { Batch, Ledger, PlannedRow, RowLeft } from '../ledger/ledger.ts';
import { keptWorks } from '../operations/team/change-action.ts';
import type { RunContext } from '../plan/context.ts';
import { sharedHostsKept } from '../plan/shared-hosts.ts';
import type { EarlierCall } from '../walk/asked-before.ts';
import type { PlanContext, ResolvedJob } from '../walk/resolved-job.ts';
import { otherwiseOf, rowPreparer, unaskedEnd } from '../walk/row-preparer.ts';
import type { WalkedRow } from '../walk/row-walk.ts';
import { tellsApartBy, toldApartKept } from '../walk/told-apart.ts';

/**
 * A row without a final outcome yet: the input for its operation, or the outcome of a row that needs no
 * operation.
 */
export type Task = {
  readonly row: RowNumber;
  /** What an earlier build asked for the row, where today's reading asks otherwise. */
  readonly before?: EarlierCall | undefined;
} & (
  | { readonly kind: 'work'; readonly work: WalkedRow }
  /** `otherwise`: what a row that is left out would be asked, of which it keeps what is known. */
  | { readonly kind: 'end'; readonly outcome: Outcome; readonly otherwise?: WalkedRow }
);

/**
 * The tasks of a batch in the order of their rows, in groups. They are read no faster than they are worked
 * on.
 */
export type TaskSource = AsyncIterable<readonly Task[]>;

export interface RowRange {
  readonly fromRow: RowNumber;
  readonly beforeRow: RowNumber;
}

export const ALL_ROWS: RowRange = { fromRow: 0, beforeRow: Number.MAX_SAFE_INTEGER };

interface RemainingRows {
  readonly context: RunContext;
  readonly batch: Batch;
  readonly range: RowRange;
  /** Only these rows of the range. */
  readonly only?: Pick<ReadonlySet<RowNumber>, 'has'> | undefined;
}

const PART_ROWS = 1_000;

/**
 * The tasks of the rows of a batch that are in this state in the ledger. The ledger has everything that the
 * tasks need.
 */
export async function* tasksOf(state: 'in_doubt' | 'pending', remainingRows: RemainingRows): TaskSource {
  const { context, batch, range, only } = remainingRows;
  const { ledger } = context;
  const taskOf = await taskMaker(context, batch);
  const read = (from: RowNumber) => ledger.rowsLeft(batch.id, state, from, range.beforeRow, PART_ROWS);
  for await (const part of rowParts(PART_ROWS, read, range.fromRow)) {
    const tasks = part.filter(({ row }) => only?.has(row) !== false).map(taskOf);
    // What was asked for a row in doubt was sent, although today's reading of its cells would not ask.
    yield state === 'in_doubt' ? tasks.filter(({ kind }) => kind === 'work') : tasks;
  }
}

/** The first row that is left; undefined where no row is left. */
export async function leftIn(
  ledger: Pick<Ledger, 'rowsLeft'>,
  { id }: Pick<Batch, 'id'>,
  { fromRow, beforeRow }: RowRange,
): Promise<RowLeft | undefined> {
  const [doubt] = await ledger.rowsLeft(id, 'in_doubt', fromRow, beforeRow, 1);
  return doubt ?? (await ledger.rowsLeft(id, 'pending', fromRow, beforeRow, 1))[0];
}

/** The list of a batch as the ledger has it, for a process that does not have its file. */
export async function listKept({ settings, header, inputPath }: KeptList) {
  const { columns, null_names: nullNames = {}, columns_guessed: guessed = false } = settingsKept(settings);
  const issueOf = await issuesAsRead(readSettings(settings));
  return { path: inputPath, columns: { issueOf, header, columns, nullNames, guessed } };
}

type KeptList = Pick<Batch, 'settings' | 'header' | 'inputPath'>;

/** Makes tasks of rows in the ledger, in the same way in every process. */
export async function taskMaker(
  resolved: ResolvedJob & Pick<PlanContext, 'before'>,
  batch: KeptList,
): Promise<(rowLeft: RowLeft) => Task> {
  const { columns: list } = await listKept(batch);
  const read = inputReader(list.columns, list.header);
  const tellsApart = tellsApartBy(toldApartKept(batch));
  const prepare = rowPreparer(resolved, { ...list, read }, sharedHostsKept(batch), tellsApart);
  return (rowLeft) => {
    if ('kind' in rowLeft) return plannedTask(rowLeft);
    const { row } = rowLeft;
    const prepared = prepare(rowLeft);
    if (prepared.kind === 'ready')
      return { row, kind: 'work', work: prepared, before: resolved.before?.(rowLeft) };
    const otherwise = otherwiseOf(prepared);
    return { row, kind: 'end', outcome: unaskedEnd(prepared), ...present({ otherwise }) };
  };
}

function plannedTask(planned: PlannedRow): Task {
  if (planned.kind === 'end') return planned;
  const { repaired } = planned.work as { readonly repaired?: Findings };
  return { ...planned, work: { input: planned.work, ...present({ repaired }) } };
}

export async function plannedProjects(ledger: Ledger, { id }: Batch): Promise<ReadonlySet<string>> {
  const projects = new Set<string>();
  for await (const part of plannedParts(ledger, id))
    for (const planned of part) {
      const works = planned.kind === 'end' ? [] : keptWorks(planned.work);
      for (const { subject, ended } of works)
        if (subject.project !== undefined && ended === undefined) projects.add(subject.project);
    }
  return projects;
}
