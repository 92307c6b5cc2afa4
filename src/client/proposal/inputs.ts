import { type CallDescription, callsThat, describedCall } from '../../core/described.ts';
import { invariant } from '../../core/errors.ts';
import type { JsonValue } from '../../core/operation.ts';
import { email } from '../../values/email.ts';
import { abn } from '../../values/number.ts';
import { phone } from '../../values/phone.ts';
import { companyProfile, personProfile } from '../../values/profile.ts';
import { isUsable } from '../../values/reading.ts';
import { readAddress } from '../../values/web-address.ts';
import { plainName } from './places.ts';
import type { Part } from './request-draft.ts';
import { isPlaceholder } from './secrets.ts';

/** Which input of an operation a part of a request is: by the vendor's name for it, and by its value. */

/** A part by which a person or company is asked for. */
export interface Subject {
  readonly part: Part;
  readonly input: string;
}

interface About {
  readonly path: string;
  readonly parts: readonly Part[];
}

/** The vendors' names without case and signs. The first that fits decides: the special ones stand first. */
const NAMES: readonly (readonly [input: string, names: RegExp])[] = [
  [
    'profile_slug',
    /^(?:linkedin|li|profile|public)?(?:handle|slug|publicid(?:entifier)?|username|vanityname|shorthand)$/,
  ],
  [
    'profile_url',
    /linkedin(?:profile)?(?:url|link|uri)?s?\d*$|^(?:li|ln|person|company|b2b|social|public)*profile(?:url|link)?s?$|^(?:li|ln)(?:profile)?url$|^socialurl$|^professionalnetworkprofileurls?$/,
  ],
  [
    'email',
    /^(?:(?:work|business|professional|person(?:al)?|contact|target|lead|company)?e?mails?(?:address|addresses|id)?|emailtoverify|addresstoverify)$/,
  ],
  ['first_name', /(?:first|given|fore)names?$|^fname$|^first$/],
  ['last_name', /(?:last|sur|family)names?$|^lname$|^last$/],
  [
    'full_name',
    /^(?:full|person|people|contact|employee|candidate|lead|prospect|profile)(?:full)?names?$|fullname$/,
  ],
  ['abn', /^abn(?:number)?$/],
  ['number', /^(?:(?:company|registration|register|registry|organi[sz]ation)(?:number|no)|crn|siren|siret)$/],
  [
    'domain',
    /(?:^|company|companies|organi[sz]ation|employer|account|business|email|experience|website|corporate)(?:domains?|domainname|websites?|websiteurl|webdomain|url|site|fqdn|host)$|^fqdn$|^domain(?:orcompany|s|name|url)?$|^experiencecompanywebsiteurl$/,
  ],
  [
    'company',
    /^(?:q|current|experience|account|employer)?(?:compan(?:y|ies)|organi[sz]ation|organi[sz]ations|employer|account|org|business(?:es)?|firm)(?:names?)?$/,
  ],
  ['country', /^(?:company)?country(?:code|name|iso\d?)?$|^companylocation$/],
  ['phone', /^(?:phone|mobile|tel(?:ephone)?|msisdn)(?:numbers?)?s?$/],
];

/** Names that say nothing of what stands there: the value does. */
const UNSPECIFIC =
  /^(?:q|query|queries|id|ids|identifiers?|data|inputs?|items?|values?|term|search|text|user|target|lookup|key|urls?|address|person|number)$/;

export function inputIn(part: Part, about: About): string | undefined {
  const { place, name, value } = part;
  const [only = value] = Array.isArray(value) && value.length === 1 ? (value as readonly JsonValue[]) : [];
  if (only === null || typeof only === 'object' || typeof only === 'boolean') return undefined;
  const text = String(only).trim();
  if (place === 'path') return inputInPath(text, about);
  const names = name.split('.').filter((each) => !/^\d+$/.test(each));
  const last = plainName(names.at(-1) ?? '');
  const whole = plainName(names.slice(-2).join(''));
  if (last === 'name') return nameInput(part, whole, text, about);
  const found =
    NAMES.find(([, each]) => each.test(last))?.[0] ?? NAMES.find(([, each]) => each.test(whole))?.[0];
  if (found === undefined) return UNSPECIFIC.test(last) ? inputOfValue(text) : undefined;
  return text === '' || isPlaceholder(text) ? found : inputByValue(found, text);
}

