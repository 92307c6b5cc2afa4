import { requestsPerSecond } from '../client/account/account.ts';
import type { Dialect, DialectOperation } from '../client/dialect.ts';
import { dialectOperationOf } from '../client/dialect.ts';
import type { Call } from '../core/operation.ts';
import { stepsOf } from '../core/steps.ts';
import type { StepLeft } from './row-classification.ts';
import type { PlanContext } from './row-walk.ts';

export interface Pricing {
  /** The price of a call: at most, and where it finds something. */
  priceOf(call: Call): Pick<DialectOperation['credits'], 'most' | 'found'>;
  readonly chargesMisses: boolean;
  /** Share of the account's earlier questions of that kind that were answered; undefined before the first answer. */
  matchRateOf(call: Call): number | undefined;
  readonly requestsPerSecond: number | undefined;
}

export async function pricingOf(context: PlanContext): Promise<Pricing> {
  const { job, account, dialect, ledger } = context;
  const seen = new Map<string, number>();
  const rates = new Map<string, number | undefined>();
  for (const { name } of stepsOf(job.operation)) {
    seen.set(name, await priceSeen(context, name));
    rates.set(name, await ledger?.matchRate(account.identity, name));
  }
  return {
    priceOf(call) {
      const { most: stated, found, per_result: perResult } = dialectOperationOf(dialect, call).credits;
      const most = Math.max(stated, seen.get(call.operation) ?? 0);
      // The number of results is known only when a match has come, so until then it counts as a full page.
      return { most, found: perResult === undefined ? found : most };
    },
    chargesMisses: chargesMisses(dialect),
    matchRateOf: ({ operation }) => rates.get(operation),
    requestsPerSecond: requestsPerSecond(account),
  };
}

/** The most that one row can cost when none of its calls is bought yet, however many identifiers it gives. */
export async function mostOfRow(context: PlanContext): Promise<number> {
  const all = stepsOf(context.job.operation).map(async ({ name }) =>
    Math.max(mostOfCall(context, name), await priceSeen(context, name)),
  );
  return Math.max(...(await Promise.all(all)));
}

function mostOfCall({ job, dialect }: Pick<PlanContext, 'job' | 'dialect'>, name: string): number {
  const stated = job.credits_max;
  return typeof stated === 'number' ? stated : (dialect.operations[name]?.credits.most ?? 1);
}

/**
 * The highest price that an answer of this operation has shown; each attempt reserves it. It is 0 before the first answer,
 * and for an operation that makes calls of other names only.
 */
async function priceSeen({ job, account, ledger }: PlanContext, operation: string): Promise<number> {
  const most = job.credits_max;
  const call = { operation, ...(typeof most === 'number' ? { creditsMost: most } : {}) };
  return (await ledger?.price(account.identity, call)) ?? 0;
}

function chargesMisses({ answers, operations }: Dialect): boolean {
  const rules = [...answers, ...Object.values(operations).flatMap((operation) => operation.answers ?? [])];
  return rules.some(({ means, charged }) => charged === true && means !== 'found');
}

export type Left = Pick<StepLeft, 'toAsk'>;

/** The most that a step of a row can still cost: a waterfall ends with its first match, unless misses are charged too. */
export function worstCredits(pricing: Pricing, left: Left): number {
  const prices = left.toAsk.map((call) => pricing.priceOf(call).most);
  return pricing.chargesMisses ? prices.reduce((sum, price) => sum + price, 0) : Math.max(0, ...prices);
}
