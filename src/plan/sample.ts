import { hash } from 'node:crypto';
import { requestsPerSecond } from '../client/account/account.ts';
import type { OutcomeKind, RowNumber } from '../core/row.ts';
import { lastOfFirst } from '../core/row-range.ts';
import type { MappedInput } from '../files/input.ts';
import { type Batch, credits, type RowAnswer, type RowRecord } from '../ledger/ledger.ts';
import { askedBy } from '../ledger/tally.ts';
import type { RunContext } from './context.ts';
import { type Plan, planRows } from './plan.ts';
import { planLeft } from './plan-id.ts';
import { matchesLeft, type Pricing, pricingOf, worstCredits } from './pricing.ts';
import { classifications, type LookedUp, type RowClassification } from './row-classification.ts';
import type { PlanContext } from './row-walk.ts';
import { type Estimate, shareEstimate, sumEstimate } from './sample/estimate.ts';

/**
 * `run --sample` buys a few random rows first; their costs and matches give a forecast for the rest. The answers of a
 * sample belong to the batch like all others, so the same command without --sample buys only the rest.
 */

export type { Estimate };

export interface Sample extends ReadonlySet<RowNumber> {
  readonly drawn: Drawn;
}

export interface Forecast {
  /** The number of rows of the sample with a known outcome. A row in doubt does not count yet. */
  readonly rows: number;
  readonly matched: number;
  /** The identifiers in the order in which they were asked first. Their intervals hold for any number of further rows. */
  readonly identifiers: readonly {
    readonly name: string;
    readonly asked: number;
    readonly found: number;
    readonly matchRate: Estimate;
  }[];
  /**
   * How many rows of those among which the sample was drawn are left to buy, its own that a stop has left included. With
   * `--limit` these are the first rows.
   */
  readonly left: number;
  /** How many rows to buy stand behind those, of which the sample says nothing; 0 without a limit. */
  readonly beyond: number;
  /** About those that are `left`; undefined when none is, or when no row of the sample has a known outcome. */
  readonly rest: RestForecast | undefined;
  /** The id of the plan of the rest; undefined for a run that was told no id, or that had no time for it. */
  readonly plan: string | undefined;
}

/** The forecast for the rest. Each interval holds the truth for 95 of 100 samples. */
export interface RestForecast {
  readonly rows: number;
  readonly matchRate: Estimate;
  /** `sumEstimate` explains how different prices are combined. The estimate assumes no price above the highest possible. */
  readonly credits: Estimate;
  /** The time at the account's limit, else at the speed that was learned; undefined when neither is known. */
  readonly seconds: Estimate | undefined;
}

/** Chooses `size` of the rows that need buying, or all of them when there are fewer. */
export async function chooseSample(
  context: RunContext,
  input: MappedInput,
  batch: Batch,
  size: number,
): Promise<Sample> {
  const draw = await drawFor(context, input, batch.key, size);
  for await (const group of classifications(context, input, batch))
    for (const classification of group) draw.add(classification);
  const drawn = draw.result();
  return Object.assign(new Set(drawn.each.keys()), { drawn });
}

export async function planPart(
  context: PlanContext & Pick<RunContext, 'sample'>,
  input: MappedInput,
  batchKey: string,
): Promise<Plan> {
  if (context.sample === undefined) return planRows(context, input);
  const draw = await drawFor(context, input, batchKey, context.sample);
  const plan = await planRows(context, input, (classification) => draw.add(classification));
  const { rows, credits: most, atRisk } = draw.result();
  return { ...plan, part: { rows, most: credits(most), atRisk: credits(atRisk) } };
}

/** Prepares a draw in which equal rows are drawn once and rows beyond `--limit` are not drawn. */
async function drawFor(
  context: PlanContext,
  input: Pick<MappedInput, 'sheet'>,
  batchKey: string,
  size: number,
): Promise<Draw> {
  const pricing = await pricingOf(context);
  const lastRow = lastOfFirst(input.sheet.start, context.limit);
  return new Draw({ size, batchKey, lastRow, pricing });
}

/**
 * Forecasts from the rows that were bought. A stopped run has bought only a part of the sample, which is random as well.
 * @param input undefined where no time is left to plan the rest.
 */
