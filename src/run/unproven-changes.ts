import { commandLine } from '../core/command-line.ts';
import { counted } from '../core/plain-text.ts';
import type { RowNumber } from '../core/row.ts';
import type { AttemptRecord, BatchId, LedgerReader } from '../ledger/ledger.ts';
import { eachReadOtherwise } from '../ledger/row-pages.ts';
import { type Dialect, dialectMark } from '../vendor/dialect.ts';
import { judgedToday } from '../vendor/kept-answers.ts';

/**
 * Changes of a batch that were counted as done, and of which what the vendor answered does not say so by the dialect of today.
 * A reading never sends a change again, because it may have been made, so a person has to look.
 */
export interface UnprovenChanges {
  readonly batch: BatchId;
  readonly changes: number;
  /** The first rows that they were made for. */
  readonly rows: readonly RowNumber[];
}

const FIRST_ROWS_SHOWN = 5;

/** @returns undefined when there is none, as in every batch that only reads. */
export async function unprovenChanges(
  ledger: LedgerReader,
  batch: BatchId,
  dialect: Dialect,
): Promise<UnprovenChanges | undefined> {
  const rows: RowNumber[] = [];
  let changes = 0;
  for await (const { row, outcome, answers } of eachReadOtherwise(ledger, batch, dialectMark(dialect))) {
    if (outcome.kind !== 'applied') continue;
    const records = await ledger.attempts(answers.map(({ attempt }) => attempt));
    const { length } = records.filter((record) => isUnproven(record, dialect));
    if (length > 0 && rows.length < FIRST_ROWS_SHOWN) rows.push(row);
    changes += length;
  }
  return changes === 0 ? undefined : { batch, changes, rows };
}

/** What it is read as today is neither what it was taken for, nor that the change was made. */
function isUnproven(record: AttemptRecord, dialect: Dialect): boolean {
  const { call, closure, decision } = record;
  if (call.change === undefined || closure?.kind !== 'settled' || decision?.kind === 'told') return false;
  const today = judgedToday(record, dialect)?.answer;
  return today !== undefined && today !== closure.answer && today !== 'found';
}

export function unprovenWords({ batch, changes, rows }: UnprovenChanges): string {
  const [one, are] = changes === 1 ? ['was', 'It is'] : ['were', 'They are'];
  const where = `row${rows.length === 1 ? '' : 's'} ${rows.join(', ')}${rows.length < changes ? ', …' : ''}`;
  const look = commandLine(['status', batch, String(rows[0])]);
  return `${counted(changes, 'change')} of batch ${batch} ${one} counted as done (${where}), and what came does not say so by the dialect of today. ${are} not sent again: see at the service whether ${changes === 1 ? 'it was' : 'they were'} made. What came: ${look}`;
}
