import { about, NO_FINDINGS, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { type Answer, type Call, type Operation, type PlannedWork, partsOf } from '../core/operation.ts';
import { withFindings } from '../core/outcome.ts';
import type { Outcome } from '../core/row.ts';
import { outcomeOf, type RowStep, type RowSteps, type StepAccount, type StepEnd } from '../core/steps.ts';
import type { AnswerAtHand, AttemptId } from '../ledger/ledger.ts';
import type { MetCall } from './met-call.ts';
import type { AskedAccount } from './resolved-job.ts';
import { askAccount } from './row-walk/ask-account.ts';
import { askStep, type StepState } from './row-walk/ask-step.ts';
import { fedBy, isFedBy, withFollowing } from './row-walk/calls-ahead.ts';
import { type Asking, type Assumed, RowCalls } from './row-walk/row-calls.ts';

/** What a row needs next: a call, its end, or (`waits`) what an account that has ended may have later. */
type WalkNext = NextCall | ({ readonly kind: 'waits' } & SoFar) | RowEnd;

export type NextCall = Asking & SoFar;

interface SoFar {
  /** The attempts that have filled steps of the row; left out: none. */
  readonly filled?: readonly AttemptId[];
}

export interface RowEnd {
  readonly kind: 'end';
  readonly outcome: Outcome;
  /**
   * The attempts that filled the steps; undefined where no found answer is left out, because each step has
   * one account and takes whatever it finds, and no answer leads to another one.
   */
  readonly fills: readonly AttemptId[] | undefined;
}

interface CallsAhead {
  readonly calls: readonly MetCall[];
  /** Undefined where a step was left as it is. */
  readonly outcome: Outcome | undefined;
}

export interface WalkedRow {
  /** The result of the operation's `preparer` for the row; for a change, the work that was planned. */
  readonly input: unknown;
  /** How the repaired cells of the row were read. The outcome says it. */
  readonly repaired?: Findings | undefined;
}

const NO_MATCH: Answer = { kind: 'no_match' };

const NOTHING_ASSUMED: Assumed = new Map();

/**
 * One row on its way through the steps of its operation. Its next call is the call of the first step that has
 * not ended. Only this class asks an operation for it. The answers come from the callers: a run gets them one
 * by one (`run/rows.ts`), a plan asks the ledger for the answers of many rows at once (`row-classification`),
 * and `ahead` assumes them. Nothing here is asynchronous, so a million rows take seconds.
 *
 * A step with several accounts first looks for an answer of each in the ledger, so that nothing is bought
 * that another account has found. Then the first account that has not answered is asked.
 */
export class RowWalk {
  readonly operation: Operation;
  readonly #row: WalkedRow;
  readonly #calls: RowCalls;
  /** The positions of the steps that were left as they are; undefined while there are none. */
  #leftSteps: Set<number> | undefined;
  #isCut = false;
  #atWorst: CallsAhead | undefined;
  #step: WalkNext | undefined;

  constructor(operation: Operation, accounts: readonly AskedAccount[], row: WalkedRow) {
    this.operation = operation;
    this.#row = row;
    this.#calls = new RowCalls(operation, accounts, stepsOf(operation, row.input));
    this.#isCut = this.#calls.steps.some(({ ended }) => ended !== undefined);
  }

  next(): WalkNext {
    this.#step ??= this.#ask(NOTHING_ASSUMED);
    return this.#step;
  }

  tell(met: MetCall, answer: AnswerAtHand): void {
    this.#calls.tell(met, answer);
    this.#move();
  }

  /** Says how a call of one account stands, where its step has others. */
  pass(met: MetCall, stands: NonNullable<MetCall['stands']>): void {
    met.stands = stands;
    this.#move();
  }

  /**
   * Ends the step that asks for the call with this outcome, because no one knows the answer. The next step
   * goes on.
   * @param goesOn whether the other accounts of the step are asked.
   */
  endStep(met: MetCall, outcome: Outcome, goesOn = false): void {
    met.end = { outcome, goesOn };
    this.#isCut = true;
    this.#move();
  }

  /** Ends the row with this outcome, whatever its steps have found, because its person was forgotten. */
  endRow(outcome: Outcome): void {
    this.#step = { kind: 'end', outcome, fills: [] };
  }

  /** Leaves the step that asks for the call as it is: no one says how it ends. */
  leaveStep({ at }: MetCall): void {
    this.#leftSteps ??= new Set();
    this.#leftSteps.add(at);
    this.#move();
  }

  #move(): void {
    this.#atWorst = undefined;
    this.#step = undefined;
  }

  /**
   * The calls that are left, and the outcome, when `answerTo` answers them. The row itself does not learn
   * these answers.
   */
  ahead(answerTo: (call: Call) => Answer): CallsAhead {
    const assumed = new Map<MetCall, Answer>();
    for (;;) {
      const step = this.#ask(assumed);
      if ('met' in step) {
        assumed.set(step.met, answerTo(step.met.call));
        continue;
      }
      const calls = [...assumed.keys()];
      const outcome = step.kind === 'end' ? step.outcome : undefined;
      return { calls: [...withFollowing(this.#calls, calls), ...fedBy(this.#calls, calls)], outcome };
    }
  }

  /** The name of the step that asks for the call. */
  stepOf({ at }: MetCall): string {
    return this.#calls.steps[at]?.name ?? this.operation.name;
  }

  /** The calls of later steps that are made where the step of this call fills their inputs. */
  fedBy({ at }: MetCall): readonly MetCall[] {
    return fedBy(
      this.#calls,
      this.callsAtWorst().filter((met) => met.at === at),
    );
  }

  /**
   * The calls that the row still makes when none of them matches: the worst case for its cost from here on.
   */
  callsAtWorst(): readonly MetCall[] {
    this.#atWorst ??= this.ahead(() => NO_MATCH);
    return this.#atWorst.calls;
  }

  #ask(assumed: Assumed): WalkNext {
    const { steps } = this.#calls;
    const only = steps[0];
    const isAlone = only !== undefined && steps.length === 1 && this.#leftSteps === undefined;
    if (!isAlone || !isPlain(only)) return this.#askAll(assumed);
    // Most rows have one step with one account, and a list has many rows: only their call is made for them.
    const stepAccount = only.accounts[0];
    const state = askAccount(this.#calls, 0, stepAccount, stepAccount.input, assumed);
    return 'met' in state ? state : this.#end([{ ...state, name: only.name }]);
  }

  #askAll(assumed: Assumed): WalkNext {
    const before: Before = { ends: [], filled: {}, open: new Set(), waits: false };
    for (const [at, step] of this.#calls.steps.entries()) {
      // A step with an input that an earlier step may still fill is asked once that is known.
      if (before.open.size > 0 && isFedBy(step, before.open)) continue;
      const state: StepState | undefined = this.#leftSteps?.has(at)
        ? { kind: 'waits' }
        : askStep(this.#calls, at, step, before.filled, assumed);
      if (state === undefined) continue;
      if ('met' in state) return { ...state, filled: attemptsOf(before) };
      note(state, step, before);
    }
    if (before.waits) return { kind: 'waits', filled: attemptsOf(before) };
    return this.#end(before.ends);
  }

  #end(ends: Before['ends']): RowEnd {
    const isFilling = this.operation.steps !== undefined || this.#calls.met.some(({ leads }) => leads);
    const fills = isFilling ? attemptsOf({ ends }) : undefined;
    return { kind: 'end', outcome: this.#remarked(outcomeOf(ends)), fills };
  }

  #remarked(outcome: Outcome): Outcome {
    const { repaired, input } = this.#row;
    const isDone = outcome.kind === 'matched' || outcome.kind === 'applied';
    const remarks = this.#calls.met.map(
      (met) => this.#otherOf(met) ?? (isDone ? met.remark : undefined) ?? NO_FINDINGS,
    );
    if (this.operation.steps !== undefined) {
      for (const { name, remark } of (input as RowSteps).lacking)
        if (remark !== undefined) remarks.push(about({ step: name }, remark));
    }
    if (!this.#isCut && repaired !== undefined) remarks.push(repaired);
    return withFindings(outcome, together(...remarks));
  }

  #otherOf({ other, by }: MetCall): Findings | undefined {
    return other === undefined || this.#calls.hasOneAccount
      ? other
      : about({ account: by.account.name }, other);
  }
}

function stepsOf(operation: Operation, input: unknown): readonly RowStep[] {
  if (operation.steps !== undefined) return (input as RowSteps).steps;
  const parts = operation.change === undefined ? [] : partsOf(input as PlannedWork);
  if (parts.length < 2) return [{ accounts: [{ account: 0, operation, input }] }];
  return parts.map((part) => ({
    name: part.project,
    accounts: [{ account: 0, operation, input: part }],
    ended: part.ended,
  }));
}

/** A step of one account, which asks by the cells of the row alone. */
const isPlain = (step: RowStep): step is RowStep & { readonly accounts: readonly [StepAccount] } =>
  step.accounts.length === 1 &&
  step.ended === undefined &&
  step.fed === undefined &&
  step.wants === undefined;

/** What the steps before one have done. */
interface Before {
  readonly ends: (StepEnd & { readonly by?: MetCall | undefined })[];
  /** The columns that they have filled, and those that they may fill yet. */
  readonly filled: Record<string, string>;
  readonly open: Set<string>;
  waits: boolean;
}

const attemptsOf = ({ ends }: Pick<Before, 'ends'>): readonly AttemptId[] =>
  ends.flatMap(({ by }) => by?.attempt ?? []);

function note(state: Exclude<StepState, Asking>, { wants = [] }: RowStep, before: Before): void {
  const isOpen = state.kind === 'waits' || state.outcome.kind === 'in_doubt';
  if (isOpen) for (const { column } of wants) before.open.add(column);
  if (state.kind === 'waits') before.waits = true;
  else {
    before.ends.push(state);
    Object.assign(before.filled, state.by?.filled);
  }
}
