import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/clock.ts';
import { unreachable } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import { counted } from '../../core/plain-text.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Console } from '../shared/command.ts';
import { type BatchBegun, finishedWords, rowsWords } from '../shared/spending.ts';

/** One changing line on a terminal, a few plain lines elsewhere. It only listens and never delays the run. */
export class Progress {
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #timer: NodeJS.Timeout;
  #limitPerSecond: number | undefined;
  /** The number of rows; undefined until the batch begins. Until then the terminal may show a question. */
  #rows: number | undefined;
  #finishedBefore = 0;
  #finishedNow = 0;
  #matched = 0;
  #applied = 0;
  #isChange = false;
  #credits = 0;
  /** Undefined where the batch has no budget. */
  #budgetLeft: number | undefined;
  readonly #sends: Recent;
  readonly #settles: Recent;
  #pausedUntilMs = 0;
  #saidUntilMs = 0;
  #shownMs: number;
  #phase: 'running' | 'stopping' | 'writing' = 'running';

  constructor(console: Console, clock: Clock) {
    this.#console = console;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#shownMs = this.#startedMs;
    this.#sends = new Recent(this.#startedMs);
    this.#settles = new Recent(this.#startedMs);
    this.#timer = setInterval(() => this.#show(), REFRESH_MS).unref();
  }

