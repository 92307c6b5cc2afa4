import { hash } from 'node:crypto';
import { stop } from '../core/errors.ts';
import { moneyShare } from '../core/money.ts';
import { present } from '../core/objects.ts';
import { asCommand, byFlag, phrase, typing } from '../core/phrase.ts';
import { lastOfFirst, type RowNumber } from '../core/row.ts';
import type { MappedInput } from '../files/input.ts';
import { isPaidBy, Tally } from '../files/output/tally.ts';
import type { Job } from '../job/job.ts';
import type { Batch } from '../ledger/ledger.ts';
import type { SampleObject } from '../objects/plan-object.ts';
import type { PlanContext } from '../walk/resolved-job.ts';
import { classifications, type LookupResult, type RowClassification } from '../walk/row-classification.ts';
import { keyOf, type PlannedInput } from './batch-key.ts';
import type { RunContext } from './context.ts';
import { type Plan, partOf, planRows, pricingOf } from './plan.ts';

/**
 * `run --sample` buys a few random rows first, and the plan of the rest follows from their results. The
 * answers of a sample belong to the batch like all others, so the same command without --sample buys only the
 * rest.
 */

export type Sample = ReadonlySet<RowNumber>;

/** @throws StopError `usage` for a sample of a job that changes the service. */
export function requireSampled({ operation: { name, change } }: Job, size: number | undefined): void {
  if (size === undefined || change === undefined) return;
  const fact = `${name} changes the service, and a few random rows say nothing about the rest.`;
  throw stop(
    'usage',
    fact,
    phrase`See all of it${typing` with ${asCommand('plan')}`}, or try the first rows ${byFlag('--limit')}.`,
  );
}

/** Chooses `size` of the rows that need buying, or all of them when there are fewer. */
export async function chooseSample(
  context: RunContext,
  input: MappedInput,
  batch: Batch,
  size: number,
): Promise<Sample> {
  const draw = drawOf(batch.key, size, lastOfFirst(input.sheet.start, context.limit));
  for await (const group of classifications(context, input, batch))
    for (const classification of group) draw.add(classification);
  const rows = draw.drawn().map(({ row }) => row);
  return new Set(rows.sort((a, b) => a - b));
}

/** The plan of the list. For a run over a part, it also says what the run does. */
export async function planPart(
  context: PlanContext & Pick<RunContext, 'sample'>,
  input: PlannedInput,
): Promise<Plan> {
  if (context.sample === undefined) return planRows(context, input);
  const draw = drawOf(
    await keyOf(context, input),
    context.sample,
    lastOfFirst(input.sheet.start, context.limit),
  );
  const plan = await planRows(context, input, draw.begin);
  return { ...plan, part: partOf(await pricingOf(context), draw.drawn()) };
}

/** @param input undefined where no time is left to plan the rest. */
export async function forecast(
  context: RunContext,
  batch: Batch,
  sample: Sample,
  input: MappedInput | undefined,
): Promise<SampleObject> {
  const tally = new Tally();
  const paid = { found: 0, missed: 0 };
  let answered = 0;
  let matched = 0;
  for (const row of sample) {
    const record = (await context.ledger.recordsOf(batch.id, [row])).get(row);
    const kind = record?.outcome?.kind ?? 'in_doubt';
    if (record === undefined || kind === 'in_doubt' || kind === 'skipped') continue;
    const isMatch = kind === 'matched';
    answered += 1;
    if (isMatch) matched += 1;
    // An answer that rows share was paid once.
    const paidAnswers = record.answers.filter((answer) => isPaidBy(batch, row, answer));
    paid[isMatch ? 'found' : 'missed'] += paidAnswers.reduce((sum, { charged }) => sum + charged, 0);
    // What was known before is no find of the sample.
    tally.add(batch, row, {
      ...record,
      answers: record.answers.filter((paidAnswer) => paidAnswer.batch === batch.id),
    });
  }
  const rest = await restOf(context, batch, input);
  const likely =
    rest === null || answered === 0
      ? undefined
      : likelyOf(rest, { answered, matched, bought: tally.bought, paid });
  return {
    rows: sample.size,
    matched,
    identifiers: tally.identifiers,
    forecast: rest && { ...rest, ...present({ likely }) },
  };
}

