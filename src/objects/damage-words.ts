/** What damage of cells is called behind their count, in a terminal and on the page: "3 in scientific notation". */
export const DAMAGE_WORDS: Readonly<Record<string, string>> = {
  scientific_notation: 'in scientific notation',
  number_format: 'written as a number',
  rounded: 'rounded by a spreadsheet, whose last digits are lost',
  lost_digit: 'of ten digits, so one is lost',
  lost_zero: 'without the zero in front',
  mistyped: 'with a wrong checksum',
  mojibake: 'once read in the wrong encoding',
  invisible_character: 'with invisible characters',
  wrapped_address: 'with more than the address',
  punctuation: 'with punctuation around',
  tracking: 'with tracking parameters',
};
