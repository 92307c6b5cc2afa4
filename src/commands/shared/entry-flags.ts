import type { Command } from 'commander';
import { stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import type { JobEntries } from '../../job/job.ts';

export interface EntryFlags {
  readonly column?: readonly string[];
  readonly add?: readonly string[];
  readonly waterfall?: string;
  readonly role?: readonly string[];
}

const eachOf = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export function addEntryFlags(command: Command): Command {
  return addRoleFlag(
    addColumnsFlag(addColumnFlag(command)).option(
      '--waterfall <inputs>',
      'what is tried in order until one matches, such as abn,domain',
    ),
  );
}

export function addColumnFlag(command: Command): Command {
  return command.option(
    '--column <input=column>',
    "which column feeds an input, instead of the job's or the guess; repeat for each; INPUT= for none",
    eachOf,
  );
}

export function addRoleFlag(command: Command): Command {
  return command.option(
    '--role <word=role>',
    'which role a word of the list means, or one role for all rows',
    eachOf,
  );
}

export function addColumnsFlag(command: Command): Command {
  return command.option(
    '--add <column=path>',
    'a column to add, and where its value is in the answer; repeat for each',
    eachOf,
  );
}

/** @throws StopError `usage` for a value that is no pair, and for a name that is said twice. */
export function entriesOf({ column, add, waterfall, role }: EntryFlags): JobEntries {
  const bare = role?.filter((each) => !each.includes('=')) ?? [];
  if (bare.length > 1) throw stop('usage', '--role gives one role for all rows twice.', 'Give it once.');
  const words = role?.filter((each) => each.includes('='));
  return present({
    columns: column && pairsOf('--column domain=Website', column),
    add: add && pairsOf('--add phone=phones.0', add.map(onePath)),
    waterfall: waterfall?.split(',').map((tier) => tier.trim()),
    role: bare[0],
    roles: words?.length ? pairsOf('--role "Read only=viewer"', words, true) : undefined,
  });
}

/** @throws StopError `usage` for several in one, which no path holds. */
function onePath(text: string): string {
  if (/,[^,=]*=/.test(text))
    throw stop('usage', `--add ${text} is more than one pair.`, 'Give --add once for each.');
  return text;
}

/** @param isLast the last equals sign divides a value, because no role has one. */
function pairsOf(
  example: string,
  values: readonly string[],
  isLast = false,
): Readonly<Record<string, string>> {
  const [flag = ''] = example.split(' ');
  const pairs = new Map<string, string>();
  for (const value of values) {
    const at = isLast ? value.lastIndexOf('=') : value.indexOf('=');
    const name = value.slice(0, Math.max(at, 0));
    if (name === '') throw stop('usage', `${flag} ${value} is not a pair.`, `Give it as ${example}.`);
    if (pairs.has(name)) throw stop('usage', `${flag} names ${name} twice.`, 'Give it once.');
    pairs.set(name, value.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}
