import { dirname } from 'node:path';
import { StopError } from '../../../core/errors.ts';
import { isSpooled } from '../../../core/paths.ts';
import { contentHash, openMappedInput } from '../../../files/input.ts';
import { filesOf } from '../../../files/output/output.ts';
import { saidBeside } from '../../../job/job-settings.ts';
import type { Batch, Credits, LedgerReader } from '../../../ledger/ledger.ts';
import { commandLine } from '../../../lib/command-line.ts';
import { isPartial } from '../../../plan/batch.ts';
import { batchIdentityOf, batchKeyOf } from '../../../plan/batch-key.ts';
import { freshSinceOf, hasGoneStale } from '../../../plan/known-calls.ts';
import { choose } from '../../run-job.ts';
import { type LeftFile, type Looking, type ReadyFile, readInbox } from './inbox.ts';
import type { SweptJob } from './jobs.ts';

/** This file lists the work of a sweep on one account, in its order. */

export interface Todo {
  readonly job: SweptJob;
  readonly path: string;
  /** The inbox file to be moved when it is done; undefined for a file elsewhere, which stays where it is. */
  readonly inInbox: ReadyFile | undefined;
  /** The batch that an earlier run began over the same content. */
  readonly batch: Batch | undefined;
  /** The budget that takes precedence over the job's. */
  readonly budget: Credits | undefined;
}

interface Todos {
  /** The work in its order: unfinished batches come first. */
  readonly todos: readonly Todo[];
  readonly left: readonly LeftFile[];
  /** The jobs whose inbox cannot be read. Their unfinished batches over other files are still resumed. */
  readonly unreadable: readonly { readonly job: SweptJob; readonly error: StopError }[];
}

