import { Client, type ClientOptions, type Limits } from '../client/client.ts';
import { basePathOf } from '../client/request.ts';
import { invariant, type StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { counted } from '../core/plain-text.ts';
import type { AccountLine, BatchId, Ledger } from '../ledger/ledger.ts';
import { AccountTime } from '../ledger/time.ts';
import { commandLine } from '../lib/command-line.ts';
import type { RunContext } from '../plan/context.ts';
import { bookPathIn, differenceFromSandbox, spawnSandbox } from '../sandbox/spawn.ts';
import { agreeOnTerms } from './account-terms.ts';
import { Beats } from './beats.ts';
import { ProjectAccess } from './project-access.ts';
import { closeLeftOpen, recover } from './recover.ts';
import { AllSeries, missesNow } from './series.ts';
import { hasPeriods, type Run, type Session } from './session.ts';
import { type Member, SharedSession } from './sessions/shared-session.ts';
import { TooFast } from './too-fast.ts';

export interface OpenRun extends Run {
  /** Closes the run. The last run of the account also ends the session. */
  close(): Promise<void>;
}

interface Purpose {
  readonly batch: BatchId;
  readonly projects: ProjectAccess;
  /** When the batch began; of one that buys answers anew when they are older than a certain time. */
  readonly begunMs?: number;
}

/**
 * The sessions of a process, one for each account. All runs of an account share its session, which ends with the last of
 * them. So the account's limit is kept, however many batches run at once. Each ledger has one such object.
 */
export class Sessions {
  readonly #shared = new Map<string, SharedSession<Opened>>();
  readonly #times = new Map<string, Promise<AccountTime>>();
  #recovered: Promise<unknown> = Promise.resolve();
  #beats: Beats | undefined;

  /** The time that every run of the account uses. */
  time({
    clock,
    ledger,
    account: { identity },
  }: Pick<RunContext, 'clock' | 'ledger' | 'account'>): Promise<AccountTime> {
    const time = this.#times.get(identity) ?? AccountTime.of(clock, ledger, identity);
    this.#times.set(identity, time);
    return time;
  }

  /**
   * @param signal fires when the run is to send nothing more.
   * @param stopAll ends this run.
   * @throws StopError when the key is not where the account says, or the sandbox does not start.
   */
  async open(
    context: RunContext,
    purpose: Purpose,
    signal: AbortSignal,
    stopAll: (error: StopError) => void,
  ): Promise<OpenRun> {
    const clock = await this.time(context);
    const shared = this.#share(context.account.identity);
    const { maxPauseMs } = context;
    const member: Member = { emit: context.emit, stopAll, batch: purpose.batch, maxPauseMs };
    shared.members.add(member);
    const leave = (): Promise<void> => this.#leave(context.account.identity, shared, member);
    try {
      await agreeOnTerms(context);
      shared.goesByAge ||= purpose.begunMs !== undefined;
      shared.opening ??= shared.before.then(() => this.#openShared(context, shared, clock));
      const { vendor: _, leave: __, ...opened } = await shared.opening;
      shared.tell(member, clock.wallMs());
      const { account, dialect, ledger, emit } = context;
      return {
        // Another account of the same identity may have another dialect, which reads its answers differently.
        session: { ...opened, account, ledger, client: await opened.client.speaking(dialect) },
        batch: purpose.batch,
        begunMs: purpose.begunMs,
        waiter: { signal, maxPauseMs },
        emit,
        accept: context.accept,
        projects: purpose.projects,
        looked: new Set(),
        stopAll: (error) => shared.stop(member, error),
        close: leave,
      };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  async #openShared(context: RunContext, shared: SharedSession<Opened>, clock: AccountTime): Promise<Opened> {
    const { ledger, account } = context;
    const opened = await openSession(context, shared, clock);
    if (ledger.spenders === undefined) return opened;
    this.#beats ??= new Beats(ledger.spenders, clock);
    const beats = this.#beats;
    const closing = (): Promise<unknown> => this.closeLeftOpen(context);
    const beating = shared.beating(account, opened, closing);
    try {
      await ledger.spenders.goOn(account.identity);
      beats.join(beating);
    } catch (error) {
      await endSession(Promise.resolve(opened));
      throw error;
    }
    return { ...opened, leave: () => beats.leave(beating) };
  }

  /**
   * Settles what an earlier process left open, before this run spends. Only one run does so at a time, because two runs
   * would close the same open attempt twice. A second run finds nothing left.
   * @returns how many attempts were open.
   */
  recover(run: Run): Promise<number> {
    return this.#inTurn(() => recover(run));
  }

  /**
   * Does the part of `recover` that sends no request, before a change is planned. It may settle an open attempt, which
   * changes what the plan knows about the attempt's subject.
   */
  async closeLeftOpen(
    context: Pick<RunContext, 'ledger' | 'clock' | 'dialect' | 'account'>,
  ): Promise<number> {
    const { ledger, dialect, account } = context;
    const clock = await this.time(context);
    const { history } = await missesNow(ledger, account);
    // A sandbox has no address yet. Only redirects need one, and no change follows a redirect.
    const address = account.baseUrl ?? new URL('http://sandbox.invalid');
    return this.#inTurn(() =>
      closeLeftOpen({
        session: {
          ...{ account, history, ledger, clock },
          client: { dialect, origin: address.origin, basePath: basePathOf(address) },
        },
        // This object knows no project, so a project that refused the key is tried again.
        projects: new ProjectAccess([]),
      }),
    );
  }

  #inTurn(settle: () => Promise<number>): Promise<number> {
    const recovered = this.#recovered.catch(() => {}).then(settle);
    this.#recovered = recovered;
    return recovered;
  }

  #share(identity: string): SharedSession<Opened> {
    const present = this.#shared.get(identity);
    if (present !== undefined && present.members.size > 0) return present;
    // A sandbox that is still ending has its book open, so the next one waits for it.
    const shared = new SharedSession<Opened>(present?.ended?.catch(() => {}));
    this.#shared.set(identity, shared);
    return shared;
  }

  async #leave(identity: string, shared: SharedSession<Opened>, member: Member): Promise<void> {
    shared.members.delete(member);
    if (shared.members.size > 0) return;
    shared.ended ??= endSession(shared.opening);
    await shared.ended;
    if (this.#shared.get(identity) === shared) this.#shared.delete(identity);
  }
}

