import {
  ownBodyIn,
  parsedFieldsOf,
  parsedResultsOf,
  readBody,
  readBodyOnce,
  valueAt,
  WHOLE_BODY,
} from '../../core/answer-body.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { foreignWords, plainText } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { answerPlaceOf, type Dialect, dialectOperationOf, vendorReply } from '../dialect.ts';
import { Asked } from './asked.ts';
import { besideData, holdsData } from './holding.ts';

/** What to write into a dialect, so that answers which it misreads are read. */

/** For a success of a service that has none of the vendor's answer where the dialect says; undefined for any other reply. */
export function envelopeAdvice(raw: RawReply, dialect: Dialect): string | undefined {
  const { through } = dialect;
  if (through === undefined || vendorReply(raw, dialect) !== undefined) return undefined;
  const body = readBody(raw.body);
  if (Math.floor(raw.status / 100) !== 2 || body.kind !== 'json') return undefined;
  const { answer } = through.envelope;
  const isStatusMissing = answer.status !== undefined && valueAt(body.value, answer.body) !== undefined;
  const [missing, part, correction] = isStatusMissing
    ? ([answer.status, 'status', 'if it names none, `answer: { status: null }`'] as const)
    : ([answer.body, 'body', BODY] as const);
  return [
    `An answer from the service has no vendor's answer at \`${missing}\`, where api_call.answer.${part} of its dialect says; it has ${namesIn(body.value)}.`,
    `Write under api_call in the dialect of the service account, ${correction}.`,
    'The next run then reads lookups in doubt from the ledger, and does not buy them again.',
  ].join(' ');
}

const BODY = `where it is, as \`answer: { body: NAME }\`, or \`answer: { body: ${WHOLE_BODY} }\` if all of it is the vendor's answer, with \`status: null\` beside it where it names none`;

const NAMES_SHOWN = 8;

function namesIn(body: JsonValue): string {
  if (!isObject(body)) return Array.isArray(body) ? `a list of ${body.length}` : 'a value without names';
  const names = Object.keys(body).slice(0, NAMES_SHOWN);
  return names.length === 0 ? 'nothing' : names.map((name) => foreignWords(name)).join(', ');
}

/** The operation whose request a job defines itself. Its answer may have any form, so no field is expected. */
const FREE_FORM = 'api-call';

/** Whether a match has no field, or no list, where the dialect expects it. Answers to changes never count. */
export function isUnread(dialect: Dialect, call: Call, raw: RawReply): boolean {
  if (call.change !== undefined || call.operation === FREE_FORM) return false;
  const place = answerPlaceOf(dialect, call.operation);
  const body = jsonIn(raw);
  if (place.results !== undefined) return parsedResultsOf(body, place) === undefined;
  return !holdsFields(parsedFieldsOf(body, place), dialect, call);
}

/** Whether a value holds a field of what was asked about, and not only what speaks of the answer or repeats the question. */
function holdsFields(value: JsonValue | undefined, dialect: Dialect, call: Call): boolean {
  return holdsData(value, besideData(dialect, new Asked(call, dialectOperationOf(dialect, call))));
}

function jsonIn({ body }: RawReply): JsonValue | undefined {
  const read = readBodyOnce(body);
  return read.kind === 'json' ? read.value : undefined;
}

/** For matches that are unread. */
export function placeAdvice(raw: RawReply, dialect: Dialect, call: Call): string {
  const { operation } = call;
  const place = answerPlaceOf(dialect, operation);
  const { results, fields } = place;
  if (results !== undefined) return `Say in the dialect where it is, as operations.${operation}.results`;
  const own = ownBodyIn(jsonIn(raw), place);
  const meant = membersOf(own).find(
    ([, value]) => typeof value === 'object' && holdsFields(value, dialect, call),
  )?.[0];
  if (meant !== undefined) return `Say \`fields_at: ${plainText(meant)}\` in the dialect, if that is it`;
  if (fields !== undefined && holdsFields(own, dialect, call))
    return 'Take `fields_at` out of the dialect, if this is all';
  return 'Say in the dialect where the fields are, as `fields_at`';
}

function membersOf(value: unknown): readonly (readonly [string, JsonValue])[] {
  return typeof value !== 'object' || value === null ? [] : Object.entries(value);
}