/** @param jobs the jobs of one account. */
export async function todosOf(
  jobs: readonly SweptJob[],
  ledger: LedgerReader,
  looking: Omit<Looking, 'ours'>,
): Promise<Todos> {
  const batches = await ledger.batches();
  const ours = new Set(
    batches.flatMap(({ outputPath }) => (outputPath === undefined ? [] : filesOf(outputPath))),
  );
  const found = await Promise.all(
    jobs.map(async (job) => {
      const own = batches.filter((batch) => isOf(batch, job));
      const elsewhere = await unfinishedElsewhere(job, own, ledger, looking.clock.wallMs());
      return { elsewhere, ...(await waitingIn(job, own, ledger, { ...looking, ours })) };
    }),
  );
  const waiting = found.flatMap((each) => each.waiting);
  const begun = (todo: Todo): boolean => todo.batch?.state === 'open';
  return {
    todos: [
      ...found.flatMap(({ elsewhere }) => elsewhere.todos),
      ...waiting.filter(begun),
      ...waiting.filter((todo) => !begun(todo)),
    ],
    left: found.flatMap(({ elsewhere, left }) => [...elsewhere.left, ...left]),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}

function isOf(batch: Batch, { job, account }: SweptJob): boolean {
  return (
    batch.accountIdentity === account.identity &&
    batch.operation === job.operation.name &&
    batch.settings.job === job.path
  );
}

/** The files that wait in the inbox of a job. */
async function waitingIn(
  job: SweptJob,
  batches: readonly Batch[],
  ledger: LedgerReader,
  looking: Looking,
): Promise<{ waiting: readonly Todo[]; left: readonly LeftFile[]; unreadable: Todos['unreadable'] }> {
  try {
    const inbox = await readInbox(job.inbox, looking);
    const waiting: Todo[] = [];
    const left = [...inbox.left];
    for (const file of inbox.ready) {
      const { path } = file;
      const sha256 = await contentOf(path);
      const batch = batches.find(({ inputSha256 }) => inputSha256 === sha256);
      const isHeld = batch !== undefined && (await isPaused(batch, ledger));
      if (batch?.state === 'cancelled') left.push({ path, why: `its batch ${batch.id} was cancelled` });
      else if (isHeld) left.push({ path, why: pausedWords(batch) });
      else {
        const budget = await budgetOf(job, batch, ledger);
        waiting.push({ job: await asBegun(job, batch), path, inInbox: file, batch, budget });
      }
    }
    return { waiting, left, unreadable: [] };
  } catch (error) {
    if (error instanceof StopError) return { waiting: [], left: [], unreadable: [{ job, error }] };
    throw error;
  }
}

/** Whether a person has paused the batch. A finished one only settles what is in doubt, and is not paused. */
async function isPaused({ id, state }: Batch, ledger: LedgerReader): Promise<boolean> {
  return state === 'open' && (await ledger.heldSince(id)) !== undefined;
}

const pausedWords = ({ id }: Batch): string =>
  `its batch ${id} is paused; to resume it: ${commandLine(['resume', id])}`;

/** The hash of the content; undefined for a file that cannot be read, because its run will say why. */
async function contentOf(path: string): Promise<string | undefined> {
  return contentHash(path).catch(() => undefined);
}

/** The budget for a batch. A budget that a user raised for this batch stays raised. */
async function budgetOf(
  { job }: SweptJob,
  batch: Batch | undefined,
  ledger: LedgerReader,
): Promise<Credits | undefined> {
  if (batch?.state !== 'open' || job.budget === undefined) return undefined;
  const { cap } = await ledger.batchMoney(batch.id);
  return cap !== undefined && cap > job.budget ? cap : undefined;
}

/**
 * The unfinished batches of the job over files outside its inbox, oldest first: a user began them by hand, or their file is
 * in `done/` and a row of it is in doubt.
 */
async function unfinishedElsewhere(
  job: SweptJob,
  batches: readonly Batch[],
  ledger: LedgerReader,
  nowMs: number,
): Promise<Pick<Todos, 'todos' | 'left'>> {
  const todos: Todo[] = [];
  const left: LeftFile[] = [];
  for (const batch of newestGenerations(batches).toReversed()) {
    const { inputPath: path, outputPath } = batch;
    if (dirname(path) === job.inbox || isPartial(batch)) continue;
    if (!(await hasMoreToDo(batch, job, ledger, nowMs))) continue;
    // Input from standard input has no place for an output that was not named.
    if (isSpooled(path) && outputPath === undefined) continue;
    if (await isPaused(batch, ledger)) {
      left.push({ path, why: pausedWords(batch) });
      continue;
    }
    const begun = await asBegun(job, batch);
    const now = await inputNow(begun, batch, ledger);
    const budget = await budgetOf(job, batch, ledger);
    if (now === 'same') todos.push({ job: begun, path, inInbox: undefined, batch, budget });
    if (now === 'changed')
      left.push({
        path,
        why: `it or the job has changed since batch ${batch.id} began; run or cancel that batch`,
      });
  }
  return { todos, left };
}

/**
 * The job by which somebody began an open batch, with what they said beside it. Where that no longer fits the job, it is the job alone,
 * which does not continue the batch.
 */
async function asBegun(job: SweptJob, batch: Batch | undefined): Promise<SweptJob> {
  const said = batch?.state === 'open' ? saidBeside(batch.settings) : {};
  if (Object.keys(said).length === 0 || job.job.path === undefined) return job;
  try {
    return {
      ...job,
      ...(await choose({ ...job.own, ...said, job: job.job.path, account: job.account.name })),
    };
  } catch (error) {
    if (error instanceof StopError) return job;
    throw error;
  }
}

/** @param batches all batches, the newest first. */
function newestGenerations(batches: readonly Batch[]): readonly Batch[] {
  return [...Map.groupBy(batches, ({ key }) => key).values()].flatMap(([newest]) => newest ?? []);
}

/**
 * Whether the batch has rows without an outcome, or rows in doubt, which every run looks at again. False when the run would
 * find the answers too old, because a finished file is bought anew only when a user says so.
 */
async function hasMoreToDo(
  batch: Batch,
  { job }: SweptJob,
  ledger: LedgerReader,
  nowMs: number,
): Promise<boolean> {
  const { id, state } = batch;
  if (state === 'open') return true;
  if (state !== 'finished' || ((await ledger.counts(id)).in_doubt ?? 0) === 0) return false;
  return !(await hasGoneStale(ledger, batch, freshSinceOf(job, false, nowMs)));
}

/** Says whether the path still has the batch's input. If it is `changed`, the same job would begin another batch. */
async function inputNow(
  { job, account }: SweptJob,
  batch: Batch,
  ledger: LedgerReader,
): Promise<'same' | 'changed' | 'gone'> {
  try {
    const input = await openMappedInput(batch.inputPath, job, ledger);
    const key = batchKeyOf(batchIdentityOf({ account, job }, input), input.survey.sha256);
    return key === batch.key ? 'same' : 'changed';
  } catch (error) {
    if (error instanceof StopError) return 'gone';
    throw error;
  }
}
