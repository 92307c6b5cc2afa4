import type { Clock } from '../core/clock.ts';
import { unreachable } from '../core/errors.ts';
import { FingerprintSet, fingerprintOf } from '../core/fingerprint-set.ts';
import { present } from '../core/objects.ts';
import type { Answer, Call, Operation, OperationOptions, Prepared } from '../core/operation.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import type { OpenedInput } from '../files/input.ts';
import type { Job } from '../job/job.ts';
import { optionsByOrigin } from '../job/job-origin.ts';
import type {
  AnswerKind,
  AnswerRecord,
  Batch,
  CallState,
  KnownAnswer,
  KnownCall,
  LedgerReader,
} from '../ledger/ledger.ts';
import type { Account } from '../vendor/account/account.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { asReadToday } from '../vendor/readings.ts';
import { findCalls } from './former-calls.ts';
import { asksErasedAgain, isKnownFreshFor } from './freshness.ts';
import { answerOf } from './replay.ts';
import { type MetCall, RowWalk } from './row-walk.ts';

/**
 * Where the rows of a file stand before anything is sent: which are invalid, which ask what an earlier row asks, what is
 * bought and what is not. A plan counts them, and a sample is drawn from them. Never sends.
 */
export type RowClassification =
  | { readonly kind: 'invalid'; readonly row: RowNumber; readonly reason: string }
  /** Makes the calls of an earlier row and no others. */
  | { readonly kind: 'duplicate'; readonly row: RowNumber }
  | LookedUp;

/** A row that was walked over the ledger, to its end (`answered`) or to a call that stopped it. */
export interface LookedUp {
  readonly kind: 'answered' | 'in_doubt' | 'to_buy';
  readonly row: RowNumber;
  /** The answers that it met on its way and can use. */
  readonly answers: readonly UsableAnswer[];
  /** For `to_buy`: the calls that it still makes when none of them matches. Else empty. */
  readonly toAsk: readonly Call[];
  /** Whether the first of `toAsk` was answered once, too long ago. */
  readonly tooOld: boolean;
  /** Whether it needs, or needed, a purchase by the batch in question. What the batch buys does not change that. */
  readonly isOfBatch: boolean;
}

export interface UsableAnswer {
  readonly call: Call;
  readonly kind: AnswerKind;
}

/** Whose answers are always fresh, and how old others may be; empty for a batch that does not exist and takes all. */
export type InQuestion = Partial<Pick<Batch, 'id' | 'freshSince' | 'createdAtMs'>>;

/** What a plan goes by: what a job resolved to. A `RunContext` is one as well. */
export interface PlanContext {
  readonly job: Job;
  readonly account: Account;
  readonly dialect: Dialect;
  /** Undefined: there is no store yet, so nothing is known as bought. */
  readonly ledger: LedgerReader | undefined;
  /** Every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  readonly clock?: Clock;
  /** Among how many different rows duplicates are looked for; left out: among more than most files have. */
  readonly rowsCompared?: number;
}

/** Enough to make a transaction of the ledger cheap; few enough that memory does not notice. */
const ROWS_PER_GROUP = 1_000;

/**
 * Equal rows are found among the first two million different ones, which takes 16 MB, whatever the file's length. What is
 * equal behind them counts as different: a plan then says too much and never too little.
 */
const ROWS_COMPARED = 2_000_000;

/** Keeps what tells one row from another. @param most as many rows; left out: as many as anybody needs. */
export function differentRows(most = ROWS_COMPARED): FingerprintSet {
  return new FingerprintSet(most);
}

/**
 * Every row of the file once, in groups. Within a group the order of the rows is not kept.
 * @param different fills with the rows that are no duplicates.
 * @throws StopError `input` where the file is damaged.
 */
