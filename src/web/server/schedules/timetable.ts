import { z } from 'zod';
import type { Clock } from '../../../core/clock.ts';
import { EXIT, StopError } from '../../../core/errors.ts';
import type { ScheduleView, WorkView } from '../../api.ts';
import type { Order, Work } from '../work.ts';

/**
 * Work that begins by itself when it is due. It waits in the line of its store like any other, so two never overlap. What was
 * missed while nobody was there is made up for once, however often it was due, and what the end of this server cut short goes on.
 */

export type Last = NonNullable<ScheduleView['last']>;

export interface Entry {
  readonly order: Order;
  /** When it is due next after that moment; undefined: never again. */
  dueAfter(ms: number): number | undefined;
  /** Up to when what was due is over. */
  overMs: number;
  last: Last | null;
  work: string | undefined;
}

export interface TimetableOptions {
  readonly clock: Clock;
  readonly work: Pick<Work, 'start' | 'ended' | 'find'>;
  note(): Promise<void>;
}

/** The calendar may jump, and a machine may sleep, so the time is looked at again after this. */
const LONGEST_SLEEP_MS = 60_000;

export class Timetable {
  readonly #options: TimetableOptions;
  readonly #stopping = new AbortController();
  readonly #watching = new Set<Promise<void>>();

  constructor(options: TimetableOptions) {
    this.#options = options;
  }

  /** Begins the entry whenever it is due, until it is dropped. */
  watch(entry: Entry, dropped?: AbortSignal): void {
    const signals = [this.#stopping.signal, ...(dropped === undefined ? [] : [dropped])];
    const watching = this.#watch(entry, AbortSignal.any(signals));
    this.#watching.add(watching);
    void watching.finally(() => this.#watching.delete(watching));
  }

  begin(entry: Entry): WorkView {
    const work = this.#begin(entry);
    void this.#end(entry, work);
    return work;
  }

  /** What was begun for it and has not ended. */
  workOf({ work }: Entry): WorkView | undefined {
    const found = work === undefined ? undefined : this.#options.work.find(work);
    return found?.state === 'ended' ? undefined : found;
  }

  /** Begins nothing any more. What is under way is ended by the line of work, and noted if it ended by itself. */
  async stop(): Promise<void> {
    this.#stopping.abort(new StopError({ code: 'terminated', message: 'The page has ended.', next: '' }));
    await Promise.all(this.#watching);
  }

  async #watch(entry: Entry, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      // A calendar that was ahead when the entry ended puts off nothing once it is right.
      entry.overMs = Math.min(entry.overMs, clock.wallMs());
      const dueMs = entry.dueAfter(entry.overMs);
      if (dueMs === undefined) return;
      const leftMs = dueMs - clock.wallMs();
      if (leftMs > 0) await clock.sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal).catch(() => {});
      else await this.#end(entry, this.workOf(entry) ?? this.#begin(entry));
    }
  }

  #begin(entry: Entry): WorkView {
    const work = this.#options.work.start(entry.order);
    entry.work = work.id;
    return work;
  }

  /** Notes how it ended. What was stopped with this server is not over. */
  async #end(entry: Entry, { id, at_ms }: WorkView): Promise<void> {
    const ended = await this.#options.work.ended(id);
    const nowMs = this.#options.clock.wallMs();
    if (ended.exit_code === EXIT.terminated && this.#stopping.signal.aborted) return;
    entry.overMs = nowMs;
    entry.last = {
      at_ms,
      ended_ms: nowMs,
      exit_code: ended.exit_code ?? EXIT.bug,
      message: ended.stopped?.message ?? (ended.result === null ? (ended.said.at(-1) ?? null) : null),
      ...doneIn(ended.result),
    };
    // What a full disk leaves without a note begins once more after a restart, and finds that it was done.
    await this.#options.note().catch(() => {});
  }
}

const Spent = z.object({ credits: z.object({ spent: z.number() }) });
const Swept = z.object({ files: z.array(Spent) });
const Ran = Spent.extend({ batch: z.string() });

/** What a sweep or a run says that it has done. */
function doneIn(result: unknown): Pick<Last, 'files' | 'spent' | 'batch'> {
  const files = Swept.safeParse(result).data?.files ?? [];
  const ran = Ran.safeParse(result).data;
  const spent = files.reduce((sum, { credits }) => sum + credits.spent, ran?.credits.spent ?? 0);
  return { files: files.length, spent, batch: ran?.batch ?? null };
}
