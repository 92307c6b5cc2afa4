import { requestsPerSecond } from '../client/account/account.ts';
import { dialectContent } from '../client/dialect.ts';
import { type StopError, stop } from '../core/errors.ts';
import { asFlag, phrase } from '../core/phrase.ts';
import { type InputRow, type RowNumber, rowsAsked } from '../core/row.ts';
import { plannedParts } from '../files/kept-rows.ts';
import { carriedJob, withAccountNames } from '../job/carried-job.ts';
import type { Job } from '../job/job.ts';
import type { Batch, Ledger, SubmittedRow } from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import { keptWorks } from '../operations/team/change-action.ts';
import type { RangeQueue, RunContext, RunList } from '../plan/context.ts';
import { askedAnewBy, askingOf } from '../walk/asked-anew.ts';
import { accountsOf } from '../walk/resolved-job.ts';
import { type Task, taskMaker } from './row-tasks.ts';
import { leftOf } from './rows.ts';

/**
 * A list is read once, and its rows stand in the ledger before anything is sent: with their cells and, where
 * it is known, with how they ended. The process that works on them afterwards needs no list.
 */

type SubmitContext = Omit<RunList, 'names'> & { readonly batch: Batch };

type Submit = (rows: readonly InputRow[]) => Promise<void>;

const ROWS_AT_ONCE = 500;

/**
 * Submits the rows that are not there yet, in their order. After a crash the same command goes on behind the
 * last one. For a change only the cells are missing: its rows are those of its plan.
 * @returns false when it was stopped before the last row was in.
 */
export async function submitRows(submitting: SubmitContext): Promise<boolean> {
  const { context, batch } = submitting;
  const { ledger, job } = context;
  if (batch.isSubmitted === true) return true;
  const isPlanned = job.operation.change !== undefined;
  const last = isPlanned ? 0 : await ledger.lastSubmitted(batch.id);
  const submit = isPlanned
    ? (rows: readonly InputRow[]) => ledger.submitRows(batch.id, rows, isPlanned)
    : await submitterOf(submitting);
  if (!(await eachBehind(submitting, last, submit))) return false;
  await requireListed(submitting);
  await ledger.changeBatch(batch.id, { isSubmitted: true });
  return true;
}

/**
 * Requires that the list did not change while it was read. If it did, its rows in the ledger belong to no
 * list, so its batch ends.
 */
async function requireListed({ context: { ledger }, input, batch }: SubmitContext): Promise<void> {
  try {
    await input.file.requireContent(batch.inputSha256);
  } catch (error) {
    await ledger.changeBatch(batch.id, { state: 'superseded' });
    throw error;
  }
}

/** @param last the rows up to this one are there already. @returns false when it was stopped. */
async function eachBehind(of: SubmitContext, last: RowNumber, submit: Submit): Promise<boolean> {
  const { context, input } = of;
  let rows: InputRow[] = [];
  for await (const group of input.sheet.groups()) {
    for (const each of group) if (each.row > last) rows.push(each);
    if (rows.length < ROWS_AT_ONCE) continue;
    if (context.signal.aborted) return false;
    await submit(rows);
    rows = [];
  }
  await submit(rows);
  return true;
}

/**
 * Rows that are to be worked on in this run, and end without a person and without a request, end at once. Of
 * a sample these are the ones that are never asked: no row that is drawn is among them, and what is left is
 * what can be asked.
 */
async function submitterOf({ context, input, batch }: SubmitContext): Promise<Submit> {
  const { ledger, emit, sample } = context;
  const taskOf = await taskMaker(context, batch);
  const askedRows = rowsAsked(input.sheet.start, context);
  const { isAnew } = askingOf(context, batch);
  // Where some rows are asked anew, the others end with the answers that they have.
  const isWhole = askedAnewBy(batch) !== undefined;
  return async (rows) => {
    const ends = new Map<RowNumber, NonNullable<SubmittedRow['end']>>();
    const worked = rows.filter(({ row }) => isWhole || askedRows?.has(row) !== false).map(taskOf);
    await leftOf(
      { context, batch, isAnew, unknown: new Set() },
      sample === undefined ? worked : worked.filter(isUnasked),
      ({ row }, outcome, rest) => ends.set(row, { outcome, ...rest }),
    );
    const submitted = rows.map((each) => {
      const end = ends.get(each.row);
      return end === undefined ? each : { ...each, end };
    });
    await ledger.submitRows(batch.id, submitted);
    crashPoint('submitting');
    // The progress of a sample counts the drawn rows alone.
    if (sample !== undefined) return;
    for (const [row, { outcome }] of ends) emit({ kind: 'row', row, outcome: outcome.kind });
  };
}

