import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Account } from '../client/account/account.ts';
import { systemClock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import { isOutput } from '../core/our-columns.ts';
import { besideFolder } from '../core/paths.ts';
import { byFlag, phrase, typing } from '../core/phrase.ts';
import { openFile } from '../files/input.ts';
import { besideInput } from '../files/output/output.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isUrl } from '../ledger/store.ts';
import { commandLine, withOption } from '../lib/command-line.ts';
import type { RunObject } from '../objects/run-object.ts';
import type { FileOptions, OpeningOptions, RunOptions } from '../plan/context.ts';
import { requireSampled } from '../plan/sample.ts';
import { requireStep } from '../walk/asked-anew.ts';
import { accountsOf, type ResolvedJob, withAccounts } from '../walk/resolved-job.ts';
import { batchLines } from './batches.ts';
import { chooseJob, saveJob } from './choose.ts';
import { keepRetention } from './erase.ts';
import { requireKnown, unlessStopped } from './known-account.ts';
import { sendNotices, toldBy } from './notices.ts';
import { closedAfter, lookIfThere, openLedger, requireTaken } from './open-ledger.ts';
import { run } from './pipeline.ts';
import { Sessions } from './sessions.ts';
import { chooseStore, type StoreChoice } from './store-choice.ts';
import type { WorkQueue } from './work-queue.ts';

export type SpenderOptions = OpeningOptions &
  Partial<
    Pick<RunOptions, 'store' | 'accept' | 'askAgreement' | 'maxPauseMs' | 'signal' | 'file' | 'output'>
  >;

/**
 * Runs a job over a file. The same options again resume the run.
 * @throws StopError when the run cannot begin; a later stop is `stopped` in the summary.
 */
export async function runJob(options: RunOptions): Promise<RunObject> {
  const chosen = await chooseJob(options);
  const spender = await openSpender(chosen.account.sandbox, options);
  try {
    if (options.saveJobAs !== undefined) await saveJob(options.saveJobAs, chosen, options, spender.ledger);
    return await underSignal(options.signal, (signal) => spender.run(chosen, { ...options, signal }));
  } finally {
    await spender.close(accountsOf(chosen).map(({ account }) => account));
  }
}

/**
 * A store that is open for spending. Any number of runs may use it, also side by side; they share their
 * accounts' limits.
 */
export interface Spender {
  readonly ledger: Ledger;
  run(chosen: ResolvedJob, options: FileOptions): Promise<RunObject>;
  /**
   * Closes the store.
   * @param accounts the accounts of the runs; their answers beyond the retention are erased.
   */
  close(accounts?: readonly Account[]): Promise<void>;
}

/**
 * @param sandbox whether the store is for sandbox accounts, which have a store of their own.
 * @throws StopError like `Store.open`.
 */
export async function openSpender(sandbox: boolean, options: SpenderOptions): Promise<Spender> {
  const { clock = systemClock, command = 'run', accept, askAgreement } = options;
  const store = chooseStore(options.store, sandbox);
  const { location: path } = store;
  if (!sandbox) await requireStoreOrPlace(store, options);
  const ledger = await openLedger(path, {
    clock,
    waitForLockMs: options.waitForLockMs ?? 0,
    acceptOutdated: accept?.includes('store') === true,
    tell: options.tell,
    patience: { longestMs: options.maxPauseMs, signal: options.signal },
    command,
    operator: options.operator,
  });
  const sessions = new Sessions();
  let queue: Promise<WorkQueue | undefined> | undefined;
  return {
    ledger,
    run: async (chosen, { file, signal, onEvent, ...rest }) => {
      const { job } = chosen;
      await requireTaken(path, job.operation.name, job.operation.change !== undefined);
      requireSampled(job, rest.sample);
      requireStep(job.operation.name, rest.step);
      const resolved = await withAccounts(chosen, (account) =>
        requireKnown(account, ledger, { accept, askAgreement, clock }),
      );
      const isNew = !sandbox && (await ledger.batches()).length === 0;
      if (isUrl(path)) queue ??= import('./work-queue.ts').then(({ openQueue }) => openQueue(path));
      const context = {
        accept,
        askAgreement,
        ...(isNew && { newStore: { path, made: true } as const }),
        ...rest,
        ...resolved,
        ledger,
        queue: await queue,
        inputPath: file,
        sandboxFolder: besideFolder(path),
        clock,
        signal: signal ?? new AbortController().signal,
        emit: onEvent ?? (() => {}),
      };
      if (job.notify === undefined) return run(context, sessions);
      return toldBy(ledger, resolved, clock, (hearBalance, beforeEnd) =>
        run({ ...context, hearBalance }, sessions, beforeEnd),
      );
    },
    close: async (accounts = []) => {
      await (await queue?.catch(() => undefined))?.close();
      if ((await ledger.notices.waiting().catch(() => [])).length > 0)
        await sendNotices(ledger, clock, options.tell);
      await ledger.close();
      await keepRetention(accounts, store.location, { ...options, clock });
    },
  };
}

/**
 * Works under the signal of a program that uses the library. The program may abort for any reason, or without
 * one. Inside, the reason is a StopError, so that the work ends with what it has done and not with an error
 * of that program.
 */
export async function underSignal<T>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(stopFor(given?.reason));
  if (given?.aborted) stop();
  given?.addEventListener('abort', stop, { once: true });
  try {
    return await work(stopping.signal);
  } finally {
    given?.removeEventListener('abort', stop);
  }
}