interface Opened extends Pick<Session, 'clock' | 'client' | 'history' | 'priced' | 'series' | 'tooFast'> {
  readonly vendor: ReachedVendor;
  /** Ends its part in the beat, where many processes spend. */
  readonly leave?: () => Promise<void>;
}

/** How long a learned speed is used. An older one says nothing about the vendor's present speed. */
const LEARNED_HOLDS_MS = 24 * 60 * 60_000;

async function openSession(
  context: RunContext,
  shared: SharedSession<Opened>,
  clock: AccountTime,
): Promise<Opened> {
  const { account, ledger, dialect } = context;
  const vendor = await reachVendor(context);
  try {
    const { baseUrl } = vendor;
    const client = await Client.open({
      ...(await paceOf(context, shared, clock)),
      ...{ account, dialect, baseUrl, clock, machine: clock.machine },
      ...present({ line: await lineOf(context) }),
      heard(reply, askedMs) {
        if (reply.kind !== 'answered') return reply;
        clock.heard(reply.raw.headers, askedMs);
        return { kind: 'answered', raw: { ...reply.raw, receivedAtMs: clock.wallMs() } };
      },
      onSurplus(requests) {
        if (requests > 1) shared.emit({ kind: 'note', message: surplusWords(requests) });
      },
    });
    const { history } = await missesNow(ledger, account);
    return {
      ...{ clock, client },
      history,
      priced: new Set(),
      series: new AllSeries(),
      tooFast: new TooFast(),
      vendor,
    };
  } catch (error) {
    await vendor.stop();
    throw error;
  }
}

function surplusWords(requests: number): string {
  return `The vendor sent an answer without a request, on a connection that had carried ${counted(requests, 'request')}. Rows answered on that connection may show each other's data: ask the vendor, and compare some of them.`;
}

async function endSession(opening: Promise<Opened> | undefined): Promise<void> {
  // A session that could not be opened has nothing to end, and the run that opened it has reported the error.
  const opened = await opening?.catch(() => undefined);
  if (opened === undefined) return;
  await opened.leave?.();
  await opened.client.close();
  await opened.vendor.stop();
}

