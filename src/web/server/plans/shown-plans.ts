import { stop } from '../../../core/errors.ts';
import { counted } from '../../../core/plain-text.ts';
import type { PlanView, StartRequest, WorkView } from '../../api.ts';
import type { PlannedOrder, Work } from '../work.ts';
import type { ShownPlan } from './list-plan.ts';

/** As many as a person may still start. An older one is shown again first. */
const MOST_PLANS = 200;

export class ShownPlans {
  readonly #plans = new Map<string, ShownPlan>();
  /** Plan → the work that was started for it, and the budget that was agreed to. */
  readonly #started = new Map<string, { readonly work: string; readonly budget: number | undefined }>();

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

  /**
   * The same plan twice is the same work while it is under way, and the same batch afterwards.
   * @throws StopError `busy` for another budget than that of the work under way, which would not be kept.
   */
  startOnce(work: Work, plan: ShownPlan, request: StartRequest): WorkView {
    const { id } = plan.view;
    const before = this.#started.get(id);
    const underWay = before && work.find(before.work);
    if (underWay !== undefined && underWay.state !== 'ended') {
      if (before?.budget === request.budget) return underWay;
      throw stop(
        'busy',
        `This plan was started with ${budgetWords(before?.budget)} already, and that start is still running.`,
        'Wait for it to end, or stop it; then start the plan again.',
      );
    }
    const started = work.start(orderOf(plan, request));
    this.#started.set(id, { work: started.id, budget: request.budget });
    return started;
  }
}

const budgetWords = (budget: number | undefined): string =>
  budget === undefined ? 'no budget' : `a budget of ${counted(budget, 'credit')}`;

export function orderOf(
  { view, words: start, store }: ShownPlan,
  { budget }: Pick<StartRequest, 'budget'>,
): PlannedOrder {
  const words = [
    ...[...start, '--store', store, '--plan', view.id, '--yes'],
    ...(budget === undefined ? [] : ['--budget', String(budget)]),
  ];
  return { kind: 'run', words, store, about: view.list, plan: view.id };
}

export function requireAgreed(
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
