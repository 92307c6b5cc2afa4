import { type AnswerPlace, jsonIn, ownBodyIn } from '../../../core/answer-body.ts';
import type { CallDescription } from '../../../core/described.ts';
import type { JsonValue } from '../../../core/operation.ts';
import { wordsIn } from '../../../core/plain-text.ts';
import type { RowAnswer } from '../../../ledger/ledger.ts';
import { parsedSaidIn } from '../../../values/answer-fields.ts';
import { abn } from '../../../values/number.ts';
import { companyProfile, personProfile } from '../../../values/profile.ts';

/**
 * Whom an answer is about, by its own words: its numbers, profiles and names, wherever the vendor has them.
 * What stands under a word for another one, such as a parent company, or for the question, is not its own.
 */

/** A step whose answers are about a company, or about a person. */
export type About = NonNullable<CallDescription['isAbout']>;

/** A text of an answer with its name and the names above it, in small letters and digits alone. */
interface OwnText {
  readonly name: string;
  readonly above: string;
  readonly text: string;
}

/** Answers have three or four levels. */
const DEEPEST = 6;

/** Members that are about the question, or about what was before. */
const NOT_OWN = new RegExp(
  [
    '^(?:query|inputs?|requests?|requested|params|parameters|search|searched|asked|criteria|echo)$',
    'previous|former|histor|^past|similar|related|competitor',
  ].join('|'),
);

/** Members that are about others than the company, or the person. */
const OTHERS: Readonly<Record<About, RegExp>> = {
  company: new RegExp(
    'parent|ultimate|holding|subsidiar|affiliat|acqui|investor|owner|shareholder|director|officer|trustee|' +
      'employee|people|persons?$|contact|founder|staff|team|branch|customer|supplier|partner|headquarter',
  ),
  person: new RegExp(
    'company|companies|organi[sz]ation|employer|employment|jobs?$|experience|education|school|' +
      'colleague|manager|assistant|recommend',
  ),
};

/** What the name of a member says, in whatever spelling. */
interface MemberName {
  readonly plain: string;
  readonly isOwn: boolean;
  readonly isOthers: Readonly<Record<About, boolean>>;
}

/** The answers of a vendor have the same names, and reading a name takes longer than looking it up. */
const known = new Map<string, MemberName>();
const MOST_KNOWN = 2_000;

function memberName(memberOf: string): MemberName {
  const before = known.get(memberOf);
  if (before !== undefined) return before;
  const plain = memberOf.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  const isOthers = { company: OTHERS.company.test(plain), person: OTHERS.person.test(plain) };
  const name = { plain, isOwn: !NOT_OWN.test(plain), isOthers };
  if (known.size < MOST_KNOWN) known.set(memberOf, name);
  return name;
}

type Nested = Exclude<JsonValue, string | number | boolean | null>;

const isNested = (value: JsonValue | undefined): value is Nested =>
  typeof value === 'object' && value !== null;

const isList = (value: Nested): value is readonly JsonValue[] => Array.isArray(value);

/** Adds the texts of a value that are about whom the answer found. */
function addOwnTexts(
  texts: OwnText[],
  value: JsonValue | undefined,
  about: About,
  name = '',
  above = '',
  deepest = DEEPEST,
): void {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).trim();
    if (text !== '') texts.push({ name, above, text });
    return;
  }
  if (deepest === 0 || !isNested(value)) return;
  if (isList(value))
    for (const member of meantIn(value)) addOwnTexts(texts, member, about, name, above, deepest - 1);
  else addOwnMembers(texts, value, about, name, deepest - 1);
}

/** Of several objects no one knows which is meant; several texts are names of one. */
const meantIn = (list: readonly JsonValue[]): readonly JsonValue[] =>
  list.length > 1 && list.some(isNested) ? [] : list;

function addOwnMembers(texts: OwnText[], value: Nested, about: About, name: string, deepest: number): void {
  for (const key in value) {
    const member = (value as { readonly [name: string]: JsonValue })[key];
    const { plain, isOwn, isOthers } = memberName(key);
    if (isOwn && !(isNested(member) && isOthers[about]))
      addOwnTexts(texts, member, about, plain, name, deepest);
  }
}

