import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../client/account/account.ts';
import type { Dialect } from '../client/dialect.ts';
import { answerPlaceOf, requireOperation, unaskable } from '../client/dialect.ts';
import { changeFields, remarkOn } from '../client/judge.ts';
import { unfitForPath } from '../client/request.ts';
import { parsedFieldsOf, parsedResultsOf, readBody } from '../core/answer-body.ts';
import { askedText, type CallKey, keyOfAsked } from '../core/call-key.ts';
import type { Clock } from '../core/clock.ts';
import { invariant, unreachable } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import {
  type Answer,
  type Answered,
  type Call,
  end,
  type Operation,
  type OperationOptions,
  type PlannedWork,
  partsOf,
  type RowInput,
  type Step,
} from '../core/operation.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { type InputRow, type Outcome, SO_NOTHING, withRemark } from '../core/row.ts';
import { MOST_CALLS, outcomeOf, type RowStep, type RowSteps, type StepEnd } from '../core/steps.ts';
import { type InputColumns, type IssueOf, repairedRow } from '../files/quality/job-issues.ts';
import type { Job } from '../job/job.ts';
import { settingsOf } from '../job/job-schema.ts';
import type { AnswerAtHand, LedgerReader } from '../ledger/ledger.ts';
import { isBlankCell } from '../operations/lookup/identifiers.ts';
import { BY_ON_EXISTING, leavingOut } from './conditions.ts';

/**
 * The work for rows: a job, the account on which it runs, and the dialect in which the account's vendor is
 * asked.
 */
export interface ResolvedJob {
  readonly job: Job;
  readonly account: Account;
  readonly dialect: Dialect;
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
  /** The work covers only this many of the first rows; left out: all rows. */
  readonly limit?: number | undefined;
  readonly clock?: Clock;
}