function stopFor(reason: unknown): StopError {
  if (reason instanceof StopError) return reason;
  const message = 'Stopped by the program that began it; everything that was answered is kept.';
  const next = 'Start the same again to continue.';
  return new StopError({ code: 'interrupted', message, next }, { cause: reason });
}

// ------------------------------------------------------------------------------- where a first store is made

/**
 * A store that no one named is made only where it will last and be found again: without it, a second store
 * buys everything again.
 */

type Making = Pick<OpeningOptions, 'makesStore' | 'words'> & Partial<Pick<RunOptions, 'file' | 'output'>>;

/**
 * A store counts from its first batch: a refused run leaves one behind in which nothing was bought.
 * @throws StopError `store`, with the command that names it, where no first store is made by itself.
 */
export async function requireStoreOrPlace(choice: StoreChoice, making: Making): Promise<void> {
  const { location, named } = choice;
  if (named) return;
  const gone: string[] = [];
  const looking = lookIfThere(location, (fact) => gone.push(fact));
  const batches = await unlessStopped(
    closedAfter(looking, async (ledger) => (await ledger?.batches()) ?? []),
  );
  // The command that opens the store tells the user what was there, or why it cannot be read.
  if (batches?.length !== 0 || gone.length > 0) return;
  const why = await whyNotMade(location, making);
  if (why === undefined) return;
  throw stop(
    'store',
    `There is no store at ${location} yet, so nothing is known as bought. ${why}.`,
    phrase`Name the store${typing` ${byFlag('--store')} or $ROWONCE_STORE`}. A named one is made where it is
      not there.`,
    making.words && commandLine(withOption(making.words, '--store', location)),
  );
}

async function whyNotMade(location: string, making: Making): Promise<string | undefined> {
  const written = await outputOfOther(making);
  if (written !== undefined)
    return `${written} is an output of Rowonce, so another store has its batch, and a new one buys it again`;
  if (making.makesStore === false) return 'This command makes none by itself';
  const isInCi = !['', 'false', '0'].includes(process.env.CI ?? '');
  const where = isInCi ? 'CI' : isInContainer(location) ? 'a container' : undefined;
  return where && `In ${where} none is made by itself, because it may not last`;
}

/** The number by which Linux knows an overlay file system. Its upper layer ends with its container. */
const OVERLAY = 0x794c7630;

/**
 * Some engines set a variable. With the others, a folder outside of the overlay file system is a volume,
 * which lasts.
 */
function isInContainer(folder: string): boolean {
  if (process.env.container) return true;
  return existsSync(folder) ? statfsSync(folder).type === OVERLAY : isInContainer(dirname(folder));
}

/** An output of ours that stands beside the list, although no store of this user has its batch. */
async function outputOfOther({ file, output }: Making): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(typeof output === 'string' ? output : besideInput(file, false));
  const header =
    existsSync(path) && (await unlessStopped(openFile(path).then(({ sheet }) => sheet.header())));
  if (!header || !isOutput(header)) return undefined;
  const isKnown = (await batchLines(undefined)).some(({ batch }) => batch.outputPath === path);
  return isKnown ? undefined : path;
}
