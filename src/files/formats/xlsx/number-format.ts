/** What the format of a cell makes of the number in it. */
export type NumberFormat =
  | { readonly kind: 'plain' }
  /** Days since the workbook's epoch. */
  | { readonly kind: 'date' }
  /** Parts of a day, shown without a date. */
  | { readonly kind: 'time' }
  /** Zero is shown as FALSE and every other number as TRUE. */
  | { readonly kind: 'boolean' }
  /** Whole numbers are shown with zeros before them, until they have so many digits: postcodes and telephone numbers. */
  | { readonly kind: 'digits'; readonly digits: number };

export const PLAIN: NumberFormat = { kind: 'plain' };

/** The formats with a number below 164 are Excel's own, and are not spelled out in the file. */
export function builtInFormat(id: number): NumberFormat {
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return { kind: 'time' };
  // From 27 on they are dates in Chinese, Japanese, Korean and Thai spellings.
  const isDate = (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDate ? { kind: 'date' } : PLAIN;
}

/** Text that is shown as it stands, colours, conditions and languages; elapsed times stay, as they are times. */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi;

/** What LibreOffice gives to a formula that is true or false, for programs that know no such numbers. */
const TRUE_OR_FALSE = /^"TRUE";"TRUE";"FALSE"$/i;

/** @param code as a user enters it under "Custom": `dd/mm/yyyy`, `[h]:mm`, `0000 000 000`. */
export function formatOfCode(code: string): NumberFormat {
  if (TRUE_OR_FALSE.test(code)) return { kind: 'boolean' };
  const [positive = ''] = code.replaceAll(LITERALS, ' ').split(';');
  if (/^\s*general\s*$/i.test(positive)) return PLAIN;
  const digits = /^\s*0[0\s-]*$/.test(positive) ? positive.replaceAll(/[^0]/g, '').length : 0;
  if (digits > 1) return { kind: 'digits', digits };
  if (/[yd]/i.test(positive)) return { kind: 'date' };
  if (/[hs]/i.test(positive)) return { kind: 'time' };
  return /m/i.test(positive) ? { kind: 'date' } : PLAIN;
}
