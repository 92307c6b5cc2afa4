import type { Kind } from './kind.ts';
import { nameReader } from './name.ts';
import type { Code } from './problem-words.ts';
import { textDamage } from './text.ts';

const whyNobody = (name: string): Code | undefined =>
  /^[^@/\p{N}]*\p{L}[^@/\p{N}]*$/u.test(name) ? undefined : 'no_person';

/** A given name or a family name. */
export const personName = {
  read: nameReader(whyNobody, 'person_name'),
  damage: textDamage,
} as const satisfies Kind;

/** A full name is never split: nobody can tell where the family name begins. */
export const fullName = {
  read: nameReader((name) => (name.includes(' ') ? whyNobody(name) : 'one_word'), 'person_name'),
  damage: textDamage,
} as const satisfies Kind;
