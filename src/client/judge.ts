import { type Body, readBody, valueAt } from '../core/answer-body.ts';
import { messageOf, type StopDetail } from '../core/errors.ts';
import { answerFacts, answerIn, finding, hasCode, isWithoutAWord, together } from '../core/finding.ts';
import { sayAll } from '../core/finding-words.ts';
import type { FactsOf, Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { Credits, End, Reply } from '../ledger/ledger.ts';
import { holdsNothing } from '../values/blank.ts';
import { stopFor } from './account-stops.ts';
import { firstFitting, is2xx, isReadable } from './answer-rules.ts';
import { chargedCredits, statedAmount } from './charges.ts';
import {
  type AnswerRule,
  type Dialect,
  type DialectOperation,
  dialectOperationOf,
  type ReadBack,
  vendorReply,
} from './dialect.ts';
import { type GivenValue, givenIn, otherIn, type SoldValue } from './given-values.ts';
import { placeOfId, placeOfThing } from './judge/content.ts';
import { JudgedCall } from './judge/judged-call.ts';
import {
  A_DAY,
  BUSY,
  type Conclusion,
  conclusionOf,
  IS_EMPTY,
  IS_OTHER,
  namesProject,
  namesRoute,
  type PlainMeaning,
  SAYS_NONE,
} from './judge/meanings.ts';
import { leavesOf } from './judge/names.ts';
import { type ParsedReply, vendorWords } from './judge/reply.ts';
import { plainWords } from './judge/words.ts';
import type { AskedWait } from './limits/limits.ts';
import { askedWaitIn } from './rate-hints.ts';
import { isLaterId } from './request.ts';
import { OF_FRAMEWORKS } from './usual-words.ts';

export { isExactCharge } from './charges.ts';
export { changeFields, leftBy } from './judge/change-fields.ts';
export * from './judge/shapes.ts';
/**
 * Says what a reply means and its consequences: one pure, total function over the rules in the dialect. Every
 * reply gets a verdict. A reply that no rule can read is in doubt, because it may have been charged.
 */

/** The result on the wire. `lost`: the request may have reached the vendor, and no whole answer came back. */
export type WireReply =
  | { readonly kind: 'answered'; readonly raw: Reply }
  | { readonly kind: 'not_sent'; readonly cause: NotSentCause; readonly message: string }
  | ({ readonly kind: 'lost' } & Lost);

/** As the system says it in the message. */
export interface Lost {
  /** No answer came, it broke off, or it is packed in a way that cannot be unpacked. */
  readonly how: FactsOf<'answer_lost'>['how'];
  /** Of an answer that broke off. */
  readonly status?: number;
  readonly message: string;
}

/**
 * The first three mean that an account which never answered cannot be reached this way; the others pass by
 * themselves.
 */
export type NotSentCause = 'unresolved' | 'certificate' | 'proxy' | 'unreachable' | 'late';

/** The meaning of a reply, with which the ledger ends the attempt, and what else follows for the account. */
export type Verdict =
  /** `projectRefused`: the key may not change the project that the call names. */
  | (EndAs<'answered'> & { readonly projectRefused?: true })
  /** Nothing was charged and nothing is wrong with the call: try again after a backoff. */
  | EndAs<'not_sent'>
  /** The vendor asks for fewer requests, and for how long. */
  | (EndAs<'paused'> & AskedWait)
  /** The vendor asks for the same request again later, which it is sent once. */
  | (EndAs<'not_served'> & AskedWait)
  /**
   * The call may have been charged or done. `wait`: the vendor has charged for saying "too many requests", so
   * the account waits and the call is not asked again. `isNotYet`: the vendor answers later, and the dialect
   * does not say how to ask for the answer.
   */
  | (EndAs<'in_doubt'> & { readonly wait?: AskedWait; readonly isNotYet?: true })
  /** The vendor answers later, and is asked for the answer by its id. */
  | EndAs<'accepted'>
  /** The vendor refused the key, the credits or the address, so the run ends. */
  | (EndAs<'stopped'> & { readonly stop: StopDetail });

type EndAs<Kind extends End['kind']> = Extract<End, { readonly kind: Kind }>;

/** Never throws: if judging itself fails, the reply is in doubt as well. */
export function judge(reply: WireReply, dialect: Dialect, operation: DialectOperation, call?: Call): Verdict {
  if (reply.kind === 'not_sent') return { kind: 'not_sent', why: whyUnanswered(reply) };
  if (reply.kind === 'lost') return { kind: 'in_doubt', why: whyUnanswered(reply) }; // rule 9a
  try {
    const answer = meantBy(reply.raw, dialect, operation, call);
    return (
      acceptedAs(answer, operation) ??
      withoutId(answer, dialect, operation, call) ??
      verdictOf(answer, dialect, operation, call)
    );
  } catch (error) {
    return { kind: 'in_doubt', why: finding('not_judged', { words: messageOf(error) }) };
  }
}

/** Why a request has no answer. */
export function whyUnanswered(reply: Exclude<WireReply, { readonly kind: 'answered' }>): Findings {
  const words = foreignWords(reply.message);
  if (reply.kind === 'not_sent') return finding('not_sent', { words });
  const { how, status } = reply;
  return finding('answer_lost', { how, ...present({ status }), words });
}

const MAY_BE_ACCEPTED: ReadonlySet<PlainMeaning> = new Set(['found', 'no_match', 'pending', 'in_doubt']);

/**
 * The first answer of a vendor that answers later says nothing but the id, whatever the words beside the id
 * look like. Only a rule of the dialect says that something was found already.
 */
function acceptedAs(
  { parsed, rule, means }: Interpretation,
  { later }: DialectOperation,
): EndAs<'accepted'> | undefined {
  if (later === undefined || !is2xx(parsed.raw.status)) return undefined;
  if (rule?.means === 'found' || !MAY_BE_ACCEPTED.has(means)) return undefined;
  const { body } = parsed;
  const id = body.kind === 'json' ? valueAt(body.value, later.id) : undefined;
  const vendorId = typeof id === 'number' ? String(id) : id;
  if (!isLaterId(later, vendorId)) return undefined;
  return {
    kind: 'accepted',
    vendorId,
    laterPath: later.path,
    why: finding('accepted_as', { id: vendorId }),
    ifShared: together(NOT_YET, finding('id_given_twice', { id: vendorId })),
  };
}

/**
 * The first answer of a vendor that answers later, without an id by which it could be asked. What the answer
 * holds beside the place of what was asked for is no match, and no miss.
 */
function withoutId(
  answer: Interpretation,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
): (EndAs<'in_doubt'> & { readonly isNotYet: true }) | undefined {
  const { parsed, rule, table, means } = answer;
  const { later } = operation;
  if (later === undefined || call === undefined || !is2xx(parsed.raw.status)) return undefined;
  const given = givenBy(parsed.body, operation, call);
  const isOfJob = table !== undefined && means === 'found' && given !== 'filled';
  const isLack = table !== undefined && isByLack(answer, dialect, operation, call);
  if (means !== 'pending' && !isOfJob && !isLack) return undefined;
  const words = rule === undefined ? answerOf(parsed, dialect, true) : whyOf(answer, dialect, call);
  return {
    kind: 'in_doubt',
    why: together(NOT_YET, words, finding('no_id_there', { at: later.id })),
    isNotYet: true,
  };
}

/** An answer and its meaning, by a rule of the dialect or by the table. */
interface Interpretation {
  readonly parsed: ParsedReply;
  readonly means: PlainMeaning;
  /** The rules that may read the answer, in their order, and the one that does. */
  readonly rules: readonly AnswerRule[];
  readonly rule: AnswerRule | undefined;
  readonly table: Conclusion | undefined;
  /**
   * What stands in the place of what was looked for, and is none of its kind. The vendor has sold it, so that
   * it costs what a find costs.
   */
  readonly other?: SoldValue | undefined;
}

/** Tries the dialect's own rules first, then the table. */
function meantBy(
  raw: Reply,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
): Interpretation {
  const vendorsReply = vendorReply(raw, dialect);
  const isOuter = vendorsReply === undefined;
  const parsed = parsedOf(vendorsReply ?? raw, isOuter);
  const rules = isOuter ? (dialect.through?.envelope.answers ?? []) : rulesOf(operation, dialect);
  const rule = firstFitting(rules, parsed.raw, parsed.body, dialect.fields_at);
  if (rule !== undefined && rule.means !== 'as_stated') {
    const means = ofNobody(rule, parsed, call) ?? ofNothing(rule, parsed, operation, call) ?? rule.means;
    const other = rule.means === 'found' ? otherOf(parsed, operation, call) : undefined;
    return { parsed, rules, rule, table: undefined, means, other };
  }
  const table = conclusionOf(parsed, dialect, operation, call);
  const other = table.row.name === IS_OTHER ? otherOf(parsed, operation, call) : undefined;
  return { parsed, rules, rule: undefined, table, means: table.row.means, other };
}

const rulesOf = ({ answers }: DialectOperation, { answers: ofAll }: Dialect): readonly AnswerRule[] =>
  answers === undefined ? ofAll : [...answers, ...ofAll];

const parsedOf = (raw: Reply, isOuter: boolean): ParsedReply => ({ raw, body: readBody(raw.body), isOuter });

const otherOf = ({ body }: ParsedReply, operation: DialectOperation, call: Call | undefined) =>
  call && body.kind === 'json' ? otherIn(body.value, operation, call.operation) : undefined;

/**
 * A 404 to a change may be about its path or about a missing project, and not about the person. Then a rule
 * without words says nothing about the person.
 */
function ofNobody(
  { means, body: tests = [] }: AnswerRule,
  { raw }: ParsedReply,
  call: Call | undefined,
): PlainMeaning | undefined {
  const hasWords = [tests]
    .flat()
    .some(({ equals, matches }) => equals !== undefined || matches !== undefined);
  if (call?.change === undefined || raw.status !== 404 || hasWords) return undefined;
  if (namesRoute(raw.body)) return 'wrong_address';
  return means === 'found' && namesProject(raw.body) ? 'in_doubt' : undefined;
}

/** A rule that says `found` of an answer with nothing in the place of what was looked for. */
function ofNothing(
  { means }: AnswerRule,
  { body }: ParsedReply,
  operation: DialectOperation,
  call: Call | undefined,
): PlainMeaning | undefined {
  if (means !== 'found' || call === undefined) return undefined;
  const given = givenBy(body, operation, call);
  if (given === 'odd') return 'in_doubt';
  return given === 'filled' || given === undefined ? undefined : 'no_match';
}

const givenBy = (body: Body, operation: DialectOperation, call: Call): GivenValue | undefined =>
  givenIn(body.kind === 'json' ? body.value : undefined, operation, call.operation);

/** What decided about an answer: a rule of the dialect, with its place there, or a row of the table. */
export type RuleFound = {
  /** The status of the answer that was judged, which may stand inside another one. */
  readonly status: number;
  readonly means: PlainMeaning;
} & (
  | {
      readonly rule: AnswerRule;
      readonly dialect: string;
      /** The entry of the dialect that lists the rule, and the number of the rule there, from 1. */
      readonly list: string;
      readonly number: number;
    }
  | { readonly row: string }
);

/** Whether a rule or a word says that nothing was found. A status or an empty place alone does not count. */
export function saysNoMatch(raw: Reply, dialect: Dialect, call: Call): boolean {
  const operation = dialectOperationOf(dialect, call);
  const { parsed, rule, table, other } = meantBy(raw, dialect, operation, call);
  // A blank that stands where the dialect says is one; a path that leads nowhere may be a wrong one. What was
  // sold there is an answer, too.
  if (other !== undefined) return true;
  if (is2xx(parsed.raw.status) && givenBy(parsed.body, operation, call) === 'blank') return true;
  return table === undefined ? rule?.means === 'no_match' : table.row.name === SAYS_NONE;
}

/** Whether a 404 says nothing but the words of a framework, and no rule of the dialect reads it. */
export function isBareNotFound(raw: Reply, dialect: Dialect, call: Call): boolean {
  const { parsed, table, means } = meantBy(raw, dialect, dialectOperationOf(dialect, call), call);
  if (parsed.raw.status !== 404 || means !== 'no_match' || table === undefined) return false;
  return table.texts.length > 0 && table.texts.every((text) => OF_FRAMEWORKS.test(plainWords(text)));
}

/**
 * Whether an answer is a miss for no other reason than that it lacks the place of what was looked for, beside
 * other things. A vendor that is still at work may answer so as well.
 */
export function isNoMatchByLack(
  raw: Reply,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call,
): boolean {
  return isByLack(meantBy(raw, dialect, operation, call), dialect, operation, call);
}

function isByLack(
  { parsed, rules, table }: Interpretation,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call,
): boolean {
  const { body } = parsed;
  if (body.kind !== 'json' || holdsNothing(body.value)) return false;
  if (table?.row.name !== IS_EMPTY || givenBy(body, operation, call) !== 'absent') return false;
  return firstFitting(rules, parsed.raw, body, dialect.fields_at) === undefined;
}

/** Why no one asks for an answer that comes later. */
export interface LaterLack {
  /**
   * `rule`: a rule of the dialect calls it so. `entry`: the dialect has no `later`. `id`: nothing can be used
   * as an id where its `later` says.
   */
  readonly cause: 'rule' | 'entry' | 'id';
  /** Where a value stands that looks like the id; undefined where there is none. */
  readonly idAt: string | undefined;
  /** Whether the answer speaks of a request that the vendor makes itself. */
  readonly isPushed: boolean;
}

/** @param raw an answer that is *not yet*. */
export function laterLackOf(raw: Reply, dialect: Dialect, call: Call): LaterLack {
  const operation = dialectOperationOf(dialect, call);
  const { parsed, rule } = meantBy(raw, dialect, operation, call);
  const byRule = rule === undefined ? 'entry' : 'rule';
  const leaves = parsed.body.kind === 'json' ? leavesOf(parsed.body.value) : [];
  return {
    cause: operation.later === undefined ? byRule : 'id',
    idAt: placeOfId(leaves, new JudgedCall(dialect, call, operation)),
    isPushed: leaves.some(({ value }) => typeof value === 'string' && PUSHED.test(value)),
  };
}

/**
 * Where a value stands that looks like the id of what was found, in a miss only because nothing usable stands
 * where `then` of the dialect says; undefined for any other answer.
 */
export function takenLackOf(raw: Reply, dialect: Dialect, call: Call): string | undefined {
  const operation = dialectOperationOf(dialect, call);
  if (operation.then === undefined || !isNoMatchByLack(raw, dialect, operation, call)) return undefined;
  const { parsed } = meantBy(raw, dialect, operation, call);
  const leaves = parsed.body.kind === 'json' ? leavesOf(parsed.body.value) : [];
  return placeOfThing(leaves, new JudgedCall(dialect, call, operation));
}

const PUSHED = /\bweb-?hooks?\b|\bcall-?back\b/i;

/** How a rule of the dialect says that what was accepted ended, and brought nothing. */
export interface LaterFailure {
  readonly means: 'refused' | 'in_doubt' | 'credits_used_up';
  /** What the rule says of the price, and else the answer; undefined: neither does. */
  readonly charged: Credits | undefined;
  /** Whether the rule says that it cost nothing. */
  readonly isFree: boolean;
  readonly words: Findings;
}

/**
 * @param operation of a call that the vendor has accepted, for its later answer.
 * @returns undefined for any other answer.
 */
export function laterFailureOf(
  raw: Reply,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call,
): LaterFailure | undefined {
  const { parsed, rule, means } = meantBy(raw, dialect, operation, call);
  if (rule === undefined || parsed.isOuter || !is2xx(parsed.raw.status)) return undefined;
  if (means !== 'refused' && means !== 'in_doubt' && means !== 'credits_used_up') return undefined;
  const isSaid = rule.charged !== undefined || statedAmount(parsed, dialect, operation) !== undefined;
  return {
    means,
    isFree: rule.charged === false,
    charged: isSaid ? chargedCredits(parsed, means, rule, dialect, operation) : undefined,
    words: answerOf(parsed, dialect, true),
  };
}

/** What an answer says, with its words. */
export function wordsOf(raw: Reply, dialect: Dialect): Findings {
  const vendorsReply = vendorReply(raw, dialect);
  return answerOf(parsedOf(vendorsReply ?? raw, vendorsReply === undefined), dialect, true);
}

/** The rule that judges an answer, for display. */
export function ruleOf(raw: Reply, dialect: Dialect, operation: DialectOperation, call: Call): RuleFound {
  const { parsed, rules, rule, table, means } = meantBy(raw, dialect, operation, call);
  const { status } = parsed.raw;
  if (rule === undefined) return { row: table?.row.name ?? '', means, status };
  const found = { rule, means, status, dialect: dialect.name };
  const number = rules.indexOf(rule) + 1;
  if (parsed.isOuter) return { ...found, list: 'api_call.answers', number };
  const ofOperation = operation.answers?.length ?? 0;
  return number > ofOperation
    ? { ...found, list: 'answers', number: number - ofOperation }
    : { ...found, list: `operations.${call.operation}.answers`, number };
}

function verdictOf(
  answer: Interpretation,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
): Verdict {
  const { parsed, rule, means, table, other } = answer;
  // rule 9e
  const charged = chargedCredits(parsed, other === undefined ? means : 'found', rule, dialect, operation);
  const why = whyOf(answer, dialect, call);
  switch (means) {
    case 'found':
    case 'no_match':
    case 'refused':
      return { kind: 'answered', answer: means, charged, why };
    case 'project_refused':
      return { kind: 'answered', answer: 'refused', charged, why, projectRefused: true };
    case 'rate_limited': {
      const hints = parsed.isOuter ? undefined : dialect.rate_hints;
      const isLong = table?.row.name === A_DAY ? (true as const) : undefined;
      const wait = present({ ...askedWaitIn(parsed.raw, hints), isLong });
      if (table?.row.name === BUSY) return { kind: 'not_served', why, ...wait };
      if (rule?.charged !== true) return { kind: 'paused', why, ...wait };
      return {
        kind: 'in_doubt',
        why: finding('answer', { status: parsed.raw.status, ...answerIn(why), so: 'charged' }),
        wait,
      };
    }
    case 'pending':
      return { kind: 'in_doubt', why: together(NOT_YET, why), isNotYet: true };
    case 'in_doubt':
      return { kind: rule?.charged === false ? 'not_sent' : 'in_doubt', why };
    case 'key_dead':
    case 'credits_used_up':
    case 'wrong_address': {
      const by = table === undefined ? 'a rule of the dialect' : `the table: ${table.row.name}`;
      return {
        kind: 'stopped',
        why,
        stop: stopFor(means, `${sayAll(why, 'terminal')}, read by ${by}`, parsed, dialect),
      };
    }
  }
}

function whyOf(
  { parsed, means, table, other }: Interpretation,
  dialect: Dialect,
  call: Call | undefined,
): Findings {
  const { status } = parsed.raw;
  if (other !== undefined) return finding('none_of_its_kind', { status, ...other });
  // A statement of a match about itself counts only where it names a part that is missing.
  if (means === 'found' && call?.change === undefined && table?.isPartial !== true)
    return answerOfStatus(status);
  const isOdd = ['in_doubt', 'refused'].includes(means) && is2xx(parsed.raw.status);
  const isQuoted = table !== undefined && (isOdd || table.isPartial || table.so === 'already');
  return answerOf(parsed, dialect, isQuoted, table);
}

function answerOf(
  parsed: ParsedReply,
  dialect: Dialect,
  quotesAll: boolean,
  { so, lacks }: Partial<Pick<Conclusion, 'so' | 'lacks'>> = {},
): Findings {
  const { status } = parsed.raw;
  const words = vendorWords(parsed, dialect, quotesAll);
  return finding('answer', { status, ...words, ...present({ so, lacks }) });
}

/** Most answers of a vendor say no more than this, so all of them are one list. */
function answerOfStatus(status: number): Findings {
  const known = PLAIN.get(status) ?? finding('answer', { status });
  PLAIN.set(status, known);
  return known;
}

const PLAIN = new Map<number, Findings>();

/** Leads the findings of a doubt whose answer is still to come. Such a call is never sent again by itself. */
export const NOT_YET: Findings = finding('not_yet', {});

export const isNotYet = (why: Findings): boolean => hasCode(why, 'not_yet');

/**
 * The remark of a row that ends with this found answer; undefined where there is none.
 * @param why as the ledger keeps it with the answer.
 */
export function remarkOn({ change }: Call, why: Findings): Findings | undefined {
  if (change !== undefined) return isWithoutAWord(why) ? finding('done_without_a_word', {}) : undefined;
  // An answer that a person told has no status.
  const { status, ...answer } = answerFacts(why);
  const saysNone = status === undefined || (answer.words ?? answer.body ?? answer.unreadable) === undefined;
  return saysNone ? undefined : finding('says_missing', answer);
}

/**
 * The statement of a read-back about the lost call. A rule that tests the body recognises the vendor's own
 * reply. Without such a test the reply must be readable and not about its path, or a success without words: a
 * proxy's 404 would give money back.
 */
export function saidOfLost(vendorsReply: Reply, { answers }: ReadBack): ReadBack['answers'][number]['says'] {
  const body = readBody(vendorsReply.body);
  const rule = firstFitting(answers, vendorsReply, body);
  if (rule === undefined) return 'unclear';
  const isSuccess = body.kind === 'blank' && is2xx(vendorsReply.status);
  const isOfRoute = vendorsReply.status === 404 && namesRoute(vendorsReply.body);
  return rule.body !== undefined || (isReadable(body) && !isOfRoute) || isSuccess ? rule.says : 'unclear';
}
