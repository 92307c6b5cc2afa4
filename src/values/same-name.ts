import { GENERIC_WORDS, LEGAL_WORDS, PLACE_WORDS } from './same-name-words.ts';

/**
 * Whether two names may be those of one company, or of one person. A name proves little: a company trades
 * under other names than the register has, and a person has short forms. So two names count as those of
 * others only where nothing of their own is the same in both. `test/values/name-pairs.ts` has a hundred pairs
 * by which the lengths here were chosen.
 */

/** The words of a name in small letters without accents: `Müller & Söhne` → `muller`, `and`, `sohne`. */
function wordsOfName(name: string): readonly string[] {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/\bt\/as?\b/g, ' ')
    .replaceAll(/&|\+/g, ' and ')
    // An apostrophe or a dot within a word is no end of one: `O'Brien's`, `A.B.C.`, `acme.com.au`.
    .replaceAll(/['\u2019\u02bc`]/g, '')
    .replaceAll(/\.(?:com|net|org|co|io)(?:\.[a-z]{2})?\b/g, ' ')
    .replaceAll(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, '');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a company is told from others by the word: no legal form, no place, and not what very many are. */
const isOwn = (word: string): boolean => isNamed(word) && !PLACE_WORDS.has(word) && !GENERIC_WORDS.has(word);

const isNamed = (word: string): boolean => !LEGAL_WORDS.has(word);

/**
 * Whether two names of companies have nothing in common, so that they are probably those of two companies.
 */
export function isOtherCompany(one: string, other: string): boolean {
  const [words, others] = [wordsOfName(one), wordsOfName(other)];
  if (!isComparable(words, others)) return false;
  const [ownWords, othersOwnWords] = [words.filter(isOwn), others.filter(isOwn)];
  if (haveCommon(ownWords, othersOwnWords) || isJoined(words, others)) return false;
  if (isInitials(words, others) || isInitials(others, words)) return false;
  // Two names of nothing but such words are known by these: `Sydney Electrical Contractors`.
  const areKnownByAll = ownWords.length === 0 && othersOwnWords.length === 0;
  return !areKnownByAll || !haveCommon(words.filter(isNamed), others.filter(isNamed));
}

/** Whether two texts are alike but for case, accents, signs and legal forms: `Acme` and `ACME Pty Ltd`. */
export function isSameText(one: string, other: string): boolean {
  const plain = (text: string): string => {
    const words = wordsOfName(text);
    const named = words.filter(isNamed);
    return (named.length > 0 ? named : words).join(' ') || text.trim();
  };
  return plain(one) === plain(other);
}

/** Whether two names of people have no word and no initials in common. */
export function isOtherPerson(one: string, other: string): boolean {
  const [words, others] = [wordsOfName(one), wordsOfName(other)];
  if (!isComparable(words, others)) return false;
  return !haveCommon(words, others) && !isJoined(words, others) && !isAbbreviated(words, others);
}

/** Names in two scripts cannot be compared: no one is another person because of the letters. */
function isComparable(words: readonly string[], others: readonly string[]): boolean {
  const isLatin = (word: string): boolean => /^[\p{Script=Latin}\d]+$/u.test(word);
  return words.length > 0 && others.length > 0 && words.every(isLatin) && others.every(isLatin);
}

const haveCommon = (words: readonly string[], others: readonly string[]): boolean =>
  words.some((word) => others.some((other) => isAlike(word, other)));

/** So many letters at the beginning of two words make them forms of one: `Woolies` and `Woolworths`. */
const SHORTEST_FORM = 4;

/** In words of so many letters one, or two, may be typed wrong. */
const ONE_TYPED_WRONG = 6;
const TWO_TYPED_WRONG = 10;

function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long === `${short}s`) return true;
  const same = sameLetters(short, long);
  if (same >= SHORTEST_FORM && same * 2 > short.length) return true;
  const most = short.length >= TWO_TYPED_WRONG ? 2 : short.length >= ONE_TYPED_WRONG ? 1 : 0;
  return most > 0 && long.length - short.length <= most && isWithin(short, long, most);
}

/** With how many same letters both words begin. */
function sameLetters(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}

/** Whether so few letters have to be typed otherwise to make one word of the other. */
function isWithin(one: string, other: string, most: number): boolean {
  if (one === other) return true;
  const same = sameLetters(one, other);
  const [left, right] = [one.slice(same), other.slice(same)];
  if (most === 0) return left === '' && right === '';
  const [rest, others] = [left.slice(1), right.slice(1)];
  return [
    [rest, others],
    [left, others],
    [rest, right],
  ].some(([a = '', b = '']) => (left !== '' || right !== '') && isWithin(a, b, most - 1));
}

/** Two words of one name are one word of the other: `Sun Power` and `SunPower`. */
function isJoined(words: readonly string[], others: readonly string[]): boolean {
  const pairsIn = (all: readonly string[]): readonly string[] =>
    all.slice(1).map((word, at) => `${all[at]}${word}`);
  const isPair = (word: string, pairs: readonly string[]): boolean =>
    word.length >= SHORTEST_FORM + 1 && pairs.includes(word);
  const [pairs, otherPairs] = [pairsIn(words), pairsIn(others)];
  return words.some((word) => isPair(word, otherPairs)) || others.some((word) => isPair(word, pairs));
}

/** A word of one name has the first letters of the other one's words: `CBA`, `NRMA`, `ANZ`. */
function isInitials(words: readonly string[], others: readonly string[]): boolean {
  const initialsOf = (all: readonly string[]): string => all.map((word) => word[0]).join('');
  const long = others.filter((word) => word.length > 3 || isNamed(word));
  const initials = [others, long, others.filter(isNamed)].map(initialsOf);
  return words.some(
    (word) => word.length >= 2 && isNamed(word) && initials.some((letters) => letters.startsWith(word)),
  );
}

/** Each word of one name, or its first letter alone, begins a word of the other: `J. S.` and `Jo Smith`. */
function isAbbreviated(words: readonly string[], others: readonly string[]): boolean {
  const begins = (short: readonly string[], long: readonly string[]): boolean =>
    short.every((word) => word.length === 1 && long.some((other) => other.startsWith(word)));
  return begins(words, others) || begins(others, words);
}
