import { type BootTime, type Clock, isoTime } from '../core/clock.ts';
import { type StopError, stop } from '../core/errors.ts';
import type { BootMoment, IntentTime, KeptTime, RawReply, Time, TimeMark } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import { type Holder, KEEPS_NOTHING, Keeper, type Keeping } from './believed-time/keeper.ts';
import {
  bootOf,
  JUMP_MS,
  MachineClocks,
  READ_EVERY_MS,
  type Reading,
  withBoot,
} from './believed-time/machine-clocks.ts';
import { type Answered, ahead, dayOf, extended, isAnswered } from './believed-time/reckoning.ts';

/**
 * What time it is, as far as it may be believed where money follows from it (protocol, rule 16). There are three
 * witnesses: the calendar of this machine, which anybody may set; its boot clock, which stands still while the machine is
 * off or a virtual one is held; and the `Date` of answers. Each may forbid and none may permit, so a stretch of time has
 * a least and a greatest length. `wallMs` is the time by which entries are dated and days are counted.
 */

/** Clocks that differ by less than this agree. The database has the same number. */
export const APART_MS = 5 * 60_000;

/** Witnesses that differ by more than this leave everything as it is, however old it may be. */
const DISPUTED_MS = 24 * 60 * 60_000;

const NO_NEWS: readonly string[] = [];

export interface Moment {
  readonly atMs: number;
  /** This moment on the boot clock; undefined when it is unknown. */
  readonly boot: BootMoment | undefined;
}

interface Elapsed {
  readonly leastMs: number;
  readonly greatestMs: number;
}

/** The least and the most that it may be now, ms since 1970. */
export interface TimeBounds {
  readonly leastMs: number;
  readonly greatestMs: number;
  /** Why nothing may be erased for its age now: the two are more than a day apart. */
  readonly dispute?: StopError;
}

/** The account whose vendor answered. */
export interface Witness {
  readonly identity: string;
  readonly sandbox: boolean;
}

export class BelievedTime implements Clock {
  readonly #clocks: MachineClocks;
  readonly #keeper: Keeper;
  readonly #openedMs: number;
  #seen: TimeMark;
  #confirmed: TimeMark | undefined;
  /** When the newest intent of this boot was dated, where it may have cost money. */
  #dated: TimeMark | undefined;
  #floorMs: number;
  /** Whether the store has bought from sandboxes alone. */
  #isPlay: boolean;
  #toldWithoutDate = false;
  #apart: StopError | undefined;
  #news: string[] = [];

  private constructor(machine: Clock, kept: KeptTime, ledger: Keeping) {
    this.#clocks = new MachineClocks(machine, (byMs, { wallMs }) => this.#wasSet(byMs, wallMs));
    this.#seen = kept.seen;
    this.#confirmed = kept.confirmed;
    this.#dated = kept.dated;
    this.#floorMs = kept.floorMs ?? Number.NEGATIVE_INFINITY;
    this.#isPlay = kept.isPlay;
    this.#openedMs = machine.monotonicMs();
    this.#keeper = new Keeper(ledger, kept.confirmed, this.#openedMs);
  }

  /** Opens the clock that all work of a process with a ledger shares. */
  static async over(clock: Clock, ledger: Keeping & Pick<Time, 'atBoot'>): Promise<BelievedTime> {
    const machine = withBoot(clock);
    const kept = await ledger.atBoot(bootOf(machine), machine.wallMs());
    const time = new BelievedTime(machine, kept, ledger);
    time.#tellDispute();
    return time;
  }

  /** The same for those who note nothing. @param ledger left out where there is none. */
  static async beside(clock: Clock, ledger?: Pick<Time, 'keptTime'>): Promise<BelievedTime> {
    const machine = withBoot(clock);
    const boot = bootOf(machine);
    const kept = await ledger?.keptTime(boot, machine.wallMs());
    const seen = { atMs: machine.wallMs(), uptimeMs: boot.uptimeMs };
    return new BelievedTime(machine, kept ?? { seen, isPlay: true }, KEEPS_NOTHING);
  }

  /** The two clocks as the machine shows them. */
  get machine(): Clock {
    return this.#clocks.clock;
  }