export async function forecast(
  context: RunContext,
  batch: Batch,
  sample: Sample,
  input: MappedInput | undefined,
): Promise<Forecast> {
  const tally = new SampleTally(batch);
  const { each, beyond, rest: notDrawn, ...drawn } = sample.drawn;
  let rest = notDrawn;
  for (const [row, worst] of each) {
    const [record] = await context.ledger.rows(batch.id, row, 1);
    if (record?.row === row) tally.add(record);
    else rest = sumOf(rest, worst);
  }
  const { rows, matched } = tally;
  const plan = input && (await planLeft(context, input));
  const known = { rows, matched, identifiers: tally.identifiers(), left: rest.rows, beyond, plan };
  if (rows === 0 || rest.rows === 0) return { ...known, rest: undefined };
  return {
    ...known,
    rest: {
      rows: rest.rows,
      matchRate: shareEstimate(matched, rows, rest.rows),
      credits: creditsOfRest(tally, rest, drawn),
      seconds: await secondsOfRest(context, rest, drawn, tally),
    },
  };
}

type MostOfRow = Pick<Drawn, 'mostCredits' | 'mostRequests'>;

function creditsOfRest({ credits: spent }: SampleTally, rest: Worst, { mostCredits }: MostOfRow): Estimate {
  const estimate = sumEstimate(spent, rest.rows, mostCredits);
  return atMost(mapped(estimate, Math.round), rest.credits);
}

async function secondsOfRest(
  context: RunContext,
  rest: Worst,
  { mostRequests }: MostOfRow,
  { requests }: SampleTally,
): Promise<Estimate | undefined> {
  const perSecond = await speedOf(context);
  if (perSecond === undefined) return undefined;
  // A row to buy makes its first call for sure; only its further calls depend on what is found.
  const more = sumEstimate(
    requests.map((count) => Math.max(0, count - 1)),
    rest.rows,
    mostRequests - 1,
  );
  const all = atMost(
    mapped(more, (count) => rest.rows + count),
    rest.requests,
  );
  return mapped(all, (count) => Math.ceil(count / perSecond));
}

/**
 * Requests per second: the account's limit, or the speed that was learned. The sample's own speed is no measure, because a
 * run begins slowly.
 */
async function speedOf({ account, ledger }: RunContext): Promise<number | undefined> {
  return requestsPerSecond(account) ?? (await ledger.account(account.identity)).learned?.perSecond;
}

class SampleTally {
  readonly #batch: Batch;
  readonly #identifiers = new Map<string, { asked: number; found: number }>();
  /** The credits that each row's own purchases cost; `requests` has the number of these purchases. */
  readonly credits: number[] = [];
  readonly requests: number[] = [];
  matched = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  get rows(): number {
    return this.credits.length;
  }

  add({ outcome, answers }: RowRecord): void {
    const matches = isMatch(outcome.kind);
    if (matches === undefined) return;
    if (matches) this.matched += 1;
    const bought = answers.filter(({ batch }) => batch === this.#batch.id);
    for (const answer of bought) this.#addIdentifier(answer);
    this.credits.push(bought.reduce((sum, { charged }) => sum + charged, 0));
    this.requests.push(bought.length);
  }

  identifiers(): Forecast['identifiers'] {
    return [...this.#identifiers].map(([name, { asked, found }]) => ({
      name,
      asked,
      found,
      matchRate: shareEstimate(found, asked),
    }));
  }

  #addIdentifier({ call, kind }: RowAnswer): void {
    const name = askedBy(this.#batch, call);
    const tally = this.#identifiers.get(name) ?? { asked: 0, found: 0 };
    tally.asked += 1;
    if (kind === 'found') tally.found += 1;
    this.#identifiers.set(name, tally);
  }
}

function isMatch(kind: OutcomeKind): boolean | undefined {
  if (kind === 'in_doubt' || kind === 'skipped') return undefined;
  return kind === 'matched' || kind === 'applied' || kind === 'unchanged';
}

function mapped({ low, expected, high }: Estimate, change: (value: number) => number): Estimate {
  return { low: change(low), expected: change(expected), high: change(high) };
}

