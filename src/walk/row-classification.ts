import { asReadToday } from '../client/kept-answers.ts';
import { finding } from '../core/finding.ts';
import type { TellsApart } from '../core/operation.ts';
import { type InputRow, type Outcome, type RowNumber, rowsAsked } from '../core/row.ts';
import type { OpenedInput } from '../files/input.ts';
import type { AnswerKind, Batch, BatchId, CallState, Detail } from '../ledger/ledger.ts';
import { SeenTexts } from '../lib/seen-texts.ts';
import { askingOf } from './asked-anew.ts';
import type { EarlierCall } from './asked-before.ts';
import { withoutWrongPaths } from './corrected-path.ts';
import { type AskedCall, asksErasedAgain, decidedDoubts, findCalls, forgottenAmong } from './known-calls.ts';
import type { MetCall } from './met-call.ts';
import { accountsOf, type PlanContext } from './resolved-job.ts';
import { type PreparedRow, rowPreparer } from './row-preparer.ts';
import { RowWalk } from './row-walk.ts';
import { tellsApartBy } from './told-apart.ts';
import { walkTogether } from './walk-together.ts';

/**
 * The class of a row before anything is sent. The row is invalid, asks what an earlier row asks, is bought,
 * is in doubt, or is to buy. A plan counts the rows by class, and a sample is drawn from them. Nothing in
 * this file sends a request.
 */
export type RowClassification =
  /** The row is invalid or left out, so it asks nothing. */
  | (Exclude<PreparedRow, { kind: 'ready' }> & { readonly row: RowNumber })
  /** An earlier row of the list asks the same. */
  | { readonly kind: 'duplicate'; readonly row: RowNumber }
  /** The ledger was asked for the answers of the row. */
  | LookupResult;

/**
 * A row whose steps were all walked with the ledger's answers: to its end, or to a call without a usable
 * answer.
 */
export interface LookupResult {
  /**
   * - `answered`: the ledger has every answer that the row needs.
   * - `accepted`: a vendor answers later what is left.
   * - `in_doubt`: a call of the row is in doubt, and none is to buy.
   * - `left_out`: a person leaves the calls in doubt out.
   * - `to_buy`: at least one call of the row is to buy.
   */
  readonly kind: 'answered' | 'accepted' | 'in_doubt' | 'left_out' | 'to_buy';
  readonly row: RowNumber;
  readonly answers: readonly UsableAnswer[];
  /** The steps of the row that have not ended. */
  readonly remainingSteps: readonly StepLeft[];
  /** The row is asked by an ABN or a profile that tells it from rows which would ask the same without it. */
  readonly isToldApart: boolean;
  /**
   * Whether the row needs, or needed, a purchase by the batch that asks. It stays true once the batch has
   * bought it.
   */
  readonly isOfBatch: boolean;
}

/** A step that wants a call for which there is no usable answer. */
export interface StepLeft {
  /** How the call stands for which the step waits, as in `LookupResult`. */
  readonly kind: 'accepted' | 'in_doubt' | 'left_out' | 'to_buy';
  /**
   * The calls that the step still makes when none of them matches. None for a call in doubt that no run sends
   * again.
   */
  readonly toAsk: readonly CallLeft[];
  /** Whether a run pays for the call in doubt again. */
  readonly again?: true;
  /**
   * Why the first of `toAsk` is bought again: its answer is too old, or today's dialect takes its reply for
   * no answer; or the row was asked by another call before.
   */
  readonly anew?: 'too_old' | 'unanswered' | 'asked_otherwise';
  /** An earlier row asks the same in this step, so one purchase serves both. */
  readonly isShared?: true;
}

/** A call, and the account that is asked. */
export type AccountCall = Pick<AskedCall, 'call' | 'by'>;

/** A call that may be bought. `wants`: the columns for which the step asks, see `MetCall`. */
export type CallLeft = AskedCall & Partial<Pick<MetCall, 'wants'>>;

export interface UsableAnswer extends AccountCall {
  readonly kind: AnswerKind;
}

