import { type Dialect, dialectMark } from '../client/dialect.ts';
import { judgedToday } from '../client/kept-answers.ts';
import { counted } from '../core/plain-text.ts';
import type { RowNumber } from '../core/row.ts';
import type { AttemptRecord, Batch, BatchId, LedgerReader } from '../ledger/ledger.ts';
import { eachReadOtherwise } from '../ledger/row-pages.ts';
import { commandLine } from '../lib/command-line.ts';
import { dialectOfBatch } from './batch-account.ts';

/**
 * Changes of a batch that were counted as done, although today's dialect no longer reads the vendor's answers as that.
 * A reading never sends a change again, because it may have been made, so a person has to look.
 */
export interface UnprovenChanges {
  readonly batch: BatchId;
  /** The number of rows with such a change. */
  readonly changes: number;
  readonly firstRows: readonly RowNumber[];
}

const FIRST_ROWS_SHOWN = 5;

export async function unprovenChanges(
  ledger: LedgerReader,
  batch: BatchId,
  dialect: Dialect,
): Promise<UnprovenChanges | undefined> {
  const firstRows: RowNumber[] = [];
  let changes = 0;
  for await (const { row, outcome, answers } of eachReadOtherwise(ledger, batch, dialectMark(dialect))) {
    if (outcome.kind !== 'applied') continue;
    const records = await ledger.attempts(answers.map(({ attempt }) => attempt));
    if (!records.some((record) => isUnproven(record, dialect))) continue;
    if (firstRows.length < FIRST_ROWS_SHOWN) firstRows.push(row);
    changes += 1;
  }
  return changes === 0 ? undefined : { batch, changes, firstRows };
}

/** By the dialect of the batch's account; undefined as well when that cannot be used any more. */
export async function unprovenIn(ledger: LedgerReader, batch: Batch): Promise<UnprovenChanges | undefined> {
  const dialect = await dialectOfBatch(batch);
  return dialect && unprovenChanges(ledger, batch.id, dialect);
}

/** What it is read as today is neither what it was taken for, nor that the change was made. */
function isUnproven(record: AttemptRecord, dialect: Dialect): boolean {
  const { call, closure, decision } = record;
  if (call.change === undefined || closure?.kind !== 'answered' || decision?.kind === 'told') return false;
  const today = judgedToday(record, dialect)?.answer;
  return today !== undefined && today !== closure.answer && today !== 'found';
}

export function unprovenWords({ batch, changes, firstRows }: UnprovenChanges): string {
  const [were, are] = changes === 1 ? ['was', 'It is'] : ['were', 'They are'];
  const where = `row ${firstRows.join(', ')}${firstRows.length < changes ? ', …' : ''}`;
  const fact = `${counted(changes, 'change')} of batch ${batch} ${were} counted as done (${where}), but today's dialect does not read that in what came.`;
  const look = commandLine(['status', batch, String(firstRows[0])]);
  return `${fact} ${are} not sent again: check at the service whether ${changes === 1 ? 'it was' : 'they were'} made. What came: ${look}`;
}
