import type { Call, JsonValue } from './operation.ts';
import { wordsIn } from './plain-text.ts';

/** The values whose place in an answer a dialect may name under `gives`, by our names for them. */

const OF_PEOPLE = wordsIn(`
  email phone first_name last_name full_name job_title seniority department company domain profile_url city
  state country
`);

export const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'enrich-person': OF_PEOPLE,
  'enrich-company': wordsIn(`
    name domain website profile_url abn number industry employees revenue founded phone email street city
    state postcode country
  `),
  'find-email': [...OF_PEOPLE, 'verdict'],
  'find-phone': OF_PEOPLE,
  'check-email': ['verdict'],
  'check-phone': ['verdict', 'phone', 'country'],
};

/** The value without which such an answer has found nothing; of other operations any value will do. */
export const WANTED: Readonly<Record<string, string>> = {
  'find-email': 'email',
  'find-phone': 'phone',
  'check-email': 'verdict',
  'check-phone': 'verdict',
};

/** Operations that find nothing, but say whether what is known is right. */
export const isCheck = (operation: string): boolean => operation.startsWith('check-');

/** The parameter of a call that takes by an id what an earlier call of its operation has found. */
export const TAKEN_BY = 'id';

export const TAKING_OPERATIONS = ['enrich-person', 'enrich-company', 'find-email', 'find-phone'];

export const isTaking = ({ operation, parameters }: Pick<Call, 'operation' | 'parameters'>): boolean =>
  TAKING_OPERATIONS.includes(operation) && Object.hasOwn(parameters, TAKEN_BY);

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
export function vendorsWord(told: string, words: VerdictWords): Plain | undefined {
  const verdict = EMAIL_VERDICTS.find((each) => each === told);
  if (verdict !== undefined) return [words[verdict] ?? []].flat()[0];
  return verdictIn(told, words) === undefined ? undefined : told;
}
