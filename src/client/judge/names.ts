import type { JsonValue } from '../../core/operation.ts';

/**
 * The meaning of names in an answer, and of single values. Nothing of this is published, so both are read as
 * most vendors use them. Any name that is not here is a field of the subject of the call.
 */
const KINDS = {
  // Holds a code, a status or a word about the request.
  machine:
    /^(?:(?:http|request|result|response|return|reason|sub|match|search|query|lookup|job|task|api)?(?:status|code)(?:code|text)?|state|result|outcome|type|reason|resulttype)$/,
  // Holds a sentence for a person.
  prose: /^(?:(?:status|request|result|response|user)?messages?|msg)$/,
  // Holds a sentence, or an object with fields.
  described: /^(?:details?|description|title|data|results|response)$/,
  // True or false about the request as a whole.
  success: /^(?:is|was|has)?(?:success|ok|successful|succeeded)$/,
  // Says what went wrong, where it is filled.
  trouble:
    /^(?:is|was|has)?(?:err(?:or)?s?(?:no|codes?|messages?|msg|description|details?|id|info|key|name|number|reason|status|string|summary|text|title|type|count)?|failed|failures?|failedcount|failurecount|fault|exception)$/,
  // Whether anything was found, and how many.
  found: /^(?:(?:is|was|has)?(?:found|match|matched|exists)|matchfound|has(?:match|results?))$/,
  total:
    /^(?:hits|(?:num|number|total)?(?:of)?(?:candidates?|compan(?:y|ies)|people|persons?|profiles?|contacts?|results?|records?|entries|items?|hits?|match(?:es)?)?(?:matched|found|returned)?(?:count|total|size|quantity|found|returned)|total(?:size|results?|records?|entries|items|hits|match(?:es)?)|num(?:results|found|matches))$/,
  // Says what a change has done, as true, a number, a list or a word.
  effect:
    /^(?:is|was|has)?(?:done|affected|affectedrows|rowsaffected|cancell?ed|(?:removed|deleted|revoked|updated|changed|modified|created|invited|applied|granted|assigned|processed)(?:count)?|(?:success|succeeded)count)$/,
  // Describes the answer: a time, a page, a price, or the request. Names that begin with @ do so too, such
  // as `@odata.context`.
  about:
    /^(?:(?:transaction|inquiry|enquiry|request|response|search|query|api|lookup)(?:details?|param(?:eter)?s|metadata|context|info(?:rmation)?|headers?|inputs?|(?:date)?time(?:ms)?|date|type)|meta|metadata|pagin.*|ratelimit(?:remaining|limit|reset)?|query|input|request|requesturl|params|parameters|echo|criteria|links|warnings?|notices?|hints?|deprecation|help|docs|documentation.*|support|timestamp|time|datetime|servertime|took|tookms|(?:duration|elapsed|latency|(?:response|execution|processing)time)(?:ms)?|credits?|credits?(?:charged|used|consumed|spent|cost|remaining|left|balance)|remaining(?:credits|requests|calls|searches|quota)|(?:requests|calls|searches|quota)(?:remaining|left)|iscreditcharged|freeenrichment|cost|price|charged|quota|cached|fromcache|apiversion|page|pagesize|perpage|pageinfo|itemsperpage|startindex|totalpages|(?:next|prev|previous)(?:page|pagetoken|cursor)|limit|offset|cursor|scrolltoken|has(?:more|next)|(?:status|poll|result|callback)url|uuid|guid|schemas|instance|jsonrpc|retryafter|outputfields|requiredfields|custom|eta|estimated(?:time|wait|completion|duration|seconds)\w*|\w*queue(?:position|size|count|length)?|progress(?:percent)?|breadcrumbs|matchtype|matchedon|clientreferenceid|correlationid|traceid)$/,
};

export type NameKind = keyof typeof KINDS | 'field';

/** The thing itself that is looked for: `company`, `people`. */
const THINGS =
  /^(?:compan(?:y|ies)|persons?|people|organi[sz]ations?|profiles?|contacts?|records?|items?|hits?|match(?:es)?|employees?|resources?|values?)$/;

/** The usual places of the data that was asked for. */
export const CONTAINERS: readonly string[] = ['data', 'datas', 'result', 'results', 'response'];

/** An id names a thing, and says nothing about it: `id`, `request_id`, `companyId`. */
export const ID = /(?:^|[^a-z0-9])ids?$|[a-z0-9]I[dD]s?$|^I[dD]s?$/;
/** Names of the vendor's work, and of its id. */
export const OF_JOB =
  /^_?(?:job|task|request|batch|process|operation|enrichment|search|tracking|ticket|reference|ref)(?:ids?|uuid|guid|key|hash|token|ref|reference|number|no)?$|^(?:uuid|guid)$/;
/** The id of the work under a name that says so. */
const JOB_ID = /^(?:job|task|request|batch|tracking|ticket)(?:key|hash|token|ref|reference|number|no)$/;
/** A word under such a name may be about the answer: `email_status`, `matchResult`. */
const STATED = /(?:status|state|result|reason|code)$/;
const OWN_ERRORS = /(?:^|[^A-Za-z0-9])[Ee]rrors?$|[a-z0-9]Errors?$/;

