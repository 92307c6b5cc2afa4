import { type CallKey, keyOfQuestion, questionOf } from '../../core/call-key.ts';
import { invariant } from '../../core/errors.ts';
import type { Answer, Call, Operation } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';

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

const NO_MATCH: Answer = { kind: 'no_match' };

/** No row needs more calls; an operation that asks for more would never end. */
const MOST_CALLS_A_ROW = 20;

/**
 * One row on its way through its operation, as far as the answers that it is told carry it. Nothing here waits, so that
 * a million rows are walked in seconds: whoever walks asks the ledger for many rows at once.
 */
export class RowWalk {
  readonly row: RowNumber;
  readonly #operation: Operation;
  readonly #input: unknown;
  /** Every call that the operation has named, in the order of naming. A handful, so it is searched one by one. */
  readonly #met: MetCall[] = [];
  /** What `callsAtWorst` found; undefined once an answer was told since. */
  #atWorst: readonly MetCall[] | undefined;

  /** @param input what the operation's `prepare` made of the row. */
  constructor(operation: Operation, row: RowNumber, input: unknown) {
    this.#operation = operation;
    this.row = row;
    this.#input = input;
  }

  /** The same row at its start, told nothing. */
  anew(): RowWalk {
    return new RowWalk(this.#operation, this.row, this.#input);
  }

  /** The call without which the row cannot go on; undefined at its end. */
  next(): MetCall | undefined {
    // The first of those that are left when nothing matches, for that one nothing was assumed.
    if (this.#atWorst !== undefined) return this.#atWorst[0];
    const step = this.#operation.next(this.#input, (call) => this.#meet(call).answer);
    return step.kind === 'end' ? undefined : this.#meet(step.call);
  }

  /** @param call of this row. */
  tell(call: MetCall, answer: Answer): void {
    invariant(call.answer === undefined, `${this.#operation.name} asks again for what was answered`);
    call.answer = answer;
    this.#atWorst = undefined;
  }

  /** The calls that the row still makes when none of them matches: the most that it can cost from here on. */
  callsAtWorst(): readonly MetCall[] {
    this.#atWorst ??= this.#walkMissing();
    return this.#atWorst;
  }

  #walkMissing(): readonly MetCall[] {
    const missed: MetCall[] = [];
    const answered = (call: Call): Answer | undefined => {
      const met = this.#meet(call);
      return met.answer ?? (missed.includes(met) ? NO_MATCH : undefined);
    };
    for (;;) {
      const step = this.#operation.next(this.#input, answered);
      if (step.kind === 'end') return missed;
      invariant(
        missed.length < MOST_CALLS_A_ROW,
        `${this.#operation.name} asks for more than ${MOST_CALLS_A_ROW} calls`,
      );
      missed.push(this.#meet(step.call));
    }
  }

  #meet(call: Call): MetCall {
    for (const met of this.#met) if (isSameCall(met.call, call)) return met;
    const met = new MetCall(call);
    this.#met.push(met);
    return met;
  }
}

/** Whether they have the same key, as far as can be told without hashing. A wrong "no" only costs another hash. */
function isSameCall(one: Call, other: Call): boolean {
  return (
    one.operation === other.operation &&
    one.project === other.project &&
    one.after === other.after &&
    haveSameMembers(one.parameters, other.parameters)
  );
}

function haveSameMembers(one: Call['parameters'], other: Call['parameters']): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
