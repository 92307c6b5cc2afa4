import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Cron } from 'croner';
import { Hono } from 'hono';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { Answers } from '../../client/account/agreements.ts';
import { isoTime, systemClock } from '../../core/clock.ts';
import { messageOf, stop } from '../../core/errors.ts';
import type { Log } from '../../core/events.ts';
import { EXIT } from '../../core/stops.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { SweepObject } from '../../objects/run-object.ts';
import { requireAgreedJobs, type SweptJob, sweptJobs } from '../../run/choose.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { NightEnd, NightRequest, type Nights, type NightView } from '../api.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import { stoppedIn } from './child.ts';
import type { Server } from './server.ts';
import type { Work } from './work.ts';

export interface SweepOptions {
  readonly jobs: readonly string[];
  readonly answers?: Answers | undefined;
  readonly store: string | undefined;
  /** Keeps which nights are paused, and how the last ones ended. */
  readonly folder: string;
  readonly work: Work;
  readonly log: Log;
}

export type Sweeps = Awaited<ReturnType<typeof openSweeps>>;

/** Jobs with a schedule, for which `serve` was started. `POST /api/nightly` runs one of them now. */
export function nightRoutes({ sweeps }: Pick<Server, 'sweeps'>): Hono {
  return new Hono()
    .get('/nights', (context) => context.json({ nights: sweeps.views() } satisfies Nights))
    .put('/nights/:job', async (context) => {
      const { paused } = await bodyOf(context, NightRequest);
      if (!(await sweeps.setPaused(context.req.param('job'), paused)))
        throw new HttpRefusal(404, 'There is no such night.', 'See all nights.');
      return context.json({ nights: sweeps.views() } satisfies Nights);
    });
}

/**
 * Sweeps inboxes by the schedules of their jobs. Each waits in the line of its store, so no two overlap.
 * @throws StopError `job` or `consent` for a job that cannot be swept by a schedule.
 */
export async function openSweeps({ jobs, answers, store, folder, work, log }: SweepOptions) {
  const swept = await sweptJobs(jobs);
  await requireAgreedJobs(swept, answers);
  const path = join(folder, 'nights.json');
  const notes = await notesAt(path);
  // One after the other: the end of a night must not write over a pause that came meanwhile.
  const line = new PQueue({ concurrency: 1 });
  const keep = (): Promise<boolean> =>
    line.add(() => replaceFile(path, 0o600, [JSON.stringify(Object.fromEntries(notes.byJob))]));
  const nights = swept.map((job, at) => nightOf(job, jobs[at] ?? '', notes, store, work));
  // A sweep that a person has started by hand is told like one of the schedule.
  work.onEnd = async ({ words: [command], about: job }, { exitCode: exit_code, result, said }) => {
    const own = nights.find(({ view }) => command === 'nightly' && view.job === job);
    if (own === undefined) return;
    const sweep = SweepObject.safeParse(result).data ?? null;
    const stopped = stoppedIn(result)?.stopped ?? null;
    const end = { at: isoTime(systemClock.wallMs()), exit_code, sweep, stopped };
    own.note.ended = [end, ...own.note.ended].slice(0, MOST_NIGHTS);
    // A person, or the end of this server, may have stopped it.
    const isWell = exit_code === EXIT.done || exit_code === EXIT.terminated;
    const message = `The sweep of ${job} ended with exit code ${exit_code}: ${stopped?.message ?? said}`;
    log(isWell ? 'info' : 'warn', message, { job, exit_code, next_run: nextOf(own.cron) });
    // A note that cannot be written, as on a full disk, costs a look back. The page goes on.
    await keep().catch((error: unknown) => log('warn', `${job}: ${messageOf(error)}`, { job }));
  };
  for (const { view, note, cron } of nights) {
    const { job, schedule } = view;
    if (note.paused) continue;
    cron.resume();
    const next_run = nextOf(cron);
    const message = `${job} is swept by "${schedule}", next at ${next_run}.`;
    log('info', message, { job, schedule, next_run });
  }
  const byName = Map.groupBy(nights, ({ view }) => view.job);
  return {
    /** Name → path. A name that two jobs have is left out. */
    jobs: new Map([...byName].flatMap(([name, [job, other]]) => (job && !other ? [[name, job.path]] : []))),
    views: () =>
      nights.map(({ view, note, cron }): NightView => {
        const running = work.pieces.some(
          (piece) => piece.words[0] === 'nightly' && piece.about === view.job && piece.ended === undefined,
        );
        return { ...view, ...note, running, next_run: note.paused ? null : nextOf(cron) };
      }),
    /** @returns whether there is such a job. The pause outlives this server. */
    async setPaused(job: string, paused: boolean): Promise<boolean> {
      const own = byName.get(job);
      if (own === undefined) return false;
      for (const { note, cron } of own) {
        note.paused = paused;
        paused ? cron.pause() : cron.resume();
      }
      await keep();
      return true;
    },
    /** Begins no more sweeps. The line of work ends a sweep that is under way. */
    stop() {
      for (const { cron } of nights) cron.stop();
    },
  };
}

/** @throws StopError `job` for one without a schedule. */
function nightOf(
  { job, account, inbox }: SweptJob,
  word: string,
  notes: Awaited<ReturnType<typeof notesAt>>,
  store: string | undefined,
  work: Work,
) {
  const { name, path, schedule, budget, operation } = job;
  if (path === undefined || schedule === undefined)
    throw stop('job', `${word} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
  const { location } = chooseStore(store, account.sandbox);
  const order = { words: ['nightly', path, '--store', location], store: location, about: name };
  const how = { mode: '5-part', paused: true, protect: true } as const;
  const cron = new Cron(schedule, how, async () => void (await work.start(order).over.promise));
  const credits = budget?.credits ?? null;
  const view = { job: name, file: basename(path), operation: operation.name, budget: credits, schedule };
  const note = notes.byJob.get(name) ?? { paused: notes.isUnread, ended: [] };
  notes.byJob.set(name, note);
  return { view: { ...view, inbox: basename(inbox) }, note, path, cron };
}

const nextOf = (cron: Cron): string => isoTime(cron.nextRun()?.getTime() ?? 0);

/** Nobody looks further back. */
const MOST_NIGHTS = 60;

const NightNote = z.object({ paused: z.boolean(), ended: z.array(NightEnd) });
type NightNote = z.infer<typeof NightNote>;

/** Where nobody knows which nights were paused, all are until a person says that they go on. */
async function notesAt(path: string) {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    const notes = z.record(z.string(), NightNote).parse(JSON.parse(text));
    return { byJob: new Map(Object.entries(notes)), isUnread: false };
  } catch {
    return { byJob: new Map<string, NightNote>(), isUnread: true };
  }
}
