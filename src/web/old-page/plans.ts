import { Hono } from 'hono';
import type { Account } from '../../client/account/account.ts';
import { isAgreement, keepAgreement } from '../../client/account/agreements.ts';
import { stop } from '../../core/errors.ts';
import { counted } from '../../core/plain-text.ts';
import { waterfallOf } from '../../job/job.ts';
import { PlanObject } from '../../objects/plan-object.ts';
import { requestWords } from '../../plan/consent.ts';
import { chooseStore } from '../../run/store-choice.ts';
import {
  AgreementRequest,
  type AgreementView,
  Choices,
  type Kept,
  type ListDescription,
  type PlannedChangeObject,
  PlanRequest,
  type PlanView,
  StartRequest,
  type Ways,
  type WorkView,
} from '../api.ts';
import { bodyOf } from '../server/answers.ts';
import { askChild } from '../server/children.ts';
import { type KeptList, keptList } from '../server/list-files.ts';
import type { Server } from '../server/server.ts';
import type { Order } from '../server/work.ts';
import { accountChoice, accountChoices, jobOfChoices, operationViews, pairFit } from './jobs.ts';
import { draftOf, factsOf, keepDraft } from './lists.ts';
import { Readings } from './readings.ts';

export function planRoutes(server: Server): Hono {
  const plans = new ShownPlans();
  return new Hono()
    .route('/', choiceRoutes(server))
    .post('/plans', async (context) => {
      const { list: id, choices: given } = await bodyOf(context, PlanRequest);
      const list = await keptList(server, id);
      const choices = await chosenFor(list, given);
      const plan = await planList(server, list, choices, context.req.raw.signal);
      plans.keep(plan);
      return context.json(plan.view satisfies PlanView);
    })
    .post('/agreements', async (context) => {
      const { plan, agreement } = await bodyOf(context, AgreementRequest);
      await keepShown(plans.of(plan).view.to_agree, agreement);
      return context.json({ kept: true } satisfies Kept);
    })
    .post('/starts', async (context) => {
      const request = await bodyOf(context, StartRequest);
      const plan = plans.of(request.plan);
      requireAgreed(plan.view, request);
      return context.json(server.work.start(orderOf(plan, request)) satisfies WorkView);
    });
}

/** Keeps the agreement to just what the plan has shown. @throws StopError `plan` or `output`. */
async function keepShown(shown: AgreementView | undefined, agreement: string): Promise<void> {
  if (shown?.agreement !== agreement || !isAgreement(agreement))
    throw stop('plan', 'The plan does not ask for that.', 'Look at it again.');
  await keepAgreement({ ...shown, agreement });
}

function choiceRoutes(server: Server): Hono {
  const kept = new Readings<ListDescription>();
  return new Hono()
    .get('/lists/:id/ways', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      return context.json(await waysOf(list, await factsOf(server, kept, list)));
    })
    .put('/lists/:id/draft', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      await keepDraft(list, await bodyOf(context, Choices));
      return context.json({ kept: true } satisfies Kept);
    });
}

async function chosenFor(list: KeptList, given: Choices | undefined): Promise<Choices> {
  if (given !== undefined) await keepDraft(list, given);
  const choices = given ?? (await draftOf(list));
  if (choices !== null) return choices;
  throw stop('usage', 'You have not chosen anything for this list yet.', 'Choose what to do with it.');
}

async function waysOf(list: KeptList, facts: ListDescription): Promise<Ways> {
  const choices = await draftOf(list);
  return {
    name: list.name,
    facts: { ...facts, operations: [...pairFit(facts.operations), ...facts.operations] },
    operations: [...(await operationViews())],
    accounts: [...(await accountChoices())],
    choices,
  };
}

interface ShownPlan {
  readonly view: PlanView;
  readonly words: readonly string[];
  readonly store: string;
}

/** A person looks at no more lines, and a browser shows them without slowing down. */
const MOST_CHANGES = 2_000;

