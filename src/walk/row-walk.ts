import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../client/account/account.ts';
import type { Dialect } from '../client/dialect.ts';
import { answerPlaceOf, profilesTaken, requireOperation, thenOf, unaskable } from '../client/dialect.ts';
import { changeFields, remarkOn } from '../client/judge.ts';
import { unfitForPath } from '../client/request.ts';
import {
  type AnswerPlace,
  listAround,
  ownBodyIn,
  parsedFieldsOf,
  parsedResultsOf,
  readBody,
  textAt,
} from '../core/answer-body.ts';
import { askedText, type CallKey, keyOfAsked } from '../core/call-key.ts';
import type { Clock } from '../core/clock.ts';
import { invariant } from '../core/errors.ts';
import { isCheck, TAKEN_BY } from '../core/given.ts';
import { present } from '../core/objects.ts';
import {
  type Answer,
  type Answered,
  type Call,
  end,
  type JsonValue,
  type Operation,
  type OperationOptions,
  type PlannedWork,
  partsOf,
  type RowInput,
  type Step,
  send,
  type TellsApart,
} from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { type InputRow, type Outcome, withRemark } from '../core/row.ts';
import {
  MOST_CALLS,
  outcomeOf,
  type RowCheck,
  type RowChecker,
  type RowStep,
  type RowSteps,
  type RowWay,
  type StepEnd,
  type WantedColumn,
} from '../core/steps.ts';
import { acnInputs } from '../files/columns/column-kind.ts';
import { type InputColumns, type IssueOf, repairedRow } from '../files/quality/job-issues.ts';
import { type SharedHosts, settingAside } from '../files/quality/shared-hosts.ts';
import type { Job } from '../job/job.ts';
import { settingsOf } from '../job/job-schema.ts';
import type { AnswerAtHand, AttemptId, LedgerReader } from '../ledger/ledger.ts';
import { type AnswerFields, cellText, saidAt, saidIn } from '../values/answer-fields.ts';
import { isBlankText } from '../values/blank.ts';
import { otherSaid } from '../values/found.ts';
import type { AskedBefore } from './asked-before.ts';
import { BY_ON_EXISTING, fillingOf, leavingOut, stepsFilling } from './filling.ts';

/** An account, and the dialect in which its vendor is asked. */
export interface AskedAccount {
  readonly account: Account;
  readonly dialect: Dialect;
}

/** The work for rows: a job, and the accounts on which it runs, the first of which is meant where one is. */
export interface ResolvedJob extends AskedAccount {
  readonly job: Job;
  /** The accounts beside the first, in the order in which the job names them. */
  readonly further: readonly AskedAccount[];
}

/** The accounts of a job. The operations of its steps name them by their positions. */
export const accountsOf = ({ further, account, dialect }: Omit<ResolvedJob, 'job'>) => [
  { account, dialect },
  ...further,
];

/** The same job with the accounts as the store has them. @param known finds one of them in the store. */
export async function withAccounts(
  { job, account, dialect, further }: ResolvedJob,
  known: (account: Account) => Promise<Account>,
): Promise<ResolvedJob> {
  const first = await known(account);
  const others: AskedAccount[] = [];
  for (const asked of further) others.push({ ...asked, account: await known(asked.account) });
  return { job, account: first, dialect, further: others };
}

/** The places of the fields in the answers of the job's accounts. */
export function answerPlaceIn(resolved: ResolvedJob): AnswerPlace {
  const { job, dialect } = resolved;
  const { name, steps } = job.operation;
  if (steps === undefined) return answerPlaceOf(dialect, name);
  const accounts = accountsOf(resolved);
  const placeOf = (step: Operation): AnswerPlace => {
    const [only, ...others] = (step.asked ?? []).flatMap(({ account }) => accounts[account] ?? []);
    if (others.length === 0) return answerPlaceOf(only?.dialect ?? dialect, step.name);
    const places = [only, ...others].flatMap((by) =>
      by === undefined ? [] : [[by.account.identity, answerPlaceOf(by.dialect, step.name)] as const],
    );
    return { accounts: Object.fromEntries(places) };
  };
  return { steps: Object.fromEntries(steps.map((step) => [step.name, placeOf(step)])) };
}

/**
 * What a plan needs to know: the job with everything that it resolved to. Every `RunContext` is a
 * `PlanContext`, too.
 */