  // ---------------------------------------------------------------------------------------- as a clock

  /**
   * The calendar, as long as it agrees with what is certain; otherwise the certain time. So nothing is dated before
   * what an answer confirmed, a new day begins only when that much time has passed, and a future that only the calendar
   * claims is not believed.
   */
  wallMs(): number {
    return this.#believed(this.#clocks.read());
  }

  /** The time by which an intent takes its budget, and the uptime of the same moment, because the database compares the two. */
  dated(): IntentTime {
    const reading = this.#clocks.read();
    const { uptimeMs } = reading;
    const believedMs = this.#believed(reading);
    const spentMs = this.#bySpending(uptimeMs);
    const mark = { atMs: spentMs ?? believedMs, uptimeMs };
    if (!this.#isPlay) this.#dated = mark;
    return spentMs === undefined ? mark : { ...mark, leastMs: believedMs };
  }

  #believed({ wallMs, uptimeMs }: Reading): number {
    const sureMs = this.#sureMs(uptimeMs);
    return wallMs >= sureMs && wallMs - sureMs <= APART_MS ? wallMs : sureMs;
  }

  /**
   * The time by the newest intent of this boot, where an answer that contradicted the calendar puts it earlier. A day that
   * was spent is not left for an earlier one, which would have a budget of its own, until calendar and answer agree.
   */
  #bySpending(uptimeMs: number): number | undefined {
    if (this.isConfirmed || this.#dated === undefined) return undefined;
    const spentMs = extended(this.#dated, uptimeMs);
    return spentMs - this.#sureMs(uptimeMs) > APART_MS ? spentMs : undefined;
  }

  /** Has the holder write its dated intents before a later time is kept. @returns what ends that. */
  heldBy(holder: Holder): () => void {
    return this.#keeper.heldBy(holder);
  }

  monotonicMs(): number {
    return this.#clocks.clock.monotonicMs();
  }

  boot(): BootTime {
    return { id: this.#clocks.bootId, uptimeMs: this.#clocks.read().uptimeMs };
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return this.#clocks.clock.sleep(durationMs, signal);
  }

  // ---------------------------------------------------------------------------------------- how long ago

  /**
   * How long ago a moment was. Within one boot the boot clock gives the least, and the clock that shows the longest
   * time gives the greatest. For a moment of another boot two confirmed times give both, within what clocks may differ.
   * Without them it is only certain that the moment was before this process began, and not how long before.
   */
  since({ atMs, boot }: Moment): Elapsed {
    const { monotonicMs, wallMs, uptimeMs } = this.#clocks.read();
    const byCalendarMs = Math.max(this.wallMs(), wallMs) - atMs;
    if (boot?.id === this.#clocks.bootId) {
      const bootMs = uptimeMs - boot.uptimeMs;
      if (bootMs < -READ_EVERY_MS) return { leastMs: 0, greatestMs: Number.POSITIVE_INFINITY };
      return { leastMs: Math.max(bootMs, 0), greatestMs: Math.max(bootMs, byCalendarMs) };
    }
    const sinceOpenedMs = monotonicMs - this.#openedMs;
    const believedMs = this.wallMs() - atMs;
    if (!this.isConfirmed || boot?.isConfirmed !== true || believedMs < 0)
      return { leastMs: sinceOpenedMs, greatestMs: Number.POSITIVE_INFINITY };
    return {
      leastMs: Math.max(sinceOpenedMs, believedMs - 2 * APART_MS),
      greatestMs: byCalendarMs + 2 * APART_MS,
    };
  }

  /**
   * What time it is by the calendar and by what answers told, for those who erase what is old. Before an answer has told the
   * time in this boot, it is certain that an earlier one was told before the boot began: what the calendar says of the
   * time in between, nobody else has said.
   */
  bounds(): TimeBounds {
    const { wallMs, uptimeMs } = this.#clocks.read();
    const toldMs = this.isConfirmed ? this.#sureMs(uptimeMs) : this.#floorMs + uptimeMs;
    const bounds = { leastMs: Math.min(wallMs, toldMs), greatestMs: Math.max(wallMs, toldMs) };
    if (bounds.greatestMs - bounds.leastMs <= DISPUTED_MS) return bounds;
    return { ...bounds, dispute: this.#dispute(wallMs, toldMs) };
  }

  #dispute(wallMs: number, toldMs: number): StopError {
    const told = !Number.isFinite(toldMs)
      ? 'no answer in the store has given the time yet'
      : this.isConfirmed
        ? `the vendors' answers put it at ${isoTime(toldMs)}`
        : `no answer has given the time since the machine started; the last one gave ${isoTime(this.#floorMs)}`;
    return stop(
      'clock',
      `Nothing is erased because of its age: this machine's clock says ${isoTime(wallMs)}, and ${told}.`,
      `Set the clock of this machine if it is wrong. If it is right, the vendor's next answer confirms it (a sandbox cannot). To name the day yourself: ${commandLine(['store', 'purge', '--before', 'DAY'])}`,
    );
  }

  // ---------------------------------------------------------------------------------------- what answers tell

  /** Whether an answer has told the time in this boot. */
  get isConfirmed(): boolean {
    return this.#confirmed !== undefined;
  }

  /** Whether it is known what the vendor says about the time: it has confirmed the time, or it gives none. */
  get isTold(): boolean {
    return this.isConfirmed || this.#toldWithoutDate;
  }

  /** Whether today is another day than the last confirmed one, so that the calendar alone grants a new budget. */
  get isUnsureDay(): boolean {
    const reading = this.#clocks.read();
    const paysMs = this.#bySpending(reading.uptimeMs) ?? this.#believed(reading);
    return !this.isConfirmed && dayOf(paysMs) !== dayOf(this.#floorMs);
  }

  /** Why the run has to stop: an answer's `Date` and this machine's calendar are too far apart. */
  get apart(): StopError | undefined {
    this.#clocks.read();
    return this.#apart;
  }

  /** What was learned about the clocks since the last call, as sentences for the user. */
  takeNews(): readonly string[] {
    return this.#news.length === 0 ? NO_NEWS : this.#news.splice(0);
  }

  /**
   * Whether answers of that account tell the time. A sandbox is a process of this machine, so its `Date` is the calendar once
   * more: it tells the time only to a store in which nothing has cost money.
   */
  heeds({ sandbox }: Pick<Witness, 'sandbox'>): boolean {
    return !sandbox || this.#isPlay;
  }

  /**
   * Money is to be spent from now on, so sandboxes are heeded no more, and what they have told is forgotten. Of what the calendar
   * has said in this boot the earlier is believed until an answer tells the time.
   */
  heedMoney(): void {
    if (!this.#isPlay) return;
    this.#isPlay = false;
    this.#toldWithoutDate = false;
    this.#dated = undefined;
    if (!this.isConfirmed && this.#floorMs === Number.NEGATIVE_INFINITY) return;
    const { wallMs, uptimeMs } = this.#clocks.read();
    this.#refute(Number.NEGATIVE_INFINITY);
    const atMs = Math.floor(Math.min(wallMs, extended(this.#seen, uptimeMs)));
    this.#keepSeen({ atMs, uptimeMs: Math.ceil(uptimeMs) });
    this.#news = [];
    this.#tellDispute();
  }

  /**
   * Reads what an answer says about the time, and dates the answer. A reply that is no answer says nothing.
   * @param askedMs the calendar of this machine when the request was about to leave.
   */
  heard<Reply extends { readonly kind: string }>(
    reply: Reply | Answered,
    askedMs: number,
    witness: Witness,
  ): Reply | Answered {
    if (!isAnswered(reply)) return reply;
    if (this.heeds(witness)) this.#hear(reply.raw, askedMs, witness);
    return { kind: 'answered', raw: { ...reply.raw, receivedAtMs: this.wallMs() } };
  }

  #hear({ headers }: RawReply, askedMs: number, witness: Witness): void {
    // A cache has kept the answer for that long, and its date with it.
    if (headers.age !== undefined) return;
    const dateMs = Date.parse(headers.date ?? '');
    const { monotonicMs, wallMs, uptimeMs } = this.#clocks.read();
    // It has waited for a process that was stopped, or for a machine that slept: its date is that of its arrival.
    if (wallMs - dateMs > APART_MS && dateMs >= askedMs - APART_MS) return;
    const mark = { atMs: Math.floor(Math.min(dateMs, wallMs)), uptimeMs: Math.ceil(uptimeMs) };
    if (Number.isNaN(dateMs)) this.#heardNothing();
    else if (Math.abs(wallMs - dateMs) > APART_MS) this.#contradicted(wallMs, dateMs, mark);
    else this.#agreed(mark, monotonicMs, witness);
  }

  #agreed(mark: TimeMark, monotonicMs: number, { identity }: Witness): void {
    this.#refuteFuture(mark);
    if (this.#confirmed === undefined || mark.atMs > extended(this.#confirmed, mark.uptimeMs))
      this.#confirmed = mark;
    this.#keeper.confirmed(this.#confirmed, monotonicMs, mark.uptimeMs, identity);
  }

  /**
   * The calendar and an answer agree on a time that is long before one that was confirmed, so that one was false. Without this
   * way back a store that was once told a false future would go by it until that day. To go back grants nothing: each day
   * has its budget once, and what became older stays of unknown age.
   */
  #refuteFuture({ atMs, uptimeMs }: TimeMark): void {
    const inBootMs = this.#confirmed === undefined ? this.#floorMs : extended(this.#confirmed, uptimeMs);
    const falseMs = Math.max(inBootMs, this.#floorMs);
    if (falseMs - atMs <= 2 * APART_MS) return;
    this.#refute(atMs);
    this.#news.push(
      `Earlier answers put the time at ${isoTime(falseMs)}, which was wrong: this machine's clock and the vendor agree on ${isoTime(atMs)}, and that is used from now on.`,
    );
  }

  #refute(afterMs: number): void {
    this.#confirmed = undefined;
    this.#floorMs = Number.NEGATIVE_INFINITY;
    this.#keeper.refuted(afterMs);
  }

  #heardNothing(): void {
    if (this.isTold) return;
    this.#toldWithoutDate = true;
    this.#news.push(
      "The vendor's answers have no Date, so days and ages come from this machine's clocks alone.",
    );
  }

  /** Keeps the lesser of two times that contradict each other, until they agree: its day has to allow what is spent, too. */
  #contradicted(wallMs: number, dateMs: number, mark: TimeMark): void {
    if (!this.isConfirmed) this.#keepSeen({ ...mark, atMs: Math.max(mark.atMs, this.#floorMs) });
    this.#apart ??= stop(
      'clock',
      `This machine's clock says ${isoTime(wallMs)}, and the vendor's answer says ${isoTime(dateMs)}: they are ${formatDuration(Math.abs(wallMs - dateMs))} apart.`,
      'Set the clock of this machine, then run the same command again.',
    );
  }

  #keepSeen(seen: TimeMark): void {
    this.#seen = seen;
    this.#keeper.seen(seen);
  }

