import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findAccount, loadAccounts } from '../client/account/account.ts';
import { isoTime, systemClock } from '../core/clock.ts';
import { EXIT, stop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import { termsWords } from '../ledger/ledger.ts';
import { isUrl, type StoreCheck } from '../ledger/store.ts';
import { storeAt } from '../ledger/stores.ts';
import { durationOf } from '../lib/command-line.ts';
import { AccountObject } from '../objects/account-object.ts';
import { ErasureObject } from '../objects/erasure-object.ts';
import { lookInto } from '../run/open-ledger.ts';
import { chooseStore } from '../run/store-choice.ts';
import { copyStore } from '../run/tasks/copy-store.ts';
import { compactIn, type ErasureOrder, eraseIn } from '../run/tasks/erase.ts';
import { type HeldAccount, holdToAccounts } from '../run/tasks/store-caps.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { talkedErasure } from './shared/erasure.ts';
import { WAIT_FLAG } from './shared/flags.ts';

interface PurgeFlags {
  readonly account?: string;
  readonly compact?: true;
  readonly olderThan?: string;
  readonly before?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait?: string;
  readonly as?: string;
  readonly store?: string;
}

type StoreFlag = Pick<PurgeFlags, 'store'>;

const placeFrom = ({ store }: StoreFlag): string => chooseStore(store, false).location;

export default {
  name: 'store',
  summary:
    'Shows the size of a store, checks it, backs it up, copies it, erases what is old, and sets up one for several hosts.',
  example: 'store backup rowonce-backup.db',
  examples: {
    info: 'store info',
    check: 'store check',
    backup: 'store backup rowonce-backup.db',
    init: 'store init postgres://owner@127.0.0.1:5432/rowonce',
    caps: 'store caps postgres://rowonce@127.0.0.1/rowonce',
    copy: 'store copy ~/.local/share/rowonce postgres://rowonce@127.0.0.1/rowonce',
    purge: 'store purge --older-than 400d --dry-run',
  },
  configure(command: Command, run) {
    command
      .command('info')
      .description('Show where the store is and how large its ledger is.')
      .action(run((_console, flags: StoreFlag) => info(placeFrom(flags))));
    command
      .command('check')
      .description("Run the database's own check, and add each budget up anew; 2 where they differ.")
      .action(run((_console, flags: StoreFlag) => check(placeFrom(flags))));
    command
      .command('backup')
      .description('Copy the ledger of a folder into a file, also while a run spends from it.')
      .argument('<file>', 'a file that is not there yet')
      .action(run((_console, file: string, flags: StoreFlag) => backUp(placeFrom(flags), file)));
    command
      .command('copy')
      .description('Copy a whole ledger to a place that has none, and buy only from there afterwards.')
      .argument('<from>', 'the store to copy; afterwards you can read it, and nothing is bought from it')
      .argument('<to>', 'a folder, or postgres://USER@HOST/DATABASE')
      .option(...WAIT_FLAG)
      .action(run((_console, from: string, to: string, flags: PurgeFlags) => copy(from, to, flags)));
    command
      .command('init')
      .description(
        'Set up a database for runs and workers, as its owner, and print the grants for other roles. Running it again changes nothing.',
      )
      .argument('<url>', 'the database: postgres://USER@HOST:PORT/DATABASE')
      .action(run((_console, url: string) => initDatabase(url)));
    command
      .command('caps')
      .description("Make the limits and budgets in this host's accounts file hold for all hosts.")
      .argument('<url>', 'the database: postgres://USER@HOST:PORT/DATABASE')
      .action(run((_console, url: string) => holdAll(url)));
    command
      .command('purge')
      .description('Erase old answers, and what was asked for them. They may be bought again.')
      .option('--older-than <age>', 'such as 400d')
      .option(
        '--before <day>',
        'instead of an age: what is dated before that day (UTC), whatever the clocks say',
      )
      .option('--account <name>', 'only what was asked by this account; left out: by all')
      .option('--compact', 'give back the room of what is gone, also without an age or a day')
      .option('--dry-run', 'only show what would be erased')
      .option('--yes', 'erase without being asked')
      .option(...WAIT_FLAG)
      .action(run((console, flags: PurgeFlags) => purgeStore(console, flags)));
  },
} satisfies CliCommand;

async function info(location: string): Promise<Report> {
  const bytes = await (await storeAt(location)).bytes(location);
  const batches = await lookInto(location, (ledger) => ledger.batches());
  return {
    lines: [`${location}: ${(bytes / 1e6).toFixed(1)} MB, ${counted(batches.length, 'batch', 'batches')}.`],
    object: { store: location, bytes, batches: batches.length },
  };
}

async function check(location: string): Promise<Report> {
  const { broken, budgets, wrong } = await (await storeAt(location)).check(location);
  const isSound = broken.length + wrong.length === 0;
  return {
    lines: isSound
      ? [`${location} is sound: ${counted(budgets, 'budget')} added up anew, as booked.`]
      : [...broken.map((words) => `${location} is broken: ${words}`), ...wrong.map(wrongLine)],
    object: { store: location, broken, budgets, wrong },
    advice: isSound ? [] : ['Restore the store from its newest backup.'],
    exitCode: isSound ? EXIT.done : EXIT.usage,
  };
}

const wrongLine = ({ scope, booked, added }: StoreCheck['wrong'][number]): string =>
  `${scope}: ${sumsWords(booked)} are booked, and its entries add up to ${sumsWords(added)}.`;

const sumsWords = ({ spent, held }: StoreCheck['wrong'][number]['booked']): string =>
  `${spent} spent and ${held} held`;

async function backUp(location: string, file: string): Promise<Report> {
  await (await storeAt(location)).backUp(location, file);
  return {
    lines: [`The ledger of ${location} is in ${file}.`],
    object: { store: location, file: resolve(file) },
    advice: ['To put it back, copy it into an empty folder as ledger.db, and run with --accept store.'],
  };
}

async function copy(from: string, to: string, { wait }: Pick<PurgeFlags, 'wait'>): Promise<Report> {
  const waitForLockMs = durationOf('--wait', wait) ?? 0;
  const { batches, spent, inDoubt } = await copyStore(placeOf(from), placeOf(to), {
    clock: systemClock,
    waitForLockMs,
  });
  return {
    lines: [
      `${counted(batches, 'batch', 'batches')} with ${counted(spent, 'credit')} spent and ${inDoubt} in doubt were copied from ${from} to ${to}.`,
    ],
    object: { from, to, batches, credits: { spent, in_doubt: inDoubt } },
    advice: [
      `Nothing is bought from ${from} any more. From now on add --store ${to}, or set ROWONCE_STORE to it.`,
    ],
  };
}

async function initDatabase(url: string): Promise<Report> {
  const { worker, reader } = await (await storeAt(url)).init(url);
  return {
    lines: [
      '-- For a role that runs lists and works on them, without the right to alter a schema:',
      ...worker,
      '-- For a role that only looks:',
      ...reader,
    ],
    object: { grants: { worker, reader } },
    advice: [
      'The store is set up. The statements printed here let the roles rowonce_worker and rowonce_reader use it.',
    ],
  };
}

async function holdAll(url: string): Promise<Report> {
  const held = await holdToAccounts(url, systemClock);
  return {
    lines: held.map(heldLine),
    object: {
      accounts: held.map(({ account, before, now }) => ({
        ...AccountObject.of({ ...account, problem: undefined }),
        changed: termsWords(before) !== termsWords(now),
      })),
    },
    advice:
      held.length > 0 ? [] : ["The ledger does not know this host's accounts yet: the first run tells it."],
  };
}

function heldLine({ account: { name }, before, now }: HeldAccount): string {
  const [former, words] = [termsWords(before), termsWords(now)];
  return former === words ? `${name}: ${words}, as before.` : `${name}: ${words}; before, ${former}.`;
}

/** A folder is one place, however it is written. */
const placeOf = (location: string): string => (isUrl(location) ? location : resolve(location));

async function purgeStore(console: Console, flags: PurgeFlags): Promise<Report> {
  const location = placeFrom(flags);
  const { account, olderThan, before } = flags;
  const waitForLockMs = durationOf('--wait', flags.wait) ?? 0;
  const options = { clock: systemClock, waitForLockMs, command: 'store purge', operator: flags.as };
  if (flags.compact && (olderThan ?? before) === undefined) {
    const due = await compactIn(location, options);
    const done = `The room of what is gone from ${location} is given back.`;
    return { lines: [due ?? done], object: { store: location } };
  }
  const { order: ofAll, what } = purgeOf(flags);
  const order =
    account === undefined
      ? ofAll
      : { ...ofAll, accountIdentity: findAccount(await loadAccounts(), account).identity };
  const erased = await talkedErasure(console, {
    location,
    what: account === undefined ? what : `${what}, of account ${account}`,
    yes: flags.yes === true,
    dryRun: flags.dryRun === true,
    erase: (dryRun) => eraseIn(location, order, { ...options, dryRun }),
  });
  const { length } = erased.unsettled;
  return {
    object: { dry_run: flags.dryRun === true, ...ErasureObject.of({ ...erased, location }) },
    advice:
      length > 0 ? [`${length} of them may have been charged, so they stay until they are settled.`] : [],
  };
}

function purgeOf({ olderThan, before }: PurgeFlags): {
  readonly order: Exclude<ErasureOrder, { readonly kind: 'person' }>;
  readonly what: string;
} {
  const ageMs = durationOf('--older-than', olderThan);
  if ((ageMs === undefined) === (before === undefined))
    throw stop(
      'usage',
      'A purge needs an age or a day.',
      'Add --older-than 400d, or --before 2026-01-31 for what is dated before that day.',
    );
  if (ageMs !== undefined)
    return { order: { kind: 'age', ageMs }, what: `all answers that are older than ${olderThan}` };
  const beforeMs = Date.parse(before ?? '');
  // A day that a month does not have is read as one of the next month.
  if (Number.isNaN(beforeMs) || isoTime(beforeMs).slice(0, 10) !== before)
    throw stop('usage', `--before ${before} is not a day.`, 'Write it as 2026-01-31.');
  return { order: { kind: 'old', beforeMs }, what: `all answers from before ${before}` };
}
