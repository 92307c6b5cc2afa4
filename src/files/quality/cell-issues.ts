import { present } from '../../core/objects.ts';
import type { Normalised } from '../../core/operation.ts';
import { isRounded, readAbn } from '../../operations/lookup/abn.ts';
import {
  identifierText,
  normaliseAbn,
  normaliseCompanyProfile,
  normaliseDomain,
  normaliseEmail,
  normalisePersonProfile,
  normaliseProfileSlug,
  normaliseWebsite,
  withoutTextMark,
  withoutTracking,
} from '../../operations/lookup/identifiers.ts';

/**
 * The damage that spreadsheets, exports and mail programs do to a cell, recognised by its traces. A cell that
 * is merely wrong is no damage: normalising refuses it. A false alarm is worse than a miss, because a person
 * looks into it.
 */

/** The kind of value that a cell should hold. It decides which cells are damaged. */
export type CellKind =
  | 'abn'
  | 'email'
  | 'profile_url'
  | 'profile_slug'
  | 'website'
  | 'domain'
  | 'phone'
  | 'postcode'
  | 'text';

export type CellIssueKind =
  | 'scientific_notation'
  | 'number_format'
  | 'rounded'
  | 'lost_digit'
  | 'lost_zero'
  | 'mistyped'
  | 'mojibake'
  | 'invisible_character'
  | 'wrapped_address'
  | 'punctuation'
  | 'tracking';

export interface CellIssue {
  readonly kind: CellIssueKind;
  /** What the cell is for sure; absent where only a person can say. */
  readonly repaired?: string;
}

/** Longer than any identifier may be, and than any cell that is worth mending. */
const LONGEST_CELL = 2048;

/**
 * How telephone numbers and postcodes are written in a country. The same digits are another number in another
 * one, so without a country nothing of them is repaired.
 */
export interface Numbers {
  /** A telephone number with the zero that was dropped in front; undefined for digits that are none there. */
  dialled(digits: string): string | undefined;
  /** A postcode with the zero that was dropped, where one was. */
  postcode(digits: string): string;
}

/**
 * What the damage of a cell is; undefined when there is none that we know, or the cell is read right as it
 * is. Total and pure; `repaired` has none itself.
 * @param numbers how telephone numbers and postcodes are written there; left out: no repair of these is sure.
 */
export function cellIssueOf(kind: CellKind, cell: string, numbers?: Numbers): CellIssue | undefined {
  if (SOUND[kind]?.test(cell) === true) return undefined;
  const text = cell.trim();
  if (text === '' || text.length > LONGEST_CELL) return undefined;
  if (kind !== 'text' && identifierText(text) === '') return undefined;
  const shown = kind === 'text' ? text : withoutTextMark(text);
  // What marks a cell as text is never sent, so it is damaged only where the text itself is.
  if (shown !== text) return cellIssueOf(kind, shown, numbers);
  switch (kind) {
    case 'abn':
      return abnIssue(text);
    case 'phone':
      return phoneIssue(text, numbers);
    case 'postcode':
      return postcodeIssue(text, numbers);
    case 'text':
      return textIssue(text);
    case 'profile_url':
    case 'email':
    case 'profile_slug':
    case 'website':
    case 'domain':
      return mendedText(kind, text);
  }
}

/** Cells that no mend below could change are let through at once, whether or not they are any good. */
const SOUND: { readonly [Kind in CellKind]?: RegExp } = {
  email: /^[\w.+&@-]*[a-z0-9]$/i,
  website: /^[\w.:/~%=-]*$/,
  domain: /^[\w.:/~%=@+-]*$/,
  profile_slug: /^[\w/-]*$/,
  text: /^[ -~]*$/,
};

/**
 * What stands before and between the digits of a number that is written for people, and characters that
 * nobody sees.
 */
const AROUND_DIGITS = /^A\.?B\.?N\.?:?|[\s.\-\p{Pd}\p{Cf}]/giu;

function abnIssue(text: string): CellIssue | undefined {
  const reading = readAbn(text);
  if (reading.kind === 'usable' || reading.kind === 'blank') return undefined;
  const number = readSpreadsheetNumber(text);
  if (number !== undefined) {
    const { kind, digits = '' } = number;
    if (readAbn(digits).kind === 'usable') return { kind, repaired: digits };
    if (kind === 'scientific_notation') return { kind };
  }
  const mended = mendedText('abn', text);
  if (mended !== undefined) return mended;
  const digits = (number?.digits ?? text).replace(AROUND_DIGITS, '');
  if (!/^[0-9]{10,11}$/.test(digits)) return undefined;
  if (isRounded(digits)) return { kind: 'rounded' };
  return { kind: digits.length === 10 ? 'lost_digit' : 'mistyped' };
}

