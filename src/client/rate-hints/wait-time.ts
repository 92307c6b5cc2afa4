import type { RawReply } from '../../ledger/ledger.ts';
import { parseDurationMs } from '../../lib/duration.ts';

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
