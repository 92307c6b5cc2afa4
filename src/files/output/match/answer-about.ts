import { type AnswerPlace, jsonIn, ownBodyIn } from '../../../core/answer-body.ts';
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
export type About = 'company' | 'person';

export const ABOUT: Readonly<Record<string, About>> = {
  'enrich-company': 'company',
  'enrich-person': 'person',
  'find-email': 'person',
  'find-phone': 'person',
};

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

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]/g, '');

function* ownTexts(
  value: JsonValue | undefined,
  about: About,
  [name = '', above = '']: readonly string[] = [],
  deepest = DEEPEST,
): Generator<OwnText> {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).trim();
    if (text !== '') yield { name, above, text };
  } else if (deepest > 0 && isNested(value))
    for (const [word, member] of ownMembers(value, about))
      yield* ownTexts(member, about, word === undefined ? [name, above] : [word, name], deepest - 1);
}

type Nested = Exclude<JsonValue, string | number | boolean | null>;

const isNested = (value: JsonValue | undefined): value is Nested =>
  typeof value === 'object' && value !== null;

/** The members that are about whom the answer found, those of a list without a name. */
function ownMembers(value: Nested, about: About): readonly (readonly [string | undefined, JsonValue])[] {
  if (isList(value)) {
    // Of several members nobody knows which is meant; several texts are names of one.
    const isOne = value.length === 1 || !value.some(isNested);
    return isOne ? value.map((member) => [undefined, member]) : [];
  }
  const named = Object.entries(value).map(([own, member]) => [plain(own), member] as const);
  return named.filter(
    ([word, member]) => !NOT_OWN.test(word) && !(isNested(member) && OTHERS[about].test(word)),
  );
}

const isList = (value: Nested): value is readonly JsonValue[] => Array.isArray(value);

/** The texts of an answer that are about whom it found, those under our names first. */
export function textsOf(
  { body }: Pick<RowAnswer, 'body'>,
  place: AnswerPlace,
  about: About,
): readonly OwnText[] {
  const read = jsonIn(body);
  const { ours, vendors } = parsedSaidIn(read, place);
  return [...ownTexts(ours, about), ...ownTexts(vendors ?? ownBodyIn(read, place), about)];
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

/** The names, the first of which is told. */
export function namesIn(texts: readonly OwnText[], about: About): readonly string[] {
  const isBare = ({ name, above }: OwnText): boolean => name === 'name' && ABOVE_NAME[about].has(above);
  const wanted = about === 'company' ? COMPANY_NAMES : PERSON_NAMES;
  const whole = texts.filter((each) => wanted.has(each.name) || isBare(each)).map(({ text }) => text);
  if (about === 'company') return whole;
  const firstOf = (names: ReadonlySet<string>) => texts.find(({ name }) => names.has(name))?.text;
  const parts = [firstOf(GIVEN_NAMES), firstOf(FAMILY_NAMES)].filter((part) => part !== undefined);
  return parts.length === 0 ? whole : [...whole, parts.join(' ')];
}
