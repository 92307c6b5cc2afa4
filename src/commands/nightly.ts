import { existsSync, mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { isoTime, systemClock } from '../core/clock.ts';
import { answersIn, asStop, messageOf, StopError, stop } from '../core/errors.ts';
import type { RunEvent } from '../core/events.ts';
import { moneyFor, moneySum } from '../core/money.ts';
import { present } from '../core/objects.ts';
import { besideFolder, OUTPUTS } from '../core/paths.ts';
import { atMost, counted, linesOf } from '../core/plain-text.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { stopObject, stopShown } from '../core/stop-object.ts';
import { EXIT, exitOf, STOPS } from '../core/stops.ts';
import { outputPlace } from '../files/output/output.ts';
import { type BatchId, type Ledger, noteHere } from '../ledger/ledger.ts';
import { commandLine, raiseInJob } from '../lib/command-line.ts';
import {
  type NightEndObject,
  type RunObject,
  SweepObject,
  type SweptFileObject,
} from '../objects/run-object.ts';
import type { StopObject } from '../objects/stop-object.ts';
import { requireAgreedJobs, type SweptJob, sweptJobs } from '../run/choose.ts';
import { requireKnown, unlessStopped } from '../run/known-account.ts';
import { noteNight } from '../run/night-ends.ts';
import { openSpender, type Spender, type SpenderOptions, underSignal } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { exitCodeOf } from '../run/summary.ts';
import { accountsOf, withAccounts } from '../walk/resolved-job.ts';
import { type DonePlace, isAsSeen, moveToDone, placeInDone, type Todo, todosOf } from './nightly/inbox.ts';
import { countWords } from './shared/batch-lines.ts';
import { argument, command, takesFlag } from './shared/command.ts';
import { ATTENTION_OK, maxPause } from './shared/input.ts';
import { spend, spendingInput, toldOn, withNext } from './shared/spending.ts';
import { missingLines } from './shared/summary.ts';

const nightlyInput = z.strictObject({
  ...spendingInput(),
  jobs: argument(z.array(z.string()).min(1), 'YAML files, each with an inbox', { page: 'jobs' }),
  // A terminal has this limit as well, because a sweep must end by itself.
  max_pause: maxPause('stop when no call finishes for this long', '10m'),
  attention_ok: ATTENTION_OK,
});

/**
 * One sweep resumes the unfinished batches of its jobs, then works on the new files of their inboxes, and
 * ends. Files of one account are worked on one after the other, because they share its limits. Accounts are
 * worked on side by side, so that a pause of one does not delay another.
 *
 * A crash at any moment costs nothing: a file leaves its inbox only after its output is written, and is known
 * by its content, so that the next sweep finds every answer in the ledger.
 */
export default command({
  name: 'nightly',
  summary: 'Resumes unfinished batches, then processes new files in the inbox folders, once.',
  details: 'With --quiet a sweep that found nothing to do prints nothing.',
  example: 'nightly jobs/nightly-companies.yaml',
  work: 'spends',
  input: nightlyInput,
  output: SweepObject,
  async run({ jobs: names, attention_ok: isAttentionOk = false, ...spending }, host) {
    const { words, ownParts, console } = host;
    const typed = commandLine(words);
    const jobs = names.map((name) => resolve(name));
    const now = () => isoTime((ownParts.clock ?? systemClock).wallMs());
    const begun = { at: now(), pid: process.pid, jobs, exit_code: null, sweep: null, stopped: null };
    // A note that cannot be written costs a look back.
    const note = (night: NightEndObject) =>
      noteNight(spending.store, night, begun).catch((error: unknown) => console.warn(messageOf(error)));
    const isThere = () => existsSync(besideFolder(chooseStore(spending.store, false).location));
    if (isThere()) await note(begun);
    const ended = await spend(host, spending, { words }, toldOn(console), async (opening) => {
      const swept = await sweptJobs(names, ownParts);
      await requireAgreedJobs(swept, opening);
      return sweep(swept, { ...opening, command: typed, makesStore: console.interactive });
    }).catch(async (error: unknown) => {
      const stopped = stopShown(asStop(error));
      if (isThere()) await note({ at: now(), jobs, exit_code: exitOf(stopped.code), sweep: null, stopped });
      throw error;
    });
    // Cron mails every printed line, and no one reads a mail that comes every night.
    const isNews = ended.files.length > 0 || ended.left.length > 0 || ended.stopped !== null;
    const ends = ended.stopped === null ? ended.files : [{ ...ended, needs_attention: null }];
    const codes = ends.map((each) => exitCodeOf(each, isAttentionOk));
    const exitCode = codes.find((code) => code !== EXIT.done) ?? EXIT.done;
    await note({ at: now(), jobs, exit_code: exitCode, sweep: ended, stopped: ended.stopped });
    return {
      lines: console.quiet && !isNews ? [] : sweepLines(ended),
      object: withNext(ended, typed),
      warnings: ended.files.flatMap((of) => missingLines(of).map((words) => `${of.file}: ${words}`)),
      // A stop says the same, so these words are left out.
      advice: ended.stopped === null ? [`${sweepWords(ended)}.`] : [],
      exitCode,
    };
  },
});

type Swept = z.output<typeof SweptFileObject>;

interface SweepOptions extends SpenderOptions {
  onEvent(event: RunEvent, path: string): void;
}

type SweepResult = z.output<typeof SweepObject>;

/**
 * Sweeps the stores of the jobs: the named store, or else up to two, because sandbox accounts have a store of
 * their own.
 */
async function sweep(jobs: readonly SweptJob[], options: SweepOptions): Promise<SweepResult> {
  const byStore = Map.groupBy(jobs, ({ account }) => chooseStore(options.store, account.sandbox).location);
  const opened: (readonly [Spender, SweptJob[]])[] = [];
  try {
    for (const group of byStore.values()) {
      const sandbox = group.every(({ account }) => account.sandbox);
      const spender = await openSpender(sandbox, options);
      const known: SweptJob[] = [];
      opened.push([spender, known]);
      for (const job of group) {
        // An account that may have moved stops its own files, when they are worked on.
        const accounts = withAccounts(job, (account) => requireKnown(account, spender.ledger, options));
        known.push({ ...job, ...(await unlessStopped(accounts)) });
      }
    }
    return await underSignal(options.signal, async (signal) => {
      const sweeping = new SweepRun(options, signal);
      const lanes = opened.flatMap(([spender, sweptJobs]) => {
        const byAccount = Map.groupBy(sweptJobs, ({ account }) => account.identity);
        return [...byAccount.values()].map((each) => [spender, each] as const);
      });
      // `allSettled` and not `all`: other lanes still record the answers to their requests before a bug ends
      // the program.
      const ended = await Promise.allSettled(lanes.map((lane) => sweeping.work(...lane)));
      const bug = ended.find((each) => each.status === 'rejected');
      if (bug !== undefined) throw bug.reason;
      return sweeping.ended();
    });
  } finally {
    await Promise.all(
      opened.map(([spender, sweptJobs]) =>
        spender.close(sweptJobs.flatMap(accountsOf).map(({ account }) => account)),
      ),
    );
  }
}

class SweepRun {
  readonly #options: SweepOptions;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #files: Swept[] = [];
  readonly #leftFiles: SweepResult['left'] = [];

  constructor(options: SweepOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = AbortSignal.any([this.#stopping.signal, signal]);
  }

  async work(spender: Spender, jobs: readonly SweptJob[]): Promise<void> {
    const todos = await todosOf(jobs, spender.ledger, {
      clock: this.#options.clock ?? systemClock,
      signal: this.#signal,
      leave: (file, why, resume) => this.#leftFiles.push({ file, why, ...present({ next_command: resume }) }),
      refuse: (job, error) => this.#keep(job.inbox, job, { stopped: stopShown(error) }),
    });
    let stopped: StopObject | undefined;
    for (const todo of todos) {
      const leave = (why: string) => this.#leftFiles.push({ file: todo.path, why });
      if (this.#signal.aborted) leave('the sweep was stopped');
      else if (stopped !== undefined) leave(`its account was stopped: ${stopped.message}`);
      else if (await hasChanged(todo)) leave('it changed while the sweep worked on others');
      else stopped = await this.#workOn(spender, todo);
    }
  }

  ended(): SweepResult {
    const { reason } = this.#signal;
    const ends = this.#files.flatMap(({ stopped }) => stopped ?? []);
    const worst = worstOf(reason instanceof StopError ? [...ends, stopShown(reason)] : ends);
    const swept = totalsOf(this.#files, this.#leftFiles);
    const message = ends.length > 0 ? sweepWords(swept) : worst?.message;
    return { ...swept, stopped: worst === undefined ? null : { ...worst, ...present({ message }) } };
  }

  /** @returns the stop for the account, or for the whole sweep. */
  async #workOn(spender: Spender, todo: Todo): Promise<StopObject | undefined> {
    try {
      const stopped = await this.#run(spender, todo).catch((error: unknown) => {
        const shown = forSweeps(stopShown(asStop(error)));
        this.#keep(todo.path, todo.job, { stopped: shown });
        return shown;
      });
      if (stopped === null) return undefined;
      const { code, message, next } = stopped;
      // A run that was stopped, but not by a stop, has met a bug.
      if (code === 'bug') return undefined;
      const { sweep_goes_on: goesOn, sweep_leaves_the_account: leaves } = STOPS[code];
      if (!goesOn) this.#stopping.abort(stop(code, message, next));
      return !goesOn || leaves ? stopped : undefined;
    } catch (error) {
      this.#stopping.abort(error);
      throw error;
    }
  }

  async #run(spender: Spender, todo: Todo): Promise<StopObject | null> {
    const { path, job, batch, inInbox, budget } = todo;
    const place =
      inInbox === undefined ? undefined : await placeInDone(path, job.account.sandbox, batch?.outputPath);
    const onEvent = (event: RunEvent): void => this.#options.onEvent(event, path);
    const say = (message: string): void => onEvent({ kind: 'note', message });
    const before = batch === undefined ? [] : await spender.ledger.spentByAccount(batch.id);
    const { location } = chooseStore(this.#options.store, job.account.sandbox);
    const summary = await spender.run(job, {
      file: path,
      isSweep: true,
      output: place?.output ?? (batch && outputPlace(batch, () => outputsFolder(location), say)),
      budget,
      maxPauseMs: this.#options.maxPauseMs,
      signal: this.#signal,
      onEvent,
    });
    const stopped =
      summary.stopped === null
        ? stopObject(await putAway(spender.ledger, summary.batch, todo, place))
        : forSweeps(summary.stopped, summary.budget_to_finish);
    const paid = paidSince(
      batch?.id === summary.batch ? before : [],
      await spender.ledger.spentByAccount(summary.batch as BatchId),
    );
    const movedTo = stopped === null ? place?.input : undefined;
    this.#keep(path, job, { summary, stopped, movedTo, paid });
    return stopped;
  }

  /**
   * `rows` and `counts` are those of the file's batch, over all nights. The spent credits are those of this
   * sweep.
   */
  #keep(
    file: string,
    job: SweptJob,
    ended: {
      readonly summary?: RunObject;
      readonly stopped: StopObject | null;
      readonly movedTo?: string | undefined;
      readonly paid?: ReturnType<typeof paidSince>;
    },
  ): void {
    const { summary, stopped, movedTo = null, paid = [] } = ended;
    const { batch = null, rows = null, counts = {}, output = null, needs_attention = null } = summary ?? {};
    const { spent_now: spent = 0, exact = true, in_doubt = 0 } = summary?.credits ?? {};
    const known = new Map(accountsOf(job).map(({ account }) => [account.identity, account]));
    const parts = paid.map(({ accountIdentity, credits }) => {
      const { name = accountIdentity, sandbox, price } = known.get(accountIdentity) ?? {};
      return { account: name, credits, price: sandbox ? undefined : price };
    });
    const accounts = parts.map(({ account, credits }) => ({ account, spent: credits }));
    this.#files.push({
      file,
      job: job.job.name,
      moved_to: movedTo,
      batch,
      rows,
      counts,
      credits: { spent, exact: spent === 0 || exact, in_doubt },
      ...present({ accounts: accounts.length > 0 ? accounts : undefined, cost: moneyFor(parts) }),
      output,
      needs_attention,
      ...present({ results: summary?.results, missing_paths: summary?.missing_paths }),
      stopped,
    });
  }
}