export interface PlanContext extends ResolvedJob {
  /** The ledger; undefined when there is no store yet, so that nothing is known as bought. */
  readonly ledger: LedgerReader | undefined;
  /** Whether every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  /** The hosts whose rows are set aside. Left out: nobody has read the list for them yet. */
  readonly shared?: SharedHosts | undefined;
  /** The questions whose rows are asked by what tells them apart. Left out: nobody has looked yet. */
  readonly apart?: ToldApart | undefined;
  /** The calls of an earlier build for rows that are asked otherwise today; left out: there are none. */
  readonly before?: AskedBefore | undefined;
  /** The work covers only this many of the first rows; left out: all rows. */
  readonly limit?: number | undefined;
  /** The work covers only the rows with these numbers, such as `5,9,12-20`; left out: all rows. */
  readonly only?: string | undefined;
  readonly clock?: Clock;
}

/** Questions that several rows ask which another identifier tells apart, see `told-apart.ts`. */
export type ToldApart = ReadonlySet<string>;

export type PreparedRow =
  | {
      readonly kind: 'ready';
      readonly input: unknown;
      /** How the repaired cells of the row were read; absent when none was repaired. */
      readonly repaired?: string;
    }
  /** `isSetAside`: because of a host of several companies, until a person takes such rows. */
  | { readonly kind: 'invalid'; readonly reason: string; readonly isSetAside?: true }
  /** The row would get nothing, or the condition `by` of the job leaves it out. */
  | { readonly kind: 'skipped'; readonly reason: string; readonly by?: string };

/** How a row ends that is not asked. */
export const unaskedEnd = ({ kind, reason }: Exclude<PreparedRow, { kind: 'ready' }>): Outcome => ({
  kind,
  reason,
});

export function optionsOf(
  { job, account: { projectId, organizationId }, dialect }: ResolvedJob,
  fed?: OperationOptions['fed'],
): OperationOptions {
  const { waterfall, origin, operation } = job;
  return {
    ...present({ waterfall }),
    settings: settingsOf(job),
    ...(origin && 'undoes' in origin ? { isOurList: true } : {}),
    ...present({ projectId, organizationId, fed }),
    unaskable: bySteps(operation, (name) => unaskable(dialect, name)),
    profiles: bySteps(operation, (name) => profilesTaken(dialect, name)),
    ...present({ acceptHosts: job.accept_hosts, roleAddresses: job.role_addresses }),
  };
}

/** Words of each step, with the name of the step before them. */
const bySteps = (
  { name, steps }: Operation,
  wordsOf: (name: string) => readonly string[],
): readonly string[] =>
  steps?.flatMap((step) => wordsOf(step.name).map((word) => `${step.name}.${word}`)) ?? wordsOf(name);

/**
 * Makes the step that prepares the rows of a file. A row that cannot be read is invalid without being looked
 * at further.
 */
export function rowPreparer(
  resolved: ResolvedJob,
  columns: Pick<InputColumns, 'read' | 'issueOf' | 'header' | 'columns' | 'nullNames'>,
  shared?: SharedHosts,
  tellsApart?: TellsApart,
): (row: InputRow) => PreparedRow {
  const steps = stepsFilling(resolved.job, columns);
  const prepared = cellPreparer(
    resolved.job,
    {
      ...optionsOf(resolved, steps?.fed),
      nullNames: columns.nullNames,
      acnIn: acnInputs(columns.columns),
      ...present({ tellsApart }),
    },
    columns.issueOf,
  );
  const leftOut = leavingOut(resolved.job, columns.header);
  const filling = fillingOf(resolved.job, columns.header);
  const own = withoutHeader(resolved.job.operation, columns.header);
  const aside = settingAside(shared, columns.columns, columns.header);
  return (row) => {
    if (row.unreadable !== undefined) return { kind: 'invalid', reason: row.unreadable };
    const left = leftOut(row.cells);
    if (left !== undefined) return { kind: 'skipped', ...left };
    const full = filling?.whyFull(row.cells);
    if (full !== undefined) return { kind: 'skipped', reason: full, by: BY_ON_EXISTING };
    const ready = prepared(own(columns.read(row)));
    const reason = ready.kind === 'ready' ? aside?.(row) : undefined;
    if (reason !== undefined) return { kind: 'invalid', reason, isSetAside: true };
    return steps === undefined || ready.kind !== 'ready' ? ready : steps.left(ready, row);
  };
}

/**
 * Leaves out an identifier that each person has alone, such as a slug, where the cell only repeats a word of
 * the header.
 */