const isUnasked = ({ kind }: Task): boolean => kind === 'end';

// ------------------------------------------------------------------------- the ranges that workers are given

/**
 * Keeps the job and the dialect by which the rows are worked on, then sends the ranges that are left. A kill
 * may come at any point: the same command repeats the missing part, and once job and dialect are kept, any
 * worker sends the ranges.
 */
export async function sendRanges(context: RunContext, batch: Batch, queue: RangeQueue): Promise<void> {
  const { ledger, job, account, further } = context;
  if (whyNot(context) !== undefined || batch.state !== 'open') return;
  const dialects = await Promise.all(accountsOf(context).map(({ dialect }) => dialectContent(dialect)));
  const [dialect = {}, ...others] = dialects;
  const order = {
    job: carriedJob(job, further.length === 0 ? undefined : stepsByIdentity(context)),
    dialect,
    ...(others.length === 0 ? {} : { further: others }),
  };
  await ledger.keepOrder(batch.id, { ...order, rangeRows: rangeRowsOf(account) });
  await queue.send(await ledger.rangesLeft(batch.id), 'person');
}

/** The steps with the identities of their accounts, whatever the accounts are called on another host. */
function stepsByIdentity(context: RunContext): Job['steps'] {
  const identities = new Map(accountsOf(context).map(({ account }) => [account.name, account.identity]));
  return withAccountNames(context.job.steps, identities);
}

function whyNot({ limit, only, step, sample, job, account }: RunContext): string | undefined {
  if ((limit ?? only ?? step ?? sample) !== undefined) return 'you agreed to a part of the list only';
  if (job.origin !== undefined) return 'it has no job file';
  // Only the run that starts a sandbox by itself can reach it.
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
  return stop(
    'usage',
    fact,
    phrase`Leave ${asFlag('--detach')} out, or see docs/scaling.md for a store with workers.`,
  );
}

const RANGE_SECONDS = 30;
const LEAST_ROWS = 50;
const MOST_ROWS = 1_000;

/** Where no limit is known, each slot is expected to answer in 0.4 seconds. */
const PER_SLOT_AND_SECOND = 2.5;

/**
 * The rows that the account does in half a minute, so that little is at risk with one worker and the queue
 * has few ranges.
 */
function rangeRowsOf(account: RunContext['account']): number {
  const perSecond = requestsPerSecond(account) ?? account.limits.concurrency * PER_SLOT_AND_SECOND;
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.round(perSecond * RANGE_SECONDS)));
}

const WHY = 'nothing was sent: a list says that they are there already';
const TOGETHER = 100;

/** Notes in the ledger, without a request, what a list says about people. What is noted already stays. */
export async function noteLearned(ledger: Ledger, batch: Batch, atMs: number): Promise<void> {
  const { id, accountIdentity } = batch;
  for await (const part of plannedParts(ledger, id)) {
    const learned = part.flatMap((planned) => {
      const works = planned.work === undefined ? [] : keptWorks(planned.work);
      return works.flatMap(({ subject, was, learns: leaves, ended }) => {
        const end = ended ?? (planned.kind === 'end' ? planned.outcome : undefined);
        if (leaves === undefined || (end !== undefined && end.kind !== 'unchanged')) return [];
        const after = was?.sequence ?? 0;
        return [{ accountIdentity, batch: id, row: planned.row, subject, after, leaves, atMs }];
      });
    });
    for (let at = 0; at < learned.length; at += TOGETHER)
      await ledger.noteLearned(learned.slice(at, at + TOGETHER), WHY);
  }
}
