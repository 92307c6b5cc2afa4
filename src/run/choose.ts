import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { type Account, type Accounts, chooseAccount, loadAccounts } from '../client/account/account.ts';
import type { Answers } from '../client/account/agreements.ts';
import { dialectOf, withGives, withRequestOf } from '../client/dialect.ts';
import { type Advice, invariant, meantWord, stop, suggestion } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { schemaComment } from '../core/paths.ts';
import { asCommand, byFlag, faces, phrase, typing, type Words } from '../core/phrase.ts';
import { foreignName, foreignWords } from '../core/plain-text.ts';
import type { ColumnMap } from '../files/columns/columns.ts';
import { openHeader } from '../files/input.ts';
import { ownershipIn, writeOwnFile } from '../files/output/own-files.ts';
import { type Job, jobInDialects, loadJob } from '../job/job.ts';
import { accountNames } from '../job/job-schema.ts';
import { jobYaml } from '../job/job-yaml.ts';
import type { Ledger, LedgerReader } from '../ledger/ledger.ts';
import type { KeyPath } from '../lib/yaml/schema-problem.ts';
import { requireAgreedRequests, unlimitedAccounts } from '../plan/consent.ts';
import type { JobOptions, RunChoices, RunOptions } from '../plan/context.ts';
import { preparedRows, unknownProjects } from '../plan/team/planned-rows.ts';
import type { AskedAccount, ResolvedJob } from '../walk/resolved-job.ts';

interface ChosenBy
  extends Pick<JobOptions, 'job' | 'entries' | 'strict' | 'operations' | 'dialects'>,
    Pick<RunChoices, 'accept'> {
  /** Left out: those of the file. */
  readonly accounts?: Accounts;
}

export async function chooseJob({
  job: argument,
  entries,
  strict,
  accept,
  accounts: given,
  ...ownParts
}: ChosenBy): Promise<ResolvedJob> {
  const job = await loadJob(argument, entries, ownParts);
  const accounts = given ?? (await loadAccounts());
  requireReceiver(job, accounts);
  const { vendor } = job.operation;
  const steps = (job.steps ?? []).map((step) => ({
    ...step,
    accounts: step.accounts.length > 0 ? step.accounts : [chooseAccount(accounts, vendor).name],
  }));
  const named = new Map<string, Account>();
  const name = (wanted: string, ...at: KeyPath): void => {
    // What was typed as `--account` stands in no line.
    const problem = job.givenEntries?.account === undefined ? job.problem : undefined;
    const refused = problem && ((fact: Words, next: Advice) => problem(at, 'value', fact, next));
    if (!named.has(wanted)) named.set(wanted, chooseAccount(accounts, vendor, wanted, refused));
  };
  for (const { name: step, accountsAt = [], accounts: names, check } of steps) {
    for (const [nth, wanted] of names.entries()) name(wanted, ...accountsAt, nth);
    for (const wanted of accountNames(check?.account)) name(wanted, 'operations', step, 'check', 'account');
  }
  requireFitting(job, [...named.values()]);
  const askedAccounts: AskedAccount[] = [];
  for (const account of named.values())
    askedAccounts.push({
      account,
      dialect: withGives(
        withRequestOf(await dialectOf(account, ownParts.dialects), job.operation),
        job.gives,
      ),
    });
  const large = accept?.includes('large-list') ? 'agreed' : undefined;
  return inDialects({ ...job, steps, ...present({ strict, large }) }, askedAccounts);
}

/** The job as its accounts are asked for it. */
export function inDialects(job: Job, askedAccounts: readonly AskedAccount[]): ResolvedJob {
  const [first, ...further] = askedAccounts;
  invariant(first !== undefined, 'a job has an account');
  return { ...first, further, job: jobInDialects(job, askedAccounts) };
}

/**
 * @throws StopError `account` where a job would spend play money and real money, or would ask one account
 *   twice; `job` for the budget of an account that is not asked.
 */
function requireFitting({ budget, problem }: Job, accounts: readonly Account[]): void {
  const played = accounts.find(({ sandbox }) => sandbox);
  const real = accounts.find(({ sandbox }) => !sandbox);
  if (played !== undefined && real !== undefined) {
    const fact = `The account ${played.name} spends play money, and ${real.name} does not.`;
    throw stop('account', fact, 'Name accounts of one kind for all steps of a job.');
  }
  for (const [at, { name, identity }] of accounts.entries()) {
    const same = accounts.slice(0, at).find((other) => other.identity === identity);
    const fact = `The accounts ${same?.name} and ${name} are one account: their answers are the same.`;
    if (same !== undefined) throw stop('account', fact, 'Name one of them, or give each an id of its own.');
  }
  const names = accounts.map(({ name }) => name);
  const other = Object.keys(budget?.accounts ?? {}).find((name) => !names.includes(name));
  if (other === undefined) return;
  const fact = `no step asks the account ${foreignName(other)}`;
  const next = meantWord(other, names);
  throw problem?.(['budget', 'accounts', other], 'name', fact, next) ?? stop('job', `${fact}.`, next);
}

/** @throws StopError `job` where the accounts file does not say who is notified. */
function requireReceiver({ name, notify }: Job, { path, notify: receivers = new Map() }: Accounts): void {
  if (notify === undefined || receivers.has(notify.to)) return;
  const names = [...receivers.keys()];
  throw stop(
    'job',
    phrase`${typing`${name}: notify.to: `}there is no ${foreignName(notify.to)} under
      notify${typing` in ${path}`}.`,
    names.length === 0
      ? `Add it there, as notify: { ${notify.to}: { webhook: https://… } }, or leave notify out of the job.`
      : suggestion(notify.to, names),
  );
}

