import type { Code } from '../core/cell-problems.ts';
import { phrasesIn } from '../core/plain-text.ts';
import { bareWord, isMaskedWord, isPlaceholder, mayHide } from './blank.ts';
import { NO_COMPANY } from './company-name-words.ts';
import type { Kind } from './kind.ts';
import { damageOf, ENCODING, ENTITIES, identifierDamage } from './mend.ts';
import { nameReader } from './name.ts';
import { type Unusable, unusable } from './reading.ts';
import { isDate } from './text.ts';
import { EMAIL_LIKE } from './web-address.ts';

const NONE = new Set(NO_COMPANY.flatMap(([words]) => phrasesIn(words).map(bareWord)));

/** As Excel and others write what they took for no text. Firms are called True, and none TRUE. */
const TRUTH = /^(?:TRUE|FALSE|WAHR|FALSCH|VRAI|FAUX)$/;
const SCIENTIFIC = /^-?\d+(?:[.,]\d+)?E[+-]?\d+$/;
const GROUPED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function sheetValue(name: string): string | undefined {
  if (isDate(name)) return 'a date';
  if (TRUTH.test(name)) return 'a truth value';
  return SCIENTIFIC.test(name) || GROUPED.test(name) ? 'a number' : undefined;
}

function whyNone(name: string): Code | Unusable | undefined {
  if (EMAIL_LIKE.test(name) || /^(?:https?:\/\/|www\.)/i.test(name)) return 'address_for_name';
  if (!/\p{L}|\p{N}/u.test(name)) return 'not_a_company_name';
  const value = sheetValue(name);
  if (value !== undefined) return unusable('sheet_value', value);
  if (mayHide(name) && isPlaceholder(name)) return 'placeholder';
  if (mayHide(name) && isMaskedWord(name)) return 'masked_value';
  return NONE.has(bareWord(name)) ? 'placeholder_name' : undefined;
}

const read = nameReader(whyNone, 'company_name');
const mended = damageOf(read, [ENCODING, ENTITIES]);

/** Neither a date nor a truth value, and without a sign by which a name is damaged. */
const SOUND = /^[^&ÃÂâ\d]*[a-z]{2}[^&ÃÂâ\d]*$/;

export const companyName = {
  read,
  damage: identifierDamage(
    (text) => (sheetValue(text) === undefined ? mended(text) : { kind: 'sheet_value' }),
    SOUND,
  ),
} as const satisfies Kind;
