import { isDeepStrictEqual } from 'node:util';
import { invariant } from '../core/errors.ts';
import { isCheck } from '../core/given.ts';
import { present } from '../core/objects.ts';
import {
  type Answer,
  type Call,
  type Operation,
  type PlannedWork,
  partsOf,
  type RowInput,
} from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { type Outcome, withRemark } from '../core/row.ts';
import {
  MOST_CALLS,
  outcomeOf,
  type RowCheck,
  type RowChecker,
  type RowStep,
  type RowSteps,
  type RowWay,
  type StepEnd,
} from '../core/steps.ts';
import type { AnswerAtHand, AttemptId } from '../ledger/ledger.ts';
import { cellText } from '../values/answer-fields.ts';
import { otherSaid } from '../values/found.ts';
import { stepIn, takingCall } from './dialect-step.ts';
import { filledBy, MetCall, operationAnswer, saidTo, VERDICT } from './met-call.ts';
import type { AskedAccount } from './resolved-job.ts';

/**
 * `look`: the ledger is asked for an answer, and nothing is bought. `waits`: an account that has ended may
 * still have what no other account found.
 */
type WalkStep =
  | ({ readonly kind: 'call' | 'look'; readonly met: MetCall } & SoFar)
  | ({ readonly kind: 'waits' } & SoFar)
  | RowEnd;

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
  readonly repaired?: string | undefined;
}

const NO_MATCH: Answer = { kind: 'no_match' };

function stepsOf(operation: Operation, input: unknown): readonly RowStep[] {
  if (operation.steps !== undefined) return (input as RowSteps).steps;
  const parts = operation.change === undefined ? [] : partsOf(input as PlannedWork);
  if (parts.length < 2) return [{ ways: [{ account: 0, operation, input }] }];
  return parts.map((part) => ({
    name: part.project,
    ways: [{ account: 0, operation, input: part }],
    ended: part.ended,
  }));
}

/** How a step of a row stands: how it ended, or its next call. */
type StepState =
  | (StepEnd & { readonly kind: 'end'; readonly by?: MetCall | undefined })
  | Exclude<WalkStep, RowEnd>;

/** What the steps before one have done. */
interface Before {
  readonly ends: (StepEnd & { readonly by?: MetCall | undefined })[];
  /** The columns that they have filled, and those that they may fill yet. */
  readonly filled: Record<string, string>;
  readonly open: Set<string>;
  waits: boolean;
}