interface ReachedVendor {
  readonly baseUrl: URL;
  stop(): Promise<void>;
}

/**
 * Finds the vendor's address. A sandbox account's vendor is a separate process, so that its book is independent of ours; where it
 * has an address, it runs already.
 */
async function reachVendor({ account, sandboxFolder }: RunContext): Promise<ReachedVendor> {
  const { baseUrl } = account;
  if (baseUrl !== undefined) {
    if (account.sandbox) await requireSandbox(baseUrl);
    return { baseUrl, stop: async () => {} };
  }
  invariant(account.sandbox, `account ${account.name} has no address`);
  const sandbox = await spawnSandbox({
    bookPath: bookPathIn(sandboxFolder, account.vendor),
    flags: account.sandboxFlags,
  });
  return { baseUrl: new URL(sandbox.url), stop: () => sandbox.stop() };
}

async function paceOf(
  { account, ledger }: RunContext,
  shared: SharedSession<Opened>,
  clock: AccountTime,
): Promise<Omit<ClientOptions, 'account' | 'dialect' | 'baseUrl' | 'clock'>> {
  const dependsOnDay = hasPeriods(account);
  const { pausedUntilMs, learned } = await ledger.account(account.identity);
  const holds = learned !== undefined && clock.wallMs() - learned.atMs < LEARNED_HOLDS_MS;
  return {
    earlierSendsMs: await earlierSends(ledger, account.identity, account.limits, clock.wallMs()),
    pausedUntilMs,
    learnedPerSecond: holds ? learned.perSecond : undefined,
    // The sandbox has no rate limit that a run could exceed, and nobody wants to wait for a trial.
    unhurried: account.sandbox,
    // Days and ages cost money. A sandbox has the clock of this machine.
    goesAlone: () => !account.sandbox && !clock.isSure && (shared.goesByAge || dependsOnDay),
    // This write is not awaited, because a lost note costs one more "too fast" answer and never a credit.
    onPause(pause) {
      if (shared.paused(pause)) void ledger.notePause(account.identity, pause).catch(() => {});
    },
    onLearned(perSecond) {
      shared.emit({ kind: 'learned', requestsPerSecond: perSecond });
      void ledger.setLearnedRate(account.identity, { perSecond, atMs: clock.wallMs() }).catch(() => {});
    },
  };
}

/** Where no limit is stated, each process learns its own speed. */
async function lineOf({ ledger, account }: RunContext): Promise<AccountLine | undefined> {
  const { identity, limits } = account;
  return limits.windows.length === 0 ? undefined : ledger.spenders?.line(identity, limits.windows);
}

/** The longest time between an intent, whose time the ledger knows, and its request. It is usually a few milliseconds. */
const INTENT_TO_SEND_MS = 100;

/** The times of earlier requests that still count against a rate limit, so that a restart does not send a burst. */
async function earlierSends(
  ledger: Ledger,
  accountIdentity: string,
  { windows }: Limits,
  nowMs: number,
): Promise<readonly number[]> {
  // Where many spend, the line knows them.
  if (windows.length === 0 || ledger.spenders !== undefined) return [];
  const longestMs = Math.max(...windows.map(({ windowMs }) => windowMs));
  const most = Math.max(...windows.map(({ requests }) => requests));
  const sends = await ledger.sends(accountIdentity, nowMs - longestMs - INTENT_TO_SEND_MS, most);
  // A time in the future comes from a changed clock and stays as it is.
  return sends.map(({ atMs }) => (atMs > nowMs ? atMs : Math.min(atMs + INTENT_TO_SEND_MS, nowMs)));
}

/** Makes sure that the server is a sandbox, because for play money nobody is asked. @throws StopError `address`. */
async function requireSandbox(url: URL): Promise<void> {
  const fact = await differenceFromSandbox(url);
  if (fact === undefined) return;
  const port = url.port === '' ? '80' : url.port;
  const start = commandLine(['sandbox', '--port', port, '--book', 'book.jsonl']);
  throw stop('address', fact, `Start one there: ${start}`);
}
