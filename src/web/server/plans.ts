import { Hono } from 'hono';
import { z } from 'zod';
import { commandLine } from '../../core/command-line.ts';
import { stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { METHODS } from '../../core/operation.ts';
import { counted } from '../../core/plain-text.ts';
import type { Job } from '../../job/job.ts';
import { requestWords } from '../../plan/consent.ts';
import { isPlanId, movesBetween } from '../../plan/plan-id.ts';
import { chooseStore, storeWords } from '../../run/open-ledger.ts';
import { chooseAccount, loadAccounts } from '../../vendor/account/account.ts';
import {
  Choices,
  type DraftKept,
  type JobList,
  JobRequest,
  type JobSaved,
  type OperationList,
  PlanFigures,
  PlannedChangeView,
  PlanRequest,
  type PlanView,
  StartRequest,
  type Ways,
  type WorkView,
} from '../api.ts';
import { bodyOf } from './answers.ts';
import { askChild } from './children.ts';
import {
  accountChoice,
  accountChoices,
  jobOfChoices,
  operationViews,
  savedJobs,
  saveJobAs,
  writeListJob,
} from './jobs.ts';
import { columnsRemembered, draftOf, type FactBook, keepDraft, rememberColumns } from './list-facts.ts';
import { type ListFile, listFile } from './list-files.ts';
import type { Server } from './server.ts';

/** From a list to a started batch: what can be done, the plan, and the start of exactly that plan. */

/** A plan that was shown, and what starts it. */
interface ShownPlan {
  readonly view: PlanView;
  readonly list: ListFile;
  readonly job: Job;
  readonly jobPath: string;
  readonly store: string;
}

/** As many as a person may still start. Whoever wants an older one is shown it again first. */
const MOST_PLANS = 200;

export function planRoutes(server: Server, facts: FactBook): Hono {
  const plans = new Map<string, ShownPlan>();
  const keep = (plan: ShownPlan): void => {
    for (const oldest of [...plans.keys()].slice(0, -MOST_PLANS)) plans.delete(oldest);
    plans.set(plan.view.id, plan);
  };
  const shown = (id: string): ShownPlan => {
    const plan = plans.get(id);
    if (plan === undefined)
      throw stop('plan', 'This plan was not shown since the page is served.', 'Look at the plan again.');
    return plan;
  };
  const starts = new Map<string, string>();
  return new Hono()
    .get('/operations', async (context) =>
      context.json({
        operations: [...(await operationViews())],
        accounts: [...(await accountChoices())],
      } satisfies OperationList),
    )
    .get('/jobs', async (context) => context.json({ jobs: [...(await savedJobs(server))] } satisfies JobList))
    .post('/jobs', async (context) => {
      const { name, plan, budget } = await bodyOf(context, JobRequest);
      const { job, view } = shown(plan);
      const path = await saveJobAs(server, name, { ...job, columns: view.columns }, budget);
      return context.json({ path } satisfies JobSaved);
    })
    .get('/lists/:id/ways', async (context) => {
      const list = await listFile(server, context.req.param('id'));
      return context.json(await waysOf(server, list, facts));
    })
    .put('/lists/:id/draft', async (context) => {
      const list = await listFile(server, context.req.param('id'));
      await keepDraft(list, await bodyOf(context, Choices));
      return context.json({ kept: true } satisfies DraftKept);
    })
    .post('/plans', async (context) => {
      const request = await bodyOf(context, PlanRequest);
      const plan = await planList(server, request);
      keep(plan);
      const { was } = request;
      const moved = was !== undefined && isPlanId(was) ? movesBetween(was, plan.view.id) : [];
      return context.json({ ...plan.view, moved: [...moved] } satisfies PlanView);
    })
    .post('/starts', async (context) => {
      const request = await bodyOf(context, StartRequest);
      const plan = shown(request.plan);
      requireAgreed(plan.view, request);
      const { list, view } = plan;
      await rememberColumns(
        server,
        await facts.of(list, view.choices.read ?? list.reading?.read),
        view.operation,
        view.columns,
      );
      return context.json(startOnce(server, starts, plan, request));
    });
}

async function waysOf(server: Server, list: ListFile, book: FactBook): Promise<Ways> {
  const choices = await draftOf(list);
  const facts = await book.of(list, choices?.read ?? list.reading?.read);
  return {
    name: list.name,
    facts,
    operations: [...(await operationViews())],
    accounts: [...(await accountChoices())],
    jobs: [...(await savedJobs(server))],
    remembered: await columnsRemembered(server, facts),
    choices,
  };
}

// ------------------------------------------------------------------------------------------------ the plan

/** What `plan --json` prints beside the figures. */
const Printed = PlanFigures.extend({
  changes: z.array(PlannedChangeView).optional(),
  requests: z
    .array(
      z.object({
        name: z.string(),
        method: z.enum(METHODS),
        url: z.string(),
        through: z.string().optional(),
      }),
    )
    .optional(),
});

/** A person looks at no more lines, and a browser shows them without slowing down. */
const MOST_CHANGES = 2_000;

async function planList(
  server: Server,
  { list: id, choices: given }: z.infer<typeof PlanRequest>,
): Promise<ShownPlan> {
  const list = await listFile(server, id);
  const choices = given ?? (await draftOf(list));
  if (choices === null)
    throw stop('usage', 'Nothing was chosen for this list yet.', 'Choose what to do with it.');
  if (given !== undefined) await keepDraft(list, given);
  const chosen = await jobOfChoices(server, { ...present({ ...list.reading }), ...choices });
  const account = chooseAccount(await loadAccounts(), chosen.operation.vendor, chosen.account);
  const job = { ...chosen, account: account.name };
  const jobPath = await writeListJob(list, job);
  const store = chooseStore(server.store, account.sandbox).location;
  const words = ['plan', jobPath, list.path, '--store', store, ...refreshWords(choices)];
  const { changes, requests, ...figures } = Printed.parse(await askChild(server.program, words));
  const sent = (changes ?? []).filter(({ calls = [] }) => calls.length > 0);
  const most = figures.credits.most;
  const view: PlanView = {
    ...figures,
    ...{ list: id, name: list.name, choices },
    operation: job.operation.name,
    account: accountChoice(account),
    is_change: changes !== undefined,
    changes: changes === undefined ? null : shownFirst(changes),
    to_change: sent.length,
    actions: actionCounts(changes ?? []),
    requests: (requests ?? []).map((request) => requestWords(request as Parameters<typeof requestWords>[0])),
    confirm: removalWords(sent),
    needs_budget: !account.sandbox && account.budget.perDay === undefined && most > 0,
    command: commandLine(['run', jobPath, list.path, ...storeWords(store), ...refreshWords(choices)]),
    moved: [],
  };
  return { view, list, job, jobPath, store };
}

function refreshWords({ refresh }: Choices): readonly string[] {
  return refresh === true ? ['--refresh'] : [];
}

/** What is sent comes first, so that a cut list hides nothing that matters more. */
function shownFirst(changes: readonly PlannedChangeView[]): PlannedChangeView[] {
  const isSent = ({ calls = [] }: PlannedChangeView): boolean => calls.length > 0;
  const sorted = [...changes.filter(isSent), ...changes.filter((change) => !isSent(change))];
  return sorted.slice(0, MOST_CHANGES);
}

function actionCounts(changes: readonly PlannedChangeView[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

/** A removal is typed, so that no slip of a hand agrees to it. */
function removalWords(sent: readonly PlannedChangeView[]): string | null {
  const removed = sent.filter(({ action }) => action === 'remove').length;
  return removed === 0 ? null : `remove ${counted(removed, 'person', 'people')}`;
}

// ------------------------------------------------------------------------------------------------ the start

function requireAgreed(
  { confirm, needs_budget, credits, guards = [] }: PlanView,
  { typed, budget }: z.infer<typeof StartRequest>,
): void {
  const [guard] = guards;
  if (guard !== undefined)
    throw stop('guard', `This would ${guard.fact}.`, `If that is meant, ${guard.allow}.`);
  if (confirm !== null && typed !== confirm)
    throw stop('consent', `This would ${confirm}, and nobody typed that.`, `Type "${confirm}" to agree.`);
  if (needs_budget && budget === undefined)
    throw stop(
      'consent',
      `This could spend up to ${credits.most} credits, and nothing limits it.`,
      'Say how much it may spend.',
    );
}

/** The same plan twice is the same work while it is under way, and the same batch afterwards. */
function startOnce(
  server: Server,
  starts: Map<string, string>,
  { view, list, jobPath, store }: ShownPlan,
  { budget, sample }: z.infer<typeof StartRequest>,
): WorkView {
  const key = `${view.id} ${sample ?? ''}`;
  const underWay = server.work.list().find(({ id, state }) => id === starts.get(key) && state !== 'ended');
  if (underWay !== undefined) return underWay;
  const words = [
    ...['run', jobPath, list.path, '--store', store, '--if-plan', view.id, '--yes'],
    ...refreshWords(view.choices),
    ...(budget === undefined ? [] : ['--budget', String(budget)]),
    ...(sample === undefined ? [] : ['--sample', String(sample)]),
  ];
  const kind = sample === undefined ? 'run' : 'sample';
  const work = server.work.start({ kind, words, store, about: view.list, plan: view.id });
  starts.set(key, work.id);
  return work;
}
