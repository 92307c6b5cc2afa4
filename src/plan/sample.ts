import { hash } from 'node:crypto';
import { present } from '../core/objects.ts';
import type { RowNumber } from '../core/row.ts';
import { lastOfFirst } from '../core/row-range.ts';
import type { MappedInput } from '../files/input.ts';
import { askedBy, type IdentifierTally } from '../files/output/tally.ts';
import type { Batch, RowRecord } from '../ledger/ledger.ts';
import type { SampleObject } from '../objects/plan-object.ts';
import type { RunContext } from './context.ts';
import { type Plan, partOf, planRows, pricingOf } from './plan.ts';
import { classifications, type LookupResult, type RowClassification } from './row-classification.ts';
import type { PlanContext } from './row-walk.ts';

/**
 * `run --sample` buys a few random rows first, and the plan of the rest follows from their results. The
 * answers of a sample belong to the batch like all others, so the same command without --sample buys only the
 * rest.
 */

export type Sample = ReadonlySet<RowNumber>;

/** Chooses `size` of the rows that need buying, or all of them when there are fewer. */
export async function chooseSample(
  context: RunContext,
  input: MappedInput,
  batch: Batch,
  size: number,
): Promise<Sample> {
  const draw = new Draw(context, input, batch.key, size);
  for await (const group of classifications(context, input, batch))
    for (const classification of group) draw.add(classification);
  return new Set(
    draw
      .drawn()
      .map(({ row }) => row)
      .sort((a, b) => a - b),
  );
}

/** The plan of the list. For a run over a part, it also says what the run does. */
export async function planPart(
  context: PlanContext & Pick<RunContext, 'sample'>,
  input: MappedInput,
  batchKey: string,
): Promise<Plan> {
  if (context.sample === undefined) return planRows(context, input);
  const draw = new Draw(context, input, batchKey, context.sample);
  const plan = await planRows(context, input, (classification) => draw.add(classification));
  return { ...plan, part: partOf(await pricingOf(context), draw.drawn()) };
}

/** @param input undefined where no time is left to plan the rest. */
export async function forecast(
  context: RunContext,
  batch: Batch,
  sample: Sample,
  input: MappedInput | undefined,
): Promise<SampleObject> {
  const identifiers = new Map<string, IdentifierTally>();
  let rows = 0;
  let matched = 0;
  for (const row of sample) {
    const [record] = await context.ledger.rows(batch.id, row, 1);
    if (record?.row !== row || ['in_doubt', 'skipped'].includes(record.outcome.kind)) continue;
    rows += 1;
    if (record.outcome.kind === 'matched') matched += 1;
    countIdentifiers(identifiers, batch, record);
  }
  const tallies = [...identifiers].map(([name, tally]) => ({ name, ...tally }));
  return { rows, matched, identifiers: tallies, forecast: await restOf(context, input) };
}

async function restOf(
  context: RunContext,
  input: MappedInput | undefined,
): Promise<SampleObject['forecast']> {
  if (input === undefined) return null;
  const { to_buy: rows, credits, cost, seconds } = await planRows(context, input);
  return { rows, credits, ...present({ cost }), seconds };
}

function countIdentifiers(
  identifiers: Map<string, IdentifierTally>,
  batch: Batch,
  { answers }: RowRecord,
): void {
  for (const answer of answers) {
    if (answer.batch !== batch.id) continue;
    const name = askedBy(batch, answer.call);
    const { asked, found } = identifiers.get(name) ?? { asked: 0, found: 0 };
    identifiers.set(name, { asked: asked + 1, found: found + (answer.kind === 'found' ? 1 : 0) });
  }
}

/**
 * How many candidates beyond two samples are kept before all but the lowest are dropped, so that memory does
 * not grow with the file.
 */
const CANDIDATES_HELD = 1_000;

/**
 * Draws rows from those that need a purchase, by a hash of the batch and the row. Every row is equally
 * likely, and the same batch always draws the same rows, also after a crash. A larger sample contains the
 * smaller one. Equal rows are drawn once, and rows beyond `--limit` are not.
 */
class Draw {
  readonly #size: number;
  readonly #batchKey: string;
  readonly #lastRow: RowNumber;
  #candidates: { readonly place: string; readonly of: LookupResult }[] = [];

  constructor(
    { limit }: Pick<PlanContext, 'limit'>,
    { sheet }: Pick<MappedInput, 'sheet'>,
    batchKey: string,
    size: number,
  ) {
    this.#size = size;
    this.#batchKey = batchKey;
    this.#lastRow = lastOfFirst(sheet.start, limit);
  }

  add(of: RowClassification): void {
    if (!('isOfBatch' in of) || of.row > this.#lastRow || !of.isOfBatch) return;
    this.#candidates.push({ place: hash('sha256', `${this.#batchKey} ${of.row}`, 'hex'), of });
    if (this.#candidates.length >= 2 * this.#size + CANDIDATES_HELD) this.drawn();
  }

  drawn(): readonly LookupResult[] {
    this.#candidates.sort((a, b) => (a.place < b.place ? -1 : 1));
    this.#candidates = this.#candidates.slice(0, this.#size);
    return this.#candidates.map(({ of }) => of);
  }
}