/**
 * Writes the job with all guessed and typed settings, so that the next run needs neither the guess nor the
 * flags. A job file of ours that no one has changed is replaced, so that the same command resumes. Any other
 * file is kept, and the new one gets a name of its own beside it.
 */
export async function saveJob(
  path: string,
  chosen: ResolvedJob,
  { file, budget, onEvent = () => {} }: Pick<RunOptions, 'file' | 'budget' | 'onEvent'>,
  ledger: Ledger,
): Promise<void> {
  const { job } = chosen;
  const input = await openHeader(file, job, ledger);
  const isChange = job.operation.change !== undefined;
  const context = { ...chosen, ledger };
  const unknown = isChange ? unknownProjects(context, await preparedRows(context, input)) : [];
  const limit = budget === undefined ? {} : { budget: { credits: budget } };
  const toFill = unknown.length > 0 && { projects: Object.fromEntries(unknown.map((name) => [name, null])) };
  const text = jobText(job, input.columns, { ...limit, ...toFill });
  const say = (message: string): void => onEvent({ kind: 'note', message });
  const savedAs = await writeOwnFile(
    { path, chunks: [schemaComment('job', path) + text], flag: '--save-job' },
    ownershipIn(ledger, say),
  );
  if (savedAs !== path) say(`The job was saved in ${savedAs}.`);
}

/** The text of a job with the columns that it has in a list, so that the next list needs no guess. */
export async function jobOver({ job }: ResolvedJob, file: string, more: object, ledger?: LedgerReader) {
  return jobText(job, (await openHeader(file, job, ledger)).columns, more);
}

const jobText = (job: Job, { columns, because }: ColumnMap, more: object): string =>
  jobYaml({ ...job, ...more, columns: { ...job.columns, ...columns } }, because);

// --------------------------------------------------------------------------------------- jobs that are swept

/**
 * Jobs whose inboxes are worked through while nobody watches. A mistake that would fail at night is refused
 * before.
 */

export interface SweptJob extends ResolvedJob {
  readonly inbox: string;
  readonly ownParts: OwnParts;
}

type OwnParts = Pick<JobOptions, 'operations' | 'dialects'>;

/**
 * Reads the jobs. All are checked before the first file is looked at, so that a user sees a mistake at once
 * and not one night later.
 * @throws StopError `job`, `account`, or `consent` for a job without a limit, or one that changes the
 * service.
 */
export async function sweptJobs(
  names: readonly string[],
  options: OwnParts = {},
): Promise<readonly SweptJob[]> {
  const { operations, dialects } = options;
  const ownParts = { operations, dialects };
  const jobs: SweptJob[] = [];
  for (const name of names) {
    const chosen = await chooseJob({ ...ownParts, job: name });
    const job = { ...chosen, inbox: await inboxOf(name, chosen.job), ownParts };
    refuseChanges(name, job);
    requireLimit(name, job);
    refuseSharedInbox(name, job, jobs);
    jobs.push(job);
  }
  return jobs;
}

/**
 * The folder that the accounts file has under the job's word, or else a folder below the job's own, wherever
 * links lead: a job from another person takes no other lists of this user.
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
    phrase`If that is right, name it in ${faces(accountsFile, 'the accounts file')}, as inboxes: { crm:
      /srv/drop }, and write inbox: crm.`,
  );
}

function requireLimit(name: string, chosen: ResolvedJob): void {
  const [unlimited] = unlimitedAccounts(chosen);
  if (chosen.job.budget !== undefined || unlimited === undefined) return;
  throw stop(
    'consent',
    `${name} has no budget, and account ${unlimited} has none per day, so a sweep would have no limit.`,
    'Add budget: { credits: … } to the job, or budget: { per_day: … } to the account.',
  );
}

/** Refuses a job that changes the service: a person has to agree to its plan, and no one watches a sweep. */
export function refuseChanges(name: string, { job, account }: ResolvedJob): void {
  if (job.operation.change === undefined || account.sandbox) return;
  throw stop(
    'consent',
    `${name} changes the service of account ${account.name}, and a sweep cannot ask you.`,
    phrase`Check it${typing` with ${asCommand('plan')}`}, then
      ${faces(phrase`use run ${byFlag('--yes')}`, 'start it by hand')}.`,
  );
}

/**
 * Asks for agreement to requests of the dialects to which no one has agreed yet, because no one can be asked
 * at night.
 * @throws StopError `consent`.
 */
export async function requireAgreedJobs(jobs: readonly SweptJob[], answers: Answers = {}): Promise<void> {
  for (const job of jobs) await requireAgreedRequests({ ...job, ...(answers as Pick<RunChoices, 'accept'>) });
}

function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Refuses two jobs with one inbox, because each would take the other's files away. */
export function refuseSharedInbox(name: string, { inbox }: SweptJob, others: readonly SweptJob[]): void {
  const other = others.find((each) => each.inbox === inbox);
  if (other === undefined) return;
  const fact = `${name} and ${other.job.path ?? other.job.name} have the same inbox, ${inbox}`;
  throw stop('job', fact, 'Give each job an inbox of its own.');
}
