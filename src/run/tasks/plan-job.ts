import type { Account } from '../../client/account/account.ts';
import { isAgreed, type Question } from '../../client/account/agreements.ts';
import { answerPlaceOf, type Dialect, dialectQuestion } from '../../client/dialect.ts';
import { fieldsOf } from '../../core/answer-body.ts';
import { PathSearch } from '../../core/answer-fields.ts';
import { systemClock } from '../../core/clock.ts';
import { stepNames } from '../../core/steps.ts';
import { type OpenedInput, openHeader } from '../../files/input.ts';
import { shownBody } from '../../files/output/output.ts';
import { type JobIssues, watchIssues } from '../../files/quality/job-issues.ts';
import type { Job } from '../../job/job.ts';
import type { BatchId, LedgerReader } from '../../ledger/ledger.ts';
import { rereadOf } from '../../plan/batch.ts';
import { requireAgreedRequests, type SentRequest, sentRequests } from '../../plan/consent.ts';
import type { JobOptions, Reread, RunOptions } from '../../plan/context.ts';
import { type Plan, planRows } from '../../plan/plan.ts';
import { identifyPlan } from '../../plan/plan-id.ts';
import type { PlanContext } from '../../plan/row-walk.ts';
import { type GuardProblem, guardProblems } from '../../plan/team/change-guards.ts';
import { type ChangePlan, planChanges, planOfChanges } from '../../plan/team/change-plan.ts';
import { type RemoteMembers, remoteMembers } from '../../plan/team/remote-members.ts';
import { choose } from '../choose.ts';
import { lookIfThere, requireTaken } from '../open-ledger.ts';
import { requireFreeColumns } from '../pipeline.ts';
import { requireFitting } from '../run-job.ts';
import { chooseStore } from '../store-choice.ts';

export interface PlannedJob {
  /** Identifies the plan, for a run that begins only while it has not moved. */
  readonly id: string;
  /** The open batch of this job and file, with which a run goes on. */
  readonly unfinished: BatchId | undefined;
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
 */
export async function planJob(options: PlanOptions): Promise<PlannedJob> {
  const { job, account, dialect } = await choose(options);
  requireFitting(job, { refresh: options.refresh });
  const { accept } = options;
  if (accept !== undefined) await requireAgreedRequests({ account, dialect, accept });
  const { location } = chooseStore(options.store, account.sandbox);
  await requireTaken(location, job.operation.name, job.operation.change !== undefined);
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
    const requests = sentRequests({ job, account, dialect });
    const reread = await rereadOf(context, opened);
    const toAgree = await unagreed(account, dialect);
    const shown = { damage: watch.found(), change, known, requests, toAgree, reread, missingStore };
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

/** How many answers are read: enough to see every field that matters, and few enough to read in a moment. */
const ANSWERS_READ = 200;

const BATCHES_READ = 20;

/**
 * Collects the fields of an operation's answers so far, for a user who chooses which of them the job adds. Undefined when there
 * is no answer yet.
 */
async function knownAnswers(
  ledger: Pick<LedgerReader, 'batches' | 'rows'>,
  { operation: { name }, add = {} }: Pick<Job, 'operation' | 'add'>,
  { identity }: Pick<Account, 'identity'>,
  dialect: Dialect,
): Promise<PathSearch | undefined> {
  const paths = new PathSearch(Object.values(add));
  const place = answerPlaceOf(dialect, name);
  const names = [name, ...stepNames(name)];
  const batches = (await ledger.batches()).filter(
    ({ operation, accountIdentity }) => names.includes(operation) && accountIdentity === identity,
  );
  const attempts = new Set<number>();
  for (const { id } of batches.slice(0, BATCHES_READ)) {
    for (const { answers } of await ledger.rows(id, 0, ANSWERS_READ)) {
      const last = answers.findLast(({ kind }) => kind === 'found');
      const body = shownBody(answers, place);
      if (last === undefined || body === undefined || attempts.has(last.attempt)) continue;
      attempts.add(last.attempt);
      paths.look(fieldsOf(body, place));
      if (attempts.size === ANSWERS_READ) return paths;
    }
  }
  return attempts.size === 0 ? undefined : paths;
}
