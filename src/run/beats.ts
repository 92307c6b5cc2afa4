import type { Client, Pause } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import {
  type AccountEnd,
  type AccountHeard,
  type AccountSaid,
  type BatchId,
  BEAT_EVERY_MS,
  batchOver,
  type Heard,
  type SaidPause,
  type Spenders,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import { type AccountHistory, hearOfAnswers } from './account-history.ts';

/**
 * The beat of a process that spends from a ledger beside others: once a second it says how it stands with all its accounts, and hears
 * what the others were told. What a crash leaves open is closed by the others for its age.
 */

export interface BeatingRun {
  readonly batch: BatchId;
  readonly maxPauseMs: number | undefined;
  stopAll(error: unknown): void;
}

/** What the vendor told this process, and no other one knows of yet: a pause that it asked for, and why nobody may ask any more. */
export interface Told {
  readonly pause?: Pause;
  readonly end?: StopError;
}

export interface BeatingAccount {
  readonly identity: string;
  readonly limiter: Client['limiter'];
  readonly history: AccountHistory;
  readonly runs: ReadonlySet<BeatingRun>;
  told(): Told;
  wasSaid(told: Told): void;
  pause(pause: SaidPause): void;
  closeLeftOpen(): Promise<unknown>;
}

/** Who hears nothing for so long asks anew, maybe by another connection. */
const LONGEST_BEAT_MS = 3_000;

interface Part {
  readonly account: BeatingAccount;
  /** Under way while attempts of others are closed. */
  closing: Promise<unknown> | undefined;
  /** Set when it leaves, and called when that was said, or could not be. */
  left: (() => void) | undefined;
}

interface Said {
  readonly part: Part;
  readonly told: Told;
  readonly isLeaving: boolean;
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export class Beats {
  readonly #spenders: Spenders;
  readonly #clock: Clock;
  readonly #parts = new Map<string, Part>();
  #isBeating = false;
  #beats = 0;
  #heardOf = 0;
  #heardAtMs: number;
  #sleep = new AbortController();

  constructor(spenders: Spenders, clock: Clock) {
    this.#spenders = spenders;
    this.#clock = clock;
    this.#heardAtMs = clock.monotonicMs();
  }

  join(account: BeatingAccount): void {
    this.#parts.set(account.identity, { account, closing: undefined, left: undefined });
    this.#hurry();
  }

  /** Resolves when the others know that nothing more is sent, or when they cannot be told. */
  async leave(account: BeatingAccount): Promise<void> {
    const part = this.#parts.get(account.identity);
    if (part === undefined) return;
    await new Promise<void>((resolve) => {
      part.left = resolve;
      this.#hurry();
    });
    await part.closing;
  }

  #hurry(): void {
    this.#sleep.abort();
    if (this.#isBeating) return;
    this.#isBeating = true;
    void this.#beatOn();
  }

  async #beatOn(): Promise<void> {
    if (this.#parts.size > 0) this.#heardAtMs = this.#clock.monotonicMs();
    while (this.#parts.size > 0) {
      this.#sleep = new AbortController();
      const began = { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.wallMs() };
      await this.#beat(began);
      const leftMs = began.monotonicMs + BEAT_EVERY_MS - this.#clock.monotonicMs();
      if (leftMs > 0) await this.#clock.sleep(leftMs, this.#sleep.signal).catch(() => {});
    }
    this.#isBeating = false;
  }

  async #beat(began: Moment): Promise<void> {
    const said = Array.from(this.#parts.values(), (part) => ({
      part,
      told: part.account.told(),
      isLeaving: part.left !== undefined,
    }));
    this.#beats += 1;
    const number = this.#beats;
    const accounts = said.map(({ part, told }) => saidOf(part, told, began));
    const beating = this.#spenders.beat({ accounts }).then((heard) => {
      // An answer that comes when a later beat was answered says nothing any more.
      if (number < this.#heardOf) return;
      this.#heardOf = number;
      this.#heardAtMs = this.#clock.monotonicMs();
      for (const each of said) this.#hear(each, heard);
    });
    await this.#withinTime(beating).catch((error: unknown) => this.#failed(said, error));
    for (const { part, isLeaving } of said) {
      if (!isLeaving) continue;
      this.#parts.delete(part.account.identity);
      part.left?.();
    }
  }

  #hear({ part, told }: Said, { accounts }: Heard): void {
    const { account } = part;
    account.wasSaid(told);
    const heard = accounts.find((each) => each.account === account.identity);
    if (heard !== undefined) hear(account, heard);
    this.#closeLeftOpen(part);
  }

  async #withinTime(beating: Promise<void>): Promise<void> {
    const over = new AbortController();
    const late = this.#clock.sleep(LONGEST_BEAT_MS, over.signal).then(() => {
      throw stop('store', 'The store did not answer a heartbeat.', AGAIN);
    });
    beating.catch(() => {});
    late.catch(() => {});
    try {
      await Promise.race([beating, late]);
    } finally {
      over.abort();
    }
  }

  #closeLeftOpen(part: Part): void {
    part.closing ??= part.account
      .closeLeftOpen()
      .catch((error: unknown) => stopRuns(part.account, error))
      .finally(() => {
        part.closing = undefined;
      });
  }

  /** A store that does not answer is waited for as long as each run allows. Whatever else is wrong ends all of them. */
  #failed(said: readonly Said[], error: unknown): void {
    const silentMs = this.#clock.monotonicMs() - this.#heardAtMs;
    const mayPass = error instanceof StopError && error.code === 'store';
    for (const { part } of said)
      for (const run of part.account.runs) {
        const { maxPauseMs = Number.POSITIVE_INFINITY } = run;
        if (!mayPass) run.stopAll(error);
        else if (silentMs >= maxPauseMs) run.stopAll(silent(error, silentMs));
      }
  }
}

