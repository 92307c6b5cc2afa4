import { setImmediate as turn } from 'node:timers/promises';
import type { InputRow, RowNumber } from '../../../core/row.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import type { FindLine } from '../../api.ts';
import type { FoundList } from './list-files.ts';
import { rowsPerRead } from './row-cells.ts';

/**
 * Looks for a text in every cell of a list and in every answer, row by row. It gives way after each few milliseconds, so
 * that a search through a million rows holds up nobody.
 */

export interface Search {
  readonly text: string;
  readonly from: RowNumber;
  readonly last: RowNumber;
}

/** As many hits as a person looks through; then the search waits to be asked to go on. */
const MOST_HITS = 50;

/** Their answers are a few milliseconds of the event loop. */
const ROWS_PER_READ = 200;

/** Between two lines about how far it has come, ms. */
const PROGRESS_MS = 250;

/** Letters around the text that was found. */
const AROUND = 60;

/** A reader that is open for long would keep a run beside it from tidying up its log, so it is opened anew so often, ms. */
const READER_MS = 1_000;

export async function* find(
  look: () => Promise<LedgerReader>,
  batch: Batch,
  found: FoundList,
  search: Search,
): AsyncGenerator<FindLine> {
  let ledger = await look();
  let [openedAt, toldAt, hits] = [performance.now(), 0, 0];
  try {
    for await (const slice of slices(ledger, found, search, rowsPerRead(batch, ROWS_PER_READ))) {
      for (const hit of await hitsIn(ledger, batch, found, slice, search)) {
        yield hit;
        hits += 1;
        if (hits === MOST_HITS) return yield { next: hit.row + 1 };
      }
      const now = performance.now();
      if (now - toldAt > PROGRESS_MS) {
        toldAt = now;
        yield { at: slice.before - 1 };
      }
      if (now - openedAt > READER_MS) {
        openedAt = now;
        await ledger.close();
        ledger = await look();
      }
      await turn();
    }
    yield { next: null };
  } finally {
    await ledger.close();
  }
}

interface Slice {
  readonly rows: readonly InputRow[];
  readonly from: RowNumber;
  readonly before: RowNumber;
}

async function* slices(
  ledger: LedgerReader,
  { list }: FoundList,
  { from, last }: Search,
  size: number,
): AsyncGenerator<Slice> {
  let start = from;
  if (list !== undefined) {
    let rows: InputRow[] = [];
    for await (const row of list.rows(ledger, from)) {
      rows.push(row);
      if (rows.length < size) continue;
      yield { rows, from: start, before: row.row + 1 };
      start = row.row + 1;
      rows = [];
    }
    yield { rows, from: start, before: (rows.at(-1)?.row ?? start - 1) + 1 };
    start = (rows.at(-1)?.row ?? start - 1) + 1;
  }
  // What the list does not have, the ledger may know: all of a list that is gone, and people that it did not name.
  for (; start <= last; start += size) yield { rows: [], from: start, before: start + size };
}

type Hit = Extract<FindLine, { readonly row: number }>;

/** One hit for a row, in the first place that has the text. */
async function hitsIn(
  ledger: LedgerReader,
  batch: Batch,
  { list }: FoundList,
  { rows, from, before }: Slice,
  { text }: Search,
): Promise<readonly Hit[]> {
  const wanted = text.toLowerCase();
  const hits = new Map<RowNumber, Hit>();
  const look = (row: RowNumber, column: string, where: string): boolean => {
    const at = where.toLowerCase().indexOf(wanted);
    if (at >= 0) hits.set(row, { row, column, text: excerpt(where, at, wanted.length) });
    return at >= 0;
  };
  for (const { row, cells } of rows) cells.some((cell, at) => look(row, list?.header[at] ?? '', cell));
  for (const { row, outcome, answers } of await ledger.rows(batch.id, from, before - from)) {
    if (row >= before || hits.has(row) || look(row, '_reason', outcome.reason ?? '')) continue;
    answers.some(({ body }) => look(row, '', body.toString('utf8')));
  }
  return [...hits.values()].sort((one, other) => one.row - other.row);
}

function excerpt(text: string, at: number, length: number): string {
  const [from, to] = [Math.max(0, at - AROUND), at + length + AROUND];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
