import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { loadAccounts } from '../../../client/account/account.ts';
import { type Answers, requireAgreement } from '../../../client/account/agreements.ts';
import { dialectQuestion } from '../../../client/dialect.ts';
import { StopError, stop } from '../../../core/errors.ts';
import { isSpooled } from '../../../core/paths.ts';
import { foreignWords } from '../../../core/plain-text.ts';
import { contentHash, openMappedInput } from '../../../files/input.ts';
import { filesOf } from '../../../files/output/output.ts';
import type { Job } from '../../../job/job.ts';
import { saidBeside } from '../../../job/job-settings.ts';
import type { Batch, Credits, LedgerReader } from '../../../ledger/ledger.ts';
import { commandLine } from '../../../lib/command-line.ts';
import { isPartial } from '../../../plan/batch.ts';
import { keyOf } from '../../../plan/batch-key.ts';
import type { JobOptions } from '../../../plan/context.ts';
import type { ResolvedJob } from '../../../plan/row-walk.ts';
import { choose } from '../../choose.ts';
import { openSpender, type Spender, type SpenderOptions } from '../../run-job.ts';
import { chooseStore } from '../../store-choice.ts';
import { unlessStopped } from '../batch-account.ts';
import { type LeftFile, type Looking, type ReadyFile, readInbox } from './inbox.ts';

export interface Todo {
  readonly job: SweptJob;
  readonly path: string;
  /** The inbox file to be moved when it is done; undefined for a file elsewhere, which stays where it is. */
  readonly inInbox: ReadyFile | undefined;
  readonly batch: Batch | undefined;
  readonly budget: Credits | undefined;
}

interface Todos {
  readonly todos: readonly Todo[];
  readonly left: readonly LeftFile[];
  /** The jobs whose inbox cannot be read. Their unfinished batches over other files are still resumed. */
  readonly unreadable: readonly { readonly job: SweptJob; readonly error: StopError }[];
}

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
      const elsewhere = await unfinishedElsewhere(job, own, ledger);
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
      if (batch?.state === 'cancelled') left.push({ path, why: `its batch ${batch.id} was cancelled` });
      else if (batch?.heldSinceMs !== undefined) left.push({ path, why: pausedWords(batch) });
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

const pausedWords = ({ id }: Batch): string =>
  `its batch ${id} is paused; to resume it: ${commandLine(['resume', id])}`;

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
  return cap !== undefined && cap > job.budget.credits ? cap : undefined;
}

/**
 * The unfinished batches of the job over files outside its inbox, oldest first: a user began them by hand, or decided
 * about a row of a file in `done/`.
 */
