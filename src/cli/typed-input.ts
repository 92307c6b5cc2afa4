import { Argument, type Command, Option } from 'commander';
import type { z } from 'zod';
import { type EntryInfo, type Command as OurCommand, said } from '../commands/shared/command.ts';
import { invariant, type StopError, stop } from '../core/errors.ts';
import { sentence } from '../core/plain-text.ts';
import { commandLine, wholeNumber } from '../lib/command-line.ts';

/**
 * How the input of a command is typed: its entries are flags and arguments, and what was typed becomes
 * entries again.
 */

interface Entry {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly how: EntryInfo;
}

function entriesIn({ input }: OurCommand): readonly Entry[] {
  const shape: Readonly<Record<string, z.ZodType>> = input.shape;
  return Object.entries(shape).flatMap(([name, schema]) => {
    const how = said.get(schema);
    return how === undefined ? [] : [{ name, schema, how }];
  });
}

/** Two entries may be typed by the same flag. */
function byFlag(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const flags = entries.filter(({ how }) => how.isArgument === undefined);
  return Map.groupBy(flags, ({ name, how }) => `--${how.flag ?? name.replaceAll('_', '-')}`);
}

const argumentsIn = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ how }) => how.isArgument);

// ----------------------------------------------------------------------------------------- what may be typed

/** Declares all that the command takes, so that its `--help` lists it. */
export function declare(typed: Command, of: OurCommand): void {
  const entries = entriesIn(of);
  for (const { name, schema, how } of argumentsIn(entries)) {
    const isOptional = of.entriesOf !== undefined || schema.safeParse(undefined).success;
    const word = ['array', 'record'].includes(kindOf(schema)) ? `${name}...` : name;
    const declared = new Argument(isOptional ? `[${word}]` : `<${word}>`, how.about);
    typed.addArgument(kindOf(schema) === 'enum' ? declared.choices(wordsOf(schema)) : declared);
  }
  for (const [flag, sharing] of byFlag(entries)) {
    for (const option of optionsOf(flag, sharing)) typed.addOption(option);
  }
}

function optionsOf(flag: string, [first, ...others]: readonly Entry[]): readonly Option[] {
  invariant(first, `${flag} is of no entry`);
  const { about, short, value, negation, group, meant = () => undefined } = first.how;
  const option = new Option([short && `-${short},`, flag, value].filter(Boolean).join(' '), about);
  if (group !== undefined) option.helpGroup(group);
  const { def } = first.schema;
  if ('defaultValue' in def) option.default(def.defaultValue);
  const kind = others.length > 0 ? 'record' : kindOf(first.schema);
  if (kind === 'record')
    option.argParser((word, before: readonly string[] = []): readonly string[] => [...before, word]);
  if (kind === 'number') option.argParser((word) => wholeNumber(flag, word));
  if (kind === 'array' && !option.variadic)
    option.argParser((word) => word.split(',').map((each) => each.trim()));
  if (kind === 'enum') {
    const { parseArg } = option.choices(wordsOf(first.schema));
    option.argParser((word: string) => parseArg?.(meant(word) ?? word.toLowerCase(), undefined));
  }
  return negation === undefined ? [option] : [option, new Option(flag.replace('--', '--no-'), negation)];
}

/** The schema that text is held against, inside of what may be left out or is made of it. */
function coreOf(schema: z.ZodType): z.ZodType {
  const { def } = schema as z.ZodType & {
    readonly def: { readonly innerType?: z.ZodType; readonly in?: z.ZodType };
  };
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : coreOf(inner);
}

const kindOf = (schema: z.ZodType): string => coreOf(schema).def.type;

const wordsOf = (schema: z.ZodType): string[] => (coreOf(schema) as z.ZodEnum).options.map(String);

// -------------------------------------------------------------------------------------------- what was typed

/**
 * @param words those that are arguments, in their order.
 * @throws StopError `usage` for what is not as the command takes it.
 */
export async function readInput(
  of: OurCommand,
  words: readonly unknown[],
  typed: Command,
): Promise<Record<string, unknown>> {
  const entries = entriesIn(of);
  const flags = typed.opts<Readonly<Record<string, unknown>>>();
  const given: Record<string, unknown> = {
    ...((await of.entriesOf?.(...(words as (string | undefined)[]))) ??
      Object.fromEntries(
        argumentsIn(entries).map((entry, at) => [entry.name, ofArgument(entry, words[at])]),
      )),
  };
  for (const [flag, sharing] of byFlag(entries)) {
    const value = flags[new Option(flag).attributeName()];
    Object.assign(given, ofFlag(flag, sharing, value));
  }
  for (const name of ['store', 'as']) if (name in of.input.shape) given[name] = flags[name];
  const { data, error } = of.input.safeParse(given);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  invariant(issue, 'a command line was refused without an issue');
  throw wrong(of, issue, entries, given);
}

function ofArgument({ schema, how }: Entry, word: unknown): unknown {
  return kindOf(schema) === 'record' ? pairsOf('', word as readonly string[], how) : word;
}

/** What a flag says: the value of its only entry, or pairs, which go to the record among its entries. */
function ofFlag(flag: string, sharing: readonly Entry[], value: unknown): Readonly<Record<string, unknown>> {
  const record = sharing.find(({ schema }) => kindOf(schema) === 'record');
  const text = sharing.find((each) => each !== record);
  if (record === undefined) return { [text?.name ?? '']: value };
  const words = (value ?? []) as readonly string[];
  const bare = text === undefined ? [] : words.filter((word) => !word.includes('='));
  if (bare.length > 1)
    throw stop('usage', `${flag} gives one ${text?.name} for all rows twice.`, 'Give it once.');
  const paired = words.filter((word) => !bare.includes(word));
  return {
    ...(text && { [text.name]: bare[0] }),
    [record.name]: paired.length === 0 ? undefined : pairsOf(flag, paired, record.how),
  };
}

function pairsOf(
  flag: string,
  words: readonly string[],
  { example }: EntryInfo,
): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(at, 0));
    const typed = `${flag} ${word}`.trim();
    if (name === '') throw stop('usage', `${typed} is not a pair.`, `Give it as ${example}.`);
    if (pairs.has(name)) throw stop('usage', `${typed} gives ${name} twice.`, 'Give it once.');
    pairs.set(name, word.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

function wrong(
  of: OurCommand,
  { path, message, ...issue }: z.core.$ZodIssue,
  entries: readonly Entry[],
  given: Readonly<Record<string, unknown>>,
): StopError {
  const [name = ''] = path.map(String);
  const flag = [...byFlag(entries)].find(([, sharing]) => sharing.some((each) => each.name === name))?.[0];
  const help = commandLine([...of.name.split(' '), '--help']);
  const value = given[name];
  if (value === undefined) return stop('usage', `${flag ?? name} is missing.`, 'See the help.', help);
  const shown = value instanceof Object ? Object.entries(value).map((pair) => pair.join('='))[0] : value;
  const typed = [flag, shown].filter((word) => word !== undefined && word !== '').join(' ');
  const next = 'params' in issue ? issue.params?.next : undefined;
  // A message that comes without advice says what would be right, so it is shown as the advice.
  return next === undefined && !message.startsWith('is ')
    ? stop(
        'usage',
        `${typed} cannot be read.`,
        sentence(`${message.charAt(0).toUpperCase()}${message.slice(1)}`),
      )
    : stop('usage', `${typed} ${message}.`, next ?? 'See the help.', next === undefined ? help : undefined);
}
