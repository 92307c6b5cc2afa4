import { Cron } from 'croner';
import type { Answers } from '../../client/account/agreements.ts';
import { isoTime, systemClock } from '../../core/clock.ts';
import { EXIT, stop } from '../../core/errors.ts';
import type { Log } from '../../core/events.ts';
import type { Sample } from '../../lib/metrics.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { requireAgreedJobs, sweptJobs } from '../../run/swept-jobs.ts';
import { stoppedIn } from './children.ts';
import type { Order, Work } from './work.ts';

interface SweepOptions {
  readonly jobs: readonly string[];
  readonly answers?: Answers | undefined;
  readonly store: string | undefined;
  readonly work: Pick<Work, 'start' | 'ended'>;
  readonly log: Log;
}

export interface Sweeps {
  /** Name → path. A name that two jobs have is left out. */
  readonly jobs: ReadonlyMap<string, string>;
  /** How the sweeps of each job go, for monitoring. */
  samples(): readonly Sample[];
  start(): void;
  /** Begins no more sweeps. The line of work ends a sweep that is under way. */
  stop(): void;
}

/** How long a sweep, which nobody watches, waits for another process that spends from the store. */
const WAIT = '12h';

/**
 * Sweeps inboxes by the schedules of their jobs. Each sweep waits in the line of its store like any other
 * work, so two never overlap.
 * @throws StopError `job` or `consent` for a job that cannot be swept by a schedule.
 */
export async function openSweeps(options: SweepOptions): Promise<Sweeps> {
  const { jobs, answers, store } = options;
  const swept = jobs.length === 0 ? [] : await sweptJobs(jobs);
  await requireAgreedJobs(swept, answers);
  const planned: Planned[] = [];
  for (const [at, job] of swept.entries()) {
    const { name, path, schedule } = job.job;
    if (path === undefined || schedule === undefined)
      throw stop('job', `${jobs[at]} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
    const location = chooseStore(store, job.account.sandbox).location;
    const words = ['nightly', path, '--wait', WAIT, '--store', location];
    const order: Order = { kind: 'sweep', words, store: location, about: name };
    const how = { mode: '5-part', paused: true, protect: true } as const;
    const cron = new Cron(schedule, how, () => sweep(own, order, options));
    const own: Planned = { name, path, schedule, cron, ended: [] };
    planned.push(own);
  }
  const byName = Map.groupBy(planned, ({ name }) => name);
  return {
    samples: () =>
      planned.flatMap(({ name: job, cron, ended }): readonly Sample[] => [
        ['sweep_next_seconds', { job }, Number(cron.nextRun()) / 1000],
        ...ended,
      ]),
    jobs: new Map([...byName].flatMap(([name, [job, other]]) => (job && !other ? [[name, job.path]] : []))),
    start() {
      for (const { name: job, schedule, cron } of planned) {
        cron.resume();
        const next_run = nextOf(cron);
        const message = `${job} is swept by "${schedule}", next at ${next_run}.`;
        options.log('info', message, { job, schedule, next_run });
      }
    },
    stop() {
      for (const { cron } of planned) cron.stop();
    },
  };
}

interface Planned {
  readonly name: string;
  readonly path: string;
  readonly schedule: string;
  readonly cron: Cron;
  /** How the job's last sweep ended, and when. */
  ended: readonly Sample[];
}

const nextOf = (cron: Cron): string => isoTime(cron.nextRun()?.getTime() ?? 0);

async function sweep(own: Planned, order: Order, { work, log }: SweepOptions): Promise<void> {
  const { exitCode, result, said } = await work.ended(work.start(order).id);
  const { name: job, cron } = own;
  own.ended = [
    ['sweep_exit_code', { job }, exitCode],
    ['sweep_end_seconds', { job }, systemClock.wallMs() / 1000],
  ];
  // A person, or the end of this server, has stopped it.
  const isWell = exitCode === EXIT.done || exitCode === EXIT.terminated;
  const words = stoppedIn(result)?.stopped.message ?? said.at(-1) ?? '';
  const message = `The sweep of ${job} ended with exit code ${exitCode}: ${words}`;
  log(isWell ? 'info' : 'warn', message, { job, exit_code: exitCode, next_run: nextOf(cron) });
}
