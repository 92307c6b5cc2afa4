import { loadFamily, OPERATIONS } from '../../core/families.ts';
import type { InputField, Operation } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import { inputOf } from '../../core/steps.ts';
import { email } from '../../values/email.ts';
import type { KindName } from '../../values/kind.ts';
import { abn } from '../../values/number.ts';
import { companyProfile, personProfile } from '../../values/profile.ts';
import { isDate } from '../../values/text.ts';
import { website } from '../../values/website.ts';
import { isNamedWithin, isNameOf, lettersAndDigits, wordsOf } from './column-names.ts';

/**
 * The kind of a column: told by the input that the column feeds, by its name, or by its cells. Guessing,
 * describing, damage, repair and output all use this file. Each of them is as strict as its mistakes are
 * dear: a guess is paid for, a description is only shown.
 */

/**
 * With more than one cell in five of another kind, a kind for the column would be our guess, and not a
 * statement of the file.
 */
export const SHARE_THAT_DECIDES = 0.8;

const KIND_OF_INPUT: Readonly<Record<string, KindName>> = {
  abn: 'abn',
  email: 'email',
  profile_url: 'profile_url',
  profile_slug: 'profile_slug',
  website: 'website',
  domain: 'domain',
  phone: 'phone',
  first_name: 'person_name',
  last_name: 'person_name',
  full_name: 'person_name',
  company: 'company_name',
  name: 'company_name',
  position: 'text',
};

/** What the cells of an operation's input should hold; undefined for an input that cannot be damaged. */
export function kindOfInput(input: string): KindName | undefined {
  const name = inputOf(input);
  return Object.hasOwn(KIND_OF_INPUT, name) ? KIND_OF_INPUT[name] : undefined;
}

const isMeantBy = (input: InputField, column: string): boolean =>
  isNameOf(input, column) || isNamedWithin(input, column);

/**
 * Whether some operation reads a column of that name. A description does not count: such a column stands in
 * any table.
 */
export function isInputName(column: string, operations: Iterable<Operation>): boolean {
  const inputs = [...operations].flatMap((operation) => operation.inputs);
  return inputs.some((input) => input.name !== 'description' && isMeantBy(input, column));
}

/**
 * Tells whether a name is one of an identifier. If an answer stood under such a name, a later run would look
 * it up and pay for it.
 */
export async function identifierNames(): Promise<(name: string) => boolean> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  const inputs = [...operations.values()].flatMap((operation) => operation.inputs);
  const identifiers = inputs.filter(({ looksRight }) => looksRight !== undefined);
  return (name) => identifiers.some((input) => isNameOf(input, name));
}

/**
 * Words of a name that tell the kind of its cells, also where no operation asks for such a column. Nothing is
 * sent because of these words, so they may be looser than the names that an operation takes for sure. For the
 * same reason, cells of another kind are no damage.
 */
const BY_WORDS: readonly (readonly [KindName, RegExp])[] = [
  ['phone', /phone|\b(?:tel|mobile|cell|fax|contact n(?:umber|o))\b/],
  ['postcode', /\b(?:post ?code|postal code|zip|zip ?code)\b/],
  ['abn', /\babn\b/],
  ['email', /\be ?mail\b/],
];

export function kindByName(header: string, operations: Iterable<Operation>): KindName | undefined {
  const name = lettersAndDigits(header);
  const inputs = [...operations].flatMap((operation) => operation.inputs);
  const named = inputs.filter(({ aliases }) => aliases.includes(name));
  for (const input of [...named, ...inputs.filter((each) => isNamedWithin(each, header))]) {
    const kind = kindOfInput(input.name);
    if (kind !== undefined) return kind;
  }
  const words = wordsOf(header, /[^\p{L}\p{N}]+/gu);
  return BY_WORDS.find(([, pattern]) => pattern.test(words))?.[0];
}

/** Names of columns with something about a value, and not the value itself: `Email status`. */
const ABOUT_VALUE = /\b(?:status|verdict|valid|verified|check|result|consent|opt|score|type|source|date)\b/;

export const isAboutValue = (column: string): boolean =>
  ABOUT_VALUE.test(wordsOf(column, /[^\p{L}\p{N}]+/gu));

const FILLED_BY_WORDS: typeof BY_WORDS = [
  ...BY_WORDS,
  ['email', /\be ?mails\b/],
  ['profile_url', /linked ?in|\bprofile\b/],
  ['website', /\b(?:web ?(?:site|page)?|home ?page|domain|url)\b/],
  ['number', /\b(?:acn|nzbn|arbn|company n(?:umber|o))\b/],
  ['person_name', /\b(?:(?:first|given|last|family|full|contact|person) ?name|surname)\b/],
];

/**
 * The kind of a column that a job fills or looks at: by the place of its values in an answer, else by its
 * name. It decides only which words in its cells are blank.
 * @param path left out: no answer fills it.
 */
