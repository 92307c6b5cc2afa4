import { z } from 'zod';
import { invariant, stop } from '../../core/errors.ts';
import { COMMANDS, describeOperations, loadFamily } from '../../core/families.ts';
import { present } from '../../core/objects.ts';
import { flagWords, nameStoreOfCall } from '../../lib/command-line.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { storeToName } from '../../run/store-choice.ts';
import type { PageCommand } from '../../web/serve.ts';
import { type Command, type CommandGroup, type Console, entryInfos, type Own } from './command.ts';

/**
 * A command as a function of the library: it takes the object of its flags, and gives the object of `--json`.
 * A call throws a stop as a StopError, unless its object has the stop under `stopped`.
 */
export function callOf<Input extends z.ZodObject, Output extends object>(of: Command<Input, Output>) {
  return async (passed: z.input<Input>, ownParts?: Own): Promise<Output> => {
    const given = passed ?? {};
    return callChecked(of, checkInput(of.name, of.input, given), given, ownParts);
  };
}

/**
 * @param input the checked form of `given`.
 * @param onProgress is told what the command has counted so far.
 */
async function callChecked<Input extends z.ZodObject, Output extends object>(
  of: Command<Input, Output>,
  input: z.output<Input>,
  given: Readonly<Record<string, unknown>>,
  ownParts: Own = {},
  onProgress: Console['soFar'] = () => {},
): Promise<Output> {
  await describeOperations();
  const { store }: { readonly store?: string } = given;
  nameStoreOfCall(storeToName(store));
  const words = typedFrom(of, given);
  const replaced = (from: string, to: string) => words.map((word) => (word === from ? to : word));
  // The program decides what Ctrl-C means, because it may have more lists to work through.
  const { signal = new AbortController().signal } = ownParts;
  const host = {
    console: { ...silent(ownParts), soFar: onProgress },
    words,
    wordsWith: replaced,
    ownParts: { ...ownParts, signal },
  };
  const { object } = await of.run(input, host);
  invariant(object, `${of.name} tells nothing`);
  return object;
}

/** A console without a person in front of it. */
export const silent = ({ tell = () => {} }: Own): Console => ({
  json: true,
  quiet: true,
  interactive: false,
  watched: false,
  print: () => {},
  say: () => {},
  warn: tell,
  status: () => {},
  soFar: () => {},
  result: () => {},
  agrees: async () => false,
  ask: async () => undefined,
});

/** The command line with the same meaning, with which a person can go on. */
function typedFrom(
  { name, input }: Pick<Command, 'name' | 'input'>,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  const shape: Readonly<Record<string, z.ZodType>> = input.shape;
  const words: string[] = [];
  const flags: string[] = [];
  for (const [entry, schema] of Object.entries(shape)) {
    const value = given[entry];
    const how = entryInfos.get(schema);
    if (value === undefined || value === false || how === undefined) continue;
    const flag = `--${how.flag ?? entry.replaceAll('_', '-')}`;
    if (how.isArgument) words.push(...textsOf(schema, value));
    else if (how.isRepeated && Array.isArray(value))
      flags.push(...value.flatMap((each) => flagWords(flag, each)));
    else flags.push(...flagWords(flag, Array.isArray(value) ? schema.parse(value) : value));
  }
  return [...name.split(' '), ...words, ...flags];
}

export function textsOf(schema: z.ZodType, value: unknown): readonly string[] {
  if (value === true) return [];
  // A list that is an object in the file, such as `{ all: […] }`, has a word for the command line.
  if (Array.isArray(value)) return (schema.parse(value) as readonly unknown[]).map(String);
  return value instanceof Object ? Object.entries(value).map((pair) => pair.join('=')) : [String(value)];
}

// -------------------------------------------------------------------------------------- commands on the page

const KEY = z.string().min(1).max(10_000);

type PageInput = Readonly<Record<string, unknown>>;

/** @param ownOptions the store and the user are those of `serve`. */
export async function pageCommands(
  ownOptions: {
    readonly [Name in 'store' | 'as']?: string | undefined;
  },
): Promise<readonly PageCommand[]> {
  const members = [...(await loadFamily<Command | CommandGroup>(COMMANDS)).values()];
  const all = members.flatMap((of) => {
    if (!('commands' in of)) return (of.faces?.includes('page') ?? true) ? [of] : [];
    return of.commands.filter(({ faces }) => faces?.includes('page'));
  });
  return all.map((of) => pageCommand(of, present(ownOptions)));
}

function pageCommand(of: Command, pageInput: PageInput): PageCommand {
  const shape: Readonly<Record<string, z.ZodType>> = of.input.shape;
  const entries = new Map<string, string>();
  const taken: Record<string, z.ZodType> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const how = entryInfos.get(schema);
    if (how?.page !== undefined) entries.set(name, how.page);
    if (how === undefined || how.page === 'none') continue;
    if (how.page === 'key') taken.key = KEY;
    else if (how.page === 'optional_key') taken.key = KEY.optional();
    else taken[name] = how.page === 'batch' ? z.nonoptional(schema) : schema;
  }
  const input = z.strictObject(taken);
  const needed = [...entries].filter(([, meaning]) => meaning === 'seen_plan').map(([name]) => [name, true]);
  const inputOfAll = input.required(Object.fromEntries(needed));
  const check = (given: PageInput): PageInput =>
    checkInput(of.name, given.sample === undefined ? inputOfAll : input, given);
  return {
    name: of.name,
    ...present({ work: of.work }),
    entries,
    check,
    async call(given, { onProgress, ...calling } = {}) {
      const ours = { ...pageInput, ...calling };
      return callChecked(of, { ...check(given), ...ours }, { ...given, ...ours }, undefined, onProgress);
    },
    wordsFor(given) {
      for (const [name, schema] of Object.entries(taken))
        if (name in given && entryInfos.get(shape[name] ?? schema)?.isArgument)
          requireNoFlag(`${of.name}: ${name}`, textsOf(schema, given[name]));
      return typedFrom(of, given);
    },
  };
}

function requireNoFlag(entry: string, texts: readonly string[]): void {
  const flag = texts.find((text) => text.startsWith('-'));
  if (flag !== undefined) throw stop('usage', `${entry} is ${flag}.`, 'Begin it with another sign than "-".');
}
