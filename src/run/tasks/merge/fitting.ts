import { isOutput } from '../../../core/our-columns.ts';
import { ATTENTION_KINDS, type RowNumber } from '../../../core/row.ts';
import { type OpenedFile, rowInputOf } from '../../../files/input.ts';
import { isOpen, numbersOf } from '../../../files/merging.ts';
import { columnsOf } from '../../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import { finishedPages } from '../../../ledger/row-pages.ts';

/**
 * Says how well a result fits what some batches were sent: the numbers of its rows mean something only for the list that they were
 * made of, and a list that was run again has other rows at these numbers.
 */

/** The hashes of what each row was finished from, one for each batch. */
export type SentAs = ReadonlyMap<RowNumber, readonly number[]>;

/** What is taken for the makers of a result. */
export interface Makers {
  readonly batches: readonly Batch[];
  /** Empty where the result does not fit what they were sent, so that its identifiers alone tell its rows apart. */
  readonly sentAs: SentAs;
  /** Rows of which other batches that fit as well were sent something else. */
  readonly disputed: ReadonlySet<RowNumber>;
}

interface Fit {
  readonly batches: readonly Batch[];
  readonly sentAs: SentAs;
  /** Which part of the rows can be of these batches. */
  readonly share: number;
  /** How many rows are as they were sent. */
  readonly same: number;
}

export interface FitResult {
  readonly header: readonly string[];
  readonly rows: readonly { readonly row: RowNumber; readonly cells: readonly string[] }[];
}

/** The rows of a result that have an outcome, by their numbers in the list. */
export async function fitResult({ sheet }: OpenedFile): Promise<FitResult> {
  const header = await sheet.header();
  const statusAt = isOutput(header) ? header.indexOf('_status') : undefined;
  const numberAt = header.indexOf('_row');
  const rows: { row: RowNumber; cells: readonly string[] }[] = [];
  for await (const group of sheet.groups()) {
    for (const { row, cells, unreadable } of group) {
      if (unreadable !== undefined) continue;
      if (statusAt === undefined) rows.push({ row: Number(cells[numberAt]), cells });
      else if (!isOpen(cells[statusAt] ?? '')) rows.push({ row, cells });
    }
  }
  return { header, rows };
}

/** @param sets those who may have made the result, the likeliest first. @returns undefined where it fits none of them. */
export async function fittingMakers(
  ledger: LedgerReader,
  sets: readonly (readonly Batch[])[],
  result: FitResult,
): Promise<Makers | undefined> {
  const fits: Fit[] = [];
  for (const batches of sets) {
    const fit = await fitOf(ledger, batches, result);
    // Fewer than half may be a coincidence.
    if (fit.share > 0.5) fits.push(fit);
    if (fit.same === result.rows.length) break;
  }
  const [best] = fits.sort((a, b) => b.share - a.share || b.same - a.same);
  if (best === undefined) return undefined;
  const equal = fits.filter(({ share, same }) => share === best.share && same === best.same);
  const isDisputed = (row: RowNumber, inputs: readonly number[]): boolean =>
    equal.some(({ sentAs }) => sentAs.get(row)?.join() !== inputs.join());
  const disputed = new Set([...best.sentAs].flatMap(([row, inputs]) => (isDisputed(row, inputs) ? row : [])));
  const sentAs = new Map([...best.sentAs].filter(([row]) => !disputed.has(row)));
  return { batches: best.batches, sentAs, disputed };
}

async function fitOf(
  ledger: LedgerReader,
  batches: readonly Batch[],
  { header, rows }: FitResult,
): Promise<Fit> {
  const sentAs = await sentIn(ledger, batches);
  const inputsOf = batches.map(({ settings }) => rowInputOf(columnsOf(settings)?.columns ?? {}, header));
  const said = rows.map(({ row, cells }) => ({
    row,
    input: inputsOf.map((inputOf) => inputOf({ cells })).join(' '),
  }));
  const sent = new Map([...sentAs].map(([row, inputs]) => [row, inputs.join(' ')]));
  const numbers = isOutput(header) ? numbersOf(said, sent) : said.map(({ row }) => row);
  const same = said.filter(({ input }, at) => sent.get(numbers[at] ?? 0) === input).length;
  const fitting = isOutput(header) ? same : await countAttention(ledger, batches, rows);
  return { batches, sentAs, share: rows.length === 0 ? 0 : fitting / rows.length, same };
}

/** How many of these rows need attention. They may all be corrected by now, so that what they say is not what was sent. */
async function countAttention(
  ledger: LedgerReader,
  batches: readonly Batch[],
  rows: FitResult['rows'],
): Promise<number> {
  let count = 0;
  for (const { row } of rows) {
    if (!Number.isSafeInteger(row)) continue;
    const records = await Promise.all(batches.map(({ id }) => ledger.rows(id, row, 1)));
    const needs = records.flat().some((each) => each.row === row && ATTENTION_KINDS.has(each.outcome.kind));
    if (needs) count += 1;
  }
  return count;
}

/** What each row was finished from, for those that all of the batches have finished. */
export async function sentIn(ledger: LedgerReader, batches: readonly Batch[]): Promise<SentAs> {
  const sent = new Map<RowNumber, number[]>();
  for (const { id } of batches) {
    for await (const page of finishedPages(ledger, id)) {
      for (const { row, input } of page)
        if (input !== undefined) sent.set(row, [...(sent.get(row) ?? []), input]);
    }
  }
  return new Map([...sent].filter(([, inputs]) => inputs.length === batches.length));
}