type Shares = Awaited<ReturnType<Ledger['spentByAccount']>>;

/** What each account was paid since then. */
function paidSince(before: Shares, now: Shares) {
  const spent = new Map(before.map((share) => [share.accountIdentity, share.spent]));
  return now
    .map(({ accountIdentity, spent: all }) => {
      return { accountIdentity, credits: all - (spent.get(accountIdentity) ?? 0) };
    })
    .filter(({ credits }) => credits > 0);
}

/** A sweep stands in no folder of a person's, so an output without a known place goes beside the store. */
function outputsFolder(location: string): string {
  const folder = join(besideFolder(location), OUTPUTS);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Whether the file has changed since the sweep began, which may be hours ago. It may be a half-written other
 * file by now.
 */
async function hasChanged({ inInbox }: Todo): Promise<boolean> {
  return inInbox !== undefined && !(await isAsSeen(inInbox));
}

async function putAway(
  ledger: Ledger,
  batch: string,
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
    // The ledger gets the new path before the move: after a crash in between, the next sweep finds the file
    // and moves it.
    noteHere(batch, [['list', place.input]]);
    await ledger.changeBatch(batch as BatchId, { inputPath: place.input });
    await moveToDone(path, place);
    return undefined;
  } catch (error) {
    return asStop(error);
  }
}

