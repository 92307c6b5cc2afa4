import type { JsonValue } from '../core/operation.ts';
import { phrasesIn, wordsIn } from '../core/plain-text.ts';
import { NOTHING_FOUND, NOTHING_TO_REACH, NOUNS, YES_MARKS } from './blank-words.ts';
import { withoutTextMark } from './cell-text.ts';
import type { KindName } from './kind.ts';
import { NO_NAME } from './person-name-words.ts';

/**
 * The one rule of what is blank: no text, or a word for nothing. The words of databases, of R and of people
 * are such in every cell; those of tools only in a column of a kind.
 */

const NOTHING = /^(?:\\n|null|nil|none|nan|<?n\/?a>?|n\.a\.?|undefined|\(?blank\)?|[-\u2013\u2014]+)?$/i;

/** Whether a text has nothing in it but a word that databases, R and people write where they have nothing. */
export const isBlankText = (text: string): boolean => NOTHING.test(text.trim());

/** Kinds with columns in which words of tools count as blank. */
const WITH_TOOLS: ReadonlySet<KindName> = new Set([
  'abn',
  'email',
  'profile_url',
  'profile_slug',
  'website',
  'domain',
  'phone',
  'number',
  'person_name',
]);

/**
 * Whether a cell is blank. No zero is, because it is a value.
 * @param kind of its column; left out: no one knows it.
 */
export const isBlankCell = (cell: string, kind?: KindName): boolean => isNothing(withoutTextMark(cell), kind);

const isNothing = (text: string, kind: KindName | undefined): boolean =>
  isBlankText(text) || (kind !== undefined && WITH_TOOLS.has(kind) && isToolWord(text, kind));

/** Zeros alone are a value, and no one's number. */
const ZEROS = /^0+(?:\.0+)?$/;

/**
 * The text of a cell for an identifier or a role: empty where the cell is blank, or has only zeros.
 * @param kind as of `isBlankCell`.
 */
export function identifierText(cell: string, kind?: KindName): string {
  const text = withoutTextMark(cell);
  return isNothing(text, kind) || ZEROS.test(text) ? '' : text;
}

/** Whether no value is there in an answer, or a word for none. A zero is a value. */
export function holdsNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'object') return Object.values(value).every(holdsNothing);
  return isBlankText(String(value));
}

// ------------------------------------------------------------------------------------------- words of tools

const PLAIN = /^[a-z]+$/i;

/** No word of a tool is longer. */
const LONGEST_WORD = 60;

const wordsOf = (seen: typeof NOTHING_FOUND): readonly string[] =>
  seen.flatMap(([words]) => phrasesIn(words).map(bareWord));

const OF_NOUNS = wordsOf(NOUNS).flatMap((noun) => [
  ...['found', 'available', 'provided', 'returned', 'listed', 'on file', 'given'].map(
    (end) => `no ${noun} ${end}`,
  ),
  ...['not found', 'not available', 'unavailable', 'unknown', 'not provided', 'missing'].map(
    (end) => `${noun} ${end}`,
  ),
  `no ${noun}`,
  `could not find ${noun}`,
  ...['enter', 'enter your', 'please enter', 'insert', 'type', 'add', 'your'].map(
    (verb) => `${verb} ${noun}`,
  ),
  `${noun} here`,
]);

const FOR_ALL = new Set([...wordsOf(NOTHING_FOUND), ...OF_NOUNS]);
const TO_REACH = new Set(wordsOf(NOTHING_TO_REACH));
const FOR_NAME = new Set(wordsOf(NO_NAME));

/** All words for nothing in columns of people's names. */
export const NO_NAMES: readonly string[] = [...FOR_ALL, ...FOR_NAME];
const YES = new Set(wordsIn(YES_MARKS));

/**
 * The word without letter case, and without signs around it: `❌ No email found`, `[Not Provided]`,
 * `Loading…`.
 */
export function bareWord(text: string): string {
  // Most names are such.
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/[^\p{L}\p{N}]+$/u, '')
    .replaceAll(/[\s_-]+/gu, ' ');
}

/** How numbers and addresses begin or go on, and no word does. */
const VALUE = /^\+?\d|\.[a-z\d]{2}/i;

const LETTERS = /[\p{L}\p{N}]/u;

function isToolWord(text: string, kind: KindName): boolean {
  // Nearly every cell is one word without signs, or a value that shows itself at once.
  if (PLAIN.test(text)) return isWordOf(text.toLowerCase(), kind);
  if (text.length > LONGEST_WORD || text.includes('@') || VALUE.test(text)) return false;
  // 🔴, ?, a dot to pass a required field.
  if (!LETTERS.test(text)) return !YES.has(text.replaceAll('\ufe0f', ''));
  const word = bareWord(text);
  if (FOR_ALL.has(word) || isSheetError(text)) return true;
  return isWordOf(word, kind) && (kind !== 'person_name' || !isPlaceholder(text));
}

const isWordOf = (word: string, kind: KindName): boolean =>
  FOR_ALL.has(word) || (kind === 'person_name' ? FOR_NAME : TO_REACH).has(word);

/**
 * A place for a value that a program did not fill: `{{first_name}}`, `%FIRSTNAME%`, `*|FNAME|*`, `<First
 * Name>`.
 */
const PLACEHOLDER =
  /\{\{|\}\}|\$\{|\*\||<<|^%[\w .]+%$|^\{[\w .]+\}$|^<[\w .]+>$|^\$?[A-Z]+_[A-Z_]*NAME$|\[object \w+\]/i;

export const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(text);

/** Signs in the place of letters or digits that a vendor does not show. */
const SIGNS = '*＊∗•●⬤○◦█▓▒░▪■';

const HIDDEN = `[${SIGNS}]{2,}|(?<![a-z])x{2,}(?![a-z])`;
/** In an address one sign hides as much. A sign before a whole address is the bullet of a list. */
const HIDDEN_NAME = `^[${SIGNS}…]+@|^[^\\s@]*[\\p{L}\\p{N}][${SIGNS}…][^\\s@]*@`;
const HIDDEN_HOST = `@[^\\s@]*[${SIGNS}]|@[^\\s@.]*…`;

/** `j••••@acme.com`, `+61 4XX XXX XXX`, `…@acme.com`. */
const MASK = new RegExp(`${HIDDEN}|${HIDDEN_NAME}|${HIDDEN_HOST}`, 'iu');
const MAY_HIDE = new RegExp(`[${SIGNS}…{}$<%\\[]|xx|_name$`, 'iu');
const MASKED_WORD = new RegExp(`[\\p{L}\\p{N}][${SIGNS}]{2,}`, 'u');

/** Whether a text has any of the signs by which it may be a mask or a place for a value. Nearly none has. */
export const mayHide = (text: string): boolean => MAY_HIDE.test(text);

/** Whether signs hide a part of a word, in a text of a kind that takes nearly any text. */
export const isMaskedWord = (text: string): boolean => MASKED_WORD.test(text);

/** Whether a text that is no value of its kind hides one. */
export const isMask = (text: string): boolean => MASK.test(text);

/**
 * Whether a cell is what a spreadsheet shows where a formula found nothing or cannot be computed. Exports
 * keep this as text.
 */
export function isSheetError(cell: string): boolean {
  return /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|ERROR!)$/i.test(cell.trim());
}
