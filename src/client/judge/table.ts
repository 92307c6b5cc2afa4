import { WITHOUT_A_WORD } from '../../core/row.ts';
import type { Meaning } from '../dialect.ts';

/** Tables that say what an answer means: the first row that fits decides. */

export type PlainMeaning = Exclude<Meaning, 'as_stated'>;

export interface Row<Answer> {
  /** As a person is told it: `the status is 429`. */
  readonly name: string;
  readonly fits: (answer: Answer) => boolean;
  readonly means: PlainMeaning;
  /** Why it is in doubt, as a clause behind the vendor's words. */
  readonly because: string | undefined;
  /** Behind the vendor's words of what is settled: that they do not say so, or that it was so before. */
  readonly remark?: string;
}

/** What a table says of an answer. */
export interface Conclusion {
  /** The row that decided. */
  readonly row: Row<never>;
  /** A match that says of itself that a part is missing. */
  readonly isPartial?: true;
  /** A match that shows another identifier than was asked for, such as `the domain acme.example`. */
  readonly shows?: string;
  /** The answer's texts and codes, as they stand in it. */
  readonly texts: readonly string[];
}

export const row = <Answer>(
  name: string,
  means: PlainMeaning,
  fits: (answer: Answer) => boolean,
  because?: string,
): Row<Answer> => ({ name, means, fits, because });

/** What counts as done although the answer does not say so. */
export const wordless = <Answer>(name: string, fits: (answer: Answer) => boolean): Row<Answer> => ({
  ...row(name, 'found', fits),
  remark: WITHOUT_A_WORD,
});

/** Every table ends with a row that fits all. */
export function firstOf<Answer>(table: readonly Row<Answer>[], answer: Answer): Row<Answer> {
  return table.find(({ fits }) => fits(answer)) ?? (table.at(-1) as Row<Answer>);
}

const isOf = (hundreds: number) => (status: number) => Math.floor(status / 100) === hundreds;
export const is2xx = isOf(2);
export const is3xx = isOf(3);
export const is4xx = isOf(4);

/** The status of a request that was accepted, of which nothing is done yet. */
export const ACCEPTED = 202;

/** It says nothing of the question: the request did not come in whole, or in time. */
export const isUnfinished = (by: number): boolean =>
  [408, 425, 499].includes(by) || !(is2xx(by) || is3xx(by) || is4xx(by));

/** What a status alone says of the vendor's own words. */
export const BY_STATUS: readonly Row<{ readonly by: number; readonly isService?: boolean }>[] = [
  row('it is a redirect', 'wrong_address', ({ by }) => is3xx(by) || by === 407),
  row('the status is 429', 'rate_limited', ({ by }) => by === 429 || by === 420),
  row('the status is 401', 'key_dead', ({ by }) => by === 401),
  row('the status is 402', 'credits_used_up', ({ by }) => by === 402),
  row(
    'the status is 403, of a provider',
    'key_dead',
    ({ by, isService }) => by === 403 && isService !== true,
  ),
  row('the status is 403, of a service', 'project_refused', ({ by }) => by === 403),
  row('the status is 404', 'no_match', ({ by }) => by === 404),
  row('it broke off, or something behind did', 'in_doubt', ({ by }) => isUnfinished(by)),
  row('the status is a 4xx', 'refused', ({ by }) => is4xx(by)),
];

const LOOKED_AT_BYTES = 2_000;
const wordsOf = (body: Buffer): string => body.toString('utf8', 0, LOOKED_AT_BYTES);

/** Words of a server that has nothing at a path. The URL of a profile that is not found is no such word. */
const NAMES_ROUTE =
  /\b(?:no such|unknown|invalid|no) (?:path|route|endpoint)\b(?! param)|\b(?:path|route|endpoint)\b[^"]{0,80}(?:not found|not exist)|\bcannot (?:get|post|put|patch|delete) \//i;

export const namesRoute = (body: Buffer): boolean => NAMES_ROUTE.test(wordsOf(body));

/** Whether an answer is about a project that is not there, and about nobody in it. */
export function namesProject(body: Buffer): boolean {
  const words = wordsOf(body);
  const isOf = /\b(?:no such|unknown|invalid) project\b|\bproject[^"]{0,80}(?:not.found|not exist)/i.test(
    words,
  );
  return isOf && !/user|member|person|invit/i.test(words);
}
