/**
 * Keeps what we write from becoming a formula when a spreadsheet program opens it: a vendor's answer could read other
 * cells and send them away, or start a program. Cells of the user's own are never passed through here. Imports nothing.
 */

/** As a job and the command line name them. `raw` writes what the vendor said, for programs that read the file. */
export const FORMULA_MODES = ['safe', 'raw'] as const;
export type FormulaMode = (typeof FORMULA_MODES)[number];

export interface SafeCell {
  readonly text: string;
  /** Whether the cell would have begun a formula, so that `text` is not what it was. */
  readonly wasFormula: boolean;
}

/** Spreadsheet programs take it for "what follows is text". In a CSV file they show it. */
const TEXT_MARK = "'";

/**
 * What begins a formula, or hides that one begins: signs, their small, full-width, raised and lowered forms, which become
 * signs where text is normalised, as in an East Asian locale, and tab, CR and LF, which some programs cut off. Blanks, invisible and control characters before them
 * change nothing: some programs pass over them.
 */
const BEGINS_FORMULA =
  /^[\p{White_Space}\p{Cc}\p{Cf}]*[\t\r\n=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u207A\u207C\u208A\u208C\u2A75\u2A76\uFB29]/u;

/** Nothing that a sign begins can be read out of it but a number: no name, no second sign. */
const NUMBER = /^ *[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?%? *$/;

/**
 * `+61 2 9999 0000`: E.164 has 15 digits at most. With hyphens it would be a subtraction, so such a one gets the mark. A
 * list of them is no formula either, wherever it is cut.
 */
const PHONE = /^ *\+\d(?: ?\d){5,14}(?:; \+\d(?: ?\d){5,14})* *$/;

/** Most cells begin with a letter or a digit, and need no more than a look at that. */
const BEGINS_PLAINLY = /^[0-9A-Za-z]/;

/** The cell as it can be opened anywhere. What it returns, it returns unchanged. */
export function safeCell(text: string): SafeCell {
  if (text === '' || BEGINS_PLAINLY.test(text) || !BEGINS_FORMULA.test(text)) {
    return { text, wasFormula: false };
  }
  if (NUMBER.test(text) || PHONE.test(text)) return { text, wasFormula: false };
  return { text: TEXT_MARK + text, wasFormula: true };
}

/** Makes the cells of one set of files safe, or leaves them, and counts those that would have begun a formula. */
export class CellSafety {
  readonly mode: FormulaMode;
  /** Cells that got a mark. */
  marked = 0;

  constructor(mode: FormulaMode) {
    this.mode = mode;
  }

  cell(text: string): string {
    if (this.mode === 'raw') return text;
    const safe = safeCell(text);
    if (safe.wasFormula) this.marked += 1;
    return safe.text;
  }
}
