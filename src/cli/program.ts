import { Argument, Command, Option } from 'commander';
import type { z } from 'zod';
import {
  type CommandGroup,
  type EntryInfo,
  entryInfos,
  type Command as OurCommand,
} from '../commands/shared/command.ts';
import { invariant, type StopError, stop } from '../core/errors.ts';
import {
  COMMANDS,
  describeOperations,
  familyNames,
  loadMember,
  OPERATIONS,
  version,
} from '../core/families.ts';
import { sentence } from '../core/plain-text.ts';
import { commandLine, wholeNumber } from '../lib/command-line.ts';

/** Only the command that is typed is imported: the others would cost every start their imports. */

/** Declared on every command, so that each command's own `--help` lists them. */
interface SharedOptions {
  readonly json?: true;
  readonly quiet?: true;
  /** False when none are wanted. */
  readonly color?: boolean;
  /** A folder, or the address of a shared store. */
  readonly store?: string;
  readonly as?: string;
}

interface ProgramHooks {
  write(text: string): void;
  writeError(text: string): void;
  started(options: SharedOptions): void;
}

/** The program with the names of all commands. No command is loaded. */
export async function buildProgram(hooks: ProgramHooks): Promise<Command> {
  const program = bareProgram(hooks);
  for (const name of await familyNames(COMMANDS)) program.command(name);
  program.hook('preAction', (_program, command) => {
    inheritOptions(command);
    hooks.started(command.opts<SharedOptions>());
  });
  return program;
}

/** Configures what answers the words, so that commander can read them. */
export async function configureTyped(
  program: Command,
  argv: readonly string[],
  run: RunCommand,
): Promise<void> {
  const { operands, unknown } = program.parseOptions([...argv]);
  const typed = program.commands.find((command) => command.name() === operands[0]);
  if (typed !== undefined) await configure(typed, run);
  else if (listsCommands(operands, unknown))
    for (const command of program.commands) command.summary((await loadCommand(command.name())).summary);
}

/**
 * `--help` lists the commands, and so does a command line that says nothing; a wrong one is answered without
 * the list.
 */
function listsCommands(operands: readonly string[], unknown: readonly string[]): boolean {
  if (unknown.some((option) => ['--help', '-h'].includes(option))) return true;
  return operands.length === 0 && unknown.length === 0;
}

function bareProgram(output: ProgramHooks): Command {
  const program = new Command('rowonce')
    .description('Enriches the rows of a spreadsheet through a paid API, and never pays for one twice.')
    .version(version())
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help').hideHelp())
    .configureHelp({ helpWidth: HELP_WIDTH, optionDescription })
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => output.writeError(text),
      // What is wrong is said in our own style, from the error that is thrown.
      outputError: () => {},
    })
    .addHelpText(
      'after',
      `\n${commandLine(['COMMAND', '--help'])} shows the options of a command and an example.`,
    );
  return withSharedOptions(program);
}

type Member = OurCommand | CommandGroup;

/** Runs a command with what was typed for it. @param typed what commander has read. */
export type RunCommand = (of: OurCommand, input: Record<string, unknown>, typed: Command) => Promise<void>;

async function loadCommand(name: string): Promise<Member> {
  const member = await loadMember<Member>(COMMANDS, name);
  invariant(member, `there is no command ${name}`);
  return member;
}

async function configure(typed: Command, run: RunCommand): Promise<void> {
  const member = await loadCommand(typed.name());
  if (!('commands' in member)) return configureOne(typed, member, run);
  describeWith(typed, member);
  for (const of of member.commands) await configureOne(typed.command(of.name.split(' ')[1] ?? ''), of, run);
}

async function configureOne(typed: Command, of: OurCommand, run: RunCommand): Promise<void> {
  const operations = 'job' in of.input.shape ? await familyNames(OPERATIONS) : [];
  describeWith(typed, of, operations);
  declare(typed, of);
  typed.action(async (...args) => {
    await describeOperations();
    await run(of, await readInput(of, args.slice(0, -2), typed), typed);
  });
}

