import { isDeepStrictEqual } from 'node:util';
import { invariant } from '../../core/errors.ts';
import type { Answer, Call, Operation } from '../../core/operation.ts';
import { MOST_CALLS, type RowStep } from '../../core/steps.ts';
import type { AnswerAtHand } from '../../ledger/ledger.ts';
import { MetCall } from '../met-call.ts';
import type { AskedAccount } from '../resolved-job.ts';

/** Answers that are assumed, besides the calls that have a real one. */
export type Assumed = ReadonlyMap<MetCall, Answer>;

/**
 * The next call of a step.
 * - `call`: the call is bought where the ledger has no answer.
 * - `look`: the ledger is asked for an answer, and nothing is bought.
 */
export interface Asking {
  readonly kind: 'call' | 'look';
  readonly met: MetCall;
}

/** The steps of a row, the accounts that they ask, and the calls that the row has met on its way. */
export class RowCalls {
  readonly steps: readonly RowStep[];
  readonly met: MetCall[] = [];
  readonly #operation: Operation;
  readonly #accounts: readonly AskedAccount[];
  #toldCalls = 0;

  constructor(operation: Operation, accounts: readonly AskedAccount[], steps: readonly RowStep[]) {
    this.#operation = operation;
    this.#accounts = accounts;
    this.steps = steps;
  }

  accountAt(account: number): AskedAccount {
    const by = this.#accounts[account];
    invariant(by !== undefined, `the job has no account ${account}`);
    return by;
  }

  get hasOneAccount(): boolean {
    return this.#accounts.length === 1;
  }

  meet(call: Call, by: AskedAccount, at: number, wants?: MetCall['wants']): MetCall {
    // Most operations keep their calls. Others make them again at each step, which takes longer than to
    // compare calls.
    for (const met of this.met) if (met.by === by && met.call === call) return met;
    for (const met of this.met) if (met.by === by && isDeepStrictEqual(met.call, call)) return met;
    const met = new MetCall(call, by, at, wants, this.#operation.readsAnswers);
    for (const known of this.met) if (known.by === by && known.callText === met.callText) return known;
    this.met.push(met);
    return met;
  }

  /** Whether one more call is no mistake of the operation. */
  takesMore(assumed: Assumed): boolean {
    return this.#toldCalls + assumed.size < MOST_CALLS * this.steps.length;
  }

  askFor(met: MetCall): Asking {
    const isAmongSeveral = (this.steps[met.at]?.accounts.length ?? 0) > 1;
    return { kind: isAmongSeveral && met.stands === undefined ? 'look' : 'call', met };
  }

  tell(met: MetCall, answer: AnswerAtHand): void {
    invariant(met.answer === undefined, `${this.#operation.name} asks again for what was answered`);
    met.takeAnswer(answer, this.#operation.readsAnswers === true);
    this.#toldCalls += 1;
  }
}
