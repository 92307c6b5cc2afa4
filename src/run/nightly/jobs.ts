import { stop } from '../../core/errors.ts';
import type { ResolvedJob } from '../../plan/row-walk.ts';
import { choose } from '../run-job.ts';

/** A job of a sweep. */
export interface SweptJob extends ResolvedJob {
  readonly inbox: string;
}

/**
 * Reads the jobs. All are checked before the first file is looked at, so that a user sees a mistake at once and not one
 * night later.
 * @throws StopError `job`, `account` or `consent`.
 */
export async function sweptJobs(names: readonly string[]): Promise<readonly SweptJob[]> {
  const jobs: SweptJob[] = [];
  for (const name of names) {
    const job = withInbox(name, await choose({ job: name }));
    refuseChanges(name, job);
    requireLimit(name, job);
    refuseSharedInbox(name, job, jobs);
    jobs.push(job);
  }
  return jobs;
}

function withInbox(name: string, chosen: ResolvedJob): SweptJob {
  const { inbox } = chosen.job;
  if (inbox !== undefined) return { ...chosen, inbox };
  throw stop('job', `${name} has no inbox.`, 'Add inbox: FOLDER to the job, or run it over a file.');
}

/** Requires a limit for what the job may spend, because nobody watches a sweep. */
function requireLimit(name: string, { job, account }: ResolvedJob): void {
  if (job.budget !== undefined || account.sandbox || account.budget.perDay !== undefined) return;
  throw stop(
    'consent',
    `${name} has no budget, and account ${account.name} has none per day, so nothing limits a sweep.`,
    'Add budget: { credits: … } to the job, or budget: { per_day: … } to the account.',
  );
}

/** Refuses a job that changes the service: a person has to agree to its plan, and nobody watches a sweep. */
function refuseChanges(name: string, { job, account }: ResolvedJob): void {
  if (job.operation.change === undefined || account.sandbox) return;
  throw stop(
    'consent',
    `${name} changes what account ${account.name} leads to, and nobody agrees to that in a sweep.`,
    'Look at it with rowonce plan, then run rowonce run with --yes.',
  );
}

/** Refuses two jobs with one inbox, because each would take the other's files away. */
function refuseSharedInbox(name: string, { inbox }: SweptJob, others: readonly SweptJob[]): void {
  const other = others.find((each) => each.inbox === inbox);
  if (other === undefined) return;
  const fact = `${name} and ${other.job.path ?? other.job.name} have the same inbox, ${inbox}`;
  throw stop('job', fact, 'Give each job an inbox of its own.');
}
