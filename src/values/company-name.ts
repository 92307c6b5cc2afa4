import { phrasesIn } from '../core/plain-text.ts';
import { bareWord } from './blank.ts';
import type { Kind } from './kind.ts';
import type { Damage } from './mend.ts';
import { isPlaceholder, nameReader } from './name.ts';
import type { Code } from './problem-words.ts';
import { isDate, textDamage } from './text.ts';
import { EMAIL_LIKE } from './web-address.ts';

/**
 * Words for no company. Some words for nothing are missing: companies are called Empty, Blank and Loading.
 */
const NONE = new Set(
  phrasesIn(`
    none, null, nil, n/a, na, undefined, not provided, not available, not applicable, not found, not specified, tbc, tba,
    tbd, to be confirmed, to be advised, unknown, unknown company, no company, no company name, company name, companyname,
    company, organisation name, organization name, business name, account name, employer name, your company
  `),
);

/** As Excel and others write what they took for no text. Firms are called True, and none TRUE. */
const SHEET_VALUE = /^(?:TRUE|FALSE|WAHR|FALSCH|VRAI|FAUX|-?\d+(?:[.,]\d+)?E[+-]?\d+)$/;

const isSheetValue = (name: string): boolean => SHEET_VALUE.test(name) || isDate(name);

function whyNone(name: string): Code | undefined {
  if (EMAIL_LIKE.test(name) || /^(?:https?:\/\/|www\.)/i.test(name)) return 'address_for_name';
  if (!/\p{L}|\p{N}/u.test(name)) return 'no_company';
  if (isSheetValue(name)) return 'sheet_value';
  if (isPlaceholder(name)) return 'placeholder';
  return NONE.has(bareWord(name)) ? 'stand_in_name' : undefined;
}

const damage: Damage = (cell) => (isSheetValue(cell.trim()) ? { kind: 'sheet_value' } : textDamage(cell));

export const companyName = { read: nameReader(whyNone, 'company_name'), damage } as const satisfies Kind;
