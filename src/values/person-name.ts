import type { Code } from '../core/cell-problems.ts';
import { phrasesIn, wordsIn } from '../core/plain-text.ts';
import { bareWord, isBlankCell, isMaskedWord, isPlaceholder, NO_NAMES } from './blank.ts';
import type { Kind } from './kind.ts';
import { damageOf, ENCODING, ENTITIES, identifierDamage, type Mend } from './mend.ts';
import { nameReader } from './name.ts';
import { DEGREES, LEGAL_FORM, OFFICES, STAND_INS, TITLES } from './person-name-words.ts';
import { type ReadAs, unusable, usable } from './reading.ts';

const wordsOf = (seen: typeof OFFICES): ReadonlySet<string> =>
  new Set(seen.flatMap(([words]) => phrasesIn(words)));
const OFFICE = wordsOf(OFFICES);
const STAND_IN = wordsOf(STAND_INS);
const TITLE = wordsOf(TITLES);
const DEGREE = wordsOf(DEGREES);

/**
 * Every word by which a name may be none. A name without any of them, and without signs, is not looked at.
 */
const IN_DOUBT: ReadonlySet<string> = new Set([
  ...OFFICE,
  ...STAND_IN,
  ...TITLE,
  ...DEGREE,
  ...NO_NAMES.flatMap(wordsIn),
  ...wordsIn('et und ph p pty pte pvt ltd limited l inc incorporated llc llp plc gmbh sarl bhd trust fund'),
]);

const ALL_LETTERS = /^[\p{L}\p{M} '.-]+$/u;

/** `xxx`, `Aaa`. A name may end in III. */
const ONE_LETTER = /(?:^| )(?:x{2,}|([a-hj-z])\1{2,})(?: |$)/i;

/** Nearly every part of a name is one such word. */
const ONE_WORD = /^[a-z]+$/i;

function isPlain(name: string): boolean {
  if (ONE_WORD.test(name)) return !(IN_DOUBT.has(name.toLowerCase()) || ONE_LETTER.test(name));
  return ALL_LETTERS.test(name) && !ONE_LETTER.test(name) && !wordsOfName(name).some(isInDoubt);
}

const isInDoubt = (word: string): boolean => IN_DOUBT.has(word);

const wordsOfName = (name: string): readonly string[] =>
  name.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];

/** Two names with one of these between them. `von und zu`, `y` and a comma stand within one. */
const BETWEEN = /\s*[&/+;]\s*|\s+(?:and|et|und(?! zu ))\s+/iu;

/** Child of, in names of India and Malaysia, and a professor in Australia. */
const SLASH_WITHIN = /(?<!\p{L})(?:[sdw]\/o|a\/(?:l|p|prof))(?!\p{L})\.?/giu;

const isTwo = (name: string): boolean => {
  const parts = name.split(BETWEEN);
  return parts.length > 1 && parts.every((part) => /\p{L}{2}/u.test(part));
};

const PRONOUN = '(?:she|her|hers|he|him|his|they|them|theirs|ze|zir|xe|any|ella|elle|él|ellos)';
const PRONOUNS = new RegExp(
  `[\\s,–-]*[([]\\s*${PRONOUN}(?:\\s*[/,]\\s*${PRONOUN})*\\s*[)\\]]|[\\s,–-]+${PRONOUN}(?:\\s*/\\s*${PRONOUN})+$`,
  'iu',
);

/** What no part of a name is, and no whole one. */
function whyNobody(name: string): Code | undefined {
  if (isPlain(name)) return undefined;
  if (isPlaceholder(name)) return 'placeholder';
  if (isMaskedWord(name)) return 'masked_value';
  if (PRONOUNS.test(name)) return 'pronouns';
  const plain = name.replace(SLASH_WITHIN, '');
  if (isTwo(plain)) return 'two_people';
  if (name.includes('@')) return 'address_for_name';
  if (!/\p{L}/u.test(name) || plain.includes('/')) return 'not_a_person_name';
  return whyNoNames(name);
}

/** Whether words that are names one by one make none together. */
function whyNoNames(name: string): Code | undefined {
  const words = wordsOfName(name);
  if (words.every((word) => ONE_LETTER.test(word))) return 'placeholder_name';
  if (words.length < 2) return undefined;
  if (words.every((word) => OFFICE.has(word))) return 'department_for_person';
  return words.every((word) => STAND_IN.has(word) || OFFICE.has(word)) ? 'placeholder_name' : undefined;
}

const ESTATE = /^(?:the )?(?:late )?estate of(?: |$)/i;

