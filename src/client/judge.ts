import { readBody, readBodyOnce } from '../core/answer-body.ts';
import { messageOf, type StopDetail, unreachable } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { DONE_WITHOUT_A_WORD, WITHOUT_A_WORD } from '../core/row.ts';
import type { Closure, Credits, RawReply } from '../ledger/ledger.ts';
import {
  type AnswerRule,
  type Dialect,
  type DialectOperation,
  type ReadBack,
  vendorReply,
} from './dialect.ts';
import { chargedCredits } from './judge/cost.ts';
import { firstFitting, is2xx, isReadable } from './judge/rules.ts';
import { missingWords, type Said, speakerOf, stopFor, vendorWords } from './judge/said.ts';
import { concluded, type Meant, namesProject, namesRoute, type PlainMeaning } from './judge/table.ts';
import { askedWaitMs } from './rate-hints.ts';

export { isExactCharge } from './judge/cost.ts';
export { changeFields, leftBy } from './judge/published.ts';
export * from './judge/shapes.ts';

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
  | (ClosureAs<'answered'> & { readonly projectRefused?: true })
  /** Nothing was charged and nothing is wrong with the call: try again after a backoff. */
  | ClosureAs<'not_sent'>
  | (ClosureAs<'paused'> & AskedWait)
  /** `wait`: the vendor has charged for saying "too many requests", so the account waits and the call is not asked again. */
  /** `isNotYet`: the vendor answers later. */
  | (ClosureAs<'in_doubt'> & { readonly wait?: AskedWait; readonly isNotYet?: true })
  | (ClosureAs<'stopped'> & { readonly stop: StopDetail });

/** `pauseMs`: how long the vendor asked us to wait, if it said so. */
interface AskedWait {
  readonly pauseMs?: number;
}

type ClosureAs<Kind extends Closure['kind']> = Extract<Closure, { readonly kind: Kind }>;

/** Never throws: a reply that judging itself fails on, such as JSON nested too deeply, is in doubt as well. */
export function judge(reply: Reply, dialect: Dialect, operation: DialectOperation, call?: Call): Verdict {
  if (reply.kind === 'not_sent') return { kind: 'not_sent', why: foreignWords(reply.message) };
  if (reply.kind === 'lost') return { kind: 'in_doubt', why: foreignWords(reply.message) };
  try {
    const answer = meantBy(reply.raw, dialect, operation, call);
    return verdictOf(answer, chargedCredits(answer, dialect, operation), call);
  } catch (error) {
    return { kind: 'in_doubt', why: `could not be judged: ${foreignWords(messageOf(error))}` };
  }
}

const NOT_FOUND = 404;

/** What a change means of which a rule says that something is not there: of its path, or of its project, it says nothing of anybody. */
function ofWhatIsThere(
  { means, body: tests = [] }: AnswerRule,
  { raw }: Said,
  call: Call | undefined,
): PlainMeaning {
  const isRepeatOfDone = means === 'found' && raw.status === NOT_FOUND;
  // Where a rule of the dialect knows the words, they are the service's own.
  const isKnown = [tests].flat().some(({ equals, matches }) => equals !== undefined || matches !== undefined);
  if (call?.change === undefined || isKnown || !(means === 'no_match' || isRepeatOfDone))
    return means as PlainMeaning;
  if (namesRoute(raw.body)) return 'wrong_address';
  return isRepeatOfDone && namesProject(raw.body) ? 'in_doubt' : means;
}

/** The dialect's own rules first; then the table. */
function meantBy(
  raw: RawReply,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
): Meant {
  const own = vendorReply(raw, dialect);
  const said: Said = { raw: own ?? raw, body: readBodyOnce((own ?? raw).body), by: speakerOf(dialect, own) };
  const rules = rulesFor(dialect, own === undefined ? undefined : operation);
  const rule = firstFitting(rules, said.raw, said.body, dialect.fields_at);
  if (rule !== undefined && rule.means !== 'as_stated')
    return { own, said, rules, rule, table: undefined, means: ofWhatIsThere(rule, said, call) };
  const table = concluded(said, dialect, operation, call, own === undefined);
  return { own, said, rules, rule: undefined, table, means: table.row.means };
}

/** @param operation undefined where the service in front of the vendor answered. */
function rulesFor(
  { answers, through }: Dialect,
  operation: DialectOperation | undefined,
): readonly AnswerRule[] {
  if (operation === undefined) return through?.envelope.answers ?? [];
  return operation.answers === undefined ? answers : [...operation.answers, ...answers];
}

/** What decided about an answer: a rule of the dialect, with its place in it, or a row of the table. */
export type RuleFound = {
  /** Status of the answer that was judged, which may stand inside another one. */
  readonly status: number;
  readonly means: PlainMeaning;
} & (
  | {
      readonly rule: AnswerRule;
      readonly dialect: string;
      /** The entry of the dialect that lists it, where it stands at this number from 1. */
      readonly list: string;
      readonly number: number;
    }
  | { readonly row: string }
);

