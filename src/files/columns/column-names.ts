import type { InputField } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';

/** What a column is called, by a person or by the program that wrote the list, and which input is meant. */

/** "Charity_Website" and "charity website" are one name: only letters and digits tell names apart. */
export function lettersAndDigits(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Capitals within a word begin another word, as in `parentAbn`. */
export function wordsOf(name: string, separator: RegExp): string {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(separator, ' ')
    .toLowerCase();
}

/** Whether the column has a name of the input, and nothing else. */
export function isNameOf({ name, aliases }: InputField, column: string): boolean {
  const text = lettersAndDigits(column);
  return text === lettersAndDigits(name) || aliases.includes(text);
}

/**
 * Whether a name of the input is in that of the column, as programs write it. It stands behind the object
 * that has it (`Account: Website`, `Person - Email - Work`), or as the field of a template (`Email address to
 * invite [inviteeEmail] Required`).
 */
export function isNamedWithin(input: InputField, column: string): boolean {
  const plain = column.trim().replace(/\s*[[(]?(?:required|optional|mandatory)[\])]?\s*\*?$/i, '');
  const [, label = plain, field] = /^(.*\S)\s*\[([^\]]+)\]$/.exec(plain) ?? [];
  if (label !== column && isNameOf(input, label)) return true;
  if (isOfObject(input, label.split(BEHIND_OBJECT))) return true;
  return field !== undefined && (isNameOf(input, field) || isOfObject(input, firstWordOf(field)));
}

/** Between an object of a program and what it has: of Salesforce, Pipedrive, HubSpot and queries. */
const BEHIND_OBJECT = /\s*[:>›→/|]+\s*|\s+[-–—]\s+|(?<=\p{L})\.(?=\p{L})/u;

interface ObjectKind {
  /** How programs call one of them. */
  readonly words: readonly string[];
  /** How the names of an input begin that is about one of them. */
  readonly beginnings: readonly string[];
}

const OBJECTS: readonly ObjectKind[] = [
  {
    words: wordsIn('account company organisation organization'),
    beginnings: ['company', 'account', 'organisation', 'organization'],
  },
  {
    words: wordsIn(`contact person people lead prospect candidate user member invitee recipient attendee
      employee`),
    beginnings: ['contact', 'person', 'user', 'member'],
  },
];

/** Which of several one is: the one that people are asked about at work. */
const AT_WORK: readonly string[] = ['work', 'business', 'office', 'primary'];

/** Of an object's own name each kind of object has one. */
const OF_ANY_OBJECT: readonly string[] = ['name', 'contact', 'number'];

function isOfObject(input: InputField, [object = '', ...others]: readonly string[]): boolean {
  const kind = OBJECTS.find(({ words }) => words.includes(lettersAndDigits(object)));
  const parts = others.map(lettersAndDigits);
  const name = parts.filter((part, at) => at === 0 || !AT_WORK.includes(part)).join('');
  if (kind === undefined || name === '') return false;
  if (kind.beginnings.some((beginning) => input.aliases.includes(beginning + name))) return true;
  const isAboutKind = input.aliases.some((alias) => kind.beginnings.some((each) => alias.startsWith(each)));
  return isAboutKind && input.aliases.includes(name) && !OF_ANY_OBJECT.includes(name);
}

/** `inviteeEmail` is `invitee` and `email`. */
function firstWordOf(field: string): readonly string[] {
  const [first = '', ...rest] = wordsOf(field, /[^\p{L}\p{N}]+/gu).split(' ');
  return [first, rest.join(' ')];
}
