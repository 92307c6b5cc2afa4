import { requestsPerSecond } from '../../client/account/account.ts';
import { dialectContent } from '../../client/dialect.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { carriedJob } from '../../job/carried-job.ts';
import type { Batch, WorkQueue } from '../../ledger/ledger.ts';
import type { RunContext } from '../../plan/context.ts';

/** A submitted list is given to workers in ranges: what they need of it is kept in the ledger, and the ranges that are left are sent. */

/**
 * Keeps by what the rows are worked on, then sends what is left. It may be cut off anywhere: the same command repeats what is missing,
 * and once that is kept any worker sends the ranges.
 */
export async function sendRanges(context: RunContext, batch: Batch, queue: WorkQueue): Promise<void> {
  const { ledger, job, dialect, account } = context;
  if (whyNot(context) !== undefined || batch.state !== 'open') return;
  const order = { job: carriedJob(job), dialect: await dialectContent(dialect) };
  await ledger.keepOrder(batch.id, { ...order, rangeRows: rangeRowsOf(account) });
  await queue.send(await ledger.rangesLeft(batch.id), 'person');
}

function whyNot({ limit, sample, job, account }: RunContext): string | undefined {
  if (limit !== undefined || sample !== undefined) return 'you agreed to a part of the list only';
  if (job.origin !== undefined) return 'it has no job file';
  // A sandbox that a run starts by itself is reached by that run alone.
  return account.baseUrl === undefined
    ? `the account ${account.name} has no address that other hosts can reach`
    : undefined;
}

export function requireRanges(context: RunContext): void {
  const why = whyNot(context);
  if (why !== undefined) throw cannotDetach(`This run cannot be left to workers, because ${why}.`);
  if (context.queue === undefined)
    throw cannotDetach('The store has no workers: it is a folder, or was not set up for them.');
}

function cannotDetach(fact: string): StopError {
  return stop('usage', fact, 'Leave --detach out, or see docs/scaling.md for a store with workers.');
}

const RANGE_SECONDS = 30;
const LEAST_ROWS = 50;
const MOST_ROWS = 1_000;

/** A slot is taken to answer in 0.4 seconds where no limit is known. */
const PER_SLOT_AND_SECOND = 2.5;

/** What the account does in half a minute: so little is at risk with one worker, and so little is told of it. */
function rangeRowsOf(account: RunContext['account']): number {
  const perSecond = requestsPerSecond(account) ?? account.limits.concurrency * PER_SLOT_AND_SECOND;
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.round(perSecond * RANGE_SECONDS)));
}
