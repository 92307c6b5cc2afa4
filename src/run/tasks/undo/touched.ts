import { callKeyOf } from '../../../core/call-key.ts';
import { type Subject, type SubjectFacts, subjectText } from '../../../core/membership.ts';
import { present } from '../../../core/objects.ts';
import type { Call } from '../../../core/operation.ts';
import type { RowNumber } from '../../../core/row.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import { plannedRecords } from '../../../ledger/rows.ts';
import { type KeptWork, keptWork } from '../../../operations/team/change-action.ts';

/** This file finds what a batch changed, from its plan and its answers. */

export interface Touched {
  /** The row that changed the subject first. */
  readonly row: RowNumber;
  readonly subject: Subject;
  /** The names of the operations that were carried out, in their order. */
  readonly operations: readonly string[];
  /** What was known about the subject when the batch was planned; absent when nothing was known. */
  readonly before?: SubjectFacts;
  /** The subject's state after the last operation, as far as it was known without the answer. */
  readonly after: SubjectFacts;
}

/** Subjects for which at least one change of the batch was carried out, each once, in the order of the rows. */
export async function touchedBy(ledger: LedgerReader, batch: Batch): Promise<readonly Touched[]> {
  const touched = new Map<string, Touched>();
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    if (planned.kind === 'end') continue;
    const calls = await carriedOut(ledger, batch, planned.row, record);
    for (const call of calls) add(touched, planned.row, keptWork(planned.work), call);
  }
  return [...touched.values()];
}

function add(
  touched: Map<string, Touched>,
  row: RowNumber,
  work: KeptWork,
  { operation, change }: Call,
): void {
  if (change === undefined) return;
  const { subject } = change;
  const text = subjectText(subject);
  const earlier = touched.get(text);
  if (earlier !== undefined) {
    touched.set(text, { ...earlier, operations: [...earlier.operations, operation], after: change.leaves });
    return;
  }
  // When the row created the project first, its invites were planned before their subjects existed.
  const before = subjectText(work.subject) === text ? work.was?.facts : undefined;
  touched.set(text, {
    row,
    subject,
    operations: [operation],
    after: change.leaves,
    ...present({ before }),
  });
}

/** The calls that were carried out: from the answers of an ended row, or the attempts of a row whose batch was cancelled. */
async function carriedOut(
  ledger: LedgerReader,
  { id, accountIdentity }: Batch,
  row: RowNumber,
  record: RowRecord | undefined,
): Promise<readonly Call[]> {
  if (record !== undefined && record.outcome.kind !== 'in_doubt') {
    const own = record.answers.filter(({ batch, kind }) => batch === id && kind === 'found');
    return own.map(({ call }) => call);
  }
  const calls = new Map<string, Call>();
  for (const { batch, call, closure } of await ledger.history(id, row)) {
    const isFound = closure?.kind === 'answered' && closure.answer === 'found';
    if (batch === id && isFound) calls.set(callKeyOf(accountIdentity, call), call);
  }
  return [...calls.values()];
}
