import type { Kind } from './kind.ts';
import type { Damage } from './mend.ts';
import { withoutMojibake } from './misread.ts';
import { identifierReader, LONGEST_CELL, unusable, usable } from './reading.ts';

/**
 * Texts that people read: any of them may be right, so nothing of them is damage but letters that were
 * misread.
 */

/** Cells that were not misread for sure. */
const SOUND = /^[ -~]*$/;

export const textDamage: Damage = (cell) => {
  const text = cell.trim();
  if (SOUND.test(cell) || text.length > LONGEST_CELL) return undefined;
  const mended = withoutMojibake(text);
  return mended === text ? undefined : { kind: 'mojibake', repaired: mended };
};

export const text = { damage: textDamage } as const satisfies Kind;

/** A country by its name, or by a code of two or three letters in capitals. */
export const country = {
  read: identifierReader((text) => {
    const name = text.replaceAll(/\s+/gu, ' ');
    if (!/^[\p{L}\p{M}]{2}[\p{L}\p{M} ().,'-]*$/u.test(name)) return unusable('not_a_country');
    return usable(name.length <= 3 ? name.toUpperCase() : name);
  }),
} as const satisfies Kind;

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
