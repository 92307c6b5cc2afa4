import { parsedResultsOf, valueAt } from '../../core/answer-body.ts';
import { present } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { type Credits, credits } from '../../ledger/ledger.ts';
import type { Dialect, DialectOperation } from '../dialect.ts';
import { headerOf } from './rules.ts';
import type { Said } from './said.ts';
import type { Meant } from './tables.ts';

/** What an answer cost: what it states itself, else what the dialect assumes. */

export function chargedCredits(answer: Meant, dialect: Dialect, operation: DialectOperation): Credits {
  const stated = statedCredits(answer.said, dialect);
  const charges = answer.rule?.charged ?? (stated !== undefined || answer.means === 'found');
  return credits(charges ? (stated ?? assumedCredits(answer, dialect, operation)) : 0);
}

/**
 * What an answer that does not state its price is booked at. When the cost depends on the number of results and there
 * is no list to count, it is the most that the answer may have cost: the shown cost is never less than the bill.
 */
export function assumedCredits(
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
  { credits: { found, exact, per_result: perResult } }: DialectOperation,
): boolean {
  const stated = statedAmount(answer, dialect);
  if (stated !== undefined) return stated === charged;
  return charged === 0 || (exact === true && perResult === undefined && charged === found);
}

/** The cost that the answer itself states, rounded up to whole credits; undefined when it does not say. */
export function statedCredits(answer: Pick<Said, 'raw' | 'body'>, dialect: Dialect): number | undefined {
  const amount = statedAmount(answer, dialect);
  const rounded = amount === undefined ? undefined : Math.ceil(amount);
  // The ledger counts in whole numbers, and no bill exceeds the largest exact one.
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

/** The same as the answer has it, which may be a part of a credit. */
function statedAmount({ raw, body }: Pick<Said, 'raw' | 'body'>, dialect: Dialect): number | undefined {
  const { header, path } = dialect.credits_charged ?? {};
  const inHeader = header === undefined ? undefined : amountOf(headerOf(raw, header));
  const inBody = path === undefined || body.kind !== 'json' ? undefined : amountOf(valueAt(body.value, path));
  // Where both say it and differ, the bill is by the one that is dearer for all that we know.
  return inHeader === undefined || inBody === undefined ? (inHeader ?? inBody) : Math.max(inHeader, inBody);
}

function amountOf(stated: JsonValue | undefined): number | undefined {
  const amount = typeof stated === 'string' && stated.trim() !== '' ? Number(stated) : stated;
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}