const AGAIN = 'Run the same command again when the store can be reached: it continues from what is kept.';

function silent({ message, next }: StopError, silentMs: number): StopError {
  return stop('store', `${message} Nothing could be sent for ${formatDuration(silentMs)}.`, next);
}

function stopRuns({ runs }: BeatingAccount, error: unknown): void {
  for (const run of runs) run.stopAll(error);
}

function saidOf({ account, left }: Part, { pause, end }: Told, { wallMs }: Moment): AccountSaid {
  const { identity, limiter, runs } = account;
  return {
    account: identity,
    inFlight: limiter.inFlight,
    batches: [...new Set(Array.from(runs, ({ batch }) => batch))],
    ...(left === undefined ? {} : { isLeaving: true }),
    ...(pause === undefined
      ? {}
      : { pause: { leftMs: Math.max(pause.untilMs - wallMs, 0), why: pause.why, asked: pause.asked } }),
    ...(end === undefined ? {} : { end: { code: end.code, message: end.message, next: end.next } }),
  };
}

function hear(account: BeatingAccount, heard: AccountHeard): void {
  const { history, runs } = account;
  const { pause, end, held, over, known } = heard;
  hearOfAnswers(history, known);
  if (pause !== undefined) account.pause(pause);
  if (end !== undefined) stopRuns(account, endedByAnother(end));
  for (const run of runs) {
    if (held.includes(run.batch)) run.stopAll(heldStop(run.batch));
    if (over.includes(run.batch)) run.stopAll(batchOver(run.batch));
  }
}

function endedByAnother({ code, message, next }: AccountEnd): StopError {
  return stop(
    code,
    `Another process that spends from this store was stopped, so this one stopped too: ${message}`,
    next,
  );
}

function heldStop(batch: BatchId): StopError {
  return stop(
    'terminated',
    `A person has paused batch ${batch}.`,
    `To continue it: ${commandLine(['resume', batch])}`,
  );
}
