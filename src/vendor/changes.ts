import { fieldsIn, readBody, valueAt } from '../core/answer-body.ts';
import { unreachable } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import type { Call, JsonObject, JsonValue } from '../core/operation.ts';
import type { AnswerKind, RawReply } from '../ledger/ledger.ts';
import type { Dialect, DialectOperation } from './dialect.ts';
import { answerPlaceOf } from './envelope.ts';
import { bodyFits } from './judge.ts';
import { dialectOperationOf } from './request.ts';

/** What an answer to a change means for what is remembered of its subject. */

/**
 * How the subject stands once its change is settled like this; undefined when it stands as before. It makes no
 * difference whether the vendor answered, repeated its answer, or a person told it.
 */
export function leftBy(
  call: Call,
  answer: AnswerKind,
  raw: Pick<RawReply, 'body'>,
  dialect: Dialect,
): SubjectFacts | undefined {
  const { change } = call;
  if (change === undefined) return undefined;
  switch (answer) {
    case 'found':
      return { ...change.leaves, ...factsIn(raw, dialect, dialectOperationOf(dialect, call)) };
    case 'no_match':
      return change.missing;
    case 'refused':
      return undefined;
    default:
      return unreachable(answer);
  }
}

/** The members of a found answer to a change, by our names: `invite_code`, `user_id`, `project_id`, `accepted`. */
export function changeFields(operation: DialectOperation, fields: JsonValue | undefined): JsonObject {
  const { answer_fields: places = {}, accepted } = operation;
  const told = Object.entries(places).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : valueAt(fields, path);
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
  });
  const body = { kind: 'json', value: fields ?? null } as const;
  const isAccepted = [accepted ?? []].flat().some((test) => bodyFits(test, body));
  return { ...Object.fromEntries(told), ...(isAccepted ? { accepted: true } : {}) };
}

function factsIn(
  { body }: Pick<RawReply, 'body'>,
  dialect: Dialect,
  operation: DialectOperation,
): Partial<SubjectFacts> {
  const read = readBody(body);
  const fields = read.kind === 'json' ? fieldsIn(read.value, answerPlaceOf(dialect)) : undefined;
  const { invite_code: code, user_id: user, project_id: project, accepted } = changeFields(operation, fields);
  return {
    ...(typeof code === 'string' ? { inviteCode: code } : {}),
    ...(typeof user === 'string' ? { userId: user } : {}),
    ...(typeof project === 'string' ? { projectId: project } : {}),
    ...(accepted === true ? { state: 'member' } : {}),
  };
}
