import type { Account } from '../../../client/account/account.ts';
import { present } from '../../../core/objects.ts';
import { counted } from '../../../core/plain-text.ts';
import { type Job, waterfallOf } from '../../../job/job.ts';
import { PlanObject } from '../../../objects/plan-object.ts';
import { requestWords } from '../../../plan/consent.ts';
import { chooseStore } from '../../../run/store-choice.ts';
import type { Choices, PlannedChangeObject, PlanView } from '../../api.ts';
import { askChild } from '../children.ts';
import { accountChoice, jobOfChoices } from '../jobs.ts';
import type { KeptList } from '../list-files.ts';
import type { Server } from '../server.ts';

export interface ShownPlan {
  readonly view: PlanView;
  readonly list: KeptList;
  readonly job: Job;
  readonly words: readonly string[];
  readonly store: string;
}

/** A person looks at no more lines, and a browser shows them without slowing down. */
const MOST_CHANGES = 2_000;

export async function planList(
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
    ...{ list: list.id, name: list.name, choices, account },
    operation: job.operation.name,
    waterfall: job.operation.steps === undefined ? [...waterfallOf(job, plan.columns)] : [],
    adds: Object.keys(job.add ?? {}),
  });
  return { view, list, job, words, store };
}

type About = Pick<PlanView, 'list' | 'name' | 'choices' | 'operation' | 'waterfall' | 'adds'> & {
  readonly account: Account;
};

/** A plan as it was printed, with what the page shows beside it. */
function viewOfPlan({ changes, requests, ...figures }: PlanObject, { account, ...about }: About): PlanView {
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
    requests: (requests ?? []).map((request) => requestWords(present(request))),
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
