import type { Dialect } from '../../client/dialect.ts';
import { stop } from '../../core/errors.ts';
import type { RuleReads } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';
import type { Batch, Doubt, LedgerReader } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { type OddDoubt, oddDoubts, ruleReads } from '../attempt.ts';
import { tellableOfAll } from './told-answer.ts';

/** Doubts whose answers came whole and have the same names and words: one decision may be about all of them. */
export interface AlikeDoubts {
  /** The lowest row among them, by which a command names all of them. */
  readonly row: RowNumber;
  readonly rows: readonly RowNumber[];
  /** The rule of a dialect that would read them; undefined where none is offered. */
  readonly rule: string | undefined;
  /** What that rule reads once it is in the dialect. */
  readonly reads: RuleReads;
  /** What `--answer` may say of all of them, as `key=value`; undefined where that differs from row to row. */
  readonly tellable: string | undefined;
}

/** The groups of at least two, in the order of their first rows. */
export async function alikeDoubts(
  ledger: Pick<LedgerReader, 'doubts' | 'attempts'>,
  batch: Pick<Batch, 'id'>,
  dialect: Dialect,
): Promise<readonly AlikeDoubts[]> {
  const groups = Map.groupBy(await oddDoubts(ledger, batch.id, dialect), ({ odd }) => odd.shape);
  return [...groups.values()]
    .flatMap((group) => groupOf(group, dialect))
    .sort((one, other) => one.row - other.row);
}

function groupOf(group: readonly OddDoubt[], dialect: Dialect): readonly AlikeDoubts[] {
  const [first, ...others] = group.toSorted((one, other) => one.doubt.row - other.doubt.row);
  if (first === undefined || others.length === 0) return [];
  const { call, row } = first.doubt;
  const rows = [row, ...others.map(({ doubt }) => doubt.row)];
  return [
    { row, rows, rule: first.odd.rule, reads: ruleReads(call), tellable: tellableOfAll(call, dialect) },
  ];
}

/**
 * All doubts of the batch whose answers are like that of this row.
 * @throws StopError `usage` when that row is not in doubt, or no whole answer came for it.
 */
export async function doubtsLike(
  ledger: Pick<LedgerReader, 'doubts' | 'attempts'>,
  batch: Pick<Batch, 'id'>,
  row: string,
  dialect: Dialect,
): Promise<readonly Doubt[]> {
  const all = await oddDoubts(ledger, batch.id, dialect);
  const shape = all.find(({ doubt }) => String(doubt.row) === row)?.odd.shape;
  if (shape === undefined) {
    const fact = `Row ${row} of batch ${batch.id} is not in doubt because of an unreadable answer, so no other row is like it.`;
    throw stop('usage', fact, `See what is in doubt with ${commandLine(['settle', batch.id])}`);
  }
  return all.flatMap(({ doubt, odd }) => (odd.shape === shape ? [doubt] : []));
}
