import { callKeyOf } from '../core/call-key.ts';
import type { PlannedAction } from '../core/operation.ts';
import type { Batch, LedgerReader, PlannedRow, RowRecord } from '../ledger/ledger.ts';
import { plannedRecords, rowsBeyond } from '../ledger/row-pages.ts';
import { keptWork } from '../operations/team/planned-work.ts';

/** The actions of its plan that a batch of changes has done. An action counts once the service has confirmed it. */
export interface ChangesDone {
  /** The number of rows by the action that was applied. A project counts once, however many rows it was created for. */
  readonly done: Readonly<Partial<Record<PlannedAction, number>>>;
  /** How many removals were planned for people whom the file does not name, and how many of these were made. */
  readonly beyond: { readonly planned: number; readonly removed: number };
}

export async function changesDone(ledger: LedgerReader, batch: Batch): Promise<ChangesDone> {
  const done = new Map<PlannedAction, number>();
  const projects = new Set<string>();
  const firstBeyond = (await rowsBeyond(ledger, batch))[0]?.row ?? Number.POSITIVE_INFINITY;
  let removed = 0;
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    if (record === undefined) continue;
    const { made, isMore } = appliedIn(record, batch);
    for (const key of made) projects.add(key);
    if (record.outcome.kind !== 'applied' || !isMore) continue;
    const action = actionOf(planned);
    done.set(action, (done.get(action) ?? 0) + 1);
    if (record.row >= firstBeyond) removed += 1;
  }
  if (projects.size > 0) done.set('create_project', projects.size);
  return { done: Object.fromEntries(done), beyond: { planned: batch.rowsBeyond ?? 0, removed } };
}

/** A row about several subjects counts once, by the first action of this list that it did for one of them. */
const FIRST: readonly PlannedAction[] = ['change_role', 'invite', 'remove'];

function actionOf(planned: PlannedRow): PlannedAction {
  if (planned.kind === 'end') return 'call';
  const work = keptWork(planned.work);
  const actions = (work.parts ?? [work]).map(({ action }) => action);
  return FIRST.find((action) => actions.includes(action)) ?? 'call';
}

/** What the batch itself applied for a row: the keys of calls that created a project, and whether it did anything else. */
function appliedIn(
  { answers }: RowRecord,
  batch: Batch,
): { readonly made: readonly string[]; readonly isMore: boolean } {
  const found = answers.filter((answer) => answer.kind === 'found' && answer.batch === batch.id);
  const creations = found.filter(({ call }) => call.operation === 'create-project');
  return {
    made: creations.map(({ call }) => callKeyOf(batch.accountIdentity, call)),
    isMore: found.length > creations.length,
  };
}
