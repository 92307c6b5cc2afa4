import { jsonIn, parsedFieldsOf, valueAt } from '../../core/answer-body.ts';
import { isSoAlready, NO_FINDINGS } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import type { Change, SubjectFacts } from '../../core/membership.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import type { AnswerKind, Reply } from '../../ledger/ledger.ts';
import { bodyMatches } from '../answer-rules.ts';
import { answerPlaceOf, type Dialect, type DialectOperation, dialectOperationOf } from '../dialect.ts';
import type { JudgedCall } from './judged-call.ts';
import { leavesOf } from './names.ts';
import { type SoBefore, vocabularyOf } from './words.ts';

/** The fields that a service publishes for its answers to a change. */

/**
 * The state of the subject once its change is settled with this answer; undefined when its state does not
 * change. It makes no difference whether the vendor answered, repeated its answer, or a person told it.
 */
export function leftBy(
  call: Call,
  answer: AnswerKind,
  raw: Pick<Reply, 'body'>,
  dialect: Dialect,
  why: Findings = NO_FINDINGS,
): SubjectFacts | undefined {
  const { change } = call;
  if (change === undefined) return undefined;
  if (answer === 'refused') return isSoAlready(why) ? leftAsBefore(change, raw, dialect) : undefined;
  if (answer === 'no_match') return change.missing;
  const fields = parsedFieldsOf(jsonIn(raw.body), answerPlaceOf(dialect));
  const stated = changeFields(dialectOperationOf(dialect, call), fields);
  const { invite_code: inviteCode, user_id: userId, project_id: projectId, accepted } = stated;
  const state = accepted === true ? ('member' as const) : undefined;
  return { ...change.leaves, ...present({ inviteCode, userId, projectId, state }) };
}

/** A member needs no invite any more, so that membership counts before an invite. */
function leftAsBefore(
  { already }: Change,
  raw: Pick<Reply, 'body'>,
  { words }: Dialect,
): SubjectFacts | undefined {
  const texts = leavesOf(jsonIn(raw.body) ?? null).map(({ value }) => String(value));
  const says = (how: SoBefore): boolean => texts.some((text) => vocabularyOf(words).wasSoBefore(text, how));
  if (already === undefined) return undefined;
  if (says('is_member')) return { ...already, state: 'member' };
  return says('is_invited') ? { ...already, state: 'invited' } : undefined;
}

type ChangeFields = { readonly [Name in 'invite_code' | 'user_id' | 'project_id']?: string } & {
  readonly accepted?: true;
};

/** The fields of a found answer to a change, by our names. */
export function changeFields(operation: DialectOperation, fields: JsonValue | undefined): ChangeFields {
  const { answer_fields: places = {}, accepted } = operation;
  const ownFields = fields ?? null;
  const wrapped = unwrapped(ownFields);
  const stated = Object.entries(places).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : wrapped.map((each) => valueAt(each, path)).find(isId);
    return isId(value) ? [[name, String(value)] as const] : [];
  });
  // A test of the whole applies to the whole answer: `{}` inside of it says nothing.
  const isAccepted = [accepted ?? []]
    .flat()
    .some((test) =>
      (test.path === undefined ? [ownFields] : wrapped).some((value) =>
        bodyMatches(test, { kind: 'json', value }),
      ),
    );
  return { ...Object.fromEntries(stated), ...(isAccepted ? { accepted: true } : {}) };
}

const isId = (value: JsonValue | undefined): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * The fields themselves, and the same fields inside the usual wrappers: `data`, `result`, or a list of one.
 */
function unwrapped(fields: JsonValue): readonly JsonValue[] {
  const inner = ['data', 'result', 'results'].map((name) => valueAt(fields, name));
  return [fields, ...inner].flatMap((each) => {
    if (Array.isArray(each)) return each.length === 1 ? (each as JsonValue[]) : [];
    return each === fields || isObject(each) ? [each as JsonValue] : [];
  });
}

/** Some vendors write this where there is no id: a word for nothing, or zeros alone. */
const NO_ID = /^\s*(?:null|nil|none|undefined|n\/a|false|true|error|failed|invalid|-1|[0-]*)\s*$/i;

/** The id without which no one can say what was made, by its name in the operation. */
export const publishedId = ({
  answer_fields: { invite_code: code, project_id: project } = {},
}: DialectOperation) => code ?? project;

/**
 * Whether the id came, or should have come.
 * @param isDone whether the status differs from that of a request that is only accepted.
 */
export function publishedIdIn(
  { operation, dialect: { fields_at: at } }: JudgedCall,
  body: JsonValue | undefined,
  isDone: boolean,
): 'came' | 'missing' | 'none' {
  if (publishedId(operation) === undefined) return 'none';
  const stated = changeFields(operation, at === undefined ? body : valueAt(body, at));
  const id = operation.answer_fields?.invite_code === undefined ? stated.project_id : stated.invite_code;
  if (id !== undefined) return NO_ID.test(id) ? 'missing' : 'came';
  // A person with an id is there, whatever the status says of the request.
  return stated.accepted === true && (isDone || stated.user_id !== undefined) ? 'came' : 'missing';
}
