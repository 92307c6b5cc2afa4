import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, loadAccounts, sandboxAccount } from '../../client/account/account.ts';
import { messageOf, stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadFamily } from '../../core/family.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { schemaComment } from '../../core/paths.ts';
import { type Job, loadJob, loadJobs, readOptionsIn, readSchema } from '../../job/job.ts';
import { jobsYaml } from '../../job/job-yaml.ts';
import { credits } from '../../ledger/ledger.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import type { AccountChoice, Choices, JobView, OperationView } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { type ListFile, ownFolder } from './list-files.ts';
import type { Server } from './server.ts';

/** What was chosen on the page becomes a job file like any other, so the command line does the same by the same file. */

/** The job of these choices, or one for each of several operations. */
export async function jobsOfChoices(server: Server, choices: Choices): Promise<readonly Job[]> {
  const jobs = await chosenJobs(server, choices);
  if (jobs.length === 1) return jobs.map((job) => jobOfChoices(job, choices));
  const { columns, add, waterfall: _, ...shared } = choices;
  return jobs.map((job) => {
    const { name } = job.operation;
    const wanted = add && pathsOf(name, add);
    // Of an operation of which nothing is chosen everything comes back.
    const isChosen = wanted !== undefined && Object.keys(wanted).length > 0;
    const own = present({ columns: columns && entriesOf(name, columns), add: isChosen ? wanted : undefined });
    return jobOfChoices(job, { ...shared, ...own });
  });
}

type Names = Readonly<Record<string, string>>;

/** What is called `enrich-person.email` is about that operation. */
function entriesOf(operation: string, columns: Names): Record<string, string> {
  const own = Object.entries(columns).filter(([name]) => name.startsWith(`${operation}.`));
  return Object.fromEntries(own.map(([name, column]) => [name.slice(operation.length + 1), column]));
}

function pathsOf(operation: string, add: Names): Record<string, string> {
  const own = Object.entries(add).filter(([, path]) => path.startsWith(`${operation}.`));
  return Object.fromEntries(own.map(([column, path]) => [column, path.slice(operation.length + 1)]));
}

function jobOfChoices(base: Job, choices: Choices): Job {
  const { path: _path, inbox: _inbox, schedule: _schedule, ...all } = base;
  const { refreshAfterMs, refreshNoMatchAfterMs, ...job } = all;
  const { account, columns, add, waterfall, repair } = choices;
  const settings = { ...job.settings, ...settingsFor(job.operation, choices) };
  const guards = guardsFor(choices);
  return {
    ...job,
    ...present({ account, columns, add, waterfall }),
    ...(repair === true ? { repair: true as const } : {}),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(choices.read === undefined ? {} : { read: { ...job.read, ...readOptionsOf(choices.read) } }),
    ...(guards === undefined ? {} : { guards: { ...job.guards, ...guards } }),
    ...policiesFor({ refreshAfterMs, refreshNoMatchAfterMs }, choices),
  };
}

function guardsFor({ guards }: Choices): Job['guards'] {
  if (guards === undefined) return undefined;
  const { max_removals: maxRemovals, admins, domains, max_invites: maxInvites } = guards;
  return present({ maxRemovals, admins, domains, maxInvites });
}

function policiesFor(
  of: { readonly [Name in 'refreshAfterMs' | 'refreshNoMatchAfterMs']: number | undefined },
  { refresh_after: found, refresh_no_match_after: others, in_doubt: inDoubt }: Choices,
): Partial<Job> {
  const policy: Job['inDoubt'] | undefined =
    typeof inDoubt === 'object'
      ? { kind: 'retry', extraCredits: credits(inDoubt.retry.extra_credits) }
      : inDoubt && { kind: inDoubt };
  return present({
    refreshAfterMs: found === undefined ? of.refreshAfterMs : parseDurationMs(found),
    refreshNoMatchAfterMs: others === undefined ? of.refreshNoMatchAfterMs : parseDurationMs(others),
    inDoubt: policy,
  });
}

async function chosenJobs(server: Server, { what }: Choices): Promise<readonly Job[]> {
  if ('job' in what) return loadJobs(jobPath(server, what.job));
  const names = 'operations' in what ? what.operations : [what.operation];
  const known = await familyNames(OPERATIONS);
  // Any other word would be taken for the path of a job file.
  if (names.every((name) => known.includes(name))) return Promise.all(names.map((name) => loadJob(name)));
  throw new HttpRefusal(404, 'There is no such operation.', 'See /api/operations for all operations.');
}