/** The texts of an answer that are about whom it found, those under our names first. */
export function textsOf(
  { body }: Pick<RowAnswer, 'body'>,
  place: AnswerPlace,
  about: About,
): readonly OwnText[] {
  const read = jsonIn(body);
  const { ours, vendors } = parsedSaidIn(read, place);
  const texts: OwnText[] = [];
  addOwnTexts(texts, ours, about);
  addOwnTexts(texts, vendors ?? ownBodyIn(read, place), about);
  return texts;
}

// -------------------------------------------------------------------------------------------- what it has

const ABN_NAMES = new Set(
  wordsIn('abn abnnumber abnno australianbusinessnumber companyabn businessabn charityabn entityabn'),
);

/** The ABNs that pass their check, as digits. */
export const abnsIn = (texts: readonly OwnText[]): readonly string[] =>
  texts.flatMap(({ name, text }) => {
    const read = ABN_NAMES.has(name) ? abn.read(text) : undefined;
    return read?.kind === 'usable' ? [read.value] : [];
  });

const SLUG_NAMES = new Set(
  wordsIn(`
    linkedin linkedinslug linkedinhandle linkedinusername linkedinpublicidentifier linkedinuniversalname
    publicidentifier profileslug linkedinid
  `),
);

/** The addresses of profiles, each in the form in which it would be sent. */
export function profilesIn(texts: readonly OwnText[], about: About): readonly string[] {
  const kind = about === 'company' ? companyProfile : personProfile;
  return texts.flatMap(({ name, text }) => {
    const address = /^[\w-]+$/.test(text) ? SLUG_NAMES.has(name) && linkedInPage(text, about) : text;
    // Most texts of an answer are none, and reading an address takes time.
    if (address === false || !/^[^\s@]+\.[^\s@]+\/[^\s]+$/.test(address)) return [];
    const profile = kind.read(address);
    return profile.kind === 'usable' ? [profile.value] : [];
  });
}

export const linkedInPage = (slug: string, about: About): string =>
  `https://www.linkedin.com/${about === 'company' ? 'company' : 'in'}/${slug}`;

/** Any of these is the name of the company, wherever it stands. */
const COMPANY_NAMES = new Set(
  wordsIn(`
    companyname organizationname organisationname businessname businessnames legalname entityname mainname
    tradingname tradingnames registeredname displayname primaryname othernames alternativenames aliases
    alsoknownas knownas dba doingbusinessas brandname
  `),
);
/** Below these a bare `name` is that of the company, or of the person. */
const ABOVE_NAME: Readonly<Record<About, ReadonlySet<string>>> = {
  company: new Set([
    '',
    ...wordsIn(`
      data result results record records company companies organization organisation business entity legalname
      attributes item items match matches matchcandidates
    `),
  ]),
  person: new Set([
    '',
    ...wordsIn('data result results record records person people contact contacts profile candidate match'),
  ]),
};
const PERSON_NAMES = new Set(wordsIn('fullname personname contactname displayname'));
const GIVEN_NAMES = new Set(wordsIn('firstname givenname forename first'));
const FAMILY_NAMES = new Set(wordsIn('lastname familyname surname last'));

/** The names; the first one is told. */
export function namesIn(texts: readonly OwnText[], about: About): readonly string[] {
  const isBare = ({ name, above }: OwnText): boolean => name === 'name' && ABOVE_NAME[about].has(above);
  const wanted = about === 'company' ? COMPANY_NAMES : PERSON_NAMES;
  const whole = texts.filter((each) => wanted.has(each.name) || isBare(each)).map(({ text }) => text);
  if (about === 'company') return whole;
  const firstOf = (names: ReadonlySet<string>) => texts.find(({ name }) => names.has(name))?.text;
  const parts = [firstOf(GIVEN_NAMES), firstOf(FAMILY_NAMES)].filter((part) => part !== undefined);
  return parts.length === 0 ? whole : [...whole, parts.join(' ')];
}
