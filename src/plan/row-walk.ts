import { type CallKey, keyOfQuestion, questionOf } from '../core/call-key.ts';
import { invariant } from '../core/errors.ts';
import type { Answer, Call, Operation, Step } from '../core/operation.ts';
import type { Outcome } from '../core/row.ts';

/** A call that an operation named for a row. Its question is made once, although the operation names it at every step. */
export class MetCall {
  readonly call: Call;
  /** See `questionOf`. */
  readonly question: string;
  answer: Answer | undefined;

  constructor(call: Call) {
    this.call = call;
    this.question = questionOf(call);
  }

  /** Hashes the key on demand: that is once at most, and never for most calls of a waterfall. */
  keyFor(accountIdentity: string): CallKey {
    return keyOfQuestion(accountIdentity, this.question);
  }
}

/** The call without which a row cannot go on, or how it ended. */
export type WalkStep =
  | { readonly kind: 'call'; readonly met: MetCall }
  | { readonly kind: 'end'; readonly outcome: Outcome };

/** The calls that a row still makes, and how it ends, under some assumption about their answers. */
export interface Ahead {
  readonly calls: readonly MetCall[];
  readonly outcome: Outcome;
}

const NO_MATCH: Answer = { kind: 'no_match' };

/** No row needs more calls, so an operation that asks for more has a bug and would never end. */
const MOST_CALLS_A_ROW = 20;

/**
 * One row on its way through its operation. Only this class asks an operation for its next call. The answers come from
 * its callers: a run buys them one by one (`replay`), a plan asks the ledger for those of many rows at once
 * (`row-classification`), and `ahead` assumes them. Nothing here is asynchronous, so a million rows take seconds.
 */
export class RowWalk {
  readonly #operation: Operation;
  readonly #input: unknown;
  /** Every call that the operation has named, in the order of naming. There are few, so a linear search is fast enough. */
  readonly #met: MetCall[] = [];
  #told = 0;
  /** The result of `callsAtWorst`; undefined when an answer came in after it. */
  #atWorst: Ahead | undefined;

  /** @param input the result of the operation's `prepare` for the row; for a change, the work that was planned. */
  constructor(operation: Operation, input: unknown) {
    this.#operation = operation;
    this.#input = input;
  }

  step(): WalkStep {
    // The first of the calls at worst is also the next call, because no answer had to be assumed to reach it.
    const [met] = this.#atWorst?.calls ?? [];
    if (met !== undefined) return { kind: 'call', met };
    const step = this.#ask([], []);
    return step.kind === 'end' ? step : { kind: 'call', met: this.#meet(step.call) };
  }

  /** @param call of this row. */
  tell(call: MetCall, answer: Answer): void {
    invariant(call.answer === undefined, `${this.#operation.name} asks again for what was answered`);
    call.answer = answer;
    this.#told += 1;
    this.#atWorst = undefined;
  }

  /** The calls that are left, and the outcome, when `answerTo` answers them. The row itself does not learn these answers. */
  ahead(answerTo: (call: Call) => Answer): Ahead {
    const calls: MetCall[] = [];
    const answers: Answer[] = [];
    for (;;) {
      const step = this.#ask(calls, answers);
      if (step.kind === 'end') return { calls, outcome: step.outcome };
      calls.push(this.#meet(step.call));
      answers.push(answerTo(step.call));
    }
  }

  /** The calls that the row still makes when none of them matches: the most that it can cost from here on. */
  callsAtWorst(): readonly MetCall[] {
    this.#atWorst ??= this.ahead(() => NO_MATCH);
    return this.#atWorst.calls;
  }

  /** @param assumed calls that are assumed to have these `answers`, besides the calls that have a real one. */
  #ask(assumed: readonly MetCall[], answers: readonly Answer[]): Step {
    const step = this.#operation.next(this.#input, (call) => {
      const met = this.#meet(call);
      return met.answer ?? answers[assumed.indexOf(met)];
    });
    const isTooLong = step.kind === 'send' && this.#told + assumed.length >= MOST_CALLS_A_ROW;
    invariant(!isTooLong, `${this.#operation.name} asks for more than ${MOST_CALLS_A_ROW} calls`);
    return step;
  }

  #meet(call: Call): MetCall {
    for (const met of this.#met) if (isSurelySame(met.call, call)) return met;
    const met = new MetCall(call);
    const known = this.#met.find(({ question }) => question === met.question);
    if (known !== undefined) return known;
    this.#met.push(met);
    return met;
  }
}

/** Whether both calls surely have the same key, without making their questions. A wrong "no" only costs making one. */
function isSurelySame(one: Call, other: Call): boolean {
  return (
    one.operation === other.operation &&
    one.project === other.project &&
    one.after === other.after &&
    one.change?.subject === other.change?.subject &&
    haveSameMembers(one.parameters, other.parameters)
  );
}

function haveSameMembers(one: Call['parameters'], other: Call['parameters']): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
