import { type Body, readBody, valueAt } from '../core/answer-body.ts';
import { messageOf, type StopDetail, unreachable } from '../core/errors.ts';
import type { JsonValue } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { REDACTED } from '../core/redaction.ts';
import type { Closure, Credits, RawReply } from '../ledger/ledger.ts';
import type { AnswerRule, Dialect, DialectOperation } from './dialect.ts';
import { vendorReply } from './envelope.ts';
import { assumedCredits, chargedCredits, headerOf, statedCredits } from './judge/charged.ts';
import { type Said, type Speaker, stopFor } from './judge/stops.ts';
import { rateHintsIn } from './rate-hints.ts';

/**
 * Says what a reply means and what follows: one pure, total function over rules that are the dialect's data. Whatever
 * arrives gets a verdict; what no rule can read is in doubt, because it may have been charged.
 */

/** What the wire said. `lost`: the request may have reached the vendor, and no whole answer came back. */
export type Reply =
  | { readonly kind: 'answered'; readonly raw: RawReply }
  | { readonly kind: 'not_sent'; readonly cause: NotSentCause; readonly message: string }
  | { readonly kind: 'lost'; readonly message: string };

/** The first three mean that an account which never answered cannot be reached this way; the others pass by themselves. */
export type NotSentCause = 'unresolved' | 'certificate' | 'proxy' | 'unreachable' | 'late';

export type Verdict =
  /** `projectRefused`: the key may not change the project that the call names. */
  | {
      readonly kind: 'settle';
      readonly closure: Closure & { readonly kind: 'settled' };
      readonly projectRefused?: true;
    }
  /** Nothing was charged and nothing is wrong with the call: try again after a backoff. */
  | { readonly kind: 'again'; readonly closure: Closure & { readonly kind: 'not_sent' } }
  /** `pauseMs`: how long the vendor asked us to wait, if it said so. */
  | {
      readonly kind: 'pause';
      readonly closure: Closure & { readonly kind: 'paused' };
      readonly pauseMs?: number;
    }
  | { readonly kind: 'doubt'; readonly closure: Closure & { readonly kind: 'in_doubt' } }
  /** Nothing was done: the operation has moved to another path, with the query, of the same host. */
  | {
      readonly kind: 'moved';
      readonly closure: Closure & { readonly kind: 'not_sent' };
      readonly path: string;
    }
  | {
      readonly kind: 'stop';
      readonly closure: Closure & { readonly kind: 'stopped' };
      readonly stop: StopDetail;
    };

/** Address and path of the request, against which a redirect is read. */
export interface RequestedAt {
  readonly origin: string;
  /** The path with its query. */
  readonly path: string;
}

/** Never throws: a reply that judging itself fails on, such as JSON nested too deeply, is in doubt as well. */
export function judge(reply: Reply, dialect: Dialect, operation: DialectOperation, at: RequestedAt): Verdict {
  try {
    return judgeReply(reply, dialect, operation, at);
  } catch (error) {
    return {
      kind: 'doubt',
      closure: { kind: 'in_doubt', why: `could not be judged: ${foreignWords(messageOf(error))}` },
    };
  }
}

function judgeReply(reply: Reply, dialect: Dialect, operation: DialectOperation, at: RequestedAt): Verdict {
  switch (reply.kind) {
    case 'not_sent':
      return { kind: 'again', closure: { kind: 'not_sent', why: foreignWords(reply.message) } };
    case 'lost':
      return { kind: 'doubt', closure: { kind: 'in_doubt', why: foreignWords(reply.message) } };
    case 'answered':
      return judgeAnswer(reply.raw, dialect, operation, at);
    default:
      return unreachable(reply);
  }
}

function judgeAnswer(raw: RawReply, dialect: Dialect, operation: DialectOperation, at: RequestedAt): Verdict {
  const { own, said, rule } = readAnswer(raw, dialect, operation);
  const movedTo = own === undefined ? undefined : newPath(own, dialect, operation, at);
  if (movedTo !== undefined) {
    const why = `status ${said.raw.status}, it has moved to ${foreignWords(movedTo)}`;
    return { kind: 'moved', closure: { kind: 'not_sent', why }, path: movedTo };
  }
  const charged = chargedCredits(rule, said, dialect, operation);
  return verdictOf(rule ?? NO_RULE, charged, said);
}

interface ReadAnswer {
  /** The vendor's answer; undefined when the service in front of it answered. */
  readonly own: RawReply | undefined;
  readonly said: Said;
  /** The rules that may read it, in the order in which they are tried. */
  readonly rules: readonly AnswerRule[];
  /** The rule that fits; undefined when none does. */
  readonly rule: AnswerRule | undefined;
}

function readAnswer(raw: RawReply, dialect: Dialect, operation: DialectOperation): ReadAnswer {
  const own = vendorReply(raw, dialect);
  const said: Said = { raw: own ?? raw, body: readBody((own ?? raw).body), by: speakerOf(dialect, own) };
  const rules =
    own === undefined
      ? (dialect.through?.envelope.answers ?? [])
      : [...(operation.answers ?? []), ...dialect.answers];
  return { own, said, rules, rule: firstFitting(rules, said.raw, said.body, dialect.fields_at) };
}

