import { type Clock, isoTime } from '../core/clock.ts';
import { type StopError, stop } from '../core/errors.ts';
import { formatDuration } from '../lib/duration.ts';
import type { Accounts, AccountsReader, LedgerReader, RawReply } from './ledger.ts';

/**
 * What time it is where money or erasing follows from it (protocol, rule 16). There are two witnesses: the clock of this machine, and the
 * `Date` of the account's own vendor. Each may hold back, and none pushes on: what one of them says alone is never kept. Each account has
 * its own time, so that a vendor whose clock is wrong harms nobody else.
 */

/** Clocks that differ by less agree. */
export const APART_MS = 5 * 60_000;
/** Clocks further apart have one request sent at a time where money depends on the time. */
const HOUR_MS = 3_600_000;
/** Clocks further apart have nothing sent at all. */
const DAY_MS = 24 * HOUR_MS;
/** A loss of what was told since means that it is told again. */
const KEEP_EVERY_MS = 60_000;
/** A `Date` has no parts of a second. */
const SECOND_MS = 1_000;

type Keeper = Pick<AccountsReader, 'account'> & Partial<Pick<Accounts, 'keepTold'>>;

export class AccountTime implements Clock {
  /** The clocks as the machine shows them. */
  readonly machine: Clock;
  readonly #keep: (atMs: number) => Promise<void> | undefined;
  /** The most that both witnesses have ever reached. */
  #toldMs: number;
  #keptMs: number;
  #heard: { readonly dateMs: number; readonly atMs: number } | undefined;
  #offMs = 0;
  #hasNoDate = false;
  #asking: Promise<unknown> | undefined;
  #news: string[] = [];

  private constructor(machine: Clock, toldMs: number, keep: (atMs: number) => Promise<void> | undefined) {
    this.machine = machine;
    this.#toldMs = toldMs;
    this.#keptMs = toldMs;
    this.#keep = keep;
    const wallMs = machine.wallMs();
    if (toldMs - wallMs > HOUR_MS)
      this.#news.push(
        `This machine's clock says ${isoTime(wallMs)}, but a vendor's answer has said ${isoTime(toldMs)}, before which nothing is dated.`,
      );
  }

  /** @param ledger keeps what is told, where it can. */
  static async of(clock: Clock, ledger: Keeper | undefined, accountIdentity: string): Promise<AccountTime> {
    const toldMs = (await ledger?.account(accountIdentity))?.toldMs ?? Number.NEGATIVE_INFINITY;
    return new AccountTime(clock, toldMs, (atMs) => ledger?.keepTold?.(accountIdentity, atMs));
  }

  /** By which entries are dated and days counted. It goes back behind nothing that was told. */
  wallMs(): number {
    return Math.max(this.#toldMs, Math.min(this.machine.wallMs(), this.#dateMs() + SECOND_MS));
  }

  /** The latest that it may be, because it may not be too late for what follows. */
  latestMs(): number {
    return Math.max(this.#toldMs, this.machine.wallMs(), this.#heard === undefined ? 0 : this.#dateMs());
  }

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return this.machine.sleep(durationMs, signal);
  }

  /** The last `Date`, carried on. */
  #dateMs(): number {
    if (this.#heard === undefined) return Number.POSITIVE_INFINITY;
    return this.#heard.dateMs + this.machine.monotonicMs() - this.#heard.atMs;
  }

  /** @param askedMs the machine's clock when it was asked: an answer may have waited for a process that was stopped since. */
  heard({ date, age }: RawReply['headers'], askedMs: number): void {
    // A cache has kept it, and its date with it.
    if (Number(age ?? 0) > 0) return;
    const dateMs = Date.parse(date ?? '');
    const wallMs = this.machine.wallMs();
    if (Number.isNaN(dateMs)) {
      this.#heardNothing();
      return;
    }
    const wasOffMs = this.#offMs;
    this.#offMs = Math.max(Math.min(askedMs, wallMs) - dateMs, dateMs - wallMs);
    this.#heard = { dateMs, atMs: this.machine.monotonicMs() };
    this.#toldMs = Math.max(this.#toldMs, Math.floor(Math.min(wallMs, dateMs)));
    if (this.#toldMs - this.#keptMs >= KEEP_EVERY_MS) {
      this.#keptMs = this.#toldMs;
      void this.#keep(this.#toldMs)?.catch(() => {});
    }
    if (this.#offMs > HOUR_MS && this.#offMs <= DAY_MS && wasOffMs <= HOUR_MS)
      this.#news.push(`${this.#words()} The earlier of the two counts.`);
  }

  #heardNothing(): void {
    if (this.#hasNoDate || this.#heard !== undefined) return;
    this.#hasNoDate = true;
    this.#news.push(
      "The vendor's answers have no Date, so days and ages come from this machine's clock alone.",
    );
  }

  #words(): string {
    return `This machine's clock says ${isoTime(this.machine.wallMs())}, and the vendor's answer says ${isoTime(this.#dateMs())}: they are ${formatDuration(this.#offMs)} apart.`;
  }

  /** Has the vendor asked where no answer has told the time yet, once, or where the clock may have been set since. */
  async askedBy(ask: () => Promise<unknown>): Promise<void> {
    if (this.apart !== undefined) this.#asking = undefined;
    if (this.#heard === undefined || this.apart !== undefined) this.#asking ??= ask();
    await this.#asking;
  }

  /** Whether an answer was within an hour of this machine's clock. A vendor that says no time leaves it to the clock. */
  get isSure(): boolean {
    return this.#heard === undefined ? this.#hasNoDate : this.#offMs <= HOUR_MS;
  }

  /** Whether this machine's clock alone says that it is another day, which has a budget of its own. */
  get isOtherDay(): boolean {
    return Math.floor(this.machine.wallMs() / DAY_MS) !== Math.floor(this.#toldMs / DAY_MS);
  }

  /** Why nothing more is sent. */
  get apart(): StopError | undefined {
    if (this.#offMs <= DAY_MS) return undefined;
    return stop('clock', this.#words(), 'Set the clock of this machine, then run the same command again.');
  }

  /** What a user has to know of the clocks, once. */
  takeNews(): readonly string[] {
    return this.#news.splice(0);
  }
}

/**
 * Where ages end by which something is erased: the newest time that the account was told; of no account alone, any. A sandbox has the
 * clock of this machine, and is heard only where nobody else was.
 */
export async function toldIn(
  ledger: Pick<LedgerReader, 'account' | 'batchLines'>,
  accountIdentity?: string,
): Promise<number | undefined> {
  const batches = await ledger.batchLines();
  const real = batches.filter(({ sandbox }) => !sandbox);
  const all = (real.length > 0 ? real : batches).map((batch) => batch.accountIdentity);
  const asked = accountIdentity === undefined ? [...new Set(all)] : [accountIdentity];
  const states = await Promise.all(asked.map((identity) => ledger.account(identity)));
  const told = states.flatMap(({ toldMs }) => toldMs ?? []);
  return told.length === 0 ? undefined : Math.max(...told);
}