/**
 * The batch that a plan is about: its own answers are always fresh, and its cut-offs limit the age of other
 * answers. Empty for a batch that does not exist yet and takes answers of any age.
 */
export interface PlannedBatch extends Partial<Pick<Batch, 'id' | 'freshSince' | 'createdAtMs' | 'settings'>> {
  /** The finished batch that a run goes on with, where `id` does not name it. Its decisions count. */
  readonly goesOn?: BatchId;
  /** The path of the list. Its decisions count where no batch exists yet. */
  readonly list?: string;
}

/** What is learned of a list while it is planned. */
export interface Surveys {
  readonly row?: ((row: InputRow) => void) | undefined;
  readonly question?: TellsApart | undefined;
}

/** A group is large enough to make a transaction of the ledger cheap. */
const ROWS_PER_GROUP = 200;

/**
 * Yields every row of the file once, in groups; of the rows that a person names, only these. Within a group
 * the order of the rows is not kept.
 * @param surveys is told each row of the file as it is read, and what rows ask that something tells apart.
 * @throws StopError `input` where the file is damaged.
 */
export async function* classifications(
  context: PlanContext,
  input: OpenedInput,
  batch: PlannedBatch,
  surveys: Surveys = {},
): AsyncGenerator<readonly RowClassification[], void, undefined> {
  const sorter = sorterOf(context, input, surveys.question);
  const named = rowsAsked(input.sheet.start, { only: context.only });
  for await (const group of input.sheet.groups()) {
    for (const row of group) {
      surveys.row?.(row);
      // A row that is not named is not bought, so a later one that asks the same is no duplicate.
      if (named?.has(row.row) !== false) sorter.add(row);
      if (sorter.isFull()) yield await sorter.take(batch);
    }
  }
  yield await sorter.take(batch);
}

/** Walks the rows that are ready, a group at a time, and puts the others into their class at once. */
function sorterOf(
  context: PlanContext,
  { columns }: Pick<OpenedInput, 'columns'>,
  question: Surveys['question'] = tellsApartBy(context.apart),
) {
  const accounts = accountsOf(context);
  let isToldApart = false;
  const prepare = rowPreparer(
    context,
    columns,
    context.shared,
    question &&
      ((askedCall, by) => {
        const isApart = question(askedCall, by);
        isToldApart ||= isApart;
        return isApart;
      }),
  );
  const different = new SeenTexts();
  let placed: RowClassification[] = [];
  let walks: RowProgress[] = [];
  return {
    isFull: () => placed.length + walks.length >= ROWS_PER_GROUP,
    add(each: InputRow): void {
      const { row } = each;
      isToldApart = false;
      const prepared = prepare(each);
      if (prepared.kind !== 'ready') {
        placed.push({ ...prepared, row });
        return;
      }
      const walk = new RowWalk(context.job.operation, accounts, prepared);
      const steps = Map.groupBy(walk.callsAtWorst(), (met) => met.at);
      // The positions of the steps in which an earlier row asks the same.
      const shared = new Set<number>();
      for (const [at, calls] of steps) if (!different.add(identityOf(calls))) shared.add(at);
      const before = context.before?.(each);
      if (shared.size === 0 || shared.size < steps.size)
        walks.push({
          row,
          walk,
          shared,
          answers: [],
          remainingSteps: [],
          isOfBatch: false,
          isToldApart,
          before,
        });
      else placed.push({ kind: 'duplicate', row });
    },
    async take(batch: PlannedBatch): Promise<readonly RowClassification[]> {
      const [placedRows, group] = [placed, walks];
      placed = [];
      walks = [];
      return [...placedRows, ...(await lookUp(group, context, batch))];
    },
  };
}

/** Two rows are equal when this text is the same: it names every call that a row could make. */
const identityOf = (calls: readonly MetCall[]): string =>
  calls.map(({ by, callText }) => `${by.account.identity} ${callText}`).join();

// ------------------------------------------------------------------------------------------------ looking up

const UNKNOWN: State = { kind: 'unknown' };