/**
 * The stop with the advice for a sweep: the budget is raised in the job, because no one types the command of
 * the next sweep. The answers are those that a sweep takes: a run of the list takes more.
 */
function forSweeps(stopped: StopObject, budgetToFinish?: number): StopObject {
  if (budgetToFinish !== undefined)
    return stopShown({ code: 'budget', message: stopped.message, next: raiseInJob(budgetToFinish) });
  const { choices = [], answers: _, ...others } = stopped;
  const taken = choices.filter((choice) => takesFlag(nightlyInput, choice));
  if (taken.length === 0) return others;
  return { ...others, ...present({ answers: answersIn(taken)?.slice() }), choices: taken };
}

/**
 * Exit codes from the worst to the least: first those of a signal from outside, then those that need a
 * person, and last those of problems that pass by themselves.
 */
const WORST_FIRST: readonly number[] = [130, 143, 77, 2, 4, 76, 75];

export function worstOf(stops: readonly StopObject[]): StopObject | undefined {
  const rank = ({ code }: StopObject): number => WORST_FIRST.indexOf(exitOf(code));
  return stops.toSorted((one, other) => rank(one) - rank(other))[0];
}

// ---------------------------------------------------------------------------------------------- what is told

function totalsOf(files: Swept[], leftFiles: SweepResult['left']) {
  const sum = (of: (file: Swept) => number): number => files.reduce((total, file) => total + of(file), 0);
  const counts = OUTCOME_KINDS.map((kind) => [kind, sum((file) => file.counts[kind] ?? 0)] as const);
  const paid = files.filter(({ credits }) => credits.spent > 0);
  const costs = paid.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return {
    files,
    left: leftFiles,
    rows: sum(({ rows }) => rows ?? 0),
    counts: Object.fromEntries(counts.filter(([, count]) => count > 0)) as Swept['counts'],
    credits: {
      spent: sum(({ credits }) => credits.spent),
      exact: files.every(({ credits }) => credits.exact),
      in_doubt: sum(({ credits }) => credits.in_doubt),
    },
    // A sum without the part of one file would be taken for all.
    ...(paid.length > 0 && costs.length === paid.length && { cost: costs.reduce(moneySum) }),
  };
}

