import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Argument, Command, type Option } from 'commander';
import { invariant, StopError } from '../../core/errors.ts';
import { COMMANDS, OPERATIONS } from '../../core/families.ts';
import { familyNames, loadMember } from '../../core/family.ts';
import { DELIMITER_NAMES, ENCODINGS } from '../../core/format.ts';
import { FORMULA_MODES } from '../../core/formulas.ts';
import type { CliCommand } from '../shell/command.ts';

/**
 * The words that may stand where the cursor is. The user waits for them, so only the command that is typed is loaded,
 * and accounts and batches only where one is named.
 */

/** The place of the cursor, found from the words before it. */
interface Place {
  readonly command: Command;
  /** The option whose value is typed. */
  readonly option?: Option;
  /** How many arguments stand before it. */
  readonly argument: number;
  readonly store: string | undefined;
}

/** Folders that are searched for jobs: `jobs`, as in a checkout, and the current one. */
const JOB_FOLDERS = ['jobs', '.'];

/** Only the newest batches are offered, because a longer list would be no help. */
const BATCHES_OFFERED = 20;

/**
 * @param program the commands and the options of all of them; the commands need not be configured.
 * @param typed the words after the program's name; the last one is being typed and may be blank.
 * @returns none where the name of a file is to be completed.
 */
export async function wordsFor(program: Command, typed: readonly string[]): Promise<readonly string[]> {
  const current = typed.at(-1) ?? '';
  const place = await placeAfter(typed.slice(0, -1), program);
  const begins = (word: string): boolean => word.startsWith(current);
  try {
    return (await wordsAt(place, current, program)).filter(begins);
  } catch (error) {
    // A wrong accounts file, or a store that cannot be read: the command itself will say so.
    if (error instanceof StopError) return [];
    throw error;
  }
}

async function placeAfter(words: readonly string[], program: Command): Promise<Place> {
  let place: Place = { command: program, argument: 0, store: undefined };
  for (const word of words) place = await placeBehind(word, place, program);
  return place;
}

async function placeBehind(word: string, place: Place, program: Command): Promise<Place> {
  const { command, option: before, argument } = place;
  if (before !== undefined) {
    const store = before.long === '--store' ? word : place.store;
    return { command, argument, store };
  }
  if (word.startsWith('-')) {
    const option = optionsOf(command, program).find(({ short, long }) => word === short || word === long);
    return option?.required === true ? { ...place, option } : place;
  }
  const named = command.commands.find((each) => each.name() === word);
  if (named === undefined) return { ...place, argument: argument + 1 };
  return { ...place, command: command === program ? await configured(word) : named };
}

/** The command with its own options and arguments. */
async function configured(name: string): Promise<Command> {
  const member = await loadMember<CliCommand>(COMMANDS, name);
  invariant(member, `there is no command ${name}`);
  const command = new Command(name);
  member.configure(command, () => async () => {});
  return command;
}

function optionsOf(command: Command, program: Command): readonly Option[] {
  return command === program ? program.options : [...command.options, ...program.options];
}

async function wordsAt(place: Place, current: string, program: Command): Promise<readonly string[]> {
  const { command, option, argument } = place;
  if (option !== undefined) return valuesOf(option);
  if (current.startsWith('-')) {
    const options = optionsOf(command, program).filter(({ long }) => long !== '--version');
    return [...options.map(({ long, flags }) => long ?? flags), '--help'];
  }
  if (command.commands.length > 0) return argument === 0 ? command.commands.map((each) => each.name()) : [];
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const meant = all[argument] ?? (last?.variadic === true ? last : undefined);
  return meant === undefined ? [] : meanings(meant, place);
}

/** The words that some options take. An option may take other values too, which the command checks itself. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--encoding': ENCODINGS,
  '--delimiter': DELIMITER_NAMES,
  '--ragged': ['pad'],
  '--formulas': FORMULA_MODES,
  '--vendor': ['provider', 'service'],
  '--region': ['AU', 'EU', 'US'],
};

async function valuesOf({ long, argChoices }: Option): Promise<readonly string[]> {
  if (long === '--account' || long === '--via') return accountNames();
  return argChoices ?? VALUES[long ?? ''] ?? [];
}

/** An argument is known by its name, which is the same in every command. */
async function meanings(argument: Argument, { store }: Place): Promise<readonly string[]> {
  switch (argument.name()) {
    case 'job':
      return [...(await familyNames(OPERATIONS)), ...(await jobFiles())];
    case 'jobs':
      return jobFiles();
    case 'batch':
      return ['last', ...(await batches(store))];
    case 'name':
      return accountNames();
    default:
      return argument.argChoices ?? [];
  }
}

async function jobFiles(): Promise<readonly string[]> {
  const found = JOB_FOLDERS.map(async (folder) => {
    const files = await readdir(folder).catch(() => []);
    return files.filter((file) => /\.ya?ml$/i.test(file)).map((file) => join(folder, file));
  });
  return (await Promise.all(found)).flat().sort();
}

async function accountNames(): Promise<readonly string[]> {
  const { loadAccounts, SANDBOX_NAMES } = await import('../../vendor/account/account.ts');
  return [...(await loadAccounts()).configured.map(({ name }) => name), ...SANDBOX_NAMES];
}

async function batches(store: string | undefined): Promise<readonly string[]> {
  const { eachLedger } = await import('../../run/find-batch.ts');
  const found = (await eachLedger(store, (ledger) => ledger.batches())).flat();
  const newest = found.sort((a, b) => b.createdAtMs - a.createdAtMs).slice(0, BATCHES_OFFERED);
  return newest.map(({ id }) => id);
}
