import type { AnswerRule, Dialect, DialectOperation, Meaning } from './dialect.ts';
import { messageOf, type StopDetail, unreachable } from './errors.ts';
import { type Closure, type Credits, credits, type RawReply } from './ledger.ts';
import type { JsonValue } from './operation.ts';
import { plainText } from './plain-text.ts';

/**
 * Says what a reply means and what follows: one pure, total function over rules that are the dialect's data. Whatever
 * arrives gets a verdict; what no rule can read is in doubt, because it may have been charged.
 */

/** What the wire said. `lost`: the request may have reached the vendor, and no whole answer came back. */
export type Reply =
  | { readonly kind: 'answered'; readonly raw: RawReply }
  | { readonly kind: 'not_sent'; readonly cause: NotSentCause; readonly message: string }
  | { readonly kind: 'lost'; readonly message: string };

/** `unresolved` and `certificate` are a wrong address when an account never answered; the others pass by themselves. */
export type NotSentCause = 'unresolved' | 'certificate' | 'unreachable' | 'late';

export type Verdict =
  | { readonly kind: 'settle'; readonly closure: Closure & { readonly kind: 'settled' } }
  /** Nothing was charged and nothing is wrong with the call: try again after a backoff. */
  | { readonly kind: 'again'; readonly closure: Closure & { readonly kind: 'not_sent' } }
  /** `pauseMs`: how long the vendor asked us to wait, if it said so. */
  | {
      readonly kind: 'pause';
      readonly closure: Closure & { readonly kind: 'paused' };
      readonly pauseMs?: number;
    }
  | { readonly kind: 'doubt'; readonly closure: Closure & { readonly kind: 'in_doubt' } }
  | {
      readonly kind: 'stop';
      readonly closure: Closure & { readonly kind: 'stopped' };
      readonly stop: StopDetail;
    };

/** A vendor that asks for more than a day is not believed; the pause is shown, so the user can decide. */
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

/** As much of a vendor's words as fits a cell and a terminal. */
const WORDS_CHARACTERS = 300;

/** Never throws: what judging itself fails on, such as JSON nested too deeply to look into, is in doubt as well. */
export function judge(reply: Reply, dialect: Dialect, operation: DialectOperation): Verdict {
  try {
    return judgeReply(reply, dialect, operation);
  } catch (error) {
    return { kind: 'doubt', closure: { kind: 'in_doubt', why: `could not be judged: ${messageOf(error)}` } };
  }
}

function judgeReply(reply: Reply, dialect: Dialect, operation: DialectOperation): Verdict {
  switch (reply.kind) {
    case 'not_sent':
      return { kind: 'again', closure: { kind: 'not_sent', why: reply.message } };
    case 'lost':
      return { kind: 'doubt', closure: { kind: 'in_doubt', why: reply.message } };
    case 'answered':
      return judgeAnswer(reply.raw, dialect, operation);
    default:
      return unreachable(reply);
  }
}

function judgeAnswer(raw: RawReply, dialect: Dialect, operation: DialectOperation): Verdict {
  const body = readBody(raw.body);
  const rules = [...(operation.answers ?? []), ...dialect.answers];
  const rule = rules.find((candidate) => applies(candidate, raw, body));
  const words = vendorWords(raw, body);
  const charged = chargedCredits(rule, raw, body, dialect, operation);
  return verdictOf(rule?.means ?? 'in_doubt', rule?.charged, charged, words, raw, dialect);
}

function verdictOf(
  means: Meaning,
  ruleCharges: boolean | undefined,
  charged: Credits,
  words: string,
  raw: RawReply,
  dialect: Dialect,
): Verdict {
  switch (means) {
    case 'found':
    case 'no_match':
    case 'refused':
      return { kind: 'settle', closure: { kind: 'settled', answer: means, charged, why: words } };
    case 'project_refused':
      return { kind: 'settle', closure: { kind: 'settled', answer: 'refused', charged, why: words } };
    case 'rate_limited': {
      const pauseMs = retryAfterMs(raw);
      const closure = { kind: 'paused', why: words } as const;
      return pauseMs === undefined ? { kind: 'pause', closure } : { kind: 'pause', closure, pauseMs };
    }
    case 'in_doubt':
      return ruleCharges === false
        ? { kind: 'again', closure: { kind: 'not_sent', why: words } }
        : { kind: 'doubt', closure: { kind: 'in_doubt', why: words } };
    case 'key_dead':
      return stopped(words, {
        code: 'key',
        message: `The ${dialect.vendor} refused the key: ${words}.`,
        next: 'Put a working key into the account, then type the same command again.',
      });
    case 'credits_used_up':
      return stopped(words, {
        code: 'vendor_credits',
        message: `The ${dialect.vendor} says that the account's credits are used up: ${words}.`,
        next: 'Buy credits from the vendor, then type the same command again.',
      });
    case 'wrong_address':
      return stopped(words, {
        code: 'address',
        message: `The ${dialect.vendor} answered with a redirect to ${plainText(raw.headers.location ?? 'nowhere')}: ${words}.`,
        next: "Correct the account's base_url; redirects are not followed, because they could repeat a paid request.",
      });
    default:
      return unreachable(means);
  }
}

