import { type Through, vendorReply } from '../../client/dialect.ts';
import type { Reply } from '../../client/judge.ts';
import { readBody, valueAt, WHOLE_BODY } from '../../core/answer-body.ts';
import { isObject } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Run } from '../session.ts';

/**
 * This file recognises successes of a service that do not hold the vendor's own answer where the service's dialect expects it. Nothing
 * is published about that place, so such calls are in doubt, each of them, until it is corrected.
 */

/** Says it once for an account, with what the dialect may need. */
export function noteUnwrapped({ session: { client, history }, emit }: Run, reply: Reply): void {
  if (history.unwrapped || reply.kind !== 'answered') return;
  const { dialect } = client;
  const { through } = dialect;
  if (through === undefined || vendorReply(reply.raw, dialect) !== undefined) return;
  const body = readBody(reply.raw.body);
  if (Math.floor(reply.raw.status / 100) !== 2 || body.kind !== 'json') return;
  history.unwrapped = true;
  emit({ kind: 'note', message: placeAdvice(through, body.value) });
}

/** What an answer of the service has instead of the vendor's, and what to write into the dialect of the service. */
export function placeAdvice({ envelope: { answer } }: Pick<Through, 'envelope'>, body: JsonValue): string {
  const isStatusMissing = answer.status !== undefined && valueAt(body, answer.body) !== undefined;
  const [missing, part, correction] = isStatusMissing
    ? ([answer.status, 'status', 'if it names none, `answer: { status: null }`'] as const)
    : ([answer.body, 'body', bodyCorrection(answer, body)] as const);
  return [
    `An answer from the service has no vendor's answer at \`${missing}\`, where api_call.answer.${part} of its dialect says; it has ${namesIn(body)}.`,
    `Write under api_call in the dialect of the service account, ${correction}.`,
    'The next run then reads lookups in doubt from the ledger, and does not buy them again.',
  ].join(' ');
}

function bodyCorrection({ status }: Through['envelope']['answer'], body: JsonValue): string {
  const [place] = placesIn(body);
  const whole = `if all of it is the vendor's answer, \`answer: { body: ${WHOLE_BODY} }\``;
  if (place === undefined) return whole;
  const isStatusMissing = status !== undefined && valueAt(body, status) === undefined;
  const entries = `${isStatusMissing ? 'status: null, ' : ''}body: ${place}`;
  return `${whole}, or if that is ${place}, \`answer: { ${entries} }\``;
}

/** More names say nothing to anybody. */
const NAMES_SHOWN = 8;

function namesIn(body: JsonValue): string {
  if (!isObject(body)) return Array.isArray(body) ? `a list of ${body.length}` : 'a value without names';
  const names = Object.keys(body).slice(0, NAMES_SHOWN);
  return names.length === 0 ? 'nothing' : names.map((name) => foreignWords(name)).join(', ');
}

/** Members that may be the answer of the vendor: objects and lists, and of these first what services call it. */
function placesIn(body: JsonValue): readonly string[] {
  if (!isObject(body)) return [];
  const members = Object.entries(body as Readonly<Record<string, JsonValue>>);
  const places = members.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? [foreignWords(name)] : [],
  );
  return places.toSorted((a, b) => Number(USUAL.has(b)) - Number(USUAL.has(a)));
}

const USUAL: ReadonlySet<string> = new Set(['body', 'response', 'result', 'output', 'data', 'payload']);
