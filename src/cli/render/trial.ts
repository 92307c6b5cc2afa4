import { isoTime } from '../../core/clock.ts';
import { counted, foreignWords, plainText } from '../../core/plain-text.ts';
import type { Closure, RawReply } from '../../ledger/ledger.ts';
import {
  fieldsIn,
  requestShown,
  ruleBehind,
  type ShownRequest,
  type Trial,
  type Tried,
} from '../../run/trial.ts';
import type { AnswerRule } from '../../vendor/dialect.ts';
import type { RuleFound } from '../../vendor/judge.ts';

/** Shows the request and the answer of `try`, for a person and for `--json`. */

/** A longer body is cut: this much is enough to see where the fields of an answer are. */
const LONGEST_BODY = 4_000;

export function requestLines({ method, url, headers, body }: ShownRequest): readonly string[] {
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...(body === undefined ? [] : [`  ${foreignWords(body, LONGEST_BODY)}`]),
  ].map(plainText);
}

export function triedLines(trial: Trial, tried: Tried): readonly string[] {
  const { reply, closure } = tried;
  const rule = ruleBehind(trial, tried);
  const fields = fieldsIn(trial, tried);
  return [
    ...(reply === undefined ? [] : replyLines(reply)),
    `Answer     ${closureWords(closure)}`,
    ...(rule === undefined ? [] : [`Rule       ${ruleWords(rule, trial.dialect.name)}`]),
    ...(fields.answers === 0 ? [] : [`Fields     ${fieldWords(fields.paths)}`]),
    ...fields.sentences(),
  ].map(plainText);
}

function replyLines({ status, headers, body }: RawReply): readonly string[] {
  const text = foreignWords(body.toString('utf8'), LONGEST_BODY);
  return [
    `Status     ${status}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${foreignWords(value)}`),
    `  ${text === '' ? '(no body)' : text}`,
  ];
}

function closureWords(closure: Closure | undefined): string {
  if (closure === undefined) return 'none yet';
  if (closure.kind !== 'settled') return `${closure.kind} (${closure.why})`;
  return `${closure.answer}, ${counted(closure.charged, 'credit')} (${closure.why})`;
}

function fieldWords(paths: readonly string[]): string {
  return paths.length === 0 ? 'none: name their place with fields_at in the dialect' : paths.join(', ');
}

/** `rule 2 of answers in the dialect acme: status 200 is one of 2xx, "data" is empty; it means no_match`. */
function ruleWords({ rule, list, number, status }: RuleFound, dialect: string): string {
  const tests = [
    `status ${status} is one of ${rule.status.join(', ')}`,
    ...Object.entries(rule.header ?? {}).map(([name, pattern]) => `header ${name} fits /${pattern}/i`),
    ...bodyWords(rule.body),
  ];
  const before = number === 1 ? '' : ', and no rule above it fits';
  return `rule ${number} of ${list} in the dialect ${dialect}: ${tests.join(', ')}${before}; it means ${rule.means}`;
}

function bodyWords(body: AnswerRule['body']): readonly string[] {
  if (body === undefined) return [];
  const where = body.path === undefined ? 'the body' : `"${body.path}"`;
  return [
    ...(body.is === undefined ? [] : [`${where} is ${body.is}`]),
    ...(body.equals === undefined ? [] : [`${where} is ${JSON.stringify(body.equals)}`]),
    ...(body.matches === undefined ? [] : [`${where} fits /${body.matches}/i`]),
  ];
}

/** The members of `--json` about one request; those of the answer are null when there is none. */
export function triedObject(trial: Trial, tried: Tried | undefined): object {
  const rule = tried && ruleBehind(trial, tried);
  const closure = tried?.closure;
  return {
    request: requestShown(trial),
    reply: tried?.reply === undefined ? null : replyObject(tried.reply),
    answer: closure === undefined ? null : closure.kind === 'settled' ? closure.answer : closure.kind,
    charged: closure?.kind === 'settled' ? closure.charged : null,
    rule:
      rule === undefined
        ? null
        : { dialect: trial.dialect.name, list: rule.list, number: rule.number, ...rule.rule },
    fields: tried === undefined ? [] : fieldsIn(trial, tried).paths,
  };
}

function replyObject({ status, headers, body, receivedAtMs }: RawReply): object {
  return { status, headers, body: body.toString('utf8'), received_at: isoTime(receivedAtMs) };
}
