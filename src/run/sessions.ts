import { basePathOf } from '../client/request.ts';
import type { Clock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import type { BatchId, Spenders } from '../ledger/ledger.ts';
import { AccountTime } from '../ledger/time.ts';
import { formatDuration } from '../lib/duration.ts';
import type { RunContext } from '../plan/context.ts';
import { ProjectAccess } from './project-access.ts';
import { closeLeftOpen, recover } from './recover.ts';
import { missesNow } from './series.ts';
import type { Run } from './session.ts';
import { type Member, SharedSession } from './sessions/shared-session.ts';

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

/** How often a process that spends beside others says that it is there, and hears of them. */
const BEAT_EVERY_MS = 1_000;

/**
 * The sessions of a process, one for each account. All runs of an account share its session, which ends with the last of
 * them. So the account's limit is kept, however many batches run at once. Each ledger has one such object.
 */
export class Sessions {
  readonly #shared = new Map<string, SharedSession>();
  readonly #times = new Map<string, Promise<AccountTime>>();
  #recovered: Promise<unknown> = Promise.resolve();
  /** Fires when there is something to say before the next beat is due; undefined while nobody beats. */
  #hurry: AbortController | undefined;

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
   * @throws StopError when the key is not where the account says, its limits are not those of the ledger, or the sandbox does not start.
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
      // Where one process spends, its accounts file counts. Play money is nobody's loss.
      if (ledger.spenders === undefined || account.sandbox)
        await ledger.setAccountCaps(account.identity, account.budget);
      else await ledger.spenders.agreeOn(account);
      shared.goesByAge ||= begunMs !== undefined;
      const opened = await shared.open(context, clock);
      shared.tell(member, clock.wallMs());
      if (ledger.spenders !== undefined) this.#beat(clock, ledger.spenders);
      return {
        // Another account of the same identity may have another dialect, which reads its answers differently.
        session: { ...opened, account, client: await opened.client.speaking(dialect) },
        ...{ batch, begunMs, projects, emit, close },
        waiter: { signal, maxPauseMs },
        accept: context.accept,
        looked: new Set(),
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
    const shared = new SharedSession(identity, ledger, there);
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

  /** As long as a session is open, and once more. A process that is killed says nothing more, by which the others know. */
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
            ...{ account, inFlight: client.limiter.inFlight },
          })),
        );
        for (const { shared, session } of open) {
          await shared.hear(session);
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

  // ------------------------------------------------------------------------------------------ what was left open

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
}

/** A store that does not answer is waited for as long as each run allows. Whatever else is wrong ends all of them. */
function failed(members: Iterable<Member>, error: unknown, silentMs: number): void {
  for (const { stopAll, maxPauseMs = Number.POSITIVE_INFINITY } of members) {
    if (!(error instanceof StopError && error.code === 'store')) stopAll(error);
    else if (silentMs >= maxPauseMs) {
      const message = `${error.message} Nothing could be sent for ${formatDuration(silentMs)}.`;
      stopAll(stop('store', message, AGAIN));
    }
  }
}

const AGAIN = 'Run the same command again when the store can be reached: it continues from what is kept.';
