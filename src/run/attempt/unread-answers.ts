import {
  type AnswerPlace,
  ownBodyIn,
  parsedFieldsOf,
  parsedResultsOf,
  readBodyOnce,
} from '../../core/answer-body.ts';
import { type StopError, stop } from '../../core/errors.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { plainText } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { answerPlaceOf, type Dialect } from '../../vendor/dialect.ts';
import { holdsFields } from '../../vendor/judge.ts';

/**
 * This file finds matches that cannot be read: there is no field, or no list, where the dialect expects it. Such matches
 * are charged and kept, and can be read once the dialect is corrected. Many of them show that the dialect misunderstands
 * the vendor, whose "no match" may look like this.
 */

/** This many unread matches one after the other stop a run. One or two may come from an unusual company. */
export const MOST_UNREAD = 5;

/** How many characters of an answer are quoted. */
const QUOTED_CHARACTERS = 200;

/** The operation whose request a job defines itself. Its answer may have any form, so no field is expected. */
export const FREE_FORM = 'api-call';

/** Whether a match has no value for the output. Answers to changes never count, because they need not have any. */
export function isUnread(dialect: Dialect, call: Call, raw: RawReply): boolean {
  const { operation, change } = call;
  if (change !== undefined || operation === FREE_FORM) return false;
  const place = answerPlaceOf(dialect, operation);
  const body = jsonIn(raw);
  if (place.results !== undefined) return parsedResultsOf(body, place) === undefined;
  return !holdsFields(parsedFieldsOf(body, place), dialect, call);
}

/** The stop for a run with too many unread matches. */
export function unreadStop(dialect: Dialect, call: Call, raw: RawReply, count: number): StopError {
  const place = answerPlaceOf(dialect, call.operation);
  const fact = `${count} matches in a row hold ${missingWords(place)}; the last, of status ${raw.status}: ${quoted(raw)}`;
  const rule = `- { status: [${raw.status}], body: { path: …, matches: … }, means: no_match }`;
  const next = `${correction(dialect, call, ownBodyIn(jsonIn(raw), place))}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\`; what was bought is read anew then, and not bought again.`;
  return stop('address', fact, next);
}

function missingWords({ results, fields }: AnswerPlace): string {
  if (results !== undefined) return `no list at \`${results}\``;
  return fields === undefined ? 'no field' : `no field at \`${fields}\``;
}

/** The beginning of an answer, for a message. */
export function quoted({ body }: RawReply): string {
  return plainText(body.toString('utf8').slice(0, QUOTED_CHARACTERS));
}

function correction(dialect: Dialect, call: Call, own: JsonValue | undefined): string {
  const { operation } = call;
  const { results, fields } = answerPlaceOf(dialect, operation);
  if (results !== undefined) return `Say in the dialect where it stands, as operations.${operation}.results`;
  const meant = membersOf(own).find(
    ([, value]) => typeof value === 'object' && holdsFields(value, dialect, call),
  )?.[0];
  if (meant !== undefined) return `Say \`fields_at: ${plainText(meant)}\` in the dialect, if that is it`;
  if (fields !== undefined && holdsFields(own, dialect, call))
    return 'Take `fields_at` out of the dialect, if this is all';
  return 'Say in the dialect where the fields stand, as `fields_at`';
}

function membersOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return value === undefined || value === null || typeof value !== 'object' ? [] : Object.entries(value);
}

function jsonIn({ body }: RawReply): JsonValue | undefined {
  const read = readBodyOnce(body);
  return read.kind === 'json' ? read.value : undefined;
}