/** Whether a match says that it cost nothing although the dialect has a price for what it holds. */
export function isFreeMatch(raw: RawReply, dialect: Dialect, operation: DialectOperation): boolean {
  const { said, rule } = readAnswer(raw, dialect, operation);
  if (rule?.means !== 'found' || rule.charged === false || statedCredits(said, dialect) !== 0) return false;
  return assumedCredits(rule, said, dialect, operation) > 0;
}

/** A rule that fits an answer, with its place in the dialect, so that a user can find it. */
export interface RuleFound {
  readonly rule: AnswerRule;
  /** The entry of the dialect that lists it. */
  readonly list: string;
  /** The rule's place in that list; the first is 1. */
  readonly number: number;
  /** Status of the answer that was judged, which may stand inside another one. */
  readonly status: number;
}

/** The rule that judges an answer, for display; undefined when none fits, so that the answer is in doubt. */
export function ruleOf(
  raw: RawReply,
  dialect: Dialect,
  operation: DialectOperation,
  name: string,
): RuleFound | undefined {
  const { own, said, rules, rule } = readAnswer(raw, dialect, operation);
  if (rule === undefined) return undefined;
  const { status } = said.raw;
  const at = rules.indexOf(rule);
  const ofOperation = own === undefined ? 0 : (operation.answers?.length ?? 0);
  if (at < ofOperation) return { rule, list: `operations.${name}.answers`, number: at + 1, status };
  const list = own === undefined ? 'api_call.answers' : 'answers';
  return { rule, list, number: at - ofOperation + 1, status };
}

function speakerOf({ vendor, through, rate_hints: rateHints }: Dialect, own: RawReply | undefined): Speaker {
  if (through === undefined) {
    return { name: vendor, rateHints, keyPlace: 'the account', addressPlace: "the account's base_url" };
  }
  if (own === undefined) {
    return {
      name: 'service',
      rateHints: undefined,
      keyPlace: 'the service account',
      addressPlace: "the account's api_call_url",
    };
  }
  const keyPlace = `the connected account ${foreignWords(through.connectedAccount)} of the service`;
  return { name: vendor, rateHints, keyPlace, addressPlace: "the operation's path in the dialect" };
}

/** These two repeat the same request elsewhere, unchanged; other redirects turn it into a GET. */
const UNCHANGED_REDIRECTS: readonly number[] = [307, 308];

/** The address of a vendor behind a service is unknown to us; no real name ends in `.invalid`. */
const UNKNOWN_ORIGIN = 'https://vendor.invalid';

/** The path to which the operation has moved, if it may move and has not left its host. */
function newPath(
  { status, headers: { location } }: RawReply,
  { through }: Dialect,
  { redirect }: DialectOperation,
  at: RequestedAt,
): string | undefined {
  if (redirect !== 'same_host' || location === undefined || !UNCHANGED_REDIRECTS.includes(status))
    return undefined;
  // A redirect that contained the key is unusable once the key is removed from it.
  if (location.includes(REDACTED)) return undefined;
  // Through a service only an absolute path can be followed, because the base of a relative one is in the envelope.
  if (through !== undefined && !location.startsWith('/')) return undefined;
  const [origin, path] = through === undefined ? [at.origin, at.path] : [UNKNOWN_ORIGIN, '/'];
  const base = new URL(path, origin);
  if (!URL.canParse(location, base.href)) return undefined;
  const target = new URL(location, base);
  return target.origin === base.origin ? target.pathname + target.search : undefined;
}

/** What no rule reads may have been charged. */
const NO_RULE = { means: 'in_doubt' } as const;

function verdictOf(
  rule: Pick<AnswerRule, 'means' | 'charged' | 'body'>,
  charged: Credits,
  said: Said,
): Verdict {
  const { means } = rule;
  const words = vendorWords(said);
  switch (means) {
    case 'found':
    case 'no_match':
    case 'refused':
      return { kind: 'settle', closure: { kind: 'settled', answer: means, charged, why: words } };
    case 'project_refused':
      return {
        kind: 'settle',
        closure: { kind: 'settled', answer: 'refused', charged, why: words },
        projectRefused: true,
      };
    case 'rate_limited': {
      const { pauseMs } = rateHintsIn(said.raw, said.by.rateHints, said.body);
      const closure = { kind: 'paused', why: words } as const;
      return pauseMs === undefined ? { kind: 'pause', closure } : { kind: 'pause', closure, pauseMs };
    }
    case 'in_doubt':
      return rule.charged === false
        ? { kind: 'again', closure: { kind: 'not_sent', why: words } }
        : { kind: 'doubt', closure: { kind: 'in_doubt', why: `${words}${missingWords(rule.body)}` } };
    case 'key_dead':
    case 'credits_used_up':
    case 'wrong_address':
      return { kind: 'stop', closure: { kind: 'stopped', why: words }, stop: stopFor(means, words, said) };
    default:
      return unreachable(means);
  }
}

