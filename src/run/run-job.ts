import type { PathSearch } from '../core/answer-fields.ts';
import { checkOptions } from '../core/checked-options.ts';
import { systemClock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import { present } from '../core/objects.ts';
import { schemaComment } from '../core/paths.ts';
import { type OpenedInput, openHeader } from '../files/input.ts';
import { writeOwnFile } from '../files/output/own-files.ts';
import { isSealedYaml, ownershipOfSealed, sealedYaml } from '../files/output/sealed-text.ts';
import { IssueWatch, type JobIssues } from '../files/quality/issue-tally.ts';
import { repairing } from '../files/quality/repair.ts';
import { type Job, jobYaml, loadJob } from '../job/job.ts';
import type { Ledger, LedgerReader } from '../ledger/ledger.ts';
import { type Plan, planRows } from '../plan/plan.ts';
import { type Reread, rereadOf } from '../plan/reread.ts';
import type { PlanContext } from '../plan/row-classification.ts';
import { readSavedPlan, savePlan } from '../plan/saved-plan.ts';
import { type SentRequest, sentRequests } from '../plan/sent-requests.ts';
import { type GuardProblem, guardProblems } from '../plan/team/change-guards.ts';
import { type ChangePlan, planChanges, planOfChanges } from '../plan/team/change-plan.ts';
import { remoteMembers } from '../plan/team/remote-members.ts';
import { type Account, chooseAccount, loadAccounts } from '../vendor/account/account.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { dialectOf } from '../vendor/dialect-of.ts';
import { answerPlaceOf } from '../vendor/envelope.ts';
import { chooseStore, lookIfThere, openLedger } from './open-ledger.ts';
import { operationIn } from './operation-in.ts';
import { run } from './pipeline.ts';
import { keepRetention } from './retention.ts';
import { knownAnswers } from './run-job/known-answers.ts';
import {
  type FileRequest,
  type JobRequest,
  PLAN_CHECKS,
  type PlanRequest,
  RUN_CHECKS,
  type RunRequest,
  type SpenderRequest,
} from './run-request.ts';
import { Sessions } from './sessions.ts';
import type { RunSummary } from './summary.ts';

/** This file runs and plans jobs by the options that a user knows. The command line and programs make the same calls. */

/**
 * Runs a job over a file. The same request again resumes it.
 * @throws StopError when the run cannot begin; what stops it later is `stopped` in the summary.
 */
export async function runJob(request: RunRequest): Promise<RunSummary> {
  checkOptions('runJob', request, RUN_CHECKS, ['job', 'file']);
  const chosen = await choose(request);
  const spender = await openSpender(chosen.account.sandbox, request);
  try {
    if (request.saveJobAs !== undefined) await saveJob(request.saveJobAs, chosen, request, spender.ledger);
    return await spender.run(chosen, request);
  } finally {
    await spender.close([chosen.account]);
  }
}

export interface ChosenJob {
  /** The job, with its operation adapted to the account's vendor. */
  readonly job: Job;
  readonly account: Account;
  readonly dialect: Dialect;
}

/** A store that is open for spending. Any number of runs may use it, also side by side; they share their accounts' limits. */
export interface Spender {
  readonly ledger: Ledger;
  run(chosen: ChosenJob, request: FileRequest): Promise<RunSummary>;
  /** Closes the store. @param accounts the accounts of the runs; their answers beyond the retention are erased. */
  close(accounts?: readonly Account[]): Promise<void>;
}

/** @param sandbox whether it is for sandbox accounts, which have a store of their own. @throws StopError as `Store.open`. */
export async function openSpender(sandbox: boolean, request: SpenderRequest): Promise<Spender> {
  const { clock = systemClock, command = 'run' } = request;
  const store = chooseStore(request.store, sandbox);
  const ledger = await openLedger(store, {
    clock,
    waitForLockMs: request.waitForLockMs ?? 0,
    mayCreate: sandbox || request.mayCreateStore === true,
    acceptLost: request.accept === 'store',
    tell: request.tell,
    command,
  });
  const sessions = new Sessions();
  return {
    ledger,
    run: async ({ job, account, dialect }, { file, signal, onEvent, planFile, ...rest }) => {
      requireFitting(job, { planFile, sample: rest.sample, refresh: rest.refresh });
      const order = {
        ...rest,
        savedPlan: planFile === undefined ? undefined : await readSavedPlan(planFile),
        job,
        account,
        dialect,
        ledger,
        inputPath: file,
        sandboxFolder: store.location,
        command,
        clock,
        signal: signal ?? new AbortController().signal,
        emit: onEvent ?? (() => {}),
      };
      return run(order, sessions);
    },
    close: async (accounts = []) => {
      await ledger.close();
      await keepRetention(accounts, store.location, { clock, tell: request.tell });
    },
  };
}

/** @throws StopError `usage` for an option that fits only jobs that change the service, or only jobs that read. */
function requireFitting(
  { operation: { name, change } }: Job,
  { planFile, sample, refresh }: Pick<RunRequest, 'planFile' | 'sample' | 'refresh'>,
): void {
  if (planFile !== undefined && change === undefined) {
    const fact = `${name} only reads, so no plan is saved of it: what it buys follows from each answer.`;
    throw stop('usage', fact, 'Limit it with --budget instead.');
  }
  if (sample !== undefined && change !== undefined) {
    const fact = `${name} changes the service, and a few random rows of that say nothing of the rest.`;
    throw stop('usage', fact, 'Look at all of it with rowonce plan, or try the first rows with --limit.');
  }
  if (refresh === true && change !== undefined) {
    const fact = `${name} changes the service, and is never answered from an older answer.`;
    throw stop('usage', fact, 'Leave --refresh out: a list that finds something to do again does it.');
  }
}

export interface PlannedJob {
  readonly job: Job;
  readonly account: Account;
  readonly input: OpenedInput;
  readonly plan: Plan;
  /** The damaged cells in the columns that the job uses. */
  readonly damage: JobIssues;
  /** The changes of a job that changes the service, and what would hold a run back. */
  readonly change: PlannedJobChange | undefined;
  /**
   * The fields that answers of this operation had so far, and those of the job's `add` that none of them has; undefined
   * when there is no answer yet, or for a change.
   */
  readonly known: PathSearch | undefined;
  /** The requests that the job and its dialect define. */
  readonly requests: readonly SentRequest[];
  /** The rows of the file's finished batch that today's dialect would settle differently. */
  readonly reread: Reread | undefined;
  /** The path where the store is missing, so that nothing is known as bought; undefined when there is a store. */
  readonly missingStore: string | undefined;
}

export interface PlannedJobChange {
  readonly plan: ChangePlan;
  readonly guards: readonly GuardProblem[];
  /** The path of the saved plan, if it was saved. */
  readonly savedAs: string | undefined;
}

/**
 * Plans what a job would buy for a file, in one reading of it, or change in the service. It creates no store. It sends only
 * the dialect's questions about who is in a project. @throws StopError
 */
export async function planJob(request: PlanRequest): Promise<PlannedJob> {
  checkOptions('planJob', request, PLAN_CHECKS, ['job', 'file']);
  const { job, account, dialect } = await choose(request);
  requireFitting(job, { planFile: request.savePlanAs, refresh: request.refresh });
  const { location } = chooseStore(request.store, account.sandbox);
  const ledger = await lookIfThere(location, request.tell);
  try {
    const opened = await openHeader(request.file, job, ledger);
    const watch = new IssueWatch(opened.columns);
    const input = { ...opened, columns: watch.watched() };
    const order = { job, account, dialect, ledger, refresh: request.refresh };
    const change = job.operation.change === undefined ? undefined : await planChange(order, input, request);
    const plan = change === undefined ? await planRows(order, input) : planOfChanges(change.plan, account);
    const missingStore = ledger === undefined ? location : undefined;
    const known =
      ledger === undefined || change !== undefined ? undefined : await knownTo(ledger, job, account, dialect);
    const requests = await sentRequests({ job, account, dialect });
    const reread = await rereadOf(order, opened);
    const shown = { damage: watch.found(), change, known, requests, reread, missingStore };
    return { job, account, input, plan, ...shown };
  } finally {
    await ledger?.close();
  }
}

async function knownTo(
  ledger: LedgerReader,
  { operation, add = {} }: Job,
  { identity: accountIdentity }: Account,
  dialect: Dialect,
): Promise<PathSearch | undefined> {
  const asked = { accountIdentity, operation: operation.name };
  const place = answerPlaceOf(dialect, operation.name);
  const known = await knownAnswers(ledger, asked, place, Object.values(add));
  return known.answers === 0 ? undefined : known;
}

async function planChange(
  order: PlanContext,
  input: OpenedInput,
  { savePlanAs, allowAdmin, signal, onEvent }: PlanRequest,
): Promise<PlannedJobChange> {
  const { job, account, dialect } = order;
  const looking = {
    account,
    dialect,
    clock: systemClock,
    emit: onEvent ?? (() => {}),
    signal: signal ?? new AbortController().signal,
  };
  const plan = await planChanges(order, input, (projects) => remoteMembers(looking, projects));
  const plannedFor = { job, account, inputPath: input.path };
  const savedAs =
    savePlanAs === undefined ? undefined : await savePlan(savePlanAs, plannedFor, plan, sayTo(onEvent));
  return { plan, guards: guardProblems({ job, allowAdmin }, plan), savedAs };
}

/** Reads the named job and finds the account that it runs on. */
export async function choose(
  request: Pick<JobRequest, 'job' | 'account' | 'read' | 'formulas' | 'withInput' | 'repair'>,
): Promise<ChosenJob> {
  const job = await loadJob(request.job);
  const account = chooseAccount(await loadAccounts(), job.operation.vendor, request.account ?? job.account);
  const dialect = await dialectOf(account);
  const read = { ...job.read, ...request.read };
  const formulas = request.formulas ?? job.formulas;
  const withInput = request.withInput ?? job.withInput;
  const repair = request.repair ?? job.repair ?? false;
  const asked = operationIn(dialect, job.operation);
  const operation = repair ? repairing(asked) : asked;
  return {
    job: {
      ...job,
      operation,
      ...(Object.keys(read).length === 0 ? {} : { read }),
      ...(repair ? { repair } : {}),
      ...present({ formulas, withInput }),
    },
    account,
    dialect,
  };
}

/**
 * Writes the job with all guessed and typed settings, so that the next run needs neither the guess nor the flags. An
 * unchanged job file of ours is replaced, so that the same command resumes; any other file is kept, and ours goes beside it.
 */
async function saveJob(
  path: string,
  { job, account }: ChosenJob,
  { file, budget = job.budget, onEvent }: Pick<RunRequest, 'file' | 'budget' | 'onEvent'>,
  ledger: Ledger,
): Promise<void> {
  const { columns, because } = (await openHeader(file, job, ledger)).columns;
  const limit = present({ budget });
  const text = jobYaml({ ...job, ...limit, account: account.name, columns }, because);
  const say = sayTo(onEvent);
  const savedAs = await writeOwnFile(
    {
      path,
      chunks: [sealedYaml(schemaComment('job', path) + text)],
      flag: '--save-job',
    },
    ownershipOfSealed(isSealedYaml, say),
  );
  if (savedAs !== path) say(`The job is saved in ${savedAs}.`);
}

function sayTo(onEvent: Listener = () => {}): (sentence: string) => void {
  return (message) => onEvent({ kind: 'note', message });
}
