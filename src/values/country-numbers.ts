import { stop } from '../core/errors.ts';
import { foreignName } from '../core/plain-text.ts';
import type { Reading } from '../core/reading.ts';
import type { Numbers } from './mend.ts';

/** Countries with postcodes that begin with a zero, by the number of their digits. */
const POSTCODES: Readonly<Record<number, readonly string[]>> = {
  4: ['AU', 'NO', 'NZ'],
  5: ['DE', 'ES', 'FI', 'FR', 'IT', 'KR', 'MX', 'MY', 'TR', 'US'],
  6: ['CN', 'SG'],
  7: ['JP'],
};

/**
 * libphonenumber is loaded where a country is said.
 * @returns undefined where the country is not given.
 * @throws StopError `usage` for what is no country.
 */
export async function numbersAsRead({ country: code = '' }: Reading): Promise<Numbers | undefined> {
  if (code === '') return undefined;
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const country = code.toUpperCase();
  if (!isSupportedCountry(country)) {
    const next = 'Give the two letters of a country, such as AU.';
    throw stop('usage', `${foreignName(code)} is not a country.`, next);
  }
  return {
    dialled(digits) {
      const number = parsePhoneNumberFromString(digits, country);
      if (number?.isValid() !== true) return undefined;
      const national = number.formatNational().replaceAll(/\D/g, '');
      return national === `0${digits}` ? national : digits;
    },
    postcode: (digits) => (POSTCODES[digits.length + 1]?.includes(country) ? `0${digits}` : digits),
  };
}
