import type { Advice } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadMember } from '../../core/family.ts';
import { meantWord } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import { suffixOf, wordsOf } from '../../core/steps.ts';
import type { YamlDocument } from '../../lib/yaml/document.ts';
import { checkWaterfall } from '../../operations/lookup/waterfall.ts';
import type { JobEntries } from '../job-schema.ts';

/**
 * Each entry of a job of several steps says to which step it belongs: an entry `enrich-person.profile_url` is
 * about that step alone, and an entry `profile_url` is about each step that has such an input. A tier
 * by which one step can ask alone is not about a step that needs others with it: `domain` finds a company,
 * and nobody.
 */

/** Whether a word is a list of operations' names, `enrich-company,enrich-person`. */
export const isTypedSteps = (argument: string): boolean => /^[\w-]+(,[\w-]+)+$/.test(argument);

/** @throws StopError for an unknown operation, and for one that cannot stand beside others. */
export async function checkSteps(
  { value, problem }: YamlDocument<JobEntries>,
  own: readonly string[],
): Promise<void> {
  const { operations: names = [] } = value;
  for (const [index, name] of names.entries()) {
    const wrong = (fact: string, next: Advice) => problem(['operations', index], 'value', fact, next);
    const operation = await loadMember<Operation>(OPERATIONS, name);
    const isOwn = operation === undefined && (/(?:^|\/)rowonce-/.test(name) || own.includes(name));
    if (operation?.tiers.length === 0 || isOwn)
      throw wrong(`${foreignWords(name)} cannot be one of several steps`, 'Give it a job of its own.');
    if (operation === undefined)
      throw wrong(
        `there is no operation ${foreignName(name)}`,
        meantWord(name, await familyNames(OPERATIONS)),
      );
    if (names.indexOf(name) !== index) throw wrong(`${name} is here twice`, 'Name it once.');
  }
}

export type Document = YamlDocument<JobEntries>;

/**
 * The entries of a job of several steps, each with the name of its step.
 * @throws StopError for an entry of no step.
 */
export function calledBySteps(
  { steps = [] }: Operation,
  document: Document,
): Pick<JobEntries, 'columns' | 'waterfall' | 'add'> {
  const { columns, waterfall, add } = document.value;
  return present({
    columns: columns && columnsBySteps(steps, columns, document),
    waterfall: waterfall && waterfallBySteps(steps, waterfall, document),
    add: add && addBySteps(steps, add),
  });
}

type Names = Readonly<Record<string, string>>;

const namesOf = (steps: readonly Operation[]): string => steps.map(({ name }) => name).join(', ');

function columnsBySteps(steps: readonly Operation[], columns: Names, { problem }: Document): Names {
  const inputs = steps.flatMap((step) =>
    step.inputs.map(({ name }) => ({ name, called: `${step.name}.${name}` })),
  );
  const all = Object.entries(columns).flatMap(([input, column]) => {
    const own = inputs.filter(({ name, called }) => input === name || input === called);
    if (own.length > 0) return own.map(({ called }) => [called, column]);
    const fact = `none of ${namesOf(steps)} has an input ${foreignName(input)}`;
    const known = inputs.flatMap(({ name, called }) => [name, called]);
    throw problem(['columns', input], 'name', fact, meantWord(input, known));
  });
  return Object.fromEntries(all);
}

function waterfallBySteps(
  steps: readonly Operation[],
  tiers: readonly string[],
  { problem }: Document,
): string[] {
  const waterfall: string[] = [];
  for (const [index, tier] of tiers.entries()) {
    const wrong = (fact: string, next: Advice) => problem(['waterfall', index], 'value', fact, next);
    const all = steps.flatMap((step) => tierIn(step, tier) ?? []);
    const owned = all.filter(({ isOwn }) => isOwn);
    const own = (owned.length === 0 ? all : owned).map(({ called }) => called);
    const known = steps.flatMap(({ inputs }) => inputs.map(({ name }) => name));
    if (own.length === 0)
      throw wrong(
        `none of ${namesOf(steps)} can be looked up by ${foreignName(tier)}`,
        meantWord(tier, known),
      );
    waterfall.push(...own);
    for (const step of steps) {
      const mine = wordsOf(step, waterfall);
      const found = mine.length === 0 ? undefined : checkWaterfall(step.tiers, mine);
      if (found !== undefined) throw wrong(found.message, found.next);
    }
  }
  return waterfall;
}

/**
 * A path without a step is read from the answer of every step; from the second step on, its column ends in a
 * word of the step.
 */
function addBySteps(steps: readonly Operation[], add: Names): Names {
  const all = Object.entries(add).flatMap(([column, path]) =>
    steps.some(({ name }) => path.startsWith(`${name}.`))
      ? [[column, path]]
      : steps.map(({ name }, at) => [at === 0 ? column : `${column}_${suffixOf(name)}`, `${name}.${path}`]),
  );
  return Object.fromEntries(all);
}

/**
 * Undefined for a tier whose identifiers the step does not have. The tier is the step's own unless it is a
 * single identifier by which the step cannot ask alone.
 */
function tierIn(
  { name, tiers, inputs }: Operation,
  tier: string,
): { readonly called: string; readonly isOwn: boolean } | undefined {
  const bare = tier.startsWith(`${name}.`) ? tier.slice(name.length + 1) : tier;
  const members = bare
    .replace(/^all:/, '')
    .split('+')
    .map((each) => each.trim());
  if (!members.every((each) => tiers.includes(each))) return undefined;
  const isOwn =
    members.length > 1 || inputs.some(({ name: input, needsBy }) => input === members[0] && !needsBy);
  return { called: `${name}.${bare}`, isOwn };
}
