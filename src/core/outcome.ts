import { ATTENTION_KINDS } from './counts.ts';
import { asksForCorrection, hasCode, together } from './finding.ts';
import { sayAll } from './finding-words.ts';
import type { Findings } from './findings.ts';
import type { Outcome } from './row.ts';

/** What the findings of an outcome say. The page knows outcomes by their kinds alone. */

export const withFindings = (outcome: Outcome, more: Findings): Outcome =>
  more.length === 0 ? outcome : { ...outcome, findings: together(outcome.findings, more) };

/** The text of the column `_reason`; undefined where nothing is to be said. */
export const reasonOf = ({ findings }: Pick<Outcome, 'findings'>): string | undefined =>
  findings.length === 0 ? undefined : sayAll(findings, 'file');

/** Whether a row was skipped before anything was asked for it, as opposed to one whose answer was lost. */
export const isLeftOut = ({ kind, findings }: Outcome): boolean =>
  kind === 'skipped' && (hasCode(findings, 'left_out') || hasCode(findings, 'nothing_to_fill'));

/** Whether a row was skipped because its cells had what it was wanted for. */
export const isFilledBefore = ({ kind, findings }: Outcome): boolean =>
  kind === 'skipped' && findings.some((each) => each.code === 'nothing_to_fill' && each.facts.filled);

/** Whether a person has to look at a row: because of its outcome, or because of a mistyped cell. */
export const needsPerson = ({ kind, findings }: Outcome): boolean =>
  ATTENTION_KINDS.has(kind) || findings.some(asksForCorrection);
