import { hash } from 'node:crypto';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Account, chooseAccount, loadAccounts, sandboxAccount } from '../../client/account/account.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadFamily } from '../../core/family.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { readingEntries } from '../../core/reading.ts';
import { inSteps, stepNames } from '../../core/steps.ts';
import { type Job, loadJob } from '../../job/job.ts';
import { accountNames } from '../../job/job-schema.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { AccountChoice, Choices, ListDescription, OperationView } from '../api.ts';
import { HttpRefusal } from '../server/answers.ts';
import { type ListFile, ownFolder } from '../server/list-files.ts';

/**
 * What was chosen on the page is in the words of a job file and becomes one like any other, so the command
 * line does the same by it.
 */

interface ChosenJob {
  readonly job: Job;
  /** The path of the job's file, which is beside its list. */
  readonly path: string;
  readonly account: Account;
}

/** The job of these choices. The same choices are the same file, so the same batch keeps its command. */
export async function jobOfChoices(list: ListFile, choices: Choices): Promise<ChosenJob> {
  const { what, add: _, ...said } = choices;
  const steps = stepNames(what.operation);
  const known = await familyNames(OPERATIONS);
  // Any other word would be taken for the path of a job file.
  if (!steps.every((name) => known.includes(name)))
    throw new HttpRefusal(404, 'There is no such operation.', 'Choose one of those that are shown.');
  const { operation } = await loadJob(what.operation);
  const account = chooseAccount(await loadAccounts(), operation.vendor, accountNames(said.account)[0]);
  const { read = {}, repair } = list.reading ?? {};
  const text = stringify({
    ...(steps.length === 1 ? what : { operations: steps }),
    ...said,
    ...present({ add: addFor(operation.steps, choices) }),
    ...readingEntries(read),
    ...(repair === true ? { repair } : {}),
    account: account.name,
  });
  const folder = await ownFolder(list.folder, 'jobs');
  const path = join(folder, `${hash('sha256', text, 'hex').slice(0, 16)}.yaml`);
  await replaceFile(path, 0o600, [text]);
  return { job: await loadJob(path), path, account };
}

/**
 * Where nothing is chosen of a step everything comes back, because its fields may not be known before it has
 * found something.
 */
function addFor(steps: Operation['steps'] = [], { add }: Choices): Choices['add'] {
  const paths = Object.values(add ?? {});
  const isChosen = steps.every(({ name }) => paths.some((path) => path.startsWith(`${name}.`)));
  return isChosen ? add : undefined;
}

/** The two lookups that a list gets in one go, where it has the identifiers for both. */
const PAIR: readonly string[] = ['enrich-company', 'enrich-person'];

export async function operationViews(): Promise<readonly OperationView[]> {
  const operations = [...(await loadFamily<Operation>(OPERATIONS)).values()];
  const pair = inSteps(operations.filter(({ name }) => PAIR.includes(name)));
  return [pair, ...operations].map(({ name, summary, vendor, change, inputs, settings }) => ({
    name,
    summary,
    vendor,
    is_change: change !== undefined,
    inputs: inputs.map((input) => ({
      name: input.name,
      about: input.about,
      required: input.required === true,
    })),
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

export function accountChoice({ name, vendor, sandbox, region }: Account): AccountChoice {
  return { name, vendor, sandbox, region: region ?? null };
}
