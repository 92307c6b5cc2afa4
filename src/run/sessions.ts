import { Client, type Limits, type Pause } from '../client/client.ts';
import { basePathOf } from '../client/request.ts';
import { AccountTime } from '../client/time.ts';
import type { Clock } from '../core/clock.ts';
import { invariant, StopError, stop } from '../core/errors.ts';
import type { Listener, RunEvent } from '../core/events.ts';
import { present } from '../core/objects.ts';
import { asCommand, DO_AGAIN, faces, phrase } from '../core/phrase.ts';
import { STOPS } from '../core/stops.ts';
import {
  type AccountState,
  type BatchId,
  batchOver,
  type KnownLimit,
  type Ledger,
  type LimitNow,
  type Spenders,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import type { RunContext } from '../plan/context.ts';
import { bookPathIn, spawnSandbox } from '../sandbox/spawn.ts';
import { agreeOn } from './account-terms.ts';
import { closeLeftOpen, recover } from './recover.ts';
import { AllSeries, historyOf } from './series.ts';
import { type AccountRun, hasPeriods, ProjectAccess, type Session } from './session.ts';

export interface OpenRun extends AccountRun {
  /** Closes the run. The last run of the account also ends the session. */
  close(): Promise<void>;
}

/** What a run is for. */
export interface Purpose {
  readonly batch: BatchId;
  readonly projects: ProjectAccess;
  /** The start of the batch, if it buys answers anew when they are older than a certain time. */
  readonly begunMs?: number;
}

/** How often a process that spends beside others reports itself, and hears of them. */
const BEAT_EVERY_MS = 1_000;

/**
 * The sessions of a process, one for each account. All runs of an account share its session, which ends with
 * the last of them. So the account's limit is kept, however many batches run at once. Each ledger has one
 * such object.
 */
export class Sessions {
  readonly #shared = new Map<string, SharedSession>();
  readonly #times = new Map<string, Promise<AccountTime>>();
  /** The accounts that this process has had a session of. */
  readonly #known = new Set<string>();
  #recovered: Promise<unknown> = Promise.resolve();
  /** Aborted when there is something to say before the next beat is due; undefined while no beat runs. */
  #hurry: AbortController | undefined;

  /** The clock that every run of the account uses. */
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
   * @param signal aborted when the run may send nothing more.
   * @param stopAll ends this run.
   * @throws StopError when the key is not where the account says, its limits are not those of the ledger,
   *   or the sandbox does not start.
   */
  async open(
    context: RunContext,
    purpose: Purpose,
    signal: AbortSignal,
    stopAll: (error: unknown) => void,
  ): Promise<OpenRun> {
    const { account, dialect, ledger, emit, maxPauseMs } = context;
    const { batch, begunMs, projects } = purpose;
    const clock = await this.time(context);
    const shared = this.#share(context);
    const member: Member = { emit, stopAll, batch, maxPauseMs };
    shared.members.add(member);
    const close = (): Promise<void> => this.#leave(shared, member);
    try {
      // Where one process spends, its accounts file counts. Limits on play money protect no one.
      if (ledger.spenders === undefined || account.sandbox)
        await ledger.setAccountCaps(account.identity, account.budget);
      else await agreeOn(ledger.spenders, account);
      shared.goesByAge ||= begunMs !== undefined;
      const opened = await shared.open(context, clock);
      shared.tell(member, clock.wallMs());
      if (ledger.spenders !== undefined) this.#beat(clock, ledger.spenders);
      return {
        // Another account of the same identity may have another dialect, which reads its answers differently.
        session: { ...opened, account, client: await opened.client.speaking(dialect) },
        batch,
        beganAtMs: clock.wallMs(),
        begunMs,
        projects,
        emit,
        close,
        waiter: { signal, maxPauseMs },
        accept: context.accept,
        looked: new Set(),
        polled: new Set(),
        waitsForMoney: { sinceMs: undefined },
        stopAll: (error) => shared.stop(member, error),
      };
    } catch (error) {
      await close();
      throw error;
    }
  }

  #share({ account: { identity }, ledger }: RunContext): SharedSession {
    const there = this.#shared.get(identity);
    if (there !== undefined && there.members.size > 0) return there;
    const shared = new SharedSession(identity, ledger, there, !this.#known.has(identity));
    this.#known.add(identity);
    this.#shared.set(identity, shared);
    return shared;
  }

  async #leave(shared: SharedSession, member: Member): Promise<void> {
    shared.members.delete(member);
    if (shared.members.size > 0) return;
    await shared.end();
    this.#hurry?.abort();
    if (this.#shared.get(shared.identity) === shared) this.#shared.delete(shared.identity);
  }

  // ------------------------------------------------------------------------------------------ beside others

  /**
   * Beats as long as a session is open, and once more. A process that is killed falls silent, and the others
   * know from that.
   */
  #beat(clock: Clock, spenders: Spenders): void {
    if (this.#hurry === undefined) void this.#beatOn(clock, spenders);
    else this.#hurry.abort();
  }

  async #beatOn(clock: Clock, spenders: Spenders): Promise<void> {
    let heardAtMs = clock.monotonicMs();
    for (;;) {
      const hurry = new AbortController();
      this.#hurry = hurry;
      const begunMs = clock.monotonicMs();
      const open = [...this.#shared.values()].flatMap((shared) =>
        shared.opened === undefined ? [] : [{ shared, session: shared.opened }],
      );
      try {
        await spenders.beat(
          open.map(({ shared: { identity: account }, session: { client } }) => ({
            account,
            inFlight: client.limiter.inFlight,
          })),
        );
        for (const { shared, session } of open) {
          await shared.readNews(session);
          await this.#inTurn(() => closeLeftOpen({ session, projects: new ProjectAccess([]) }));
        }
        heardAtMs = clock.monotonicMs();
      } catch (error) {
        for (const { shared } of open) failed(shared.members, error, clock.monotonicMs() - heardAtMs);
      }
      if (open.length === 0 && !hurry.signal.aborted) {
        this.#hurry = undefined;
        return;
      }
      const leftMs = begunMs + BEAT_EVERY_MS - clock.monotonicMs();
      if (leftMs > 0) await clock.sleep(leftMs, hurry.signal).catch(() => {});
    }
  }

  // -------------------------------------------------------------------------------------- what was left open

  /**
   * Settles attempts that an earlier process left open, before this run spends. Only one run does so at a
   * time, because two runs would end the same open attempt twice. A second run finds none left.
   * @returns how many attempts were open.
   */
  recover(run: AccountRun): Promise<number> {
    return this.#inTurn(() => recover(run));
  }

  /**
   * Does the part of `recover` that sends no request, before a change is planned. It may settle an open
   * attempt, and the plan then knows more about the person of the attempt.
   */
  async closeLeftOpen(
    context: Pick<RunContext, 'ledger' | 'clock' | 'dialect' | 'account'>,
  ): Promise<number> {
    const { ledger, dialect, account } = context;
    const clock = await this.time(context);
    const history = await historyOf(ledger, account);
    // A sandbox has no address yet.
    const address = account.baseUrl ?? new URL('http://sandbox.invalid');
    return this.#inTurn(() =>
      closeLeftOpen({
        session: { account, history, ledger, clock, client: { dialect, basePath: basePathOf(address) } },
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
}

/** A store that does not answer is waited for as long as each run allows. Any other error ends all runs. */
function failed(members: Iterable<Member>, error: unknown, silentMs: number): void {
  for (const { stopAll, maxPauseMs = Number.POSITIVE_INFINITY } of members) {
    if (!(error instanceof StopError && error.code === 'store')) stopAll(error);
    else if (silentMs >= maxPauseMs) {
      const message = `${error.message} Nothing could be sent for ${formatDuration(silentMs)}.`;
      stopAll(stop('store', message, GO_ON));
    }
  }
}

const GO_ON = phrase`${DO_AGAIN} when the store can be reached: it continues from what is kept.`;

// ------------------------------------------------------------------------- what the runs of an account share

/** A run that takes part in the session of its account. */
interface Member {
  readonly batch: BatchId;
  readonly maxPauseMs: number | undefined;
  readonly emit: Listener;
  stopAll(error: unknown): void;
  toldPause?: Pause;
}

/**
 * What the runs of an account share in this process, from the first run to the last. A statement of the
 * vendor about the account is kept in the ledger at once, where other processes hear of it.
 */
class SharedSession {
  readonly identity: string;
  readonly members = new Set<Member>();
  /** Whether one of the runs buys answers anew when they are older than a certain time. */
  goesByAge = false;
  /** The session, once it is open. */
  opened: Session | undefined;
  readonly #ledger: Ledger;
  readonly #before: Promise<unknown>;
  #opening: Promise<Session> | undefined;
  #vendor: ReachedVendor | undefined;
  #ended: Promise<void> | undefined;
  #stopped: StopError | undefined;
  #pause: Pause | undefined;
  readonly #isFirst: boolean;
  /** Whether the next request probes a kept limit at once: a person has started something. */
  #probesAtOnce = false;
  /** Whether the ledger has the limit that the limiter knows. */
  #isLimitKept = false;
  /** Whether the event that is emitted now was in the ledger already. */
  #isHearing = false;

  /**
   * @param before the session of the account before this one: a sandbox that is still ending has its book
   *   open.
   * @param isFirst whether it is the first one of this process.
   */
  constructor(identity: string, ledger: Ledger, before: SharedSession | undefined, isFirst: boolean) {
    this.identity = identity;
    this.#ledger = ledger;
    this.#isFirst = isFirst;
    this.#before = before?.end().catch(() => {}) ?? Promise.resolve();
  }

  /** @throws StopError when the key is not where the account says, or the sandbox does not start. */
  async open(context: RunContext, clock: AccountTime): Promise<Session> {
    this.#opening ??= this.#before.then(() => this.#open(context, clock));
    this.opened = await this.#opening;
    return this.opened;
  }

  /**
   * Resolves when nothing of the session is left. A session that could not be opened has nothing to end, and
   * the run that opened it has told why.
   */
  end(): Promise<void> {
    this.#ended ??= (async () => {
      const opened = await this.#opening?.catch(() => undefined);
      this.opened = undefined;
      await opened?.client.close();
      await this.#vendor?.stop?.();
    })();
    return this.#ended;
  }

  async #open(context: RunContext, clock: AccountTime): Promise<Session> {
    const { account, ledger, dialect } = context;
    const { identity, limits } = account;
    this.#vendor = await reachVendor(context);
    const state = await ledger.account(identity);
    // A person started the account anew.
    if (state.ended !== undefined) await ledger.changeAccount(identity, { ended: undefined });
    const hasLine = ledger.spenders !== undefined && limits.windows.length > 0;
    const history = await historyOf(ledger, account);
    const client = await Client.open({
      account,
      dialect,
      baseUrl: this.#vendor.baseUrl,
      clock,
      machine: clock.machine,
      ...present({ takePlaces: hasLine ? await ledger.spenders?.places(identity) : undefined }),
      earlierSendsMs: await earlierSends(ledger, identity, limits, clock.wallMs()),
      // The sandbox has no rate limit that a run could exceed, and no one wants to wait for a trial.
      unhurried: account.sandbox,
      // Wrong days and ages cost money. A sandbox has the clock of this machine.
      ...present({
        goesAlone: account.sandbox
          ? undefined
          : () => !clock.isSure && (this.goesByAge || hasPeriods(account)),
      }),
      hasAnswered: history.hasAnswered,
      ...present({ takeProbe: ledger.spenders && (() => this.#takeProbe()) }),
      onLimit: (limit, forMs) => this.#keepLimit(limit, forMs),
      onLimitOver: () => this.#endLimit(),
      onPause: (pause) => this.#paused(pause),
      time: clock,
      onNews: (message) => this.#emit({ kind: 'note', message }),
    });
    this.#wait(client, state);
    this.#isLimitKept = state.limit !== undefined;
    this.#probesAtOnce = this.#isFirst && state.limit !== undefined;
    if (state.limit) this.#limit(client, state.limit);
    return {
      account,
      ledger,
      clock,
      client,
      priced: new Set(),
      series: new AllSeries(),
      saidNotes: new Set(),
      history,
    };
  }

  // ---------------------------------------------------------------------------------- what the runs are told

  /** Tells a run that has just joined what the other runs know. */
  tell(member: Member, nowMs: number): void {
    if (this.#stopped !== undefined) member.stopAll(this.#stopped);
    else if (this.#pause !== undefined && this.#pause.untilMs > nowMs) tellPause(member, this.#pause);
  }

  stop(member: Member, error: StopError): void {
    member.stopAll(error);
    const { ends_the_account: endsAll, ends_other_processes: endsOthers } = STOPS[error.code];
    if (!endsAll) return;
    const { code, message, next } = error;
    if (this.#stopped === undefined && endsOthers)
      void this.#ledger.changeAccount(this.identity, { ended: { code, message, next } }).catch(() => {});
    this.#stopAll(error);
  }

  /** Hears the news of other processes about the account, and the decisions of a person about its batches. */
  async readNews({ history, client, clock }: Session): Promise<void> {
    const wasLimitKept = this.#isLimitKept;
    const state = await this.#ledger.account(this.identity);
    // The ledger never takes back newer answers of this process.
    history.hasAnswered ||= state.hasAnswered;
    history.hasAnsweredNot404 ||= state.hasAnsweredNot404;
    clock.heardOf(state.agreedMs);
    this.#wait(client, state);
    this.#hearLimit(client, state, wasLimitKept);
    if (state.ended !== undefined && this.#stopped === undefined) this.#stopAll(endedByAnother(state.ended));
    for (const { batch, stopAll } of this.members) {
      const now = await this.#ledger.batch(batch);
      if (now?.state === 'superseded' || now?.state === 'cancelled') stopAll(batchOver(batch));
      else if (now?.pausedSinceMs !== undefined) stopAll(pausedStop(batch));
    }
  }

  #stopAll(error: StopError): void {
    this.#stopped ??= error;
    for (const { stopAll } of this.members) stopAll(error);
  }

  #wait({ limiter }: Client, { pausedForMs, asked: why = 'the vendor asked to wait' }: AccountState): void {
    if (pausedForMs === undefined) return;
    this.#isHearing = true;
    limiter.waitFor(pausedForMs, why, true);
    this.#isHearing = false;
  }

  // ------------------------------------------------------------------------------- a limit without a time

  #limit({ limiter }: Client, limit: LimitNow): void {
    limiter.limited(limit, this.#probesAtOnce ? 0 : limit.forMs);
  }

  async #takeProbe(): Promise<number> {
    const waitMs = await this.#ledger.takeProbe(this.identity, this.#probesAtOnce);
    if (waitMs === 0) this.#probesAtOnce = false;
    return waitMs;
  }

  /** A lost note costs one more probe. */
  #keepLimit(limit: KnownLimit, forMs: number): void {
    const limitNote = this.#ledger.keepLimit(this.identity, limit, forMs);
    limitNote.then(() => (this.#isLimitKept = true)).catch(() => {});
  }

  #endLimit(): void {
    this.#isLimitKept = false;
    void this.#ledger.endLimit(this.identity).catch(() => {});
  }

  /** @param wasKept whether the ledger had the limit already when it was read. */
  #hearLimit(client: Client, { limit }: AccountState, wasKept: boolean): void {
    if (limit !== undefined) this.#limit(client, limit);
    // Where it was not kept, this process may have been refused since.
    else if (wasKept) client.limiter.limitOver();
    if (limit !== undefined || wasKept) this.#isLimitKept = limit !== undefined;
  }

  /** The note is not awaited, because a lost one costs one more "too fast" answer and never a credit. */
  #paused(pause: Pause): void {
    this.#pause = pause;
    for (const member of this.members) tellPause(member, pause);
    if (!this.#isHearing) void this.#ledger.notePause(this.identity, pause).catch(() => {});
  }

  #emit(event: RunEvent): void {
    for (const { emit } of this.members) emit(event);
  }
}

function tellPause(member: Member, pause: Pause): void {
  if (member.toldPause === pause) return;
  member.toldPause = pause;
  const { untilMs, why, asked, isProbed } = pause;
  member.emit({ kind: 'paused', untilMs, why, asked, ...present({ isProbed }) });
}

const endedByAnother = ({ code, message, next }: Pick<StopError, 'code' | 'message' | 'next'>): StopError =>
  stop(
    code,
    `Another process that spends from this store was stopped, so this one stopped too: ${message}`,
    next,
  );

function pausedStop(batch: BatchId): StopError {
  const command = commandLine(['resume', batch]);
  const next = faces(phrase`To continue it: ${asCommand(command)}`, 'Continue it.');
  return stop('terminated', `A person has paused batch ${batch}.`, next);
}

// ------------------------------------------------------------------------------------------ how it is opened

/**
 * The times of earlier requests, some milliseconds before each was sent, that still count against a limit: a
 * restart sends no burst.
 */
async function earlierSends(
  ledger: Ledger,
  identity: string,
  { windows }: Limits,
  nowMs: number,
): Promise<readonly number[]> {
  // Where many processes spend, the line of the ledger knows the earlier requests.
  if (windows.length === 0 || ledger.spenders !== undefined) return [];
  const longestMs = Math.max(...windows.map(({ windowMs }) => windowMs));
  const most = Math.max(...windows.map(({ requests }) => requests));
  return (await ledger.sends(identity, nowMs - longestMs, most)).map(({ atMs }) => atMs);
}

type ReachedVendor = { readonly baseUrl: URL; stop?(): Promise<void> };

/**
 * Finds the vendor's address. The vendor of a sandbox account is a separate process, so that its book is
 * independent of ours.
 */
async function reachVendor({ account, sandboxFolder }: RunContext): Promise<ReachedVendor> {
  const { baseUrl } = account;
  if (baseUrl !== undefined) return { baseUrl };
  invariant(account.sandbox, `account ${account.name} has no address`);
  const sandbox = await spawnSandbox({
    bookPath: bookPathIn(sandboxFolder, account.name),
    flags: account.sandboxFlags,
  });
  return { baseUrl: new URL(sandbox.url), stop: () => sandbox.stop() };
}
