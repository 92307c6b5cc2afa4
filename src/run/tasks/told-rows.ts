import { StopError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/operation.ts';
import type { Outcome } from '../../core/row.ts';
import { openMappedInput } from '../../files/input.ts';
import type {
  AnswerAtHand,
  AnswerKind,
  AttemptId,
  Batch,
  Doubt,
  FinishedRow,
  LedgerReader,
  RowPlace,
} from '../../ledger/ledger.ts';
import { identifierOf } from '../../ledger/tally.ts';
import { type ResolvedJob, RowWalk, rowPreparer, type WalkedRow } from '../../plan/row-walk.ts';
import { jobOfBatch } from '../job-today.ts';

/** What a person says that came of a call ends the rows that wait for it, as far as their operations ask for nothing more. */

export type ToldAnswer = Pick<AnswerAtHand, 'why' | 'body'> & {
  readonly kind: Extract<AnswerKind, 'found' | 'no_match'>;
};

/** @returns the rows that end. The others go on with the next run of their batch. */
export async function rowsToldOf(
  ledger: LedgerReader,
  doubt: Doubt,
  told: ToldAnswer,
): Promise<readonly FinishedRow[]> {
  const ended: FinishedRow[] = [];
  const places = Map.groupBy(await ledger.rowsRestingOn(doubt.attempt), ({ batch }) => batch);
  for (const [id, rows] of places) {
    const batch = await ledger.batch(id);
    if (batch === undefined) continue;
    const walking = await walkingIn(ledger, batch, rows);
    for (const { row } of rows) {
      const walked = await walking(row, doubt, told);
      if (walked !== undefined) ended.push({ batch: id, row, ...walked });
    }
  }
  return ended;
}

type Walked = Pick<FinishedRow, 'outcome' | 'answers'>;
type Walking = (row: number, doubt: Doubt, told: ToldAnswer) => Promise<Walked | undefined>;

/** Where the job or the list is not there as it was, what was told alone says how a row ends whose batch no run goes on with. */
async function walkingIn(ledger: LedgerReader, batch: Batch, rows: readonly RowPlace[]): Promise<Walking> {
  const isOver = batch.state === 'superseded' || batch.state === 'cancelled';
  const alone: Walking = async (_, doubt, told) => (isOver ? endedBy(doubt, told) : undefined);
  const job = await orNone(jobOfBatch(batch));
  if (job === undefined) return alone;
  const asked = await orNone(askedIn(ledger, batch, job, rows));
  return async (row, doubt, told) => {
    const work = asked?.get(row);
    return work === undefined ? alone(row, doubt, told) : walked(ledger, batch, job, work, { doubt, told });
  };
}

async function orNone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

function endedBy({ call, attempt }: Doubt, { kind }: ToldAnswer): Walked | undefined {
  if (kind !== 'found') return undefined;
  const outcome: Outcome =
    call.change === undefined ? { kind: 'matched', matchedBy: identifierOf(call) } : { kind: 'applied' };
  return { outcome, answers: [attempt] };
}

/** What the rows ask, by the plan that the ledger keeps or by the list. */
function askedIn(
  ledger: LedgerReader,
  batch: Batch,
  job: ResolvedJob,
  rows: readonly RowPlace[],
): Promise<ReadonlyMap<number, WalkedRow>> {
  const numbers = rows.map(({ row }) => row).sort((one, other) => one - other);
  const isChange = job.job.operation.change !== undefined;
  return isChange ? plannedOf(ledger, batch, numbers) : listedOf(ledger, batch, job, numbers);
}

async function plannedOf(
  ledger: LedgerReader,
  { id }: Batch,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, WalkedRow>> {
  const asked = new Map<number, WalkedRow>();
  for (const row of numbers) {
    const [planned] = await ledger.plannedRows(id, row, 1);
    if (planned?.row === row && planned.kind === 'work') asked.set(row, plannedRow(planned.work));
  }
  return asked;
}

async function listedOf(
  ledger: LedgerReader,
  batch: Batch,
  job: ResolvedJob,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, WalkedRow>> {
  const asked = new Map<number, WalkedRow>();
  const [first = 0, last = first] = [numbers[0], numbers.at(-1)];
  const input = await openMappedInput(batch.inputPath, job.job, ledger);
  if (input.survey.sha256 !== batch.inputSha256) return asked;
  const prepare = rowPreparer(job, input.columns);
  for await (const group of input.sheet.groups(await ledger.positionBefore(batch.id, first))) {
    for (const each of group.filter(({ row }) => numbers.includes(row))) {
      const prepared = prepare(each);
      if (prepared.kind === 'ready') asked.set(each.row, prepared);
    }
    if ((group.at(-1)?.row ?? 0) >= last) break;
  }
  return asked;
}

function plannedRow(work: JsonObject): WalkedRow {
  const { repaired, refusedBefore } = work;
  return {
    input: work,
    ...(typeof repaired === 'string' ? { repaired } : {}),
    ...(typeof refusedBefore === 'string' ? { refusedBefore } : {}),
  };
}

/** @returns how the row ends; undefined where it asks for what nobody has answered. */
async function walked(
  ledger: LedgerReader,
  { accountIdentity }: Batch,
  { job, dialect }: ResolvedJob,
  work: WalkedRow,
  { doubt, told }: { readonly doubt: Doubt; readonly told: ToldAnswer },
): Promise<Walked | undefined> {
  const walk = new RowWalk(job.operation, dialect, work);
  const answers: AttemptId[] = [];
  for (;;) {
    const step = walk.step();
    if (step.kind === 'end') return { outcome: step.outcome, answers };
    const key = step.met.keyFor(accountIdentity);
    const [state] = await ledger.find([key]);
    const { attempt, batch } = doubt;
    const answer = key === doubt.key ? { ...told, attempt, batch } : answeredIn(state);
    if (answer === undefined) return undefined;
    walk.tell(step.met, answer);
    answers.push(answer.attempt);
  }
}

function answeredIn(
  state: Awaited<ReturnType<LedgerReader['find']>>[number] | undefined,
): AnswerAtHand | undefined {
  return state?.kind === 'answered' && state.answer.erasedAtMs === undefined ? state.answer : undefined;
}