const spentWords = ({ spent, exact }: Swept['credits']): string =>
  atMost(spent, exact ? undefined : true, `${spent} spent`);

function sweepLines({ files, left, rows, counts, credits }: SweepResult): readonly string[] {
  const doubt = credits.in_doubt > 0 ? `, ${credits.in_doubt} in doubt` : '';
  return linesOf(
    files.flatMap(fileLines),
    left.map(({ file, why, next_command: resume }) => {
      return `Left       ${file}: ${why}${resume === undefined ? '' : `; to resume it: ${resume}`}`;
    }),
    `Rows       ${rows}: ${countWords(counts, rows === 0 ? 'no new list' : undefined)}`,
    `Credits    ${spentWords(credits)}${doubt}`,
  );
}

/** `4 lists done, 1 with rows that need attention: a.csv; 1 not: bad.csv: why`. */
function sweepWords({ files, left }: Pick<SweepResult, 'files' | 'left'>): string {
  const done = files.filter(({ stopped }) => stopped === null);
  const needing = done.filter(({ needs_attention: path }) => path !== null).map(({ file }) => basename(file));
  const not = files.flatMap(({ file, stopped }) => {
    if (stopped === null) return [];
    const why = stopped.message.replaceAll(file, basename(file));
    // Some messages name the list themselves.
    return why.includes(basename(file)) ? why : `${basename(file)}: ${why}`;
  });
  const ends = linesOf(
    `${counted(done.length, 'list')} done`,
    left.length > 0 && `${left.length} left (${left.map(({ file }) => basename(file)).join(', ')})`,
    needing.length > 0 && `${needing.length} with rows that need attention: ${needing.join(', ')}`,
  ).join(', ');
  return not.length === 0 ? ends : `${ends}; ${not.length} not: ${not.join(' ')}`;
}

function fileLines(of: Swept): readonly string[] {
  const { file, batch, rows, counts, credits, stopped } = of;
  const detail = (name: string, value?: string | null) => value != null && `  ${name.padEnd(11)}${value}`;
  const settle = batch !== null && (counts.in_doubt ?? 0) > 0 ? commandLine(['settle', batch]) : undefined;
  return linesOf(
    file,
    batch !== null && `  Batch      ${batch}, ${counted(rows ?? 0, 'row')}: ${countWords(counts)}`,
    batch !== null && `  Credits    ${spentWords(credits)}`,
    detail('Moved to', of.moved_to),
    detail('Output', of.output),
    detail('Attention', of.needs_attention),
    detail('Stopped', stopped?.message),
    detail('Next', stopped?.next ?? settle),
  );
}