  hear(event: RunEvent): void {
    switch (event.kind) {
      case 'batch':
        this.#rows = event.rows + (event.rowsBeyond ?? 0);
        this.#finishedBefore = event.settled;
        this.#finishedNow = 0;
        this.#matched = 0;
        this.#isChange = event.isChange === true;
        this.#limitPerSecond = event.requestsPerSecond;
        this.#budgetLeft = event.budgetLeft;
        this.#say(batchLine(event));
        break;
      case 'sent':
        this.#sends.add(this.#clock.monotonicMs());
        break;
      case 'answered':
        this.#credits += event.credits;
        this.#hold(event.credits);
        break;
      case 'row':
        this.#finishedNow += 1;
        this.#settles.add(this.#clock.monotonicMs());
        if (event.outcome === 'matched') this.#matched += 1;
        if (event.outcome === 'applied') this.#applied += 1;
        break;
      case 'paused':
        this.#pausedUntilMs = event.untilMs;
        if (this.#isNewsOf(event.untilMs)) this.#say(`Paused until ${isoTime(event.untilMs)}: ${event.why}.`);
        break;
      case 'stopping':
        this.#phase = 'stopping';
        if (event.inFlight > 0)
          this.#say(`Stopping: ${counted(event.inFlight, 'request')} in flight, whose answers are kept.`);
        break;
      case 'writing':
        this.#phase = 'writing';
        break;
      case 'note':
        this.#say(event.message);
        break;
      case 'looked':
      case 'learned':
      case 'closed':
        break;
      case 'in_doubt':
        this.#hold(event.credits);
        break;
      default:
        unreachable(event);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#console.status('');
  }

  /** Whether a pause is long and ends later than the one that was said. One answer may tell of a pause by a header and by its status. */
  #isNewsOf(untilMs: number): boolean {
    if (untilMs - this.#clock.wallMs() <= LONG_PAUSE_MS || untilMs - this.#saidUntilMs < 1000) return false;
    this.#saidUntilMs = untilMs;
    return true;
  }

  #hold(credits: number): void {
    if (this.#budgetLeft !== undefined) this.#budgetLeft = Math.max(0, this.#budgetLeft - credits);
  }

  #say(line: string): void {
    this.#console.status('');
    this.#console.say(line);
  }

  /** Shows the line many times a second on a terminal, where it replaces itself, and once a minute elsewhere. */
  #show(): void {
    if (this.#rows === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const line = this.#line(nowMs, this.#rows);
    this.#console.status(line);
    if (this.#console.interactive || nowMs - this.#shownMs < PLAIN_LINE_EVERY_MS) return;
    this.#shownMs = nowMs;
    this.#console.say(line);
  }

  #line(nowMs: number, rows: number): string {
    const done = this.#finishedBefore + this.#finishedNow;
    const parts = [
      `${this.#console.interactive ? `${barOf(done, rows)} ` : ''}${percentOf(done, rows)} %`,
      `${done}/${rows} rows${this.#finishedBefore === 0 ? '' : ' in all'}`,
      this.#rate(nowMs),
      // Settled rows are counted since the beginning of the batch, these numbers since the beginning of the run.
      `${this.#finishedBefore === 0 ? '' : 'this run: '}${this.#isChange ? `${this.#applied} applied` : `${this.#matched} matched`}`,
      // A change costs nothing, as a rule.
      ...(this.#isChange && this.#credits === 0 ? [] : this.#money()),
      this.#timeLeft(nowMs, rows - done),
    ];
    return parts.filter((part) => part !== '').join(' · ');
  }

  #money(): readonly string[] {
    const left = this.#budgetLeft;
    return [counted(this.#credits, 'credit'), ...(left === undefined ? [] : [`${left} of the budget left`])];
  }

  #rate(nowMs: number): string {
    const of = this.#limitPerSecond === undefined ? '' : ` of ${this.#limitPerSecond.toFixed(1)}`;
    return `${this.#sends.perSecond(nowMs).toFixed(1)}${of} requests/s`;
  }

  #timeLeft(nowMs: number, rowsLeft: number): string {
    if (this.#phase !== 'running') return this.#phase;
    const pauseMs = this.#pausedUntilMs - this.#clock.wallMs();
    if (pauseMs > LONG_PAUSE_MS) {
      const until = localTime(this.#pausedUntilMs, this.#clock.wallMs());
      return `paused until ${until}, ${formatDuration(pauseMs)} to go`;
    }
    // The speed is that of the last seconds, because invalid and known rows settle all at once at the beginning.
    const perSecond = this.#settles.perSecond(nowMs);
    // Less than a second is over before a person has read it.
    return perSecond === 0 ? '' : `${formatDuration(Math.max(1000, (rowsLeft * 1000) / perSecond))} left`;
  }
}

const BAR_WIDTH = 10;

/** Rounded down: it is full only when all rows are done. */
function percentOf(done: number, rows: number): number {
  return rows === 0 ? 100 : Math.floor((Math.min(done, rows) * 100) / rows);
}

function barOf(done: number, rows: number): string {
  const full = Math.floor((percentOf(done, rows) * BAR_WIDTH) / 100);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

class Recent {
  readonly #startedMs: number;
  #times: number[] = [];

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  add(atMs: number): void {
    this.#times.push(atMs);
  }

  perSecond(nowMs: number): number {
    this.#times = this.#times.filter((atMs) => nowMs - atMs < RATE_WINDOW_MS);
    const spanMs = Math.min(RATE_WINDOW_MS, Math.max(nowMs - this.#startedMs, 1_000));
    return (this.#times.length * 1000) / spanMs;
  }
}

/** The time in the user's time zone: `02:13`, with the date when that is not today. */
function localTime(atMs: number, nowMs: number): string {
  const time = new Date(atMs).toLocaleTimeString('en-AU', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const day = (ms: number): string => new Date(ms).toLocaleDateString('en-CA');
  return day(atMs) === day(nowMs) ? time : `${day(atMs)} ${time}`;
}

const REFRESH_MS = 100;
const RATE_WINDOW_MS = 5_000;
const PLAIN_LINE_EVERY_MS = 60_000;

/** Shorter pauses are not shown, because they are over before a person has read about them. */
const LONG_PAUSE_MS = 2_000;

function batchLine(event: BatchBegun): string {
  const { batch, resumed } = event;
  return resumed
    ? `Batch ${batch} continues: ${finishedWords(event)}.`
    : `Batch ${batch}: ${rowsWords(event)}.`;
}
