import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/clock.ts';
import type { RunEvent } from '../../core/events.ts';
import { counted, linesOf } from '../../core/plain-text.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Console } from '../shared/command.ts';
import { type BatchBegun, finishedWords, rowsWords } from '../shared/spending.ts';

/** One changing line on a terminal, a few plain lines elsewhere. It only listens and never delays the run. */
export class Progress {
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  /** Undefined until the batch begins. Until then the terminal may show a question. */
  #batch: BatchBegun | undefined;
  #finished = 0;
  /** Rows of this run that were found or changed. */
  #done = 0;
  #credits = 0;
  /** What lost answers may have cost. */
  #held = 0;
  /** When rows were finished lately: invalid and known ones finish all at once at the beginning, and say nothing of the rest. */
  #ends: number[] = [];
  #pausedUntilMs = 0;
  #saidUntilMs = 0;
  #shownMs: number;
  #phase: 'running' | 'stopping' | 'writing' = 'running';

  constructor(console: Console, clock: Clock) {
    this.#console = console;
    this.#clock = clock;
    this.#shownMs = clock.monotonicMs();
    this.#timer = setInterval(() => this.#show(), REFRESH_MS).unref();
  }

  hear(event: RunEvent): void {
    switch (event.kind) {
      case 'batch':
        this.#batch = event;
        [this.#finished, this.#done] = [0, 0];
        this.#say(batchLine(event));
        break;
      case 'answered':
        this.#credits += event.credits;
        break;
      case 'in_doubt':
        this.#held += event.credits;
        break;
      case 'row':
        this.#finished += 1;
        this.#ends.push(this.#clock.monotonicMs());
        if (event.outcome === 'matched' || event.outcome === 'applied') this.#done += 1;
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
      default:
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

  #say(line: string): void {
    this.#console.status('');
    this.#console.say(line);
  }

  /** Shows the line many times a second on a terminal, where it replaces itself, and once a minute elsewhere. */
  #show(): void {
    if (this.#batch === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const line = this.#line(this.#batch, nowMs);
    this.#console.status(line);
    if (this.#console.interactive || nowMs - this.#shownMs < PLAIN_LINE_EVERY_MS) return;
    this.#shownMs = nowMs;
    this.#console.say(line);
  }

  #line({ rows: ofFile, rowsBeyond = 0, settled, isChange, budgetLeft }: BatchBegun, nowMs: number): string {
    const rows = ofFile + rowsBeyond;
    const finished = settled + this.#finished;
    const left = budgetLeft === undefined ? undefined : Math.max(0, budgetLeft - this.#credits - this.#held);
    // A change costs nothing, as a rule.
    const hasCosts = isChange !== true || this.#credits > 0;
    // Settled rows are counted since the beginning of the batch, these numbers since the beginning of the run.
    const done = `${this.#done} ${isChange ? 'applied' : 'matched'}`;
    return linesOf(
      // Rounded down: it is full only when all rows are done.
      `${rows === 0 ? 100 : Math.floor((Math.min(finished, rows) * 100) / rows)} %`,
      `${finished}/${rows} rows${settled === 0 ? '' : ' in all'}`,
      settled === 0 ? done : `this run: ${done}`,
      hasCosts && counted(this.#credits, 'credit'),
      hasCosts && left !== undefined && `${left} of the budget left`,
      this.#timeLeft(nowMs, rows - finished),
    ).join(' · ');
  }

  #timeLeft(nowMs: number, rowsLeft: number): string | undefined {
    if (this.#phase !== 'running') return this.#phase;
    const pauseMs = this.#pausedUntilMs - this.#clock.wallMs();
    if (pauseMs > LONG_PAUSE_MS) return `paused, ${formatDuration(pauseMs)} to go`;
    this.#ends = this.#ends.filter((atMs) => nowMs - atMs < RATE_WINDOW_MS);
    // Less than a second is over before a person has read it.
    const leftMs = Math.max(1000, (rowsLeft * RATE_WINDOW_MS) / this.#ends.length);
    return this.#ends.length === 0 ? undefined : `${formatDuration(leftMs)} left`;
  }
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
