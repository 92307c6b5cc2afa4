/**
 * Text that others wrote (a vendor's answer, a cell of a file), made safe to show. A terminal obeys control
 * characters: an answer could retype a command, hide a line or turn the reading direction.
 */

/** Characters that turn the reading direction, so that a reader sees another text than the stored one. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The beginnings and ends of sequences. ECMA-48 has each in seven bits, after ESC, and in eight. */
const ESC = '\u001b';
const BELL = '\u0007';
const C1 = '\u0080-\u009f';
const CSI = '\u009b';
const STRINGS = '[\u0090\u0098\u009d-\u009f]';
const END = '\u009c';

/**
 * The sequences that a terminal obeys: one with its parameters, a string such as a title with its end, or two
 * characters. No part of a sequence can hold the beginning of another one, so nothing is read twice, however
 * often a text repeats it.
 */
const SEQUENCE = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[\\]PX^_]|${STRINGS})[^${BELL}${ESC}${C1}]*(?:${BELL}|${ESC}\\\\|${END})`,
    `${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

/** One line without control characters; line ends and tabs become a space. In linear time. */
export function plainText(text: string): string {
  return plainLines(text.replace(/[\t\n\r\u0085\u2028\u2029]+/gu, ' '));
}

/** Text without control characters; line ends and tabs stay. */
export function plainLines(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(DIRECTION, '')
    .replace(/[\u2028\u2029]/gu, ' ')
    .toWellFormed();
}

/**
 * One line of JSON with the same meaning that a terminal does not obey: characters that JSON allows unescaped
 * are spelled out.
 */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The most characters of a foreign text that are shown: they fit a cell and a terminal. */
const LONGEST_WORDS = 300;

/**
 * How many characters are read for each one that is shown: the others may be control sequences and blanks.
 */
const LOOKED_AT = 4;

/**
 * Foreign text for a line of ours: on a terminal, in a log, a report or a reason. It is cut before it is
 * cleaned, so that a long text costs no more than a short one. An ellipsis shows that something is missing.
 */
export function foreignWords(text: string, longest = LONGEST_WORDS): string {
  const looked = text.slice(0, longest * LOOKED_AT);
  const words = plainText(looked).replace(/\s+/gu, ' ').trim();
  const shown = words.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
  const isCut = looked.length < text.trimEnd().length || shown.length < words.length;
  return isCut ? `${shown}…` : shown;
}

/** The most characters of a column's or sheet's name in a quotation. */
const LONGEST_NAME = 80;

/**
 * A foreign name in quotes. Invisible characters in it are spelled out, because they are part of the name.
 */
export function foreignName(name: string): string {
  return plainJson(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
}

/** `1 credit`, `2,000 credits`; a plural without an `s` is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** The lines that have a text: `false`, `null` and undefined are left out. */
export function linesOf(
  ...parts: readonly (string | readonly string[] | false | null | undefined)[]
): readonly string[] {
  return parts.flat().filter((part) => typeof part === 'string');
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly (string | number)[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? `${last}` : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** `at most 62 spent` where it may have been less. Zero is never "at most". */
export function atMost(amount: number, isAtMost: boolean | undefined, text: string): string {
  return isAtMost === true && amount > 0 ? `at most ${text}` : text;
}

/**
 * `1,234,567` and `1,234.5`, as an Australian writes them. `toLocaleString` is not used: its first call in a
 * process reads more than a run of a short list.
 */
export function grouped(value: number): string {
  return String(value).replace(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A fact as a sentence: with a full stop, unless it ends with a mark of its own or of a quotation. */
export function sentence(fact: string): string {
  return /[.!?…:]"?$/u.test(fact) ? fact : `${fact}.`;
}

/** Text as HTML and XML need it in an element, and in an attribute between quotes of either kind. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The words of a text between blanks and line ends, for long lists of words in the source. */
export function wordsIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** The same for phrases, between commas. */
export function phrasesIn(text: string): string[] {
  return text.split(',').map((phrase) => phrase.trim());
}
