import { hash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import {
  type Answers,
  isAgreed,
  type Question,
  requireAgreement,
} from '../../../client/account/agreements.ts';
import { dialectQuestion } from '../../../client/dialect.ts';
import { canonicalJson } from '../../../core/call-key.ts';
import { stop } from '../../../core/errors.ts';
import { present } from '../../../core/objects.ts';
import { foreignWords, plainJson } from '../../../core/plain-text.ts';
import { askingSettings } from '../../../plan/batch-key.ts';
import type { JobOptions } from '../../../plan/context.ts';
import type { ResolvedJob } from '../../../plan/row-walk.ts';
import { choose } from '../../run-job.ts';

/** A job of a sweep. */
export interface SweptJob extends ResolvedJob {
  readonly inbox: string;
  readonly own: OwnParts;
}

/** What a program brings to its jobs. */
type OwnParts = Pick<JobOptions, 'operations' | 'dialects'>;

/**
 * Reads the jobs. All are checked before the first file is looked at, so that a user sees a mistake at once and not one
 * night later.
 * @throws StopError `job`, `account`, or `consent` for what nobody could agree to in a sweep.
 */
export async function sweptJobs(
  names: readonly string[],
  options: OwnParts & Answers = {},
): Promise<readonly SweptJob[]> {
  const { operations, dialects, accept, askAgreement, tell } = options;
  const own = { operations, dialects };
  const jobs: SweptJob[] = [];
  for (const name of names) {
    const chosen = await choose({ ...own, accept, askAgreement, tell, job: name });
    const job = { ...withInbox(name, chosen), own };
    refuseChanges(name, job);
    requireLimit(name, job);
    refuseSharedInbox(name, job, jobs);
    jobs.push(job);
  }
  return jobs;
}

function withInbox(name: string, chosen: ResolvedJob): Omit<SweptJob, 'own'> {
  const { inbox } = chosen.job;
  if (inbox !== undefined) return { ...chosen, inbox };
  throw stop('job', `${name} has no inbox.`, 'Add inbox: FOLDER to the job, or run it over a file.');
}

/** Requires a limit for what the job may spend, because nobody watches a sweep. */
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

/** Asks for what nobody has agreed to yet of these jobs. @throws StopError `consent`. */
export async function requireAgreedJobs(jobs: readonly SweptJob[], answers: Answers = {}): Promise<void> {
  for (const job of jobs)
    for (const question of await questionsOf(job)) await requireAgreement(question, answers);
}

/** What nobody has agreed to yet of a job, for those who show it. */
export async function unagreedOf(job: SweptJob): Promise<readonly Question[]> {
  const questions = await questionsOf(job);
  const known = await Promise.all(questions.map(({ agreement }) => isAgreed(agreement)));
  return questions.filter((_, at) => known[at] === false);
}

/**
 * What a person agrees to once before a sweep, because nobody is there to be asked at night: what the dialect sends, whom the job tells,
 * and a folder that the author of the job may have named without owning it.
 */
async function questionsOf(swept: SweptJob): Promise<readonly Question[]> {
  const { account, dialect } = swept;
  const sent = account.baseUrl && dialectQuestion(dialect, account.baseUrl);
  const told = swept.job.notify && (await import('../../notices.ts')).notifyQuestion(swept.job);
  const questions = [sent, await inboxQuestion(swept), told];
  return questions.filter((question) => question !== undefined);
}

/**
 * Undefined for an inbox in the folder of its job, wherever links lead. The agreement covers what is shown and no more, so a change of
 * what is sent is asked about again. A budget and a time decide nothing of it.
 */
async function inboxQuestion({ job, account, inbox }: SweptJob): Promise<Question | undefined> {
  if (job.path === undefined) return undefined;
  const folder = await realPathOf(dirname(job.path));
  const real = await realPathOf(inbox);
  const way = relative(folder, real);
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return undefined;
  const shown = foreignWords(real, real.length);
  const details = [
    `folder: ${shown}`,
    `sent for each row of its lists: ${sentColumns(job)}`,
    ...Object.entries(askingSettings(job) ?? {}).map(([name, value]) => `${name}: ${plainJson(value)}`),
    ...(job.waterfall === undefined ? [] : [`asked by, in this order: ${plainJson(job.waterfall)}`]),
    `sent to ${account.baseUrl ?? 'the built-in sandbox'}, by ${job.operation.name} with the account ${accountWords(account)}`,
    `a finished list is moved to ${join(shown, 'done')}, an unreadable one to ${join(shown, 'failed')}`,
  ];
  // A path is shown without what cannot be seen in it, and an account's `id` is not shown at all.
  const agreed = ['rowonce-inbox-2', job.path, real, account.identity, details];
  return {
    agreement: `inbox:${hash('sha256', canonicalJson(agreed), 'hex').slice(0, 32)}`,
    fact: `The job ${job.path} takes its files from a folder outside its own`,
    details,
  };
}

/** The columns by name. Where the job names none, each list's own are taken by how they look. */
function sentColumns({ operation, columns }: SweptJob['job']): string {
  const inputs = operation.inputs.map(({ name }) => name);
  if (columns === undefined)
    return `the columns that look like ${inputs.map((name) => plainJson(name)).join(', ')}`;
  const named = new Map(Object.entries(columns));
  const taken = operation.inputs.flatMap(({ name, required }) => {
    const column = named.get(name) ?? (required ? name : undefined);
    return column === undefined ? [] : [`${plainJson(name)} from the column ${plainJson(column)}`];
  });
  return taken.length === 0 ? 'no column' : taken.join(', ');
}

function accountWords({ name, organizationId, projectId, via }: ResolvedJob['account']): string {
  const parts = Object.entries(
    present({ organization: organizationId, project: projectId, 'connected account': via?.connectedAccount }),
  );
  return [name, ...parts.map(([part, id]) => `${part} ${plainJson(id)}`)].join(', ');
}

/** The path itself where there is nothing yet. */
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