// ------------------------------------------------------------------------------------------------ reading an answer

/** A test of an answer; what the rule says besides is for the caller. */
type AnswerTest = Pick<AnswerRule, 'status' | 'body' | 'header'>;

/** The first rule of which every part holds. */
export function fittingRule<Rule extends AnswerTest>(
  rules: readonly Rule[],
  raw: RawReply,
): Rule | undefined {
  return firstFitting(rules, raw, readBody(raw.body), undefined);
}

/** @param fieldsAt where the fields stand: an answer without anything there counts as empty. */
function firstFitting<Rule extends AnswerTest>(
  rules: readonly Rule[],
  raw: RawReply,
  body: Body,
  fieldsAt: string | undefined,
): Rule | undefined {
  return rules.find(
    (rule) =>
      rule.status.some((pattern) => statusMatches(pattern, raw.status)) &&
      headersMatch(rule.header, raw) &&
      (rule.body === undefined || bodyMatches(rule.body, body, fieldsAt)),
  );
}

/** Whether a body passes the test of a dialect. */
export function bodyFits(test: NonNullable<AnswerRule['body']>, body: Body): boolean {
  return bodyMatches(test, body, undefined);
}

function statusMatches(pattern: number | string, status: number): boolean {
  return typeof pattern === 'number' ? pattern === status : Number(pattern[0]) === Math.floor(status / 100);
}

function headersMatch(wanted: AnswerRule['header'], raw: RawReply): boolean {
  return Object.entries(wanted ?? {}).every(([name, pattern]) =>
    new RegExp(pattern, 'i').test(headerOf(raw, name) ?? ''),
  );
}

function bodyMatches(
  test: NonNullable<AnswerRule['body']>,
  body: Body,
  fieldsAt: string | undefined,
): boolean {
  if (test.is === 'blank' || test.is === 'unreadable') return body.kind === test.is;
  if (test.is === 'readable' && !isReadable(body)) return false;
  if (body.kind !== 'json')
    return test.matches !== undefined && test.path === undefined && matches(test.matches, body);
  const value = test.path === undefined ? body.value : valueAt(body.value, test.path);
  if (test.is === 'empty' && !isEmpty(test.path === undefined ? fieldsIn(body.value, fieldsAt) : value))
    return false;
  if (test.equals !== undefined && value !== test.equals) return false;
  return test.matches === undefined || new RegExp(test.matches, 'i').test(textOf(value));
}

/** Whether an answer to a question can be the vendor's own word: it is readable, or it is a success without words. */
export function isVendorsWord(raw: RawReply): boolean {
  const body = readBody(raw.body);
  return isReadable(body) || (body.kind === 'blank' && Math.floor(raw.status / 100) === 2);
}

/**
 * Whether a body can be the vendor's own word: all vendors speak JSON here, and what stands between, such as a proxy,
 * sends an HTML page or nothing. A bare number such as `404` is plain text as well, so it does not count as JSON.
 */
function isReadable(body: Body): boolean {
  if (body.kind !== 'json') return false;
  return typeof body.value === 'string' || (typeof body.value === 'object' && body.value !== null);
}

function matches(pattern: string, body: Body): boolean {
  return body.kind === 'unreadable' && new RegExp(pattern, 'i').test(body.text);
}

/**
 * The value at the place of the fields; the whole body when that place is missing, so that it does not count as empty.
 */
function fieldsIn(value: JsonValue, fieldsAt: string | undefined): JsonValue {
  const fields = fieldsAt === undefined ? undefined : valueAt(value, fieldsAt);
  return fields === undefined ? value : fields;
}

/** Whether a value holds only blanks, zeros and booleans at any depth: `{"count":0,"results":[]}` is empty. */
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
function vendorWords({ raw, body }: Said): string {
  if (body.kind === 'unreadable' && body.why !== undefined) return `status ${raw.status}, ${body.why}`;
  const text = body.kind === 'json' ? explanationIn(body.value) : body.kind === 'unreadable' ? body.text : '';
  const shown = foreignWords(text);
  return shown === '' ? `status ${raw.status}` : `status ${raw.status}, "${shown}"`;
}

/** What an answer should have had, where the rule is about an answer without it: `, without "invite_code"`. */
function missingWords({ is, path, equals }: NonNullable<AnswerRule['body']> = {}): string {
  if (is === 'blank') return ', without a body';
  if (path === undefined) return '';
  if (equals !== undefined) return `, "${foreignWords(path)}" is ${foreignWords(String(equals))}`;
  return is === 'empty' ? `, without "${foreignWords(path)}"` : '';
}

function explanationIn(value: JsonValue): string {
  if (typeof value === 'string') return value;
  for (const path of ['error.message', 'error', 'message', 'detail', 'title', 'reason']) {
    const text = textOf(valueAt(value, path));
    if (text !== '') return text;
  }
  return '';
}
