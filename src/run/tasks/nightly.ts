import type { OwnDialect } from '../../client/dialect.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { EXIT, type ExitCode, STOP_CODES, type StopCode, StopError, stop } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import { OUTCOME_KINDS } from '../../core/row.ts';
import type { OwnOperation } from '../../job/own-operation.ts';
import { type BatchId, type Credits, credits, type Ledger, type Money } from '../../ledger/ledger.ts';
import { raiseInJob } from '../../lib/command-line.ts';
import { type SpenderOptions, stoppable } from '../run-job.ts';
import { exitCodeOf, type RunSummary } from '../summary.ts';
import { type DonePlace, isAsSeen, type LeftFile, moveToDone, placeInDone } from './nightly/inbox.ts';
import {
  openStores,
  requireAgreedJobs,
  type SweptJob,
  type SweptStore,
  sweptJobs,
  type Todo,
  todosOf,
} from './nightly/todo.ts';

/**
 * One sweep resumes the unfinished batches of its jobs, then works on the new files of their inboxes, and ends. Files of
 * one account are worked on one after the other, because they share its limits. Accounts are worked on side by side, so
 * that a pause of one does not delay another.
 *
 * A crash at any moment costs nothing: a file leaves its inbox only after its output is written, and is known by its
 * content, so that the next sweep finds every answer in the ledger.
 */

export type { LeftFile } from './nightly/inbox.ts';
export { requireAgreedJobs, type SweptJob, sweptJobs } from './nightly/todo.ts';

export interface SweepOptions extends SpenderOptions {
  /** The paths of the YAML files, each with an `inbox` of its own. */
  readonly jobs: readonly string[];
  /** Operations that are not built in, which the jobs may name. */
  readonly operations?: readonly OwnOperation[] | undefined;
  /** Dialects in the place of the accounts' dialect files, one for each vendor at most. */
  readonly dialects?: readonly OwnDialect[] | undefined;
  /** Receives every event with the path of its file. */
  readonly onEvent?: ((path: string, event: RunEvent) => void) | undefined;
}

/** The result of one file. */
export interface SweptFile {
  /** The path where the file was found, or the inbox itself when it could not be read. */
  readonly path: string;
  /** The name of the job. */
  readonly job: string;
  /** The path where the file is now; undefined when it stayed. */
  readonly movedTo: string | undefined;
  /** The summary of its run; undefined when the run could not begin. */
  readonly summary: RunSummary | undefined;
  /** The credits that this sweep spent on the file. Its summary has the credits of the whole batch. */
  readonly spent: Credits;
  readonly stopped: StopError | undefined;
}

export interface SweepSummary {
  /** The files in the order in which they were worked on. */
  readonly files: readonly SweptFile[];
  readonly left: readonly LeftFile[];
  /** The worst stop of a file or of the whole sweep. */
  readonly stopped: StopError | undefined;
}

/**
 * One sweep of jobs with an `inbox`, as `rowonce nightly` makes it.
 * @throws StopError when the sweep cannot begin, because a job, an account or the store cannot be used.
 */
export async function sweep(options: SweepOptions): Promise<SweepSummary> {
  const jobs = await sweptJobs(options.jobs, options);
  await requireAgreedJobs(jobs, options);
  const stores = await openStores(jobs, options);
  try {
    return await stoppable(options.signal, (signal) => swept(stores, { ...options, signal }));
  } finally {
    await Promise.all(
      stores.map(({ spender, jobs: worked }) => spender.close(worked.map(({ account }) => account))),
    );
  }
}

async function swept(stores: readonly SweptStore[], options: SweepOptions): Promise<SweepSummary> {
  const sweeping = new Sweeping(options);
  const lanes = await Promise.all(stores.map((store) => sweeping.lanesOf(store)));
  // `allSettled` and not `all`: before a bug ends the program, other lanes record the answers to their requests.
  const ended = await Promise.allSettled(lanes.flat().map((lane) => sweeping.work(lane)));
  const bug = ended.find((each) => each.status === 'rejected');
  if (bug !== undefined) throw bug.reason;
  return sweeping.summary();
}

