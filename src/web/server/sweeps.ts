import { Cron } from 'croner';
import type { Answers } from '../../client/account/agreements.ts';
import { EXIT, stop } from '../../core/errors.ts';
import type { Tell } from '../../ledger/store.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { requireAgreedJobs, type SweptJob, sweptJobs } from '../../run/swept-jobs.ts';
import { stoppedIn } from './children.ts';
import type { Order, Work } from './work.ts';

interface SweepOptions {
  readonly jobs: readonly string[];
  readonly answers?: Answers | undefined;
  readonly store: string | undefined;
  readonly work: Pick<Work, 'start' | 'ended'>;
  readonly tell: Tell;
}

export interface Sweeps {
  /** Name → path. A name that two jobs have is nobody's. */
  readonly jobs: ReadonlyMap<string, string>;
  start(): void;
  /** Begins nothing any more. A sweep under way is ended by the line of work. */
  stop(): void;
}

/** How long what nobody watches waits for another process that spends from the store. */
const WAIT = '12h';

/**
 * Sweeps of inboxes by the schedules of their jobs. Each waits in the line of its store like any other work, so two never overlap.
 * @throws StopError `job` or `consent` for a job that cannot be swept by a schedule.
 */
export async function openSweeps(options: SweepOptions): Promise<Sweeps> {
  const { jobs, answers, store } = options;
  const swept = jobs.length === 0 ? [] : await sweptJobs(jobs);
  await requireAgreedJobs(swept, answers);
  const crons: Cron[] = [];
  const named: { readonly name: string; readonly path: string }[] = [];
  for (const [at, job] of swept.entries()) {
    const { path, schedule } = requireSchedule(jobs[at] ?? '', job);
    const { name } = job.job;
    const location = chooseStore(store, job.account.sandbox).location;
    const words = ['nightly', path, '--wait', WAIT, '--store', location];
    const order: Order = { kind: 'sweep', words, store: location, about: name };
    named.push({ name, path });
    const how = { mode: '5-part', paused: true, protect: true } as const;
    crons.push(new Cron(schedule, how, () => sweep(order, options)));
  }
  const byName = Map.groupBy(named, ({ name }) => name);
  return {
    jobs: new Map([...byName].flatMap(([name, [job, other]]) => (job && !other ? [[name, job.path]] : []))),
    start() {
      for (const cron of crons) cron.resume();
    },
    stop() {
      for (const cron of crons) cron.stop();
    },
  };
}

async function sweep(order: Order, { work, tell }: SweepOptions): Promise<void> {
  const { exitCode, result, said } = await work.ended(work.start(order).id);
  // A person stopped it, or the end of this server did.
  if (exitCode === EXIT.done || exitCode === EXIT.terminated) return;
  const why = stoppedIn(result)?.stopped.message ?? said.at(-1);
  tell(`The sweep of ${order.about} ended with exit code ${exitCode}${why === undefined ? '.' : `: ${why}`}`);
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
