import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { durationOf } from '../lib/command-line.ts';
import { ErasureObject } from '../objects/erasure-object.ts';
import { storesWithLists } from '../run/store-choice.ts';
import { eraseIn, personOf, requireSettled } from '../run/tasks/erase.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { talkedErasure } from './shared/erasure.ts';
import { WAIT_FLAG } from './shared/flags.ts';

interface Flags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait?: string;
  readonly as?: string;
  readonly store?: string;
}

export default {
  name: 'forget',
  summary: 'Erases a person: every question, answer and cell about them.',
  example: 'forget jo@example.com --dry-run',
  configure(command: Command, wrap) {
    command
      .argument('<person>', 'an e-mail address, or the address of a profile page')
      .option('--dry-run', 'only show what would be erased')
      .option('--yes', 'erase without being asked')
      .option(...WAIT_FLAG)
      .action(wrap(forgetCommand));
  },
} satisfies CliCommand;

/** Other processes read this name beside the ledger, so it does not contain the person. */
const COMMAND = 'forget';

async function forgetCommand(console: Console, text: string, flags: Flags): Promise<Report> {
  const person = personOf(text);
  const options = {
    clock: systemClock,
    waitForLockMs: durationOf('--wait', flags.wait) ?? 0,
    command: COMMAND,
    operator: flags.as,
  };
  const stores: object[] = [];
  for (const location of storesWithLists(flags.store)) {
    const erased = await talkedErasure(console, {
      location,
      what: 'everything about this person',
      yes: flags.yes === true,
      dryRun: flags.dryRun === true,
      erase: async (dryRun) =>
        requireSettled(await eraseIn(location, { kind: 'person', person }, { ...options, dryRun })),
    });
    stores.push(ErasureObject.of({ ...erased, location }));
  }
  return {
    lines: stores.length === 0 ? ['There is no store, so nothing is kept.'] : [],
    object: { dry_run: flags.dryRun === true, stores },
  };
}