function withoutHeader({ inputs }: Operation, header: readonly string[]): (cells: RowInput) => RowInput {
  const ones = inputs.flatMap(({ name, isOnes }) => (isOnes ? [name] : []));
  const words = new Set(header.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)].map(plain)));
  const isLabel = (cell = ''): boolean => cell.trim() !== '' && words.has(plain(cell));
  return (cells) => {
    const labels = ones.filter((name) => isLabel(cells[name]));
    return labels.length === 0
      ? cells
      : { ...cells, ...Object.fromEntries(labels.map((name) => [name, ''])) };
  };
}

const plain = (text: string): string => text.trim().toLowerCase();

/**
 * Repairs the cells of a row, where the job says so, and has the operation check and normalise them.
 * Elsewhere a repair that is sure is offered in the reason of the row that cannot be sent without it.
 */
export function cellPreparer(
  { operation, repair }: Pick<Job, 'operation' | 'repair'>,
  options: OperationOptions,
  issueOf?: IssueOf,
): (cells: RowInput) => PreparedRow {
  const prepare = operation.preparer(options);
  return (cells) => {
    const asItIs = repair === true ? undefined : prepare(cells);
    if (asItIs !== undefined && asItIs.kind !== 'invalid') return asItIs;
    const { text, note } = repairedRow(operation, cells, issueOf);
    const repaired = prepare(text);
    if (asItIs === undefined) return { ...repaired, ...present({ repaired: note }) };
    const isCured = note !== undefined && repaired.kind !== 'invalid';
    return isCured
      ? { ...asItIs, reason: `${asItIs.reason}; repaired, it would be sent with ${note}` }
      : asItIs;
  };
}

/**
 * A call that an operation named for a row. It is made only once, although the operation names the
 * call at every step.
 */
export class MetCall {
  readonly call: Call;
  readonly by: AskedAccount;
  /** The position of the step that asks for the call. */
  readonly at: number;
  answer: Answer | undefined;
  attempt: AttemptId | undefined;
  /** The remark of a row that ends with the answer to this call. */
  remark: string | undefined;
  /** The clause about an answer with something else in the place of what was looked for. The row says it. */
  other: string | undefined;
  /**
   * How the call stands among those of other accounts of its step. `looked`: the ledger has no answer to it.
   * `held`: the call is settled before another account is asked. `left`: its account takes no more calls.
   */
  stands: 'looked' | 'held' | 'left' | undefined;
  /** How the step ends here without an answer, and whether its other accounts are asked. */
  end: { readonly outcome: Outcome; readonly goesOn: boolean } | undefined;
  /** The columns that the answer fills, of those that the row needs of the step. */
  filled: RowInput | undefined;
  /** What the finder itself says of the address that it gives; undefined where it says nothing. */
  verdict: string | undefined;
  /** The values that are read in its answer. Undefined: it only matters whether something was found. */
  readonly wants: readonly WantedColumn[] | undefined;
  /** What the call finds is taken by another one. */
  readonly leads: boolean;
  readonly readsBody: boolean;
  #asked: string | undefined;
  #key: CallKey | undefined;

  constructor(call: Call, by: AskedAccount, at: number, wants?: MetCall['wants'], readsBody = false) {
    this.call = call;
    this.by = by;
    this.at = at;
    this.wants = wants;
    this.leads = thenOf(by.dialect, call) !== undefined;
    this.readsBody = readsBody || wants !== undefined || this.leads;
  }

  get asked(): string {
    this.#asked ??= askedText(this.call);
    return this.#asked;
  }

  /** Hashes the key on demand: at most once, and never for most calls of a waterfall. */
  get key(): CallKey {
    this.#key ??= keyOfAsked(this.by.account.identity, this.asked);
    return this.#key;
  }
}

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