export function kindOfFilled(column: string, path = ''): KindName | undefined {
  for (const name of [path, column]) {
    const words = wordsOf(name, /[^\p{L}\p{N}]+/gu);
    if (ABOUT_VALUE.test(words)) return undefined;
    const found = FILLED_BY_WORDS.find(([, pattern]) => pattern.test(words))?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

const ACN = /\bacn\b|\baustralian company number\b/;

/** The inputs whose columns are called ACN, or ABN/ACN. */
export const acnInputs = (columns: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(columns)
    .filter(([, column]) => ACN.test(wordsOf(column, /[^\p{L}\p{N}]+/gu)))
    .map(([input]) => inputOf(input));

/** Names of a column of companies, in the order in which one of several is taken. */
const COMPANY_NAMES = [
  /^(?:company|business|organi[sz]ation|trading|legal|entity|charity|account|employer|client|customer)(?: legal)? name$/,
  /^(?:company|business|organi[sz]ation|employer|account|entity|client|customer|charity|school|practice|firm|supplier)$/,
];

/**
 * The column that says what a company is called; undefined where none does. No row is asked by it.
 * @param isOfPeople whether a `name` may be that of a person.
 */
export function companyColumnIn(header: readonly string[], isOfPeople: boolean): number | undefined {
  const names = header.map((name) => wordsOf(name, /[^\p{L}\p{N}]+/gu).trim());
  const patterns = isOfPeople ? COMPANY_NAMES : [...COMPANY_NAMES, /^name$/];
  const at = patterns.map((pattern) => names.findIndex((name) => pattern.test(name)));
  return at.find((each) => each >= 0);
}

/** Whether the cells below the name are web addresses, however they look. */
export function isWebName(header: string): boolean {
  return WEB_NAME.test(wordsOf(header, /[^\p{L}\p{N}]+/gu));
}

const WEB_NAME = /\b(?:web ?(?:site|page)?|home ?page|domain|url|links?|linked ?in|profile)\b/;

/**
 * Columns of digits that stay text in a workbook. Numbers would lose their leading zeros in a
 * spreadsheet.
 */
const NAMES_OF_DIGITS = /(?:^|[^a-z])(?:abn|acn|arbn|nzbn|tfn|bsb|gtin|iban|id|sku|tel|cell|zip)(?:[^a-z]|$)/;

/** Names with the same meaning, also as a part of another word, such as `Telephone`. */
const WITHIN_WORDS = /phone|mobile|fax|postcode|post code|postal|zipcode|account n/;

export function identifierColumns(header: readonly string[]): ReadonlySet<number> {
  return new Set(
    header.flatMap((name, index) => {
      const words = wordsOf(name, /[_\-./]+/g);
      return NAMES_OF_DIGITS.test(words) || WITHIN_WORDS.test(words) ? [index] : [];
    }),
  );
}

/**
 * Words for another person or company. The cells of such a column are valid, so without this list a guess
 * would take the column, and its answers would be paid for.
 */
const ANOTHER: ReadonlySet<string> = new Set(
  wordsIn(`parent ultimate holding group subsidiary supplier vendor reseller distributor wholesaler partner
  agent broker referrer referer referral referred referee introducer sponsor competitor accountant
  auditor lawyer solicitor trustee guarantor landlord insurer previous former old past manager
  supervisor boss assistant spouse guardian kin emergency owner rep salesperson sales by creator
  author sender assigned assignee our ours my billing invoice invoicing source
  `),
);

export function isAboutAnother(column: string): boolean {
  return wordsOf(column, /[^\p{L}]+/gu)
    .split(' ')
    .some((word) => ANOTHER.has(word));
}

/**
 * How a cell looks to a person. These tests are looser than those by which an operation takes a column for
 * sure, because the look is only shown.
 */
export type CellLook = 'ABN' | 'e-mail' | 'website' | 'date' | 'phone' | 'number' | 'text';

/**
 * A telephone number as people write it: with a `+` or a 0 in front. No number for calculations begins with
 * either.
 */
const PHONE = /^(?:tel\.?:?\s*)?(?:\+|\(?0)[\d\s()./\u2013-]{6,}$/i;

/** @param name of the column, which tells a telephone number from other digits. */
export function cellLookOf(cell: string, name = ''): CellLook {
  if (abn.looksRight(cell)) return 'ABN';
  if (email.looksRight(cell)) return 'e-mail';
  const text = cell.trim();
  if (isDate(text)) return 'date';
  if (isPhone(text, name)) return 'phone';
  if (/^[\d\s.,+-]+$/.test(text)) return 'number';
  if (!/\s/.test(text) && website.read(cell).kind === 'usable') return 'website';
  return 'text';
}

/** A share or a measure as a spreadsheet writes it. It begins with a zero, as telephone numbers do. */
const DECIMAL = /^0[.,]\d+$/;

function isPhone(text: string, name: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  if (digits < 7 || digits > 15 || DECIMAL.test(text)) return false;
  // Plain digits with a zero in front may also be the number of a customer.
  return (
    (PHONE.test(text) && /\D/.test(text)) ||
    (/^[\d\s()./+-]+$/.test(text) && kindByName(name, []) === 'phone')
  );
}

/**
 * Whether digits are surely an identifier with which no one calculates, whatever the name of their column is.
 */
export function isIdentifier(digits: string): boolean {
  return digits.length === 11 && abn.read(digits).kind === 'usable';
}

/** What the cells of a column have to look like to tell its kind. */
export const BY_CONTENT: readonly (readonly [KindName, (cell: string) => boolean])[] = [
  ['abn', abn.looksRight],
  ['email', email.looksRight],
  ['profile_url', (cell) => personProfile.looksRight(cell) || companyProfile.looksRight(cell)],
  ['website', website.looksRight],
];
