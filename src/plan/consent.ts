import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../client/account/account.ts';
import { requireAgreement } from '../client/account/agreements.ts';
import type { Dialect, DialectOperation } from '../client/dialect.ts';
import { builtInDialect, dialectQuestion } from '../client/dialect.ts';
import { basePathOf } from '../client/request.ts';
import { canonicalJson } from '../core/call-key.ts';
import { StopError } from '../core/errors.ts';
import type { JsonObject, JsonValue, Method } from '../core/operation.ts';
import { counted, foreignWords } from '../core/plain-text.ts';
import { lastOfFirst } from '../core/row-range.ts';
import { stepNames, stepsOf } from '../core/steps.ts';
import type { MappedInput } from '../files/input.ts';
import type { Job } from '../job/job.ts';
import { askedByOrigin } from '../job/job-origin.ts';
import {
  type Batch,
  type BatchId,
  type Credits,
  credits,
  heldCredits,
  type Money,
} from '../ledger/ledger.ts';
import { checkedCredits } from '../lib/checked-options.ts';
import { isPartial } from './batch.ts';
import type { BatchPlace } from './batch-key.ts';
import type { Consent, RunChoices, RunContext } from './context.ts';
import { batchGoneOnWith, mostAdded, mostAsked, type Plan, planRows } from './plan.ts';
import { identifyPlan, requirePlanId } from './plan-id.ts';
import { planPart } from './sample.ts';
import { checkGuards } from './team/change-guards.ts';
import { beginsWork, type ChangePlan, planChanges, planOfChanges } from './team/change-plan.ts';
import { sentCounts } from './team/diff-words.ts';
import { remoteMembers } from './team/remote-members.ts';

/** This file plans what a run does and checks that it may: by its id, the guards, and the person who is asked. */

/**
 * Plans a run that changes the service, and checks the plan against the one that was agreed to and against the guards.
 * @throws StopError `plan` or `guard` before anything is sent.
 */
export async function planRun(
  context: RunContext,
  input: MappedInput,
  place: BatchPlace,
): Promise<ChangePlan> {
  const plan = await planChanges(context, input, (projects) => remoteMembers(context, projects));
  await requirePlanId(context, input, place, plan);
  await checkGuards(context, plan, () => shownPlanId(context, input, plan));
  return plan;
}

/** The id of a plan that a person is shown, so that a later answer agrees to just that. */
export async function shownPlanId(
  context: RunContext,
  input: MappedInput,
  changes: ChangePlan | undefined,
): Promise<string> {
  const plan =
    changes === undefined ? await planRows(context, input) : planOfChanges(changes, context.account);
  context.showPlan?.(plan, changes);
  return (await identifyPlan(context, input, plan, changes)).id;
}

/**
 * Asks for agreement to what a run may do: to change the service, where `changes` say so, and to spend.
 * @param anew whether a new batch settles a finished one's rows anew; false: that stays as it is, so that nothing of the plan
 * is bought. Undefined where no row would be judged otherwise today.
 * @throws StopError `consent` when nobody agreed.
 */
export async function requireConsent(
  context: RunContext,
  input: MappedInput,
  place: BatchPlace,
  changes?: ChangePlan,
  anew?: boolean,
): Promise<Consent> {
  await requireAgreedJob(context, input, place.existing, changes);
  if (changes !== undefined) await requireConsentToChange(context, input, changes);
  if (anew === false) return { budget: context.budget ?? context.job.budget, buysAgain: false };
  const agreed = anew === true || context.buyAgain === true || context.account.sandbox;
  const { budget, buysAgain } = await requireBudget(context, input, place, changes, anew === true);
  return { budget, buysAgain: agreed || buysAgain };
}

/**
 * A sandbox account needs no agreement. A resumed batch needs none either, because its plan was agreed to when it began.
 */
async function requireConsentToChange(
  context: RunContext,
  input: MappedInput,
  changes: ChangePlan,
): Promise<void> {
  const { account, job, askChanges } = context;
  if (account.sandbox || !beginsWork(changes, job.operation)) return;
  if ((await askChanges?.(changes)) === true) return;
  throw new StopError({
    code: 'consent',
    message: `This run would make ${sentCounts(changes)} in the service, and nobody has agreed.`,
    next: 'Check them with plan, then agree with --yes.',
    // Whoever answers later agrees to these changes, and to no others.
    plan: (await identifyPlan(context, input, planOfChanges(changes, account), changes)).id,
    answers: ['yes'],
  });
}

