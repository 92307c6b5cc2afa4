import { z } from 'zod';
import type { Account } from '../client/account/account.ts';
import { isAgreed, isAgreement, type Question } from '../client/account/agreements.ts';
import { type Dialect, dialectQuestion } from '../client/dialect.ts';
import type { PathSearch } from '../core/answer-fields.ts';
import { systemClock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { besideFolder } from '../core/paths.ts';
import { type LikelyColumn, unusedIn } from '../files/columns/columns.ts';
import { type OpenedInput, openHeader } from '../files/input.ts';
import { type JobIssues, watchIssues } from '../files/quality/job-issues.ts';
import type { Job } from '../job/job.ts';
import type { BatchId, Ledger } from '../ledger/ledger.ts';
import { storeAt } from '../ledger/stores.ts';
import type { WorkQueue } from '../ledger/work-queue.ts';
import {
  signal as abortSignal,
  amount,
  type Checks,
  called,
  flag,
  jobEntries,
  milliseconds,
  oneOfWords,
  reading,
  someRows,
  target,
  text,
  timepiece,
  values,
} from '../lib/checked-options.ts';
import { FORMULA_MODES } from '../lib/formulas.ts';
import { rereadOf } from '../plan/batch.ts';
import { requireAgreedRequests, type SentRequest, sentRequests } from '../plan/consent.ts';
import {
  ACCEPTABLE,
  type FileOptions,
  type JobOptions,
  type OpeningOptions,
  type Reread,
  type RunOptions,
} from '../plan/context.ts';
import { type Plan, planRows } from '../plan/plan.ts';
import { identifyPlan } from '../plan/plan-id.ts';
import type { PlanContext, ResolvedJob } from '../plan/row-walk.ts';
import { type GuardProblem, guardProblems } from '../plan/team/change-guards.ts';
import { type ChangePlan, planChanges, planOfChanges } from '../plan/team/change-plan.ts';
import { type RemoteMembers, remoteMembers } from '../plan/team/remote-members.ts';
import { checkCall } from './checked-call.ts';
import { choose, chooseAll } from './choose.ts';
import { sendNotices, toldBy } from './notices.ts';
import { lookIfThere, openLedger, requireTaken } from './open-ledger.ts';
import { requireFreeColumns, run } from './pipeline.ts';
import { keepRetention } from './retention.ts';
import { knownAnswers } from './run-job/known-answers.ts';
import { saveJob } from './run-job/save-job.ts';
import { Sessions } from './sessions.ts';
import { stoppable } from './stoppable.ts';
import { chooseStore } from './store-choice.ts';
import type { RunSummary } from './summary.ts';

export { choose, chooseAll, saveJob };

export type SpenderOptions = OpeningOptions &
  Pick<RunOptions, 'store' | 'accept' | 'askAgreement' | 'maxPauseMs' | 'signal'>;

const acceptable = z
  .string()
  .refine((word) => ACCEPTABLE.some((each) => each === word) || isAgreement(word), {
    error: `it must be one of ${ACCEPTABLE.join(', ')}, dialect:HASH`,
  })
  .optional();

const JOB_CHECKS: Checks<JobOptions> = {
  job: text.nonoptional(),
  file: text.nonoptional(),
  account: text,
  entries: jobEntries,
  read: reading,
  formulas: oneOfWords(FORMULA_MODES),
  withInput: flag,
  repair: flag,
  operations: values,
  dialects: values,
  store: text,
};

export const SPENDER_CHECKS: Checks<SpenderOptions> = {
  store: text,
  waitForLockMs: milliseconds,
  mayCreateStore: flag,
  accept: acceptable,
  askAgreement: called,
  tell: called,
  command: text,
  clock: timepiece,
  maxPauseMs: milliseconds,
  signal: abortSignal,
  operator: text,
};

export const RUN_CHECKS: Checks<RunOptions> = {
  ...JOB_CHECKS,
  ...SPENDER_CHECKS,
  output: target,
  forExcel: flag,
  budget: amount,
  limit: someRows,
  sample: someRows,
  commandOfRest: text,
  detach: flag,
  refresh: flag,
  askBudget: called,
  askRequests: called,
  askChanges: called,
  showPlan: called,
  askReread: called,
  buyAgain: flag,
  allowAdmin: flag,
  planId: text,
  saveJobAs: text,
  onEvent: called,
};

const PLAN_CHECKS: Checks<PlanOptions> = {
  ...JOB_CHECKS,
  accept: acceptable,
  refresh: flag,
  allowAdmin: flag,
  signal: abortSignal,
  onEvent: called,
  tell: called,
};

/**
 * Runs a job over a file. The same options again resume it.
 * @throws StopError when the run cannot begin; what stops it later is `stopped` in the summary.
 * @example
 * await runJob({ job: 'enrich-person', file: 'fixtures/people.csv', account: 'sandbox-provider', output: 'people.jsonl' });
 */
export async function runJob(options: RunOptions): Promise<RunSummary> {
  checkCall('runJob', options, RUN_CHECKS);
  const chosen = await choose(options);
  const spender = await openSpender(chosen.account.sandbox, options);
  try {
    if (options.saveJobAs !== undefined) await saveJob(options.saveJobAs, [chosen], options, spender.ledger);
    return await stoppable(options.signal, (signal) => spender.run(chosen, { ...options, signal }));
  } finally {
    await spender.close([chosen.account]);
  }
}

/** A store that is open for spending. Any number of runs may use it, also side by side; they share their accounts' limits. */
export interface Spender {
  readonly ledger: Ledger;
  run(chosen: ResolvedJob, options: FileOptions): Promise<RunSummary>;
  /** Closes the store. @param accounts the accounts of the runs; their answers beyond the retention are erased. */
  close(accounts?: readonly Account[]): Promise<void>;
}

/** @param sandbox whether it is for sandbox accounts, which have a store of their own. @throws StopError as `Store.open`. */
export async function openSpender(sandbox: boolean, options: SpenderOptions): Promise<Spender> {
  const { clock = systemClock, command = 'run', accept, askAgreement } = options;
  const store = chooseStore(options.store, sandbox);
  const beganMs = clock.wallMs();
  const ledger = await openLedger(store, {
    clock,
    waitForLockMs: options.waitForLockMs ?? 0,
    mayCreate: sandbox || options.mayCreateStore === true,
    acceptLost: accept === 'store',
    tell: options.tell,
    patience: { longestMs: options.maxPauseMs, signal: options.signal },
    command,
    operator: options.operator,
  });
  const sessions = new Sessions();
  let queue: Promise<WorkQueue | undefined> | undefined;
  return {
    ledger,
    run: async ({ job, account, dialect }, { file, signal, onEvent, ...rest }) => {
      await requireTaken(store.location, job.operation);
      requireFitting(job, rest);
      queue ??= storeAt(store.location).then((at) => at.queue(store.location));
      const context = {
        ...{ accept, askAgreement },
        ...rest,
        job,
        account,
        dialect,
        ledger,
        queue: await queue,
        inputPath: file,
        sandboxFolder: besideFolder(store.location),
        command,
        clock,
        signal: signal ?? new AbortController().signal,
        emit: onEvent ?? (() => {}),
      };
      if (job.notify === undefined) return run(context, sessions);
      return toldBy(ledger, { job, account, dialect }, clock, (hearBalance, beforeEnd) =>
        run({ ...context, hearBalance }, sessions, beforeEnd),
      );
    },
    close: async (accounts = []) => {
      await (await queue?.catch(() => undefined))?.close();
      if ((await ledger.notices.waiting().catch(() => [])).length > 0) {
        await sendNotices(ledger, { clock, beganMs, signal: options.signal, tell: options.tell });
      }
      await ledger.close();
      await keepRetention(accounts, store.location, { ...options, clock });
    },
  };
}

/** @throws StopError `usage` for an option that fits only jobs that change the service, or only jobs that read. */
function requireFitting(
  { operation: { name, change } }: Job,
  { sample, refresh }: Pick<RunOptions, 'sample' | 'refresh'>,
): void {
  if (sample !== undefined && change !== undefined) {
    const fact = `${name} changes the service, and a few random rows say nothing about the rest.`;
    throw stop('usage', fact, 'See all of it with plan, or try the first rows with --limit.');
  }
  if (refresh === true && change !== undefined) {
    const fact = `${name} changes the service, so an older answer is never used.`;
    throw stop('usage', fact, 'Leave --refresh out: the list does again what needs doing again.');
  }
}

export interface PlannedJob {
  /** Identifies the plan, for a run that begins only while it has not moved. */
  readonly id: string;
  /** The open batch of this job and file, with which a run goes on. */
  readonly unfinished: BatchId | undefined;
  readonly job: Job;
  readonly account: Account;
  readonly input: OpenedInput;
  readonly plan: Plan;
  /** Columns that could feed an input that has none. */
  readonly unused: readonly LikelyColumn[];
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
  /** What a run asks a person about first, as its dialect sends other requests than the built-in one. */
  readonly toAgree: Question | undefined;
  /** The rows of the file's finished batch that today's dialect would settle differently. */
  readonly reread: Reread | undefined;
  /** The path where the store is missing, so that nothing is known as bought; undefined when there is a store. */
  readonly missingStore: string | undefined;
}

interface PlannedJobChange {
  readonly plan: ChangePlan;
  readonly guards: readonly GuardProblem[];
}

/** What a user may say about a plan. */
interface PlanOptions
  extends JobOptions,
    Pick<RunOptions, 'refresh' | 'allowAdmin' | 'accept' | 'signal' | 'onEvent' | 'tell'> {}

/**
 * Plans what a job would buy for a file, in one reading of it, or change in the service. It creates no store. It sends only
 * the dialect's questions about who is in a project. @throws StopError
 * @example
 * const { plan } = await planJob({ job: 'enrich-person', file: 'fixtures/people.csv', account: 'sandbox-provider' });
 */
export async function planJob(options: PlanOptions): Promise<PlannedJob> {
  checkCall('planJob', options, PLAN_CHECKS);
  return planChosen(await choose(options), options);
}

export async function planJobs(options: PlanOptions): Promise<readonly PlannedJob[]> {
  checkCall('planJobs', options, PLAN_CHECKS);
  const planned: PlannedJob[] = [];
  for (const chosen of await chooseAll(options)) planned.push(await planChosen(chosen, options));
  return planned;
}

async function planChosen({ job, account, dialect }: ResolvedJob, options: PlanOptions): Promise<PlannedJob> {
  requireFitting(job, { refresh: options.refresh });
  const { accept, onEvent: emit = () => {} } = options;
  if (accept !== undefined) await requireAgreedRequests({ account, dialect, accept, emit });
  const { location } = chooseStore(options.store, account.sandbox);
  await requireTaken(location, job.operation);
  const ledger = await lookIfThere(location, options.tell);
  try {
    const opened = await openHeader(options.file, job, ledger);
    const watch = watchIssues(opened.columns);
    const input = { ...opened, columns: watch.watched };
    const context = { job, account, dialect, ledger, refresh: options.refresh };
    const change = job.operation.change === undefined ? undefined : await planChange(context, input, options);
    const plan = change === undefined ? await planRows(context, input) : planOfChanges(change.plan, account);
    const missingStore = ledger === undefined ? location : undefined;
    const known =
      ledger === undefined || change !== undefined
        ? undefined
        : await knownAnswers(ledger, job, account, dialect);
    const requests = await sentRequests({ job, account, dialect });
    const reread = await rereadOf(context, opened);
    const toAgree = await unagreed(account, dialect);
    const unused = await unusedIn(opened.columns, job);
    const shown = { unused, damage: watch.found(), change, known, requests, toAgree, reread, missingStore };
    const { id, batch } = await identifyPlan(context, input, plan, change?.plan);
    await requireFreeColumns(context, input, batch);
    const unfinished = batch?.state === 'open' ? batch.id : undefined;
    return { id, unfinished, job, account, input, plan, ...shown };
  } finally {
    await ledger?.close();
  }
}

async function planChange(
  context: PlanContext,
  input: OpenedInput,
  { allowAdmin, signal, onEvent }: PlanOptions,
): Promise<PlannedJobChange> {
  const { job, account, dialect } = context;
  const plan = await planChanges(context, input, (projects) =>
    membersNow({ account, dialect }, { signal, onEvent }, projects),
  );
  return { plan, guards: guardProblems({ job, allowAdmin }, plan) };
}

async function unagreed({ baseUrl }: Account, dialect: Dialect): Promise<Question | undefined> {
  const question = baseUrl && dialectQuestion(dialect, baseUrl);
  return question === undefined || (await isAgreed(question.agreement)) ? undefined : question;
}

/** What the ledger remembers counts while nobody has agreed to the questions of a dialect: a run asks first. */
async function membersNow(
  { account, dialect }: { readonly account: Account; readonly dialect: Dialect },
  { signal = new AbortController().signal, onEvent: emit = () => {} }: Pick<RunOptions, 'signal' | 'onEvent'>,
  projects: readonly string[],
): Promise<RemoteMembers | undefined> {
  if ((await unagreed(account, dialect)) === undefined)
    return remoteMembers({ account, dialect, clock: systemClock, emit, signal }, projects);
  const message =
    'The service was not asked who is in the projects, because nobody has agreed yet to what the dialect sends.';
  emit({ kind: 'note', message });
  return undefined;
}
