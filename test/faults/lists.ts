import { readFileSync } from 'node:fs';
import { type Lane, LOSSY_UNREFUSING, requireCode, type Stage, type Tally, UNHURRIED } from './kills.ts';
import { brokenPromises, chargedForAnswers, doubtfulFaults } from './promises.ts';
import type { LoggedRequest } from './vendor.ts';
import type { Way } from './ways.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/**
 * Lists that are bought over a vendor that loses answers, each killed until it ends by itself, and written twice the same. Then the
 * vendor's book is held against the ledger. Where the vendor honours idempotency keys, nothing may be in doubt then.
 */

export interface ListSettings {
  /** In each list. */
  readonly rows: number;
  readonly way: Way;
  /** Whether budgets stop the lists on their way. */
  readonly isCapped: boolean;
}

/** The lists of a store, and how each is run. */
type World = Pick<Stage, 'run'> & { readonly write: (at: number) => List };

type List = Order & Required<Pick<Order, 'input' | 'output'>>;

/**
 * It loses some 7 answers in 100. Where keys are honoured it refuses nothing, so that every row is matched in the end; a call whose
 * answer it loses four times is rightly left in doubt there, and at 4 lost answers in 100 that is one call in 400,000.
 */
const LOSSY = [
  'reset:0.01,charged-reset:0.01,500:0.01,charged-500:0.01,truncate:0.01,charged-truncate:0.01',
  'empty:0.005,charged-empty:0.005,cut:0.005,429:0.005,limited-200:0.005,limited-429:0.005,busy-503:0.005,422:0.01,slow:0.01',
].join(',');

export async function openLists(settings: ListSettings, lane: Lane, tally: Tally): Promise<Stage> {
  const { rows, way, isCapped } = settings;
  const isKeyed = way === 'keyed';
  const faults = isKeyed ? LOSSY_UNREFUSING : LOSSY;
  const place = await Workplace.open({ ...UNHURRIED, way, faults, acceptsDoubts: true });
  const world = (isCapped ? cappedLists : plainLists)(place, lane, rows, tally);
  const lists: List[] = [];
  return {
    place,
    write: async (at) => {
      const list = world.write(at);
      lists.push(list);
      return list;
    },
    run: world.run,
    judge: async (order) => {
      const list = order as List;
      const first = await outputOf(place, list);
      const again = await outputOf(place, list);
      // What is in doubt under a key may be settled by the next run.
      const isSame = (isKeyed && first.hasDoubts) || first.output.equals(again.output);
      const check = await place.typeHere(['store', 'check', '--store', place.path('store')]);
      tally.forbid({
        'lists that were not written the same twice': Number(!isSame),
        'stores whose books do not add up': Number(check.code !== 0),
      });
      tally.see('rows', rows);
    },
    close: async () => {
      if (isKeyed) tally.forbid({ 'rows not matched': await unmatched(place, lists) });
      const { inDoubt, spent, calls } = place.ledger();
      tally.forbid({
        ...(await brokenPromises(place, { lists })),
        'credits not as charged': Math.abs(spent - chargedForAnswers(place, calls)),
      });
      tally.doubts.found += inDoubt;
      tally.doubts.lost += await doubtfulFaults(place);
      tally.see('credits charged', (await place.vendor.book()).credits);
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Brings the list to its end, undisturbed. */
async function outputOf(place: Workplace, list: List) {
  const { report } = requireCode(await place.run(list), [0, 3]);
  return { output: readFileSync(place.path(list.output)), hasDoubts: (report?.counts.in_doubt ?? 0) > 0 };
}

/** Under keys and a vendor in good order, the first run repeats what was lost before it, and one more finds nothing left to do. */
async function unmatched(place: Workplace, lists: readonly List[]): Promise<number> {
  await place.vendor.setFaults();
  for (const list of lists) for (let runs = 0; runs < 3; runs += 1) await place.runHere(list);
  const statuses = lists.flatMap(({ output }) => place.statuses(output));
  return statuses.filter((status) => status !== 'matched').length;
}

/** One row in ten asks what an earlier row of its list asks, one in ten what the list before has asked. */
function plainLists(place: Workplace, { name }: Lane, rows: number): World {
  return {
    run: (list, kill) => kill(list),
    write: (at) => {
      const list = { input: `list-${at}.csv`, output: `out-${at}.csv` };
      const own = domainsOf(`${name}-list-${at}`, rows);
      const before = domainsOf(`${name}-list-${Math.max(at - 1, 0)}`, rows);
      const domains = own.map((domain, index) => {
        if (index % 10 === 7) return own[index - 5] ?? domain;
        return index % 10 === 9 ? (before[index - 1] ?? domain) : domain;
      });
      place.writeList(domains, list.input);
      return list;
    },
  };
}

/** By how much a budget is raised: small, so that it is reached again and again. */
const STEP = { budget: 40, account_budget: 55 };

/**
 * The budget of a list, and that of the account for a day, are below what the list costs. When one stops a run, it is raised a little,
 * until the list is done. After every run the vendor's book is held against both. A person costs 1 or 2 credits by chance; the
 * vendor's answers say which.
 */
function cappedLists(place: Workplace, { name }: Lane, rows: number, tally: Tally): World {
  const budgets = { ...STEP };
  const account = (more: object): void =>
    place.writeAccount(place.vendor.url, { dialect: 'dialect.yaml', ...more });
  place.writeDialect({ vendor: 'provider', credits_charged: { header: 'x-credits-charged' } });
  /** Whoever stands in a list is of a domain of its own. */
  const domainOf = (list = ''): string => `${name}-${list.replace('.csv', '')}.example`;
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
      const ended = await kill({ ...list, budget: budgets.budget });
      account({});
      const today = new Date().toISOString().slice(0, 10);
      const requests = place.vendor.requests();
      const charged = (isOf: (request: LoggedRequest) => boolean): number =>
        requests.filter(isOf).reduce((total, { credits }) => total + credits, 0);
      const ofList = charged(({ body }) => body.email?.split('@')[1] === domainOf(list.input));
      const ofDay = charged(({ at }) => at.startsWith(today));
      tally.see('looks at the book of the vendor', 1);
      tally.forbid({
        'looks above the budget of the list': Number(ofList > budgets.budget),
        'looks above the budget of the day': Number(ofDay > budgets.account_budget),
      });
      const stopped = ended.report?.stopped?.code;
      if (stopped === 'budget' || stopped === 'account_budget') {
        budgets[stopped] += STEP[stopped];
        tally.see(`raised: ${stopped}`, 1);
      }
      return ended;
    },
  };
}
