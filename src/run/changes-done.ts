import { callKeyOf } from '../core/call-key.ts';
import type { Batch, LedgerReader, RowRecord } from '../ledger/ledger.ts';
import { eachRecord, rowsBeyond } from '../ledger/row-pages.ts';
import { actionOf, type ChangeAction } from '../plan/team/change-plan.ts';

/** What a batch of changes has done, counted from the answers of the service and not from what was planned. */
export interface ChangesDone {
  /** Rows by what was applied for them; a project counts once, however many rows it was made for. */
  readonly done: Readonly<Partial<Record<ChangeAction, number>>>;
  /** Removals that were planned although no row of the file asks for them, and how many of them were made. */
  readonly beyond: { readonly planned: number; readonly removed: number };
}

export async function changesDone(ledger: LedgerReader, batch: Batch): Promise<ChangesDone> {
  const done = new Map<ChangeAction, number>();
  const projects = new Set<string>();
  const firstBeyond = (await rowsBeyond(ledger, batch))[0]?.row ?? Number.POSITIVE_INFINITY;
  let removed = 0;
  for await (const record of eachRecord(ledger, batch.id)) {
    const { operations, made } = appliedIn(record, batch);
    for (const key of made) projects.add(key);
    if (record.outcome.kind !== 'applied' || operations.length === 0) continue;
    const action = actionOf(operations);
    done.set(action, (done.get(action) ?? 0) + 1);
    if (record.row >= firstBeyond) removed += 1;
  }
  if (projects.size > 0) done.set('create_project', projects.size);
  return { done: Object.fromEntries(done), beyond: { planned: batch.rowsBeyond ?? 0, removed } };
}

/** What the batch itself applied for a row: the keys of the calls that made a project, and all others by operation. */
function appliedIn(
  { answers }: RowRecord,
  batch: Batch,
): { readonly operations: readonly string[]; readonly made: readonly string[] } {
  const found = answers.filter((answer) => answer.kind === 'found' && answer.batch === batch.id);
  const creations = found.filter(({ call }) => call.operation === 'create-project');
  return {
    operations: found.filter((answer) => !creations.includes(answer)).map(({ call }) => call.operation),
    made: creations.map(({ call }) => callKeyOf(batch.accountIdentity, call)),
  };
}
