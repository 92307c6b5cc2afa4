import { describedCall } from './described.ts';
import type { Call, JsonValue } from './operation.ts';

/** What the calls of operations find, by our names. */

/** The value without which an answer has found nothing; undefined: any value will do. */
export const wantedOf = (operation: string): string | undefined => describedCall(operation).wants;

/** Whether it finds nothing, but says whether what is known is right. */
export const isCheck = (operation: string): boolean => wantedOf(operation) === 'verdict';

/** The parameter of a call that takes by an id what an earlier call of its operation has found. */
export const TAKEN_BY = 'id';

export const isTaking = ({ operation, parameters }: Pick<Call, 'operation' | 'parameters'>): boolean =>
  describedCall(operation).takesId && Object.hasOwn(parameters, TAKEN_BY);

/** What a check of an address, or of a number, found out. */
export const EMAIL_VERDICTS = ['valid', 'accept_all', 'invalid', 'unknown'] as const;
export type EmailVerdict = (typeof EMAIL_VERDICTS)[number];

type Plain = string | number | boolean;

/** The vendor's words for each verdict. */
export type VerdictWords = Readonly<Partial<Record<EmailVerdict, Plain | readonly Plain[] | undefined>>>;

const wordOf = (value: JsonValue): string => String(value).trim().toLowerCase();

export const verdictsOf = (words: VerdictWords, verdict: EmailVerdict): readonly string[] => [
  ...new Set([words[verdict] ?? []].flat().map(wordOf)),
];

/** Undefined for a word that the dialect does not have. */
export function verdictIn(value: JsonValue, words: VerdictWords): EmailVerdict | undefined {
  const word = wordOf(value);
  return EMAIL_VERDICTS.find((verdict) => verdictsOf(words, verdict).includes(word));
}

/** The first word that means our verdict, or the vendor's own word; undefined where the dialect lacks it. */
export function vendorsWord(word: string, words: VerdictWords): Plain | undefined {
  const verdict = EMAIL_VERDICTS.find((each) => each === word);
  if (verdict !== undefined) return [words[verdict] ?? []].flat()[0];
  return verdictIn(word, words) === undefined ? undefined : word;
}