type Forecast = NonNullable<SampleObject['forecast']>;

interface Tried extends Pick<SampleObject, 'matched'>, Pick<Tally, 'bought'> {
  /** The rows of the sample that are neither in doubt nor left out. */
  readonly answered: number;
  /** The credits for the rows that were found, and for those that were not. */
  readonly paid: { readonly found: number; readonly missed: number };
}

/** The share that nine of ten lists have, in deviations of a normal distribution. */
const NINE_OF_TEN = 1.645;

/** The interval of Wilson for the share of matches, and what the rest of the list brings at both its ends. */
function likelyOf(
  rest: Forecast,
  { answered, matched, bought, paid }: Tried,
): NonNullable<Forecast['likely']> {
  const share = matched / answered;
  const spread = NINE_OF_TEN ** 2 / answered;
  const middle = (share + spread / 2) / (1 + spread);
  const half =
    (NINE_OF_TEN * Math.sqrt((share * (1 - share)) / answered + spread / (4 * answered))) / (1 + spread);
  const remainingRows = rest.rows + rest.free;
  const perMatch = matched === 0 ? rest.credits.most / Math.max(1, rest.rows) : paid.found / matched;
  const perMiss = matched === answered ? 0 : paid.missed / (answered - matched);
  const creditsAt = (of: number): number => rest.rows * (of * perMatch + (1 - of) * perMiss);
  const atEnds = [middle - half, Math.min(1, middle + half)].map(creditsAt);
  const credits = {
    least: Math.min(rest.credits.most, Math.floor(Math.min(...atEnds))),
    most: Math.min(rest.credits.most, Math.ceil(Math.max(...atEnds))),
  };
  return {
    found: {
      least: Math.floor(remainingRows * (middle - half)),
      most: Math.ceil(remainingRows * (middle + half)),
    },
    credits,
    ...present({ cost: likelyCost(rest, credits) }),
    price: bought === 0 ? null : Math.round((100 * (paid.found + paid.missed)) / bought) / 100,
  };
}

/** In money, these credits are the part of the most money that they are of the most credits. */
function likelyCost(forecast: Forecast, { least, most }: { readonly least: number; readonly most: number }) {
  const { credits, cost } = forecast;
  if (cost === undefined || credits.most === 0) return undefined;
  return {
    least: moneyShare(cost.most, least / credits.most),
    most: moneyShare(cost.most, most / credits.most),
  };
}

async function restOf(
  context: RunContext,
  batch: Batch,
  input: MappedInput | undefined,
): Promise<Forecast | null> {
  if (input === undefined) return null;
  const plan = await planRows(context, input);
  const { to_buy: rows, credits, cost, seconds } = plan;
  // Those that have ended by an answer are among the known ones, or among those that are there twice.
  const { matched = 0, no_match: missed = 0, refused = 0 } = await context.ledger.counts(batch.id);
  const free = Math.max(0, plan.bought_before + plan.duplicates - matched - missed - refused);
  return { rows, free, credits, ...present({ cost }), seconds };
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
function drawOf(batchKey: string, size: number, last: RowNumber) {
  let candidates: { readonly place: string; readonly of: LookupResult }[] = [];
  const drawn = (): readonly LookupResult[] => {
    candidates.sort((a, b) => (a.place < b.place ? -1 : 1));
    candidates = candidates.slice(0, size);
    return candidates.map(({ of }) => of);
  };
  const add = (of: RowClassification): void => {
    if (!('isOfBatch' in of) || of.row > last || !of.isOfBatch) return;
    candidates.push({ place: hash('sha256', `${batchKey} ${of.row}`, 'hex'), of });
    if (candidates.length >= 2 * size + CANDIDATES_HELD) drawn();
  };
  const begin = (): typeof add => {
    candidates = [];
    return add;
  };
  return { begin, add, drawn };
}