/** Answers that are assumed, besides the calls that have a real one. */
type Assumed = ReadonlyMap<MetCall, Answer>;

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
  readonly #accounts: readonly AskedAccount[];
  readonly #row: WalkedRow;
  readonly #steps: readonly RowStep[];
  readonly #met: MetCall[] = [];
  /** The positions of the steps that were left as they are; undefined while there are none. */
  #left: Set<number> | undefined;
  #told = 0;
  #isCut = false;
  #atWorst: CallsAhead | undefined;
  #step: WalkStep | undefined;

  constructor(operation: Operation, accounts: readonly AskedAccount[], row: WalkedRow) {
    this.operation = operation;
    this.#accounts = accounts;
    this.#row = row;
    this.#steps = stepsOf(operation, row.input);
    this.#isCut = this.#steps.some(({ ended }) => ended !== undefined);
  }

  step(): WalkStep {
    this.#step ??= this.#ask(NOTHING_ASSUMED);
    return this.#step;
  }

  #askFor(met: MetCall): Extract<WalkStep, { readonly met: MetCall }> {
    const isAmongSeveral = (this.#steps[met.at]?.ways.length ?? 0) > 1;
    return { kind: isAmongSeveral && met.stands === undefined ? 'look' : 'call', met };
  }

  tell(met: MetCall, answer: AnswerAtHand): void {
    invariant(met.answer === undefined, `${this.operation.name} asks again for what was answered`);
    const told = operationAnswer(met.call, answer, this.operation.readsAnswers === true || met.leads);
    if (told.kind === 'found') {
      met.remark = told.remark;
      if (met.wants !== undefined) {
        const said = saidTo(met, answer);
        met.filled = filledBy(said, met.wants);
        met.verdict = cellText(said.ours.verdict) || undefined;
      }
    }
    if (told.kind === 'no_match') met.other = otherSaid(answer.why);
    met.answer = told;
    met.attempt = answer.attempt;
    this.#told += 1;
    this.#move();
  }

  /** Says how a call of one account stands, where its step has others. */
  pass(met: MetCall, stands: NonNullable<MetCall['stands']>): void {
    met.stands = stands;
    this.#move();
  }

  /**
   * Ends the step that asks for the call with this outcome, because nobody knows the answer. The next step
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

  /** Leaves the step that asks for the call as it is: nobody says how it ends. */
  leaveStep({ at }: MetCall): void {
    this.#left ??= new Set();
    this.#left.add(at);
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
      return { calls: [...this.#withFollowing(calls), ...this.#fedBy(calls)], outcome };
    }
  }

  /** Calls with those that take what they find, and with the check of the address in it. */
  #withFollowing(calls: readonly MetCall[]): readonly MetCall[] {
    return calls.flatMap((met) => {
      const { check } = this.#steps[met.at] ?? {};
      const both = met.leads
        ? [met, new MetCall(takingCall(met.call, met.asked), met.by, met.at, met.wants)]
        : [met];
      if (check === undefined || isCheck(met.call.operation)) return both;
      return [...both, ...check.checkers.map((each) => this.#unknownCall(each, met.at, [met]))];
    });
  }

  /** Stands for a call that is made by what other calls find, which nobody knows yet. */
  #unknownCall(
    { account, operation }: Pick<RowWay, 'account' | 'operation'>,
    at: number,
    from: readonly MetCall[],
    wants?: MetCall['wants'],
  ): MetCall {
    const parameters = { filled_by: from.map(({ asked }) => asked) };
    const { name, creditsMost } = operation;
    const call: Call = { operation: name, parameters, ifLost: 'hold', ...present({ creditsMost }) };
    return new MetCall(call, this.#accountAt(account), at, wants);
  }

  /**
   * The calls of later steps that are made where these calls fill their inputs, and those of the steps whose
   * inputs these fill.
   */
  #fedBy(calls: readonly MetCall[]): readonly MetCall[] {
    if (this.#steps.every(({ fed }) => fed === undefined)) return [];
    const open = new Set(calls.flatMap(({ at }) => this.#steps[at]?.wants ?? []).map(({ column }) => column));
    return this.#steps.flatMap((step, at) => {
      if (!isFedBy(step, open)) return [];
      for (const { column } of step.wants ?? []) open.add(column);
      return this.#withFollowing(step.ways.map((way) => this.#unknownCall(way, at, calls, step.wants)));
    });
  }

  /** The calls of later steps that are made where the step of this call fills their inputs. */
  fedBy({ at }: MetCall): readonly MetCall[] {
    return this.#fedBy(this.callsAtWorst().filter((met) => met.at === at));
  }

  /**
   * The calls that the row still makes when none of them matches: the worst case for its cost from here on.
   */
  callsAtWorst(): readonly MetCall[] {
    this.#atWorst ??= this.ahead(() => NO_MATCH);
    return this.#atWorst.calls;
  }

  #ask(assumed: Assumed): WalkStep {
    const [only, ...others] = this.#steps;
    const isAlone = only !== undefined && others.length === 0 && this.#left === undefined;
    if (!isAlone || !isPlain(only)) return this.#askAll(assumed);
    // Most rows have one step with one account, and a list has many rows: only their call is made for them.
    const [way] = only.ways;
    const state = this.#askWay(0, way, way.input, assumed);
    return 'met' in state ? state : this.#end([{ ...state, name: only.name }]);
  }

  #askAll(assumed: Assumed): WalkStep {
    const before: Before = { ends: [], filled: {}, open: new Set(), waits: false };
    for (const [at, step] of this.#steps.entries()) {
      // A step whose input an earlier step may still fill is asked once that is known.
      if (before.open.size > 0 && isFedBy(step, before.open)) continue;
      const state: StepState | undefined = this.#left?.has(at)
        ? { kind: 'waits' }
        : this.#askStep(at, step, before.filled, assumed);
      if (state === undefined) continue;
      if ('met' in state) return { ...state, filled: attemptsOf(before) };
      note(state, step, before);
    }
    if (before.waits) return { kind: 'waits', filled: attemptsOf(before) };
    return this.#end(before.ends);
  }

  #end(ends: Before['ends']): RowEnd {
    const isFilling = this.operation.steps !== undefined || this.#met.some(({ leads }) => leads);
    const fills = isFilling ? attemptsOf({ ends }) : undefined;
    return { kind: 'end', outcome: this.#remarked(outcomeOf(ends)), fills };
  }

  /** @returns undefined where the row has nothing by which the step can be asked. */
  #askStep(at: number, step: RowStep, filled: RowInput, assumed: Assumed): StepState | undefined {
    const { name, ways, ended } = step;
    if (ended !== undefined) return { kind: 'end', name, outcome: ended };
    const ends: Ended[] = [];
    const asking: MetCall[] = [];
    for (const way of ways) {
      const input = inputOf(step, way, filled);
      if (input === undefined) continue;
      const found = this.#askWay(at, way, input, assumed, step.wants);
      const state = 'met' in found ? found : this.#checked(at, step, found, assumed);
      if (state.kind === 'look') return state;
      if ('met' in state) asking.push(state.met);
      else if ((isFilled(state) && !isUndecided(state)) || ways.length === 1) return { ...state, name };
      else ends.push({ ...state, account: this.#accountAt(way.account).account.name });
    }
    return stateOfWays(step, ends, asking);
  }

  /** What one account has found, after the check of the address in it; or the check, which comes next. */
  #checked(at: number, step: RowStep, found: WayEnd, assumed: Assumed): WayEnd | Asking {
    const { check, accepts, wants = [] } = step;
    const column = wants.find(({ path }) => path === 'email')?.column ?? '';
    const email = found.by?.filled?.[column];
    if (email === undefined || found.outcome.kind !== 'matched') return found;
    const { verdict: own = 'unknown', by } = found.by ?? {};
    if (accepts !== undefined && !accepts.some((each) => each === own))
      return notTaken(`its address is ${foreignWords(own)} by ${by?.account.name}`);
    return check === undefined ? found : this.#checkedBy(at, check, email, found, assumed);
  }

  #checkedBy(at: number, check: RowCheck, email: string, found: WayEnd, assumed: Assumed): WayEnd | Asking {
    const said = this.#verdictOn(at, check, email, assumed);
    if (said.kind !== 'verdict') return said;
    const { verdict, by } = said;
    if (!isCheckAssumed(at, assumed) && check.accept.some((each) => each === verdict)) return found;
    return notTaken(`its address is ${verdict} by ${by}`);
  }

  /** What the checkers say of an address: the next one is asked where one does not know. */
  #verdictOn(at: number, { checkers }: RowCheck, email: string, assumed: Assumed): Said | WayEnd | Asking {
    const ends: (Said | WayEnd)[] = [];
    for (const checker of checkers) {
      const said = this.#verdictBy(at, checker, email, assumed);
      const goesOn =
        (said.kind === 'verdict' && said.verdict === 'unknown') ||
        (said.kind === 'end' && said.outcome.kind === 'refused');
      if (!goesOn) return said;
      ends.push(said);
    }
    const unknown = ends.flatMap((each) => (each.kind === 'verdict' ? each.by : []));
    const [first] = ends;
    invariant(first !== undefined, 'a check has a checker');
    return unknown.length === 0 ? first : { kind: 'verdict', verdict: 'unknown', by: unknown.join(' and ') };
  }

  #verdictBy(
    at: number,
    { prepare, ...way }: RowChecker,
    email: string,
    assumed: Assumed,
  ): Said | WayEnd | Asking {
    const prepared = prepare({ email });
    if (prepared.kind === 'invalid') return notTaken(prepared.reason);
    const state = this.#askWay(at, way, prepared.input, assumed, VERDICT);
    // No other account is asked while the address has no verdict.
    if ('met' in state) return state;
    const { name } = this.#accountAt(way.account).account;
    const { kind, reason } = state.outcome;
    if (kind === 'in_doubt' || kind === 'skipped') return { ...state, isFinal: true };
    if (kind !== 'refused')
      return { kind: 'verdict', verdict: state.by?.filled?.verdict ?? 'unknown', by: name };
    const why = `${name} refuses to check its address${reason === undefined ? '' : `: ${reason}`}`;
    return { ...state, isFinal: true, outcome: { kind, reason: why } };
  }

  /** One account of a step. */
  #askWay(
    at: number,
    way: Pick<RowWay, 'account' | 'operation'>,
    input: unknown,
    assumed: Assumed,
    wants?: MetCall['wants'],
  ): WayEnd | Asking {
    const asked = this.#accountAt(way.account);
    let last: MetCall | undefined;
    const step = stepIn(asked.dialect, way.operation, input, (call) => {
      const met = this.#meet(call, asked, at, wants);
      const answer = met.answer ?? assumed.get(met);
      last = answer?.kind === 'found' ? met : undefined;
      return answer;
    });
    if (step.kind === 'end') {
      const by = step.outcome.kind === 'matched' ? last : undefined;
      return { kind: 'end', outcome: step.outcome, by, isFinal: false };
    }
    const met = this.#meet(step.call, asked, at, wants);
    if (met.end !== undefined)
      return { kind: 'end', outcome: met.end.outcome, by: undefined, isFinal: !met.end.goesOn };
    const isTooLong = this.#told + assumed.size >= MOST_CALLS * this.#steps.length;
    invariant(!isTooLong, `${way.operation.name} asks for more than ${MOST_CALLS} calls`);
    return this.#askFor(met);
  }

  #accountAt(account: number): AskedAccount {
    const by = this.#accounts[account];
    invariant(by !== undefined, `the job has no account ${account}`);
    return by;
  }

  #remarked(outcome: Outcome): Outcome {
    const { repaired, input } = this.#row;
    const isDone = outcome.kind === 'matched' || outcome.kind === 'applied';
    const remarks = this.#met.map((met) => this.#otherOf(met) ?? (isDone ? met.remark : undefined));
    if (this.operation.steps !== undefined) {
      for (const { name, remark } of (input as RowSteps).lacking)
        if (remark !== undefined) remarks.push(`${name}: ${remark}`);
    }
    if (!this.#isCut) remarks.push(repaired);
    const said = remarks.filter((remark) => remark !== undefined);
    return said.length === 0 ? outcome : [...new Set(said)].reduce(withRemark, outcome);
  }

  #otherOf({ other, by }: MetCall): string | undefined {
    return other === undefined || this.#accounts.length === 1 ? other : `${by.account.name}: ${other}`;
  }

  #meet(call: Call, by: AskedAccount, at: number, wants?: MetCall['wants']): MetCall {
    // Most operations keep their calls. Others make them again at each step, which takes longer than to
    // compare calls.
    for (const met of this.#met) if (met.by === by && met.call === call) return met;
    for (const met of this.#met) if (met.by === by && isDeepStrictEqual(met.call, call)) return met;
    const met = new MetCall(call, by, at, wants, this.operation.readsAnswers);
    for (const known of this.#met) if (known.by === by && known.asked === met.asked) return known;
    this.#met.push(met);
    return met;
  }
}

export type Asking = Extract<WalkStep, { readonly met: MetCall }>;

/** An assumed check has no verdict that counts, or nothing would be asked after it. */
const isCheckAssumed = (at: number, assumed: Assumed): boolean =>
  [...assumed.keys()].some((met) => met.at === at && isCheck(met.call.operation));

/** What a check has found out, and who says so. */
interface Said {
  readonly kind: 'verdict';
  readonly verdict: string;
  readonly by: string;
}

/** How one account of a step ends. */
interface WayEnd {
  readonly kind: 'end';
  readonly outcome: Outcome;
  /** The call whose answer was found. */
  readonly by: MetCall | undefined;
  /** Whether the step ends with it, and no other account is asked. */
  readonly isFinal: boolean;
}

/** How an account ends whose address does not count, so that another one is asked. */
const notTaken = (reason: string): WayEnd => ({
  ...{ kind: 'end', by: undefined, isFinal: false },
  outcome: { kind: 'no_match', reason },
});

type Ended = WayEnd & { readonly account: string };

/** A step of one account, which asks by the cells of the row alone. */
const isPlain = (step: RowStep): step is RowStep & { readonly ways: readonly [RowWay] } =>
  step.ways.length === 1 && step.ended === undefined && step.fed === undefined && step.wants === undefined;

const isFilled = ({ outcome, by }: WayEnd): boolean =>
  outcome.kind === 'matched' && (by?.filled === undefined || Object.keys(by.filled).length > 0);

/** A check that has not found out, so that another account is asked. */
const isUndecided = ({ by }: WayEnd): boolean =>
  by !== undefined && isCheck(by.call.operation) && by.verdict === 'unknown';

const attemptsOf = ({ ends }: Pick<Before, 'ends'>): readonly AttemptId[] =>
  ends.flatMap(({ by }) => by?.attempt ?? []);

/** Whether a step reads a column that is still open. */
const isFedBy = ({ fed = {} }: RowStep, open: ReadonlySet<string>): boolean =>
  Object.values(fed).some((column) => open.has(column));

function note(state: Exclude<StepState, Asking>, { wants = [] }: RowStep, before: Before): void {
  const isOpen = state.kind === 'waits' || state.outcome.kind === 'in_doubt';
  if (isOpen) for (const { column } of wants) before.open.add(column);
  if (state.kind === 'waits') before.waits = true;
  else {
    before.ends.push(state);
    Object.assign(before.filled, state.by?.filled);
  }
}

/** The input of one account, with the cells that earlier steps have filled. */
function inputOf({ fed = {} }: RowStep, { input, prepare }: RowWay, filled: RowInput): unknown {
  const found = Object.entries(fed).flatMap(([name, column]) => {
    const cell = filled[column];
    return cell === undefined ? [] : [[name, cell] as const];
  });
  if (prepare === undefined || found.length === 0) return input;
  const prepared = prepare(Object.fromEntries(found));
  return prepared.kind === 'ready' ? prepared.input : undefined;
}

/** How a step stands that no account has filled, and whose accounts have all been looked at. */
function stateOfWays(
  { name, check }: RowStep,
  ends: readonly Ended[],
  asking: readonly MetCall[],
): StepState | undefined {
  const final = ends.find(({ isFinal }) => isFinal);
  if (final !== undefined) return { ...final, name };
  const firstOf = (calls: readonly MetCall[]): MetCall | undefined =>
    calls.find(({ stands }) => stands === 'held') ?? calls[0];
  const checking = firstOf(asking.filter(({ call }) => check !== undefined && isCheck(call.operation)));
  if (checking !== undefined)
    return checking.stands === 'left' ? { kind: 'waits' } : { kind: 'call', met: checking };
  const met = firstOf(asking.filter(({ stands }) => stands !== 'left'));
  if (met !== undefined) return { kind: 'call', met };
  if (asking.length > 0) return { kind: 'waits' };
  return ends.length === 0 ? undefined : { kind: 'end', name, ...endOfWays(ends) };
}

/** What is said of a step none of whose accounts fills it comes first here. */
const FIRST_OF_WAYS = ['matched', 'skipped', 'no_match', 'refused'] as const;

function endOfWays(ends: readonly Ended[]): Pick<WayEnd, 'outcome' | 'by'> {
  const kind = FIRST_OF_WAYS.find((each) => ends.some(({ outcome }) => outcome.kind === each));
  const first = ends.find(({ outcome }) => outcome.kind === kind);
  invariant(first !== undefined, 'an account ends so that its step can');
  const reason = ends
    .flatMap(({ account, outcome }) => (outcome.reason === undefined ? [] : `${account}: ${outcome.reason}`))
    .join('; ');
  return { outcome: reason === '' ? first.outcome : { ...first.outcome, reason }, by: first.by };
}