async function unfinishedElsewhere(
  job: SweptJob,
  batches: readonly Batch[],
  ledger: LedgerReader,
): Promise<Pick<Todos, 'todos' | 'left'>> {
  const todos: Todo[] = [];
  const left: LeftFile[] = [];
  for (const batch of newestGenerations(batches).toReversed()) {
    const { inputPath: path, outputPath } = batch;
    if (batch.state !== 'open' || dirname(path) === job.inbox || isPartial(batch)) continue;
    // Input from standard input has no place for an output that was not named.
    if (isSpooled(path) && outputPath === undefined) continue;
    if (batch.heldSinceMs !== undefined) {
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
  const begun = choose({ ...job.own, job: job.job.path, entries: { ...said, account: job.account.name } });
  return { ...job, ...(await unlessStopped(begun)) };
}

function newestGenerations(batches: readonly Batch[]): readonly Batch[] {
  return [...Map.groupBy(batches, ({ key }) => key).values()].flatMap(([newest]) => newest ?? []);
}

/** Says whether the path still has the batch's input. If it is `changed`, the same job would begin another batch. */
async function inputNow(
  { job, account }: SweptJob,
  batch: Batch,
  ledger: LedgerReader,
): Promise<'same' | 'changed' | 'gone'> {
  const input = await unlessStopped(openMappedInput(batch.inputPath, job, ledger));
  if (input === undefined) return 'gone';
  return (await keyOf({ account, job }, input)) === batch.key ? 'same' : 'changed';
}

export interface SweptStore {
  readonly spender: Spender;
  readonly jobs: readonly SweptJob[];
}

/** Opens the stores of these jobs: the named one, or else up to two, because sandbox accounts have a store of their own. */
export async function openStores(
  jobs: readonly SweptJob[],
  options: SpenderOptions,
): Promise<readonly SweptStore[]> {
  const byLocation = Map.groupBy(jobs, ({ account }) => chooseStore(options.store, account.sandbox).location);
  const opened: SweptStore[] = [];
  try {
    for (const group of byLocation.values()) {
      const sandbox = group.every(({ account }) => account.sandbox);
      opened.push({ spender: await openSpender(sandbox, options), jobs: group });
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map(({ spender }) => spender.close()));
    throw error;
  }
}

export interface SweptJob extends ResolvedJob {
  readonly inbox: string;
  readonly own: OwnParts;
}

type OwnParts = Pick<JobOptions, 'operations' | 'dialects'>;

/**
 * Reads the jobs. All are checked before the first file is looked at, so that a user sees a mistake at once and not one
 * night later.
 * @throws StopError `job`, `account`, or `consent` for a job without a limit, or one that changes the service.
 */
export async function sweptJobs(
  names: readonly string[],
  options: OwnParts = {},
): Promise<readonly SweptJob[]> {
  const { operations, dialects } = options;
  const own = { operations, dialects };
  const jobs: SweptJob[] = [];
  for (const name of names) {
    const chosen = await choose({ ...own, job: name });
    const job = { ...chosen, inbox: await inboxOf(name, chosen.job), own };
    refuseChanges(name, job);
    requireLimit(name, job);
    refuseSharedInbox(name, job, jobs);
    jobs.push(job);
  }
  return jobs;
}

/**
 * The folder that the accounts file has under the job's word, else one below the job's own folder, wherever links lead: a job from
 * somebody else takes no other lists of this user.
 */
async function inboxOf(name: string, { inbox, path = '' }: Job): Promise<string> {
  if (inbox === undefined)
    throw stop('job', `${name} has no inbox.`, 'Add inbox: FOLDER to the job, or run it over a file.');
  const { inboxes, path: accountsFile } = await loadAccounts();
  const named = inboxes?.get(inbox);
  if (named !== undefined) return resolve(dirname(accountsFile), named);
  const place = resolve(dirname(path), inbox);
  const folder = await realPathOf(dirname(path));
  const way = relative(folder, await realPathOf(resolve(folder, inbox)));
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return place;
  throw stop(
    'job',
    `${name}: inbox: ${foreignWords(place, place.length)} is not below the folder of the job.`,
    `If that is right, name it in ${accountsFile}, as inboxes: { crm: /srv/drop }, and write inbox: crm.`,
  );
}

function requireLimit(name: string, { job, account }: ResolvedJob): void {
  if (job.budget !== undefined || account.sandbox || account.budget.perDay !== undefined) return;
  throw stop(
    'consent',
    `${name} has no budget, and account ${account.name} has none per day, so a sweep would have no limit.`,
    'Add budget: { credits: … } to the job, or budget: { per_day: … } to the account.',
  );
}

/** Refuses a job that changes the service: a person has to agree to its plan, and nobody watches a sweep. */
function refuseChanges(name: string, { job, account }: ResolvedJob): void {
  if (job.operation.change === undefined || account.sandbox) return;
  throw stop(
    'consent',
    `${name} changes what account ${account.name} leads to, and a sweep cannot ask anybody.`,
    'Check it with plan, then use run with --yes.',
  );
}

/** Asks what nobody has agreed to yet of what the dialects send, because nobody can be asked at night. @throws StopError `consent`. */
export async function requireAgreedJobs(jobs: readonly SweptJob[], answers: Answers = {}): Promise<void> {
  for (const { account, dialect } of jobs) {
    const question = account.baseUrl && dialectQuestion(dialect, account.baseUrl);
    if (question !== undefined) await requireAgreement(question, answers);
  }
}

function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Refuses two jobs with one inbox, because each would take the other's files away. */
function refuseSharedInbox(name: string, { inbox }: SweptJob, others: readonly SweptJob[]): void {
  const other = others.find((each) => each.inbox === inbox);
  if (other === undefined) return;
  const fact = `${name} and ${other.job.path ?? other.job.name} have the same inbox, ${inbox}`;
  throw stop('job', fact, 'Give each job an inbox of its own.');
}