/** What judges an answer, for display. */
export function ruleOf(raw: RawReply, dialect: Dialect, operation: DialectOperation, call: Call): RuleFound {
  const { own, said, rules, rule, table, means } = meantBy(raw, dialect, operation, call);
  const { status } = said.raw;
  if (rule === undefined) return { row: table?.row.name ?? '', means, status };
  const found = { rule, means, status, dialect: dialect.name };
  const at = rules.indexOf(rule);
  const ofOperation = own === undefined ? 0 : (operation.answers?.length ?? 0);
  if (at < ofOperation) return { ...found, list: `operations.${call.operation}.answers`, number: at + 1 };
  const list = own === undefined ? 'api_call.answers' : 'answers';
  return { ...found, list, number: at - ofOperation + 1 };
}

function verdictOf(answer: Meant, charged: Credits, call: Call | undefined): Verdict {
  const { said, rule, means, table } = answer;
  if (means === 'found') return { kind: 'answered', answer: means, charged, why: foundWords(answer, call) };
  const isOdd =
    table !== undefined && is2xx(said.raw.status) && (means === 'in_doubt' || means === 'refused');
  const why = vendorWords(said, table?.texts, isOdd);
  switch (means) {
    case 'no_match':
      return { kind: 'answered', answer: means, charged, why };
    case 'refused':
      return { kind: 'answered', answer: means, charged, why: why + (table?.row.remark ?? '') };
    case 'project_refused':
      return { kind: 'answered', answer: 'refused', charged, why, projectRefused: true };
    case 'rate_limited': {
      const wait = present({ pauseMs: askedWaitMs(said.raw, said.by.rateHints, said.body) });
      if (rule?.charged !== true) return { kind: 'paused', why, ...wait };
      return { kind: 'in_doubt', why: `${why}, which is charged`, wait };
    }
    case 'pending':
      return { kind: 'in_doubt', why: `${NOT_YET}: ${why}`, isNotYet: true };
    case 'in_doubt': {
      if (rule?.charged === false) return { kind: 'not_sent', why };
      const because = table?.row.because;
      const clause = because === undefined ? missingWords(rule?.body) : `, ${because}`;
      return { kind: 'in_doubt', why: why + clause };
    }
    case 'key_dead':
    case 'credits_used_up':
    case 'wrong_address': {
      const by = table === undefined ? 'a rule of the dialect' : `the table: ${table.row.name}`;
      return { kind: 'stopped', why, stop: stopFor(means, `${why}, read by ${by}`, said) };
    }
    default:
      return unreachable(means);
  }
}

/** What the reason of a doubt begins with whose answer is still to come: it is never sent again by itself. */
export const NOT_YET = 'not yet';

/** What a match says of itself besides counts only where it names a part that is missing. */
function foundWords({ said, table }: Meant, call: Call | undefined): string {
  const words = vendorWords(said, table?.texts, table?.isPartial);
  if (table?.isPartial === true || call?.change !== undefined) return words + (table?.row.remark ?? '');
  const shows = table?.shows === undefined ? '' : SHOWS + foreignWords(table.shows);
  return `status ${said.raw.status}${shows}`;
}

const SHOWS = ', which shows ';

/**
 * What a row that ends with this found answer says about it; undefined where there is nothing to say.
 * @param why as the ledger keeps it with the answer.
 */
export function remarkOn({ change }: Call, why: string): string | undefined {
  if (change !== undefined) return why.endsWith(WITHOUT_A_WORD) ? DONE_WITHOUT_A_WORD : undefined;
  // What a person told has no status.
  const said = /^status \d+(.*)$/s.exec(why)?.[1] ?? '';
  if (said.startsWith(SHOWS))
    return `the answer shows ${said.slice(SHOWS.length)}, and not the one that was asked for`;
  return said === '' ? undefined : `the vendor says that something is missing: ${said.replace(/^, /, '')}`;
}

/**
 * What the answer to a read-back says of the lost call. A rule that tests the body recognises the vendor's own reply.
 * Without such a test the reply must be readable and not about its path, or a success without words: a proxy's 404 would give
 * money back.
 */
export function saidOfLost(own: RawReply, { answers }: ReadBack): ReadBack['answers'][number]['says'] {
  const body = readBody(own.body);
  const rule = firstFitting(answers, own, body);
  const isSuccess = body.kind === 'blank' && is2xx(own.status);
  if (rule === undefined) return 'unclear';
  const isOfRoute = own.status === NOT_FOUND && namesRoute(own.body);
  return rule.body !== undefined || (isReadable(body) && !isOfRoute) || isSuccess ? rule.says : 'unclear';
}
