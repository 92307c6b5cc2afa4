import type { Meaning } from '../dialect.ts';

/** Tables that say what an answer means: the first row that fits decides. */

export type PlainMeaning = Exclude<Meaning, 'as_stated'>;

export interface Row<Answer> {
  /** As a person is told it: `the status is 429`. */
  readonly name: string;
  readonly fits: (answer: Answer) => boolean;
  readonly means: PlainMeaning;
  /** Why it is in doubt, as a clause behind the vendor's words. */
  readonly because?: string;
  /** It was done as far as is published, and the answer does not say so. */
  readonly isWordless?: true;
}

export const row = <Answer>(
  name: string,
  means: PlainMeaning,
  fits: (answer: Answer) => boolean,
  more: Pick<Row<Answer>, 'because' | 'isWordless'> = {},
): Row<Answer> => ({ name, means, fits, ...more });

/** Every table ends with a row that fits all. */
export function firstOf<Answer>(table: readonly Row<Answer>[], answer: Answer): Row<Answer> {
  return table.find(({ fits }) => fits(answer)) ?? (table.at(-1) as Row<Answer>);
}

const isOf = (hundreds: number) => (status: number) => Math.floor(status / 100) === hundreds;
export const is1xx = isOf(1);
export const is2xx = isOf(2);
export const is3xx = isOf(3);
export const is4xx = isOf(4);
export const is5xx = isOf(5);

/** It says nothing of the question: the request did not come in whole, or in time. */
export const isUnfinished = (status: number): boolean =>
  [408, 425, 499].includes(status) || is1xx(status) || is5xx(status);
