/** Words that a cell has as their number, which is stored: a list is only ever added to. The first two take no byte. */

export const OUTCOMES: readonly string[] = [
  'no_match',
  'matched',
  'applied',
  'unchanged',
  'invalid',
  'refused',
  'in_doubt',
  'skipped',
];

/** How an attempt ends, and what it is answered then. */
export const ENDINGS: readonly (readonly [kind: string, answer: string | null])[] = [
  ['settled', 'no_match'],
  ['settled', 'found'],
  ['settled', 'refused'],
  ['not_sent', null],
  ['paused', null],
  ['stopped', null],
  ['in_doubt', null],
];

export const endingOf = (kind: string, answer: string | null): number =>
  ENDINGS.findIndex(([ending, said]) => ending === kind && said === answer);

/** The word for the number in a column, in SQL; NULL for a number without one. */
export function wordOf(column: string, words: readonly (string | null)[]): string {
  const cases = words.map((word, number) => (word === null ? '' : ` WHEN ${number} THEN '${word}'`));
  return `CASE ${column}${cases.join('')} END`;
}

/**
 * The number of a status instead of the words for it. It is a BigInt, because a column of any type keeps a number as a fraction.
 */
export function shortWhy(why: string): string | bigint {
  const status = /^status ([1-9]\d{2})$/.exec(why)?.[1];
  return status === undefined ? why : BigInt(status);
}

/** The digits of an identifier instead of the JSON text of it. */
export function shortValue(values: string): string | bigint {
  const digits = /^"([1-9]\d{0,14})"$/.exec(values)?.[1];
  return digits === undefined ? values : BigInt(digits);
}

/** One attempt instead of a list of it alone. */
export function shortAnswers(answers: string): string | bigint {
  const only = /^\[([1-9]\d{0,14})\]$/.exec(answers)?.[1];
  return only === undefined ? answers : BigInt(only);
}
