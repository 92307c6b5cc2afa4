import { Command, type Option } from 'commander';
import type { CommandGroup, Command as OurCommand } from '../commands/shared/command.ts';
import { invariant } from '../core/errors.ts';
import { COMMANDS, OPERATIONS, version } from '../core/families.ts';
import { familyNames, loadMember } from '../core/family.ts';
import { commandLine } from '../lib/command-line.ts';
import { declare, readInput } from './typed-input.ts';

/** Only the command that is typed is imported: the others would cost every start their imports. */

interface HelpOutput {
  write(text: string): void;
  writeError(text: string): void;
}

/** Declared on every command, so that each command's own `--help` lists them. */
export interface SharedOptions {
  readonly json?: true;
  readonly quiet?: true;
  /** False when none are wanted. */
  readonly color?: boolean;
  /** A folder, or the address of a shared store. */
  readonly store?: string;
  readonly as?: string;
}

interface ProgramHooks extends HelpOutput {
  started(options: SharedOptions): void;
}

/** The program with the names of all commands, none of which is loaded. */
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
export async function load(program: Command, argv: readonly string[], run: Run): Promise<void> {
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

function bareProgram(output: HelpOutput): Command {
  const program = new Command('rowonce')
    .description('Enriches the rows of a spreadsheet through a paid API, and never pays for one twice.')
    .version(version())
    .helpCommand(false)
    .configureHelp({ helpWidth: HELP_WIDTH, optionDescription, visibleOptions })
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
export type Run = (of: OurCommand, input: Record<string, unknown>, typed: Command) => Promise<void>;

async function loadCommand(name: string): Promise<Member> {
  const member = await loadMember<Member>(COMMANDS, name);
  invariant(member, `there is no command ${name}`);
  return member;
}

async function configure(typed: Command, run: Run): Promise<void> {
  const member = await loadCommand(typed.name());
  if (!('commands' in member)) return configureOne(typed, member, run);
  describeWith(typed, member);
  for (const of of member.commands) await configureOne(typed.command(of.name.split(' ')[1] ?? ''), of, run);
}

async function configureOne(typed: Command, of: OurCommand, run: Run): Promise<void> {
  const operations = 'job' in of.input.shape ? await familyNames(OPERATIONS) : [];
  describeWith(typed, of, operations);
  declare(typed, of);
  typed.action(async (...args) => run(of, await readInput(of, args.slice(0, -2), typed), typed));
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

/** What every command takes is described once, in the help of the program. */
function visibleOptions(command: Command): Option[] {
  const shared = command.parent === null ? [] : withSharedOptions(new Command()).options;
  return command.options.filter((option) => shared.every(({ long }) => long !== option.long));
}

function withSharedOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object on stdout and nothing else there')
    .option('--quiet', 'no progress, and nothing on stderr except what went wrong')
    .option('--no-color', 'no colours, even on a terminal')
    .option(
      '--store <location>',
      'where the ledger is: a folder (default: $ROWONCE_STORE, else the state folder)',
    )
    .option('--as <name>', 'your name, for the log (default: the user of the system)');
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
