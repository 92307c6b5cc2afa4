import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadMember } from '../../core/family.ts';
import { suggestion } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import type { YamlDocument } from '../../lib/yaml/document.ts';
import type { JobFile } from './job-schema.ts';

/**
 * A job of several operations is as many jobs: each has the entries that are about it. What is called `enrich-person.profile_url` is
 * about that operation alone, and what only says `profile_url` is about each that has such an input.
 */

/** The operations that are typed as one word, `enrich-company,enrich-person`; none where it is another word. */
export function typedOperations(argument: string): readonly string[] {
  return /^[\w-]+(,[\w-]+)+$/.test(argument) ? argument.split(',') : [];
}

/** @throws StopError for an unknown operation, one that cannot stand beside others, and entries of none. */
export async function checkSeveral(
  { value, problem }: YamlDocument<JobFile>,
  own: readonly string[],
): Promise<void> {
  const { operations: names = [], columns = {}, waterfall = [] } = value;
  const operations: Operation[] = [];
  for (const [index, name] of names.entries()) {
    const wrong = (fact: string, next: string) => problem(['operations', index], 'value', fact, next);
    const operation = await loadMember<Operation>(OPERATIONS, name);
    const isOwn = operation === undefined && (/(?:^|\/)rowonce-/.test(name) || own.includes(name));
    if (operation?.tiers.length === 0 || isOwn)
      throw wrong(`${foreignWords(name)} cannot run together with others`, 'Give it a job of its own.');
    if (operation === undefined)
      throw wrong(
        `there is no operation ${foreignName(name)}`,
        suggestion(name, await familyNames(OPERATIONS)),
      );
    if (names.indexOf(name) !== index) throw wrong(`${name} is here twice`, 'Name it once.');
    operations.push(operation);
  }
  const inputs = operations.flatMap((operation) => operation.inputs.map((input) => input.name));
  const known = [
    ...inputs,
    ...operations.flatMap(({ name, inputs: own }) => own.map((each) => `${name}.${each.name}`)),
  ];
  const stray = Object.keys(columns).find((name) => !known.includes(name));
  if (stray !== undefined) {
    const fact = `none of ${names.join(', ')} has an input ${foreignName(stray)}`;
    throw problem(['columns', stray], 'name', fact, suggestion(stray, known));
  }
  const tier = waterfall.findIndex((each) =>
    operations.every((operation) => tierIn(operation, each) === undefined),
  );
  if (tier < 0) return;
  const fact = `none of ${names.join(', ')} can be looked up by ${foreignName(waterfall[tier] ?? '')}`;
  throw problem(['waterfall', tier], 'value', fact, suggestion(waterfall[tier] ?? '', inputs));
}

export function partFor(file: JobFile, operation: Operation): JobFile {
  const { operations: _, columns, waterfall, add, ...others } = file;
  const tiers = waterfall?.flatMap((tier) => tierIn(operation, tier) ?? []);
  return {
    ...others,
    operation: operation.name,
    ...present({
      columns: columns && columnsFor(operation, columns),
      waterfall: tiers?.length ? tiers : undefined,
      add: add && addFor(operation, add, file.operations ?? []),
    }),
  };
}

type Names = Readonly<Record<string, string>>;

function columnsFor({ name, inputs }: Operation, columns: Names): Record<string, string> {
  const own = inputs.flatMap((input) => {
    const column = columns[`${name}.${input.name}`] ?? columns[input.name];
    return column === undefined ? [] : [[input.name, column] as const];
  });
  return Object.fromEntries(own);
}

/** Undefined for a tier that the operation cannot ask by. */
function tierIn({ name, tiers }: Operation, tier: string): string | undefined {
  const bare = tier.startsWith(`${name}.`) ? tier.slice(name.length + 1) : tier;
  const members = bare.replace(/^all:/, '').split('+');
  return members.every((each) => tiers.includes(each.trim())) ? bare : undefined;
}

/** A path that begins with the name of another operation is that one's. */
function addFor({ name }: Operation, add: Names, operations: readonly string[]): Record<string, string> {
  const own = Object.entries(add).flatMap(([column, path]) => {
    const of = operations.find((each) => path.startsWith(`${each}.`));
    if (of !== undefined && of !== name) return [];
    return [[column, of === undefined ? path : path.slice(name.length + 1)] as const];
  });
  return Object.fromEntries(own);
}
