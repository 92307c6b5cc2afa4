import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Cron } from 'croner';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { Answers } from '../../client/account/agreements.ts';
import { isoTime } from '../../core/clock.ts';
import { asStop, invariant, stop } from '../../core/errors.ts';
import type { Log } from '../../core/events.ts';
import { accountsPath } from '../../core/paths.ts';
import { stopShown } from '../../core/stop-object.ts';
import { EXIT } from '../../core/stops.ts';
import { type Chunks, replaceFile } from '../../lib/atomic-file.ts';
import { nameParts } from '../../lib/file-name.ts';
import { refuseSharedInbox, requireAgreedJobs, type SweptJob, sweptJobs } from '../../run/choose.ts';
import { chooseStore } from '../../run/store-choice.ts';
import type { NewNight, NightDraft, NightRequest, NightView } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { type ChildEnd, type Program, stoppedIn } from './child.ts';
import {
  draftNight,
  draftShown,
  endNight,
  ownNights,
  putIntoInbox,
  writeNight,
  writtenAs,
} from './night-files.ts';
import type { CommandQueue, Order } from './work.ts';

export interface SweepOptions {
  readonly jobs: readonly string[];
  readonly answers?: Answers | undefined;
  readonly store: string | undefined;
  /** Keeps which nights are paused, and the nights that are made on the page. */
  readonly folder: string;
  readonly program: Program;
  readonly work: CommandQueue;
  readonly log: Log;
}

/** A job, by its schedule. */
interface Night {
  /** What does not change. */
  readonly view: Omit<NightView, 'name' | 'paused' | 'running' | 'next_run' | 'ended'>;
  readonly note: NightNote;
  /** Undefined for a job that cannot be swept. */
  readonly swept?: SweptJob;
  readonly cron?: Cron;
}

/** Sweeps inboxes by the schedules of their jobs. Each waits in the line of its store, so no two overlap. */
export class Sweeps {
  readonly #place: Place;
  readonly #log: Log;
  readonly #notes: Notes;
  readonly #nights: Night[] = [];
  // One after the other: of two pauses both are kept, and of two tabs that make a night at once, the second
  // finds the first.
  readonly #writing = new PQueue({ concurrency: 1 });
  readonly #making = new PQueue({ concurrency: 1 });

  private constructor(place: Place, log: Log, notes: Notes) {
    this.#place = place;
    this.#log = log;
    this.#notes = notes;
    // A sweep that a person has started by hand is told like one of the schedule.
    place.work.onEnd = (order, ended) => this.#tellEnd(order, ended);
  }

  /**
   * @throws StopError `job` or `consent` for a job of `serve` that cannot be swept by a schedule. One that
   *   was made on the page is shown with its fault, and the page opens.
   */
  static async open({ jobs, answers, log, ...place }: SweepOptions): Promise<Sweeps> {
    const given = await sweptJobs(jobs);
    await requireAgreedJobs(given, answers);
    const sweeps = new Sweeps(place, log, await notesAt(notesIn(place)));
    for (const [at, swept] of given.entries()) sweeps.#begin(sweeps.#nightOf(swept, jobs[at] ?? '', false));
    for (const path of await ownNights(place)) sweeps.#begin(await sweeps.#ownNight(path));
    return sweeps;
  }

