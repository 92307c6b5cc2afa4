import type { Code } from '../core/cell-problems.ts';
import { present } from '../core/objects.ts';
import { identifierText, isBlankCell, mayHide } from './blank.ts';
import { companyName } from './company-name.ts';
import { email } from './email.ts';
import type { Kind, KindName } from './kind.ts';
import type { CellIssue, Numbers } from './mend.ts';
import { abn, registerNumber } from './number.ts';
import { personName } from './person-name.ts';
import { phone, postcode } from './phone.ts';
import { profileSlug, profileUrl } from './profile.ts';
import type { ReadAs, ReadTerms } from './reading.ts';
import { isSameText } from './same-name.ts';
import { text } from './text.ts';
import { isRedirect } from './web-address.ts';
import { domain, website } from './website.ts';

const KINDS: Readonly<Record<KindName, Kind>> = {
  abn,
  email,
  profile_url: profileUrl,
  profile_slug: profileSlug,
  website,
  domain,
  number: registerNumber,
  phone,
  postcode,
  person_name: personName,
  company_name: companyName,
  text,
};

/** As `Damage`, of a column of that kind. */
export const cellIssueOf = (kind: KindName, cell: string, numbers?: Numbers): CellIssue | undefined =>
  KINDS[kind].damage?.(cell, numbers);

/** What a cell is, read as a value of that kind; undefined of a kind that every text is. */
export const readAs = (kind: KindName, cell: string, terms?: ReadTerms): ReadAs | undefined =>
  KINDS[kind].read?.(cell, terms);

/** What is asked in the place of a cell that is a redirect; undefined for any other cell. */
export function askedBehind(kind: KindName, cell: string): string | undefined {
  const readValue = isRedirect(cell) ? KINDS[kind].read?.(cell) : undefined;
  return readValue?.kind === 'usable' ? readValue.value : undefined;
}

/** Why a text is no value of its kind, where it says no more about the person or the company than a blank. */
const SAYS_NOTHING: ReadonlySet<Code> = new Set<Code>([
  'placeholder',
  'masked_value',
  'masked_email',
  'placeholder_email',
  'placeholder_name',
  'placeholder_host',
]);

/**
 * Whether a cell of a column that an answer fills has something of the user's. A mask and a place for a value
 * are looked for as a blank is; a damaged address and a person's own words are not.
 * @param kind as of `isBlankCell`.
 */
export function isFilled(cell: string, kind?: KindName): boolean {
  if (kind === undefined || KINDS[kind].read === undefined) return !isBlankCell(cell, kind);
  if (identifierText(cell, kind) === '') return false;
  const { read, mayStandIn } = KINDS[kind];
  if (mayStandIn?.(cell) === false && !mayHide(cell)) return true;
  const readValue = read?.(cell);
  return readValue?.kind !== 'unusable' || !SAYS_NOTHING.has(readValue.code);
}

/** Why a text is no value of its kind, where it is something else altogether. */
const SOMETHING_ELSE: ReadonlySet<Code> = new Set<Code>([
  'not_an_email',
  'not_a_phone',
  'not_a_web_address',
  'no_dot_in_host',
  'contains_spaces',
  'not_a_register_number',
]);

/**
 * An address, a number or a link, right or not: nearly every cell, which so need not be read. Stray dots make
 * an address something else.
 */
const LOOKS_RIGHT = /^(?:\+?[\d\s().-]+|(?!\.|.*\.[.@])[^\s@]+@[^\s@]+\.[^\s@]+|https?:\/\/\S+)$/i;

/** Why no one is reached by a cell that is filled; undefined where somebody may be. */
export function problemOf(
  cell: string,
  kind: KindName,
): { readonly code: Code; readonly about?: string } | undefined {
  if (LOOKS_RIGHT.test(cell)) return undefined;
  const readValue = KINDS[kind].read?.(cell);
  if (readValue?.kind !== 'unusable' || !SOMETHING_ELSE.has(readValue.code)) return undefined;
  return { code: readValue.code, ...present({ about: readValue.about }) };
}

const NUMBER = /^-?\d{1,3}(?:,?\d{3})*(?:\.\d+)?$/;

/**
 * Whether a cell says the same as another one, so that no one has to look at both: `harbour.example` and
 * `https://www.harbour.example/about`, `Acme` and `ACME Pty Ltd`, `1200` and `1,200`.
 * @param kind of the column of the first; left out: words or numbers.
 */
export function saysSame(one: string, other: string, kind?: KindName): boolean {
  const [text, otherText] = [one.trim(), other.trim()];
  if (NUMBER.test(text) && NUMBER.test(otherText))
    return Number(text.replaceAll(',', '')) === Number(otherText.replaceAll(',', ''));
  const read = KINDS[kind === 'website' ? 'domain' : (kind ?? 'text')].read;
  const [readValue, otherSaid] = [read?.(text), read?.(otherText)];
  if (readValue?.kind === 'usable' && otherSaid?.kind === 'usable' && readValue.value === otherSaid.value)
    return true;
  return isSameText(text, otherText);
}
