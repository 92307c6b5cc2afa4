import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Cron } from 'croner';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { Answers } from '../../client/account/agreements.ts';
import { isoTime, systemClock } from '../../core/clock.ts';
import { EXIT, stop } from '../../core/errors.ts';
import type { Log } from '../../core/events.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { Sample } from '../../lib/metrics.ts';
import { SweepObject } from '../../objects/run-object.ts';
import { StopObject } from '../../objects/stop-object.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { requireAgreedJobs, type SweptJob, sweptJobs } from '../../run/swept-jobs.ts';
import type { NightView } from '../api.ts';
import { type ChildEnd, stoppedIn } from './children.ts';
import { kindOf, type Order, type Work } from './work.ts';

interface SweepOptions {
  readonly jobs: readonly string[];
  readonly answers?: Answers | undefined;
  readonly store: string | undefined;
  /** Keeps which nights are paused, and how the last ones ended. */
  readonly folder: string;
  readonly work: Pick<Work, 'start' | 'ended' | 'onEnd'>;
  readonly log: Log;
}

export interface Sweeps {
  /** Name → path. A name that two jobs have is left out. */
  readonly jobs: ReadonlyMap<string, string>;
  /** How the sweeps of each job go, for monitoring. */
  samples(): readonly Sample[];
  /** How they go, for people. */
  views(): NightView[];
  /** @returns whether there is such a job. The pause outlives this server. */
  setPaused(job: string, paused: boolean): Promise<boolean>;
  start(): void;
  /** Begins no more sweeps. The line of work ends a sweep that is under way. */
  stop(): void;
}

/**
 * Sweeps inboxes by the schedules of their jobs. Each sweep waits in the line of its store like any other
 * work, so two never overlap.
 * @throws StopError `job` or `consent` for a job that cannot be swept by a schedule.
 */
export async function openSweeps(options: SweepOptions): Promise<Sweeps> {
  const { jobs, answers, work } = options;
  const swept = jobs.length === 0 ? [] : await sweptJobs(jobs);
  await requireAgreedJobs(swept, answers);
  const note = await noteIn(options);
  // One after the other: the end of a night must not write over a pause that came meanwhile.
  const line = new PQueue({ concurrency: 1 });
  const keep = (): Promise<unknown> =>
    line.add(() => replaceFile(noteAt(options), 0o600, [JSON.stringify(note)]));
  const planned = swept.map((job, at) => plannedOf(job, jobs[at] ?? '', options));
  // A sweep that a person has started by hand is told like one of the schedule.
  work.onEnd(async ({ words, about }, ended) => {
    const own = planned.find(({ name }) => kindOf(words) === 'nightly' && name === about);
    if (own === undefined) return;
    note.ended = [endedNight(about, ended), ...note.ended].slice(0, MOST_NIGHTS);
    tell(own, ended, options);
    await keep();
  });
  const byName = Map.groupBy(planned, ({ name }) => name);
  return {
    jobs: new Map([...byName].flatMap(([name, [job, other]]) => (job && !other ? [[name, job.path]] : []))),
    samples: () => planned.flatMap((each) => samplesOf(each, note)),
    views: () => planned.map((each) => viewOf(each, note)),
    async setPaused(job, paused) {
      const own = planned.filter(({ name }) => name === job);
      note.paused = [...note.paused.filter((each) => each !== job), ...(paused ? [job] : [])];
      await keep();
      for (const { cron } of own) paused ? cron.pause() : cron.resume();
      return own.length > 0;
    },
    start() {
      for (const { name: job, view, cron } of planned) {
        if (note.paused.includes(job)) continue;
        cron.resume();
        const next_run = nextOf(cron);
        const message = `${job} is swept by "${view.schedule}", next at ${next_run}.`;
        options.log('info', message, { job, schedule: view.schedule, next_run });
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
  readonly view: Omit<NightView, 'paused' | 'next_run' | 'ended'>;
  readonly cron: Cron;
}

/** @throws StopError `job` for one without a schedule. */
function plannedOf({ job, account, inbox }: SweptJob, word: string, { store, work }: SweepOptions): Planned {
  const { name, path, schedule, budget, operation } = job;
  if (path === undefined || schedule === undefined)
    throw stop('job', `${word} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
  const location = chooseStore(store, account.sandbox).location;
  const words = ['nightly', path, '--store', location];
  const order: Order = { words, store: location, about: name };
  const how = { mode: '5-part', paused: true, protect: true } as const;
  const cron = new Cron(schedule, how, async () => void (await work.ended(work.start(order).id)));
  const credits = budget?.credits ?? null;
  const view = { job: name, file: basename(path), operation: operation.name, budget: credits, schedule };
  return { name, path, cron, view: { ...view, inbox: basename(inbox) } };
}

const nextOf = (cron: Cron): string => isoTime(cron.nextRun()?.getTime() ?? 0);

function viewOf({ name, view, cron }: Planned, { paused, ended }: NightsNote): NightView {
  const isPaused = paused.includes(name);
  return {
    ...view,
    paused: isPaused,
    next_run: isPaused ? null : nextOf(cron),
    ended: ended.filter(({ job }) => job === name).map(({ job: _, ...night }) => night),
  };
}

function samplesOf({ name: job, cron }: Planned, { ended }: NightsNote): readonly Sample[] {
  const next: Sample = ['sweep_next_seconds', { job }, Number(cron.nextRun()) / 1000];
  const last = ended.find((each) => each.job === job);
  if (last === undefined) return [next];
  return [
    next,
    ['sweep_exit_code', { job }, last.exit_code],
    ['sweep_end_seconds', { job }, Date.parse(last.at) / 1000],
  ];
}

// -------------------------------------------------------------------------------------- how they have ended

/** Nobody looks further back. */
const MOST_NIGHTS = 60;

const EndedNight = z.object({
  job: z.string(),
  at: z.string(),
  exit_code: z.number(),
  sweep: SweepObject.nullable(),
  stopped: StopObject.nullable(),
});

const NightsNote = z.object({ paused: z.array(z.string()), ended: z.array(EndedNight) });
type NightsNote = z.infer<typeof NightsNote>;

type Place = Pick<SweepOptions, 'folder'>;

const noteAt = ({ folder }: Place): string => join(folder, 'nights.json');

/** A note that is not there, or of another version, costs a look back and nothing else. */
async function noteIn(place: Place): Promise<NightsNote> {
  return readFile(noteAt(place), 'utf8').then(
    (text) => NightsNote.safeParse(JSON.parse(text)).data ?? { paused: [], ended: [] },
    () => ({ paused: [], ended: [] }),
  );
}

function endedNight(job: string, { exitCode, result }: ChildEnd): z.infer<typeof EndedNight> {
  return {
    job,
    at: isoTime(systemClock.wallMs()),
    exit_code: exitCode,
    sweep: SweepObject.safeParse(result).data ?? null,
    stopped: stoppedIn(result)?.stopped ?? null,
  };
}

function tell(
  { name: job, cron }: Planned,
  { exitCode, result, said }: ChildEnd,
  { log }: SweepOptions,
): void {
  // A person, or the end of this server, has stopped it.
  const isWell = exitCode === EXIT.done || exitCode === EXIT.terminated;
  const words = stoppedIn(result)?.stopped.message ?? said;
  const message = `The sweep of ${job} ended with exit code ${exitCode}: ${words}`;
  log(isWell ? 'info' : 'warn', message, { job, exit_code: exitCode, next_run: nextOf(cron) });
}
