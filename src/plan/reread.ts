import { systemClock } from '../core/clock.ts';
import { counted } from '../core/plain-text.ts';
import type { RowNumber } from '../core/row.ts';
import {
  type Batch,
  type BatchId,
  type Credits,
  credits,
  type LedgerReader,
  type RowRecord,
} from '../ledger/ledger.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { dialectMark, isReadAgain, judgedToday } from '../vendor/readings.ts';
import { batchIdentityOf, batchKeyOf } from './batch-key.ts';
import { freshSinceOf } from './freshness.ts';
import { type PlannedInput, planRows } from './plan.ts';
import { pricingOf, worstCredits } from './pricing.ts';
import type { PlanContext } from './row-classification.ts';

/** Rows of a finished batch that today's dialect would settle differently. They stay as they are unless a person agrees. */
export interface Reread {
  readonly batch: BatchId;
  /** The number of rows with an answer that is read differently today. */
  readonly rows: number;
  /** How many of these rows could make further calls; `most` is the most that those calls cost. */
  readonly further: number;
  readonly most: Credits;
}

/** Finds such rows. Undefined when the file has no finished batch, or when all its answers are still read the same way. */
export async function rereadOf(order: PlanContext, input: PlannedInput): Promise<Reread | undefined> {
  const { ledger, job, dialect, refresh = false } = order;
  // A run with --refresh buys all answers anew and settles their rows by today's dialect anyway.
  if (ledger === undefined || job.operation.change !== undefined || refresh) return undefined;
  const batch = await finishedBatch(ledger, order, input);
  if (batch === undefined) return undefined;
  const rows = await rowsReadOtherwise(ledger, batch.id, dialect);
  if (rows.size === 0) return undefined;
  const pricing = await pricingOf(order);
  let [further, most] = [0, 0];
  await planRows(order, input, (classification) => {
    if (classification.kind !== 'to_buy' || !rows.has(classification.row)) return;
    further += 1;
    most += worstCredits(pricing, classification.toAsk);
  });
  return { batch: batch.id, rows: rows.size, further, most: credits(most) };
}

/**
 * The finished batch of this file; undefined when a run would begin a new one anyway, because answers are too old. The
 * file is hashed only when the job has a finished batch at all.
 */
async function finishedBatch(
  ledger: LedgerReader,
  order: PlanContext,
  input: PlannedInput,
): Promise<Batch | undefined> {
  const isOfJob = ({ state, operation, accountIdentity }: Batch): boolean =>
    state === 'finished' &&
    operation === order.job.operation.name &&
    accountIdentity === order.account.identity;
  if (!(await ledger.batches()).some(isOfJob)) return undefined;
  const sha256 = input.survey?.sha256 ?? (await input.file.sha256());
  const key = batchKeyOf(batchIdentityOf(order, input), sha256);
  const batch = await ledger.batchByKey(key);
  if (batch?.state !== 'finished') return undefined;
  const freshSince = freshSinceOf(order.job, false, (order.clock ?? systemClock).wallMs());
  const isStale = freshSince !== undefined && (await ledger.hasOlderThan(batch.id, freshSince));
  return isStale ? undefined : batch;
}

/** How many rows are read from the ledger at once. */
const PAGE = 1_000;

async function rowsReadOtherwise(
  ledger: LedgerReader,
  batch: BatchId,
  dialect: Dialect,
): Promise<ReadonlySet<RowNumber>> {
  const found = new Set<RowNumber>();
  const today = dialectMark(dialect);
  for (let from = 0; ; ) {
    const page = await ledger.rowsReadOtherwise(batch, today, from, PAGE);
    for (const record of page) if (await isReadOtherwise(ledger, record, dialect)) found.add(record.row);
    const last = page.at(-1);
    if (last === undefined) return found;
    from = last.row + 1;
  }
}

async function isReadOtherwise(
  ledger: LedgerReader,
  { answers }: RowRecord,
  dialect: Dialect,
): Promise<boolean> {
  const records = await ledger.attempts(answers.map(({ attempt }) => attempt));
  return records.some((record, at) => {
    const judged = isReadAgain(record) ? judgedToday(record, dialect) : undefined;
    return judged !== undefined && judged.answer !== answers[at]?.kind;
  });
}

/** `3 rows of batch 1a2b3c4d were settled by answers that the dialect reads otherwise today; …` */
export function rereadWords({ batch, rows, further, most }: Reread): string {
  const were = rows === 1 ? 'was' : 'were';
  const fact = `${counted(rows, 'row')} of batch ${batch} ${were} settled by answers that the dialect reads otherwise today`;
  if (further === 0) return `${fact}; to settle ${rows === 1 ? 'it' : 'them'} anew costs nothing.`;
  return `${fact}; ${further} of them could ask further, for at most ${counted(most, 'credit')}.`;
}
