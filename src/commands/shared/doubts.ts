import type { AnswerRule, BodyTest } from '../../client/dialect.ts';
import type { RuleFound } from '../../client/judge.ts';
import { isoTime } from '../../core/clock.ts';
import { counted, linesOf } from '../../core/plain-text.ts';
import type { Doubt, Reply } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import type {
  CallObject,
  DecisionObject,
  LookObject,
  ReplyObject,
  RuleObject,
} from '../../objects/row-object.ts';

/** `the vendor was asked about this call at 2026-11-20T02:13:00.000Z, not_happened: nothing done (404)`. */
export function lookWords({ kind, said, why, at }: LookObject): string {
  if (kind === 'person') return `at ${at} ${why}`;
  const questionWords = kind === 'read_back' ? 'about this call' : 'for its count of credits';
  return `the vendor was asked ${questionWords} at ${at}, ${said}: ${why}`;
}

/** `decided at 2026-11-20T02:13:00.000Z: retry asked for by the user`. */
export function decisionWords({ why, at }: DecisionObject): string {
  return `decided at ${at}: ${why}`;
}

/**
 * `domain acme.example`; for a change also its subject: `create-invite of jo@x.com in proj-1, role editor`.
 */
export function callWords({ operation, parameters, subject }: CallObject): string {
  // Parameters that repeat what the subject says, and blank ones, are left out.
  const isSaid = (value: string): boolean =>
    subject !== null && (value === '' || ` ${subject} `.includes(` ${value} `));
  const askedParameters = Object.entries(parameters).filter(([, value]) => !isSaid(String(value)));
  const whom = subject === null ? [] : [`${operation} of ${subject}`];
  return [...whom, ...askedParameters.map(([name, value]) => `${name} ${valueWords(value)}`)].join(', ');
}

function valueWords(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * Counts requests that a run has left open, or that still wait for their answers.
 * @param which run settles them.
 */
export function openWords(open: number, which = 'the next'): string {
  const have = `${counted(open, 'request')} ${open === 1 ? 'has' : 'have'} no answer yet`;
  return `${have}; if no run is at work, ${which} run or settle counts them as in doubt.`;
}

/** What a row holds beside its answer, and the command that ends that. */
export function heldBesideWords(batch: string, row: string, doubts: readonly Doubt[]): string {
  return `${besideFact(doubts)} If you know that it was not charged: ${notDoneCommand(batch, row)}`;
}

export const notDoneCommand = (batch: string, row: string): string =>
  commandLine(['settle', batch, row, '--not-done']);

export function besideFact(doubts: readonly Doubt[]): string {
  const atRisk = doubts.reduce((sum, { atRisk: each }) => sum + each, 0);
  return `An earlier request for its answer is in doubt, and holds ${counted(atRisk, 'credit')}.`;
}

// ----------------------------------------------------------------- a reply, and the rule by which it is read

/**
 * The rule is one of the dialect, or a row of the table in `docs/reference/answers.md`.
 *
 * `the table: the status is 404`, or `rule 2 of answers in the dialect acme`. */
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
