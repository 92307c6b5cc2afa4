import type { Account } from '../client/account/account.ts';
import { type AgreementQuestion, requestQuestion, requireAgreement } from '../client/account/agreements.ts';
import { type Dialect, dialectQuestion } from '../client/dialect.ts';
import { basePathOf } from '../client/request.ts';
import { bringsRequest } from '../core/described.ts';
import { agreeing, StopError } from '../core/errors.ts';
import { inMoney } from '../core/money.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, Method, Operation } from '../core/operation.ts';
import { asCommand, byFlag, faces, phrase, typing } from '../core/phrase.ts';
import { foreignWords, listed } from '../core/plain-text.ts';
import { rowsAsked } from '../core/row.ts';
import { stepNames, stepsOf } from '../core/steps.ts';
import { keysIn } from '../core/vendor-path.ts';
import type { MappedInput } from '../files/input.ts';
import type { Job } from '../job/job.ts';
import { type BatchId, type Credits, credits, heldCredits, type Money } from '../ledger/ledger.ts';
import type { RequestObject } from '../objects/plan-object.ts';
import { accountsOf, type ResolvedJob } from '../walk/resolved-job.ts';
import { isPartial } from './batch.ts';
import type { Consent, RunChoices, RunContext, RunList } from './context.ts';
import { batchGoneOnWith, costAsked, mostAsked, type Plan } from './plan.ts';
import { identifyPlan, requirePlanId } from './plan-id.ts';
import { planPart } from './sample.ts';
import { checkGuards } from './team/change-guards.ts';
import { beginsWork, type ChangePlan, planChanges, planOfChanges } from './team/change-plan.ts';
import { sentCounts } from './team/diff-words.ts';
import { remoteMembers } from './team/remote-members.ts';

/**
 * This file plans a run and checks that the run is allowed: by the id of the plan, by the guards, and by the
 * person who is asked.
 */

/**
 * Plans a run that changes the service, and checks the plan against the one that was agreed to and against
 * the guards.
 * @throws StopError `plan` or `guard` before anything is sent.
 */
export async function planRun(list: RunList): Promise<ChangePlan> {
  const { context, input } = list;
  const plan = await planChanges(context, input, (projects) => remoteMembers(context, projects));
  if (plan.unknown !== undefined) throw plan.unknown;
  await requirePlanId(list, plan);
  await checkGuards(context, plan, () => shownPlanId(context, input, plan));
  return plan;
}

/** The id of the plan that a person is shown, so that a later answer agrees to exactly that plan. */
async function shownPlanId(context: RunContext, input: MappedInput, changes: ChangePlan): Promise<string> {
  const plan = planOfChanges(changes, context.account);
  context.showChanges?.(changes);
  return (await identifyPlan(context, input, plan, changes)).id;
}

/**
 * Asks for agreement to what a run may do: to change the service, where `changes` say so, and to spend.
 * @param anew whether a new batch settles a finished one's rows anew; false: the finished batch stays as it
 *   is, so that nothing of the plan is bought. Undefined where no row would be judged otherwise today.
 * @throws StopError `consent` when no one agreed.
 */
export async function requireConsent(
  list: RunList,
  changes: ChangePlan | undefined,
  anew: boolean | undefined,
): Promise<Consent> {
  const { context } = list;
  tellRequests(context, changes);
  if (changes !== undefined) await requireConsentToChange(list, changes);
  if (anew === false) return { budget: context.budget ?? context.job.budget?.credits, buysAgain: false };
  const agreed = context.buyAgain === true || context.account.sandbox;
  const { budget, buysAgain } = await requireBudget(list, changes, anew === true);
  return { budget, buysAgain: agreed || buysAgain };
}

function tellRequests(context: RunContext, changes: ChangePlan | undefined): void {
  const { account, job, emit } = context;
  if (account.sandbox || (changes !== undefined && !beginsWork(changes, job.operation))) return;
  for (const request of sentRequests(context))
    emit({ kind: 'note', message: `Sends ${requestWords(request)}.` });
}

/**
 * A sandbox account needs no agreement. A resumed batch needs none either, because its plan was agreed to
 * when it began.
 */
async function requireConsentToChange({ context, input }: RunList, changes: ChangePlan): Promise<void> {
  const { account, job, askChanges } = context;
  if (account.sandbox || !beginsWork(changes, job.operation)) return;
  if ((await askChanges?.(changes)) === true) return;
  throw new StopError({
    code: 'consent',
    message: `This run would make ${sentCounts(changes)} in the service, and you have not agreed.`,
    next: phrase`Look at them${typing` with ${asCommand('plan')}, or with undo --dry-run`}, then agree
      ${byFlag('--yes')}.`,
    // A person who answers later agrees to these changes, and to no others.
    plan: (await identifyPlan(context, input, planOfChanges(changes, account), changes)).id,
    choices: [agreeing('make these changes')],
  });
}

