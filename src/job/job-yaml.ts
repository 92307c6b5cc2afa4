import { stringify } from 'yaml';
import type { z } from 'zod';
import { present } from '../core/objects.ts';
import { plainText } from '../core/plain-text.ts';
import { stepNames } from '../core/steps.ts';
import type { Job } from './job.ts';
import { jobEntries } from './job-schema.ts';

/**
 * `loadJob` reads the same job back.
 * @param because for each input the reason why its column was guessed, as a phrase.
 */
export function jobYaml(job: Job, because: ReadonlyMap<string, string> = new Map()): string {
  const given: Readonly<Record<string, unknown>> = { ...job, operation: undefined, ...whatIsDone(job) };
  return Object.entries(jobEntries.shape)
    .filter(([entry]) => given[entry] !== undefined)
    .flatMap(([entry, schema]) => linesOf(entry, given[entry], schema, because))
    .map((line) => `${line}\n`)
    .join('');
}

/** The operation or the steps. Steps with accounts or a policy of their own have entries. */
function whatIsDone({ operation, steps = [] }: Job): object {
  const { name } = operation;
  const [account, ...others] = new Set(steps.flatMap(({ accounts }) => accounts));
  const isPlain = others.length === 0 && steps.every((step) => !(step.in_doubt || step.check || step.accept));
  if (operation.steps === undefined) return { operation: name, ...present({ account }) };
  if (isPlain) return { operations: stepNames(name), ...present({ account }) };
  const entries = steps.map((step) => {
    const ownAccounts = step.accounts.length === 0 ? undefined : step.accounts;
    const { in_doubt, check, accept } = step;
    return [step.name, present({ account: ownAccounts, in_doubt, check, accept })] as const;
  });
  return { operations: Object.fromEntries(entries) };
}

function linesOf(
  entry: string,
  value: unknown,
  { description = '' }: z.ZodType,
  because: ReadonlyMap<string, string>,
): readonly string[] {
  const meaning = description.split(';')[0];
  const ids = Object.entries(entry === 'projects' ? (value as object) : {});
  if (ids.some(([, id]) => id === null))
    return [`${entry}: { ${ids.map(([name, id]) => `${member(name, id)} `).join(', ')}}  # ${meaning}`];
  const pairs = Object.entries(entry === 'columns' || entry === 'add' ? (value as object) : {});
  if (pairs.length === 0) return [`${member(entry, value)}  # ${meaning}`];
  const lines = pairs.map(([name, text]) => {
    const why = entry === 'columns' ? because.get(name) : undefined;
    return `  ${member(name, text)}  # ${plainText(`${name} ← ${text}${why === undefined ? '' : `, ${why}`}`)}`;
  });
  return [`${entry}:  # ${meaning}`, ...lines];
}

/** One line of YAML; text is quoted where it would otherwise be read back as something else. */
function member(name: string, value: unknown): string {
  const flow = stringify({ [name]: value }, { collectionStyle: 'flow', lineWidth: 0, nullStr: '' });
  return flow.trim().slice(1, -1).trim();
}
