import { type Dirent, lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { asStop, messageOf, type StopError, stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { isSpooled } from '../../core/paths.ts';
import { foreignName } from '../../core/plain-text.ts';
import { calledPath } from '../../files/called.ts';
import { contentEnding, contentHash, openMappedInput } from '../../files/input.ts';
import { besideInput, filesOf } from '../../files/output/output.ts';
import { saidBeside } from '../../job/job-settings.ts';
import type { Batch, Credits, LedgerReader } from '../../ledger/ledger.ts';
import { moveWithoutReplacing, outputProblem, stampOf } from '../../lib/atomic-file.ts';
import { commandLine } from '../../lib/command-line.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { codeOf } from '../../lib/system-errors.ts';
import { isPartial } from '../../plan/batch.ts';
import { keyOf } from '../../plan/batch-key.ts';
import { isOrderedHere } from '../../run/batches.ts';
import { chooseJob, type SweptJob } from '../../run/choose.ts';
import { knownAccount, unlessStopped } from '../../run/known-account.ts';
import { withAccounts } from '../../walk/resolved-job.ts';

/**
 * An inbox is a folder into which people put files and from which a sweep takes them. Its folder `done/`
 * holds finished files beside their outputs, and nothing there is ever overwritten.
 */

interface ReadyFile {
  readonly path: string;
  /** What `stampOf` says; undefined for a file that has gone since. */
  readonly stamp: string | undefined;
}

interface InboxContext {
  readonly ours: ReadonlySet<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const DONE_FOLDER = 'done';

/**
 * The time between two looks at a file. A program that writes a file flushes more often, even over a slow
 * network.
 */
const BETWEEN_LOOKS_MS = 2_000;

/** A file without a write for this long is whole. */
const AT_REST_MS = 60_000;

/**
 * The names of our own files beside an input, also numbered ones. A test compares them with what is really
 * written.
 */
const OUR_NAMES =
  /\.(?:enriched|sandbox|(?:api-call|change-role|create-project|delete-invite|enrich-company|enrich-person|invite-user|onboard|remove-user|search-people)(?:-\d+)?)(?: \(\d+\))?(?:\.(?:needs-attention|people|results|(?:not-)?removed|so-far|report|[0-9a-f]{8})(?: \(\d+\))?)*\.[^.]+$/i;

/**
 * Reads the folder. If a file in it is young, this takes two seconds, in which a file that is still being
 * written changes.
 * @throws StopError `job` when there is no such folder.
 */
export async function readInbox(folder: string, { ours, clock, signal }: InboxContext) {
  /** Files that stay where they are, each with the reason as a clause. */
  const leftFiles: { file: string; why: string }[] = [];
  const candidates = new Map<string, string | undefined>();
  const extensions = await readableEndings();
  for (const entry of await direntsIn(folder)) {
    const path = join(folder, entry.name);
    const why = await reasonToLeave(path, entry, ours, extensions);
    if (why === undefined) candidates.set(path, await stampOf(path));
    else leftFiles.push({ file: path, why });
  }
  if (candidates.size === 0) return { ready: [], left: leftFiles };
  if (await someAreYoung([...candidates.keys()], clock.wallMs())) await clock.sleep(BETWEEN_LOOKS_MS, signal);
  const ready: ReadyFile[] = [];
  for (const [path, stamp] of candidates) {
    if (!(await isAsSeen({ path, stamp }))) leftFiles.push({ file: path, why: 'it is still being written' });
    else ready.push({ path, stamp });
  }
  return { ready, left: leftFiles };
}

/**
 * Whether a file was written lately. A time in the future comes from a wrong clock, so such a file counts as
 * young, too.
 */
async function someAreYoung(paths: readonly string[], nowMs: number): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return found.some((file) => nowMs - (file?.mtimeMs ?? nowMs) < AT_REST_MS);
}

/**
 * The entries of the folder, without folders and hidden files, such as the file that Excel keeps beside an
 * open workbook.
 */
async function direntsIn(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !/^(?:\.|~\$)/.test(entry.name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const what = isMissing ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
    const fact = `The inbox ${folder} ${what}.`;
    throw stop('job', fact, 'Make the folder, or correct inbox in the job, or inboxes in the accounts file.');
  }
}

async function reasonToLeave(
  path: string,
  entry: Dirent,
  ours: ReadonlySet<string>,
  extensions: readonly string[],
): Promise<string | undefined> {
  // Moving a link would not move its target, and a program that opens a pipe waits for it, perhaps for ever.
  if (!entry.isFile()) return 'it is a link, or no regular file';
  if (ours.has(path) || OUR_NAMES.test(entry.name))
    return 'it is one of our own outputs; give it another name to use it as an input';
  const extension = endingOf(entry.name);
  // A file without an ending is hardly a list, so its content is not looked at.
  const inside = extension === '' ? '' : await contentEnding(path).catch(() => undefined);
  return [...extensions, '.gz'].includes(inside ?? extension)
    ? undefined
    : `its ending cannot be read: ${foreignName(extension)}, only ${extensions.join(', ')}`;
}

export async function isAsSeen({ path, stamp }: ReadyFile): Promise<boolean> {
  return (await stampOf(path)) === stamp;
}

export interface DonePlace {
  readonly input: string;
  readonly output: string;
}

/**
 * Finds a free place in `done/`: `leads.csv`, else `leads (2).csv`, and so on.
 * @param earlierOutput the output path of an unfinished run over this file. Its place is used again if it is
 * still possible, so that the next run replaces that output instead of writing another one beside it.
 */
export async function placeInDone(
  path: string,
  sandbox: boolean,
  earlierOutput: string | undefined,
): Promise<DonePlace> {
  const folder = join(dirname(path), DONE_FOLDER);
  await makeFolder(folder);
  const extension = nameParts(path).ending;
  const stem = basename(path, extension);
  const ending = await contentEnding(path).catch(() => undefined);
  for (let number = 1; ; number += 1) {
    const input = join(folder, `${number === 1 ? stem : `${stem} (${number})`}${extension}`);
    const output = besideInput(calledPath(input, { ending }), sandbox);
    const taken = output === earlierOutput ? [] : filesOf(output);
    if (![input, ...taken].some((file) => lstatSync(file, { throwIfNoEntry: false })))
      return { input, output };
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const fact = messageOf(outputProblem(folder, error));
    throw stop('output', fact, 'Give yourself permission to write in the inbox.');
  }
  // If `done` were a link, another person who may write into the inbox could choose where our outputs go.
  const target = await readlink(folder).catch(() => undefined);
  if (target === undefined) return;
  const fact = `${folder} is a link to ${target}, and nothing is written through links.`;
  throw stop('output', fact, 'Find out who made the link, and remove it; the next sweep makes the folder.');
}

/** @throws StopError `output`; the file is then still in its old place. */
export async function moveToDone(path: string, { input }: DonePlace): Promise<void> {
  let why = 'a file of that name appeared there meanwhile.';
  try {
    if (await moveWithoutReplacing(path, input)) return;
  } catch (error) {
    why = messageOf(outputProblem(input, error));
  }
  const fact = `${path} cannot be moved to ${dirname(input)}: ${why}`;
  throw stop('output', fact, 'Move it there by hand; its output is there already.');
}

// ------------------------------------------------------------------------- what is to be done with its files

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
  /** @param resume the command that goes on with it. */
  leave(file: string, why: string, resume?: string): void;
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
      const ownBatches = batches.filter((batch) => isOf(batch, job));
      const elsewhere = await unfinishedElsewhere(job, ownBatches, ledger, looked);
      const waiting = await waitingIn(job, ownBatches, ledger, { ...looked, ours }).catch(
        (error: unknown) => {
          looked.refuse(job, asStop(error));
          return [];
        },
      );
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
    else if (batch?.pausedSinceMs !== undefined) looked.leave(path, ...pausedBatch(batch));
    else waiting.push(await todoOf(await asBegun(job, batch, ledger), { path, inInbox, batch }, ledger));
  }
  return waiting;
}

/** A list whose batch is paused, and the command that resumes it. */
const pausedBatch = ({ id }: Batch): readonly [why: string, resume: string] => [
  `its batch ${id} is paused`,
  commandLine(['resume', id]),
];

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
    if (now === 'paused') leave(path, ...pausedBatch(batch));
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
  // What a person gave is what this host has noted. Others may have written into the store.
  const savedChoices = batch?.state === 'open' && isOrderedHere(batch) ? saidBeside(batch.settings) : {};
  if (Object.keys(savedChoices).length === 0 || job.job.path === undefined) return job;
  const begun = await unlessStopped(chooseJob({ ...job.ownParts, job: job.job.path, entries: savedChoices }));
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