/**
 * Finds the cap of a run that can spend: it comes from the command, the job, or a person who sees the plan
 * and agrees to a sum. Accounts need none if each has a limit per day or is a sandbox. Whoever agrees to a
 * plan in advance has its price as the cap all the same, because the plan's price can be passed: a vendor may
 * be paid for an answer that fills nothing, such as a mask. Resuming never asks, unless
 * - the limit that the batch began under is gone, such as an account's limit per day, or
 * - a person agreed to a part of the rows only, such as a sample, and what this run buys does not fit into
 *   that sum. Without the question, the rest of the rows would silently stop at the price of the sample.
 *
 * A finished batch goes on within its cap as well, for calls in doubt that are sent again and with credits
 * that were given back. A person who agrees to the sum of a plan agrees to the calls that the plan counts as
 * bought again. A limit alone says nothing about them.
 * @throws StopError `consent` when there is no limit and you have not agreed.
 */
async function requireBudget(
  list: RunList,
  changes: ChangePlan | undefined,
  anew: boolean,
): Promise<Consent> {
  const { context, names } = list;
  const { job, ledger, further } = context;
  const named = context.budget ?? job.budget?.credits;
  if (named !== undefined || isLimited(context)) return limitedTo(named);
  const { existing } = names;
  const begun = existing?.state === 'open' ? existing : undefined;
  const goesOn = anew ? undefined : await goneOnWith(list);
  const money = goesOn && (await ledger.batchMoney(goesOn));
  if (begun !== undefined && money?.cap !== undefined && !isPartial(begun)) return limitedTo(undefined);
  const plan = await planOfRun(list, changes);
  const most = mostAsked(plan);
  if (most === 0) return limitedTo(existing === undefined ? credits(0) : undefined);
  // The cap is given again, because the batch may have become too old meanwhile and a new one follows it.
  if (isAgreed(plan, money, begun === undefined)) return limitedTo(money?.cap);
  const held = money === undefined ? 0 : heldCredits(money);
  const least = held + most;
  const agreed = await agreedTo(plan, context);
  if (agreed !== undefined) return { budget: credits(held + agreed), buysAgain: true };
  const here = faces(phrase` ${byFlag('--budget', least)}, in the job,`, ',');
  const where = further.length === 0 ? '' : ` at ${listed(unlimitedAccounts(context))}`;
  throw new StopError({
    code: 'consent',
    message:
      `This run could spend up to ${most} credits${inMoney(costAsked(plan))}, ` +
      `and no budget of the run or the day limits it${where}.`,
    next: phrase`Say how much it may spend${here} or per day in the account.`,
    leastBudget: least,
  });
}

/** Whether each account has a limit, and no person has agreed to a plan by its id or by `--yes`. */
function isLimited(context: RunContext): boolean {
  const { account, planId, buyAgain } = context;
  const agreesToPlan = !account.sandbox && (planId !== undefined || buyAgain === true);
  return unlimitedAccounts(context).length === 0 && !agreesToPlan;
}

/** The sum to which a person agrees: now, or with the plan. Undefined where no one does. */
function agreedTo(plan: Plan, context: RunContext): number | undefined | Promise<number | undefined> {
  return unlimitedAccounts(context).length === 0 ? plan.credits.most : context.askBudget?.(plan);
}

/** The names of the job's accounts that spend real money and have no limit per day. */
export const unlimitedAccounts = (chosen: ResolvedJob): readonly string[] =>
  accountsOf(chosen).flatMap(({ account: { name, sandbox, budget } }) =>
    sandbox || budget.perDay !== undefined ? [] : [name],
  );

/**
 * What one run may cost: for all rows, or only for those of a sample or of a part.
 * @param changes undefined for a job that only reads.
 */
async function planOfRun({ context, input }: RunList, changes?: ChangePlan): Promise<Plan> {
  if (changes === undefined) return planPart(context, input);
  return planOfChanges(changes, context.account, rowsAsked(input.sheet.start, context));
}

/** The most that an open batch may add to its cost by a run like the one that has stopped. */
export async function mostLeft(list: RunList): Promise<number> {
  const isChange = list.context.job.operation.change !== undefined;
  return mostAsked(await planOfRun(list, isChange ? await planChanges(list.context, list.input) : undefined));
}

const limitedTo = (budget: Credits | undefined): Consent => ({ budget, buysAgain: false });

