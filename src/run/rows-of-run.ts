import type { RowNumber } from '../core/row.ts';
import { lastOfFirst } from '../core/row-range.ts';
import type { MappedInput } from '../files/input.ts';
import type { Batch } from '../ledger/ledger.ts';
import { recordPages } from '../ledger/row-pages.ts';
import type { RunContext } from '../plan/context.ts';

/** The rows of a run over a part of its list: those of a sample, or the first ones. */
export interface RowsOfRun {
  has(row: RowNumber): boolean;
  /** How many of them have no outcome yet. */
  readonly left: number;
}

interface Run {
  readonly context: RunContext;
  readonly input: MappedInput;
  readonly batch: Batch;
  readonly sample: ReadonlySet<RowNumber> | undefined;
}

/** Undefined for a run over the whole list. */
export async function rowsOfRun(run: Run): Promise<RowsOfRun | undefined> {
  const rows = run.sample ?? (await firstRows(run));
  if (rows === undefined) return undefined;
  const { context, batch } = run;
  const left = new Set(rows);
  for await (const page of recordPages(context.ledger, batch.id))
    for (const { row } of page) left.delete(row);
  return { has: (row) => rows.has(row), left: left.size };
}

async function firstRows({
  context: { limit },
  input: { sheet },
}: Pick<Run, 'context' | 'input'>): Promise<ReadonlySet<RowNumber> | undefined> {
  if (limit === undefined) return undefined;
  const last = lastOfFirst(sheet.headerRow, limit);
  const rows = new Set<RowNumber>();
  for await (const group of sheet.groups())
    for (const { row } of group) {
      if (row > last) return rows;
      rows.add(row);
    }
  return rows;
}
