import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cron } from 'croner';
import { z } from 'zod';
import type { Answers } from '../../client/account/agreements.ts';
import type { Clock } from '../../core/clock.ts';
import { EXIT, StopError, stop } from '../../core/errors.ts';
import type { Tell } from '../../ledger/store.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { requireAgreedJobs, type SweptJob, sweptJobs } from '../../run/swept-jobs.ts';
import { stoppedIn } from './children.ts';
import type { Order, Work } from './work.ts';

/**
 * Sweeps of inboxes by the schedules of their jobs. Each waits in the line of its store like any other work, so two never
 * overlap. What was missed while nobody served is made up for once, however often it was due.
 */

interface SweepOptions {
  readonly jobs: readonly string[];
  readonly answers?: Answers | undefined;
  readonly store: string | undefined;
  /** Where it is noted when the last night was over. */
  readonly folder: string;
  /** The zone in which times are meant; undefined: that of this machine. */
  readonly timeZone: string | undefined;
  readonly clock: Clock;
  readonly work: Pick<Work, 'start' | 'ended'>;
  readonly tell: Tell;
}

interface Sweep {
  readonly path: string;
  readonly name: string;
  readonly cron: Cron;
  readonly order: Order;
  /** Up to when what was due is over. */
  overMs: number;
}

/** How long what nobody watches waits for another process that spends from the store. */
const WAIT = '12h';

/** The calendar may jump, and a machine may sleep, so the time is looked at again after this. */
const LONGEST_SLEEP_MS = 60_000;

/** @throws StopError `job` or `consent` for a job that cannot be swept by a schedule. */
export async function openSweeps(options: SweepOptions): Promise<Sweeps> {
  const { jobs, answers, folder, clock, store, timeZone } = options;
  requireZone(timeZone);
  const swept = jobs.length === 0 ? [] : await sweptJobs(jobs);
  await requireAgreedJobs(swept, answers);
  const noted = await notesIn(folder);
  const nowMs = clock.wallMs();
  const sweeps = swept.map((job, at): Sweep => {
    const { path, schedule } = requireSchedule(jobs[at] ?? '', job);
    const location = chooseStore(store, job.account.sandbox).location;
    const words = ['nightly', path, '--wait', WAIT, '--store', location];
    return {
      path,
      name: job.job.name,
      cron: new Cron(schedule, { mode: '5-part', paused: true, ...(timeZone && { timezone: timeZone }) }),
      order: { kind: 'sweep', words, store: location, about: job.job.name },
      overMs: noted[path] ?? nowMs,
    };
  });
  return new Sweeps(options, sweeps);
}

function requireZone(timeZone: string | undefined): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw stop('usage', `--time-zone ${timeZone} is not known.`, 'Write it as Australia/Melbourne.');
  }
}

function requireSchedule(
  name: string,
  { job: { path, schedule, operation } }: SweptJob,
): { readonly path: string; readonly schedule: string } {
  if (operation.change !== undefined)
    throw stop(
      'consent',
      `${name} changes people and projects, and such a job cannot be scheduled, because nobody would agree to its plan.`,
      'Leave it out, and start it on the page when its plan is right.',
    );
  if (path !== undefined && schedule !== undefined) return { path, schedule };
  throw stop('job', `${name} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
}

export class Sweeps {
  readonly #options: SweepOptions;
  readonly #sweeps: readonly Sweep[];
  readonly #stopping = new AbortController();
  #watching: Promise<unknown> = Promise.resolve();
  #noted: Promise<unknown> = Promise.resolve();

  constructor(options: SweepOptions, sweeps: readonly Sweep[]) {
    this.#options = options;
    this.#sweeps = sweeps;
  }

  /** Name → path. A name that two jobs have is nobody's. */
  get jobs(): ReadonlyMap<string, string> {
    const byName = Map.groupBy(this.#sweeps, ({ name }) => name);
    return new Map([...byName].flatMap(([name, [job, other]]) => (job && !other ? [[name, job.path]] : [])));
  }

  /** Notes from when the first nights are waited for, and waits for them. */
  async start(): Promise<void> {
    if (this.#sweeps.length > 0) await this.#note();
    this.#watching = Promise.all(this.#sweeps.map((sweep) => this.#watch(sweep)));
  }

  /** Begins nothing any more. A sweep under way is ended by the line of work. */
  async stop(): Promise<void> {
    this.#stopping.abort(new StopError({ code: 'terminated', message: 'The page has ended.', next: '' }));
    await this.#watching;
  }

  async #watch(sweep: Sweep): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // A calendar that was ahead when a sweep ended puts off nothing once it is right.
      sweep.overMs = Math.min(sweep.overMs, clock.wallMs());
      const dueMs = sweep.cron.nextRun(new Date(sweep.overMs))?.getTime();
      if (dueMs === undefined) return;
      const leftMs = dueMs - clock.wallMs();
      if (leftMs > 0) await clock.sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal).catch(() => {});
      else await this.#sweep(sweep);
    }
  }

  /** Sweeps, and notes that it is over; what was stopped with this server is not, and goes on at its next start. */
  async #sweep(sweep: Sweep): Promise<void> {
    const { work, clock, tell } = this.#options;
    const { exitCode: code, result, said } = await work.ended(work.start(sweep.order).id);
    if (code === EXIT.terminated && this.#stopping.signal.aborted) return;
    const why = stoppedIn(result)?.stopped.message ?? said.at(-1);
    if (code !== EXIT.done)
      tell(`The sweep of ${sweep.name} ended with exit code ${code}${why === undefined ? '.' : `: ${why}`}`);
    sweep.overMs = clock.wallMs();
    // What a full disk leaves without a note is swept once more after a restart, and nothing is bought again.
    await this.#note().catch(() => {});
  }

  /** Two ends at once are noted one after the other. Jobs that are not swept any more keep their notes. */
  #note(): Promise<void> {
    const write = async (): Promise<void> => {
      const { folder } = this.#options;
      const own = this.#sweeps.map(({ path, overMs }) => [path, overMs]);
      const notes = { ...(await notesIn(folder)), ...Object.fromEntries(own) };
      await replaceFile(join(folder, NOTES), 0o600, [JSON.stringify(notes)]);
    };
    const noting = this.#noted.then(write, write);
    this.#noted = noting;
    return noting;
  }
}

const NOTES = 'schedules.json';

/** Up to when the sweeps of each job are over, ms since 1970. A file that cannot be read is as none: only a missed night hangs on it. */
const Notes = z.record(z.string(), z.number());

async function notesIn(folder: string): Promise<z.infer<typeof Notes>> {
  try {
    return Notes.parse(JSON.parse(await readFile(join(folder, NOTES), 'utf8')));
  } catch {
    return {};
  }
}