/** @param operations those that it may be asked for. */
function describeWith(
  typed: Command,
  { summary, details = '', example }: Member,
  operations: readonly string[] = [],
): void {
  const about = [summary, details].filter((text) => text !== '').join(' ');
  const named = operations.length === 0 ? '' : `\n\nOperations: ${operations.join(', ')}.`;
  withSharedOptions(typed.summary(summary).description(`${about}${named}`)).addHelpText(
    'after',
    `
Every command also takes --json, --quiet, --no-color, --store <location>, --as <name> and --help.
Where … stands, docs/reference/README.md says the rest.

Example:
  ${commandLine([])} ${example}`,
  );
}

const HELP_WIDTH = 100;

/** Beside the longest flag that a command takes. */
const LONGEST_ABOUT = 71;

/** In one line: what does not fit stands in the reference. */
function optionDescription({
  description,
  argChoices: choices = [],
  required,
  defaultValue,
}: Option): string {
  const besides = [
    ...(choices.length > 0 ? [choices.join(', ')] : []),
    ...(required && defaultValue !== undefined ? [`default: ${defaultValue}`] : []),
  ];
  const whole = besides.length === 0 ? description : `${description} (${besides.join('; ')})`;
  const fitting = [whole, description].find((text) => text.length <= LONGEST_ABOUT);
  if (fitting !== undefined) return fitting;
  const most = description.slice(0, LONGEST_ABOUT - 1);
  const end = [/^(.+); /s, /^(.+)[:,] /s, /^(.+) /s].map((to) => to.exec(most)?.[1]).find((text) => text);
  return `${end} …`;
}

/** What every command takes. */
const SHARED = [
  ['--json', 'print one JSON object on stdout and nothing else there'],
  ['--quiet', 'no progress, and nothing on stderr except what went wrong'],
  ['--no-color', 'no colours, even on a terminal'],
  ['--store <location>', 'where the ledger is: a folder (default: $ROWONCE_STORE, else the state folder)'],
  ['--as <name>', 'your name, for the log (default: the user of the system)'],
] as const;

/** The help of the program describes them once. */
function withSharedOptions(command: Command): Command {
  for (const [flags, about] of SHARED)
    command.addOption(new Option(flags, about).hideHelp(command.parent !== null));
  return command;
}

/** `rowonce --json status` means the same as `rowonce status --json`. */
function inheritOptions(command: Command): void {
  for (let parent = command.parent; parent !== null; parent = parent.parent) {
    for (const [name, value] of Object.entries(parent.opts<SharedOptions>())) {
      const typed = parent.getOptionValueSource(name) === 'cli';
      if (typed && command.getOptionValueSource(name) !== 'cli') command.setOptionValue(name, value);
    }
  }
}

// ----------------------------------------------------------------------- how the input of a command is typed

/** Its entries are flags and arguments, and what was typed becomes entries again. */
interface Entry {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly how: EntryInfo;
}

function entriesIn({ input }: OurCommand): readonly Entry[] {
  const shape: Readonly<Record<string, z.ZodType>> = input.shape;
  return Object.entries(shape).flatMap(([name, schema]) => {
    const how = entryInfos.get(schema);
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
function declare(typed: Command, of: OurCommand): void {
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
  const { about, short, value, negation, group, isRepeated, meant = () => undefined } = first.how;
  const option = new Option([short && `-${short},`, flag, value].filter(Boolean).join(' '), about);
  if (group !== undefined) option.helpGroup(group);
  const { def } = first.schema;
  if ('defaultValue' in def) option.default(def.defaultValue);
  const kind = others.length > 0 ? 'record' : kindOf(first.schema);
  if (kind === 'record' || isRepeated)
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
async function readInput(
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
  const [name = '', at = 0] = path.map(String);
  const flag = [...byFlag(entries)].find(([, sharing]) => sharing.some((each) => each.name === name))?.[0];
  const help = commandLine([...of.name.split(' '), '--help']);
  const givenValue = given[name];
  const value: unknown = Array.isArray(givenValue) ? givenValue[Number(at)] : givenValue;
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
