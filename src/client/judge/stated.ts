import { parsedFieldsOf, parsedResultsOf } from '../../core/answer-body.ts';
import { saysMore, saysTotal } from '../../core/more-pages.ts';
import { present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import type { AnswerRule, Dialect, DialectOperation, Meaning } from '../dialect.ts';
import { Asked } from './asked.ts';
import { changeMeaning, effectsOf, shownBy, speaksFor } from './change.ts';
import { publishedIdIn } from './change-facts.ts';
import { otherIn } from './identity.ts';
import { besideData, holdingOf, isScant, lookupMeaning, placesIn } from './lookup.ts';
import type { Said } from './said.ts';
import { Statement } from './statement.ts';
import { ACCEPTED } from './values.ts';
import { vocabularyOf } from './vocabulary.ts';

/**
 * What an answer means by what it holds and by what it says of itself: so the rule `as_stated` of a dialect reads it. Of a
 * 2xx it always finds something, if only that nobody can know. Of another status it finds words about the rate alone.
 */

export type PlainMeaning = Exclude<Meaning, 'as_stated'>;

export interface Stated {
  readonly means: PlainMeaning;
  /** Why it is in doubt, as a clause behind the vendor's words: `which does not say whether it was done`. */
  readonly because?: string;
  /** A match that says of itself that a part is missing. */
  readonly isPartial?: true;
  /** A match that shows another identifier than was asked for, such as `the domain acme.example`. */
  readonly shows?: string;
  /** A change that was done as far as anybody can tell, and whose answer does not say so. */
  readonly isWordless?: true;
  /** The answer's texts and codes, as they stand in it. */
  readonly texts: readonly string[];
}

type Conclusion = Omit<Stated, 'texts'>;

/** An answer and what it means. */
export interface Meant {
  readonly said: Said;
  /** The rule that reads it; undefined when none fits, so that it is in doubt. */
  readonly rule: AnswerRule | undefined;
  /** What it says of itself, where the rule leaves it to that. */
  readonly stated: Stated | undefined;
  readonly means: PlainMeaning;
}

/** What was asked, and how the dialect reads a status. */
export interface Question {
  readonly dialect: Dialect;
  readonly operation: DialectOperation;
  /** Undefined for a free question, which is about no call. */
  readonly call: Call | undefined;
  /** A service answers in front of the vendor, and its answer holds none of the vendor's. */
  readonly isOuter: boolean;
  meaningOf(status: number): PlainMeaning;
}

/** @returns undefined where the status has to tell. */
export function statedBy({ raw: { status }, body }: Said, question: Question): Stated | undefined {
  const { call, operation, dialect, isOuter } = question;
  const isSuccess = Math.floor(status / 100) === 2;
  if (body.kind !== 'json') {
    if (!isSuccess || isOuter) return undefined;
    return { ...withoutJson(status, body, question), texts: [] };
  }
  const asked = new Asked(call, operation);
  const vocabulary = vocabularyOf(dialect.words);
  const hearing = { asked, vocabulary, effects: call && effectsOf(call), isFree: call === undefined };
  const hearsInside = !isSuccess || hearing.effects !== undefined;
  const said = new Statement(body.value, { ...hearing, hearsInside });
  const answer: Answer = {
    ...{ said, asked, body: body.value, status },
    saidInside: () => new Statement(body.value, { ...hearing, hearsInside: true }),
  };
  const isWait = status !== PAYMENT_REQUIRED && saysTooFast(said);
  const stated = isSuccess ? concluded(answer, question) : isWait ? TOO_FAST : undefined;
  return stated && { ...stated, texts: said.texts };
}

interface Answer {
  readonly said: Statement;
  /** What is also said in lists and wrappers. */
  saidInside(): Statement;
  readonly asked: Asked;
  readonly body: JsonValue;
  readonly status: number;
}

const NO_CONTENT = 204;
/** Its limits are those of a plan, which end by paying and not by waiting. */
const PAYMENT_REQUIRED = 402;

const TOO_FAST: Conclusion = { means: 'rate_limited' };

const doubt = (because: string): Conclusion => ({ means: 'in_doubt', because });

/** A service may delete somebody and say nothing. A page, or a text that is no JSON, is not the vendor's word. */
function withoutJson(status: number, body: Said['body'], { call, operation }: Question): Conclusion {
  if (body.kind === 'unreadable' && body.why !== undefined) return { means: 'in_doubt' };
  if (body.kind !== 'blank') return doubt('which is not JSON');
  if (call?.change === undefined)
    return status === NO_CONTENT ? { means: 'no_match' } : doubt('without a body');
  const isEnough = status !== ACCEPTED && publishedIdIn(operation, undefined) === 'none';
  return isEnough ? { means: 'found', isWordless: true } : doubt('without a body');
}

function concluded(answer: Answer, question: Question): Conclusion | undefined {
  if (question.isOuter || question.call === undefined) return ofQuestion(answer, question);
  return question.call.change === undefined
    ? ofLookup(answer, question, question.call)
    : ofChange(answer, question, question.call);
}

const TOO_FAST_STATUSES: readonly (number | undefined)[] = [420, 429];

function saysTooFast(said: Statement): boolean {
  return said.says('rate_limited') || TOO_FAST_STATUSES.includes(said.status);
}

/** The status or the code is just that. As a number it may be a field, so words have to say the same. */
function saysJustTooFast(said: Statement): boolean {
  return (
    said.isJust('rate_limited') || (said.says('rate_limited') && TOO_FAST_STATUSES.includes(said.status))
  );
}

/**
 * Whether a plain value or two are details of what the answer says: that it failed, or is not there yet.
 * @param isApart they stand where the data does, so that a status alone says so, or a code and a text.
 */
function leavesDetails({ said, asked, status }: Answer, isApart: boolean): boolean {
  const isCode = said.status !== undefined || said.codeSaysNo;
  if (said.says('rate_limited') || (isCode && (said.proseSaysNo || said.trouble))) return true;
  if (isApart) return said.isJust('pending');
  if (status === ACCEPTED || said.isError) return true;
  // What a call of one's own asks about may also count what has failed.
  return !asked.isOwn && (said.trouble || said.status !== undefined || said.saysOtherwise);
}

function byStatus(status: number, { meaningOf }: Question): Conclusion {
  const means = meaningOf(status);
  return { means, ...(means === 'in_doubt' ? { because: `which states ${status}` } : {}) };
}

/** A free question has no answer of a certain shape, and a service without the vendor's answer says nothing of it. */
function ofQuestion({ said, status }: Answer, question: Question): Conclusion | undefined {
  if (saysTooFast(said)) return TOO_FAST;
  if (said.status !== undefined) return byStatus(said.status, question);
  if (question.isOuter) return undefined;
  if (said.no || said.trouble) return doubt('which names an error');
  return status === ACCEPTED ? doubt('which is no answer yet') : { means: 'found' };
}

function ofLookup(answer: Answer, question: Question, call: Call): Conclusion {
  const { said, holding } = heardOfLookup(answer, question);
  const isPlainData = holding === 'data' && !said.no && !said.trouble;
  if (saysTooFast(said) && (!isPlainData || saysJustTooFast(said))) return TOO_FAST;
  if (said.status !== undefined && holding !== 'data') return byStatus(said.status, question);
  const means = lookupMeaning(said, holding, answer.status);
  if (means === 'no_match' && isCutShort(answer, question, call))
    return doubt('which has none of the results that it counts');
  if (means === 'found') return ofMatch(answer, question.dialect);
  if (means !== undefined) return { means };
  if (holding === 'data' || holding === 'denied') return doubt('which says that it failed, but holds data');
  return doubt(
    said.no || said.trouble ? 'which names an error' : 'which does not say whether anything was found',
  );
}

/** An empty first page of a list that is said to have members, or to go on. */
function isCutShort({ body, said }: Answer, { operation }: Question, { parameters }: Call): boolean {
  const isList = operation.results !== undefined || operation.credits.per_result !== undefined;
  if (!isList || parameters.page !== undefined || said.says('no_match') || said.foundNobody) return false;
  return (saysTotal(body) ?? 0) > 0 || saysMore(body) === true;
}

function ofMatch({ said, asked, body }: Answer, dialect: Dialect): Conclusion {
  if (said.trouble) return { means: 'found', isPartial: true };
  return { means: 'found', ...present({ shows: otherIn(body, dialect, asked) }) };
}

/** What an answer holds of what was asked for, and what it says besides. */
function heardOfLookup(answer: Answer, { dialect, operation }: Question) {
  const { said, saidInside, asked, body } = answer;
  const { credits, results } = operation;
  const place = present({ fields: dialect.fields_at, results });
  const findsLists = results !== undefined || credits.per_result !== undefined;
  const list = findsLists ? parsedResultsOf(body, place) : undefined;
  const beside = besideData(dialect, asked);
  const holding = holdingOf(body, { fields: dialect.fields_at, list }, beside);
  if (holding === 'nothing') return { said: saidInside(), holding };
  if (holding !== 'data') return { said, holding };
  const isApart = !placesIn(body, dialect.fields_at).includes(body);
  if (leavesDetails(answer, isApart) && isScant(body, dialect.fields_at, beside))
    return { said, holding: 'details' as const };
  // Outside of what holds the data, a status is none of the thing.
  const isDenied = isApart && !asked.isOwn && said.isJust('refused');
  return { said, holding: isDenied ? ('denied' as const) : holding };
}

function ofChange({ said, asked, body, status }: Answer, question: Question, call: Call): Conclusion {
  const { dialect, operation } = question;
  const shown = shownBy(body, call, asked, dialect, said.texts);
  const publishedId = publishedIdIn(operation, parsedFieldsOf(body, present({ fields: dialect.fields_at })));
  const saysDone = publishedId === 'came' || publishedId === 'accepted' || speaksFor({ said, shown });
  if (!saysDone && saysTooFast(said)) return TOO_FAST;
  if (!saysDone && said.status !== undefined) return byStatus(said.status, question);
  const isPriced = operation.credits.most > 0;
  const means = changeMeaning({ said, shown, publishedId, isPriced, status });
  if (means === 'wordless') return { means: 'found', isWordless: true };
  if (means !== undefined) return { means };
  if (shown.otherwise) return doubt('which shows something different from what was asked for');
  if (publishedId === 'missing') return doubt(`without ${namesOfIds(operation)}`);
  return doubt(
    said.isLater && !said.hasEnded
      ? 'which names a job or a task and does not say that it has ended'
      : 'which does not say whether it was done',
  );
}

function namesOfIds({
  answer_fields: { invite_code: code, project_id: project } = {},
}: DialectOperation): string {
  return JSON.stringify(code ?? project ?? '');
}
