import { readBody, valueAt } from '../core/answer-body.ts';
import { present } from '../core/objects.ts';
import type { JsonValue } from '../core/operation.ts';
import type { Reply } from '../ledger/ledger.ts';
import { parseDurationMs } from '../lib/duration.ts';
import type { RateHintNames } from './dialect.ts';
import { patternOf } from './patterns.ts';

/**
 * Reads an answer's statements about the speed: the draft of the IETF (`RateLimit`), the `X-RateLimit-*` of
 * many vendors, `Retry-After`, and the names in a dialect. The result depends on the input only, and nothing
 * is thrown: nonsense is ignored, because a vendor's mistake must neither stop a run nor let it exceed the
 * plan.
 */

export interface RateHints {
  /**
   * How many requests are left, and for how long. When several windows state it, the window counts that is
   * used up first.
   */
  readonly remaining?: { readonly requests: number; readonly resetMs: number };
  /** How long nothing may be sent, because the answer asks for it; at most 24 hours. */
  readonly pauseMs?: number;
}

type RemainingHint = NonNullable<RateHints['remaining']>;

const LONGEST_HEADER = 2_000;

/**
 * The part of a body that is searched: long enough for a message to a person, and short enough for a pattern.
 */
const MOST_READ = 10_000;

/** More than any plan allows, and exact in any arithmetic. */
const MOST_REQUESTS = 1e9;

const COUNTERS = ['ratelimit', 'x-ratelimit', 'x-rate-limit'];

/** `"burst";r=50;t=30` of the draft, and the `limit=100, remaining=50, reset=5` before it. */
const IN_DRAFT = /(?:^|[;,\s])(?:r|remaining)=(\d+)[^,]*?[;,]\s*(?:t|reset)=(\d+)/g;

/** @param names the names that the dialect states for this vendor; they win over the usual names. */
export function rateHintsIn(raw: Reply, names: RateHintNames | undefined): RateHints {
  // All of the usual names contain one of these.
  if (names === undefined && !Object.keys(raw.headers).some((name) => /rate|retry/.test(name))) return {};
  const remaining = leftIn(raw, names);
  const pauseMs =
    waitMsIn(header(raw, names?.retry_after), raw) ?? pauseInNamedWords(raw, names) ?? retryAfterMs(raw);
  // An error that states that nothing is left asks us to wait for the new window, even without `Retry-After`.
  const untilResetMs = raw.status >= 400 && remaining?.requests === 0 ? remaining.resetMs : undefined;
  return present({ remaining, pauseMs: pauseMs ?? untilResetMs });
}

/** `retry-after-ms` stands beside a `Retry-After` of whole seconds, and is the more exact of the two. */
function retryAfterMs(raw: Reply): number | undefined {
  const ms = numberIn(header(raw, 'retry-after-ms'));
  return waitMsIn(Number.isNaN(ms) ? undefined : `${ms}ms`, raw) ?? waitMsIn(header(raw, 'retry-after'), raw);
}

/** Whether a header says when to ask again. */
export const asksLater = (raw: Reply): boolean => retryAfterMs(raw) !== undefined;

/**
 * How long an answer asks to wait that refuses its request for being too fast. Such an answer is about the
 * speed, so its body counts as well, and the time of a reset without the number that is left.
 */
export function askedWaitIn(raw: Reply, names: RateHintNames | undefined): Pick<RateHints, 'pauseMs'> {
  const { pauseMs, remaining } = rateHintsIn(raw, names);
  const isOfOther = remaining !== undefined && remaining.requests > 0;
  return present({ pauseMs: pauseMs ?? pauseInBody(raw) ?? (isOfOther ? undefined : resetMsIn(raw, names)) });
}

function resetMsIn(raw: Reply, names: RateHintNames | undefined): number | undefined {
  const resets = [names?.reset, ...COUNTERS.flatMap((name) => [`${name}-reset-after`, `${name}-reset`])];
  return resets.map((name) => waitMsIn(header(raw, name), raw)).find((waitMs) => waitMs !== undefined);
}

/** `{"error": {"retry_after": 64.57}}`, in seconds where it is a number. */
const WAIT_NAMES = new Set(['retryafter', 'retryafterseconds']);
const WAIT_MS_NAMES = new Set(['retryafterms', 'retryaftermilliseconds']);

/** "Please try again in 1m12.5s", "retry after 20 seconds". */
const IN_WORDS =
  /\b(?:try|retry|retrying|available|wait)(?: again)?(?: in| after| for)? ((?:\d{1,9}(?:\.\d{1,9})? ?[a-z]{1,12}(?:,? (?:and )?)?){1,4})/i;
const PART_IN_WORDS =
  /(\d+(?:\.\d+)?) ?(?:(ms|milliseconds?)|(s|secs?|seconds?)|(m|mins?|minutes?)|(h|hrs?|hours?))(?![a-z])/gi;

