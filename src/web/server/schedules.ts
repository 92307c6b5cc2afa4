import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cron } from 'croner';
import { z } from 'zod';
import { replaceFile } from '../../core/atomic-file.ts';
import type { Clock } from '../../core/clock.ts';
import { EXIT, StopError, stop } from '../../core/errors.ts';
import { type SweptJob, sweptJobs } from '../../run/nightly.ts';
import { chooseStore } from '../../run/open-ledger.ts';
import { ScheduleView, type WorkView } from '../api.ts';
import type { Work } from './work.ts';

/**
 * Sweeps of inboxes by the schedules of their jobs. A sweep waits in the line of its store like any other work, so two never
 * overlap. When a sweep last ended is noted in the store's folder: a night that was missed is made up for once at the start,
 * however many there were, and one that the end of this server cut short goes on.
 */

export interface ScheduleOptions {
  /** Paths of job files. */
  readonly jobs: readonly string[];
  /** What the user typed as `--store`. */
  readonly store: string | undefined;
  /** Where the note is kept. */
  readonly folder: string;
  readonly clock: Clock;
  readonly work: Pick<Work, 'start' | 'ended' | 'find'>;
  /** The zone in which the five fields are meant; undefined: that of this machine. */
  readonly timeZone: string | undefined;
}

type Last = NonNullable<ScheduleView['last']>;

interface Scheduled {
  readonly job: SweptJob;
  readonly path: string;
  readonly schedule: string;
  readonly cron: Cron;
  /** Up to when its nights are over. */
  overMs: number;
  last: Last | null;
  work: string | undefined;
}

/** The calendar may jump, and a machine may sleep, so the time is looked at again after this. */
const LONGEST_SLEEP_MS = 60_000;

/** How long a sweep waits for another process that spends from the store. */
const WAIT = '12h';

/** @throws StopError `job` or `consent` for a job that cannot be swept by a schedule. */
export async function openSchedules(options: ScheduleOptions): Promise<Schedules> {
  const { jobs, folder, clock, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  requireZone(timeZone);
  const noted = await notesIn(folder);
  const swept = jobs.length === 0 ? [] : await sweptJobs(jobs);
  const scheduled = swept.map((job, at): Scheduled => {
    const { path, schedule } = requireSchedule(jobs[at] ?? '', job);
    const note = noted[path];
    return {
      job,
      path,
      schedule,
      cron: new Cron(schedule, { mode: '5-part', timezone: timeZone, paused: true }),
      overMs: Math.min(note?.over_ms ?? clock.wallMs(), clock.wallMs()),
      last: note?.last ?? null,
      work: undefined,
    };
  });
  return new Schedules({ ...options, timeZone }, scheduled);
}

function requireZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw stop('usage', `--time-zone ${timeZone} is not known.`, 'Write it as Australia/Melbourne.');
  }
}