function atMost(estimate: Estimate, most: number): Estimate {
  return mapped(estimate, (value) => Math.min(value, most));
}

/**
 * The number of rows that still need a purchase, the most credits and requests that they take, and what of these credits
 * counts as in doubt already.
 */
interface Worst {
  readonly rows: number;
  readonly credits: number;
  readonly requests: number;
  readonly atRisk: number;
}

interface Drawn extends Worst {
  readonly each: ReadonlyMap<RowNumber, Worst>;
  /** The rows that are left to buy without the drawn ones, of those among which they were drawn. */
  readonly rest: Worst;
  readonly beyond: number;
  readonly mostCredits: number;
  readonly mostRequests: number;
}

interface DrawOptions {
  readonly size: number;
  readonly batchKey: string;
  readonly lastRow: RowNumber;
  readonly pricing: Pricing;
}

interface Candidate {
  readonly row: RowNumber;
  readonly place: string;
  /** Nothing for a row that the batch has bought already. */
  readonly worst: Worst;
}

/** How many candidates beyond two samples are held before all but the lowest are dropped, so that memory does not grow with the file. */
const CANDIDATES_HELD = 1_000;

const NOTHING: Worst = { rows: 0, credits: 0, requests: 0, atRisk: 0 };
const A_ROW: Worst = { ...NOTHING, rows: 1 };

/**
 * Draws rows from those that need a purchase, by a hash of the batch and the row. Every row is equally likely, and the
 * same batch always draws the same rows, also after a crash. A larger sample contains the smaller one.
 */
class Draw {
  readonly #options: DrawOptions;
  #candidates: Candidate[] = [];
  #all = NOTHING;
  #mostCredits = 0;
  #mostRequests = 0;
  #beyond = 0;

  constructor(options: DrawOptions) {
    this.#options = options;
  }

  add(classification: RowClassification): void {
    if (classification.kind === 'invalid' || classification.kind === 'duplicate') return;
    const { row, isOfBatch } = classification;
    const { size, batchKey, lastRow } = this.#options;
    const worst = this.#worstOf(classification);
    if (row > lastRow) {
      this.#beyond += worst.rows;
      return;
    }
    this.#all = sumOf(this.#all, worst);
    if (!isOfBatch) return;
    this.#mostCredits = Math.max(this.#mostCredits, worst.credits);
    this.#mostRequests = Math.max(this.#mostRequests, worst.requests);
    this.#candidates.push({ row, worst, place: hash('sha256', `${batchKey} ${row}`, 'hex') });
    if (this.#candidates.length >= 2 * size + CANDIDATES_HELD) this.#keepLowest();
  }

  result(): Drawn {
    this.#keepLowest();
    const inOrder = this.#candidates.toSorted((a, b) => a.row - b.row);
    const drawn = inOrder.reduce((sum, { worst }) => sumOf(sum, worst), NOTHING);
    return {
      ...drawn,
      each: new Map(inOrder.map(({ row, worst }) => [row, worst])),
      rest: sumOf(this.#all, drawn, -1),
      beyond: this.#beyond,
      mostCredits: this.#mostCredits,
      mostRequests: this.#mostRequests,
    };
  }

  #keepLowest(): void {
    this.#candidates.sort((a, b) => (a.place < b.place ? -1 : 1));
    this.#candidates = this.#candidates.slice(0, this.#options.size);
  }

  #worstOf({ left }: LookedUp): Worst {
    const { pricing } = this.#options;
    const asking = left.filter(({ toAsk }) => toAsk.length > 0);
    const all = asking.map((each) => ({
      rows: 0,
      credits: worstCredits(pricing, each),
      requests: each.toAsk.length * matchesLeft(pricing, each),
      atRisk: each.again?.atRisk ?? 0,
    }));
    return all.reduce((sum, each) => sumOf(sum, each), asking.length === 0 ? NOTHING : A_ROW);
  }
}

function sumOf(one: Worst, other: Worst, times = 1): Worst {
  return {
    rows: one.rows + times * other.rows,
    credits: one.credits + times * other.credits,
    requests: one.requests + times * other.requests,
    atRisk: one.atRisk + times * other.atRisk,
  };
}