function stopped(why: string, stop: StopDetail): Verdict {
  return { kind: 'stop', closure: { kind: 'stopped', why }, stop };
}

// ------------------------------------------------------------------------------------------------ reading an answer

/** A body as far as it can be read: blank, JSON, or text that is not JSON. */
export type Body =
  | { readonly kind: 'blank' }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'unreadable'; readonly text: string };

export function readBody(bytes: Buffer): Body {
  if (bytes.length === 0) return { kind: 'blank' };
  const text = bytes.toString('utf8');
  try {
    return { kind: 'json', value: JSON.parse(text) as JsonValue };
  } catch {
    return { kind: 'unreadable', text };
  }
}

function applies(rule: AnswerRule, raw: RawReply, body: Body): boolean {
  return (
    rule.status.some((pattern) => statusMatches(pattern, raw.status)) &&
    headersMatch(rule.header, raw) &&
    (rule.body === undefined || bodyMatches(rule.body, body))
  );
}

function statusMatches(pattern: number | string, status: number): boolean {
  return typeof pattern === 'number' ? pattern === status : Number(pattern[0]) === Math.floor(status / 100);
}

function headersMatch(wanted: AnswerRule['header'], raw: RawReply): boolean {
  return Object.entries(wanted ?? {}).every(([name, pattern]) =>
    new RegExp(pattern, 'i').test(raw.headers[name] ?? ''),
  );
}

function bodyMatches(test: NonNullable<AnswerRule['body']>, body: Body): boolean {
  if (test.is === 'blank' || test.is === 'unreadable') return body.kind === test.is;
  if (body.kind !== 'json')
    return test.matches !== undefined && test.path === undefined && matches(test.matches, body);
  const value = test.path === undefined ? body.value : valueAt(body.value, test.path);
  if (test.is === 'empty' && !isEmpty(value)) return false;
  if (test.equals !== undefined && value !== test.equals) return false;
  return test.matches === undefined || new RegExp(test.matches, 'i').test(textOf(value));
}

function matches(pattern: string, body: Body): boolean {
  return body.kind === 'unreadable' && new RegExp(pattern, 'i').test(body.text);
}

/** The value at a dotted path (`location.state`, `emails.0`), or undefined. Own members only. */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((inside, name) => {
    if (inside === null || typeof inside !== 'object' || !Object.hasOwn(inside, name)) return undefined;
    return (inside as { readonly [name: string]: JsonValue })[name];
  }, value);
}

/** Nothing but blanks, zeros, booleans and lists of such: `{"success":true,"count":0,"results":[]}` holds no result. */
function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (typeof value === 'object') return Object.values(value).every(isEmpty);
  return value === 0 || value === '';
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The vendor's own explanation, made safe to show and shortened: `status 422, "abn must have 11 digits"`. */
function vendorWords(raw: RawReply, body: Body): string {
  const text = body.kind === 'json' ? explanationIn(body.value) : body.kind === 'unreadable' ? body.text : '';
  const shown = plainText(text).replaceAll(/\s+/g, ' ').trim().slice(0, WORDS_CHARACTERS).toWellFormed();
  return shown === '' ? `status ${raw.status}` : `status ${raw.status}, "${shown}"`;
}

function explanationIn(value: JsonValue): string {
  if (typeof value === 'string') return value;
  for (const path of ['error.message', 'error', 'message', 'detail', 'title', 'reason']) {
    const text = textOf(valueAt(value, path));
    if (text !== '') return text;
  }
  return '';
}

// ------------------------------------------------------------------------------------------------ money and time

function chargedCredits(
  rule: AnswerRule | undefined,
  raw: RawReply,
  body: Body,
  dialect: Dialect,
  operation: DialectOperation,
): Credits {
  const charges = rule?.charged ?? rule?.means === 'found';
  if (!charges) return credits(0);
  return credits(statedCredits(raw, body, dialect) ?? operation.credits.found);
}

/** What the answer itself says it cost, rounded up to whole credits; undefined when it does not say. */
function statedCredits(raw: RawReply, body: Body, dialect: Dialect): number | undefined {
  const { header, path } = dialect.credits_charged ?? {};
  const stated =
    (header === undefined ? undefined : raw.headers[header]) ??
    (path === undefined || body.kind !== 'json' ? undefined : valueAt(body.value, path));
  const amount = typeof stated === 'string' && stated.trim() !== '' ? Number(stated) : stated;
  const rounded = typeof amount === 'number' && amount >= 0 ? Math.ceil(amount) : undefined;
  // The ledger counts in whole numbers, and no bill is larger than those that are exact.
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

/**
 * How long the vendor asks us to wait: seconds, or a date measured against the answer's own `Date`, because the
 * vendor's clock and ours may differ. At most 24 hours; undefined when there is none that can be read, or when it is
 * over already: waiting for nothing, time after time, would only ask faster than before.
 */
function retryAfterMs(raw: RawReply): number | undefined {
  const text = raw.headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : waitUntil(text, raw);
  return waitMs > 0 ? Math.min(waitMs, LONGEST_PAUSE_MS) : undefined;
}

function waitUntil(date: string, raw: RawReply): number {
  const answeredMs = Date.parse(raw.headers.date ?? '');
  return Date.parse(date) - (Number.isNaN(answeredMs) ? raw.receivedAtMs : answeredMs);
}
