import { join } from 'node:path';
import { Cron } from 'croner';
import { z } from 'zod';
import { type Answers, NotAgreed, type Question } from '../../client/account/agreements.ts';
import { StopError, stop } from '../../core/errors.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { type SweptJob, sweptJobs, unagreedOf } from '../../run/tasks/nightly.ts';
import { type ScheduledStart, ScheduleView, type WorkView } from '../api.ts';
import { questionView } from './answers.ts';
import { damagedIn, keptIn } from './schedules/kept-file.ts';
import {
  keepStarts,
  type LaterStart,
  laterStart,
  nextAt,
  type StartFacts,
  startsIn,
} from './schedules/starts.ts';
import { type Entry, Timetable, type TimetableOptions } from './schedules/timetable.ts';
import type { PlannedOrder } from './work.ts';

/**
 * What begins by itself: sweeps of inboxes by the schedules of their jobs, and starts of lists that a person has agreed to for
 * one later moment. How each last ended is noted in the store's folder.
 */

interface ScheduleOptions extends Omit<TimetableOptions, 'note'> {
  readonly jobs: readonly string[];
  /** How a person agrees to the packages of the jobs. */
  readonly answers?: Answers | undefined;
  /** What the user typed as `--store`. */
  readonly store: string | undefined;
  readonly folder: string;
  /** The zone in which times are meant; undefined: that of this machine. */
  readonly timeZone: string | undefined;
}

interface ScheduledSweep extends Entry {
  readonly job: SweptJob;
  readonly path: string;
  readonly schedule: string;
}

/** How long what nobody watches waits for another process that spends from the store. */
const WAIT = '12h';

