import { type KillPlan, type Lane, type TableLine, wasKilled } from './kills.ts';
import type { List, Visit, World } from './lists.ts';
import type { Ended } from './program.ts';
import type { Workplace } from './workplace.ts';

/**
 * Lists whose budget, and whose account's budget for a day, are below what they cost. They are killed on the way to
 * it. When a budget stops a run, it is raised a little and the same command is typed again, until the list is done.
 * After every run the vendor's book is held against both budgets. A person costs 1 or 2 credits by chance; the vendor's
 * answers say which.
 */

/** By how much a budget is raised: small, so that it is reached again and again. */
const STEP = { batch: 40, day: 55 };

/** The dialect that knows where the vendor says what an answer cost. */
const TOLD_PRICE = { vendor: 'provider', credits_charged: { header: 'x-credits-charged' } };

export class Budgets implements World {
  readonly doubts = 0;
  /** Looks at the vendor's book, and how often it was above a budget. */
  #looks = 0;
  readonly #over = { batch: 0, day: 0 };
  readonly #raised = { batch: 0, day: 0 };

  async open(workplace: Workplace, _lane: Lane): Promise<Visit> {
    const budgets = { ...STEP };
    const account = (more: object): void =>
      workplace.writeAccount(workplace.vendor.url, { dialect: 'dialect.yaml', ...more });
    workplace.writeDialect(TOLD_PRICE);
    return {
      writeList: (name, at, rows) => {
        budgets.batch = STEP.batch;
        const list = { input: `list-${at}.csv`, output: `out-${at}.csv`, job: 'enrich-person' };
        // The addresses say which list they are of.
        const emails = Array.from({ length: rows }, (_, row) => `person-${row + 1}@${name}${at}.example`);
        workplace.writePeople(emails, list.input);
        return list;
      },
      run: async (list, plan) => {
        account({ budget: { per_day: budgets.day } });
        const ended = await this.#run(list, plan, budgets.batch);
        this.#look(workplace, list, budgets);
        const stopped = wasKilled(ended) ? undefined : ended.report?.stopped?.code;
        if (stopped === 'budget') this.#raise('batch', budgets);
        if (stopped === 'account_budget') this.#raise('day', budgets);
        account({});
        return ended;
      },
      between: async () => {},
      after: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
  }

  #run(list: List, { kill }: KillPlan, budget: number): Promise<Ended> {
    return kill({ ...list, budget }, { mayEndWith: [0, 3, 4] });
  }

  #raise(which: 'batch' | 'day', budgets: typeof STEP): void {
    budgets[which] += STEP[which];
    this.#raised[which] += 1;
  }

  /** What the vendor charged, by its own log, against what was allowed when it did. */
  #look(workplace: Workplace, { input }: List, budgets: typeof STEP): void {
    const domain = workplace.rows(input)[0]?.Email?.split('@')[1];
    const today = new Date().toISOString().slice(0, 10);
    const requests = workplace.vendor.requests();
    const ofList = requests.filter(({ body }) => body.email?.split('@')[1] === domain);
    this.#looks += 1;
    if (creditsOf(ofList) > budgets.batch) this.#over.batch += 1;
    if (creditsOf(requests.filter(({ at }) => at.startsWith(today))) > budgets.day) this.#over.day += 1;
  }

  isKept = (): boolean => this.#over.batch === 0 && this.#over.day === 0;

  lines = (): readonly TableLine[] => [
    [
      'budget of a list raised',
      `${this.#raised.batch} times, of the account's day ${this.#raised.day} times`,
    ],
    ['looks at the book of the vendor', this.#looks],
    ['  above the budget of the list', this.#over.batch],
    ["  above the budget of the account's day", this.#over.day],
  ];
}

function creditsOf(requests: readonly { readonly credits: number }[]): number {
  return requests.reduce((total, { credits }) => total + credits, 0);
}