/**
 * The batch that the run goes on with. A list that describes a wanted state may begin a new batch, so its
 * finished batch does not count.
 */
async function goneOnWith({ context, input, names: { existing } }: RunList): Promise<BatchId | undefined> {
  const { change } = context.job.operation;
  if (change === undefined) return batchGoneOnWith(context, input);
  return existing?.state === 'open' || !change.isState ? existing?.id : undefined;
}

/**
 * Whether the cap of the batch covers the plan, or the batch is finished and the cap only limits calls that
 * are sent again.
 */
function isAgreed(plan: Plan, money: Money | undefined, isFinished: boolean): boolean {
  if (money?.cap === undefined) return false;
  return (isFinished && plan.to_buy === 0) || heldCredits(money) + mostAsked(plan) <= money.cap;
}

/**
 * Asks once for a dialect that sends other requests than the built-in one, before anything is planned with
 * it. `--yes` says that the price is right, and nothing about the author of a file.
 * @throws StopError `consent` when no one agreed, now or before.
 */
export async function requireAgreedRequests({
  accept,
  askAgreement,
  ...sender
}: Sent & Pick<RunChoices, 'accept' | 'askAgreement'>): Promise<void> {
  for (const question of questionsOf(sender)) await requireAgreement(question, { accept, askAgreement });
}

type Sent = Pick<RunContext, 'account' | 'dialect' | 'further' | 'job'>;

/**
 * The questions to which a person agrees once: requests other than the built-in ones, and a request of the
 * job's own that carries the key.
 */
export function questionsOf({ job, ...sent }: Sent): readonly AgreementQuestion[] {
  const { method, endpoint, body } = job;
  const callEntries = present({ method, endpoint, body }) as JsonObject;
  const isAsked = stepNames(job.operation.name).some(bringsRequest) && keysIn(callEntries) > 0;
  const questions = accountsOf(sent).flatMap(({ account: { baseUrl }, dialect }) =>
    baseUrl === undefined
      ? []
      : [dialectQuestion(dialect, baseUrl), isAsked ? requestQuestion(callEntries, baseUrl) : undefined],
  );
  return questions.filter((each) => each !== undefined);
}

/** The parts of a job, its account and its dialect that decide what is sent. */
interface Sender {
  readonly job: Pick<Job, 'operation' | 'method' | 'endpoint'>;
  readonly account: Pick<Account, 'vendor' | 'baseUrl' | 'dialectPath' | 'via'>;
  readonly dialect: Dialect;
}

/** The request of an `api-call` job, and the requests of the operations in dialect files. */
export function sentRequests(chosen: ResolvedJob): RequestObject[] {
  const { job } = chosen;
  return accountsOf(chosen).flatMap((by, at) => {
    const askedOperations = stepsOf(job.operation).flatMap((step) => operationsAsked(step, at));
    return requestsOf({ job, ...by }, askedOperations);
  });
}

/** The operations by which a step asks the account at that position. */
function operationsAsked({ name, askedOperations, check }: Operation, at: number): readonly string[] {
  const checksAt = check?.checkers.filter(({ account }) => account === at) ?? [];
  const isAsked =
    askedOperations === undefined ? at === 0 : askedOperations.some(({ account }) => account === at);
  return [...(isAsked ? [name] : []), ...checksAt.map(({ operation }) => operation.name)];
}

function requestsOf(sender: Sender, steps: readonly string[]): RequestObject[] {
  const { job, account, dialect } = sender;
  return steps.flatMap((name) => {
    const { method = 'POST', endpoint } = job;
    if (bringsRequest(name) && endpoint !== undefined)
      return [{ name, method: method as Method, ...placeOf(sender, String(endpoint)) }];
    const entry = account.dialectPath === undefined ? undefined : dialect.operations[name];
    return entry === undefined ? [] : [{ name, method: entry.method, ...placeOf(sender, entry.path) }];
  });
}

/** `POST https://api.example.com/tags/{{Id}} (api-call)`. Another person may have written any part of it. */
export function requestWords({ name, method, url, through }: RequestObject): string {
  const by = through === undefined ? '' : `, by the "API Call" step at ${foreignWords(through)}`;
  return `${method} ${foreignWords(url)}${by} (${name})`;
}

/**
 * The full address. A sandbox has none before it starts, and the vendor's own address is not known when a
 * service forwards the request.
 */
function placeOf(
  { account: { baseUrl, via } }: Sender,
  path: string,
): Pick<RequestObject, 'url' | 'through'> {
  if (baseUrl === undefined) return { url: path };
  const base = `${baseUrl.origin}${basePathOf(baseUrl)}`;
  return via === undefined ? { url: base + path } : { url: path, through: base };
}