/** What else stands under the name of an input, by what its value shows; blank for nothing that is known. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  company: { domain: 'domain' },
  domain: { profile_url: 'profile_url', email: 'email', words: 'company', nothing: '' },
  profile_url: { words: 'profile_slug', nothing: 'profile_slug' },
  profile_slug: { profile_url: 'profile_url' },
  email: { words: '', nothing: '', domain: '', phone: '' },
};

/** The value says which of two it is where the vendor has one name for both. */
function inputByValue(input: string, text: string): string | undefined {
  const shown = inputOfValue(text) ?? (/\s/.test(text) ? 'words' : 'nothing');
  return (OTHERWISE[input]?.[shown] ?? input) || undefined;
}

/** Whether the text shows by itself what it is. */
function inputOfValue(text: string): string | undefined {
  if (isUsable(email.read(text)) || /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(text)) return 'email';
  if (isUsable(personProfile.read(text)) || isUsable(companyProfile.read(text))) {
    if (/\/(?:in|pub|company|school|profile|people)\//.test(text)) return 'profile_url';
  }
  if (/^\+\d[\d\s().-]{6,}$/.test(text) && isUsable(phone.read(text))) return 'phone';
  if (/^\d{2} ?\d{3} ?\d{3} ?\d{3}$/.test(text) && isUsable(abn.read(text))) return 'abn';
  return isHost(text) || /^https?:\/\/[^/]+\/?/.test(text) ? 'domain' : undefined;
}

const PERSON_NAME = /^\p{Lu}\p{L}+(?: \p{Lu}[\p{L}'-]+){1,2}$/u;

/** Whether the text may be a person or company, whatever the vendor calls the part. */
export const mayBeSubject = (value: JsonValue): boolean =>
  typeof value === 'string' && (inputOfValue(value.trim()) !== undefined || PERSON_NAME.test(value.trim()));

/** A file or a method of the API has an ending as well: `AbnDetails.aspx`, `people.json`. */
const isHost = (text: string): boolean =>
  /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(text) &&
  !/\.(?:aspx?|json|xml|php|html?|svc|do|jsp|cgi)$/i.test(text) &&
  'url' in readAddress(text);

const SHOWN_IN_PATH: Readonly<Record<string, string>> = {
  email: 'email',
  domain: 'domain',
  phone: 'phone',
  phonenumber: 'phone',
  number: 'number',
  companynumber: 'number',
  abn: 'abn',
};

function inputInPath(text: string, { path }: About): string | undefined {
  if (isPlaceholder(text)) return SHOWN_IN_PATH[plainName(text)];
  const shown = inputOfValue(text);
  if (shown === 'email' || shown === 'phone' || shown === 'abn') return shown;
  if (shown === 'domain' && isHost(text)) return shown;
  const isOfCompany =
    /\/compan(?:y|ies)\/[^/]+\/?$/.test(path) && path.replace(/\/$/, '').endsWith(`/${text}`);
  return isOfCompany && /^[A-Z]{0,2}\d{6,8}$/i.test(text) ? 'number' : undefined;
}

const OF_COMPANY = /compan|organi[sz]|business|firmograph|names?\.aspx/i;
const OF_PERSON = /person|people|contact|employee|profile|email|phone|prospect|lead|user/i;

const FIRST_NAME = /(?:first|given|fore)names?$/;

/** Whether a plain `name` is that of a person or a company; undefined: of neither. */
function nameInput({ name }: Part, whole: string, text: string, about: About): string | undefined {
  const firstName = about.parts.find((part) => FIRST_NAME.test(plainName(part.name.split('.').at(-1) ?? '')));
  // Beside the parts of a name, another one may be that of the list at the vendor.
  if (firstName !== undefined && !text.includes(String(firstName.value))) return undefined;
  if (/^(?:person|people|contact|lead|prospect|candidate)s?name$/.test(whole)) return 'full_name';
  if (OF_COMPANY.test(name)) return 'company';
  if (OF_PERSON.test(about.path)) return 'full_name';
  if (OF_COMPANY.test(about.path)) return 'company';
  const others = about.parts.filter((part) => part.place !== 'path' && part.name !== name);
  const isBesidePlace = others.some((part) =>
    NAMES.some(
      ([input, names]) => (input === 'domain' || input === 'company') && names.test(plainName(part.name)),
    ),
  );
  return isBesidePlace || PERSON_NAME.test(text) ? 'full_name' : 'company';
}

// ------------------------------------------------------------------------------------- what is looked for

const PERSON = ['profile_url', 'profile_slug', 'email', 'first_name', 'last_name', 'full_name'];

/**
 * The operation that the line asks for: by the person or company that it names, and what its path and
 * constants are about.
 */
export function operationIn(
  read: readonly { readonly part: Part; readonly input: string | undefined }[],
  { path }: About,
): string {
  const inputs = read.flatMap(({ input }) => input ?? []);
  const isCompanyPage =
    inputs.includes('profile_url') &&
    read.some(({ part, input }) => input === 'profile_url' && /\/company\//.test(String(part.value)));
  const person = inputs.filter((input) => PERSON.includes(input));
  if (person.length === 0 || (isCompanyPage && person.every((input) => input === 'profile_url'))) {
    return inputs.includes('phone') && !inputs.includes('company') && !inputs.includes('domain')
      ? callFinding('verdict', 'phone')
      : callFinding('company');
  }
  const about = `${path} ${read.flatMap(({ part, input }) => (input === undefined ? wordsFor(part) : [])).join(' ')}`;
  const ofPhone = /phone|mobile/i.test(about);
  if (person.every((input) => input === 'email')) {
    if (/verif|valid|check|deliverab|bounce/i.test(path)) return callFinding('verdict', 'email');
    return callFinding(ofPhone ? 'phone' : 'person');
  }
  if (/e-?mail/i.test(about)) return callFinding('email');
  if (ofPhone) return callFinding('phone');
  return /person|people|profile|combined|contacts?\b.*(?:enrich|match|lookup)/i.test(path)
    ? callFinding('person')
    : callFinding('email');
}

/** A constant says what is wanted unless it switches that off. */
function wordsFor({ place, name, value }: Part): readonly string[] {
  if (place === 'path' || value === false || value === 'false' || value === 0) return [];
  return [name, ...(typeof value === 'boolean' ? [] : [JSON.stringify(value)])];
}

/** The operation that finds it. @param by what it is asked by, where several find it. */
function callFinding(finds: CallDescription['finds'], by?: string): string {
  const [name] = callsThat(
    (call) => call.finds === finds && (by === undefined || call.parameters?.includes(by) === true),
  );
  invariant(name !== undefined, `no operation finds ${finds}`);
  return name;
}

const isOfCompany = (operation: string): boolean => describedCall(operation).isAbout === 'company';

/** The operation's own name for an input; undefined where it does not ask by it. */
export function takenBy(operation: string, input: string): string | undefined {
  const named = isOfCompany(operation) && (input === 'company' || input === 'full_name') ? 'name' : input;
  const { parameters = [], together, wants } = describedCall(operation);
  return named !== wants && [...parameters, ...together].includes(named) ? named : undefined;
}

/** What the vendor takes: all that the line has, as its page shows it, then what is a whole by itself. */
export function byOf(inputs: readonly string[], operation: string): readonly string[] {
  const ways = isOfCompany(operation) ? companyWays(inputs) : personWays(inputs);
  const all = ways.filter((way) => way.length > 0 && way.every((name) => inputs.includes(name)));
  return all.length === 0 ? [inputs.join('+')] : [...new Set(all.map((way) => way.join('+')))];
}

const companyWays = (inputs: readonly string[]): readonly (readonly string[])[] => [
  ...['abn', 'number', 'domain', 'website', 'profile_url'].map((name) => [name]),
  ['name', 'country'],
  ...(inputs.includes('country') ? [] : [['name']]),
];

function personWays(inputs: readonly string[]): readonly (readonly string[])[] {
  const has = (name: string): boolean => inputs.includes(name);
  const ids = ['email', 'profile_url', 'profile_slug', 'phone'].filter(has);
  const names = [['first_name', 'last_name'], ['full_name']].filter((each) => each.every(has));
  const places = ['domain', 'company'].filter(has);
  const whole = [...ids, ...(names[0] ?? []), ...places.slice(0, 1)];
  // A name beside an id, and no place, may have to stand beside it.
  const isBound = ids.length > 0 && names.length > 0 && places.length === 0;
  return [
    ...(whole.length > 1 ? [whole] : []),
    ...(isBound ? [] : ids.map((id) => [id])),
    ...names.flatMap((name) => places.map((place) => [...name, place])),
  ];
}
