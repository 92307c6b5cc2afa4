import { readFileSync } from 'node:fs';
import { foreignRows } from './edits.ts';
import {
  type Kill,
  killWhileWriting,
  type Lane,
  LOSSY_UNREFUSING,
  requireCode,
  type Stage,
  type Tally,
  UNHURRIED,
} from './kills.ts';
import { openMishaps } from './mishaps.ts';
import type { Ended } from './program.ts';
import { brokenPromises, chargedForAnswers, doubtfulFaults, unsettled } from './promises.ts';
import type { Way } from './ways.ts';
import { type Order, Workplace } from './workplace.ts';

/**
 * Lists that are bought over a vendor that loses answers, each killed until it ends by itself, and written twice the same. Then the
 * vendor's book is held against the ledger. Where the vendor honours idempotency keys, nothing may be in doubt then but what a clock
 * that was ahead has dated.
 */

/** What happens to the runs of one store besides kills. */
export interface World extends AsyncDisposable {
  readonly write: (at: number) => List;
  readonly run: (list: List, kill: Kill) => Promise<Ended>;
  /** When a list has come to its end, with these bytes. */
  readonly after: (batch: string, output: Buffer) => Promise<void>;
}

export type List = Order & Required<Pick<Order, 'input' | 'output'>>;

export interface ListSettings {
  /** In each list. */
  readonly rows: number;
  readonly way: Way;
  readonly world: keyof typeof WORLDS;
}

const WORLDS = { mishaps: openMishaps, budgets: openBudgets } as const;

/**
 * It loses some 7 answers in 100. Where keys are honoured it refuses nothing, so that every row is matched in the end; a call whose
 * answer it loses four times is rightly left in doubt there, and at 4 lost answers in 100 that is one call in 400,000.
 */
const LOSSY = [
  'reset:0.01,charged-reset:0.01,500:0.01,charged-500:0.01,truncate:0.01,charged-truncate:0.01',
  'empty:0.005,charged-empty:0.005,cut:0.005,429:0.005,limited-200:0.005,422:0.01,slow:0.01',
].join(',');

export async function openLists(settings: ListSettings, lane: Lane, tally: Tally): Promise<Stage> {
  const isKeyed = settings.way === 'keyed';
  const faults = isKeyed ? LOSSY_UNREFUSING : LOSSY;
  const place = await Workplace.open({ ...UNHURRIED, way: settings.way, faults, acceptsDoubts: true });
  const world = await WORLDS[settings.world](place, lane, settings.rows, tally);
  const lists: List[] = [];
  return {
    place,
    write: async (at) => {
      const list = world.write(at);
      lists.push(list);
      return list;
    },
    run: (order, kill) => world.run(order as List, kill),
    judge: async (order) => {
      const list = order as List;
      const first = await outputOf(place, list);
      if (!tally.isDone) await killWhileWriting(place, list, lane, tally);
      const again = await outputOf(place, list);
      // What is in doubt under a key may be settled by the next run.
      const mayDiffer = isKeyed && first.hasDoubts;
      const check = await place.typeHere(['store', 'check', '--store', place.path('store')]);
      tally.forbid({
        'lists that were not written the same twice': Number(
          !mayDiffer && !first.output.equals(again.output),
        ),
        'rows with what was found for another': foreignRows(place, list.output),
        'stores whose books do not add up': Number(check.code !== 0),
      });
      tally.see('rows', settings.rows);
      await world.after(first.batch, again.output);
    },
    close: async () => {
      if (isKeyed) tally.forbid({ ...(await unsettled(place, lists)) });
      const { inDoubt, spent, calls } = place.ledger();
      tally.forbid({
        ...(await brokenPromises(place, { lists })),
        'credits not as charged': Math.abs(spent - chargedForAnswers(place, calls)),
      });
      tally.doubts.found += inDoubt;
      tally.doubts.lost += await doubtfulFaults(place);
      tally.see('credits charged', (await place.vendor.book()).credits);
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Brings the list to its end, undisturbed. */
async function outputOf(place: Workplace, list: List) {
  const { report } = requireCode(await place.run(list), [0, 3]);
  const hasDoubts = (report?.counts.in_doubt ?? 0) > 0;
  return { batch: report?.batch ?? 'last', output: readFileSync(place.path(list.output)), hasDoubts };
}

/** By how much a budget is raised: small, so that it is reached again and again. */
const STEP = { budget: 40, account_budget: 55 };

/**
 * The budget of a list, and that of the account for a day, are below what the list costs. When one stops a run, it is raised a little,
 * until the list is done. After every run the vendor's book is held against both. A person costs 1 or 2 credits by chance; the
 * vendor's answers say which.
 */
async function openBudgets(place: Workplace, lane: Lane, rows: number, tally: Tally): Promise<World> {
  const budgets = { ...STEP };
  const account = (more: object): void =>
    place.writeAccount(place.vendor.url, { dialect: 'dialect.yaml', ...more });
  place.writeDialect({ vendor: 'provider', credits_charged: { header: 'x-credits-charged' } });
  /** Whoever stands in a list is of a domain of its own. */
  const domainOf = (list: string): string => `${lane.name}-${list.replace('.csv', '')}.example`;
  return {
    write: (at) => {
      budgets.budget = STEP.budget;
      const list = { input: `list-${at}.csv`, output: `out-${at}.csv`, job: 'enrich-person' };
      const emails = Array.from({ length: rows }, (_, row) => `person-${row + 1}@${domainOf(list.input)}`);
      place.writePeople(emails, list.input);
      return list;
    },
    run: async (list, kill) => {
      account({ budget: { per_day: budgets.account_budget } });
      const ended = await kill({ ...list, budget: budgets.budget }, [0, 3, 4]);
      const today = new Date().toISOString().slice(0, 10);
      const charged = (isOf: (request: (typeof requests)[number]) => boolean): number =>
        requests.filter(isOf).reduce((total, { credits }) => total + credits, 0);
      const requests = place.vendor.requests();
      const ofList = charged(({ body }) => body.email?.split('@')[1] === domainOf(list.input));
      tally.see('looks at the book of the vendor', 1);
      tally.forbid({
        'looks above the budget of the list': Number(ofList > budgets.budget),
        'looks above the budget of the day': Number(
          charged(({ at }) => at.startsWith(today)) > budgets.account_budget,
        ),
      });
      const stopped = ended.report?.stopped?.code;
      if (stopped === 'budget' || stopped === 'account_budget') {
        budgets[stopped] += STEP[stopped];
        tally.see(`raised: ${stopped}`, 1);
      }
      account({});
      return ended;
    },
    after: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
