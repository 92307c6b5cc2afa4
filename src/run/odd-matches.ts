import { answerPlaceOf, type Dialect, type DialectOperation, operationFor } from '../client/dialect.ts';
import { holdsFields, isFreeMatch, judge } from '../client/judge.ts';
import type { AccountHistory } from '../client/misses.ts';
import {
  type AnswerPlace,
  ownBodyIn,
  parsedFieldsOf,
  parsedResultsOf,
  readBodyOnce,
} from '../core/answer-body.ts';
import { type StopError, stop } from '../core/errors.ts';
import type { Call, JsonValue } from '../core/operation.ts';
import { plainText } from '../core/plain-text.ts';
import type { FoundReply, RawReply } from '../ledger/ledger.ts';

/**
 * This file finds odd matches, which are kept, and can be read anew once the dialect is corrected. Many of them show that the
 * dialect misunderstands the vendor, whose "no match" may look like this. There are two kinds: matches that cannot be read,
 * because there is no field, or no list, where the dialect expects it, and matches that cost nothing by their own word,
 * although the dialect has a price for them. Some vendors do not charge for repeated questions; then a rule of the dialect says so.
 */

const QUOTED_CHARACTERS = 200;

/** The operation whose request a job defines itself. Its answer may have any form, so no field is expected. */
const FREE_FORM = 'api-call';

export function isUnread(dialect: Dialect, call: Call, raw: RawReply): boolean {
  const { operation, change } = call;
  if (change !== undefined || operation === FREE_FORM) return false;
  const place = answerPlaceOf(dialect, operation);
  const body = jsonIn(raw);
  if (place.results !== undefined) return parsedResultsOf(body, place) === undefined;
  return !holdsFields(parsedFieldsOf(body, place), dialect, call);
}

/** Whether a match says that it cost nothing although the dialect has a price. Answers to changes never count. */
export function isFree(dialect: Dialect, call: Call, operation: DialectOperation, raw: RawReply): boolean {
  if (call.change !== undefined || call.operation === FREE_FORM) return false;
  return isFreeMatch(raw, dialect, operation, call);
}

/**
 * Counts the odd matches with which the account's last run ended, so that many short runs are as careful as one long run.
 * Each match is read by the present dialect. An answer that is no longer a match is understood by now and does not count.
 * @param newest the account's newest matches, newest first.
 */
export function oddMatches(
  dialect: Dialect,
  origin: string,
  newest: readonly FoundReply[],
): Required<Pick<AccountHistory, 'unread' | 'free'>> {
  const lengthOf = (isOdd: (found: FoundReply, operation: DialectOperation) => boolean): number => {
    const end = newest.findIndex((found) => {
      if (!Object.hasOwn(dialect.operations, found.call.operation)) return true;
      const operation = operationFor(dialect, found.call, { isRepeated: false, underKey: false });
      const at = { origin, path: operation.path, call: found.call };
      const verdict = judge({ kind: 'answered', raw: found.reply }, dialect, operation, at);
      const isMatch = verdict.kind === 'answered' && verdict.answer === 'found';
      return !(isMatch && isOdd(found, operation));
    });
    return end < 0 ? newest.length : end;
  };
  return {
    unread: lengthOf(({ call, reply }) => isUnread(dialect, call, reply)),
    free: lengthOf(({ call, reply }, operation) => isFree(dialect, call, operation, reply)),
  };
}

export function unreadStop(dialect: Dialect, call: Call, raw: RawReply, count: number): StopError {
  const place = answerPlaceOf(dialect, call.operation);
  const fact = `${count} matches in a row hold ${missingWords(place)}; the last, of status ${raw.status}: ${quoted(raw)}`;
  const rule = `- { status: [${raw.status}], body: { path: …, matches: … }, means: no_match }`;
  const next = `${correction(dialect, call, ownBodyIn(jsonIn(raw), place))}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\`; what was bought is then read again, not bought again.`;
  return stop('address', fact, next);
}

function missingWords({ results, fields }: AnswerPlace): string {
  if (results !== undefined) return `no list at \`${results}\``;
  return fields === undefined ? 'no field' : `no field at \`${fields}\``;
}

function quoted({ body }: RawReply): string {
  return plainText(body.toString('utf8').slice(0, QUOTED_CHARACTERS));
}

function correction(dialect: Dialect, call: Call, own: JsonValue | undefined): string {
  const { operation } = call;
  const { results, fields } = answerPlaceOf(dialect, operation);
  if (results !== undefined) return `Say in the dialect where it is, as operations.${operation}.results`;
  const meant = membersOf(own).find(
    ([, value]) => typeof value === 'object' && holdsFields(value, dialect, call),
  )?.[0];
  if (meant !== undefined) return `Say \`fields_at: ${plainText(meant)}\` in the dialect, if that is it`;
  if (fields !== undefined && holdsFields(own, dialect, call))
    return 'Take `fields_at` out of the dialect, if this is all';
  return 'Say in the dialect where the fields are, as `fields_at`';
}

function membersOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return value === undefined || value === null || typeof value !== 'object' ? [] : Object.entries(value);
}

function jsonIn({ body }: RawReply): JsonValue | undefined {
  const read = readBodyOnce(body);
  return read.kind === 'json' ? read.value : undefined;
}

export function freeStop({ credits_charged: at = {} }: Dialect, raw: RawReply, count: number): StopError {
  const fact = `${count} matches in a row say that they cost nothing, but the dialect gives them a price; the last, of status ${raw.status}: ${quoted(raw)}`;
  const test =
    at.header === undefined
      ? `body: { path: ${at.path}, matches: "^[0.]+$" }`
      : `header: { ${at.header}: "^[0.]+$" }`;
  const rule = (means: string): string => `\`- { status: [${raw.status}], ${test}, means: ${means} }\``;
  const next = `If such answers mean "no match", add the rule ${rule('no_match')} to the \`answers\` of the dialect; if they are free matches, such as those that the vendor answered before, add ${rule('found, charged: false')}.`;
  return stop('address', fact, next);
}