function settingsFor(operation: Operation, choices: Choices): NonNullable<Job['settings']> {
  const { role, roles, create_projects, remove_missing, projects, filters, pages } = choices;
  const given = Object.entries(
    present({ role, roles, create_projects, remove_missing, projects, filters, pages }),
  );
  return Object.fromEntries(given.filter(([name]) => operation.settings?.[name] !== undefined));
}

function readOptionsOf(chosen: NonNullable<Choices['read']>): NonNullable<Job['read']> {
  // A field that was emptied says 0, and a job says nothing then.
  const { country, skip_lines, ...read } = chosen;
  const parsed = readSchema.safeParse(skip_lines ? { ...read, skip_lines } : read);
  if (parsed.success) return { ...readOptionsIn(parsed.data), ...present({ country }) };
  throw stop('usage', 'There is no such way to read a file.', 'Choose one from the lists.');
}

/** Writes the job beside its list. The same choices are the same file, so the same batch keeps its command. */
export async function writeListJob(list: ListFile, jobs: readonly Job[]): Promise<string> {
  const text = jobsYaml(jobs.map((job) => ({ job })));
  const folder = await ownFolder(list.folder, 'jobs');
  const path = join(folder, `${hash('sha256', text, 'hex').slice(0, 16)}.yaml`);
  await replaceFile(path, 0o600, [text]);
  return path;
}

const NAME = /^[\w-]{1,60}$/;

function jobPath({ folder }: Pick<Server, 'folder'>, name: string): string {
  if (NAME.test(name)) return join(folder, 'jobs', `${name}.yaml`);
  throw stop('usage', 'The name of a job may have letters, digits, "_" and "-".', 'Choose such a name.');
}

/** @returns the path. @throws StopError `usage` when another job has that name. */
export async function saveJobAs(
  server: Server,
  name: string,
  jobs: readonly Job[],
  columns: Names,
  budget: number | undefined,
): Promise<string> {
  const path = jobPath(server, name);
  await ownFolder(server.folder, 'jobs');
  const kept = jobs.map((job) => ({
    ...job,
    columns: jobs.length === 1 ? columns : entriesOf(job.operation.name, columns),
    ...(budget === undefined ? {} : { budget: credits(budget) }),
  }));
  const text = schemaComment('job', path) + jobsYaml(kept.map((job) => ({ job })));
  const standing = await readFile(path, 'utf8').catch(() => text);
  if (standing !== text)
    throw stop('usage', `There is another job named ${name}.`, 'Choose another name, or remove that file.');
  await replaceFile(path, 0o600, [text]);
  return path;
}

export async function savedJobs(server: Server): Promise<readonly JobView[]> {
  const files = await readdir(join(server.folder, 'jobs')).catch(() => []);
  const names = files.filter((file) => file.endsWith('.yaml')).map((file) => file.slice(0, -'.yaml'.length));
  return Promise.all(
    names
      .filter((name) => NAME.test(name))
      .map(async (name) => {
        try {
          const jobs = await loadJobs(jobPath(server, name));
          const operation = jobs.map((job) => job.operation.name).join(',');
          return { name, operation, account: jobs[0]?.account ?? null, problem: null };
        } catch (error) {
          return { name, operation: null, account: null, problem: messageOf(error) };
        }
      }),
  );
}

export async function operationViews(): Promise<readonly OperationView[]> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  return [...operations.values()].map(({ name, summary, vendor, change, inputs, tiers, settings }) => ({
    name,
    summary,
    vendor,
    is_change: change !== undefined,
    inputs: inputs.map((input) => ({
      name: input.name,
      about: input.about,
      required: input.required === true,
    })),
    tiers: [...tiers],
    settings: Object.keys(settings ?? {}),
  }));
}

/** The accounts that a list can be worked on with, the built-in ones for play money last. */
export async function accountChoices(): Promise<readonly AccountChoice[]> {
  const { configured } = await loadAccounts();
  return [...configured, sandboxAccount('provider'), sandboxAccount('service')].map(accountChoice);
}

export function accountChoice({ name, vendor, sandbox, budget, price, region }: Account): AccountChoice {
  const hasBudget = budget.perDay !== undefined;
  return { name, vendor, sandbox, has_budget: hasBudget, price: price ?? null, region: region ?? null };
}
