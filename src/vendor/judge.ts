import { fieldsOf, readBody, readBodyOnce, valueAt } from '../core/answer-body.ts';
import { messageOf, type StopDetail, unreachable } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import type { Call, JsonObject, JsonValue } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { REDACTED } from '../core/redaction.ts';
import type { AnswerKind, Closure, Credits, RawReply } from '../ledger/ledger.ts';
import {
  type AnswerRule,
  answerPlaceOf,
  type Dialect,
  type DialectOperation,
  dialectOperationOf,
  type ReadBack,
  vendorReply,
} from './dialect.ts';
import { assumedCredits, chargedCredits, isExactly, statedCredits } from './judge/charged.ts';
import { bodyMatches, firstFitting, isReadable } from './judge/rules.ts';
import { missingWords, type Said, speakerOf, stopFor, vendorWords } from './judge/said.ts';
import { askedWaitMs } from './rate-hints.ts';

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

/** What a reply means, as the ledger closes the attempt by it, and what follows for the account besides. */
export type Verdict =
  /** `projectRefused`: the key may not change the project that the call names. */
  | (ClosureAs<'settled'> & { readonly projectRefused?: true })
  /**
   * Nothing was charged and nothing is wrong with the call: try again after a backoff, or at once at `movedTo`, the path with
   * its query on the same host to which the operation has moved.
   */
  | (ClosureAs<'not_sent'> & { readonly movedTo?: string })
  /** `pauseMs`: how long the vendor asked us to wait, if it said so. */
  | (ClosureAs<'paused'> & { readonly pauseMs?: number })
  | ClosureAs<'in_doubt'>
  | (ClosureAs<'stopped'> & { readonly stop: StopDetail });

type ClosureAs<Kind extends Closure['kind']> = Extract<Closure, { readonly kind: Kind }>;

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
    return { kind: 'in_doubt', why: `could not be judged: ${foreignWords(messageOf(error))}` };
  }
}

function judgeReply(reply: Reply, dialect: Dialect, operation: DialectOperation, at: RequestedAt): Verdict {
  switch (reply.kind) {
    case 'not_sent':
      return { kind: 'not_sent', why: foreignWords(reply.message) };
    case 'lost':
      return { kind: 'in_doubt', why: foreignWords(reply.message) };
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
    return { kind: 'not_sent', why, movedTo };
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
  const said: Said = { raw: own ?? raw, body: readBodyOnce((own ?? raw).body), by: speakerOf(dialect, own) };
  const rules = rulesFor(dialect, own === undefined ? undefined : operation);
  return { own, said, rules, rule: firstFitting(rules, said.raw, said.body, dialect.fields_at) };
}

/** @param operation undefined where the service in front of the vendor answered. */
function rulesFor(
  { answers, through }: Dialect,
  operation: DialectOperation | undefined,
): readonly AnswerRule[] {
  if (operation === undefined) return through?.envelope.answers ?? [];
  return operation.answers === undefined ? answers : [...operation.answers, ...answers];
}

/** Whether an answer that was booked at `charged` surely cost just that. */
export function isExactCharge(
  charged: Credits,
  reply: Reply,
  dialect: Dialect,
  operation: DialectOperation,
): boolean {
  if (reply.kind !== 'answered') return charged === 0;
  const raw = vendorReply(reply.raw, dialect) ?? reply.raw;
  return isExactly(charged, { raw, body: readBodyOnce(raw.body) }, dialect, operation);
}

/** Whether a match says that it cost nothing although the dialect has a price for what it holds. */
export function isFreeMatch(raw: RawReply, dialect: Dialect, operation: DialectOperation): boolean {
  // Only an answer that states its cost can say that it was free.
  if (dialect.credits_charged === undefined) return false;
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
      return { kind: 'settled', answer: means, charged, why: words };
    case 'project_refused':
      return { kind: 'settled', answer: 'refused', charged, why: words, projectRefused: true };
    case 'rate_limited': {
      const pauseMs = askedWaitMs(said.raw, said.by.rateHints, said.body);
      return { kind: 'paused', why: words, ...present({ pauseMs }) };
    }
    case 'in_doubt':
      return rule.charged === false
        ? { kind: 'not_sent', why: words }
        : { kind: 'in_doubt', why: `${words}${missingWords(rule.body)}` };
    case 'key_dead':
    case 'credits_used_up':
    case 'wrong_address':
      return { kind: 'stopped', why: words, stop: stopFor(means, words, said) };
    default:
      return unreachable(means);
  }
}

/**
 * What the answer to a read-back says of the lost call. A rule that tests the body recognises the vendor's own reply.
 * Without such a test the reply must be readable, or a success without words: a proxy's 404 would give money back.
 */
export function saidOfLost(own: RawReply, { answers }: ReadBack): ReadBack['answers'][number]['says'] {
  const body = readBody(own.body);
  const rule = firstFitting(answers, own, body);
  const isSuccess = body.kind === 'blank' && Math.floor(own.status / 100) === 2;
  if (rule === undefined) return 'unclear';
  return rule.body !== undefined || isReadable(body) || isSuccess ? rule.says : 'unclear';
}

// -------------------------------------------------------------------------------------------------- what a change has done

/**
 * How the subject stands once its change is settled like this; undefined when it stands as before. It makes no
 * difference whether the vendor answered, repeated its answer, or a person told it.
 */
export function leftBy(
  call: Call,
  answer: AnswerKind,
  raw: Pick<RawReply, 'body'>,
  dialect: Dialect,
): SubjectFacts | undefined {
  const { change } = call;
  if (change === undefined) return undefined;
  switch (answer) {
    case 'found': {
      const fields = fieldsOf(raw.body, answerPlaceOf(dialect));
      return { ...change.leaves, ...factsIn(changeFields(dialectOperationOf(dialect, call), fields)) };
    }
    case 'no_match':
      return change.missing;
    case 'refused':
      return undefined;
    default:
      return unreachable(answer);
  }
}

/** The members of a found answer to a change, by our names: `invite_code`, `user_id`, `project_id`, `accepted`. */
export function changeFields(operation: DialectOperation, fields: JsonValue | undefined): JsonObject {
  const { answer_fields: places = {}, accepted } = operation;
  const told = Object.entries(places).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : valueAt(fields, path);
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
  });
  const body = { kind: 'json', value: fields ?? null } as const;
  const isAccepted = [accepted ?? []].flat().some((test) => bodyMatches(test, body));
  return { ...Object.fromEntries(told), ...(isAccepted ? { accepted: true } : {}) };
}

function factsIn({
  invite_code: code,
  user_id: user,
  project_id: project,
  accepted,
}: JsonObject): Partial<SubjectFacts> {
  return {
    ...(typeof code === 'string' ? { inviteCode: code } : {}),
    ...(typeof user === 'string' ? { userId: user } : {}),
    ...(typeof project === 'string' ? { projectId: project } : {}),
    ...(accepted === true ? { state: 'member' } : {}),
  };
}