/** The worst exit code of its files: a stop outranks rows that need attention. */
export function exitCodeOfSweep({ files, stopped }: SweepSummary, attentionIsFine: boolean): ExitCode {
  if (stopped !== undefined) return stopped.exitCode;
  const codes = files.flatMap(({ summary }) =>
    summary === undefined ? [] : exitCodeOf(summary, attentionIsFine),
  );
  return codes.includes(EXIT.attention) ? EXIT.attention : EXIT.done;
}

interface Lane {
  readonly store: SweptStore;
  readonly todos: readonly Todo[];
}

class Sweeping {
  readonly #options: SweepOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #files: SweptFile[] = [];
  readonly #left: LeftFile[] = [];

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const signals = [this.#stopping.signal, ...(options.signal === undefined ? [] : [options.signal])];
    this.#signal = AbortSignal.any(signals);
  }

  async lanesOf(store: SweptStore): Promise<readonly Lane[]> {
    const looking = { clock: this.#clock, signal: this.#signal };
    const byAccount = Map.groupBy(store.jobs, ({ account }) => account.identity);
    return Promise.all(
      [...byAccount.values()].map(async (jobs) => {
        const { todos, left, unreadable } = await todosOf(jobs, store.spender.ledger, looking);
        this.#left.push(...left);
        for (const { job, error } of unreadable) this.#files.push(notBegun(job.inbox, job, error));
        return { store, todos };
      }),
    );
  }

  async work({ store, todos }: Lane): Promise<void> {
    let stopped: StopError | undefined;
    for (const todo of todos) {
      if (this.#signal.aborted) this.#leave(todo, 'the sweep was stopped');
      else if (stopped !== undefined) this.#leave(todo, `its account was stopped: ${stopped.message}`);
      else if (await hasChanged(todo)) this.#leave(todo, 'it changed while the sweep worked on others');
      else stopped = await this.#workOn(store, todo);
    }
  }

  summary(): SweepSummary {
    const ends = this.#files.flatMap(({ stopped }) => stopped ?? []);
    if (this.#signal.reason instanceof StopError) ends.push(this.#signal.reason);
    return { files: this.#files, left: this.#left, stopped: worstOf(ends) };
  }

  async #workOn(store: SweptStore, todo: Todo): Promise<StopError | undefined> {
    try {
      const file = await this.#run(store, todo).catch((error: unknown) => {
        if (error instanceof StopError) return notBegun(todo.path, todo.job, error);
        throw error;
      });
      this.#files.push(file);
      const { stopped } = file;
      const isOfSweep = stopped !== undefined && OF_SWEEP.has(stopped.code);
      if (isOfSweep) this.#stopping.abort(stopped);
      return isOfSweep || (stopped !== undefined && OF_ACCOUNT.has(stopped.code)) ? stopped : undefined;
    } catch (error) {
      this.#stopping.abort(error);
      throw error;
    }
  }

  async #run({ spender }: SweptStore, todo: Todo): Promise<SweptFile> {
    const { path, job, batch, inInbox } = todo;
    const place =
      inInbox === undefined ? undefined : await placeInDone(path, job.account.sandbox, batch?.outputPath);
    const summary = await spender.run(job, {
      file: path,
      output: place?.output ?? batch?.outputPath,
      budget: todo.budget,
      maxPauseMs: this.#options.maxPauseMs,
      signal: this.#signal,
      onEvent: (event) => this.#options.onEvent?.(path, event),
    });
    const stopped =
      summary.stopped === undefined
        ? await putAway(spender.ledger, summary.batch, todo, place)
        : forSweeps(summary, summary.stopped);
    const movedTo = stopped === undefined ? place?.input : undefined;
    return { path, job: job.job.name, movedTo, summary, spent: summary.spentNow, stopped };
  }

