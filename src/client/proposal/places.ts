import { describedCall } from '../../core/described.ts';
import { type EmailVerdict, verdictIn, wantedOf } from '../../core/given.ts';
import type { JsonValue } from '../../core/operation.ts';
import { holdsNothing } from '../../values/blank.ts';
import { foundAmong } from '../../values/found.ts';

/** Finds in an answer where the values stand that we have names for: by what they are, and by their names. */

/** A value of an answer, and where it stands. */
export interface Place {
  /** As a dialect writes it under `gives`: `contacts[type=email].value`. */
  readonly path: string;
  readonly value: JsonValue;
}

interface Leaf {
  readonly keys: readonly string[];
  readonly value: string | number | boolean;
  /** The objects around it, from the top; lists as well. */
  readonly around: readonly JsonValue[];
}

export function leavesOf(
  value: JsonValue,
  keys: readonly string[] = [],
  around: readonly JsonValue[] = [],
): readonly Leaf[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [{ keys, value, around }];
  if (keys.length > DEEPEST) return [];
  return Object.entries(value)
    .slice(0, Array.isArray(value) ? MEMBERS : undefined)
    .flatMap(([key, each]) => leavesOf(each as JsonValue, [...keys, key], [...around, value]));
}

const DEEPEST = 12;
/** Of a list the first members show where a value stands. */
const MEMBERS = 20;

export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const namesOf = ({ keys }: Leaf): readonly string[] =>
  keys.filter((key) => !/^\d+$/.test(key)).map(plainName);

/** What the answer says about the question or about itself; and other people and places. */
const ASIDE =
  /^(?:query|input|inputs|request|requested|params|parameters|criteria|meta|metadata|sources?|errors?|links?|echo|search|searched|pagination|credits?|billing|plan|usage|education|schools?|experiences?|jobhistory|employmenthistory|previous\w*|past\w*|relatives|similar\w*|competitors|matchpersoninput|skills|certifications)$/;

const OF_COMPANY =
  /^(?:current)?(?:company|organi[sz]ation|employer|account|employment|business|companydata|companyinfo|firm|job)$/;

/** Names that a value of ours has with vendors, as a whole or below the name before it. */
const NAMES: Readonly<Record<string, RegExp>> = {
  email: /e?mails?(?:address)?$|^(?:value|address)$|professionalemail$|^probableemail/,
  phone:
    /(?:phone|mobile|cell|tel|telephone|dial|direct)s?(?:number|e164|formatted)?s?$|^(?:value|numbers?|e164|sanitized\w*|international\w*)$/,
  first_name: /(?:first|given|fore)name$|^namefirst$/,
  last_name: /(?:last|family|sur)name$|^namelast$/,
  full_name:
    /^(?:full|display|person|contact|formatted|complete|profile)name$|^fullname$|^namefull(?:name)?$|^name$|^people$/,
  job_title:
    /(?:^|job|current|person|employment|contact|work)(?:title|position|headline|role)$|^jobtitle(?:title|name)?$|^job$/,
  seniority: /seniority(?:level)?$/,
  department: /departments?$|^function$/,
  company:
    /^(?:current|job|employer)?(?:company|organi[sz]ation|employer)(?:name)?$|^(?:companyname|employername|employmentname)$/,
  domain: /(?:^|company|organi[sz]ation|email|website|primary|employment)domain(?:name)?$/,
  profile_url:
    /linkedin(?:profile)?(?:url|link)?s?$|^(?:linkedin)?(?:profile)(?:url|link)$|networkprofileurl$|^b2bprofileurl$/,
  city: /^(?:\w*location)?(?:city|locality|town)(?:name)?$/,
  state: /^(?:\w*location)?(?:state|region|province)(?:name|code)?$|^addressstate$/,
  country: /^(?:\w*location)?country(?:name|code|fullname)?$/,
  name: /^(?:company|legal|entity|organi[sz]ation|business|trading|display|main)?(?:name|title)$/,
  website: /^(?:company)?(?:website|homepage|weburl|site|url)(?:url)?$/,
  abn: /^abn$/,
  number: /^(?:company|registration|register)(?:number|no)$/,
  industry: /^(?:primary|main|linkedin)?industr(?:y|ies)(?:name)?$|industrycategory$/,
  employees: /employees?(?:s?count|number|range|total)?$|headcount$|^(?:company)?size$|^staffcount/,
  revenue: /revenue(?:printed|range|usd)?$/,
  founded: /^(?:year)?founded(?:year)?$|^foundingyear$|^yearfounded$/,
  street: /^(?:street(?:address|name)?|address(?:line)?1?|addressline1)$/,
  postcode: /^(?:post(?:al)?code|zip(?:code)?|addresspostcode)$/,
};