export async function* classifications(
  order: PlanContext,
  input: OpenedInput,
  batch: InQuestion,
  different: FingerprintSet = differentRows(),
): AsyncGenerator<readonly RowClassification[], void, undefined> {
  const sorter = new Sorter(order, input, different);
  for await (const group of input.sheet.groups()) {
    for (const row of group) sorter.add(row);
    if (sorter.size >= ROWS_PER_GROUP) yield await sorter.take(batch);
  }
  yield await sorter.take(batch);
}

/** What the rows of a job are treated by, as far as the job and its account say. */
export function optionsOf(
  { waterfall, settings, origin }: Job,
  { projectId, organizationId }: Pick<Account, 'projectId' | 'organizationId'>,
): OperationOptions {
  return {
    ...present({ waterfall, settings }),
    ...optionsByOrigin(origin),
    ...present({ projectId, organizationId }),
  };
}

/** What the operation makes of a row; one that cannot be read is not shown to it. */
export function prepareRow(
  operation: Operation,
  columns: Pick<OpenedInput['columns'], 'read'>,
  row: InputRow,
  options: OperationOptions,
): Prepared<unknown> {
  const { unreadable } = row;
  return unreadable === undefined
    ? operation.prepare(columns.read(row), options)
    : { kind: 'invalid', reason: unreadable };
}

/** Tells apart, without asking the ledger, what it need not be asked about. */
class Sorter {
  readonly #operation: Operation;
  readonly #input: Pick<OpenedInput, 'columns'>;
  readonly #options: OperationOptions;
  readonly #answers: Answers;
  readonly #different: FingerprintSet;
  #placed: RowClassification[] = [];
  #walks: Walking[] = [];

  constructor(
    { job, account, ledger, dialect }: PlanContext,
    input: Pick<OpenedInput, 'columns'>,
    different: FingerprintSet,
  ) {
    this.#operation = job.operation;
    this.#different = different;
    this.#input = input;
    this.#options = optionsOf(job, account);
    this.#answers = new Answers(ledger, job.operation, account.identity, dialect);
  }

  get size(): number {
    return this.#placed.length + this.#walks.length;
  }