  /** The path of a job by its name. A name that two jobs have is left out. */
  get jobs(): ReadonlyMap<string, string> {
    const byName = Map.groupBy(this.#nights, ({ view }) => view.job);
    return new Map(
      [...byName].flatMap(([job, [one, other]]) => (one && !other ? [[job, one.view.path]] : [])),
    );
  }

  views(): Omit<NightView, 'ended'>[] {
    return this.#nights.map((night) => {
      const { view, note, cron } = night;
      return {
        ...view,
        name: view.job,
        ...note,
        running: this.#runs(night),
        next_run: note.paused ? null : nextOf(cron),
      };
    });
  }

  /**
   * Shows what a new night would write, or writes what was shown.
   * @throws StopError `busy` where that is not what would be written now; else as `draftNight`, `writeNight`.
   */
  make(wish: NewNight): Promise<NightDraft> {
    return this.#making.add(async () => {
      const draft = await draftNight(this.#place, wish, new Set(this.#nights.map(({ view }) => view.job)));
      if (wish.draft === undefined) return draftShown(this.#place, draft, false);
      const fact = 'What would be written has changed since it was shown.';
      if (wish.draft !== draft.id) throw stop('busy', fact, 'Look at it once more.');
      await writeNight(draft, async (night) => {
        await requireAgreedJobs([night]);
        refuseSharedInbox(draft.job, night, this.#sweptNow());
      });
      // What was noted of a night of that name that was removed is not told of this one.
      this.#notes.byJob.delete(draft.job);
      this.#begin(await this.#ownNight(draft.path));
      return draftShown(this.#place, draft, true);
    });
  }

  /**
   * What is changed outlives this server. The file keeps its name, by which a crontab runs it.
   * @throws HttpRefusal 404
   */
  async change(job: string, { paused, name }: NightRequest): Promise<void> {
    for (const { note, cron } of this.#named(job)) {
      if (name !== undefined) note.name = name.trim() || job;
      if (paused === undefined) continue;
      note.paused = paused;
      paused ? cron?.pause() : cron?.resume();
    }
    await this.#keep();
  }

  /**
   * The files of its inbox stay.
   * @throws HttpRefusal 404; StopError `usage` for a job of `serve`, `busy` for one that is running.
   */
  async remove(job: string): Promise<void> {
    for (const night of this.#named(job)) {
      const { made, file, path } = night.view;
      const fact = `${file} was named when this page was started, so the page does not remove it.`;
      if (!made) throw stop('usage', fact, 'Pause it here, or start the page without it.');
      if (this.#runs(night)) throw stop('busy', `${job} is running now.`, 'Let it end, then remove it.');
      night.cron?.stop();
      await endNight(path);
      this.#nights.splice(this.#nights.indexOf(night), 1);
      this.#notes.byJob.delete(job);
    }
    await this.#keep();
  }

  /**
   * Puts a file into the inbox of a night. @returns the name that it has there.
   * @throws HttpRefusal 404; StopError `usage` for a night that does not run, else as `putIntoInbox`.
   */
  async put(job: string, name: string, chunks: Chunks): Promise<string> {
    const [{ swept } = {}] = this.#named(job);
    if (swept === undefined) throw stop('usage', `${job} does not run.`, 'See what is wrong with it.');
    return putIntoInbox(swept.inbox, name, chunks);
  }

  /** Begins no more sweeps. The line of work ends a sweep that is under way. */
  stop(): void {
    for (const { cron } of this.#nights) cron?.stop();
  }

  #begin(night: Night): void {
    this.#nights.push(night);
    const { view, note, cron } = night;
    const { job, schedule } = view;
    if (cron === undefined || note.paused) return;
    cron.resume();
    const next_run = nextOf(cron);
    this.#log('info', `${job} is swept by "${schedule}", next at ${next_run}.`, { job, schedule, next_run });
  }

  #tellEnd({ words, about: job }: Order, { exitCode: exit_code, result, lastLine }: ChildEnd): void {
    const night = this.#nights.find(({ view }) => words[0] === 'nightly' && view.job === job);
    if (night === undefined) return;
    const stopped = stoppedIn(result)?.stopped;
    // A person, or the end of this server, may have stopped it.
    const isWell = exit_code === EXIT.done || exit_code === EXIT.terminated;
    const message = `The sweep of ${job} ended with exit code ${exit_code}: ${stopped?.message ?? lastLine}`;
    this.#log(isWell ? 'info' : 'warn', message, { job, exit_code, next_run: nextOf(night.cron) });
  }

  #keep(): Promise<boolean> {
    const notes = (): string => JSON.stringify(Object.fromEntries(this.#notes.byJob));
    return this.#writing.add(() => replaceFile(notesIn(this.#place), 0o600, [notes()]));
  }

  #named(job: string): readonly Night[] {
    const nights = this.#nights.filter(({ view }) => view.job === job);
    if (nights.length > 0) return nights;
    throw new HttpRefusal(404, 'There is no such night.', 'See all nights.');
  }

  #runs({ view: { job } }: Night): boolean {
    return this.#place.work.pieces.some(
      ({ words, about, ended }) => words[0] === 'nightly' && about === job && ended === undefined,
    );
  }

  #sweptNow(): readonly SweptJob[] {
    return this.#nights.flatMap(({ swept }) => swept ?? []);
  }

  #noteOf(job: string): NightNote {
    const { byJob, isUnread } = this.#notes;
    const note = byJob.get(job) ?? { paused: isUnread };
    byJob.set(job, note);
    return note;
  }

  /** @throws StopError `job` for one without a schedule. */
  #nightOf(swept: SweptJob, word: string, made: boolean): Night {
    const { name, path, schedule, budget, operation } = swept.job;
    if (path === undefined || schedule === undefined)
      throw stop('job', `${word} has no schedule.`, 'Add one to the job, such as schedule: "0 2 * * *".');
    const { store, work } = this.#place;
    const { location } = chooseStore(store, swept.account.sandbox);
    const order = { words: ['nightly', path, '--store', location], store: location, about: name };
    const how = { mode: '5-part', paused: true, protect: true } as const;
    const cron = new Cron(schedule, how, async () => void (await work.start(order).over.promise));
    const view = {
      ...writtenAs(this.#place, swept, { path, text: readFileSync(path, 'utf8'), schedule }),
      job: name,
      file: basename(path),
      made,
      problem: null,
      operation: operation.name,
      budget: budget?.credits ?? null,
      schedule,
      inbox: basename(swept.inbox),
    };
    return { view, note: this.#noteOf(name), swept, cron };
  }

  /** A night of the page, or what is wrong with it now, such as an account that is gone. */
  async #ownNight(path: string): Promise<Night> {
    const name = nameParts(path).stem;
    try {
      const [swept, ...others] = await sweptJobs([path]);
      invariant(swept !== undefined && others.length === 0, 'one job is one night');
      await requireAgreedJobs([swept]);
      refuseSharedInbox(name, swept, this.#sweptNow());
      return this.#nightOf(swept, name, true);
    } catch (error) {
      const { message, next, ...stopped } = stopShown(asStop(error));
      const problem = { ...stopped, message: plainly(message, path), next: plainly(next, path) };
      const none = {
        operation: '',
        budget: null,
        schedule: '',
        inbox: '',
        folder: '',
        cron: '',
        service: '',
      };
      const view = { ...none, timer: '', variables: [], path, text: '', job: name, file: basename(path) };
      return { view: { ...view, made: true, problem }, note: this.#noteOf(name) };
    }
  }
}

type Place = Pick<SweepOptions, 'store' | 'folder' | 'program' | 'work'>;

/** Without the folders of the store and of the accounts file, which no page names in a sentence. */
const plainly = (text: string, path: string): string =>
  [path, accountsPath()].reduce((plain, each) => plain.replaceAll(join(dirname(each), sep), ''), text);

const nextOf = (cron: Cron | undefined): string | null => {
  const next = cron?.nextRun();
  return next ? isoTime(next.getTime()) : null;
};

const NightNote = z.object({ paused: z.boolean(), name: z.string().exactOptional() });
type NightNote = z.infer<typeof NightNote>;

interface Notes {
  readonly byJob: Map<string, NightNote>;
  readonly isUnread: boolean;
}

const notesIn = ({ folder }: Place): string => join(folder, 'nights.json');

/** Where no one knows which nights were paused, all are until a person says that they go on. */
async function notesAt(path: string): Promise<Notes> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    const notes = z.record(z.string(), NightNote).parse(JSON.parse(text));
    return { byJob: new Map(Object.entries(notes)), isUnread: false };
  } catch {
    return { byJob: new Map<string, NightNote>(), isUnread: true };
  }
}