/** Their value shows what they are, wherever they stand. */
const BY_KIND = ['email', 'phone'];
/** Their value is a text of some letters. */
const TEXTS = ['first_name', 'last_name', 'full_name', 'company', 'name', 'job_title', 'city'];

/**
 * The likeliest place of a value of ours; undefined where none is likely.
 * @param askedValues what the question had: a place that repeats it is none.
 */
export function placeOf(
  name: string,
  operation: string,
  answer: JsonValue,
  askedValues: readonly string[],
): Place | undefined {
  const candidates = leavesOf(answer).flatMap((leaf) => {
    const rank = rankOf(leaf, name, operation, askedValues);
    return rank === undefined ? [] : [{ leaf, rank }];
  });
  const [best] = candidates.sort((one, other) => one.rank - other.rank);
  return best && { path: pathOf(best.leaf, name), value: best.leaf.value };
}

/** Lower is likelier; undefined: it is not there. */
function rankOf(
  leaf: Leaf,
  name: string,
  operation: string,
  askedValues: readonly string[],
): number | undefined {
  if (!isOfKind(leaf, name, operation, askedValues)) return undefined;
  const names = namesOf(leaf);
  const [last = '', before = ''] = names.toReversed();
  const isWanted = wantedOf(operation) === name;
  const isNamed = NAMES[name]?.test(last) === true || NAMES[name]?.test(before + last) === true;
  const isTyped = typeBeside(leaf, name) !== undefined;
  const isVague = UNSPECIFIC.test(last) && !isTyped && !isAbout(names.slice(0, -1), name);
  const isAside = names.slice(0, -1).some((each) => ASIDE.test(each));
  // What is looked for may stand anywhere, and an address shows by itself what it is.
  const isUnnamed = !isNamed && !isTyped && !(isWanted && name === 'email');
  const isOther = isBehindFirst(leaf) && !isTyped && !BY_KIND.includes(name);
  const isUnlikely = (isVague || isAside) && !isWanted;
  if (isUnnamed || isOther || isUnlikely || !fitsPerson(name, names, operation)) return undefined;
  return likelihoodOf(leaf, { isNamed, isTyped, isVague, isAside });
}

const isBehindFirst = ({ keys }: Leaf): boolean => keys.some((key) => /^[1-9]\d*$/.test(key));

interface Looks {
  readonly isNamed: boolean;
  readonly isTyped: boolean;
  readonly isVague: boolean;
  readonly isAside: boolean;
}

/** Lower is likelier. */
function likelihoodOf(leaf: Leaf, { isNamed, isTyped, isVague, isAside }: Looks): number {
  const names = namesOf(leaf).join(' ');
  const likelihood = [
    leaf.keys.length + (isBehindFirst(leaf) ? 2 : 0),
    isNamed ? 0 : 3,
    isVague ? 6 : 0,
    isAside ? 20 : 0,
    isTyped ? -2 : 0,
    /personal|private|home|generic|support/.test(names) ? 4 : 0,
    /work|professional|business|probable|recommended/.test(names) ? -1 : 0,
  ];
  return likelihood.reduce((sum, each) => sum + each, 0);
}

/** These say what stands there only beside a name or a type. */
const UNSPECIFIC = /^(?:value|numbers?|address|e164)$/;

/** Whether the value is what the name says, and no echo of the question. */
function isOfKind({ value }: Leaf, name: string, operation: string, askedValues: readonly string[]): boolean {
  if (typeof value === 'boolean' || holdsNothing(value)) return false;
  if (foundAmong([value], { name })?.kind !== 'found') return false;
  // What is looked for is no echo, and a lookup of any fact would believe one.
  const mayRepeat = wantedOf(operation) !== undefined && wantedOf(operation) !== name;
  if (!mayRepeat && askedValues.includes(String(value).trim().toLowerCase())) return false;
  return !TEXTS.includes(name) || /\p{L}/u.test(String(value));
}

const isAbout = (names: readonly string[], name: string): boolean =>
  names.some((each) => (name === 'email' ? /mail/ : /phone|mobile|cell|tel|dial/).test(each));