interface RowEnd {
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

type Asking = Extract<WalkStep, { readonly met: MetCall }>;

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

/** What is read in the answer to a check. */
export const VERDICT: readonly WantedColumn[] = [{ column: 'verdict', path: 'verdict' }];

function saidTo({ call, by }: MetCall, { body }: AnswerAtHand): AnswerFields {
  invariant(body !== undefined, 'an answer that fills cells comes with its body');
  return saidIn(body, answerPlaceOf(by.dialect, call.operation));
}

/** The columns that an answer fills. */
function filledBy(said: AnswerFields, wants: readonly WantedColumn[]): RowInput {
  const filled = wants.map(({ column, path }) => [column, cellText(saidAt(said, path))] as const);
  return Object.fromEntries(filled.filter(([, text]) => !isBlankText(text)));
}

const FOUND = { kind: 'found', fields: null } as const;

/**
 * The ledger's answer in the form that an operation takes. The body is read only for an operation that looks
 * into it.
 */
function operationAnswer(call: Call, answer: AnswerAtHand, readsBody: boolean): Answer {
  const { kind, why } = answer;
  switch (kind) {
    case 'found': {
      const remark = remarkOn(call, why);
      if (!readsBody || answer.body === undefined) return remark === undefined ? FOUND : { ...FOUND, remark };
      const body = readBody(answer.body);
      const fields = body.kind === 'json' ? body.value : null;
      return { kind: 'found', fields, ...present({ remark }) };
    }
    case 'no_match':
      return { kind: 'no_match', words: why };
    case 'refused':
      return { kind: 'refused', words: why };
  }
}

// ---------------------------------------------------------------------------------------------- in a dialect

/**
 * Asks an operation for its next step, in the dialect of its vendor. The operation itself knows
 * nothing of the dialect: it gets answers with our names for their parts, and a call that the dialect cannot
 * send is refused here.
 */
export function stepIn(dialect: Dialect, operation: Operation, input: unknown, answered: Answered): Step {
  let taking: Step | undefined;
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
  // The operation asks for the call whose answer only leads to what it looks for.
  const step = taking ?? next;
  return step.kind === 'end' ? step : sendable(dialect, step);
}

/**
 * The call that takes by its id what another one found. Where that lists several, nobody knows who is meant.
 * @returns undefined where the answer itself has it, also where a person told it.
 */
function takingStep(dialect: Dialect, call: Call, body: JsonValue): Step | undefined {
  const then = thenOf(dialect, call);
  if (then === undefined) return undefined;
  const own = ownBodyIn(body, answerPlaceOf(dialect, call.operation)) ?? null;
  const { length = 0 } = listAround(own, then.id) ?? [];
  const things = call.operation === 'enrich-company' ? 'companies' : 'people';
  if (length > 1 && then.first !== true) return end({ kind: 'refused', reason: `${length} ${things} fit` });
  const id = textAt(own, then.id);
  return id === undefined ? undefined : send(takingCall(call, id));
}

/** The key of the call is made of the id alone, so that two rows that lead to it take it once. */
const takingCall = ({ operation, ifLost }: Call, id: string): Call => ({
  operation,
  parameters: { [TAKEN_BY]: id },
  ifLost,
});

/**
 * Checks that the dialect can ask the call. A plan checks this before a batch begins, and every run before
 * sending.
 * @throws StopError `unsupported`.
 */
function sendable(dialect: Dialect, step: Extract<Step, { readonly kind: 'send' }>): Step {
  const { call } = step;
  requireOperation(dialect, call.operation);
  const unfit = unfitForPath(dialect, call);
  if (unfit !== undefined) return end({ kind: 'refused', reason: `${unfit} cannot be part of an address` });
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

/** A row that is walked beside others. */
interface WalkedBeside {
  readonly walk: RowWalk;
}

interface Walking<Row extends WalkedBeside, State> {
  /** Hears of each row that ends, or waits. */
  ended(row: Row, step: RowEnd | { readonly kind: 'waits' }): void;
  /** Looks up the next calls of all rows, in their order. */
  statesOf(calls: readonly MetCall[]): Promise<readonly State[]>;
  /**
   * Tells the row the state of its call. @param isLook whether another account may have what is not known.
   * @returns whether the row goes on.
   */
  tell(row: Row, met: MetCall, state: State | undefined, isLook: boolean): boolean;
}

/** Walks rows side by side, so that one look into the ledger finds the next calls of all of them. */
export async function walkTogether<Row extends WalkedBeside, State>(
  rows: readonly Row[],
  { ended, statesOf, tell }: Walking<Row, State>,
): Promise<void> {
  let walking = rows;
  while (walking.length > 0) {
    const asking: { readonly row: Row; readonly step: Asking }[] = [];
    for (const row of walking) {
      const step = row.walk.step();
      if (step.kind === 'end' || step.kind === 'waits') ended(row, step);
      else asking.push({ row, step });
    }
    const states = await statesOf(asking.map(({ step }) => step.met));
    const goingOn = asking.filter(({ row, step: { met, kind } }, at) =>
      tell(row, met, states[at], kind === 'look'),
    );
    walking = goingOn.map(({ row }) => row);
  }
}
