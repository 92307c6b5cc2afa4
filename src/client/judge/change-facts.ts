import { fieldsOf, valueAt } from '../../core/answer-body.ts';
import { unreachable } from '../../core/errors.ts';
import type { SubjectFacts } from '../../core/membership.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonObject, JsonValue } from '../../core/operation.ts';
import type { AnswerKind, RawReply } from '../../ledger/ledger.ts';
import { answerPlaceOf, type Dialect, type DialectOperation, dialectOperationOf } from '../dialect.ts';
import { bodyMatches } from './rules.ts';

/** What the answer to a change says of its subject: ids, and whether an invite was accepted at once. */

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
    case 'found': {
      const fields = fieldsOf(raw.body, answerPlaceOf(dialect));
      return { ...change.leaves, ...factsIn(changeFields(dialectOperationOf(dialect, call), fields)) };
    }
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
  const own = fields ?? null;
  const wrapped = unwrapped(own);
  const told = Object.entries(places).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : wrapped.map((each) => valueAt(each, path)).find(isId);
    return isId(value) ? [[name, String(value)] as const] : [];
  });
  // A test of the whole is one of the whole answer: `{}` within another one says nothing.
  const isAccepted = [accepted ?? []]
    .flat()
    .some((test) =>
      (test.path === undefined ? [own] : wrapped).some((value) => bodyMatches(test, { kind: 'json', value })),
    );
  return { ...Object.fromEntries(told), ...(isAccepted ? { accepted: true } : {}) };
}

const isId = (value: JsonValue | undefined): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The fields themselves, and what some vendors wrap them in: `data`, `result`, or a list of one. */
function unwrapped(fields: JsonValue): readonly JsonValue[] {
  const inner = [fields, valueAt(fields, 'data'), valueAt(fields, 'result'), valueAt(fields, 'results')];
  return inner.flatMap((each) => {
    if (Array.isArray(each)) return each.length === 1 ? each : [];
    return each === fields || isObject(each) ? [each as JsonValue] : [];
  });
}

function factsIn({
  invite_code: code,
  user_id: user,
  project_id: project,
  accepted,
}: JsonObject): Partial<SubjectFacts> {
  return {
    ...(typeof code === 'string' ? { inviteCode: code } : {}),
    ...(typeof user === 'string' ? { userId: user } : {}),
    ...(typeof project === 'string' ? { projectId: project } : {}),
    ...(accepted === true ? { state: 'member' } : {}),
  };
}

/** What some write where there is no id: a word for nothing, or zeros alone. */
const NO_ID = /^(?:null|nil|none|undefined|n\/a|false|true|error|failed|invalid|-1|[0-]*)$/i;

/** Ids without which nobody can say what was made, by the operation's own words: they came, or should have come. */
export function publishedIdIn(
  operation: DialectOperation,
  fields: JsonValue | undefined,
): 'came' | 'accepted' | 'missing' | 'none' {
  const { invite_code: code, project_id: project } = operation.answer_fields ?? {};
  if (code === undefined && project === undefined) return 'none';
  const told = changeFields(operation, fields);
  const id = code === undefined ? told.project_id : told.invite_code;
  if (id !== undefined && !NO_ID.test(String(id).trim())) return 'came';
  if (id !== undefined || told.accepted !== true) return 'missing';
  // Whoever has an id is there, whatever the status says of the request.
  return isId(told.user_id) ? 'came' : 'accepted';
}