function whyNoWhole(name: string): Code | undefined {
  if (isPlain(name)) return name.includes(' ') ? undefined : 'one_word_name';
  if (LEGAL_FORM.test(name)) return 'company_for_person';
  if (ESTATE.test(name)) return 'estate_for_person';
  const why = whyNobody(name);
  if (why !== undefined) return why;
  if (!name.includes(' ')) return 'one_word_name';
  return namesIn(name).length < 2 ? 'no_given_name' : undefined;
}

/** The words of a name without the titles before it and the degrees behind it. */
function namesIn(name: string): readonly string[] {
  const words = name.split(' ');
  let [start, end] = [0, words.length];
  while (start < end && isTitle(words[start], name)) start += 1;
  while (end > start && isDegree(words, end - 1, name)) end -= 1;
  return words.slice(start, end);
}

/** MS Dhoni has initials. */
const isInitials = (word: string, name: string): boolean => /^[A-Z]{2}$/.test(word) && /\p{Ll}/u.test(name);

const isTitle = (word = '', name: string): boolean => TITLE.has(bareWord(word)) && !isInitials(word, name);

/**
 * A degree shows by its capitals in a name that has others, or by the comma before it: Chidi Mba is a person.
 */
function isDegree(words: readonly string[], at: number, name: string): boolean {
  const word = words[at] ?? '';
  if (!DEGREE.has(bareWord(word).replaceAll('.', '')) || isInitials(word, name)) return false;
  return words[at - 1]?.endsWith(',') === true || (/[A-Z].*[A-Z]/.test(word) && /\p{Ll}\p{Ll}/u.test(name));
}

const readPart = nameReader(whyNobody, 'person_name');
const readWhole = nameReader(whyNoWhole, 'person_name');

/** Words for nothing by which people are called as well, spelled as a name is. */
const ALSO_NAMES = 'Null|Na|None|Nan|Nil|Blank';
const ALSO_NAME = new RegExp(`^(?:${ALSO_NAMES})$`);
const ENDS_AS_NAME = new RegExp(`(?:${ALSO_NAMES})(?![\\p{L}\\p{N}])`, 'gu');

/** The word for nothing that may be somebody's name; undefined for any other cell. */
export const alsoName = (cell: string): string | undefined => ALSO_NAME.exec(cell.trim())?.[0];

/** How many cells of a text, at most, are such a word. */
export const mostAlsoNames = (text: string): number => text.match(ENDS_AS_NAME)?.length ?? 0;

/**
 * One part of a name beside the other. The two are judged as the whole name that they are, and somebody is
 * called Null or Na, where that is spelled as a name.
 * @param nothing such words that are nothing in the column of this part, because many of its rows have one.
 */
export function readBeside(
  cell: string,
  other: string,
  { isFirst, nothing }: { readonly isFirst: boolean; readonly nothing: readonly string[] },
): ReadAs {
  const ownPart = readPart(cell);
  if (ownPart.kind === 'blank') {
    const word = alsoName(cell);
    const isName = word !== undefined && !nothing.includes(word) && readPart(other).kind === 'usable';
    return isName ? usable(word) : ownPart;
  }
  // What makes a whole name none stands in one of its parts.
  if (ownPart.kind !== 'usable' || isPlain(ownPart.value)) return ownPart;
  const beside = readPart(other);
  if (beside.kind !== 'usable') return ownPart;
  const whole = isFirst ? `${ownPart.value} ${beside.value}` : `${beside.value} ${ownPart.value}`;
  if (isFirst && ownPart.value.split(' ').every((word) => isTitle(word, whole)))
    return unusable('title_for_name');
  const why = isBlankCell(whole, 'person_name') ? 'placeholder_name' : whyNoWhole(whole);
  return why === undefined ? ownPart : { ...unusable(why), whole };
}

/** Without any of these signs no name is damaged. */
const SOUND = /^[^&([/ÃÂâ]*$/;

const WITHOUT_PRONOUNS: Mend = {
  kind: 'pronouns',
  mend: (text) => text.replace(PRONOUNS, ''),
  onlyUnusable: true,
};

const MENDS = [ENCODING, ENTITIES, WITHOUT_PRONOUNS];

/** A given name or a family name. */
export const personName = {
  read: readPart,
  damage: identifierDamage(damageOf(readPart, MENDS), SOUND),
} as const satisfies Kind;

/** A full name is never split: no one can tell where the family name begins. */
export const fullName = { read: readWhole, damage: personName.damage } as const satisfies Kind;