  #leave({ path }: Todo, why: string): void {
    this.#left.push({ path, why });
  }
}

/** Whether the file changed since the sweep began hours ago: it may be a half-written other file by now. */
async function hasChanged({ inInbox }: Todo): Promise<boolean> {
  return inInbox !== undefined && !(await isAsSeen(inInbox));
}

async function putAway(
  ledger: Ledger,
  batch: BatchId,
  todo: Todo,
  place: DonePlace | undefined,
): Promise<StopError | undefined> {
  const { path } = todo;
  if (place === undefined) return undefined;
  if (await hasChanged(todo)) {
    const fact = `${path} changed after it was finished.`;
    return stop('input', fact, 'Leave it there: the next sweep buys the difference.');
  }
  try {
    // The ledger gets the new path before the move: after a crash in between, the next sweep finds the file and moves it.
    await ledger.changeBatch(batch, { inputPath: place.input });
    await moveToDone(path, place);
    return undefined;
  } catch (error) {
    if (error instanceof StopError) return error;
    throw error;
  }
}

function forSweeps({ budgetToFinish }: RunSummary, stopped: StopError): StopError {
  if (budgetToFinish === undefined) return stopped;
  return stop('budget', stopped.message, raiseInJob(budgetToFinish));
}

const NOTHING = credits(0);

function notBegun(path: string, { job }: SweptJob, stopped: StopError): SweptFile {
  return { path, job: job.name, movedTo: undefined, summary: undefined, spent: NOTHING, stopped };
}

/** What a sweep spent on a file. */
export function spentIn({ spent, summary }: SweptFile): Pick<Money, 'spent' | 'isAtMost' | 'inDoubt'> {
  const { isAtMost, inDoubt = credits(0) } = summary?.money ?? {};
  return { spent, inDoubt, ...(spent > 0 && isAtMost ? { isAtMost } : {}) };
}

export function totalsOf({ files }: SweepSummary) {
  const summaries = files.flatMap(({ summary }) => summary ?? []);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  const parts = files.map(spentIn);
  const counts = OUTCOME_KINDS.map(
    (kind) => [kind, sum(summaries.map((each) => each.counts[kind] ?? 0))] as const,
  );
  return {
    rows: sum(summaries.map(({ rows }) => rows)),
    counts: Object.fromEntries(counts.filter(([, count]) => count > 0)) as RunSummary['counts'],
    spent: credits(sum(parts.map(({ spent }) => spent))),
    ...(parts.some(({ isAtMost }) => isAtMost) ? { isAtMost: true as const } : {}),
    inDoubt: credits(sum(parts.map(({ inDoubt }) => inDoubt))),
  };
}

/** Stops in which the further files of the account would end as well. */
const OF_ACCOUNT: ReadonlySet<StopCode> = new Set<StopCode>([
  ...(['account', 'address', 'account_budget', 'doubts'] as const),
  ...(['vendor_credits', 'dearer', 'paused', 'key'] as const),
]);

/** Stops in which every file of the sweep would end as well. */
const OF_SWEEP: ReadonlySet<StopCode> = new Set<StopCode>([
  ...(['clock', 'system', 'store', 'store_damaged', 'store_lost', 'store_version'] as const),
  ...(['disk_full', 'busy', 'interrupted', 'terminated'] as const),
]);

/**
 * Exit codes from the worst to the least: first those of a signal from outside, then those that need a person, and last
 * those of problems that pass by themselves.
 */
const WORST_FIRST: readonly number[] = [130, 143, 77, 2, 4, 76, 75];

export function worstOf(stops: readonly StopError[]): StopError | undefined {
  const rank = ({ code }: StopError): number => WORST_FIRST.indexOf(STOP_CODES[code]);
  return stops.toSorted((one, other) => rank(one) - rank(other))[0];
}
