import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { durationOf } from '../core/command-line.ts';
import { EXIT } from '../core/errors.ts';
import { chooseStore, eraseIn } from '../run/open-ledger.ts';
import { salvage } from '../run/salvage.ts';
import { erasureObject, talkedErasure } from './render/erasure.ts';
import type { CliCommand, Console, Report } from './shell/command.ts';
import { WAIT_FLAG } from './shell/flags.ts';

interface PurgeFlags {
  readonly olderThan: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait?: string;
  readonly store?: string;
}

interface Flags {
  readonly output?: string;
  readonly store?: string;
}

const store: CliCommand = {
  name: 'store',
  summary: 'Reads what is left of a damaged store, and erases what is old in a sound one.',
  example: 'npx --no rowonce store salvage -o what-is-left',
  examples: {
    salvage: 'npx --no rowonce store salvage -o what-is-left',
    purge: 'npx --no rowonce store purge --older-than 400d --dry-run',
  },
  configure(command: Command, run) {
    command
      .command('salvage')
      .description(
        'Write the outputs of all batches, all answers and a list of what cannot be read. The store stays as it is.',
      )
      .option('-o, --output <folder>', 'an empty folder for the files; left out: rowonce-salvage')
      .action(run((_console, flags: Flags) => salvageStore(flags)));
    command
      .command('purge')
      .description('Erase answers that are older, with what was asked. They may be bought again.')
      .requiredOption('--older-than <age>', 'such as 400d')
      .option('--dry-run', 'only say what would be erased')
      .option('--yes', 'erase without being asked')
      .option(...WAIT_FLAG)
      .action(run((console, flags: PurgeFlags) => purgeStore(console, flags)));
  },
};

export default store;

async function salvageStore({ output = 'rowonce-salvage', store }: Flags): Promise<Report> {
  const { files, answers, unreadable } = await salvage(chooseStore(store, false).location, output);
  return {
    lines: files,
    object: { files, answers, unreadable },
    advice: [`${answers} answers were read; ${unreadable.length} things cannot be read.`],
    exitCode: unreadable.length === 0 ? EXIT.done : EXIT.attention,
  };
}

async function purgeStore(console: Console, flags: PurgeFlags): Promise<Report> {
  const ageMs = durationOf('--older-than', flags.olderThan) ?? 0;
  const { location } = chooseStore(flags.store, false);
  const order = { kind: 'age', beforeMs: systemClock.wallMs() - ageMs } as const;
  const waitForLockMs = durationOf('--wait', flags.wait) ?? 0;
  const erased = await talkedErasure(console, {
    location,
    what: `all answers that are older than ${flags.olderThan}`,
    yes: flags.yes === true,
    dryRun: flags.dryRun === true,
    erase: (dryRun) =>
      eraseIn(location, order, { clock: systemClock, waitForLockMs, command: 'store purge', dryRun }),
  });
  const { length } = erased.unsettled;
  return {
    object: { dry_run: flags.dryRun === true, ...erasureObject(location, erased) },
    advice:
      length > 0 ? [`${length} of them may have been charged, so they stay until they are settled.`] : [],
  };
}
