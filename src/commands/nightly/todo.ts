import { dirname } from 'node:path';
import { asStop, type StopError } from '../../core/errors.ts';
import { isSpooled } from '../../core/paths.ts';
import { contentHash, openMappedInput } from '../../files/input.ts';
import { filesOf } from '../../files/output/output.ts';
import { saidBeside } from '../../job/job-settings.ts';
import type { Batch, Credits, LedgerReader } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { isPartial } from '../../plan/batch.ts';
import { keyOf } from '../../plan/batch-key.ts';
import { withAccounts } from '../../plan/row-walk.ts';
import { choose } from '../../run/choose.ts';
import { knownAccount, unlessStopped } from '../../run/known-account.ts';
import type { SweptJob } from '../../run/swept-jobs.ts';
import { type InboxContext, type ReadyFile, readInbox } from './inbox.ts';

export interface Todo {
  readonly job: SweptJob;
  readonly path: string;
  /**
   * The inbox file, which is moved when it is done; undefined for a file elsewhere, which stays where it is.
   */
  readonly inInbox: ReadyFile | undefined;
  readonly batch: Batch | undefined;
  readonly budget: Credits | undefined;
}

/** The parts of a sweep that look into inboxes, and its reports about files that it leaves where they are. */
interface InboxState extends Omit<InboxContext, 'ours'> {
  leave(file: string, why: string): void;
  /** The inbox of a job cannot be read. The job's unfinished batches over other files are still resumed. */
  refuse(job: SweptJob, error: StopError): void;
}

/**
 * All files of a sweep. Unfinished batches over files elsewhere come first, then those over files in an
 * inbox, and then new files.
 */
export async function todosOf(
  jobs: readonly SweptJob[],
  ledger: LedgerReader,
  looked: InboxState,
): Promise<readonly Todo[]> {
  const batches = await ledger.batches();
  const ours = new Set(batches.flatMap(({ outputPath }) => (outputPath ? filesOf(outputPath) : [])));
  const found = await Promise.all(
    jobs.map(async (job) => {
      const own = batches.filter((batch) => isOf(batch, job));
      const elsewhere = await unfinishedElsewhere(job, own, ledger, looked);
      const waiting = await waitingIn(job, own, ledger, { ...looked, ours }).catch((error: unknown) => {
        looked.refuse(job, asStop(error));
        return [];
      });
      return { elsewhere, waiting };
    }),
  );
  const [begun = [], fresh = []] = [true, false].map((isBegun) =>
    found.flatMap(({ waiting }) => waiting.filter(({ batch }) => (batch?.state === 'open') === isBegun)),
  );
  return [...found.flatMap(({ elsewhere }) => elsewhere), ...begun, ...fresh];
}

function isOf(batch: Batch, { job, account }: SweptJob): boolean {
  return (
    batch.accountIdentity === account.identity &&
    batch.operation === job.operation.name &&
    batch.settings.job === job.path
  );
}

async function waitingIn(
  job: SweptJob,
  batches: readonly Batch[],
  ledger: LedgerReader,
  looked: InboxState & InboxContext,
): Promise<readonly Todo[]> {
  const inbox = await readInbox(job.inbox, looked);
  for (const { file, why } of inbox.left) looked.leave(file, why);
  const waiting: Todo[] = [];
  for (const inInbox of inbox.ready) {
    const { path } = inInbox;
    const sha256 = await contentHash(path).catch(() => undefined);
    const batch = batches.find(({ inputSha256 }) => inputSha256 === sha256);
    if (batch?.state === 'cancelled') looked.leave(path, `its batch ${batch.id} was cancelled`);
    else if (batch?.pausedSinceMs !== undefined) looked.leave(path, pausedWords(batch));
    else waiting.push(await todoOf(await asBegun(job, batch, ledger), { path, inInbox, batch }, ledger));
  }
  return waiting;
}

const pausedWords = ({ id }: Batch): string =>
  `its batch ${id} is paused; to resume it: ${commandLine(['resume', id])}`;

/** A budget that a user raised for a batch stays raised. */
async function todoOf(
  job: SweptJob,
  file: Pick<Todo, 'path' | 'inInbox' | 'batch'>,
  ledger: LedgerReader,
): Promise<Todo> {
  const limit = job.job.budget?.credits;
  const isOpen = file.batch?.state === 'open' && limit !== undefined;
  const { cap } = isOpen ? await ledger.batchMoney(file.batch.id) : {};
  return { job, ...file, budget: cap !== undefined && cap > (limit ?? cap) ? cap : undefined };
}

/**
 * The unfinished batches of the job over files outside its inbox, oldest first: a user began them by hand, or
 * decided about a row of a file in `done/`.
 */
async function unfinishedElsewhere(
  job: SweptJob,
  batches: readonly Batch[],
  ledger: LedgerReader,
  { leave }: InboxState,
): Promise<readonly Todo[]> {
  const todos: Todo[] = [];
  const newest = [...Map.groupBy(batches, ({ key }) => key).values()].flatMap(([batch]) => batch ?? []);
  for (const batch of newest.toReversed()) {
    const { inputPath: path, outputPath } = batch;
    if (batch.state !== 'open' || dirname(path) === job.inbox || isPartial(batch)) continue;
    // Input from standard input has no place for an output that was not named.
    if (isSpooled(path) && outputPath === undefined) continue;
    const begun = await asBegun(job, batch, ledger);
    const now = batch.pausedSinceMs === undefined ? await inputNow(begun, batch, ledger) : 'paused';
    if (now === 'paused') leave(path, pausedWords(batch));
    if (now === 'same') todos.push(await todoOf(begun, { path, inInbox: undefined, batch }, ledger));
    if (now === 'changed')
      leave(path, `it or the job has changed since batch ${batch.id} began; run or cancel that batch`);
  }
  return todos;
}

/**
 * The job by which a user began an open batch, with the settings that the user gave beside it. If these no
 * longer fit the job, the result is the job alone, which does not continue the batch.
 */
async function asBegun(job: SweptJob, batch: Batch | undefined, ledger: LedgerReader): Promise<SweptJob> {
  const said = batch?.state === 'open' ? saidBeside(batch.settings) : {};
  if (Object.keys(said).length === 0 || job.job.path === undefined) return job;
  const begun = await unlessStopped(choose({ ...job.own, job: job.job.path, entries: said }));
  if (begun === undefined) return job;
  return { ...job, ...(await withAccounts(begun, (account) => knownAccount(account, ledger))) };
}

/**
 * Says whether the path still has the batch's input. If it is `changed`, the same job would begin another
 * batch.
 */
async function inputNow(
  chosen: SweptJob,
  batch: Batch,
  ledger: LedgerReader,
): Promise<'same' | 'changed' | 'gone'> {
  const input = await unlessStopped(openMappedInput(batch.inputPath, chosen.job, ledger));
  if (input === undefined) return 'gone';
  return (await keyOf(chosen, input)) === batch.key ? 'same' : 'changed';
}
