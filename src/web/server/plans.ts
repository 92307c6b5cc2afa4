import { Hono } from 'hono';
import { isAgreement, keepAgreement } from '../../client/account/agreements.ts';
import { stop } from '../../core/errors.ts';
import {
  type AgreementKept,
  AgreementRequest,
  type AgreementView,
  Choices,
  type DraftKept,
  PlanRequest,
  type PlanView,
  StartRequest,
  type Ways,
} from '../api.ts';
import { bodyOf } from './answers.ts';
import { accountChoices, operationViews, pairFit } from './jobs.ts';
import { draftOf, type FactBook, keepDraft } from './list-facts.ts';
import { type KeptList, keptList } from './list-files.ts';
import { planList } from './plans/list-plan.ts';
import { requireAgreed, ShownPlans } from './plans/shown-plans.ts';
import type { Server } from './server.ts';

export function planRoutes(server: Server, facts: FactBook): Hono {
  const plans = new ShownPlans();
  return new Hono()
    .route('/', choiceRoutes(server, facts))
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
      return context.json({ kept: true } satisfies AgreementKept);
    })
    .post('/starts', async (context) => {
      const request = await bodyOf(context, StartRequest);
      const plan = plans.of(request.plan);
      requireAgreed(plan.view, request);
      return context.json(plans.startOnce(server.work, plan, request));
    });
}

/** Keeps the agreement to just what the plan has shown. @throws StopError `plan` or `output`. */
async function keepShown(shown: AgreementView | undefined, agreement: string): Promise<void> {
  if (shown?.agreement !== agreement || !isAgreement(agreement))
    throw stop('plan', 'The plan does not ask for that.', 'Look at it again.');
  await keepAgreement({ ...shown, agreement });
}

function choiceRoutes(server: Server, facts: FactBook): Hono {
  return new Hono()
    .get('/lists/:id/ways', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      return context.json(await waysOf(server, list, facts));
    })
    .put('/lists/:id/draft', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      await keepDraft(list, await bodyOf(context, Choices));
      return context.json({ kept: true } satisfies DraftKept);
    });
}

async function chosenFor(list: KeptList, given: Choices | undefined): Promise<Choices> {
  if (given !== undefined) await keepDraft(list, given);
  const choices = given ?? (await draftOf(list));
  if (choices !== null) return choices;
  throw stop('usage', 'You have not chosen anything for this list yet.', 'Choose what to do with it.');
}

async function waysOf(_server: Server, list: KeptList, book: FactBook): Promise<Ways> {
  const choices = await draftOf(list);
  const facts = await book.of(list, list.reading?.read);
  return {
    name: list.name,
    facts: { ...facts, operations: [...pairFit(facts.operations), ...facts.operations] },
    operations: [...(await operationViews())],
    accounts: [...(await accountChoices())],
    choices,
  };
}
