import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Account, chooseAccount, loadAccounts, sandboxAccount } from '../../client/account/account.ts';
import { messageOf, stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadFamily } from '../../core/family.ts';
import { present } from '../../core/objects.ts';
import type { JsonObject, Operation } from '../../core/operation.ts';
import { schemaComment } from '../../core/paths.ts';
import { readingEntries } from '../../core/reading.ts';
import { inSteps, stepNames } from '../../core/steps.ts';
import { type Job, loadJob } from '../../job/job.ts';
import { jobYaml } from '../../job/job-yaml.ts';
import { credits } from '../../ledger/ledger.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { AccountChoice, Choices, JobView, ListDescription, OperationView } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { type ListFile, ownFolder } from './list-files.ts';
import type { Server } from './server.ts';

/** What was chosen on the page is in the words of a job file and becomes one like any other, so the command line does the same by it. */

export interface ChosenJob {
  readonly job: Job;
  /** Of the job's file, beside its list. */
  readonly path: string;
  readonly account: Account;
}

/** The job of these choices, over the saved one if that was chosen. The same choices are the same file, so the same batch keeps its command. */
export async function jobOfChoices(server: Server, list: ListFile, choices: Choices): Promise<ChosenJob> {
  const { what, add: _, guards, budget: _limit, refresh: _flag, ...said } = choices;
  const base = await behind(server, what);
  const { operation, account: named } = await loadJob(base.word);
  const account = chooseAccount(await loadAccounts(), operation.vendor, said.account ?? named);
  const { read: reading = {}, repair } = list.reading ?? {};
  const { read, ...beside } = readingEntries(reading);
  const { inbox: _inbox, schedule: _schedule, ...entries } = base.entries;
  const text = stringify({
    ...entries,
    ...said,
    ...present({ add: addFor(operation.steps, choices) }),
    ...beside,
    ...(read === undefined ? {} : { read: { ...(entries.read as object), ...read } }),
    ...(repair === true ? { repair } : {}),
    ...(guards === undefined ? {} : { guards: { ...(entries.guards as object), ...guards } }),
    account: account.name,
  });
  const folder = await ownFolder(list.folder, 'jobs');
  const path = join(folder, `${hash('sha256', text, 'hex').slice(0, 16)}.yaml`);
  await replaceFile(path, 0o600, [text]);
  return { job: await loadJob(path), path, account };
}

interface Behind {
  /** As it would be typed. */
  readonly word: string;
  readonly entries: JsonObject;
}

async function behind(server: Server, what: Choices['what']): Promise<Behind> {
  if ('job' in what) {
    const word = jobPath(server, what.job);
    return { word, entries: parse(await readFile(word, 'utf8').catch(() => '{}')) };
  }
  const steps = stepNames(what.operation);
  const known = await familyNames(OPERATIONS);
  // Any other word would be taken for the path of a job file.
  if (steps.every((name) => known.includes(name)))
    return { word: what.operation, entries: steps.length === 1 ? what : { operations: steps } };
  throw new HttpRefusal(404, 'There is no such operation.', 'See /api/operations for all operations.');
}

/** Where nothing is chosen of a step everything comes back, because its fields may not be known before it has found something. */
function addFor(steps: Operation['steps'] = [], { add }: Choices): Choices['add'] {
  const paths = Object.values(add ?? {});
  const isChosen = steps.every(({ name }) => paths.some((path) => path.startsWith(`${name}.`)));
  return isChosen ? add : undefined;
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

/** What a list is asked for in one go, where it has what both are looked up by. */
const PAIR: readonly string[] = ['enrich-company', 'enrich-person'];

export async function operationViews(): Promise<readonly OperationView[]> {
  const operations = [...(await loadFamily<Operation>(OPERATIONS)).values()];
  const pair = inSteps(operations.filter(({ name }) => PAIR.includes(name)));
  return [pair, ...operations].map(({ name, summary, vendor, change, inputs, tiers, settings, steps }) => ({
    name,
    summary,
    vendor,
    is_change: change !== undefined,
    inputs: inputs.map((input) => ({
      name: input.name,
      about: input.about,
      required: input.required === true,
    })),
    tiers: steps === undefined ? [...tiers] : [],
    settings: Object.keys(settings ?? {}),
  }));
}

type Fit = ListDescription['operations'][number];

/** Which columns would feed both. */
export function pairFit(operations: readonly Fit[]): readonly Fit[] {
  const fits = operations.filter(({ operation }) => PAIR.includes(operation));
  const [first] = fits;
  if (first === undefined) return [];
  const called = (of: (fit: Fit) => Readonly<Record<string, string>>) =>
    Object.fromEntries(
      fits.flatMap((fit) =>
        Object.entries(of(fit)).map(([input, word]) => [`${fit.operation}.${input}`, word]),
      ),
    );
  return [
    {
      ...first,
      operation: PAIR.join(','),
      columns: called(({ columns }) => columns),
      because: called(({ because }) => because),
      likely: [],
      problem: fits.find(({ problem }) => problem !== null)?.problem ?? null,
    },
  ];
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