type InDoubt = Extract<CallState<Detail>, { readonly kind: 'in_doubt' }> & {
  readonly again?: true;
  readonly isLeftOut?: true;
};

/** How a call stands for a plan: as in the ledger, or by a decision about its doubt. */
type State =
  | Exclude<CallState<Detail>, { readonly kind: 'in_doubt' }>
  | InDoubt
  /** The call has an answer that is too old for the batch, so it is bought again. */
  | { readonly kind: 'too_old'; readonly was: SettledState }
  /** The answer was erased with a person, so the row is left out. */
  | { readonly kind: 'erased' };

/** Looks calls up in the ledger, and keeps their order. */
async function statesOf(
  { ledger, ...context }: PlanContext,
  calls: readonly MetCall[],
  batch: PlannedBatch,
): Promise<readonly State[]> {
  if (ledger === undefined) return [];
  // Reading bodies takes several times as long as reading all the rest, and few operations look into them.
  const detail: Detail = calls.some(({ readsBody }) => readsBody) ? 'whole' : 'kind';
  const found = await findCalls<CallState<Detail>>(calls, ledger, async (keys, askedCalls) => {
    const states = await ledger.find(keys, { detail, freshFor: batch });
    const before = await withoutWrongPaths(states, askedCalls, ledger);
    return asReadToday(before, ledger, (at) => askedCalls[at]?.by.dialect ?? context.dialect);
  });
  const states: State[] = found.map(({ state }) => {
    if (!isAnswered(state) || state.answer.erasedAtMs === undefined) return state;
    return asksErasedAgain(batch) ? UNKNOWN : { kind: 'erased' };
  });
  const doubts = found.filter(({ state }) => state.kind === 'in_doubt').map(({ key }) => key);
  if (doubts.length > 0) {
    const of = { batch: batch.id ?? batch.goesOn, list: batch.list };
    const { again, leftOut } = await decidedDoubts({ ...context, ledger }, doubts, of);
    for (const [index, { key, state }] of found.entries()) {
      if (state.kind !== 'in_doubt') continue;
      if (again.has(key)) states[index] = { ...state, again: true };
      else if (leftOut.has(key)) states[index] = { ...state, isLeftOut: true };
    }
  }
  return states.map((state) =>
    isAnswered(state) && state.answer.isTooOld ? { kind: 'too_old', was: state } : state,
  );
}

type SettledState = Extract<State, { readonly kind: 'answered' | 'unanswered' }>;

const isAnswered = (state: State): state is SettledState =>
  state.kind === 'answered' || state.kind === 'unanswered';

interface RowProgress {
  readonly row: RowNumber;
  readonly walk: RowWalk;
  readonly shared: ReadonlySet<number>;
  readonly answers: UsableAnswer[];
  readonly remainingSteps: StepLeft[];
  readonly before: EarlierCall | undefined;
  isOfBatch: boolean;
  readonly isToldApart: boolean;
}

async function lookUp(
  rows: readonly RowProgress[],
  context: PlanContext,
  batch: PlannedBatch,
): Promise<readonly LookupResult[]> {
  const { isAnew, mayBuy } = askingOf(context, batch);
  await walkTogether(rows, {
    ended: () => undefined,
    statesOf: (calls) => statesOf(context, calls, batch),
    tell(row, met, found = UNKNOWN, isLook) {
      const step = row.walk.stepOf(met);
      const state = found.kind === 'too_old' && !isAnew(row.row, step) ? found.was : found;
      if (isLook && state.kind !== 'answered' && state.kind !== 'erased')
        row.walk.pass(met, isBoughtInTurn(state) ? 'looked' : 'held');
      else if (!mayBuy(row.row, step) && isBoughtInTurn(state)) row.walk.leaveStep(met);
      else goOn(row, met, state, batch);
      return true;
    },
  });
  const { ledger } = context;
  if (ledger !== undefined && !asksErasedAgain(batch)) {
    const callsOf = ({ remainingSteps }: RowProgress) => remainingSteps.flatMap(({ toAsk }) => toAsk);
    for (const row of (await forgottenAmong(rows, callsOf, ledger)).keys()) askNothing(row);
  }
  return rows.map(lookedUp);
}

