import { type Clock, DAY_MS, isoTime } from '../core/clock.ts';
import { type StopError, stop } from '../core/errors.ts';
import { AGAIN, phrase } from '../core/phrase.ts';
import type { Ledger, LedgerReader, Reply } from '../ledger/ledger.ts';
import { formatDuration } from '../lib/duration.ts';

/**
 * What time it is where money or erasing follows from it (protocol, rule 16). There are two witnesses: the
 * clock of this machine, and the `Date` of the account's own vendor. Each may hold back, and none pushes on:
 * what one of them says alone is never kept. Each account has its own time, so that a vendor whose clock is
 * wrong harms nobody else.
 */

/**
 * Clocks further apart have one request sent at a time where money depends on the time, and by more than a
 * day nothing at all.
 */
const HOUR_MS = 3_600_000;
/** What was agreed since the ledger had it last may be gone: then it is agreed again. */
const KEEP_EVERY_MS = 60_000;

type TimeKeeper = Pick<LedgerReader, 'account'> & Partial<Pick<Ledger, 'keepAgreedTime'>>;

export class AccountTime implements Clock {
  /** The clocks as the machine shows them. */
  readonly machine: Clock;
  readonly #keep: (atMs: number) => Promise<void> | undefined;
  /** The most that both witnesses have ever reached, and what the ledger has of that. */
  #agreedMs: number;
  #keptMs: number;
  #lastDate: { readonly dateMs: number; readonly atMs: number } | undefined;
  #offMs = 0;
  #isSilent = false;
  #asking: Promise<unknown> | undefined;

  private constructor(machine: Clock, agreedMs: number, keep: (atMs: number) => Promise<void> | undefined) {
    this.machine = machine;
    this.#agreedMs = agreedMs;
    this.#keptMs = agreedMs;
    this.#keep = keep;
  }

  /** @param ledger keeps what is agreed, where it can. */
  static async of(
    clock: Clock,
    ledger: TimeKeeper | undefined,
    accountIdentity: string,
  ): Promise<AccountTime> {
    const agreedMs = (await ledger?.account(accountIdentity))?.agreedMs ?? Number.NEGATIVE_INFINITY;
    return new AccountTime(clock, agreedMs, (atMs) => ledger?.keepAgreedTime?.(accountIdentity, atMs));
  }

  /** The time that dates entries and counts days. A `Date` has no parts of a second. */
  wallMs(): number {
    // rule 16
    return Math.max(this.#agreedMs, Math.min(this.machine.wallMs(), this.#dateMs(Infinity) + 1_000));
  }

  /**
   * When a key is first used: no later than it is at the vendor, who alone is asked, because this machine's
   * clock may be ahead. 0: the vendor has not said.
   */
  earliestMs(): number {
    return this.#dateMs(0);
  }

  /**
   * The latest that it may be, for what must not be too late; Infinity: the vendor has not said, and this
   * machine's clock may be behind.
   */
  latestMs(): number {
    return Math.max(this.#agreedMs, this.machine.wallMs(), this.#dateMs(Infinity) + 1_000);
  }

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return this.machine.sleep(durationMs, signal);
  }

  /** The last `Date`, carried on. */
  #dateMs(unheardMs: number): number {
    if (this.#lastDate === undefined) return unheardMs;
    return this.#lastDate.dateMs + this.machine.monotonicMs() - this.#lastDate.atMs;
  }

  /**
   * @param askedMs the machine's clock when it was asked: an answer may have waited for a process that was
   * stopped since.
   * @returns what a user has to know of the clocks, once.
   */
  readDate({ date = '', age = '0' }: Reply['headers'], askedMs: number): string | undefined {
    const dateMs = Date.parse(date);
    const wallMs = this.machine.wallMs();
    const wasSure = this.isSure || this.#lastDate === undefined;
    // What a cache has kept, it has kept with its date.
    if (Number(age) > 0) return undefined;
    if (Number.isNaN(dateMs)) {
      this.#isSilent = true;
      return undefined;
    }
    this.#offMs = Math.max(Math.min(askedMs, wallMs) - dateMs, dateMs - wallMs);
    this.#lastDate = { dateMs, atMs: this.machine.monotonicMs() };
    this.#agreedMs = Math.max(this.#agreedMs, Math.floor(Math.min(wallMs, dateMs)));
    if (this.#agreedMs - this.#keptMs >= KEEP_EVERY_MS) {
      this.#keptMs = this.#agreedMs;
      void this.#keep(this.#keptMs)?.catch(() => {});
    }
    const isNews = wasSure && !this.isSure && this.apart === undefined;
    return isNews ? `${this.#apartWords()} The earlier of the two counts.` : undefined;
  }

  #apartWords(): string {
    const [ours, theirs] = [isoTime(this.machine.wallMs()), isoTime(this.#dateMs(0))];
    return (
      `This machine's clock says ${ours}, and the vendor's answer says ${theirs}: ` +
      `they are ${formatDuration(this.#offMs)} apart.`
    );
  }

  /** So much another process has kept. */
  heardOf(agreedMs = Number.NEGATIVE_INFINITY): void {
    this.#agreedMs = Math.max(this.#agreedMs, agreedMs);
  }

  /**
   * Has the vendor asked where no answer has said the time yet, or where the clock may have been set since.
   */
  async askedBy(ask: () => Promise<unknown>): Promise<void> {
    while (!this.#isAsked) {
      const asking = this.#asking;
      if (asking === undefined) {
        this.#asking = ask().finally(() => {
          this.#asking = undefined;
        });
        await this.#asking;
        this.#isSilent ||= this.#lastDate === undefined;
        return;
      }
      // Rows that begin together ask once. The row that asks may be stopped, and then the next one asks.
      await asking.catch(() => {});
    }
  }

  get #isAsked(): boolean {
    return this.apart === undefined && (this.#lastDate !== undefined || this.#isSilent);
  }

  /**
   * Whether the last `Date` was within an hour of this machine's clock. A vendor that says none leaves it to
   * the clock.
   */
  get isSure(): boolean {
    return this.#lastDate === undefined ? this.#isSilent : this.#offMs <= HOUR_MS;
  }

  /** Whether this machine's clock alone says that it is another day, which has a budget of its own. */
  get isOtherDay(): boolean {
    return Math.floor(this.machine.wallMs() / DAY_MS) !== Math.floor(this.#agreedMs / DAY_MS);
  }

  /** Why nothing more is sent. */
  get apart(): StopError | undefined {
    if (this.#offMs <= DAY_MS) return undefined;
    const next = phrase`Set the clock of this machine, then ${AGAIN}.`;
    return stop('clock', this.#apartWords(), next);
  }
}

/**
 * Where ages end by which something is erased: the newest agreed time of the account; of no account alone,
 * any. A sandbox has the clock of this machine, and is heard only where no one else was.
 */
export async function agreedIn(
  ledger: Pick<LedgerReader, 'account' | 'batches'>,
  accountIdentity?: string,
): Promise<number | undefined> {
  const batches = await ledger.batches();
  const real = batches.filter(({ sandbox }) => !sandbox);
  const all = (real.length > 0 ? real : batches).map((batch) => batch.accountIdentity);
  const askedAccounts = accountIdentity === undefined ? [...new Set(all)] : [accountIdentity];
  const states = await Promise.all(askedAccounts.map((identity) => ledger.account(identity)));
  const agreed = states.flatMap(({ agreedMs }) => agreedMs ?? []);
  return agreed.length === 0 ? undefined : Math.max(...agreed);
}
