import { grouped, listed } from './plain-text.ts';

/** An amount of money. */
export interface Money {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** What a credit of an account costs. */
export type CreditPrice = Money;

export const PRICE = /^(?<amount>\d{1,9}(?:\.\d{1,9})?) (?<currency>[A-Z]{3})$/;

export function priceOf(text: string): CreditPrice | undefined {
  const { amount = '', currency = '' } = PRICE.exec(text)?.groups ?? {};
  return currency === '' ? undefined : { amount: Number(amount), currency };
}

/**
 * What something costs, one amount for each currency, because money of two currencies is never added.
 * @param prices the price of a credit at each account that is paid.
 * @param sum adds up the credits that are paid, each times what `worthOf` says for the price of its account.
 * @returns undefined where an account has no price, because a sum without its part would be taken for all.
 */
export function moneyIn(
  prices: readonly (CreditPrice | undefined)[],
  sum: (worthOf: (price: CreditPrice | undefined) => number) => number,
): Money[] | undefined {
  const known = prices.flatMap((price) => price ?? []);
  if (known.length === 0 || known.length < prices.length) return undefined;
  return [...new Set(known.map(({ currency }) => currency))].map((currency) => {
    const amount = sum((price) => (price?.currency === currency ? price.amount : 0));
    // The error of binary numbers is not shown.
    return { amount: Math.round(amount * 1e6) / 1e6, currency };
  });
}

/** Credits of an account, with the price that one has there. */
export interface PricedCredits {
  readonly credits: number;
  readonly price: CreditPrice | undefined;
}

/** What these credits come to; undefined where there are none. */
export function moneyFor(parts: readonly PricedCredits[]): Money[] | undefined {
  const paid = parts.filter(({ credits }) => credits > 0);
  const prices = paid.map(({ price }) => price);
  return moneyIn(prices, (worthOf) =>
    paid.reduce((sum, { credits, price }) => sum + credits * worthOf(price), 0),
  );
}

/** A share of it, such as a half. */
export const moneyShare = (money: readonly Money[], share: number): Money[] =>
  money.map(({ amount, currency }) => ({ amount: Math.round(amount * share * 1e6) / 1e6, currency }));

/** The part of each of so many. */
export const moneyEach = (money: readonly Money[], count: number): Money[] => moneyShare(money, 1 / count);

/** Both together, each currency for itself. */
export function moneySum(one: readonly Money[], other: readonly Money[]): Money[] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of [...one, ...other])
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ amount, currency }));
}

/** The signs that stand before an amount; any other currency is named by its three letters. */
export const SIGNS: Readonly<Record<string, string>> = {
  AUD: 'A$',
  NZD: 'NZ$',
  USD: 'US$',
  CAD: 'CA$',
  EUR: '€',
  GBP: '£',
  JPY: '¥',
};

const WHOLE: ReadonlySet<string> = new Set(['JPY', 'KRW', 'CLP', 'VND', 'ISK']);

/** ` (A$1.60)`, ` (A$1.60 and €0.50)` behind an amount of credits, or nothing. */
export function inMoney(money: readonly Money[] | null | undefined): string {
  const paid = (money ?? []).filter(({ amount }) => amount > 0);
  return paid.length === 0 ? '' : ` (${listed(paid.map(moneyWords))})`;
}

/** `A$1.60`, `CHF 1.60`; a part of a cent is not rounded, so that one credit is not shown as free. */
export function moneyWords({ amount, currency }: Money): string {
  const isPartOfCent = amount !== 0 && Math.abs(amount) < 0.01;
  const [whole, cents] = (isPartOfCent ? String(amount) : amount.toFixed(WHOLE.has(currency) ? 0 : 2)).split(
    '.',
  );
  const digits = grouped(Number(whole));
  return `${SIGNS[currency] ?? `${currency} `}${cents === undefined ? digits : `${digits}.${cents}`}`;
}