  // ---------------------------------------------------------------------------------------- what the machine tells

  /** The latest time that has surely come, unless this boot began with a calendar that was ahead. */
  #sureMs(uptimeMs: number): number {
    // The boot clock is coarse, so it may read a little less than when the time was confirmed.
    const confirmedMs = this.#confirmed?.atMs ?? Number.NEGATIVE_INFINITY;
    return Math.max(extended(this.#confirmed ?? this.#seen, uptimeMs), confirmedMs, this.#floorMs);
  }

  #wasSet(byMs: number, wallMs: number): void {
    this.#news.push(`This machine's clock was set ${ahead(byMs)}; it says ${isoTime(wallMs)} now.`);
    // The clock may have been set to the right time; the next answer shows it.
    this.#apart = undefined;
  }

  #tellDispute(): void {
    const { wallMs, uptimeMs } = this.#clocks.last;
    const sureMs = this.#sureMs(uptimeMs);
    if (wallMs >= sureMs - JUMP_MS && wallMs - sureMs <= APART_MS) return;
    const by = this.isConfirmed || sureMs === this.#floorMs ? "a vendor's answer" : 'its boot clock';
    this.#news.push(
      `This machine's clock says ${isoTime(wallMs)}, but ${by} says ${isoTime(sureMs)}, which is used until an answer gives the time.`,
    );
  }
}