async function planList(
  server: Server,
  list: KeptList,
  choices: Choices,
  signal: AbortSignal,
): Promise<ShownPlan> {
  const { job, path, account } = await jobOfChoices(list, choices);
  const store = chooseStore(server.store, account.sandbox).location;
  const planning = ['plan', path, list.path, '--store', store];
  const plan = PlanObject.parse(await askChild(server.program, planning, undefined, signal));
  const words = ['run', path, list.path];
  const view = viewOfPlan(plan, {
    list: list.id,
    name: list.name,
    choices,
    account,
    operation: job.operation.name,
    waterfall: job.operation.steps === undefined ? [...waterfallOf(job, plan.columns)] : [],
    adds: Object.keys(job.add ?? {}),
  });
  return { view, words, store };
}

type PlannedAbout = Pick<PlanView, 'list' | 'name' | 'choices' | 'operation' | 'waterfall' | 'adds'> & {
  readonly account: Account;
};

/** A plan as it was printed, with what the page shows beside it. */
function viewOfPlan(
  { changes, requests, ...figures }: PlanObject,
  { account, ...about }: PlannedAbout,
): PlanView {
  const sent = (changes ?? []).filter(({ calls = [] }) => calls.length > 0);
  const most = figures.credits.most;
  // What is only sent again of a batch stays within the limit that it has.
  const buys = figures.to_buy + sent.length > 0;
  return {
    ...figures,
    ...about,
    account: accountChoice(account),
    is_change: changes !== undefined,
    changes: changes === undefined ? null : shownFirst(changes),
    to_change: sent.length,
    actions: actionCounts(changes ?? []),
    requests: (requests ?? []).map(requestWords),
    confirm: removalWords(sent),
    needs_budget: !account.sandbox && account.budget.perDay === undefined && most > 0 && buys,
  };
}

/** Removals, then what else is sent, then the rest, so that a cut list hides nothing that matters more. */
function shownFirst(changes: readonly PlannedChangeObject[]): PlannedChangeObject[] {
  const weight = ({ action, calls = [] }: PlannedChangeObject): number =>
    calls.length === 0 ? 0 : action === 'remove' ? 2 : 1;
  return changes.toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST_CHANGES);
}

function actionCounts(changes: readonly PlannedChangeObject[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

/** A removal is typed, so that no slip of a hand agrees to it. */
function removalWords(sent: readonly PlannedChangeObject[]): string | null {
  const removed = sent.filter(({ action }) => action === 'remove').length;
  return removed === 0 ? null : `remove ${counted(removed, 'person', 'people')}`;
}

/** A person may still start this many plans. An older plan is shown again first. */
const MOST_PLANS = 200;

class ShownPlans {
  readonly #plans = new Map<string, ShownPlan>();

  keep(plan: ShownPlan): void {
    for (const oldest of [...this.#plans.keys()].slice(0, -MOST_PLANS)) this.#plans.delete(oldest);
    this.#plans.set(plan.view.id, plan);
  }

  /** @throws StopError `plan` for one that was not shown since the page is served. */
  of(id: string): ShownPlan {
    const plan = this.#plans.get(id);
    if (plan !== undefined) return plan;
    throw stop('plan', 'This plan was not shown since the page started.', 'Check the plan again.');
  }
}

function orderOf({ view, words: start, store }: ShownPlan, { budget }: Pick<StartRequest, 'budget'>): Order {
  const words = [
    ...[...start, '--store', store, '--plan', view.id, '--yes'],
    ...(budget === undefined ? [] : ['--budget', String(budget)]),
  ];
  return { kind: 'run', words, store, about: view.list, plan: view.id };
}

function requireAgreed(
  { confirm, needs_budget, credits, guards = [], to_agree: toAgree }: PlanView,
  { typed, budget }: Pick<StartRequest, 'typed' | 'budget'>,
): void {
  const [guard] = guards;
  if (guard !== undefined)
    throw stop('guard', `This would ${guard.fact}.`, `If that is right, ${guard.allow}.`);
  if (toAgree !== undefined)
    throw stop('consent', `${toAgree.fact}, and nobody has agreed to that yet.`, 'Agree to it above.');
  if (confirm !== null && typed !== confirm)
    throw stop('consent', `This would ${confirm}, and that was not typed.`, `Type "${confirm}" to agree.`);
  if (needs_budget && budget === undefined)
    throw stop(
      'consent',
      `This could spend up to ${credits.most} credits, and nothing limits it.`,
      'Say how much it may spend.',
    );
}
