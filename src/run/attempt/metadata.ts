import type { Dialect } from '../../vendor/dialect.ts';

/**
 * Names of values that describe the answer and not the company or person: an id of the request, a count, a price. An
 * answer with only such values has no field. Names that also occur in data of companies or people, such as `id` or
 * `state`, are not here.
 */

const ABOUT_ANSWER: ReadonlySet<string> = new Set(
  `requestid traceid correlationid transactionid requesturl statuscode httpstatus success ok message msg
   timestamp time datetime servertime took tookms duration durationms elapsed elapsedms latency latencyms responsetime
   credit credits creditscharged creditsused creditsconsumed creditsspent creditcost creditsremaining remainingcredits
   creditbalance cost ratelimit ratelimitremaining quota cached fromcache apiversion count total totalcount totalresults
   page pagesize perpage limit offset nextpage nextpagetoken nextcursor cursor hasmore hasnext prevpage previouspage
   totalpages`
    .trim()
    .split(/\s+/),
);

/** Names of objects that contain only such values. */
const WRAPPERS: ReadonlySet<string> = new Set(['meta', 'metadata', 'pagination', 'paging', 'ratelimit']);

/** Names that describe either the answer or a company. Only certain values show that they describe the answer. */
const MAYBE: ReadonlySet<string> = new Set(['status', 'result', 'code', 'found', 'matched', 'match']);
const HOW_IT_WENT =
  /^(?:\d{1,3}|true|false|ok(?:ay)?|success(?:ful)?|succeeded|done|completed?|processed|found|match(?:ed)?|fail(?:ed|ure)?|error)$/i;

/** @param path the path of a value in the place of the answer's fields. */
export function isMetadata(path: string, text: string, dialect: Dialect): boolean {
  const names = path.split('.').map(plainName);
  const last = names.at(-1) ?? '';
  if (names.slice(0, -1).some((name) => WRAPPERS.has(name))) return true;
  if (ABOUT_ANSWER.has(last) || namedBy(dialect).includes(last)) return true;
  return MAYBE.has(last) && HOW_IT_WENT.test(text.trim());
}

const NAMED = new WeakMap<Dialect, readonly string[]>();

/** The paths that the dialect itself uses for something other than a field. */
function namedBy(dialect: Dialect): readonly string[] {
  const known = NAMED.get(dialect) ?? namesIn(dialect);
  NAMED.set(dialect, known);
  return known;
}

function namesIn({ credits_charged: charged, operations }: Dialect): readonly string[] {
  const pages = Object.values(operations).flatMap(({ paging }) =>
    paging !== undefined && 'next' in paging ? [paging.next] : [],
  );
  return [charged?.path, ...pages].flatMap((path) => plainName(path?.split('.').at(-1) ?? '') || []);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