/**
 * Finds the cap of a run that can spend: it comes from the command, the job, the account, or a person who sees the plan
 * and agrees to a sum. A sandbox account needs none. Resuming never asks, unless
 * - the limit that the batch began under is gone, such as an account's limit per day, or
 * - a person agreed to a part of the rows only, such as a sample, and what this run buys does not fit into that sum.
 *   Without the question, the rest of the rows would silently stop at the price of the sample.
 *
 * A finished batch goes on within its cap as well, for calls in doubt that are sent again and for what was given back.
 * Whoever agrees to the sum of a plan agrees to what the plan counts as bought again. A limit alone says nothing about that.
 * @throws StopError `consent` when there is no limit and nobody has agreed.
 */
async function requireBudget(
  context: RunContext,
  input: MappedInput,
  place: BatchPlace,
  changes: ChangePlan | undefined,
  anew: boolean,
): Promise<Consent> {
  const { account, job, ledger, askBudget } = context;
  const named = context.budget ?? job.budget;
  if (named !== undefined || account.sandbox || account.budget.perDay !== undefined) return limitedTo(named);
  const { existing } = place;
  const begun = existing?.state === 'open' ? existing : undefined;
  const goesOn = anew ? undefined : await goneOnWith(context, input, existing);
  const money = goesOn && (await ledger.batchMoney(goesOn));
  if (begun !== undefined && money?.cap !== undefined && !isPartial(begun)) return limitedTo(undefined);
  const plan = await planOfRun(context, input, place.key, changes);
  const most = mostAsked(plan);
  if (most === 0) return limitedTo(existing === undefined ? credits(0) : undefined);
  // The cap is said again, in case that the batch has become too old meanwhile and a new one follows it.
  if (isAgreed(plan, money, begun === undefined)) return limitedTo(money?.cap);
  const held = heldBy(money);
  const least = held + mostAdded(plan);
  const agreed = await askBudget?.(plan);
  if (agreed !== undefined) return { budget: credits(held + checkedCredits(agreed)), buysAgain: true };
  throw new StopError({
    code: 'consent',
    message: `This run could spend up to ${most} credits, and nothing limits it.`,
    next: `Say how much it may spend with --budget ${least}, in the job, or per day in the account.`,
    leastBudget: least,
  });
}

/** What one run may cost: for all rows, or for those of a sample or the first ones alone. @param changes undefined for a job that only reads. */
async function planOfRun(
  context: RunContext,
  input: MappedInput,
  key: string,
  changes: ChangePlan | undefined,
): Promise<Plan> {
  if (changes === undefined) return planPart(context, input, key);
  const { account, limit } = context;
  return planOfChanges(changes, account, limit && lastOfFirst(input.sheet.start, limit));
}

/** The most that an open batch may add to its cost by a run like the one that has stopped. */
export async function mostLeft(context: RunContext, input: MappedInput, key: string): Promise<number> {
  const isChange = context.job.operation.change !== undefined;
  const changes = isChange ? await planChanges(context, input) : undefined;
  return mostAdded(await planOfRun(context, input, key, changes));
}

const limitedTo = (budget: Credits | undefined): Consent => ({ budget, buysAgain: false });

/** The batch that the run goes on with. A list of what is to be may begin a new one, so a finished batch of it does not count. */
async function goneOnWith(
  context: RunContext,
  input: MappedInput,
  existing: Batch | undefined,
): Promise<BatchId | undefined> {
  const { change } = context.job.operation;
  if (change === undefined) return batchGoneOnWith(context, input);
  return existing?.state === 'open' || !change.isState ? existing?.id : undefined;
}

/** Whether the cap of the batch covers the plan, or limits what is only sent again of a batch that is finished. */
function isAgreed(plan: Plan, money: Money | undefined, isFinished: boolean): boolean {
  if (money?.cap === undefined) return false;
  return (isFinished && plan.toBuy === 0) || heldBy(money) + mostAdded(plan) <= money.cap;
}

/** The credits that count against the batch's cap already. */
function heldBy(money: Money | undefined): number {
  return money === undefined ? 0 : heldCredits(money);
}

/**
 * A job or a dialect that another person wrote does not act unseen: when it could do more than its operation says, a
 * person sees it and agrees to it once. The ledger keeps the agreement under a hash of all that decides what is sent, so
 * every altered word is asked about again.
 */

/**
 * Asks for the agreement where it is missing. A sandbox account, a resumed batch and a run with nothing to send need none.
 * @throws StopError `consent` when nobody agreed, now or before.
 */
