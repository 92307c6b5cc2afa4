import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { loadAccounts } from '../client/account/account.ts';
import type { Answers } from '../client/account/agreements.ts';
import { stop } from '../core/errors.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { Job } from '../job/job.ts';
import { requireAgreedRequests, unlimitedAccounts } from '../plan/consent.ts';
import type { JobOptions, RunChoices } from '../plan/context.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';
import { choose } from './choose.ts';

/**
 * Jobs whose inboxes are worked through while nobody watches. A mistake that would fail at night is refused
 * before.
 */

export interface SweptJob extends ResolvedJob {
  readonly inbox: string;
  readonly own: OwnParts;
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
    `If that is right, name it in ${accountsFile}, as inboxes: { crm: /srv/drop }, and write inbox: crm.`,
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

/** Refuses a job that changes the service: a person has to agree to its plan, and nobody watches a sweep. */
function refuseChanges(name: string, { job, account }: ResolvedJob): void {
  if (job.operation.change === undefined || account.sandbox) return;
  throw stop(
    'consent',
    `${name} changes what account ${account.name} leads to, and a sweep cannot ask anybody.`,
    'Check it with plan, then use run with --yes.',
  );
}

/**
 * Asks for agreement to requests of the dialects to which nobody has agreed yet, because nobody can be asked
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
function refuseSharedInbox(name: string, { inbox }: SweptJob, others: readonly SweptJob[]): void {
  const other = others.find((each) => each.inbox === inbox);
  if (other === undefined) return;
  const fact = `${name} and ${other.job.path ?? other.job.name} have the same inbox, ${inbox}`;
  throw stop('job', fact, 'Give each job an inbox of its own.');
}