function pauseInBody(raw: Reply): number | undefined {
  const body = readBody(raw.body);
  const named = body.kind === 'json' ? namedWaitIn(body.value, raw) : undefined;
  if (named !== undefined) return named;
  const words = IN_WORDS.exec(raw.body.toString('utf8', 0, MOST_READ))?.[1] ?? '';
  const parts = Array.from(words.matchAll(PART_IN_WORDS), ([, amount, ms, s, m]) => {
    const unitMs = ms ? 1 : s ? 1_000 : m ? 60_000 : 3_600_000;
    return Number(amount) * unitMs;
  });
  return waitMsIn(parts.length === 0 ? undefined : `${parts.reduce((sum, part) => sum + part)}ms`, raw);
}

/** An answer that is only about the speed is shallow. */
const DEEPEST = 4;

function namedWaitIn(value: JsonValue, raw: Reply, depth = 0): number | undefined {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const plain = name.replace(/[-_ ]/g, '').toLowerCase();
    const isPlain = typeof member === 'number' || typeof member === 'string';
    const text = WAIT_MS_NAMES.has(plain)
      ? `${member}ms`
      : WAIT_NAMES.has(plain)
        ? String(member)
        : undefined;
    const waitMs = isPlain ? waitMsIn(text, raw) : namedWaitIn(member as JsonValue, raw, depth + 1);
    if (waitMs !== undefined) return waitMs;
  }
  return undefined;
}

function leftIn(raw: Reply, names: RateHintNames | undefined): RemainingHint | undefined {
  const named = leftOf(header(raw, names?.remaining), header(raw, names?.reset), raw);
  if (named !== undefined) return named;
  const draft = header(raw, 'ratelimit')?.replaceAll(/"[^"]*"/g, '') ?? '';
  const stated = [
    ...Array.from(draft.matchAll(IN_DRAFT), ([, remaining, reset]) => leftOf(remaining, reset, raw)),
    ...COUNTERS.map((name) => leftOf(header(raw, `${name}-remaining`), header(raw, `${name}-reset`), raw)),
  ].filter((hint) => hint !== undefined);
  return stated.toSorted((a, b) => a.requests - b.requests || b.resetMs - a.resetMs)[0];
}

function leftOf(
  remaining: string | undefined,
  reset: string | undefined,
  raw: Reply,
): RemainingHint | undefined {
  const requests = Math.floor(numberIn(remaining));
  const resetMs = waitMsIn(reset, raw);
  return resetMs !== undefined && requests <= MOST_REQUESTS ? { requests, resetMs } : undefined;
}

function pauseInNamedWords(raw: Reply, names: RateHintNames | undefined): number | undefined {
  if (names?.body === undefined) return undefined;
  const { path, matches } = names.body;
  const body = path === undefined ? undefined : readBody(raw.body);
  const value = path !== undefined && body?.kind === 'json' ? valueAt(body.value, path) : '';
  const text = path === undefined ? raw.body.toString('utf8', 0, MOST_READ) : String(value ?? '');
  const { ms, seconds } = patternOf(matches).exec(text.slice(0, MOST_READ))?.groups ?? {};
  return waitMsIn(ms == null ? (seconds ?? undefined) : `${ms}ms`, raw);
}

/** It reads own members only, because the dialect chooses the name. */
function header(raw: Reply, name: string | undefined): string | undefined {
  if (name === undefined || !Object.hasOwn(raw.headers, name)) return undefined;
  const value = raw.headers[name];
  return value === undefined || value.length > LONGEST_HEADER ? undefined : value;
}

/**
 * The number at the beginning of a list, because a header that came twice is a list; NaN when there is none.
 */
function numberIn(text = ''): number {
  return Number(/^\s*(\d{1,15}(?:\.\d{1,9})?)\s*(?:[,;]|$)/.exec(text)?.[1] ?? Number.NaN);
}

// -------------------------------------------------------------------------------------------------- how long

/** A vendor that asks for more than a day is not believed; the pause is shown, so the user can decide. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** From this number on, a number is a point in time and not a length: seconds since 1970, or milliseconds. */
const EPOCH_SECONDS_FROM = 1e9;
const EPOCH_MS_FROM = 1e11;

/** `Date.parse` finds a year in almost any text with a number, so a date must have a time of day. */
const TIME_OF_DAY = /\d:\d\d/;

const answeredMs = ({ headers, receivedAtMs }: Reply): number =>
  Date.parse(headers.date ?? '') || receivedAtMs;

/** A date as databases print it, without a zone. It is not meant in our zone. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/**
 * How long to wait after the answer. The text may be seconds, a duration (`500ms`), a time in seconds or
 * milliseconds since 1970, or a date. Times are measured against the answer's own `Date`, because the
 * vendor's clock and ours may differ. At most 24 hours; undefined when the text cannot be read, or the time
 * is over already: waiting for nothing again and again would only ask faster than before.
 */
function waitMsIn(text: string | undefined, raw: Reply): number | undefined {
  const waitMs = text === undefined ? Number.NaN : readWaitMs(text.trim(), raw);
  return waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT_MS) : undefined;
}

function readWaitMs(text: string, raw: Reply): number {
  const number = numberIn(text);
  if (number >= EPOCH_MS_FROM) return number - answeredMs(raw);
  if (number >= EPOCH_SECONDS_FROM) return number * 1000 - answeredMs(raw);
  if (number >= 0) return number * 1000;
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  if (!TIME_OF_DAY.test(text)) return Number.NaN;
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text) - answeredMs(raw);
}