/** No run asks more for a row with a person that was forgotten. */
function askNothing({ walk, remainingSteps }: RowProgress): void {
  walk.endRow(NOT_ASKED);
  remainingSteps.length = 0;
}

function goOn(row: RowProgress, met: MetCall, state: State, batch: PlannedBatch): void {
  if (state.kind === 'answered') {
    row.walk.tell(met, state.answer);
    row.answers.push({ call: met.call, by: met.by, kind: state.answer.kind });
    row.isOfBatch ||= state.answer.batch === batch.id;
    return;
  }
  if (state.kind === 'in_doubt') row.isOfBatch ||= state.doubt.batch === batch.id;
  if (state.kind === 'accepted') row.isOfBatch ||= state.accepted.batch === batch.id;
  if (state.kind === 'erased') askNothing(row);
  else {
    const remainingStep = leftOf(row, met, state);
    row.remainingSteps.push(row.shared.has(met.at) ? { ...remainingStep, isShared: true } : remainingStep);
    if (remainingStep.kind === 'accepted' || remainingStep.toAsk.length > 0)
      addFed(row, met, remainingStep.kind);
    row.walk.leaveStep(met);
  }
}

const NOT_ASKED: Outcome = { kind: 'skipped', findings: finding('a_plan_asks_nobody', {}) };

/** Where no account has the answer, the account is asked when its turn comes. */
const isBoughtInTurn = ({ kind }: State): boolean => kind === 'unknown' || kind === 'too_old';

/** Adds the later steps that are asked by what this one may fill. */
function addFed({ walk, remainingSteps, shared }: RowProgress, met: MetCall, by: StepLeft['kind']): void {
  const kind = by === 'accepted' ? by : 'to_buy';
  const fed = Map.groupBy(walk.fedBy(met), ({ at }) => at);
  for (const [at, toAsk] of fed)
    remainingSteps.push({ kind, toAsk, ...(shared.has(at) ? { isShared: true } : {}) });
}

function leftOf(
  { walk, before }: RowProgress,
  { at, by: { account } }: MetCall,
  state: Exclude<State, { kind: 'answered' | 'erased' }>,
): StepLeft {
  const toAsk = (): readonly MetCall[] => walk.callsAtWorst().filter((met) => met.at === at);
  switch (state.kind) {
    case 'unknown':
      if (before?.kind === 'in_doubt') return { kind: 'in_doubt', toAsk: [] };
      return { kind: 'to_buy', toAsk: toAsk(), ...(before && { anew: 'asked_otherwise' as const }) };
    // A plan is made beside a run: a call under way is not bought yet, and may come to nothing.
    case 'in_flight':
      return { kind: 'to_buy', toAsk: toAsk() };
    case 'too_old':
    case 'unanswered':
      return { kind: 'to_buy', toAsk: toAsk(), anew: state.kind };
    // Its own price is held already. The others are asked where it comes to nothing.
    case 'accepted':
      return { kind: 'accepted', toAsk: toAsk().slice(1) };
    case 'in_doubt':
      if (state.isLeftOut) {
        // Another account of the step is asked in the place of the one whose call is left out.
        const others = toAsk().filter(({ by }) => by.account.identity !== account.identity);
        return { kind: others.length > 0 ? 'to_buy' : 'left_out', toAsk: others };
      }
      return state.again === undefined
        ? { kind: 'in_doubt', toAsk: [] }
        : { kind: 'in_doubt', toAsk: toAsk(), again: state.again };
  }
}

function lookedUp({ row, answers, remainingSteps, isOfBatch, isToldApart }: RowProgress): LookupResult {
  const isLeft = (kind: StepLeft['kind']): boolean => remainingSteps.some((step) => step.kind === kind);
  const kind = (['to_buy', 'in_doubt', 'accepted', 'left_out'] as const).find(isLeft) ?? 'answered';
  return { kind, row, answers, remainingSteps, isToldApart, isOfBatch: isOfBatch || kind === 'to_buy' };
}
