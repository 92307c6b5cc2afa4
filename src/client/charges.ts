import { type Body, parsedResultsOf, readBody, valueAt } from '../core/answer-body.ts';
import { present } from '../core/objects.ts';
import type { JsonValue } from '../core/operation.ts';
import { type Credits, credits, type Reply } from '../ledger/ledger.ts';
import { headerOf } from './answer-rules.ts';
import {
  type AnswerRule,
  type Dialect,
  type DialectOperation,
  type Meaning,
  vendorReply,
} from './dialect.ts';

/** What an answer cost: as the answer states it, a rule of the dialect, or the dialect's price. */

interface ReadReply {
  readonly raw: Reply;
  readonly body: Body;
}

/** The cost that the answer states itself, else the cost that the dialect assumes. */
export function chargedCredits(
  parsed: ReadReply,
  means: Meaning,
  rule: AnswerRule | undefined,
  dialect: Dialect,
  operation: DialectOperation,
): Credits {
  // The ledger counts in whole credits, and no bill exceeds the largest exact one.
  const amount = Math.ceil(statedAmount(parsed, dialect, operation) ?? Number.NaN);
  const isStated = Number.isSafeInteger(amount);
  const { miss = 0 } = operation.credits;
  if (!(rule?.charged ?? (isStated || means === 'found' || (means === 'no_match' && miss > 0))))
    return credits(0);
  return credits(isStated ? amount : assumedCredits(parsed, means, dialect, operation));
}

/**
 * Where the cost depends on the number of results and there is no list to count, the most that the answer may
 * have cost counts: the shown cost is never less than the bill.
 */
function assumedCredits(
  { body }: ReadReply,
  means: Meaning,
  { fields_at: fields }: Dialect,
  { credits: { most, found, miss = found, per_result: perResult }, results: at }: DialectOperation,
): number {
  if (means === 'no_match') return miss; // rule 9d
  if (perResult === undefined || means !== 'found') return found;
  const place = present({ fields, results: at });
  const results = body.kind === 'json' ? parsedResultsOf(body.value, place) : undefined;
  return results === undefined ? most : results.length * perResult;
}

/**
 * Whether an answer that was booked at `charged` cost exactly that: it says so itself, or the price is
 * published, or it was free.
 */
export function isExactCharge(
  charged: Credits,
  reply: Reply | undefined,
  dialect: Dialect,
  operation: DialectOperation,
): boolean {
  const raw = reply && (vendorReply(reply, dialect) ?? reply);
  const stated = raw && statedAmount({ raw, body: readBody(raw.body) }, dialect, operation);
  if (stated !== undefined) return stated === charged;
  const { found, miss, exact, per_result: perResult } = operation.credits;
  const isPublished = raw !== undefined && exact === true && perResult === undefined;
  return charged === 0 || (isPublished && (charged === found || charged === miss));
}

/**
 * The cost that the answer states, which may be a part of a credit. A value under a name from the dialect is
 * always believed.
 */
export function statedAmount(
  { raw, body }: ReadReply,
  { credits_charged: named }: Dialect,
  { credits: { most } }: DialectOperation,
): number | undefined {
  const value = body.kind === 'json' ? body.value : null;
  if (named === undefined) {
    const usual = usualAmount(value);
    // Such a name often holds the total of an account.
    return usual !== undefined && usual <= most ? usual : undefined;
  }
  const stated = [
    named.header === undefined ? undefined : amountOf(headerOf(raw, named.header)),
    named.path === undefined ? undefined : amountOf(valueAt(value, named.path)),
  ].filter((amount) => amount !== undefined);
  // Where both state a cost and differ, the bill may follow the higher one.
  return stated.length === 0 ? undefined : Math.max(...stated);
}

/** Nearly all names of an answer are none of these, and are seen at once. */
const OF_PRICE = /credit|free/i;
const AMOUNTS = /^credits?(?:consumed|charged|spent|used)$/;

const priceName = (name: string): string =>
  OF_PRICE.test(name) ? name.replace(/[-_ ]/g, '').toLowerCase() : '';

/** The cost that an answer states under the usual names. A value in a list is the price of a part. */
function usualAmount(value: JsonValue, isInList = false): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isPart = isInList || Array.isArray(value);
  for (const name in value) {
    const member = (value as { readonly [name: string]: JsonValue })[name] ?? null;
    const plain = priceName(name);
    const isFree = FREE_WHERE[plain] !== undefined && FREE_WHERE[plain] === member;
    const ownAmount = AMOUNTS.test(plain) && !isPart ? amountOf(member) : undefined;
    const amount = isFree ? 0 : (ownAmount ?? usualAmount(member, isPart));
    if (amount !== undefined) return amount;
  }
  return undefined;
}

const FREE_WHERE: Readonly<Record<string, boolean>> = { iscreditcharged: false, freeenrichment: true };

function amountOf(stated: JsonValue | undefined): number | undefined {
  const amount = typeof stated === 'string' && stated.trim() !== '' ? Number(stated) : stated;
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}
