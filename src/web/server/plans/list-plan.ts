import { type Account, chooseAccount, loadAccounts } from '../../../client/account/account.ts';
import { invariant } from '../../../core/errors.ts';
import { present } from '../../../core/objects.ts';
import { counted } from '../../../core/plain-text.ts';
import { type Job, waterfallOf } from '../../../job/job.ts';
import { commandLine } from '../../../lib/command-line.ts';
import { PlanObject, PlansObject } from '../../../objects/plan-object.ts';
import { requestWords } from '../../../plan/consent.ts';
import { chooseStore } from '../../../run/store-choice.ts';
import type { Choices, PlannedChangeObject, PlanView } from '../../api.ts';
import { askChild } from '../children.ts';
import { accountChoice, jobsOfChoices, writeListJob } from '../jobs.ts';
import type { KeptList } from '../list-files.ts';
import type { Server } from '../server.ts';
import { planOfSeveral } from './several-plans.ts';

export interface ShownPlan {
  readonly view: PlanView;
  readonly list: KeptList;
  readonly jobs: readonly Job[];
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
  const chosen = await jobsOfChoices(server, { ...present({ ...list.reading }), ...choices });
  const [first] = chosen;
  invariant(first !== undefined, 'at least one operation was chosen');
  const account = chooseAccount(await loadAccounts(), first.operation.vendor, first.account);
  const jobs = chosen.map((job) => ({ ...job, account: account.name }));
  const names = jobs.map(({ operation }) => operation.name);
  const jobPath = await writeListJob(list, jobs);
  const store = chooseStore(server.store, account.sandbox).location;
  const planning = ['plan', jobPath, list.path, '--store', store, ...refreshWords(choices)];
  const printed = await askChild(server.program, planning, undefined, signal);
  const plan =
    jobs.length === 1 ? PlanObject.parse(printed) : planOfSeveral(names, PlansObject.parse(printed));
  const words = ['run', jobPath, list.path, ...refreshWords(choices)];
  const view = viewOfPlan(plan, {
    ...{ list: list.id, name: list.name, choices, account },
    operation: names.join(','),
    waterfall: jobs.length === 1 ? [...waterfallOf(first, plan.columns)] : [],
    adds: jobs.flatMap(({ add }) => Object.keys(add ?? {})),
    command: commandLine(words),
  });
  return { view, list, jobs, words, store };
}

type About = Pick<PlanView, 'list' | 'name' | 'choices' | 'operation' | 'waterfall' | 'adds' | 'command'> & {
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
    moved: [],
  };
}

export function refreshWords({ refresh }: Choices): readonly string[] {
  return refresh === true ? ['--refresh'] : [];
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