export type PreparedRow =
  | {
      readonly kind: 'ready';
      readonly input: unknown;
      /** How the repaired cells of the row were read; absent when none was repaired. */
      readonly repaired?: string;
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The row would get nothing, or the condition `by` of the job leaves it out. */
  | { readonly kind: 'skipped'; readonly reason: string; readonly by?: string };

/** How a row ends that is not asked. */
export const unaskedEnd = ({ kind, reason }: Exclude<PreparedRow, { kind: 'ready' }>): Outcome => ({
  kind,
  reason,
});

export function optionsOf({
  job,
  account: { projectId, organizationId },
  dialect,
}: ResolvedJob): OperationOptions {
  const { waterfall, origin, operation } = job;
  return {
    ...present({ waterfall }),
    settings: settingsOf(job),
    ...(origin && 'undoes' in origin ? { isOurList: true } : {}),
    ...present({ projectId, organizationId }),
    unaskable:
      operation.steps?.flatMap(({ name }) => unaskable(dialect, name).map((each) => `${name}.${each}`)) ??
      unaskable(dialect, operation.name),
  };
}

/**
 * Makes the step that prepares the rows of a file. A row that cannot be read is invalid without being looked
 * at further.
 */
export function rowPreparer(
  resolved: ResolvedJob,
  columns: Pick<InputColumns, 'read' | 'issueOf' | 'header'>,
): (row: InputRow) => PreparedRow {
  const prepared = cellPreparer(resolved.job, optionsOf(resolved), columns.issueOf);
  const leftOut = leavingOut(resolved.job, columns.header);
  const filling = fillingOf(resolved.job, columns.header);
  const own = withoutHeader(resolved.job.operation, columns.header);
  return (row) => {
    if (row.unreadable !== undefined) return { kind: 'invalid', reason: row.unreadable };
    const left = leftOut(row.cells);
    if (left !== undefined) return { kind: 'skipped', ...left };
    const isFull = filling?.cells.every((at) => !isBlankCell(row.cells[at] ?? ''));
    if (filling !== undefined && isFull === true)
      return { kind: 'skipped', reason: filling.why, by: BY_ON_EXISTING };
    return prepared(own(columns.read(row)));
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

interface Filling {
  /** The positions of the cells of which one has to be blank. Otherwise the row would get nothing. */
  readonly cells: readonly number[];
  readonly why: string;
}

/**
 * The rows of a list that would get nothing, because all columns of `add` are there and stay as they are.
 * Undefined where each row may get something.
 */
export function fillingOf(
  { operation, add = {}, on_existing: onExisting }: Job,
  header: readonly string[],
): Filling | undefined {
  if (onExisting === undefined || onExisting === 'replace') return undefined;
  if (operation.change !== undefined || operation.resultsFile !== undefined) return undefined;
  const names = header.map((name) => name.toLowerCase());
  const cells = Object.keys(add).map((name) => names.indexOf(name.toLowerCase()));
  if (cells.length === 0 || cells.includes(-1)) return undefined;
  const columns = listed(cells.map((at) => foreignName(header[at] ?? '')));
  return onExisting === 'keep'
    ? {
        cells: [],
        why: `on_existing: keep leaves ${columns} as the list has them${SO_NOTHING}`,
      }
    : { cells, why: `${columns} ${cells.length === 1 ? 'is' : 'are'} filled${SO_NOTHING}` };
}

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
  /** The position of the step that asks for the call. */
  readonly at: number;
  answer: Answer | undefined;
  /** The remark of a row that ends with the answer to this call. */
  remark: string | undefined;
  #asked: string | undefined;
  #key: CallKey | undefined;

  constructor(call: Call, at: number) {
    this.call = call;
    this.at = at;
  }

  get asked(): string {
    this.#asked ??= askedText(this.call);
    return this.#asked;
  }

  /**
   * Hashes the key on demand: at most once, and never for most calls of a waterfall.
   * @param accountIdentity the identity of the one account on which the row is worked.
   */
  keyFor(accountIdentity: string): CallKey {
    this.#key ??= keyOfAsked(accountIdentity, this.asked);
    return this.#key;
  }
}

type WalkStep =
  | { readonly kind: 'call'; readonly met: MetCall }
  | { readonly kind: 'end'; readonly outcome: Outcome };

interface CallsAhead {
  readonly calls: readonly MetCall[];
  readonly outcome: Outcome;
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
  if (parts.length < 2) return [{ operation, input }];
  return parts.map((part) => ({ name: part.project, operation, input: part, ended: part.ended }));
}

/**
 * One row on its way through the steps of its operation. Its next call is the call of the first step that has
 * not ended. Only this class asks an operation for it. The answers come from the callers: a run gets them one
 * by one (`run/rows.ts`), a plan asks the ledger for the answers of many rows at once (`row-classification`),
 * and `ahead` assumes them. Nothing here is asynchronous, so a million rows take seconds.
 */
export class RowWalk {
  readonly operation: Operation;
  readonly #dialect: Dialect;
  readonly #row: WalkedRow;
  readonly #steps: readonly RowStep[];
  /** The outcomes of steps that ended without an answer to their call, by the position of the step. */
  readonly #stepEnds: Outcome[] = [];
  readonly #met: MetCall[] = [];
  #told = 0;
  #atWorst: CallsAhead | undefined;
  #step: WalkStep | undefined;

  constructor(operation: Operation, dialect: Dialect, row: WalkedRow) {
    this.operation = operation;
    this.#dialect = dialect;
    this.#row = row;
    this.#steps = stepsOf(operation, row.input);
    for (const [at, { ended }] of this.#steps.entries()) if (ended !== undefined) this.#stepEnds[at] = ended;
  }

  step(): WalkStep {
    this.#step ??= this.#nextStep();
    return this.#step;
  }

  #nextStep(): WalkStep {
    // The first call of the worst case is also the next call, because no answer had to be assumed to reach
    // it.
    const [met] = this.#atWorst?.calls ?? [];
    return met === undefined ? this.#ask([], []) : { kind: 'call', met };
  }

  tell(met: MetCall, answer: AnswerAtHand): void {
    invariant(met.answer === undefined, `${this.operation.name} asks again for what was answered`);
    const told = operationAnswer(met.call, answer, this.operation);
    if (told.kind === 'found') met.remark = told.remark;
    met.answer = told;
    this.#told += 1;
    this.#move();
  }

  /**
   * Ends the step that asks for the call with this outcome, because nobody knows the answer. The next step
   * goes on.
   */
  endStep({ at }: MetCall, outcome: Outcome): void {
    this.#stepEnds[at] = outcome;
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
    const calls: MetCall[] = [];
    const answers: Answer[] = [];
    for (;;) {
      const step = this.#ask(calls, answers);
      if (step.kind === 'end') return { calls, outcome: step.outcome };
      calls.push(step.met);
      answers.push(answerTo(step.met.call));
    }
  }

  /**
   * The calls that the row still makes when none of them matches: the worst case for its cost from here on.
   */
  callsAtWorst(): readonly MetCall[] {
    this.#atWorst ??= this.ahead(() => NO_MATCH);
    return this.#atWorst.calls;
  }

  /**
   * @param assumed the calls that are assumed to have these `answers`, besides the calls that have a real
   *   one.
   */
  #ask(assumed: readonly MetCall[], answers: readonly Answer[]): WalkStep {
    const ends: StepEnd[] = [];
    for (let at = 0; at < this.#steps.length; at += 1) {
      const step = this.#askStep(at, assumed, answers);
      if (step.kind === 'call') return step;
      ends.push(step);
    }
    return { kind: 'end', outcome: this.#remarked(outcomeOf(ends)) };
  }

  #askStep(
    at: number,
    assumed: readonly MetCall[],
    answers: readonly Answer[],
  ): (StepEnd & { readonly kind: 'end' }) | Extract<WalkStep, { readonly kind: 'call' }> {
    const { operation, input, name } = this.#steps[at] as RowStep;
    const ended = this.#stepEnds[at];
    if (ended !== undefined) return { kind: 'end', name, outcome: ended };
    const step = stepIn(this.#dialect, operation, input, (call) => {
      const met = this.#meet(call, at);
      return met.answer ?? answers[assumed.indexOf(met)];
    });
    if (step.kind === 'end') return { kind: 'end', name, outcome: step.outcome };
    const isTooLong = this.#told + assumed.length >= MOST_CALLS * this.#steps.length;
    invariant(!isTooLong, `${operation.name} asks for more than ${MOST_CALLS} calls`);
    return { kind: 'call', met: this.#meet(step.call, at) };
  }

  #remarked(outcome: Outcome): Outcome {
    const { repaired, input } = this.#row;
    const isDone = outcome.kind === 'matched' || outcome.kind === 'applied';
    const remarks = isDone ? this.#met.map(({ remark }) => remark) : [];
    if (this.operation.steps !== undefined) remarks.push((input as RowSteps).remark);
    if (this.#stepEnds.length === 0) remarks.push(repaired);
    const said = remarks.filter((remark) => remark !== undefined);
    return said.length === 0 ? outcome : [...new Set(said)].reduce(withRemark, outcome);
  }

  #meet(call: Call, at: number): MetCall {
    // Making a call takes longer than comparing calls, and an operation names its calls again at each
    // step.
    for (const met of this.#met) if (met.call === call || isDeepStrictEqual(met.call, call)) return met;
    const met = new MetCall(call, at);
    for (const known of this.#met) if (known.asked === met.asked) return known;
    this.#met.push(met);
    return met;
  }
}

const FOUND = { kind: 'found', fields: null } as const;

/**
 * The ledger's answer in the form that an operation takes. The body is read only for an operation that looks
 * into it.
 */
function operationAnswer(
  call: Call,
  answer: AnswerAtHand,
  { readsAnswers }: Pick<Operation, 'readsAnswers'>,
): Answer {
  const { kind, why } = answer;
  switch (kind) {
    case 'found': {
      const remark = remarkOn(call, why);
      if (readsAnswers !== true || answer.body === undefined)
        return remark === undefined ? FOUND : { ...FOUND, remark };
      const body = readBody(answer.body);
      const fields = body.kind === 'json' ? body.value : null;
      return { kind: 'found', fields, ...present({ remark }) };
    }
    case 'no_match':
      return { kind: 'no_match', words: why };
    case 'refused':
      return { kind: 'refused', words: why };
    default:
      return unreachable(kind);
  }
}

// ---------------------------------------------------------------------------------------------- in a dialect

/**
 * Asks an operation for its next step, in the dialect of its vendor. The operation itself knows
 * nothing of the dialect: it gets answers with our names for their parts, and a call that the dialect cannot
 * send is refused here.
 */
export function stepIn(dialect: Dialect, operation: Operation, input: unknown, answered: Answered): Step {
  const step = operation.readsAnswers
    ? operation.next(input, (call) => read(dialect, call, answered(call)))
    : operation.next(input, answered);
  return step.kind === 'end' ? step : sendable(dialect, step);
}

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
  /** Hears of each row that ends. */
  ended(row: Row, outcome: Outcome): void;
  /** Looks up the next calls of all rows, in their order. */
  statesOf(calls: readonly MetCall[]): Promise<readonly State[]>;
  /** Tells the row the state of its call. @returns whether the row goes on. */
  tell(row: Row, met: MetCall, state: State | undefined): boolean;
}

/** Walks rows side by side, so that one look into the ledger finds the next calls of all of them. */
export async function walkTogether<Row extends WalkedBeside, State>(
  rows: readonly Row[],
  { ended, statesOf, tell }: Walking<Row, State>,
): Promise<void> {
  let walking = rows;
  while (walking.length > 0) {
    const asking: { readonly row: Row; readonly met: MetCall }[] = [];
    for (const row of walking) {
      const step = row.walk.step();
      if (step.kind === 'end') ended(row, step.outcome);
      else asking.push({ row, met: step.met });
    }
    const states = await statesOf(asking.map(({ met }) => met));
    const goingOn = asking.filter(({ row, met }, at) => tell(row, met, states[at]));
    walking = goingOn.map(({ row }) => row);
  }
}
