import { parsedResultsOf, valueAt } from '../../core/answer-body.ts';
import { isObject, present } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { type Credits, credits } from '../../ledger/ledger.ts';
import type { Dialect, DialectOperation } from '../dialect.ts';
import { plainName } from './plain.ts';
import { headerOf } from './rules.ts';
import type { Said } from './said.ts';
import type { Meant } from './tables.ts';

/** What an answer cost: what it states itself, else what the dialect assumes. */

export function chargedCredits(answer: Meant, dialect: Dialect, operation: DialectOperation): Credits {
  const stated = statedCredits(answer.said, dialect, operation);
  const charges = answer.rule?.charged ?? (stated !== undefined || answer.means === 'found');
  return credits(charges ? (stated ?? assumedCredits(answer, dialect, operation)) : 0);
}

/**
 * What an answer that does not state its price is booked at. When the cost depends on the number of results and there
 * is no list to count, it is the most that the answer may have cost: the shown cost is never less than the bill.
 */
function assumedCredits(
  { means, said: { body } }: Pick<Meant, 'means' | 'said'>,
  { fields_at: fields }: Dialect,
  { credits: { most, found, per_result: perResult }, results: at }: DialectOperation,
): number {
  if (perResult === undefined || means !== 'found') return found;
  const place = present({ fields, results: at });
  const results = body.kind === 'json' ? parsedResultsOf(body.value, place) : undefined;
  return results === undefined ? most : results.length * perResult;
}

/** Whether an answer cost just that: it says so itself, or the price is published, or it was free. */
export function isExactly(
  charged: Credits,
  answer: Pick<Said, 'raw' | 'body'>,
  dialect: Dialect,
  operation: DialectOperation,
): boolean {
  const { found, exact, per_result: perResult } = operation.credits;
  const stated = statedAmount(answer, dialect, operation);
  if (stated !== undefined) return stated === charged;
  return charged === 0 || (exact === true && perResult === undefined && charged === found);
}

/** The cost that the answer itself states, rounded up to whole credits; undefined when it does not say. */
function statedCredits(
  answer: Pick<Said, 'raw' | 'body'>,
  dialect: Dialect,
  operation: DialectOperation,
): number | undefined {
  const amount = statedAmount(answer, dialect, operation);
  const rounded = amount === undefined ? undefined : Math.ceil(amount);
  // The ledger counts in whole numbers, and no bill exceeds the largest exact one.
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

/** The same as the answer has it, which may be a part of a credit. What the dialect names is believed whatever it says. */
function statedAmount(
  { raw, body }: Pick<Said, 'raw' | 'body'>,
  dialect: Dialect,
  { credits: { most } }: DialectOperation,
): number | undefined {
  const { header, path } = dialect.credits_charged ?? {};
  const value = body.kind === 'json' ? body.value : undefined;
  const inHeader = header === undefined ? undefined : amountOf(headerOf(raw, header));
  const inBody = path === undefined ? undefined : amountOf(valueAt(value, path));
  // Where both say it and differ, the bill is by the one that is dearer for all that we know.
  if (inHeader !== undefined && inBody !== undefined) return Math.max(inHeader, inBody);
  const named = inHeader ?? inBody;
  if (named !== undefined || dialect.credits_charged !== undefined || value === undefined) return named;
  const usual = usualAmount(value, DEEPEST);
  // Such a name is often that of an account's total.
  return usual !== undefined && usual <= most ? usual : undefined;
}

const DEEPEST = 3;
const AMOUNTS = /^credits?(?:consumed|charged|spent|used)$/;

/** What an answer says under the names that most vendors have for it. */
function usualAmount(value: JsonValue, deepest: number): number | undefined {
  if (!isObject(value)) return undefined;
  for (const [name, each] of Object.entries(value) as [string, JsonValue][]) {
    const plain = plainName(name);
    if (plain === 'iscreditcharged' && each === false) return 0;
    if (plain === 'freeenrichment' && each === true) return 0;
    const amount = AMOUNTS.test(plain)
      ? amountOf(each)
      : deepest > 0
        ? usualAmount(each, deepest - 1)
        : undefined;
    if (amount !== undefined) return amount;
  }
  return undefined;
}

function amountOf(stated: JsonValue | undefined): number | undefined {
  const amount = typeof stated === 'string' && stated.trim() !== '' ? Number(stated) : stated;
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}
