import { type Account, loadAccounts, resolveKey } from '../../client/account/account.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf, StopError, stop } from '../../core/errors.ts';
import { type StoreOptions, Unanswered } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { type Checks, called, signal, text, timepiece, values } from '../../lib/checked-options.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { RunOptions } from '../../plan/context.ts';
import { checkCall } from '../checked-call.ts';
import { sendOnce } from '../notices.ts';
import { keepRetention } from '../retention.ts';
import { stoppable } from '../stoppable.ts';
import { chooseStore } from '../store-choice.ts';
import { RangeWork, type Serving, type WorkerEvent } from './worker/range-work.ts';

export type { WorkerEvent } from './worker/range-work.ts';

/**
 * A worker: it takes ranges of lists that others have submitted, as long as it is let, and buys what their rows need. It has neither
 * the list nor its job file, and reaches vendors by the accounts of its own host alone.
 */
export interface WorkerOptions
  extends Pick<
    RunOptions,
    'store' | 'accept' | 'askAgreement' | 'operations' | 'signal' | 'clock' | 'command'
  > {
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** What a worker did, until it was told to stop. */
export interface WorkerSummary {
  readonly ranges: number;
  readonly rows: number;
  readonly stopped: StopError;
}

const CHECKS: Checks<WorkerOptions> = {
  store: text,
  accept: text,
  askAgreement: called,
  operations: values,
  signal,
  clock: timepiece,
  command: text,
  onEvent: called,
};

const REOPEN_MS = 1_000;

/**
 * Works until its signal fires, also where the database is away for a while. What is in flight then is recorded.
 * @throws StopError when the store has no workers, or no account can be used.
 * @example
 * const store = 'postgres://rowonce@db.example/leads';
 * const { ranges, rows } = await runWorker({ store, signal: AbortSignal.timeout(1_000) });
 * console.log(`${ranges} ranges, ${rows} rows`);
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerSummary> {
  checkCall('runWorker', options, CHECKS);
  const { clock = systemClock, command = 'worker', onEvent = () => {} } = options;
  const { location } = chooseStore(options.store, false);
  return stoppable(options.signal, async (stopping) => {
    const accounts = await usableAccounts(onEvent);
    let [ranges, rows] = [0, 0];
    const hear = (event: WorkerEvent): void => {
      if (event.kind === 'done') [ranges, rows] = [ranges + 1, rows + event.rows];
      onEvent(event);
    };
    let wasOpen = false;
    while (!stopping.aborted) {
      try {
        const patience = { longestMs: undefined, signal: stopping };
        const opened = await openForWork(location, { clock, command, patience, tell: noted(onEvent) });
        wasOpen = true;
        const serving = { ...opened, ...options, accounts, clock, command, location, onEvent: hear };
        await serve(serving, stopping);
      } catch (error) {
        if (!(error instanceof StopError && MAY_COME_BACK.has(error.code))) throw error;
        // A wrong password, or a database that is not there: waiting mends nothing.
        if (!wasOpen && error.code === 'store' && !(error instanceof Unanswered)) throw error;
        hear({ kind: 'waiting', why: error.message });
        await clock.sleep(REOPEN_MS, stopping).catch(() => {});
      }
    }
    return { ranges, rows, stopped: stopping.reason as StopError };
  });
}

const MAY_COME_BACK: ReadonlySet<string> = new Set(['store', 'busy', 'disk_full']);

async function usableAccounts(onEvent: (event: WorkerEvent) => void): Promise<readonly Account[]> {
  const { configured, path } = await loadAccounts();
  const usable: Account[] = [];
  for (const account of configured) {
    try {
      await resolveKey(account);
      usable.push(account);
    } catch (error) {
      onEvent({ kind: 'note', message: `No list is taken for account ${account.name}: ${messageOf(error)}` });
    }
  }
  if (usable.length > 0) return usable;
  throw stop(
    'account',
    `No account of ${path} can be used.`,
    `To see how one is added: ${commandLine(['accounts', 'add', '--help'])}`,
  );
}

function noted(onEvent: (event: WorkerEvent) => void): (message: string) => void {
  return (message) => onEvent({ kind: 'note', message });
}

// ------------------------------------------------------------------------------------------------------- one opening

/** It makes nothing and waits for nobody. @throws StopError `usage` when the store has no workers, and what `Store.open` throws. */
async function openForWork(
  location: string,
  options: Pick<StoreOptions, 'clock' | 'command' | 'tell' | 'patience'>,
): Promise<Pick<Serving, 'ledger' | 'queue'>> {
  const store = await storeAt(location);
  const queue = await store.queue(location);
  if (queue === undefined)
    throw stop(
      'usage',
      `The store ${location} has no workers: it is a folder, or was not set up for them.`,
      `Set up a database, and name it with --store. To see how: ${commandLine(['store', 'init', '--help'])}`,
    );
  try {
    return { ledger: await store.open(location, { ...options, waitForLockMs: 0, create: false }), queue };
  } catch (error) {
    await queue.close();
    throw error;
  }
}

async function serve(serving: Serving, stopping: AbortSignal): Promise<void> {
  const { accounts, ledger, queue, onEvent, location, clock } = serving;
  const lost = new AbortController();
  const until = AbortSignal.any([stopping, lost.signal]);
  const work = new RangeWork(serving, until, (stopped) => lost.abort(stopped));
  let lookedMs = Number.NEGATIVE_INFINITY;
  const look = async (afterMs: number): Promise<void> => {
    if (clock.monotonicMs() - lookedMs < afterMs) return;
    lookedMs = clock.monotonicMs();
    await sendLeft(serving);
  };
  const idle = (): Promise<void> => look(IDLE_LOOK_MS).catch(() => {});
  onEvent({ kind: 'ready', accounts: accounts.map(({ name }) => name) });
  try {
    await Promise.all([
      each(BEAT_MS, serving, until, () => queue.beat().then(() => onEvent({ kind: 'beat' }))),
      each(REGULAR_LOOK_MS, serving, until, async () => {
        if ((await ledger.notices.waiting()).length > 0) await sendOnce(ledger, clock);
      }),
      each(REGULAR_LOOK_MS, serving, until, () => look(0)),
      each(DAY_MS, serving, until, () => keepRetention(accounts, location, { clock, tell: noted(onEvent) })),
      ...accounts.map((account) => serveAccount(serving, { account, work, idle }, until)),
    ]);
  } finally {
    await queue.close();
    await ledger.close();
  }
  if (lost.signal.aborted) throw lost.signal.reason;
}

const POLL_MS = 250;

async function serveAccount(
  { queue, clock }: Serving,
  { account, work, idle }: { readonly account: Account; readonly work: RangeWork; idle(): Promise<void> },
  until: AbortSignal,
): Promise<void> {
  const working = new Set<Promise<void>>();
  while (!until.aborted) {
    const mayTake = work.mayTake(account);
    // While the queue does not answer, nothing waits in it.
    const taken = mayTake ? await queue.take(account.identity).catch(() => undefined) : undefined;
    if (taken !== undefined) {
      const ended = work.workOn(account, taken).finally(() => working.delete(ended));
      working.add(ended);
      continue;
    }
    if (mayTake && working.size === 0) await idle();
    await Promise.race([...working, clock.sleep(POLL_MS, until).catch(() => {})]);
  }
  await Promise.all(working);
}

const BEAT_MS = 1_000;
const DAY_MS = 24 * 60 * 60_000;

async function each(
  everyMs: number,
  { clock }: Serving,
  until: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!until.aborted) {
    await work().catch(() => {});
    await clock.sleep(everyMs, until).catch(() => {});
  }
}

/** Sends ranges that have rows left and are in no queue: by a submit that was cut off, or by a queue that lost them. */
async function sendLeft({ ledger, queue, accounts }: Serving): Promise<void> {
  const own = new Set(accounts.map(({ identity }) => identity));
  const left = await ledger.rangesLeft();
  const sent = left.filter(({ accountIdentity }) => own.has(accountIdentity));
  await queue.send(sent, 'worker');
}

const IDLE_LOOK_MS = 5_000;
const REGULAR_LOOK_MS = 60_000;
