import type { AnswerRule, BodyTest } from '../../client/dialect.ts';
import type { RuleFound } from '../../client/judge.ts';
import { isoTime } from '../../core/clock.ts';
import { linesOf } from '../../core/plain-text.ts';
import type { Reply } from '../../ledger/ledger.ts';
import type { ReplyObject, RuleObject } from '../../objects/row-object.ts';

/**
 * A reply, and the rule that decided how it is read: a rule of the dialect, or a row of the table in
 * `docs/reference/answers.md`.
 */

/** `the table: the status is 404`, or `rule 2 of answers in the dialect acme`. */
export const ruleName = ({ row, number, list, dialect }: Partial<RuleObject>): string =>
  row === undefined ? `rule ${number} of ${list} in the dialect ${dialect}` : `the table: ${row}`;

export function ruleObject(found: RuleFound | undefined): RuleObject | null {
  if (found === undefined) return null;
  const { means } = found;
  if ('row' in found) return { row: found.row, means };
  const { dialect, list, number, rule } = found;
  return { dialect, list, number, ...rule, means };
}

export const replyObject = ({ status, headers, body, receivedAtMs }: Reply): ReplyObject => ({
  status,
  headers: { ...headers },
  body: body.toString('utf8'),
  received_at: isoTime(receivedAtMs),
});

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
