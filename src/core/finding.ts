import type { Answered, FactsOf, Finding, FindingCode, Findings } from './findings.ts';
import { present } from './objects.ts';

/** How findings are made and asked. The table of their codes stands apart, because the page does without. */

export const NO_FINDINGS: Findings = [];

/** The findings of one, as most rows have it. */
export const finding = <Code extends FindingCode>(code: Code, facts: FactsOf<Code>): Findings => [
  { code, facts } as unknown as Finding,
];

/** A cell as a fact. It may have any length, and its row stands beside the finding. */
export const keptCell = (cell: string): string => cell.trim().slice(0, MOST_KEPT);
const MOST_KEPT = 200;

/** The findings of one step, account or column among others. What names one already is about that. */
export const about = (of: Pick<Finding, 'step' | 'account' | 'column'>, findings: Findings): Findings =>
  findings.map((each) => ({ ...of, ...each }));

/** Those of several, each once. */
export function together(...all: readonly Findings[]): Findings {
  const [first = NO_FINDINGS, ...others] = all.filter(({ length }) => length > 0);
  if (others.length === 0) return first;
  const each = new Map<string, Finding>();
  for (const finding of [first, ...others].flat()) each.set(JSON.stringify(finding), finding);
  return [...each.values()];
}

/** What was sold in the place of what was looked for, as the row says it; undefined where nothing was. */
export function otherIn(answer: Findings): Findings | undefined {
  const other = answer.find((each) => each.code === 'none_of_its_kind');
  return other && finding('none_of_its_kind', { name: other.facts.name, value: other.facts.value });
}

/** What an answer says of a call that it refuses. */
export const refusedBy = (by: string, answer: Findings): Findings =>
  finding('refused', { by, ...answerFacts(answer) });

/** What the vendor answered, as facts of what follows from the answer. */
export function answerFacts(answer: Findings): Answered {
  const { status, words, body, unreadable } = answerIn(answer);
  return present({ status, words, body, unreadable });
}

/** What the vendor answered, by the findings of its attempt. */
export function answerIn(findings: Findings): Partial<FactsOf<'answer'>> {
  for (const { code, facts } of findings) if (code === 'answer' || code === 'told') return facts;
  return {};
}

/** Whether a change was done as far as anybody can tell: the service's answer does not mention it. */
export const isWithoutAWord = (answer: Findings): boolean => answerIn(answer).so === 'without_a_word';

/** Whether a refusal says that the state was there before: its row is unchanged. */
export const isSoAlready = (answer: Findings): boolean => SO_ALREADY.has(answerIn(answer).so);

const SO_ALREADY: ReadonlySet<FactsOf<'answer'>['so']> = new Set(['already', 'sent_again'] as const);

/** The same of a request that was lost before, which may itself have brought what is there. */
export const ofSentAgain = (answer: Findings): Findings =>
  answer.map((each) =>
    each.code === 'answer' ? { ...each, facts: { ...each.facts, so: 'sent_again' as const } } : each,
  );

export const hasCode = (findings: Findings, code: FindingCode): boolean =>
  findings.some((each) => each.code === code);

/** Whether a person corrects a cell although its row was done without it. */
export const asksForCorrection = ({ facts }: Finding): boolean =>
  'correct' in facts && facts.correct === true;
