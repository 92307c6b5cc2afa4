import { answerPlaceOf, type Dialect, requireOperation, thenOf } from '../client/dialect.ts';
import { changeFields } from '../client/judge.ts';
import { unfitForPath } from '../client/request.ts';
import { listAround, ownBodyIn, parsedFieldsOf, parsedResultsOf, textAt } from '../core/answer-body.ts';
import { describedCall } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import { TAKEN_BY } from '../core/given.ts';
import {
  type Answer,
  type Answered,
  type Call,
  end,
  type JsonValue,
  type NextAction,
  type Operation,
  send,
} from '../core/operation.ts';

/**
 * Asks an operation for its next step, in the dialect of its vendor. The operation itself knows
 * nothing of the dialect: it gets answers with our names for their parts, and a call that the dialect cannot
 * send is refused here.
 */
export function stepIn(
  dialect: Dialect,
  operation: Operation,
  input: unknown,
  answered: Answered,
): NextAction {
  let taking: NextAction | undefined;
  const taken: Answered = (call) => {
    const first = answered(call);
    const step = first?.kind === 'found' ? takingStep(dialect, call, first.fields) : undefined;
    if (step === undefined) return first;
    const answer = step.kind === 'send' ? answered(step.call) : undefined;
    if (answer === undefined) taking = step;
    return answer;
  };
  const next = operation.readsAnswers
    ? operation.next(input, (call) => read(dialect, call, answered(call)))
    : operation.next(input, taken);
  // The operation asks for the call with an answer that only leads to what it looks for.
  const step = taking ?? next;
  return step.kind === 'end' ? step : sendable(dialect, step);
}

/**
 * The call that takes by its id what another one found. Where that lists several, no one knows who is meant.
 * @returns undefined where the answer itself has it, also where a person told it.
 */
function takingStep(dialect: Dialect, call: Call, body: JsonValue): NextAction | undefined {
  const then = thenOf(dialect, call);
  if (then === undefined) return undefined;
  const ownBody = ownBodyIn(body, answerPlaceOf(dialect, call.operation)) ?? null;
  const { length = 0 } = listAround(ownBody, then.id) ?? [];
  const things = describedCall(call.operation).isAbout === 'company' ? 'companies' : 'people';
  // rule fill-several
  if (length > 1 && then.first !== true)
    return end({ kind: 'refused', findings: finding('several_fit', { count: length, things }) });
  const id = textAt(ownBody, then.id);
  return id === undefined ? undefined : send(takingCall(call, id));
}

/** The key of the call is made of the id alone, so that two rows that lead to it take it once. */
export const takingCall = ({ operation, ifLost }: Call, id: string): Call => ({
  operation,
  parameters: { [TAKEN_BY]: id },
  ifLost,
});

/**
 * Checks that the dialect can ask the call. A plan checks this before a batch begins, and every run before
 * sending.
 * @throws StopError `unsupported`.
 */
function sendable(dialect: Dialect, step: Extract<NextAction, { readonly kind: 'send' }>): NextAction {
  const { call } = step;
  requireOperation(dialect, call.operation);
  const unfit = unfitForPath(dialect, call);
  if (unfit !== undefined)
    return end({ kind: 'refused', findings: finding('unfit_for_path', { what: unfit }) });
  return step;
}

function read(dialect: Dialect, call: Call, answer: Answer | undefined): Answer | undefined {
  if (answer?.kind !== 'found') return answer;
  const entry = dialect.operations[call.operation];
  // Today's dialect may lack an operation that an earlier one had. Then its answer cannot be read.
  if (entry === undefined) return { kind: 'found', fields: null };
  const place = answerPlaceOf(dialect, call.operation);
  const fields = parsedFieldsOf(answer.fields, place);
  if (call.change !== undefined) return { kind: 'found', fields: changeFields(entry, fields) };
  return { kind: 'found', fields: fields ?? null, results: parsedResultsOf(answer.fields, place) };
}
