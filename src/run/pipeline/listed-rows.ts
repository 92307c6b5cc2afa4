import type { InputRow, RowNumber } from '../../core/row.ts';
import { type Country, countryOf, type MappedInput, rowInputOf } from '../../files/input.ts';
import { readSettings } from '../../job/job-settings.ts';
import type { BatchId, ListedRow, ListedRows } from '../../ledger/ledger.ts';
import type { RunContext } from '../../plan/context.ts';
import { optionsOf, preparedCells } from '../../plan/row-walk.ts';
import { preparedTask, type Task, type TaskSource } from './tasks.ts';

/** Rows of a list as the ledger keeps them, for a process that does not have the file. */

export interface RowRange {
  readonly fromRow: RowNumber;
  readonly beforeRow: RowNumber;
}

/** Makes what the ledger keeps of rows of the file: of a row that cannot be read no cells, because nothing is looked up by them. */
export function rowLister({
  columns,
  survey,
}: Pick<MappedInput, 'columns' | 'survey'>): (row: InputRow) => ListedRow {
  const inputOf = rowInputOf(columns.columns, survey.header);
  return (each) => {
    const { row, unreadable } = each;
    const input = inputOf(each);
    return unreadable === undefined ? { row, input, cells: columns.read(each) } : { row, input, unreadable };
  };
}

/** The tasks of a range, which are the same as those of the file: a row is prepared where it is worked on, and not before. */
export async function* listedTasks(
  context: RunContext,
  listed: Pick<ListedRows, 'tasksOf'>,
  batch: BatchId,
  { fromRow, beforeRow }: RowRange,
): TaskSource {
  const options = optionsOf(context);
  const country = await countryOfBatch(context, batch);
  const taskOf = (each: ListedRow): Task => {
    const { row, input } = each;
    const prepared =
      'cells' in each
        ? preparedCells(context.job, each.cells, options, country)
        : ({ kind: 'invalid', reason: each.unreadable } as const);
    return preparedTask(row, input, prepared);
  };
  const rows = await listed.tasksOf(batch, fromRow, beforeRow);
  yield rows.map(taskOf);
}

/** By which the process that has the list tells telephone numbers, so that both send the same. */
async function countryOfBatch(
  { job, ledger }: Pick<RunContext, 'job' | 'ledger'>,
  batch: BatchId,
): Promise<Country | undefined> {
  if (job.repair !== true) return undefined;
  const found = (await ledger.batches()).find(({ id }) => id === batch);
  const code = found && readSettings(found.settings).country;
  return code === undefined ? undefined : countryOf(code);
}
