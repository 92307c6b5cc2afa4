import type { Command } from 'commander';
import { EXIT } from '../core/errors.ts';
import { counted, linesOf, plainText } from '../core/plain-text.ts';
import { commandLine } from '../lib/command-line.ts';
import { adoptTeam } from '../run/tasks/adopt.ts';
import type { CliCommand, Console, Report } from './shell/command.ts';
import { addColumnFlag, addRoleFlag, type EntryFlags, entriesOf } from './shell/entry-flags.ts';
import { addReadFlags, type ReadFlags, readFlagsOf } from './shell/flags.ts';

interface Flags extends ReadFlags, Pick<EntryFlags, 'column' | 'role'> {
  readonly account?: string;
  readonly store?: string;
}

export default {
  name: 'adopt',
  summary:
    'Records who is already in a team, from a list, so that none of them is invited again; sends nothing.',
  example: 'adopt jobs/onboard-team.yaml team-of-today.csv',
  configure(command: Command, wrap) {
    addRoleFlag(addColumnFlag(addReadFlags(command)))
      .argument('<job>', 'a YAML file of onboard, or the word onboard')
      .argument('<file>', 'a list of who is in the team, in the form that the job reads')
      .option('--account <name>', "the account to use, over the job's")
      .action(wrap(adoptCommand));
  },
} satisfies CliCommand;

async function adoptCommand(console: Console, job: string, file: string, flags: Flags): Promise<Report> {
  const { account, store } = flags;
  const { batch, rows, adopted, known, left } = await adoptTeam({
    ...{ job, file, account, store },
    ...{ entries: entriesOf(flags), read: readFlagsOf(flags) },
    tell: console.warn,
    note: console.say,
  });
  return {
    lines: linesOf(
      `${counted(adopted, 'person', 'people')} adopted from ${file}, ${known} known before; nothing was sent.`,
      left.map(({ row, reason }) => plainText(`! row ${row}: ${reason}`)),
    ),
    object: { batch, rows, adopted, known, left: left.map((each) => ({ ...each })) },
    advice: [`To see what a list would change now: ${commandLine(['plan', job, file])}`],
    exitCode: left.length > 0 ? EXIT.attention : EXIT.done,
  };
}