/** A telephone number as it is dialled from abroad, or at home. */
const PHONE_DIGITS = /^[0-9]{8,15}$/;

function phoneIssue(text: string, numbers: Numbers | undefined): CellIssue | undefined {
  const number = readSpreadsheetNumber(text);
  const digits = number?.digits ?? text;
  if (PHONE_DIGITS.test(digits)) return digitsIssue(number, digits, numbers?.dialled(digits));
  return number?.kind === 'scientific_notation' ? { kind: number.kind } : undefined;
}

const DIGITS = /^[1-9][0-9]*$/;

function postcodeIssue(text: string, numbers: Numbers | undefined): CellIssue | undefined {
  const number = readSpreadsheetNumber(text);
  const digits = number?.digits ?? text;
  return DIGITS.test(digits) ? digitsIssue(number, digits, numbers?.postcode(digits)) : undefined;
}

/** @param meant the digits with the zero that was dropped; undefined where nobody can say. */
function digitsIssue(
  number: NumberReading | undefined,
  digits: string,
  meant: string | undefined,
): CellIssue | undefined {
  if (number === undefined && (meant === undefined || meant === digits)) return undefined;
  return { kind: number?.kind ?? 'lost_zero', ...present({ repaired: meant }) };
}

function textIssue(text: string): CellIssue | undefined {
  const mended = withoutMojibake(text);
  return mended === text ? undefined : { kind: 'mojibake', repaired: mended };
}

type Mendable = 'abn' | 'email' | 'profile_url' | 'profile_slug' | 'website' | 'domain';

const NORMALISERS: { readonly [Kind in Mendable]: (cell: string) => Normalised } = {
  abn: normaliseAbn,
  email: normaliseEmail,
  profile_url: (cell) => {
    const person = normalisePersonProfile(cell);
    return person.kind === 'usable' ? person : normaliseCompanyProfile(cell);
  },
  profile_slug: normaliseProfileSlug,
  website: normaliseWebsite,
  domain: normaliseDomain,
};

interface Mend {
  readonly kind: CellIssueKind;
  /** Total; text that it does not concern comes back as it is. */
  readonly mend: (text: string) => string;
  /** What it takes away may belong to a value that can be used as it is. */
  readonly onlyUnusable?: true;
}

/** Characters that nobody sees, such as the zero-width space and the mark of reading direction. */
const INVISIBLE = /\p{Cf}/gu;

const ENCODING: Mend = { kind: 'mojibake', mend: withoutMojibake };
const UNSEEN: Mend = { kind: 'invisible_character', mend: (text) => text.replace(INVISIBLE, '') };
const QUOTES: Mend = {
  kind: 'punctuation',
  mend: (text) => /^(?:"([^"]*)"|'([^']*)'|<([^<>]*)>)$/.exec(text)?.slice(1).join('') ?? text,
  onlyUnusable: true,
};
const end = (marks: string): Mend => ({
  kind: 'punctuation',
  mend: (text) => withoutEnd(text, marks),
  onlyUnusable: true,
});
const END_OF_URL = end(' ,;');
const END_OF_EMAIL = end(' .,:;');
const NAME: Mend = { kind: 'wrapped_address', mend: unwrapped, onlyUnusable: true };
const VISIT: Mend = { kind: 'tracking', mend: withoutTracking };

/** The mends in the order in which they are tried: each may uncover what the next one mends. */
const MENDS: { readonly [Kind in Mendable]: readonly Mend[] } = {
  abn: [ENCODING, QUOTES],
  email: [ENCODING, UNSEEN, END_OF_EMAIL, QUOTES, NAME, END_OF_EMAIL],
  profile_url: [ENCODING, UNSEEN, END_OF_URL, QUOTES, END_OF_URL],
  profile_slug: [ENCODING, UNSEEN],
  website: [ENCODING, UNSEEN, END_OF_URL, QUOTES, END_OF_URL, VISIT],
  domain: [ENCODING, UNSEEN, END_OF_URL, QUOTES, END_OF_URL],
};

/**
 * Character by character: a pattern that is tied to the end is tried at every mark of a cell that is full of
 * them.
 */