/** @throws StopError `job` or `consent` for a job that cannot be swept by a schedule. */
export async function openSchedules(options: ScheduleOptions): Promise<Schedules> {
  const {
    jobs,
    answers,
    folder,
    clock,
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
  } = options;
  requireZone(timeZone);
  const noted = await notesIn(options);
  const swept = jobs.length === 0 ? [] : await sweptJobs(jobs, answers);
  const nowMs = clock.wallMs();
  const sweeps = swept.map((job, at): ScheduledSweep => {
    const { path, schedule } = requireSchedule(jobs[at] ?? '', job);
    const cron = new Cron(schedule, { mode: '5-part', timezone: timeZone, paused: true });
    const store = chooseStore(options.store, job.account.sandbox).location;
    const words = ['nightly', path, '--wait', WAIT, '--store', store];
    return {
      ...{ job, path, schedule },
      order: { kind: 'sweep', words, store, about: job.job.name },
      dueAfter: (ms) => cron.nextRun(new Date(ms))?.getTime(),
      overMs: Math.min(noted[path]?.over_ms ?? nowMs, nowMs),
      last: noted[path]?.last ?? null,
      work: undefined,
    };
  });
  return new Schedules({ ...options, timeZone }, sweeps, await startsIn(folder, nowMs));
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
      `${name} changes people and projects, and such a job cannot be scheduled, because nobody would agree to its plan.`,
      'Leave it out, and start it on the page when its plan is right.',
    );
  }
  if (path !== undefined && schedule !== undefined) return { path, schedule };
  throw stop('job', `${name} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
}

/** Without the name of the list, which is not kept: whoever removes a list removes its name. */
type StartView = Omit<ScheduledStart, 'name'>;

export class Schedules {
  readonly #options: ScheduleOptions & { readonly timeZone: string };
  readonly #sweeps: readonly ScheduledSweep[];
  readonly #sweepTimes: Timetable;
  readonly #startTimes: Timetable;
  #starts: readonly LaterStart[];
  #noted: Promise<unknown> = Promise.resolve();

  constructor(
    options: ScheduleOptions & { readonly timeZone: string },
    sweeps: readonly ScheduledSweep[],
    starts: readonly LaterStart[],
  ) {
    this.#options = options;
    this.#sweeps = sweeps;
    this.#starts = starts;
    this.#sweepTimes = new Timetable({ ...options, note: () => this.#noteSweeps() });
    this.#startTimes = new Timetable({ ...options, note: () => this.#noteStarts() });
  }

  get timeZone(): string {
    return this.#options.timeZone;
  }

  get size(): number {
    return this.#sweeps.length + this.#starts.length;
  }

  /** The files that could not be read and lie aside: what was agreed to in them does not begin. */
  damaged(): Promise<readonly string[]> {
    return damagedIn(this.#options.folder);
  }

  /** Notes when the first nights are waited for, and waits for them. */
  async start(): Promise<void> {
    if (this.#sweeps.length > 0) await this.#noteSweeps();
    for (const sweep of this.#sweeps) this.#sweepTimes.watch(sweep);
    for (const start of this.#starts) this.#startTimes.watch(start, start.dropped.signal);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#sweepTimes.stop(), this.#startTimes.stop()]);
  }

  list(): Promise<readonly ScheduleView[]> {
    return Promise.all(this.#sweeps.map((each, number) => this.#viewOf(each, number)));
  }

  /** The paths of jobs that are not swept until somebody agrees to what they ask for. */
  async unagreed(): Promise<readonly string[]> {
    const asked = await Promise.all(this.#sweeps.map((_, number) => this.#questionsOf(number)));
    return this.#sweeps.flatMap(({ path }, number) => (asked[number]?.length === 0 ? [] : [path]));
  }

  /** What nobody has agreed to yet. A job may have been edited since the page began; of one that is wrong by now a sweep tells. */
  async #questionsOf(number: number): Promise<readonly Question[]> {
    const { path } = this.#sweep(number);
    try {
      return (await Promise.all((await sweptJobs([path])).map(unagreedOf))).flat();
    } catch (error) {
      if (error instanceof NotAgreed) return [error.question];
      if (error instanceof StopError) return [];
      throw error;
    }
  }

  /** Sweeps at once. @throws StopError `busy` while a sweep of the job waits or works, `consent` until somebody agrees. */
  async run(number: number): Promise<WorkView> {
    const each = this.#sweep(number);
    const [question] = await this.#questionsOf(number);
    if (question !== undefined) throw new NotAgreed(question);
    if (this.#sweepTimes.workOf(each) !== undefined)
      throw stop('busy', `A sweep of ${each.job.job.name} is running.`, 'Wait until it has ended.');
    return this.#sweepTimes.begin(each);
  }

  #sweep(number: number): ScheduledSweep {
    const sweep = this.#sweeps[number];
    if (sweep !== undefined) return sweep;
    throw stop('usage', 'There is no such schedule.', 'See all schedules.');
  }

  async #viewOf(sweep: ScheduledSweep, number: number): Promise<ScheduleView> {
    const { job, schedule, last } = sweep;
    const asked = await this.#questionsOf(number);
    return {
      job: job.job.name,
      schedule,
      inbox: job.inbox,
      to_agree: asked.map(questionView),
      account: job.account.name,
      sandbox: job.account.sandbox,
      next_ms: sweep.dueAfter(this.#options.clock.wallMs()) ?? null,
      work: this.#sweepTimes.workOf(sweep) ?? null,
      last,
    };
  }

  /** Jobs that were swept before and are not any more keep their notes. */
  #noteSweeps(): Promise<void> {
    const { folder } = this.#options;
    return this.#noteInTurn(async () => {
      const own = this.#sweeps.map(({ path, overMs, last }) => [path, { over_ms: overMs, last }]);
      const notes = { ...(await notesIn(this.#options)), ...Object.fromEntries(own) };
      await replaceFile(join(folder, NOTES), 0o600, [JSON.stringify(notes)]);
    });
  }

  /** Two ends at once are noted one after the other, so that what is known last is what is kept. */
  #noteInTurn(write: () => Promise<void>): Promise<void> {
    const noting = this.#noted.then(write, write);
    this.#noted = noting;
    return noting;
  }

  starts(): readonly StartView[] {
    return this.#starts.map((each) => this.#startView(each));
  }

  /**
   * Starts a list when the clocks of the zone show that time next, in place of the start of the same list and operation that
   * was agreed to before. @throws StopError `busy` while that one is under way.
   */
  async startAt(time: string, order: PlannedOrder, facts: StartFacts): Promise<StartView> {
    const { clock } = this.#options;
    const isSame = ({ facts: { list, operation } }: LaterStart): boolean =>
      list === facts.list && operation === facts.operation;
    for (const earlier of this.#starts.filter(isSame)) this.#leave(earlier);
    const waiting = { ...order, words: [...order.words, '--wait', WAIT] };
    const start = laterStart(waiting, facts, nextAt(time, this.timeZone, clock.wallMs()));
    this.#starts = [...this.#starts, start];
    await this.#noteStarts();
    this.#startTimes.watch(start, start.dropped.signal);
    return this.#startView(start);
  }

  /** @returns whether it was there. @throws StopError `busy` once it has begun. */
  async drop(id: string): Promise<boolean> {
    const start = this.#starts.find((each) => each.id === id);
    if (start === undefined) return false;
    this.#leave(start);
    await this.#noteStarts();
    return true;
  }

  /** Drops what has not begun over a list that is removed. */
  async dropOf(list: string): Promise<void> {
    const left = this.#starts.filter(({ facts, last }) => facts.list === list && last === null);
    for (const start of left) this.#leave(start);
    if (left.length > 0) await this.#noteStarts();
  }

  #leave(start: LaterStart): void {
    if (this.#startTimes.workOf(start) !== undefined)
      throw stop('busy', 'This start has begun.', 'Pause or cancel its batch, or wait until it has ended.');
    start.dropped.abort();
    this.#starts = this.#starts.filter((each) => each !== start);
  }

  #startView(start: LaterStart): StartView {
    const { id, facts, order, atMs, last } = start;
    const work = this.#startTimes.workOf(start) ?? null;
    return { ...facts, id, plan: order.plan, at_ms: atMs, work, last };
  }

  #noteStarts(): Promise<void> {
    return this.#noteInTurn(() => keepStarts(this.#options.folder, this.#starts));
  }
}

const NOTES = 'schedules.json';

const Notes = z.record(z.string(), z.object({ over_ms: z.number(), last: ScheduleView.shape.last }));

type Notes = z.infer<typeof Notes>;

async function notesIn({ folder, clock }: Pick<ScheduleOptions, 'folder' | 'clock'>): Promise<Notes> {
  return (await keptIn(folder, NOTES, Notes, clock.wallMs())) ?? {};
}
