import { grouped } from '../../core/plain-text.ts';

export interface CreditPrice {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

export interface Money {
  readonly amount: number;
  readonly currency: string;
}

export const PRICE = /^(?<amount>\d{1,9}(?:\.\d{1,9})?) (?<currency>[A-Z]{3})$/;

export function priceOf(text: string): CreditPrice | undefined {
  const { amount = '', currency = '' } = PRICE.exec(text)?.groups ?? {};
  return currency === '' ? undefined : { amount: Number(amount), currency };
}

/** Rounded to a millionth, so that the error of binary numbers is not shown. */
export function moneyFor(credits: number, { amount, currency }: CreditPrice): Money {
  return { amount: Math.round(credits * amount * 1e6) / 1e6, currency };
}

/** The signs that stand before an amount; any other currency is named by its three letters. */
const SIGNS: Readonly<Record<string, string>> = {
  AUD: 'A$',
  NZD: 'NZ$',
  USD: 'US$',
  CAD: 'CA$',
  EUR: '€',
  GBP: '£',
  JPY: '¥',
};

const WHOLE: ReadonlySet<string> = new Set(['JPY', 'KRW', 'CLP', 'VND', 'ISK']);

/** `A$1.60`, `CHF 1.60`; a part of a cent is not rounded, so that one credit is not shown as free. */
export function moneyWords({ amount, currency }: Money): string {
  const isPartOfCent = amount !== 0 && Math.abs(amount) < 0.01;
  const [whole, cents] = (isPartOfCent ? String(amount) : amount.toFixed(WHOLE.has(currency) ? 0 : 2)).split(
    '.',
  );
  const digits = grouped(Number(whole));
  return `${SIGNS[currency] ?? `${currency} `}${cents === undefined ? digits : `${digits}.${cents}`}`;
}