function withoutEnd(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && marks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * `Jo <jo@x.com>`, `mailto:jo@x.com?subject=…`. A name that is another address leaves open which one was
 * meant.
 */
function unwrapped(text: string): string {
  const { name = '', inside } = /^(?<name>[^<>]*)<(?<inside>[^<>]*)>$/.exec(text)?.groups ?? {};
  const address = (inside ?? text)
    .trim()
    .replace(/^mailto:/i, '')
    .replace(inside === undefined ? /\?.*$/ : '', '');
  const isOther = name.includes('@') && name.replace(/["'\s]/g, '').toLowerCase() !== address.toLowerCase();
  return isOther || (inside === undefined && !/^mailto:/i.test(text)) ? text : address;
}

/** What mending makes of an identifier, when that is one and another than before. */
function mendedText(kind: Mendable, text: string): CellIssue | undefined {
  const normalise = NORMALISERS[kind];
  const before = normalise(text);
  let mended = text;
  let first: CellIssueKind | undefined;
  for (const each of MENDS[kind]) {
    const next = each.onlyUnusable && before.kind === 'usable' ? mended : each.mend(mended).trim();
    if (next !== mended) first ??= each.kind;
    mended = next;
  }
  if (first === undefined) return undefined;
  const after = normalise(mended);
  if (after.kind === 'usable') {
    const isSame = before.kind === 'usable' && before.value === after.value;
    return isSame ? undefined : { kind: first, repaired: mended };
  }
  // We know for sure that the text was misread, even where the mended text is still of no use.
  return first === 'mojibake' ? { kind: first } : undefined;
}

// ------------------------------------------------------------------------------------------ misread text

/**
 * Text that was written as UTF-8 and read as Windows-1252: `CafÃ©` for `Café`. Undone only where nothing else
 * can be meant, because a name that is spelled in a way that we do not expect is no damage.
 */

/** Bytes 0x80 to 0xFF as Windows-1252 shows them, by their character. */
const BYTE_OF: ReadonlyMap<string, number> = new Map(
  [...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at))].map(
    (character, at) => [character, 128 + at] as const,
  ),
);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * What gives it away: the first half of a Latin letter followed by a second half, or the beginning of a
 * typographic mark. After a capital such as in "IRMÃ®" the pair may be two characters that were meant, and
 * what commonly follows a word (…, quotation marks, dashes, ™) is no second half at all.
 */
const EVIDENCE =
  /(?<!\p{Lu})(?:Ã[\u00a0-\u00bf]|Â[\u00a0-\u00bf])|Ã[€\u0081‚ƒ„†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090˜š›œ\u009džŸ]|â€|â‚¬|â„¢/u;

/** The text as it was before it was misread, once or more; the same text when that is not sure. */
function withoutMojibake(text: string): string {
  let mended: string | undefined = text;
  while (mended !== undefined && EVIDENCE.test(mended)) mended = readAgain(mended);
  return mended ?? text;
}

/**
 * Undefined when the text cannot have been UTF-8: a character of it has no byte, or its bytes do not fit
 * together.
 */
function readAgain(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = code < 128 ? code : BYTE_OF.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

// --------------------------------------------------------------- digits that a spreadsheet took for a number

/** What a spreadsheet makes of digits that are a name and no number. */

type NumberReading =
  /** `4.4677E+10`; `digits` where all of them are still there, as in `5.1824753556E+10`. */
  | { readonly kind: 'scientific_notation'; readonly digits: string | undefined }
  /** `51824753556.0`, `51,824,753,556`: all digits are there. */
  | { readonly kind: 'number_format'; readonly digits: string };

const SCIENTIFIC = /^(?<first>\d)(?:[.,](?<decimals>\d+))?E\+?(?<exponent>\d{1,2})$/i;

/** The marks that belong to a number alone. */
const FORMATTED = /^(?<digits>\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?$/;

/** Undefined for anything else, plain digits included. */
function readSpreadsheetNumber(text: string): NumberReading | undefined {
  const scientific = SCIENTIFIC.exec(text)?.groups;
  if (scientific !== undefined) {
    const { first = '', decimals = '', exponent = '' } = scientific;
    const isWhole = decimals.length === Number(exponent);
    return { kind: 'scientific_notation', digits: isWhole ? first + decimals : undefined };
  }
  const digits = FORMATTED.exec(text)?.groups?.digits?.replaceAll(',', '');
  return digits === undefined || digits === text ? undefined : { kind: 'number_format', digits };
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)';

/** `12/03/2022`, `2022-03-12`, `12 Mar 2022`, `Mar-22`: enough to tell a column of dates. */
const DATE = new RegExp(
  `^(?:${MONTH}-\\d{2}|\\d{1,2}-${MONTH}|\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}|\\d{1,2}[- ` +
    `]${MONTH}[a-z]*[- ]\\d{2,4})(?:[T ]\\d.*)?$`,
);

/** Whether text looks like a date, so that a column of such cells is one of dates. */
export function isDate(text: string): boolean {
  return DATE.test(text);
}