  add(row: InputRow): void {
    const prepared = prepareRow(this.#operation, this.#input.columns, row, this.#options);
    if (prepared.kind === 'invalid') {
      this.#placed.push({ kind: 'invalid', row: row.row, reason: prepared.reason });
      return;
    }
    const walk = new RowWalk(this.#operation, prepared.input);
    if (this.#different.add(fingerprintOf(identityOf(walk.callsAtWorst()))))
      this.#walks.push({ row: row.row, walk });
    else this.#placed.push({ kind: 'duplicate', row: row.row });
  }

  /** The standings of the rows since the last time. */
  async take(batch: InQuestion): Promise<readonly RowClassification[]> {
    const [placed, walks] = [this.#placed, this.#walks];
    this.#placed = [];
    this.#walks = [];
    return [...placed, ...(await lookUp(walks, this.#answers, batch))];
  }
}

/** What makes two rows equal: every call that they could make. */
function identityOf(calls: readonly MetCall[]): string {
  const [only] = calls;
  return only !== undefined && calls.length === 1
    ? only.question
    : calls.map(({ question }) => question).join();
}

// ---------------------------------------------------------------------------------------------------- looking up

const UNKNOWN: KnownCall = { kind: 'unknown' };

type State = KnownCall | CallState | { readonly kind: 'too_old' | 'erased' };

/**
 * What the ledger knows. Bodies of answers are fetched for an operation that looks into them, and for no other: that takes
 * several times as long as all the rest.
 */
class Answers {
  readonly #ledger: LedgerReader | undefined;
  readonly #operation: Operation;
  readonly #accountIdentity: string;
  readonly #dialect: Dialect;

  constructor(
    ledger: LedgerReader | undefined,
    operation: Operation,
    accountIdentity: string,
    dialect: Dialect,
  ) {
    this.#ledger = ledger;
    this.#dialect = dialect;
    this.#operation = operation;
    this.#accountIdentity = accountIdentity;
  }

  /** In the order of the calls; empty without a ledger. */
  async statesOf(calls: readonly MetCall[], batch: InQuestion): Promise<readonly State[]> {
    const ledger = this.#ledger;
    if (ledger === undefined) return [];
    const asked = calls.map((met) => ({ key: met.keyFor(this.#accountIdentity), call: met.call }));
    const withAges = batch.freshSince !== undefined;
    const found = await findCalls<KnownCall | CallState>(asked, {
      operation: this.#operation,
      accountIdentity: this.#accountIdentity,
      batch,
      ledger,
      find: async (keys) => {
        const states: readonly (KnownCall | CallState)[] = this.#operation.readsAnswers
          ? await ledger.find(keys)
          : await ledger.known(keys, { withAges });
        return asReadToday(states, { ledger, dialect: this.#dialect });
      },
    });
    const states: State[] = found.map(({ state }) => {
      if (state.kind !== 'answered' || state.answer.erasedAtMs === undefined) return state;
      return asksErasedAgain(batch) ? UNKNOWN : { kind: 'erased' };
    });
    if (!withAges) return states;
    for (const [index, state] of states.entries()) {
      if (state.kind === 'answered' && !(await isKnownFreshFor(batch, state.answer, ledger))) {
        states[index] = { kind: 'too_old' };
      }
    }
    return states;
  }

  /** The answer as an operation sees it. */
  answerOf(answer: KnownAnswer | AnswerRecord): Answer {
    return answerOf(answer, this.#operation);
  }
}

interface Walking {
  readonly row: RowNumber;
  readonly walk: RowWalk;
}

/** A row that is being walked, with what was learned of it on the way. */
interface Underway extends Walking {
  readonly answers: UsableAnswer[];
  isOfBatch: boolean;
}

/** Walks the rows side by side, so that the ledger is asked once for the next call of all of them. */
async function lookUp(
  walks: readonly Walking[],
  answers: Answers,
  batch: InQuestion,
): Promise<readonly LookedUp[]> {
  const ended: LookedUp[] = [];
  let walking: readonly Underway[] = walks.map((each) => ({ ...each, answers: [], isOfBatch: false }));
  while (walking.length > 0) {
    const asking: { readonly row: Underway; readonly call: MetCall }[] = [];
    for (const row of walking) {
      const step = row.walk.step();
      if (step.kind === 'end') ended.push(lookedUp(row, 'answered'));
      else asking.push({ row, call: step.met });
    }
    const calls = asking.map(({ call }) => call);
    const states = await answers.statesOf(calls, batch);
    const going: Underway[] = [];
    for (const [index, { row, call }] of asking.entries()) {
      const state = states[index] ?? UNKNOWN;
      if (state.kind === 'answered') {
        row.walk.tell(call, answers.answerOf(state.answer));
        row.answers.push({ call: call.call, kind: state.answer.kind });
        row.isOfBatch ||= state.answer.batch === batch.id;
        going.push(row);
      } else {
        ended.push(halted(row, state, batch));
      }
    }
    walking = going;
  }
  return ended;
}

/** Where a row stands that gets no further. */
function halted(row: Underway, state: Exclude<State, { kind: 'answered' }>, batch: InQuestion): LookedUp {
  switch (state.kind) {
    case 'unknown':
      return lookedUp(row, 'to_buy');
    // It ends without being asked for: nobody buys it by mistake.
    case 'erased':
      return lookedUp(row, 'answered');
    case 'too_old':
      return lookedUp(row, 'to_buy', true);
    case 'in_doubt':
      row.isOfBatch ||= state.doubt.batch === batch.id;
      return lookedUp(row, 'in_doubt');
    default:
      return unreachable(state);
  }
}

function lookedUp(underway: Underway, kind: LookedUp['kind'], tooOld = false): LookedUp {
  const { walk, answers, isOfBatch } = underway;
  const toAsk = kind === 'to_buy' ? walk.callsAtWorst().map(({ call }) => call) : [];
  return { kind, row: underway.row, answers, toAsk, tooOld, isOfBatch: isOfBatch || kind === 'to_buy' };
}