function requireSchedule(
  name: string,
  { job }: SweptJob,
): { readonly path: string; readonly schedule: string } {
  const { path, schedule, operation } = job;
  if (operation.change !== undefined) {
    throw stop(
      'consent',
      `${name} changes people and projects, and such a job is never scheduled, because nobody agrees to its plan.`,
      'Leave it out, and start it on the page when its plan is right.',
    );
  }
  if (path !== undefined && schedule !== undefined) return { path, schedule };
  throw stop('job', `${name} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
}

export class Schedules {
  readonly #options: ScheduleOptions & { readonly timeZone: string };
  readonly #scheduled: readonly Scheduled[];
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>[] = [];

  constructor(options: ScheduleOptions & { readonly timeZone: string }, scheduled: readonly Scheduled[]) {
    this.#options = options;
    this.#scheduled = scheduled;
  }

  get timeZone(): string {
    return this.#options.timeZone;
  }

  get size(): number {
    return this.#scheduled.length;
  }

  /** Notes when the first nights are waited for, and waits for them. */
  async start(): Promise<void> {
    if (this.#scheduled.length > 0) await this.#note();
    this.#watching.push(...this.#scheduled.map((each) => this.#watch(each)));
  }

  /** Begins no sweep any more. What is under way is ended by the line of work, and noted if it ended by itself. */
  async stop(): Promise<void> {
    this.#stopping.abort(new StopError({ code: 'terminated', message: 'The page is ended.', next: '' }));
    await Promise.all(this.#watching);
  }

  list(): readonly ScheduleView[] {
    return this.#scheduled.map((each) => this.#viewOf(each));
  }

  /** Sweeps at once. @throws StopError `busy` while a sweep of the job waits or works. */
  run(number: number): WorkView {
    const each = this.#scheduled[number];
    if (each === undefined) throw stop('usage', 'There is no such schedule.', 'See all schedules.');
    if (this.#workOf(each) !== undefined)
      throw stop('busy', `A sweep of ${each.job.job.name} is under way.`, 'Wait until it has ended.');
    const work = this.#begin(each);
    void this.#end(each, work);
    return work;
  }

  async #watch(each: Scheduled): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const nextMs = each.cron.nextRun(new Date(each.overMs))?.getTime();
      if (nextMs === undefined) return;
      const leftMs = nextMs - clock.wallMs();
      if (leftMs > 0) await clock.sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal).catch(() => {});
      else await this.#end(each, this.#workOf(each) ?? this.#begin(each));
    }
  }

  #begin(each: Scheduled): WorkView {
    const store = chooseStore(this.#options.store, each.job.account.sandbox).location;
    const words = ['nightly', each.path, '--wait', WAIT, '--store', store];
    const work = this.#options.work.start({ kind: 'sweep', words, store, about: each.job.job.name });
    each.work = work.id;
    return work;
  }

  /** Notes how a sweep ended. A night whose sweep was stopped is not over. */
  async #end(each: Scheduled, { id, at_ms }: WorkView): Promise<void> {
    const ended = await this.#options.work.ended(id);
    const nowMs = this.#options.clock.wallMs();
    if (ended.exit_code === EXIT.terminated && this.#stopping.signal.aborted) return;
    each.overMs = nowMs;
    each.last = {
      at_ms,
      ended_ms: nowMs,
      exit_code: ended.exit_code ?? EXIT.bug,
      message: ended.stopped?.message ?? (ended.result === null ? (ended.said.at(-1) ?? null) : null),
      ...sumsOf(ended.result),
    };
    await this.#note();
  }

  #workOf({ work }: Scheduled): WorkView | undefined {
    const found = work === undefined ? undefined : this.#options.work.find(work);
    return found?.state === 'ended' ? undefined : found;
  }

  #viewOf(each: Scheduled): ScheduleView {
    const { job, schedule, cron, last } = each;
    const nowMs = this.#options.clock.wallMs();
    return {
      job: job.job.name,
      schedule,
      inbox: job.inbox,
      account: job.account.name,
      sandbox: job.account.sandbox,
      next_ms: cron.nextRun(new Date(nowMs))?.getTime() ?? null,
      work: this.#workOf(each) ?? null,
      last,
    };
  }

  /** Jobs that were swept before and are not any more keep their notes. */
  async #note(): Promise<void> {
    const { folder } = this.#options;
    const own = this.#scheduled.map(({ path, overMs, last }) => [path, { over_ms: overMs, last }]);
    const notes = { ...(await notesIn(folder)), ...Object.fromEntries(own) };
    await replaceFile(join(folder, NOTES), 0o600, [JSON.stringify(notes)]);
  }
}

const Swept = z.object({ files: z.array(z.object({ credits: z.object({ spent: z.number() }) })) });

function sumsOf(result: unknown): { readonly files: number; readonly spent: number } {
  const swept = Swept.safeParse(result);
  const files = swept.success ? swept.data.files : [];
  return { files: files.length, spent: files.reduce((sum, { credits }) => sum + credits.spent, 0) };
}

// ------------------------------------------------------------------------------------------------ the note

const NOTES = 'schedules.json';

const Notes = z.record(z.string(), z.object({ over_ms: z.number(), last: ScheduleView.shape.last }));

/** What is noted of each job, by its path; nothing in a folder without a note that can be read. */
async function notesIn(folder: string): Promise<z.infer<typeof Notes>> {
  try {
    return Notes.parse(JSON.parse(await readFile(join(folder, NOTES), 'utf8')));
  } catch {
    return {};
  }
}
