import { asReadToday } from '../client/kept-answers.ts';
import { present } from '../core/objects.ts';
import type { RowNumber } from '../core/row.ts';
import type {
  AnswerRecord,
  AttemptId,
  CallState,
  FinishedRow,
  FreshSince,
  LedgerReader,
} from '../ledger/ledger.ts';
import { withoutWrongPaths } from '../walk/corrected-path.ts';
import { findCalls, forgottenAmong } from '../walk/known-calls.ts';
import type { MetCall } from '../walk/met-call.ts';
import { accountsOf, type ResolvedJob } from '../walk/resolved-job.ts';
import { type RowEnd, RowWalk, type WalkedRow } from '../walk/row-walk.ts';
import { walkTogether } from '../walk/walk-together.ts';

/** Walks rows as a run walks them, with what the ledger knows alone: nothing is sent or kept. */

export type Fresh = { readonly freshSince?: FreshSince; readonly createdAtMs?: number };

export interface Walking {
  readonly row: RowNumber;
  readonly walk: RowWalk;
  readonly answers: AnswerRecord[];
  end?: RowEnd | { readonly kind: 'waits'; readonly filled?: readonly AttemptId[] };
}

async function statesOf(
  ledger: LedgerReader,
  { dialect }: ResolvedJob,
  fresh: Fresh,
  calls: readonly MetCall[],
): Promise<readonly CallState[]> {
  const found = await findCalls<CallState>(calls, ledger, async (keys, askedCalls) => {
    const states = await ledger.find(keys, { freshFor: fresh });
    const before = await withoutWrongPaths(states, askedCalls, ledger);
    return asReadToday(before, ledger, (at) => askedCalls[at]?.by.dialect ?? dialect);
  });
  return found.map(({ state }) => state);
}

function tell(row: Walking, met: MetCall, state: CallState | undefined, isLook: boolean): boolean {
  const { answer } = state?.kind === 'answered' ? state : {};
  if (answer !== undefined && answer.isTooOld !== true && answer.erasedAtMs === undefined) {
    row.walk.tell(met, answer);
    row.answers.push(answer);
  } else if (isLook) row.walk.pass(met, isAskedInTurn(state) ? 'looked' : 'held');
  else row.walk.leaveStep(met);
  return true;
}

/** Whether the account is asked when its turn comes, where no account has the answer. */
const isAskedInTurn = (state: CallState | undefined): boolean =>
  state?.kind === 'unknown' || (state?.kind === 'answered' && state.answer.isTooOld === true);

export const walkingRow = (chosen: ResolvedJob, row: RowNumber, work: WalkedRow): Walking => ({
  row,
  walk: new RowWalk(chosen.job.operation, accountsOf(chosen), work),
  answers: [],
});

/** What a row that is left out has, stays, however old it is. */
export const ANY_AGE: Fresh = {};

/**
 * Walks rows with the answers of the ledger alone, and leaves open what would be asked.
 * @returns those without a person who was forgotten.
 */
export async function walkKnown<Row extends Walking>(
  ledger: LedgerReader,
  chosen: ResolvedJob,
  fresh: Fresh,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return rows;
  const forgotten = await forgottenAmong(rows, ({ walk }) => walk.callsAtWorst(), ledger);
  const walking = rows.filter((row) => !forgotten.has(row));
  await walkTogether(walking, {
    ended: (row, step) => Object.assign(row, { end: step }),
    statesOf: (calls) => statesOf(ledger, chosen, fresh, calls),
    tell,
  });
  return walking;
}

/** What rows that are left out have of before, by their numbers: attempts, and which of these fill cells. */
export async function knownOfLeftOut(
  ledger: LedgerReader,
  chosen: ResolvedJob,
  tasks: readonly { readonly row: RowNumber; readonly otherwise: WalkedRow }[],
): Promise<ReadonlyMap<RowNumber, Pick<FinishedRow, 'answers' | 'fills'>>> {
  const rows = tasks.map(({ row, otherwise }) => walkingRow(chosen, row, otherwise));
  await walkKnown(ledger, chosen, ANY_AGE, rows);
  const rests = rows.map((row) => {
    const answers = row.answers.map(({ attempt }) => attempt);
    return [row.row, { answers, ...present({ fills: fillsOf(row) }) }] as const;
  });
  return new Map(rests);
}

export const fillsOf = ({ end }: Walking): readonly AttemptId[] | undefined =>
  end?.kind === 'end' ? end.fills : (end?.filled ?? []);
