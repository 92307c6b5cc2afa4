import { type CallKey, keyOfQuestion, questionOf } from '../core/call-key.ts';
import { invariant } from '../core/errors.ts';
import type { Answer, Call, Operation, Step } from '../core/operation.ts';
import type { Outcome } from '../core/row.ts';

/** A call that a row has met. What it is known by is made once, although an operation names its calls at every step. */
export class MetCall {
  readonly call: Call;
  /** See `questionOf`. */
  readonly question: string;
  answer: Answer | undefined;

  constructor(call: Call) {
    this.call = call;
    this.question = questionOf(call);
  }

  /** Hashed when it is asked for, which is once at most, and for most calls of a waterfall never. */
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

/** No row needs more calls; an operation that asks for more would never end. */
const MOST_CALLS_A_ROW = 20;

/**
 * One row on its way through its operation, as far as the answers that it is told carry it: nothing else asks an operation
 * for its next call. Where answers come from is for others to say: a run buys them one by one (`replay`), a plan asks the
 * ledger for those of many rows at once (`row-classification`), and `ahead` assumes them. Nothing here waits, so that a
 * million rows are walked in seconds.
 */
export class RowWalk {
  readonly #operation: Operation;
  readonly #input: unknown;
  /** Every call that the operation has named, in the order of naming. A handful, so it is searched one by one. */
  readonly #met: MetCall[] = [];
  #told = 0;
  /** What `callsAtWorst` found; undefined once an answer was told since. */
  #atWorst: Ahead | undefined;

  /** @param input what the operation's `prepare` made of the row, or of a change what was planned for it. */
  constructor(operation: Operation, input: unknown) {
    this.#operation = operation;
    this.#input = input;
  }

  step(): WalkStep {
    // For the first of the calls that are left when nothing matches nothing was assumed.
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

  /** What is ahead when every call that is left is answered so. The row is told nothing of it. */
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

  /** @param assumed calls that are taken to have these `answers`, besides those that have one. */
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

/** Whether they have the same key, as far as can be told without their text. A wrong "no" only costs making that. */
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
