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
import { type Job, loadJob, readOptionsIn, readSchema } from '../../job/job.ts';
import { jobYaml } from '../../job/job-yaml.ts';
import { credits } from '../../ledger/ledger.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import type { AccountChoice, Choices, JobView, OperationView } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { type ListFile, ownFolder } from './list-files.ts';
import type { Server } from './server.ts';

/** What was chosen on the page becomes a job file like any other, so the command line does the same by the same file. */

export async function jobOfChoices(server: Server, choices: Choices): Promise<Job> {
  const { path: _path, inbox: _inbox, schedule: _schedule, ...all } = await chosenJob(server, choices);
  const { refreshAfterMs, refreshNoMatchAfterMs, ...job } = all;
  const { account, columns, repair } = choices;
  const { steps } = job.operation;
  const settings = { ...job.settings, ...settingsFor(job.operation, choices) };
  const guards = guardsFor(choices);
  return {
    ...job,
    ...present({ account, columns, add: addFor(steps, choices) }),
    ...present({ waterfall: steps === undefined ? choices.waterfall : undefined }),
    ...(repair === true ? { repair: true as const } : {}),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(choices.read === undefined ? {} : { read: { ...job.read, ...readOptionsOf(choices.read) } }),
    ...(guards === undefined ? {} : { guards: { ...job.guards, ...guards } }),
    ...policiesFor({ refreshAfterMs, refreshNoMatchAfterMs }, choices),
  };
}

/** Where nothing is chosen of a step everything comes back, because its fields may not be known before it has found something. */
function addFor(steps: Operation['steps'] = [], { add }: Choices): Choices['add'] {
  const paths = Object.values(add ?? {});
  const isChosen = steps.every(({ name }) => paths.some((path) => path.startsWith(`${name}.`)));
  return isChosen ? add : undefined;
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

async function chosenJob(server: Server, { what }: Choices): Promise<Job> {
  if ('job' in what) return loadJob(jobPath(server, what.job));
  const names = 'operations' in what ? what.operations : [what.operation];
  const known = await familyNames(OPERATIONS);
  // Any other word would be taken for the path of a job file.
  if (names.every((name) => known.includes(name))) return loadJob(names.join(','));
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
export async function writeListJob(list: ListFile, job: Job): Promise<string> {
  const text = jobYaml(job);
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
  job: Job,
  columns: Readonly<Record<string, string>>,
  budget: number | undefined,
): Promise<string> {
  const path = jobPath(server, name);
  await ownFolder(server.folder, 'jobs');
  const limit = budget === undefined ? {} : { budget: credits(budget) };
  const text = schemaComment('job', path) + jobYaml({ ...job, columns, ...limit });
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
          const { operation, account = null } = await loadJob(jobPath(server, name));
          return { name, operation: operation.name, account, problem: null };
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
