import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
import { stop } from '../../core/errors.ts';
import { foreignName } from '../../core/plain-text.ts';

/**
 * How telephone numbers and postcodes are written in a country. The same digits are another number in another one, so
 * without a country nothing of them is repaired. The numbers are told by libphonenumber, loaded where one is to be told.
 */

/** A country of which numbers can be told, by its two letters. */
export type Country = string & { readonly __country: unique symbol };

type Library = Pick<
  typeof import('libphonenumber-js/max'),
  'parsePhoneNumberFromString' | 'isSupportedCountry'
>;

let library: Library | undefined;

/** Reads the library, for a country that was said. @throws StopError `usage` for what is no country. */
export async function countryOf(code: string): Promise<Country> {
  library ??= await import('libphonenumber-js/max');
  const upper = code.toUpperCase();
  if (library.isSupportedCountry(upper)) return upper as string as Country;
  const next = 'Give the two letters of a country, such as AU.';
  throw stop('usage', `${foreignName(code)} is not a country.`, next);
}

/** Digits with the zero that was dropped in front; undefined for digits that are no number there. */
export function dialled(digits: string, country: Country): string | undefined {
  const number: PhoneNumber | undefined = library?.parsePhoneNumberFromString(
    digits,
    country as string as CountryCode,
  );
  if (number?.isValid() !== true) return undefined;
  const national = number.formatNational().replaceAll(/\D/g, '');
  return national === `0${digits}` ? national : digits;
}

/** How many digits the postcodes have of countries in which some begin with a zero. */
const POSTCODE_DIGITS: Readonly<Record<string, number>> = {
  ...{ AU: 4, DE: 5, ES: 5, FI: 5, FR: 5, IT: 5, KR: 5, MX: 5, MY: 5, NO: 4, NZ: 4, TR: 5, US: 5 },
  ...{ CN: 6, JP: 7, SG: 6 },
};

/** The postcode with the zero that was dropped; undefined where none was. */
export function withZero(digits: string, country: Country): string | undefined {
  return digits.length + 1 === POSTCODE_DIGITS[country] ? `0${digits}` : undefined;
}
