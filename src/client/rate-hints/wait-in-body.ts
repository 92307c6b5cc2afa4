import { isObject } from '../../core/objects.ts';
import type { JsonObject, JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { parseDurationMs } from '../../lib/duration.ts';

/** Finds the time that an answer of "too fast" asks for in its own JSON: in a field of its own, or in its sentence. */

/** Objects in which vendors write about the answer itself. A list of errors counts by its first ones. */
const ABOUT_ANSWER = ['error', 'errors', 'meta', 'status', 'response', 'parameters'];
const MOST_ERRORS = 3;

/** Names of such fields, in lower case and without separators, before their unit. */
const FIELDS =
  /^(?:retry(?:after|in|at|delay)|wait(?:time|for|period)?|resets?(?:in|after|at)?|backoff|cooldown|tryagainin)(?<unit>ms|millis|milliseconds|s|secs?|seconds|mins?|minutes)?$/;

const SENTENCES = ['message', 'msg', 'error', 'detail', 'description', 'title', 'reason'];

/** Longer than a sentence to a person. */
const LONGEST_SENTENCE = 1_000;

/** `1m30s`, `2 minutes`, `an hour`. */
const AMOUNT = String.raw`(\d{1,9}(?:\.\d{1,9})?|\ban?|\bone)\s?(ms|millis(?:econds?)?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?![a-z])`;
const AMOUNTS = new RegExp(AMOUNT, 'gi');

/** "Retry in 1s", "try again in 1 minute and 30 seconds", "Please wait 2 minutes". */
const ASKED = new RegExp(
  String.raw`\b(?:retry|again|wait|resets?)\b\D{0,40}?(${AMOUNT}(?:[\s,]{0,2}(?:and )?${AMOUNT}){0,2})`,
  'i',
);

/** "Retry after 30": without a unit a number counts only right behind these words. */
const BARE = /\b(?:retry|again)[\s-](?:after|in):?\s(\d{1,6})\b(?!\s?[a-z/%.:-]\S)/i;

/** At most 24 hours; undefined when there is none, or it cannot be read. */
export function waitInBody(value: JsonValue, raw: RawReply): number | undefined {
  const places = [value, ...ABOUT_ANSWER.flatMap((name) => memberOf(value, name))].filter(
    (place): place is JsonObject => isObject(place),
  );
  for (const read of [waitInField, waitInSentence]) {
    for (const place of places) {
      const waitMs = read(place, raw);
      if (waitMs !== undefined) return waitMs;
    }
  }
  return undefined;
}

function memberOf(value: JsonValue, name: string): readonly JsonValue[] {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(member) ? member.slice(0, MOST_ERRORS) : [member ?? null];
}

function waitInField(place: JsonObject, raw: RawReply): number | undefined {
  for (const [name, value] of Object.entries(place)) {
    const found = FIELDS.exec(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
    if (found === null || (typeof value !== 'number' && typeof value !== 'string')) continue;
    const waitMs = waitMsIn(inUnit(String(value), found.groups?.unit ?? 's'), raw);
    if (waitMs !== undefined) return waitMs;
  }
  return undefined;
}

/** A text with a unit of its own, or a date, says more than the name of its field. */
function inUnit(text: string, unit: string): string {
  return /^\s*[\d.]+\s*$/.test(text) && !/^s/.test(unit)
    ? `${text.trim()}${/^mil|^ms/.test(unit) ? 'ms' : 'm'}`
    : text;
}

function waitInSentence(place: JsonObject, raw: RawReply): number | undefined {
  for (const [name, value] of Object.entries(place)) {
    if (!SENTENCES.includes(name.toLowerCase()) || typeof value !== 'string') continue;
    const sentence = value.slice(0, LONGEST_SENTENCE);
    const asked = ASKED.exec(sentence)?.[1];
    const text = asked === undefined ? BARE.exec(sentence)?.[1] : `${msOf(asked)}ms`;
    const waitMs = waitMsIn(text, raw);
    if (waitMs !== undefined) return waitMs;
  }
  return undefined;
}

function msOf(amounts: string): number {
  let sum = 0;
  for (const [, number = '', unit = ''] of amounts.matchAll(AMOUNTS))
    sum += (/\d/.test(number) ? Number(number) : 1) * msIn(unit.toLowerCase());
  return Math.round(sum);
}

function msIn(unit: string): number {
  if (unit.startsWith('mil') || unit === 'ms') return 1;
  if (unit.startsWith('m')) return 60_000;
  return unit.startsWith('h') ? 3_600_000 : 1_000;
}

/** Reads how long an answer asks us to wait, in the forms in which headers and bodies write a time. */

/** A vendor that asks for more than a day is not believed; the pause is shown, so the user can decide. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** From here on a number is a time and not a length: seconds since 1970, or milliseconds. */
const EPOCH_SECONDS_FROM = 1e9;
const EPOCH_MS_FROM = 1e11;

const NUMBER = /^\d{1,15}(\.\d{1,9})?$/;

/** `Date.parse` finds a year in almost any text with a number, so a date must have a time of day. */
const TIME_OF_DAY = /\d:\d\d/;

/** A date as databases print it, without a zone: it is not meant in our zone. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/**
 * How long to wait after the answer, written as seconds, as a duration (`500ms`), as a time in seconds or milliseconds
 * since 1970, or as a date. Times are measured against the answer's own `Date`, because the vendor's clock and ours may
 * differ. At most 24 hours; undefined when the text cannot be read, or the time is over already: waiting for nothing
 * again and again would only ask faster than before.
 */
export function waitMsIn(text: string | undefined, raw: RawReply): number | undefined {
  const waitMs = text === undefined ? Number.NaN : readWaitMs(text.trim(), raw);
  return waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT_MS) : undefined;
}

function readWaitMs(text: string, raw: RawReply): number {
  if (NUMBER.test(text)) {
    const number = Number(text);
    if (number >= EPOCH_MS_FROM) return number - answeredAtMs(raw);
    return number >= EPOCH_SECONDS_FROM ? number * 1000 - answeredAtMs(raw) : number * 1000;
  }
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  if (!TIME_OF_DAY.test(text)) return Number.NaN;
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text) - answeredAtMs(raw);
}

function answeredAtMs({ headers, receivedAtMs }: RawReply): number {
  const answeredMs = Date.parse(headers.date ?? '');
  return Number.isNaN(answeredMs) ? receivedAtMs : answeredMs;
}
