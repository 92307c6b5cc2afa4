import type { AnswerRule, BodyTest } from '../../client/dialect.ts';
import type { RuleFound } from '../../client/judge.ts';
import { linesOf } from '../../core/plain-text.ts';

/** What decided how an answer is read: a rule of the dialect, or a row of the table in `docs/answers.md`. */

/** `the table: the status is 404`, or `rule 2 of answers in the dialect acme`. */
export const ruleName = (found: RuleFound): string =>
  'row' in found
    ? `the table: ${found.row}`
    : `rule ${found.number} of ${found.list} in the dialect ${found.dialect}`;

/** `rule 2 of answers in the dialect acme: status 200 is one of 2xx, "data" is empty; it means no_match`. */
export function ruleWords(found: RuleFound): string {
  if ('row' in found) return `${ruleName(found)}; it means ${found.means}`;
  const { rule, number, status, means } = found;
  const tests = [
    `status ${status} is one of ${rule.status.join(', ')}`,
    ...Object.entries(rule.header ?? {}).map(([name, pattern]) => `header ${name} fits /${pattern}/i`),
    ...[rule.body ?? []].flat().flatMap(bodyWords),
  ];
  const before = number === 1 ? '' : ', and no rule above it fits';
  return `${ruleName(found)}: ${tests.join(', ')}${before}; ${meansWords(rule, means)}`;
}

function meansWords(rule: AnswerRule, means: RuleFound['means']): string {
  return rule.means === means
    ? `it means ${means}`
    : `what the answer says of itself decides, and means ${means}`;
}

function bodyWords(body: BodyTest): readonly string[] {
  const where = body.path === undefined ? 'the body' : `"${body.path}"`;
  return linesOf(
    body.is !== undefined && `${where} is ${body.is}`,
    body.equals !== undefined && `${where} is ${JSON.stringify(body.equals)}`,
    body.matches !== undefined && `${where} fits /${body.matches}/i`,
  );
}
