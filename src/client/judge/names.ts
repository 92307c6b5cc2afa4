import { isObject } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';

/**
 * What the names in an answer stand for, and what single values say. Nothing of this is published, so both are read as most vendors use
 * them, and whatever is not here is a field of what was asked about.
 */
export type NameKind =
  /** Holds a code, a status or a word about the request: `status`, `code`, `result`. */
  | 'machine'
  /** Holds a sentence for a person: `message`. */
  | 'prose'
  /** Holds a sentence, or an object with fields: `detail`, `data`. */
  | 'described'
  /** True or false about the request as a whole: `success`, `ok`. */
  | 'success'
  /** What a change has done, as true, a number, a list or a word: `done`, `count`, `removed`. */
  | 'effect'
  /** What went wrong, where it is filled: `error`, `errors`, `failed`. */
  | 'trouble'
  /** Whether anything was found: `found`, `matched`. */
  | 'found'
  /** How many were found: `count`, `total`. */
  | 'total'
  /** Describes the answer: an id, a time, a page, a price, or what was asked. */
  | 'about'
  | 'field';

const KINDS: readonly (readonly [NameKind, RegExp])[] = [
  [
    'machine',
    /^(?:(?:http|result|response|return|reason|sub|match|search|lookup)?(?:status|code)(?:code|text)?|state|result|outcome|type|reason|resulttype)$/,
  ],
  ['prose', /^(?:(?:status|result|response|user)?messages?|msg)$/],
  ['described', /^(?:details?|description|title|data|results|response)$/],
  ['success', /^(?:is|was|has)?(?:success|ok|successful|succeeded)$/],
  [
    'trouble',
    /^(?:is|was|has)?(?:err(?:or)?s?(?:no|codes?|messages?|msg|description|details?|id|info|key|name|number|reason|status|string|summary|text|title|type|count)?|failed|failures?|failedcount|failurecount|fault|exception)$/,
  ],
  ['found', /^(?:(?:is|was|has)?(?:found|match|matched|exists)|matchfound|has(?:match|results?))$/],
  ['total', /^(?:count|total|totalcount|totalresults|resultcount)$/],
  [
    'effect',
    /^(?:is|was|has)?(?:done|affected|affectedrows|rowsaffected|cancell?ed|(?:removed|deleted|revoked|updated|changed|modified|created|invited|applied|granted|assigned|processed)(?:count)?|(?:success|succeeded)count)$/,
  ],
  [
    'about',
    /^(?:meta|metadata|pagin.*|ratelimit(?:remaining|limit|reset)?|query|input|request|requesturl|params|parameters|echo|criteria|links|warnings?|notices?|hints?|deprecation|help|docs|documentation.*|support|timestamp|time|datetime|servertime|took|tookms|(?:duration|elapsed|latency|responsetime)(?:ms)?|credits?|credits?(?:charged|used|consumed|spent|cost|remaining|left|balance)|remainingcredits|iscreditcharged|freeenrichment|cost|price|charged|quota|cached|fromcache|apiversion|page|pagesize|perpage|pageinfo|itemsperpage|startindex|totalpages|(?:next|prev|previous)(?:page|pagetoken|cursor)|limit|offset|cursor|scrolltoken|has(?:more|next)|(?:status|poll|result|callback)url|uuid|guid|schemas|instance|jsonrpc|retryafter|outputfields|requiredfields|custom|breadcrumbs|matchtype|matchedon|clientreferenceid|correlationid|traceid)$/,
  ],
];

/** An id names something, and says nothing of it: `id`, `request_id`, `companyId`. */
export const ID = /(?:^|[^a-z0-9])ids?$|[a-z0-9]I[dD]s?$|^I[dD]s?$/;

/** What a name stands for, and the name without what differs from vendor to vendor. */
export interface Name {
  readonly kind: NameKind;
  readonly plain: string;
  /** It is one of what is looked for: `company`, `people`. */
  readonly isThing: boolean;
}

/** Vendors have few names, and some write ids as names: no more than these are kept. */
const MOST_NAMES = 2_000;
const KNOWN = new Map<string, Name>();

export function nameOf(name: string): Name {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const plain = plainName(name);
  const found = { kind: kindOf(name, plain), plain, isThing: THINGS.test(plain) };
  if (KNOWN.size < MOST_NAMES) KNOWN.set(name, found);
  return found;
}

function kindOf(name: string, plain: string): NameKind {
  const kind = KINDS.find(([, names]) => names.test(plain))?.[0];
  if (kind !== undefined) return kind;
  if (/(?:^|[^A-Za-z0-9])[Ee]rrors?$|[a-z0-9]Errors?$/.test(name)) return 'trouble';
  // Vendors mark by it what describes the answer itself, such as `@odata.context`.
  return name.startsWith('@') || ID.test(name) ? 'about' : 'field';
}

/** `errorCode`, `error_code` and `Error-Code` are one name; `51 824 753 556` and `51824753556` are one value. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Objects in which an answer speaks of itself as it does at its top. */
export const SPEAKING = /^(?:meta|status|response)$/;

const THINGS =
  /^(?:compan(?:y|ies)|persons?|people|organi[sz]ations?|profiles?|contacts?|records?|items?|hits?|match(?:es)?|employees?|resources?|values?)$/;

/** The usual places of what was asked for. */
export const CONTAINERS = ['data', 'datas', 'result', 'results'] as const;

/** The machine places that say how a request ended and nothing else. */
export const STATUS_NAMES =
  /^(?:status|code|result|outcome|statuscode|httpstatus|resultcode|responsecode|errorcode)$/;

// -------------------------------------------------------------------------------------------- values

export function truthOf(value: JsonValue): boolean | undefined {
  if (typeof value === 'number') return value !== 0;
  if (!isPlain(value)) return undefined;
  if (/^\s*(?:true|1|yes|y)\s*$/i.test(String(value))) return true;
  return /^\s*(?:false|0|no|n)\s*$/i.test(String(value)) ? false : undefined;
}

/** Under `error`, these say that there was none. */
const NO_ERROR = /^(?:none|no|n|null|nil|false|ok|success|na|noerrors?|0+)$/;

/** Whether a value says anything, as an empty list of errors does not. */
export function isFilled(value: JsonValue): boolean {
  if (value === null || value === false || value === 0) return false;
  if (typeof value === 'string') return value.trim() !== '' && !NO_ERROR.test(plainName(value));
  return typeof value !== 'object' || Object.values(value).some((each) => isFilled(each as JsonValue));
}

/** Whether there is nothing in it at all. A 0 and a `false` say something. */
export function isBlank(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every((each) => isBlank(each as JsonValue));
}

/** A day, or the seconds or milliseconds since 1970. */
export function isMoment(value: JsonValue): boolean {
  return typeof value === 'number'
    ? value >= 1e9
    : typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value.trim());
}

export type Plain = string | number | boolean | null;

export const isPlain = (value: JsonValue): value is Plain => value === null || typeof value !== 'object';

/** Faster than `Object.entries`, and answers are looked through several times. */
export function membersOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  const members: (readonly [string, JsonValue])[] = [];
  if (isObject(value)) for (const name in value) members.push([name, value[name] as JsonValue]);
  return members;
}
