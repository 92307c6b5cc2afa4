import { decodeHTMLStrict } from 'entities/decode';
import { identifierText } from './blank.ts';
import { withoutTextMark } from './cell-text.ts';
import { withoutMojibake } from './misread.ts';
import { LONGEST_CELL, type Read } from './reading.ts';

/**
 * The damage that spreadsheets, exports and mail programs do to a cell, recognised by its traces. A cell that
 * is merely wrong is no damage: reading refuses it. A false alarm is worse than a miss, because a person
 * looks into it.
 */

export type CellIssueKind =
  /** A spreadsheet wrote the number as `5.1E+10`. */
  | 'scientific_notation'
  /** A spreadsheet wrote the digits as a number, as in `51,824,753,556.00`. */
  | 'number_format'
  /** A spreadsheet rounded the number, so its last digits are lost. */
  | 'rounded'
  /** The ABN has ten digits, so one is lost. */
  | 'lost_digit'
  /** The zero in front was dropped. */
  | 'lost_zero'
  /** The checksum of the ABN is wrong. */
  | 'mistyped'
  /** The domain is one slip of a finger away from a usual one, or from another of the list. */
  | 'near_host'
  /** The text was read in a wrong encoding. */
  | 'mojibake'
  /** The cell has characters that no one sees. */
  | 'invisible_character'
  /** The cell has more than the address, such as a label. */
  | 'wrapped_address'
  /** The value has punctuation around it. */
  | 'punctuation'
  /** The address has signs that no address has. */
  | 'misspelled'
  /** The text has signs of a web page, such as `&amp;`. */
  | 'entities'
  /** Pronouns stand beside the name. */
  | 'pronouns'
  /** A spreadsheet took the name for a date, a truth value or a number. */
  | 'sheet_value'
  /** The address has a tail that tracks readers. */
  | 'tracking';

export interface CellIssue {
  readonly kind: CellIssueKind;
  /** What the cell is for sure; absent where only a person can say. */
  readonly repaired?: string;
}

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
export type Damage = (cell: string, numbers?: Numbers) => CellIssue | undefined;

/**
 * The damage of cells that identify somebody.
 * @param sound cells that nothing could change are let through at once, whether or not they are any good.
 */
export function identifierDamage(find: Damage, sound?: RegExp): Damage {
  const damage: Damage = (cell, numbers) => {
    if (sound?.test(cell) === true) return undefined;
    const text = cell.trim();
    if (text === '' || text.length > LONGEST_CELL || identifierText(text) === '') return undefined;
    const shown = withoutTextMark(text);
    // What marks a cell as text is never sent, so it is damaged only where the text itself is.
    return shown === text ? find(text, numbers) : damage(shown, numbers);
  };
  return damage;
}

export interface Mend {
  readonly kind: CellIssueKind;
  /** Total; text that it does not concern comes back as it is. */
  readonly mend: (text: string) => string;
  /** What it takes away may belong to a value that can be used as it is. */
  readonly onlyUnusable?: true;
}

/** Characters that no one sees, such as the zero-width space and the mark of reading direction. */
const INVISIBLE = /\p{Cf}/gu;

export const ENCODING: Mend = { kind: 'mojibake', mend: withoutMojibake };
export const UNSEEN: Mend = { kind: 'invisible_character', mend: (text) => text.replace(INVISIBLE, '') };
/** `&amp;` and `&#64;`, as web pages write signs. Some programs write them twice: `&amp;amp;`. */
function withoutEntities(text: string): string {
  if (!ENTITY.test(text)) return text;
  const decoded = decodeHTMLStrict(text);
  return decoded === text ? text : withoutEntities(decoded);
}

const ENTITY = /&#?[a-z\d]+;/i;

/** `&amp; for &`: what stands in a text for a sign; undefined where all of it is meant. */
export function entityIn(text: string): string | undefined {
  if (withoutEntities(text) === text) return undefined;
  const entity = ENTITY.exec(text)?.[0] ?? '';
  return `${entity} for ${withoutEntities(entity)}`;
}

export const ENTITIES: Mend = { kind: 'entities', mend: withoutEntities, onlyUnusable: true };
const PAIRS = ['""', "''", '<>', '()', '[]', '{}', '``', '“”', '„“', '””', '«»', '»«', '‘’', '’’', '‹›'];
export const QUOTES: Mend = {
  kind: 'punctuation',
  mend(text) {
    const inside = text.slice(1, -1);
    const [first = '', last = ''] = [text.at(0), text.at(-1)];
    const isPair = text.length > 2 && PAIRS.includes(first + last);
    return isPair && !inside.includes(first) && !inside.includes(last) ? inside : text;
  },
  onlyUnusable: true,
};
/** The mark of an item in a list, or of the item before. */
export const BULLET: Mend = {
  kind: 'punctuation',
  mend: (text) => text.replace(/^(?:[-–—*•·‣▪●>]\s+|[;,:]\s*)/, ''),
  onlyUnusable: true,
};
/** `acme.com.au (old)`, `acme.com.au - work`: words that name no other address. */
export const REMARK: Mend = {
  kind: 'wrapped_address',
  mend: (text) => text.replace(/^(\S+)\s*(?:\([^()@.]*\)|\[[^[\]@.]*\]|\s[-–—|]\s+[^@.]+)$/, '$1'),
  onlyUnusable: true,
};
/** The same value again, as lists have it that were put together from others. */
export const REPEATED: Mend = {
  kind: 'wrapped_address',
  mend(text) {
    const [first = '', ...others] = text.split(/[\s,;|]+/);
    const isSame = others.length > 0 && others.every((other) => other.toLowerCase() === first.toLowerCase());
    return isSame ? first : text;
  },
  onlyUnusable: true,
};
/** What stands behind words and a sign: `Anna Bell: …`, `Acme | …`. */
export const behindWords = (value: string): Mend => {
  const pattern = new RegExp(String.raw`^[^@:|/]*(?::|\s[-–—|])\s*(${value})$`, 'i');
  return { kind: 'wrapped_address', mend: (text) => text.replace(pattern, '$1'), onlyUnusable: true };
};
export const end = (marks: string): Mend => ({
  kind: 'punctuation',
  mend: (text) => withoutEnd(text, marks),
  onlyUnusable: true,
});

/**
 * Character by character: a pattern that is tied to the end is tried at every mark of a cell that is full of
 * them.
 */
export function withoutEnd(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && marks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** What mending makes of an identifier, when that is one and another than before. */
export function damageOf(read: Read, mends: readonly Mend[]): Damage {
  return (text) => {
    const before = read(text);
    const { mended, first } = mendedBy(mends, text, before.kind === 'usable');
    if (first === undefined) return undefined;
    const after = read(mended);
    if (after.kind === 'usable') {
      const isSame = before.kind === 'usable' && before.value === after.value;
      return isSame ? undefined : { kind: first, repaired: mended };
    }
    // We know for sure that the text was misread, even where the mended text is still of no use.
    return first === 'mojibake' ? { kind: first } : undefined;
  };
}

/**
 * @param mends in the order in which they are tried: each may uncover what the next one mends.
 * @returns `first`: what the first mend that changed something is for.
 */
function mendedBy(mends: readonly Mend[], text: string, isUsable: boolean) {
  let mended = text;
  let first: CellIssueKind | undefined;
  for (const each of mends) {
    const next = each.onlyUnusable && isUsable ? mended : each.mend(mended).trim();
    if (next !== mended) first ??= each.kind;
    mended = next;
  }
  return { mended, first };
}
