import { resolve } from 'node:path';
import { z } from 'zod';
import { type Account, accountObject, findAccount, loadAccounts } from '../client/account/account.ts';
import { systemClock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { asFlag, phrase } from '../core/phrase.ts';
import { counted } from '../core/plain-text.ts';
import { EXIT } from '../core/stops.ts';
import { listNameOf } from '../files/called.ts';
import { copyLedger } from '../ledger/copy.ts';
import type { AccountTerms, Batch, LedgerReader } from '../ledger/ledger.ts';
import { isUrl, type StoreCheck } from '../ledger/store.ts';
import { storeAt } from '../ledger/stores.ts';
import { commandLine } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import { AccountObject } from '../objects/account-object.ts';
import { ErasureObject } from '../objects/log-object.ts';
import { holdTo, termsOf, termsWords } from '../run/account-terms.ts';
import { type ErasureOrder, eraseIn } from '../run/erase.ts';
import { knownAccount } from '../run/known-account.ts';
import { aloneIn, closedAfter, findBatch, lookInto, lookIntoIfThere } from '../run/open-ledger.ts';
import { chooseStore, storeThere } from '../run/store-choice.ts';
import { argument, type CommandGroup, command, flag, type Host, onOff, text } from './shared/command.ts';
import { talkedErasure } from './shared/erasure.ts';
import { COMMON, duration, wait } from './shared/input.ts';

/** These commands have their store as an argument. */
const DATABASE = argument(z.string(), 'the database: postgres://USER@HOST:PORT/DATABASE');

const Sums = z.object({ spent: z.number(), held: z.number() });

const day = z.string().refine((text) => z.iso.date().safeParse(text).success, {
  error: 'is not a day',
  params: { next: 'Write it as 2026-01-31.' },
});

const purgeInput = z.strictObject({
  ...COMMON,
  older_than: flag(duration.optional(), 'such as 400d', '<age>'),
  before: flag(
    day.optional(),
    'instead of an age: what is dated before that day (UTC), whatever the clocks say',
    '<day>',
  ),
  list: text(
    'instead of an age: the list of this batch, with the answers that no other list has; they may be bought again',
    '<batch>',
  ),
  account: text('only what was asked by this account; left out: by all', '<name>'),
  compact: onOff('free the space of what was erased, also without an age or a day'),
  dry_run: onOff('only show what would be erased'),
  yes: onOff('erase without being asked'),
  wait: wait(),
});
type Purge = z.output<typeof purgeInput>;

export default {
  name: 'store',
  summary:
    'Shows the size of a store, checks it, backs it up, copies it, erases what is old, ' +
    'and sets up one for several hosts.',
  example: 'store backup rowonce-backup.db',
  commands: [
    command({
      name: 'store info',
      summary: 'Show where the store is and how large its ledger is.',
      example: 'store info',
      input: z.strictObject({ ...COMMON }),
      output: z.object({ store: z.string(), bytes: z.number(), batches: z.number() }),
      async run({ store }) {
        const location = storeThere(store);
        const bytes = await (await storeAt(location)).bytes(location);
        const batches = await lookInto(location, (ledger) => ledger.batches());
        return {
          lines: [
            `${location}: ${(bytes / 1e6).toFixed(1)} MB, ${counted(batches.length, 'batch', 'batches')}.`,
          ],
          object: { store: location, bytes, batches: batches.length },
        };
      },
    }),
    command({
      name: 'store check',
      summary:
        "Run the database's own check, and add each budget up anew; the exit code is 2 where they differ.",
      example: 'store check',
      input: z.strictObject({ ...COMMON }),
      output: z.object({
        store: z.string(),
        broken: z.array(z.string()),
        budgets: z.number(),
        wrong: z.array(z.object({ scope: z.string(), booked: Sums, added: Sums })),
      }),
      async run({ store }) {
        const location = storeThere(store);
        const { broken, budgets, wrong } = await (await storeAt(location)).check(location);
        const isSound = broken.length + wrong.length === 0;
        return {
          lines: isSound
            ? [`${location} is sound: ${counted(budgets, 'budget')} added up anew, as booked.`]
            : [...broken.map((words) => `${location} is broken: ${words}`), ...wrong.map(wrongLine)],
          object: { store: location, broken: [...broken], budgets, wrong: [...wrong] },
          advice: isSound ? [] : ['Restore the store from its newest backup.'],
          exitCode: isSound ? EXIT.done : EXIT.usage,
        };
      },
    }),
    command({
      name: 'store backup',
      summary: 'Copy the ledger of a folder into a file, also while a run spends from it.',
      details:
        'To put it back, copy it into an empty folder as ledger.db; ' +
        'it buys nothing there until a run with --accept store. ' +
        'A database is backed up by pg_dump, with the schemas rowonce_ledger and rowonce_queue.',
      example: 'store backup rowonce-backup.db',
      input: z.strictObject({ ...COMMON, file: argument(z.string(), 'a file that is not there yet') }),
      output: z.object({ store: z.string(), file: z.string() }),
      async run({ store, file }) {
        const location = storeThere(store);
        await (await storeAt(location)).backUp(location, file);
        return {
          lines: [`The ledger of ${location} is in ${file}.`],
          object: { store: location, file: resolve(file) },
          advice: ['To put it back, copy it into an empty folder as ledger.db, and run with --accept store.'],
        };
      },
    }),
    command({
      name: 'store copy',
      summary: 'Copy a whole ledger to a place that has none, and buy only from there afterwards.',
      details:
        'The old store buys nothing from then on, and can be read. ' +
        'A store of an earlier Rowonce may be copied in its place: name it twice. ' +
        'If the command is cut off, run it again. ' +
        'Batches that change a service continue only in a folder.',
      example: 'store copy ~/.local/share/rowonce postgres://rowonce@127.0.0.1/rowonce',
      input: z.strictObject({
        from: argument(
          z.string(),
          'the store to copy; afterwards you can read it, and nothing is bought from it',
        ),
        to: argument(z.string(), 'a folder, or postgres://USER@HOST/DATABASE'),
        wait: wait(),
      }),
      output: z.object({
        from: z.string(),
        to: z.string(),
        batches: z.number(),
        credits: z.object({ spent: z.number(), in_doubt: z.number() }),
      }),
      async run({ from, to, wait: waitForLockMs = 0 }) {
        const { keptAt, isEarlier } = await copied(placeOf(from), placeOf(to), waitForLockMs);
        const { batches, spent, inDoubt } = await lookInto(to, holdings);
        const what = `${counted(batches, 'batch', 'batches')} with ${counted(spent, 'credit')} spent and ${inDoubt} in doubt`;
        return {
          lines: [
            keptAt === undefined
              ? `${what} were copied from ${from} to ${to}.`
              : `${what} were copied in ${from} into the form of this Rowonce.`,
          ],
          object: { from, to, batches, credits: { spent, in_doubt: inDoubt } },
          advice: [
            keptAt === undefined
              ? `Nothing is bought from ${from} any more. From now on add --store ${to}, or set ROWONCE_STORE to it.`
              : `Go on as before. The old store is kept as ${keptAt}.`,
            ...(isEarlier ? ['A forget does not reach that old copy: delete it once all is well.'] : []),
          ],
        };
      },
    }),
    command({
      name: 'store init',
      summary:
        'Set up a database for runs and workers, as its owner, and print the grants for other roles. ' +
        'Running it again changes nothing.',
      example: 'store init postgres://owner@127.0.0.1:5432/rowonce',
      input: z.strictObject({ url: DATABASE }),
      /** The statements that give the roles their rights. */
      output: z.object({
        grants: z.object({ worker: z.array(z.string()), reader: z.array(z.string()) }),
      }),
      async run({ url }) {
        const { worker, reader } = await (await storeAt(url)).init(url);
        const { layOutQueue } = await import('../run/work-queue.ts');
        await layOutQueue(url);
        return {
          lines: [
            '-- For a role that runs lists and works on them, without the right to alter a schema:',
            ...worker,
            '-- For a role that only looks:',
            ...reader,
          ],
          object: { grants: { worker: [...worker], reader: [...reader] } },
          advice: [
            'The store is set up. The statements printed here let the roles rowonce_worker and ' +
              'rowonce_reader use it.',
          ],
        };
      },
    }),
    command({
      name: 'store caps',
      summary: "Make the limits and budgets in this host's accounts file hold for all hosts.",
      details:
        'A process with another accounts file is refused. A limit changes only while no process sends by it.',
      example: 'store caps postgres://rowonce@127.0.0.1/rowonce',
      input: z.strictObject({ url: DATABASE }),
      output: z.object({
        accounts: z.array(z.object({ ...AccountObject.shape, changed: z.boolean() })),
      }),
      async run({ url }) {
        const lines: string[] = [];
        const accounts: (AccountObject & { changed: boolean })[] = [];
        await holdToAccounts(url, (account, before) => {
          const { name } = account;
          const now = termsWords(termsOf(account));
          const changed = termsWords(before) !== now;
          lines.push(
            changed ? `${name}: ${now}; before, ${termsWords(before)}.` : `${name}: ${now}, as before.`,
          );
          accounts.push({ ...accountObject(account), changed });
        });
        const unknown = "The ledger does not know this host's accounts yet: the first run tells it.";
        return { lines, object: { accounts }, advice: lines.length > 0 ? [] : [unknown] };
      },
    }),
    command({
      name: 'store purge',
      summary: 'Erase old answers and their requests. They may be bought again.',
      details:
        "Give an age or a day. Ages count back from the newest time in a vendor's answer. Where only " +
        "this machine's clock makes something old, nothing is erased, and the exit code is 2.",
      example: 'store purge --older-than 400d --dry-run',
      input: purgeInput,
      /** `--compact` alone gives only the store. */
      output: z.union([
        z.object({ dry_run: z.boolean(), ...ErasureObject.shape }),
        z.object({ store: z.string() }),
      ]),
      run: purge,
    }),
  ],
} satisfies CommandGroup;

const wrongLine = ({ scope, booked, added }: StoreCheck['wrong'][number]): string =>
  `${scope}: ${sumsWords(booked)} are booked, and its entries add up to ${sumsWords(added)}.`;

const sumsWords = ({ spent, held }: StoreCheck['wrong'][number]['booked']): string =>
  `${spent} spent and ${held} held`;

/**
 * Copies a ledger to another store, or in its place into today's form. If it was cut off, the same command
 * goes on from there.
 * @returns where the ledger is kept that was copied, undefined where that is FROM; and whether an earlier
 * Rowonce had made it.
 * @throws StopError `usage` when both are one place that has today's form, `store` when TO has a ledger, or
 * when FROM was copied elsewhere.
 */
async function copied(from: string, to: string, waitForLockMs: number) {
  const opening = { clock: systemClock, waitForLockMs, command: `store copy ${from} ${to}` };
  return (await storeAt(from)).copyFrom(from, opening, async (source) => {
    if (from !== to) {
      const target = await (await storeAt(to)).copyTo(to, opening);
      await copyLedger(source, from, target, systemClock).finally(target.close);
      return { keptAt: undefined, isEarlier: source.isEarlier };
    }
    if (!source.isEarlier) {
      const again = commandLine(['store', 'copy', 'FROM', 'TO']);
      throw stop(
        'usage',
        `${from} is named as both stores, and has the form of this Rowonce.`,
        'Name two.',
        again,
      );
    }
    const target = await source.inItsPlace();
    await copyLedger(source, from, target, systemClock).finally(target.close);
    return { keptAt: target.keptAt, isEarlier: true };
  });
}

/**
 * Makes the limits and budgets of this host's accounts file hold for all hosts. An account that the ledger
 * does not know yet takes them from the first host that uses it.
 * @throws StopError `busy` while a process sends by a limit that changes, `usage` where one process spends at
 * a time.
 */
async function holdToAccounts(
  location: string,
  onChange: (account: Account, before: AccountTerms) => void,
): Promise<void> {
  const { configured } = await loadAccounts();
  const store = await storeAt(location);
  if (!store.manySpend)
    throw stop(
      'usage',
      `From the store ${location} one process at a time spends, ` +
        'within the limits and budgets of its own accounts file.',
      'Change them there.',
    );
  const options = { clock: systemClock, command: 'store caps', waitForLockMs: 0, create: false };
  await closedAfter(store.open(location, options), async (ledger) => {
    for (const account of configured.filter(({ sandbox }) => !sandbox)) {
      const before = await holdTo(ledger, await knownAccount(account, ledger));
      if (before !== undefined) onChange(account, before);
    }
  });
}

async function holdings(ledger: LedgerReader) {
  const batches = await ledger.batches();
  const money = await Promise.all(batches.map(({ id }) => ledger.batchMoney(id)));
  const sumOf = (of: 'spent' | 'inDoubt'): number => money.reduce((sum, each) => sum + each[of], 0);
  return { batches: batches.length, spent: sumOf('spent'), inDoubt: sumOf('inDoubt') };
}

/** One name for a place: a folder may be written in several ways. */
const placeOf = (location: string): string => (isUrl(location) ? location : resolve(location));

async function purge(input: Purge, { console }: Host) {
  const listed = input.list === undefined ? undefined : await findBatch(input.list, input.store);
  const location = listed?.location ?? chooseStore(input.store, false).location;
  const { account, older_than, before, dry_run = false, wait: waitForLockMs = 0 } = input;
  const options = { clock: systemClock, waitForLockMs, command: 'store purge', operator: input.as };
  if (input.compact && (older_than ?? before ?? listed) === undefined) {
    const due = await aloneIn(location, options, ({ clean }) => clean());
    const done = `The space of what was erased from ${location} is free again.`;
    return { lines: [due ?? done], object: { store: location } };
  }
  const { order, what } = listed === undefined ? purgeOf(input) : purgeOfList(input, listed.batch);
  const named = account === undefined ? undefined : findAccount(await loadAccounts(), account);
  const known = named && (await lookIntoIfThere(location, (ledger) => knownAccount(named, ledger)));
  const ofAccount = known === undefined ? {} : { accountIdentity: known.identity };
  const erased = await talkedErasure(console, {
    location,
    what: account === undefined ? what : `${what}, of account ${account}`,
    yes: input.yes === true,
    dryRun: dry_run,
    erase: (dryRun) => eraseIn(location, { ...order, ...ofAccount }, { ...options, dryRun }),
  });
  const { unsettled } = erased;
  return {
    object: { dry_run, ...erased },
    advice:
      unsettled > 0
        ? [`${unsettled} of them may have been charged, so they stay until they are settled.`]
        : [],
  };
}

/** @throws StopError `usage` for a list that has changed people, and beside an age or an account. */
function purgeOfList({ older_than, before, account }: Purge, { inputPath: path, plannedRows }: Batch) {
  if ((older_than ?? before ?? account) !== undefined)
    throw stop('usage', 'A list is erased whole, whatever its age or account.', 'Leave the others out.');
  if (plannedRows !== undefined)
    throw stop(
      'usage',
      `${listNameOf(path)} has changed people, and their roles stay known for as long as they have them.`,
      'Forget each person by their address.',
      commandLine(['forget', 'EMAIL']),
    );
  return { order: { kind: 'list', path } as const, what: `${listNameOf(path)} and its answers` };
}

function purgeOf({ older_than: ageMs, before }: Purge): {
  readonly order: Exclude<ErasureOrder, { readonly kind: 'person' }>;
  readonly what: string;
} {
  if (ageMs !== undefined && before === undefined)
    return {
      order: { kind: 'age', ageMs },
      what: `all answers that are older than ${formatDuration(ageMs)}`,
    };
  if (ageMs === undefined && before !== undefined)
    return {
      order: { kind: 'old', beforeMs: Date.parse(before) },
      what: `all answers from before ${before}`,
    };
  const fact = 'A purge needs an age or a day.';
  const next = phrase`Add ${asFlag('--older-than', '400d')}, or ${asFlag('--before', '2026-01-31')} for what is dated before that day.`;
  throw stop('usage', fact, next);
}