export interface Name {
  readonly raw: string;
  readonly kind: NameKind;
  /** The name without the spelling that differs from vendor to vendor. */
  readonly plain: string;
  readonly isThing: boolean;
  readonly isStated: boolean;
}

/** Vendors have few names, and some write ids as names, so at most this many are kept. */
const MOST_NAMES = 2_000;
const KNOWN = new Map<string, Name>();

export function nameOf(name: string): Name {
  const knownName = KNOWN.get(name);
  if (knownName !== undefined) return knownName;
  const plain = plainName(name);
  const isAbout = name.startsWith('@') || ID.test(name) || JOB_ID.test(plain);
  const other = OWN_ERRORS.test(name) ? 'trouble' : isAbout ? 'about' : 'field';
  const known = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((kind) => KINDS[kind].test(plain));
  const kind = known ?? other;
  const found: Name = { raw: name, kind, plain, isThing: THINGS.test(plain), isStated: STATED.test(plain) };
  if (KNOWN.size < MOST_NAMES) KNOWN.set(name, found);
  return found;
}

/**
 * `errorCode`, `error_code` and `Error-Code` are one name; `51 824 753 556` and `51824753556` are one value.
 */
export function plainName(name: string): string {
  const plain = name.toLowerCase();
  // Most are plain already, which is seen in less time.
  return /[^a-z0-9]/.test(plain) ? plain.replace(/[^\p{L}\p{N}]+/gu, '') : plain;
}

// -------------------------------------------------------------------------------------------- values

export function truthOf(value: JsonValue): boolean | undefined {
  if (typeof value === 'number') return value !== 0;
  if (!isPlain(value)) return undefined;
  if (/^\s*(?:true|1|yes|y)\s*$/i.test(String(value))) return true;
  return /^\s*(?:false|0|no|n)\s*$/i.test(String(value)) ? false : undefined;
}

/** Under `error`, these values say that there was no error. */
const NO_ERROR = /^(?:none|no|n|null|nil|false|ok|success|na|noerrors?|0+)$/;

/** Whether a value says anything. An empty list of errors does not. */
export function isFilled(value: JsonValue): boolean {
  if (value === null || value === false || value === 0) return false;
  if (typeof value === 'string') return value.trim() !== '' && !NO_ERROR.test(plainName(value));
  return typeof value !== 'object' || Object.values(value).some((each) => isFilled(each as JsonValue));
}

/** Whether a value holds nothing at all. A 0 and a `false` say something. */
export function isBlank(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every((each) => isBlank(each as JsonValue));
}

/** A day, or the seconds or milliseconds since 1970. */
export const isMoment = (value: JsonValue): boolean =>
  typeof value === 'number' ? value >= 1e9 : /^\s*\d{4}-\d\d-\d\d/.test(String(value));

export type Plain = string | number | boolean | null;

export const isPlain = (value: JsonValue): value is Plain => value === null || typeof value !== 'object';

// -------------------------------------------------------------------------------------------- leaves

/** The position of members in a list or an object. */
interface NameContext {
  /** The names of the objects and lists around the members, from the top. */
  readonly under: readonly Name[];
  readonly keys: readonly string[];
  /** Whether the members belong to a list, and have its name. */
  readonly isMember: boolean;
}

/** A plain value of an answer, or an empty list or object, which has no value. */
export interface Leaf extends NameContext {
  /** Whether it is a list without members. */
  readonly isEmptyList: boolean;
  readonly value: Plain | undefined;
  readonly name: Name;
  readonly key: string;
}

/** The path as a dialect writes it: `errors.0.message`. */
export const pathOf = ({ keys, key }: Leaf): string => [...keys, key].join('.');

/** The answer that was walked last: what reads an answer does so in one turn. No one alters the answer. */
let last: { readonly value: JsonValue; readonly leaves: readonly Leaf[] } | undefined;

export function leavesOf(value: JsonValue): readonly Leaf[] {
  if (last !== undefined && last.value === value) return last.leaves;
  const leaves: Leaf[] = [];
  collect(value, '', nameOf(''), { under: [], keys: [], isMember: false }, leaves);
  last = { value, leaves };
  return leaves;
}

function collect(value: JsonValue, key: string, name: Name, at: NameContext, leaves: Leaf[]): void {
  const before = leaves.length;
  if (!isPlain(value)) {
    const isMember = Array.isArray(value);
    const under = isMember || name.raw === '' ? at.under : [...at.under, name];
    const inside = { under, keys: key === '' ? at.keys : [...at.keys, key], isMember };
    const members = value as { readonly [each: string]: JsonValue };
    for (const each in members)
      collect(members[each] as JsonValue, each, isMember ? name : nameOf(each), inside, leaves);
  }
  if (leaves.length > before) return;
  const { under, keys, isMember } = at;
  const isEmptyList = Array.isArray(value);
  leaves.push({ value: isPlain(value) ? value : undefined, isEmptyList, name, key, under, keys, isMember });
}
