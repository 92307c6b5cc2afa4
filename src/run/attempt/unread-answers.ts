import { type AnswerPlace, fieldsIn, ownBodyIn, readBody, resultsIn } from '../../core/answer-body.ts';
import { wholeFields } from '../../core/answer-fields.ts';
import { type StopError, stop } from '../../core/errors.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { plainText } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { answerPlaceOf } from '../../vendor/envelope.ts';
import { isMetadata } from './metadata.ts';

/**
 * Matches of which nothing can be read: there is no field where the dialect says that fields stand, or no list where the
 * list should be. They are charged and kept, and can be read once the dialect is right; many of them are a misunderstood
 * vendor, whose "no match" may look so.
 */

/** So many in a row stop a run: one or two may be an odd company. */
export const MOST_UNREAD = 5;

/** Of the answer that is quoted. */
const QUOTED_CHARACTERS = 200;

/** What a request asked for by a job's own path answers is anything, so nothing is expected of it. */
export const FREE_FORM = 'api-call';

/** Whether a match holds nothing that could be written. Changes have nothing to tell. */
export function isUnread(dialect: Dialect, { operation, change }: Call, raw: RawReply): boolean {
  if (change !== undefined || operation === FREE_FORM) return false;
  const place = answerPlaceOf(dialect, operation);
  const body = jsonIn(raw);
  if (place.results !== undefined) return resultsIn(body, place) === undefined;
  return isBare(fieldsIn(body, place), dialect);
}

/** What a run is stopped with at too many of them. */
export function unreadStop(dialect: Dialect, { operation }: Call, raw: RawReply, count: number): StopError {
  const place = answerPlaceOf(dialect, operation);
  const fact = `${count} matches in a row hold ${missingWords(place)}; the last, of status ${raw.status}: ${quoted(raw)}`;
  const rule = `- { status: [${raw.status}], body: { path: …, matches: … }, means: no_match }`;
  const next = `${correction(dialect, operation, ownBodyIn(jsonIn(raw), place))}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\`; what was bought is read anew then, and not bought again.`;
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

function correction(dialect: Dialect, operation: string, own: JsonValue | undefined): string {
  const { results, fields } = answerPlaceOf(dialect, operation);
  if (results !== undefined) return `Say in the dialect where it stands, as operations.${operation}.results`;
  const meant = membersOf(own).find(([, value]) => typeof value === 'object' && !isBare(value, dialect))?.[0];
  if (meant !== undefined) return `Say \`fields_at: ${plainText(meant)}\` in the dialect, if that is it`;
  if (fields !== undefined && !isBare(own, dialect))
    return 'Take `fields_at` out of the dialect, if this is all';
  return 'Say in the dialect where the fields stand, as `fields_at`';
}

function membersOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return value === undefined || value === null || typeof value !== 'object' ? [] : Object.entries(value);
}

/** Whether nothing is told but of the answer itself. */
function isBare(fields: JsonValue | undefined, dialect: Dialect): boolean {
  return ![...wholeFields(fields)].some(([path, text]) => text !== '' && !isMetadata(path, text, dialect));
}

function jsonIn({ body }: RawReply): JsonValue | undefined {
  const read = readBody(body);
  return read.kind === 'json' ? read.value : undefined;
}
