/**
 * Keeps our cells from becoming formulas when a spreadsheet program opens them: a vendor's answer could read
 * other cells and send them away, or start a program. The user's own cells are never passed through here.
 * This file imports nothing.
 */

/**
 * The modes by their names in jobs and flags. `raw` writes the vendor's own text, for programs that read the
 * file.
 */
export const FORMULA_MODES = ['safe', 'raw'] as const;
export type FormulaMode = (typeof FORMULA_MODES)[number];

/** Spreadsheet programs take this for "a text follows". In a CSV file they show it. */
const TEXT_MARK = "'";

/**
 * Characters that begin a formula, or hide that one begins. The first are signs, and their small, full-width,
 * raised and lowered forms, which become signs where text is normalised, as in an East Asian locale. The
 * others are tab, CR and LF, which some programs cut off. Some programs skip blanks, invisible and control
 * characters before them, so these change nothing.
 */
const SIGNS =
  '=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\u207A\\u207C\\u208A\\u208C\\u2A75\\u2A76\\uFB29';
const BEGINS_FORMULA = new RegExp(`^[\\p{White_Space}\\p{Cc}\\p{Cf}]*[\\t\\r\\n${SIGNS}]`, 'u');

/**
 * A program may split a line at these characters, because it does not know a file's delimiter. Where it takes
 * another delimiter than ours, quotes that do not stand at the beginning protect nothing. Then any part may
 * be a cell, and loses its quotes.
 */
const SEPARATORS = /([;,|\t\r\n])/;
const PART_BEGINS_FORMULA = new RegExp(`^[\\p{White_Space}\\p{Cc}\\p{Cf}"]*[${SIGNS}]`, 'u');

/** A text that begins with a sign and can only be read as a number: no name, no second sign. */
const NUMBER = /^ *[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?%? *$/;

/**
 * `+61 2 9999 0000`: E.164 has 15 digits at most. With hyphens it would be a subtraction, so such a number
 * gets the mark. A list of numbers is no formula either, wherever it is cut.
 */
const PHONE = /^ *\+\d(?: ?\d){5,14}(?:; \+\d(?: ?\d){5,14})* *$/;

const REST = '[^;,|\\p{Cc}]*';

/**
 * Most cells begin with a letter or a digit, and no separator in them is followed by a sign. Such a cell
 * needs no further look.
 */
const PLAIN = new RegExp(
  `^[0-9A-Za-z]${REST}(?:[;,|](?![\\p{White_Space}\\p{Cf}"]*[${SIGNS}])${REST})*$`,
  'u',
);

/** Control characters except tab and line ends, which are part of texts of several lines. */
const INVISIBLE = /[^\P{Cc}\t\n\r]/gu;

/**
 * Leaves out control characters of ASCII: a terminal obeys them, and no one sees why two cells differ in
 * them. Those above ASCII come from letters that were read in a wrong encoding. A sign stands in their place,
 * because a letter that is missing without a sign would make another name.
 */
function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => (character < '\u0080' ? '' : '\uFFFD'));
}

/**
 * The cell in a form that can be opened and printed anywhere. A result passes through unchanged. In linear
 * time.
 */
export function safeCell(cell: string): string {
  if (cell === '' || PLAIN.test(cell) || isNumberOrPhone(cell)) return cell;
  const text = visible(cell);
  const [first = '', ...rest] = text.split(SEPARATORS);
  const isList = LIST_SEPARATORS.has(rest[0] ?? '') && isNumberOrPhone(first);
  const begins = BEGINS_FORMULA.test(text) && !isList;
  // Separators and the parts behind them alternate.
  const marked = rest.map((part, at) => (at % 2 === 1 && mayBeFormula(part) ? TEXT_MARK + part : part));
  return `${begins ? TEXT_MARK : ''}${first}${marked.join('')}`;
}

const LIST_SEPARATORS: ReadonlySet<string> = new Set([';', ',', '|']);

function mayBeFormula(part: string): boolean {
  return PART_BEGINS_FORMULA.test(part) && !isNumberOrPhone(part);
}

function isNumberOrPhone(text: string): boolean {
  return NUMBER.test(text) || PHONE.test(text);
}

/** Makes a cell safe, or leaves it. */
export type CellSafety = (cell: string) => string;

export const asItIs: CellSafety = (cell) => cell;

export const safetyIn = (mode: FormulaMode): CellSafety => (mode === 'raw' ? asItIs : safeCell);