/** Whether a name of a person's, or of the company, stands where such a thing is told about. */
function fitsPerson(name: string, names: readonly string[], operation: string): boolean {
  const isOfCompany = names.slice(0, -1).some((each) => OF_COMPANY.test(each));
  if (describedCall(operation).isAbout === 'company') return true;
  const ofPerson = [
    'full_name',
    'first_name',
    'last_name',
    'profile_url',
    'email',
    'phone',
    'city',
    'state',
    'country',
  ];
  if (ofPerson.includes(name)) return !isOfCompany;
  const [last] = names.slice(-1);
  return name !== 'company' || isOfCompany || last !== 'name';
}

const TYPE_NAMES = ['type', 'kind', 'contacttype', 'category', 'channel', 'label'];
const TYPES: Readonly<Record<string, RegExp>> = {
  email: /^(?:work_?|business_?|professional_?)?e-?mail(?:_?address)?$/i,
  phone: /^(?:(?:tele)?phone|mobile|cell|direct(?:_?dial)?|mobile_?phone|work_?phone)$/i,
};

/** `type=email`: what stands beside a value of a list, and says what it is. */
function typeBeside({ keys, around }: Leaf, name: string): string | undefined {
  const holder = around.at(-1);
  const isMember = /^\d+$/.test(keys.at(-2) ?? '');
  if (!isMember || holder === undefined || holder === null || typeof holder !== 'object') return undefined;
  for (const [key, value] of Object.entries(holder))
    if (TYPE_NAMES.includes(plainName(key)) && TYPES[name]?.test(String(value)) === true)
      return `${key}=${value}`;
  return undefined;
}

function pathOf(leaf: Leaf, name: string): string {
  const { keys } = leaf;
  const type = typeBeside(leaf, name);
  const list = leaf.around.at(-2);
  if (type === undefined || !Array.isArray(list) || list.length < 2) return keys.join('.');
  const [before, last] = [keys.slice(0, -2), keys.at(-1)];
  return `${before.join('.')}[${type}].${last}`;
}

/** Our names, each with its place, of what the operation may give. */
export function placesIn(
  operation: string,
  answer: JsonValue,
  askedValues: readonly string[],
): Readonly<Record<string, Place>> {
  const places: Record<string, Place> = {};
  const taken = new Set<string>();
  const { gives } = describedCall(operation);
  for (const name of gives === 'any' ? [] : gives) {
    const place = name === 'verdict' ? undefined : placeOf(name, operation, answer, askedValues);
    if (place === undefined || taken.has(place.path)) continue;
    taken.add(place.path);
    places[name] = place;
  }
  return places;
}

// -------------------------------------------------------------------------------------------------- verdicts

const VERDICT_NAMES =
  /(?:status|result|verdict|state|qualification|quality|certainty|validity|deliverability|classification|verified|valid|deliverable)$/;

/** The words of vendors for each verdict. */
export const VERDICT_WORDS: Readonly<Record<EmailVerdict, readonly string[]>> = {
  valid: ['valid', 'deliverable', 'ok', 'safe', 'good', 'verified', 'ultra_sure', 'true'],
  accept_all: [
    'accept_all',
    'accept-all',
    'acceptall',
    'catch_all',
    'catch-all',
    'catchall',
    'valid_catch_all',
  ],
  invalid: [
    'invalid',
    'undeliverable',
    'bad',
    'not_valid',
    'rejected',
    'disposable',
    'do_not_mail',
    'false',
    'dead',
  ],
  unknown: ['unknown', 'risky', 'unverifiable', 'unverified', 'unsure'],
};

export const verdictOf = (value: JsonValue): EmailVerdict | undefined => verdictIn(value, VERDICT_WORDS);

/** The places in which a verdict may stand, the likeliest first. */
export function verdictPlaces(answer: JsonValue): readonly Place[] {
  const fitting = leavesOf(answer).filter((leaf) => {
    const names = namesOf(leaf);
    return (
      VERDICT_NAMES.test(names.at(-1) ?? '') &&
      !names.some((each) => ASIDE.test(each)) &&
      typeof leaf.value !== 'number'
    );
  });
  const rank = ({ value, keys }: Leaf): number =>
    keys.length + (verdictOf(value) === undefined ? 10 : 0) + (typeof value === 'boolean' ? 5 : 0);
  return fitting
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ keys, value }) => ({ path: keys.join('.'), value }));
}