async function requireAgreedJob(
  context: RunContext,
  input: MappedInput,
  existing: Batch | undefined,
  changes: ChangePlan | undefined,
): Promise<void> {
  const { account, job, ledger, clock, askRequests, emit } = context;
  if (account.sandbox || (changes !== undefined && !beginsWork(changes, job.operation))) return;
  const requests = (await sentRequests(context)).map(requestWords);
  for (const request of requests) emit({ kind: 'note', message: `Sends ${request}.` });
  const reasons = await reasonsToAsk(context);
  if (reasons.length === 0 || goesOn(context, existing)) return;
  const sha256 = await contentOf(context);
  if ((await ledger.agreement(sha256)) !== undefined) return;
  if ((await askRequests?.({ reasons, requests })) !== true) {
    throw new StopError({
      code: 'consent',
      message: `${reasons.join(' ')} Nobody has agreed to that yet.`,
      next: 'Check the job and its dialect, then agree once: run it with --yes.',
      plan: await shownPlanId(context, input, changes),
      answers: ['yes'],
    });
  }
  await ledger.noteAgreement(sha256, [...reasons, ...requests].join('\n'), clock.wallMs());
}

/**
 * Asks once for a dialect that sends other requests than the built-in one, before anything is planned by it. `--yes` says that
 * the price is right, and nothing about who wrote a file.
 * @throws StopError `consent` when nobody agreed, now or before.
 */
export async function requireAgreedRequests({
  account: { baseUrl },
  dialect,
  accept,
  askAgreement,
}: Pick<RunContext, 'account' | 'dialect'> & Pick<RunChoices, 'accept' | 'askAgreement'>): Promise<void> {
  const question = baseUrl && dialectQuestion(dialect, baseUrl);
  if (question !== undefined) await requireAgreement(question, { accept, askAgreement });
}

async function reasonsToAsk(
  context: Pick<RunContext, 'job' | 'account' | 'dialect'>,
): Promise<readonly string[]> {
  const { job, dialect, account } = context;
  const [own] = isGeneric(job) ? await sentRequests(context) : [];
  const alters = own !== undefined && own.method !== 'GET';
  const price =
    account.dialectPath === undefined ? undefined : freePrice(context, await builtInDialect(dialect.vendor));
  return [
    ...(alters ? [`The job ${job.name} sends ${requestWords(own)}.`] : []),
    ...(price === undefined ? [] : [price]),
  ];
}

/**
 * A sentence when the dialect gives a price of 0 to an operation that usually costs credits, because no budget would
 * limit that. A dialect that reads the price from the answer is believed.
 */
function freePrice(
  { job: { operation }, dialect }: Pick<RunContext, 'job' | 'dialect'>,
  builtIn: Dialect,
): string | undefined {
  for (const { name } of stepsOf(operation)) {
    const usual = builtIn.operations[name]?.credits;
    const stated = dialect.operations[name]?.credits;
    if (usual === undefined || stated === undefined || usual.most === 0) continue;
    const booked = stated.per_result ?? stated.found;
    if (stated.most === 0 || (booked === 0 && dialect.credits_charged === undefined))
      return `The dialect ${dialect.name} says that ${name} costs nothing, and up to ${counted(usual.most, 'credit')} a call are usual.`;
  }
  return undefined;
}

/** Whether the run only resumes an open batch, or repeats a finished one without buying anything anew. */
function goesOn({ job, refresh }: RunContext, existing: Batch | undefined): boolean {
  if (existing?.state === 'open') return true;
  const isAnew = refresh === true || job.refreshAfterMs !== undefined;
  return existing?.state === 'finished' && job.operation.change === undefined && !isAnew;
}

/** A hash of all that decides what is sent and where to. Built-in dialects are left out, as they come with the program. */
async function contentOf({ account, job }: Pick<RunContext, 'account' | 'job'>): Promise<string> {
  const { operation, columns = null, waterfall = null } = job;
  // The origin is part of the hash, so that an agreement to a trial does not count for a whole list.
  const settings = { ...job.settings, ...askedByOrigin(job.origin) };
  const files = [account.dialectPath, account.via?.dialectPath].map((path) =>
    path === undefined ? null : readFile(path, 'utf8'),
  );
  const parts: readonly JsonValue[] = [
    ...['rowonce-agreement-1', account.identity, account.baseUrl?.href ?? null],
    ...[operation.name, settings, columns, waterfall],
    ...(await Promise.all(files)),
  ];
  return hash('sha256', canonicalJson(parts), 'hex');
}

/**
 * A request that the job or its dialect defines, so that the name of the operation does not tell what is sent. Another
 * person may have written both, so the user sees the request before agreeing to it.
 */
