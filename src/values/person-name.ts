import { phrasesIn } from '../core/plain-text.ts';
import { bareWord } from './blank.ts';
import type { Kind } from './kind.ts';
import { isPlaceholder, nameReader } from './name.ts';
import { NO_NAME, OFFICES } from './person-name-words.ts';
import type { Code } from './problem-words.ts';
import { BLANK, type Read, type ReadAs, unusable, usable } from './reading.ts';
import { textDamage } from './text.ts';

const wordsOf = (seen: typeof NO_NAME): ReadonlySet<string> =>
  new Set(seen.flatMap(([words]) => phrasesIn(words)));
const NONE = wordsOf(NO_NAME);
const OFFICE = wordsOf(OFFICES);

/** Two names with one of these between them. `von und zu` and `y` stand within one. */
const BETWEEN = /\s*[&/+]\s*|\s+and\s+/iu;
const isTwo = (name: string): boolean => {
  const parts = name.split(BETWEEN);
  return parts.length > 1 && parts.every((part) => /\p{L}{2}/u.test(part));
};

/** Nobody's name ends so. */
const LEGAL_FORM = /\s(?:p(?:ty|te)\.? ltd|p\/l|ltd|limited|inc|llc|llp|plc|gmbh|incorporated)\.?$/i;

/** Whether a whole name is that of a department. Marion Sales is a person. */
function isOffice(name: string): boolean {
  const words = name.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.length > 1 && words.every((word) => OFFICE.has(word));
}

function whyNobody(name: string): Code | undefined {
  if (isPlaceholder(name)) return 'placeholder';
  if (isTwo(name)) return 'two_people';
  return /^[^@/\p{N}]*\p{L}[^@/\p{N}]*$/u.test(name) ? undefined : 'no_person';
}

function whyNoWhole(name: string): Code | undefined {
  if (!name.includes(' ')) return 'one_word';
  if (isOffice(name)) return 'office';
  return LEGAL_FORM.test(name) ? 'company_for_person' : whyNobody(name);
}

const reader = (why: (name: string) => Code | undefined): Read => {
  const read = nameReader(why, 'person_name');
  return (cell) => (NONE.has(bareWord(cell)) && !isPlaceholder(cell) ? BLANK : read(cell));
};

const readPart = reader(whyNobody);
const readWhole = reader(whyNoWhole);

/** Words for nothing by which people are called as well, spelled as a name is. */
const ALSO_NAME = /^(?:Null|Na|None|Nan|Nil|Blank)$/;

/** The word for nothing that may be somebody's name; undefined for any other cell. */
export const alsoName = (cell: string): string | undefined => ALSO_NAME.exec(cell.trim())?.[0];

/**
 * One part of a name beside the other. What is a name by itself may be half of that of a department, and
 * somebody is called Null or Na, where that is spelled as a name.
 * @param nothing such words that are nothing in the column of this part, because many of its rows have one.
 */
export function readBeside(
  cell: string,
  other: string,
  { isFirst, nothing }: { readonly isFirst: boolean; readonly nothing: readonly string[] },
): ReadAs {
  const own = readPart(cell);
  const beside = readPart(other);
  if (own.kind === 'blank') {
    const word = alsoName(cell);
    return word !== undefined && !nothing.includes(word) && beside.kind === 'usable' ? usable(word) : own;
  }
  if (own.kind !== 'usable' || beside.kind !== 'usable') return own;
  return isOffice(isFirst ? `${own.value} ${beside.value}` : `${beside.value} ${own.value}`)
    ? unusable('office')
    : own;
}

/** A given name or a family name. */
export const personName = { read: readPart, damage: textDamage } as const satisfies Kind;

/** A full name is never split: nobody can tell where the family name begins. */
export const fullName = { read: readWhole, damage: textDamage } as const satisfies Kind;
