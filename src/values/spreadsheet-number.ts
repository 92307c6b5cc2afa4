/** What a spreadsheet makes of digits that are a name and no number. */

export type NumberReading =
  /** `4.4677E+10`; `digits` where all of them are still there, as in `5.1824753556E+10`. */
  | { readonly kind: 'scientific_notation'; readonly digits: string | undefined }
  /** `51824753556.0`, `51,824,753,556`: all digits are there. */
  | { readonly kind: 'number_format'; readonly digits: string };

const SCIENTIFIC = /^(?<first>\d)(?:[.,](?<decimals>\d+))?E\+?(?<exponent>\d{1,2})$/i;

/** The marks that belong to a number alone. */
const FORMATTED = /^(?<digits>\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?$/;

/** Undefined for anything else, plain digits included. */
export function readSpreadsheetNumber(text: string): NumberReading | undefined {
  const scientific = SCIENTIFIC.exec(text)?.groups;
  if (scientific !== undefined) {
    const { first = '', decimals = '', exponent = '' } = scientific;
    const isWhole = decimals.length === Number(exponent);
    return { kind: 'scientific_notation', digits: isWhole ? first + decimals : undefined };
  }
  const digits = FORMATTED.exec(text)?.groups?.digits?.replaceAll(',', '');
  return digits === undefined || digits === text ? undefined : { kind: 'number_format', digits };
}
