import { requestsPerSecond } from './account.ts';
import type { Dialect, DialectOperation } from './dialect.ts';
import type { Call } from './operation.ts';
import { dialectOperationOf } from './request.ts';
import type { StandingOrder } from './standing.ts';

/** What the vendor asks for a call, and how many it lets us make. */
export interface Tariff {
  priceOf(call: Call): DialectOperation['credits'];
  /** Whether a call that finds nothing is charged as well. */
  readonly chargesMisses: boolean;
  /** Share of the account's earlier questions that were answered; undefined before the first answer. */
  readonly matchRate: number | undefined;
  /** Undefined where no limit is known. */
  readonly requestsPerSecond: number | undefined;
}

export async function tariffOf({ job, account, dialect, ledger }: StandingOrder): Promise<Tariff> {
  return {
    priceOf: (call) => dialectOperationOf(dialect, call).credits,
    chargesMisses: chargesMisses(dialect),
    matchRate: await ledger?.matchRate(account.identity, job.operation.name),
    requestsPerSecond: requestsPerSecond(account),
  };
}

function chargesMisses({ answers, operations }: Dialect): boolean {
  const rules = [...answers, ...Object.values(operations).flatMap((operation) => operation.answers ?? [])];
  return rules.some(({ means, charged }) => charged === true && means !== 'found');
}

/** The most that a row can cost: a waterfall ends with its first match, unless misses are charged too. */
export function worstCredits(
  { chargesMisses, priceOf }: Pick<Tariff, 'chargesMisses' | 'priceOf'>,
  calls: readonly Call[],
): number {
  const prices = calls.map((call) => priceOf(call).most);
  return chargesMisses ? prices.reduce((sum, price) => sum + price, 0) : Math.max(0, ...prices);
}