export interface SentRequest {
  /** The entry of the dialect that defines the request. */
  readonly name: string;
  readonly method: Method;
  /** The address as it is sent, with `{{Column}}` and `{field}` where a value is filled in. */
  readonly url: string;
  /** What the job and the dialect send in it otherwise than as the row's values under our names; left out: nothing. */
  readonly fields?: readonly string[];
  /** The service whose "API Call" step forwards the request; left out: it is sent to the vendor itself. */
  readonly through?: string;
}

/** The parts of a job, its account and its dialect that decide what is sent. */
export interface Sender {
  readonly job: Pick<Job, 'operation' | 'settings'>;
  readonly account: Pick<Account, 'vendor' | 'baseUrl' | 'dialectPath' | 'via'>;
  readonly dialect: Dialect;
}

/** The request of an `api-call` job, and the requests whose address or fields in the dialect's file differ from the built-in ones. */
export async function sentRequests(sender: Sender): Promise<readonly SentRequest[]> {
  const { job, dialect, account } = sender;
  const own = isGeneric(job) ? [ownRequest(job)] : [];
  const paths =
    account.dialectPath === undefined ? [] : changedPaths(sender, await builtInDialect(dialect.vendor));
  return [...own, ...paths].map((each) => ({ ...each, ...placeOf(sender, each.url) }));
}

/** `POST https://api.example.com/tags/{{Id}} (api-call)`. Another person may have written any part of it. */
export function requestWords({ name, method, url, through, fields }: SentRequest): string {
  const by = through === undefined ? '' : `, by the "API Call" step at ${foreignWords(through)}`;
  const also = fields === undefined ? '' : ` with ${fields.map((each) => foreignWords(each)).join(', ')}`;
  return `${method} ${foreignWords(url)}${by} (${name})${also}`;
}

function isGeneric({ operation }: Pick<Job, 'operation'>): boolean {
  return operation.name === 'api-call';
}

function ownRequest({ operation: { name }, settings = {} }: Sender['job']): SentRequest {
  const { method = 'POST', endpoint = '/' } = settings;
  return { name, method: method as Method, url: String(endpoint) };
}

/** The requests that differ from the built-in dialect. A provider's operation makes one kind of call; a service's several. */
function changedPaths({ job, dialect }: Sender, builtIn: Dialect): readonly SentRequest[] {
  const { operation } = job;
  const asked = Object.entries(dialect.operations).filter(
    ([name]) =>
      stepNames(operation.name).includes(name) ||
      (dialect.vendor === 'service' && operation.vendor === 'service'),
  );
  const { usage, whoami, list_users, list_invites } = dialect;
  const free = Object.entries({ usage, whoami, list_users, list_invites });
  return [
    ...asked.flatMap(([name, entry]) => [
      ...changed(name, entry, builtIn.operations[name]).map((each) => ({
        ...each,
        ...fieldsIn(job, name, entry),
      })),
      ...changed(`read_back of ${name}`, entry.read_back, builtIn.operations[name]?.read_back),
    ]),
    ...free.flatMap(([name, shape]) => changed(name, shape, builtIn[name as 'usage'])),
  ].filter((each) => !(each.name === operation.name && isGeneric({ operation })));
}

/** Which fields have another name than the input that they are taken from, and which the job sends of its own. */
function fieldsIn(
  { operation, settings }: Sender['job'],
  name: string,
  { fields = {} }: DialectOperation,
): Pick<SentRequest, 'fields'> {
  const named = Object.entries(fields).flatMap(([input, field]) =>
    field === input ? [] : [field === null ? `no ${input}` : `${input} as ${JSON.stringify(field)}`],
  );
  const filters = name === operation.name ? Object.entries((settings?.filters ?? {}) as JsonObject) : [];
  const sent = [...named, ...filters.map(([filter, value]) => `${filter} ${JSON.stringify(value)}`)];
  return sent.length === 0 ? {} : { fields: sent };
}

type Shape = Pick<SentRequest, 'method'> & Pick<DialectOperation, 'path' | 'fields'>;

function changed(name: string, shape: Shape | undefined, builtIn: Shape | undefined): readonly SentRequest[] {
  if (shape === undefined) return [];
  const { method, path, fields = {} } = shape;
  const isSame = method === builtIn?.method && path === builtIn.path;
  return isSame && isDeepStrictEqual(fields, builtIn.fields ?? {}) ? [] : [{ name, method, url: path }];
}

/**
 * The full address. A sandbox has none before it starts, and the vendor's own address is not known when a service forwards
 * the request.
 */
function placeOf({ account: { baseUrl, via } }: Sender, path: string): Pick<SentRequest, 'url' | 'through'> {
  if (baseUrl === undefined) return { url: path };
  const base = `${baseUrl.origin}${basePathOf(baseUrl)}`;
  return via === undefined ? { url: base + path } : { url: path, through: base };
}
