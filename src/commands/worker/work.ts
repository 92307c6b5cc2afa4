import { type Account, loadAccounts, resolveKey } from '../../client/account/account.ts';
import { type Answers, requestQuestion, requireAgreement } from '../../client/account/agreements.ts';
import { dialectOfContent, withRequestOf } from '../../client/dialect.ts';
import { type Clock, DAY_MS, systemClock } from '../../core/clock.ts';
import { asStop, messageOf, StopError, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import type { JsonObject } from '../../core/operation.ts';
import { besideFolder } from '../../core/paths.ts';
import { byFlag, phrase } from '../../core/phrase.ts';
import { foreignName } from '../../core/plain-text.ts';
import { STOPS } from '../../core/stops.ts';
import { jobCarried, withAccountNames } from '../../job/carried-job.ts';
import type { Job } from '../../job/job.ts';
import type { Batch, Ledger, WorkOrder } from '../../ledger/ledger.ts';
import type { StoreOptions } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { commandLine } from '../../lib/command-line.ts';
import { Unanswered } from '../../lib/postgres-server.ts';
import { requireAgreedRequests } from '../../plan/consent.ts';
import type { RunContext, RunOptions } from '../../plan/context.ts';
import { inDialects } from '../../run/choose.ts';
import { keepRetention } from '../../run/erase.ts';
import { requireKnown } from '../../run/known-account.ts';
import { sendOnce } from '../../run/notices.ts';
import { workRange } from '../../run/pipeline.ts';
import { underSignal } from '../../run/run-job.ts';
import { Sessions } from '../../run/sessions.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { openQueue, type TakenRange, type WorkQueue } from '../../run/work-queue.ts';
import type { AskedAccount } from '../../walk/resolved-job.ts';
import type { WorkerEvent } from '../shared/command.ts';

/**
 * A worker takes ranges of lists that others have submitted, for as long as it may, and buys the answers that
 * their rows need. It has neither the list nor its job file. It reaches vendors only through the accounts of
 * its own host.
 */
interface WorkerOptions
  extends Pick<
    RunOptions,
    'store' | 'accept' | 'askAgreement' | 'operations' | 'signal' | 'clock' | 'command'
  > {
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

const REOPEN_MS = 1_000;

/**
 * Works until its signal fires, even if the database is away for a while. Answers to requests in flight are
 * then still recorded.
 * @throws StopError when the store has no workers, or no account can be used.
 */
export async function runWorker(
  options: WorkerOptions,
): Promise<{ readonly ranges: number; readonly rows: number; readonly stopped: StopError }> {
  const { clock = systemClock, command = 'worker', onEvent = () => {} } = options;
  const { location } = chooseStore(options.store, false);
  return underSignal(options.signal, async (stopping) => {
    let ranges = 0;
    let rows = 0;
    const count = (event: WorkerEvent): void => {
      if (event.kind === 'done') {
        ranges += 1;
        rows += event.rows;
      }
      onEvent(event);
    };
    let wasOpen = false;
    while (!stopping.aborted) {
      try {
        const patience = { longestMs: undefined, signal: stopping };
        const opened = await openForWork(location, { clock, command, patience, tell: noted(onEvent) });
        wasOpen = true;
        await serve({ ...opened, ...options, clock, location, onEvent: count }, stopping);
      } catch (error) {
        if (!(error instanceof StopError && STOPS[error.code].worker_waits_for_the_store)) throw error;
        // Waiting does not help against a wrong password or a database that does not exist.
        if (!wasOpen && error.code === 'store' && !(error instanceof Unanswered)) throw error;
        count({ kind: 'waiting', why: error.message });
        await clock.sleep(REOPEN_MS, stopping).catch(() => {});
      }
    }
    return { ranges, rows, stopped: stopping.reason as StopError };
  });
}

/**
 * The accounts of this host. One without its key, or that may have moved, is left out, and reported.
 * @throws StopError where no other is there.
 */
async function usableAccounts(
  ledger: Ledger,
  { onEvent, ...answers }: Answers & { onEvent(event: WorkerEvent): void },
): Promise<readonly Account[]> {
  const { configured, path } = await loadAccounts();
  const usable: Account[] = [];
  const help = commandLine(['accounts', 'add', '--help']);
  let stopped = stop('account', `No account of ${path} can be used.`, 'See how one is added.', help);
  for (const account of configured) {
    try {
      await resolveKey(account);
      usable.push(await requireKnown(account, ledger, answers));
    } catch (error) {
      if (!(error instanceof StopError && STOPS[error.code].worker_begins_without_the_account)) throw error;
      if (error.code === 'moved') stopped = error;
      const message = `No list is taken for account ${account.name}: ${error.message} ${error.next}`;
      onEvent({ kind: 'note', message });
    }
  }
  if (usable.length === 0) throw stopped;
  return usable;
}

function noted(onEvent: (event: WorkerEvent) => void): (message: string) => void {
  return (message) => onEvent({ kind: 'note', message });
}

// ----------------------------------------------------------------------------------------------- one opening

/**
 * Opens the store. It creates nothing and waits for no one.
 * @throws StopError `usage` when the store has no workers, and every error of `Store.open`.
 */
async function openForWork(
  location: string,
  options: Pick<StoreOptions, 'clock' | 'command' | 'tell' | 'patience'>,
): Promise<Pick<WorkContext, 'ledger' | 'queue'>> {
  const store = await storeAt(location);
  const queue = await openQueue(location);
  if (queue === undefined)
    throw stop(
      'usage',
      `The store ${location} has no workers: it is a folder, or was not set up for them.`,
      phrase`Set up a database, and name it ${byFlag('--store')}.`,
      commandLine(['store', 'init', '--help']),
    );
  try {
    return { ledger: await store.open(location, { ...options, waitForLockMs: 0, create: false }), queue };
  } catch (error) {
    await queue.close();
    throw error;
  }
}

async function serve(opened: Omit<WorkContext, 'accounts'>, stopping: AbortSignal): Promise<void> {
  const { ledger, queue, onEvent, location, clock } = opened;
  const lost = new AbortController();
  const until = AbortSignal.any([stopping, lost.signal]);
  try {
    const accounts = await usableAccounts(ledger, opened);
    const serving = { ...opened, accounts };
    const work = new RangeWork(serving, until, (stopped) => lost.abort(stopped));
    onEvent({ kind: 'ready', accounts: accounts.map(({ name }) => name) });
    await Promise.all([
      each(BEAT_MS, serving, until, () => queue.beat().then(() => onEvent({ kind: 'beat' }))),
      each(MINUTE_MS, serving, until, async () => {
        if ((await ledger.notices.waiting()).length > 0) await sendOnce(ledger, clock);
      }),
      each(LOOK_MS, serving, until, () => sendLeft(serving)),
      each(DAY_MS, serving, until, () => keepRetention(accounts, location, { clock, tell: noted(onEvent) })),
      ...accounts.map((account) => serveAccount(serving, account, work, until)),
    ]);
  } finally {
    await queue.close();
    await ledger.close();
  }
  if (lost.signal.aborted) throw lost.signal.reason;
}

const POLL_MS = 250;

async function serveAccount(
  { queue, clock }: WorkContext,
  account: Account,
  work: RangeWork,
  until: AbortSignal,
): Promise<void> {
  const working = new Set<Promise<void>>();
  while (!until.aborted) {
    const mayTake = work.mayTake(account);
    // While the queue does not answer, there is no range to take.
    const taken = mayTake ? await queue.take(account.identity).catch(() => undefined) : undefined;
    if (taken !== undefined) {
      const ended = work.workOn(account, taken).finally(() => working.delete(ended));
      working.add(ended);
      continue;
    }
    await Promise.race([...working, clock.sleep(POLL_MS, until).catch(() => {})]);
  }
  await Promise.all(working);
}

const BEAT_MS = 1_000;

async function each(
  everyMs: number,
  { clock }: WorkContext,
  until: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!until.aborted) {
    await work().catch(() => {});
    await clock.sleep(everyMs, until).catch(() => {});
  }
}

/**
 * Sends ranges that have rows left and are in no queue, because a submit was cut off or a queue lost them.
 */
async function sendLeft({ ledger, queue, accounts }: WorkContext): Promise<void> {
  const ownAccounts = new Set(accounts.map(({ identity }) => identity));
  const remainingRanges = await ledger.rangesLeft();
  const sent = remainingRanges.filter(({ accountIdentity }) => ownAccounts.has(accountIdentity));
  await queue.send(sent, 'worker');
}

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;

class RangeWork {
  readonly #serving: WorkContext;
  readonly #until: AbortSignal;
  readonly #sessions = new Sessions();
  readonly #under = new Set<UnderWork>();
  /**
   * The time until which no range of an account is taken, or no range of a batch is tried, and the reason.
   */
  readonly #resting = new Map<string, { readonly untilMs: number; readonly stopped: StopError }>();
  readonly #onLost: (stopped: StopError) => void;

  constructor(serving: WorkContext, until: AbortSignal, onLost: (stopped: StopError) => void) {
    this.#serving = serving;
    this.#until = until;
    this.#onLost = onLost;
  }

  /**
   * The next range begins while the last rows of one wait for their answers, and no earlier: another worker
   * may have nothing to do.
   */
  mayTake({ identity, limits }: Account): boolean {
    if (this.#restOf(identity) > 0) return false;
    const rows = [...this.#under].filter((each) => each.identity === identity);
    return (
      rows.every(({ remainingRows }) => remainingRows <= limits.concurrency * ROWS_A_SLOT) &&
      rows.length < RANGES_AT_ONCE
    );
  }

  /** Works on a range and resolves when it ends. It never rejects. */
  async workOn(account: Account, taken: TakenRange): Promise<void> {
    const { onEvent } = this.#serving;
    const { batch, fromRow, beforeRow } = taken;
    const range = { batch, fromRow, beforeRow };
    const under: UnderWork = { identity: account.identity, remainingRows: beforeRow - fromRow, rows: 0 };
    this.#under.add(under);
    onEvent({ kind: 'taken', ...range });
    try {
      const stopped = await this.#stopOf(account, taken, under);
      if (stopped === undefined) {
        onEvent({ kind: 'done', ...range, rows: under.rows });
        await taken.done().catch(UNHEARD);
        return;
      }
      onEvent({ kind: 'handed_back', ...range, stopped });
      // A run that lets the batch go on finds its ranges again.
      if (STOPS[stopped.code].range_is_over && !this.#until.aborted) await taken.done().catch(UNHEARD);
      else await taken.handBack(this.#rest(account, taken, stopped)).catch(UNHEARD);
    } catch (error) {
      // A bug of ours concerns this range only. The other ranges go on.
      onEvent({ kind: 'failed', ...range, why: messageOf(error) });
      await taken.failed(messageOf(error)).catch(UNHEARD);
    } finally {
      this.#under.delete(under);
    }
  }

  async #stopOf(account: Account, taken: TakenRange, under: UnderWork): Promise<StopError | undefined> {
    const { ledger } = this.#serving;
    try {
      const batch = await ledger.batch(taken.batch);
      if (batch?.state !== 'open' || batch.accountIdentity !== account.identity) return undefined;
      if (batch.pausedSinceMs !== undefined) return undefined;
      const needed = [batch.id, ...batch.accounts.map(({ identity }) => identity)];
      const resting = needed.find((each) => this.#restOf(each) > 0);
      if (resting !== undefined) return this.#resting.get(resting)?.stopped;
      const context = await this.#contextOf(account, batch, under);
      if (context === undefined) return undefined;
      return await workRange(context, this.#sessions, batch, taken);
    } catch (error) {
      return asStop(error);
    }
  }

  /**
   * @throws StopError when the batch is not understood, or when no one on this host has agreed to the
   * requests of its dialect or its api-call.
   */
  async #contextOf(account: Account, batch: Batch, under: UnderWork): Promise<RunContext | undefined> {
    const { id, inputPath } = batch;
    const { ledger, clock, location, onEvent, accept, askAgreement, operations } = this.#serving;
    const order = await ledger.workOrder(id);
    if (order === undefined) return undefined;
    const job = await jobCarried(order.job, { operations });
    const by = await this.#askedFor(account, batch, order, job);
    // The job has the names that its accounts have here, in the place of their identities.
    const names = new Map(
      by.map((askedAccount) => [askedAccount.account.identity, askedAccount.account.name]),
    );
    const namedJob = { ...job, ...present({ steps: withAccountNames(job.steps, names) }) };
    const resolved = inDialects(namedJob, by);
    const context: RunContext = {
      ...resolved,
      ledger,
      inputPath,
      accept,
      askAgreement,
      sandboxFolder: besideFolder(location),
      clock: await this.#sessions.time({ clock, ledger, account }),
      signal: this.#until,
      maxPauseMs: MOST_PAUSE_MS,
      emit(event) {
        if (event.kind === 'row') {
          under.rows += 1;
          under.remainingRows -= 1;
        }
        if (event.kind === 'note') onEvent(event);
      },
    };
    await requireAgreedRequests(context);
    const { endpoint, method, body } = job;
    const question =
      account.baseUrl &&
      endpoint &&
      requestQuestion({ endpoint, ...present({ method, body }) } as JsonObject, account.baseUrl);
    if (question) await requireAgreement(question, { accept, askAgreement });
    return context;
  }

  /**
   * The accounts of the batch, in their order, with the dialects of the run that submitted it.
   * @throws StopError `unsupported` where this host lacks one of them.
   */
  async #askedFor(
    first: Account,
    { id, accounts }: Batch,
    { dialect, further = [] }: WorkOrder,
    { operation }: Job,
  ): Promise<readonly AskedAccount[]> {
    const askedAccounts: AskedAccount[] = [];
    for (const [at, { identity, name }] of accounts.entries()) {
      const account = at === 0 ? first : this.#serving.accounts.find((each) => each.identity === identity);
      const content = at === 0 ? dialect : further[at - 1];
      if (account === undefined || content === undefined)
        throw stop(
          'unsupported',
          `Batch ${id} also asks account ${foreignName(name)}, which this host does not have.`,
          'Add the account here, or leave the batch to workers that have it.',
        );
      askedAccounts.push({
        account,
        dialect: withRequestOf(await dialectOfContent(content, account), operation),
      });
    }
    return askedAccounts;
  }

  /**
   * Notes the consequence of a stop for the next ranges.
   * @returns the time after which this range may be tried again.
   */
  #rest(account: Account, { batch }: TakenRange, stopped: StopError): number {
    if (this.#until.aborted) return 0;
    if (STOPS[stopped.code].worker_opens_the_store_again) {
      this.#onLost(stopped);
      return 0;
    }
    const { clock } = this.#serving;
    const { code, resumeAtMs = clock.wallMs(), detail } = stopped;
    // The calls of the range are accepted, and other ranges of the account go on.
    if (code === 'later') return Math.max(HANDS_ON_MS, resumeAtMs - clock.wallMs());
    const { worker_leaves_the_account: isOfAccount, other_hosts_go_on: othersGoOn } = STOPS[code];
    const what = isOfAccount ? (detail.account?.identity ?? account.identity) : batch;
    // A range that was not tried because of an earlier stop makes nothing rest for longer.
    if (this.#restOf(what) <= 0) {
      const restMs = isOfAccount ? Math.max(ACCOUNT_RESTS_MS, resumeAtMs - clock.wallMs()) : BATCH_RESTS_MS;
      this.#resting.set(what, { untilMs: clock.monotonicMs() + restMs, stopped });
    }
    return othersGoOn ? HANDS_ON_MS : this.#restOf(what);
  }

  #restOf(what: string): number {
    return (this.#resting.get(what)?.untilMs ?? 0) - this.#serving.clock.monotonicMs();
  }
}

/**
 * A range in work, with the number of its rows that have ended here, and the highest number that may be left.
 */
interface UnderWork {
  readonly identity: string;
  remainingRows: number;
  rows: number;
}

const RANGES_AT_ONCE = 2;

/** With this many rows left for each slot, there is time to take another range before a slot is idle. */
const ROWS_A_SLOT = 4;

const MOST_PAUSE_MS = 30_000;

/** The least time for which an account is left alone after it was refused or paused. */
const ACCOUNT_RESTS_MS = 30_000;

/** How long a batch is left alone that can buy nothing, such as one whose budget is reached. */
const BATCH_RESTS_MS = 5 * 60_000;

/** How soon a range goes to another host that this host cannot work on. */
const HANDS_ON_MS = 1_000;

/**
 * If the queue does not hear this, the range is not lost: its worker no longer reports it, so the search for
 * left ranges sends it again.
 */
const UNHEARD = (): void => {};

/** What the parts of a worker share while its store is open. */
interface WorkContext extends Pick<RunOptions, 'accept' | 'askAgreement' | 'operations'> {
  readonly ledger: Ledger;
  readonly queue: WorkQueue;
  readonly accounts: readonly Account[];
  readonly clock: Clock;
  readonly location: string;
  readonly onEvent: (event: WorkerEvent) => void;
}
