import PQueue from 'p-queue';
import { buy, type Spending } from './attempt.ts';
import { startBatch } from './batch.ts';
import type { CallKey } from './call-key.ts';
import { openConnection } from './connection.ts';
import { requireConsent } from './consent.ts';
import { invariant, StopError, unreachable } from './errors.ts';
import { crashPoint } from './faults.ts';
import type { PositionedRow } from './format.ts';
import { type MappedInput, openMappedInput } from './input.ts';
import type { AttemptId, Batch, SettledRow } from './ledger.ts';
import type { Call } from './operation.ts';
import type { RunOrder } from './order.ts';
import { chooseDestination, type Destination, notesIn, type OutputFiles, writeOutput } from './output.ts';
import { RowSet } from './pipeline/row-set.ts';
import { optionsOf } from './plan.ts';
import { doubtReason, recover, resolveDoubt, takeBackMisses } from './recover.ts';
import { type Answering, replay } from './replay.ts';
import type { RowNumber } from './row.ts';
import { type RunSummary, summarize } from './summary.ts';
import { Traffic } from './traffic.ts';

/**
 * ★ START HERE. The whole product, top to bottom: read → plan → recover → spend → write → report.
 *
 * A row is read, asks its operation for the next call until the operation says how it ended, and is checkpointed.
 * Calls, not rows, are paid for: equal calls are bought once and shared. Whatever ends the process, the same command
 * goes on from the ledger.
 *
 * @throws StopError when the run cannot begin or its output cannot be written. What stops it in between is `stopped`
 * in the summary: the rows that have an outcome by then keep it.
 */
export async function run(order: RunOrder): Promise<RunSummary> {
  const startedMs = order.clock.monotonicMs();
  const traffic = new Traffic();
  const heard = { ...order, emit: traffic.hear(order.emit, order.clock.wallMs) };

  const input = await openMappedInput(order.inputPath, order.job.operation, order.job.columns, order.ledger);
  const destination = await chooseDestination(input, order.job, order.output, order.account.sandbox);
  const budget = await requireConsent(heard, input);
  const batch = await startBatch(heard, input, budget);
  const stopped = await spend(heard, input, batch);
  traffic.end(order.clock.wallMs());
  const files = leavesTimeToWrite(stopped) ? await write(heard, input, batch, destination) : undefined;
  return summarize(heard, batch, {
    traffic,
    files,
    stopped,
    durationMs: order.clock.monotonicMs() - startedMs,
  });
}

function write(
  order: RunOrder,
  input: MappedInput,
  batch: Batch,
  destination: Destination,
): Promise<OutputFiles> {
  return writeOutput({ ...order, ...notesIn(order.ledger, batch) }, input, batch, destination);
}

/** Somebody who pressed Ctrl-C wants the terminal back; `export` writes the same output at any later time. */
function leavesTimeToWrite(stopped: StopError | undefined): boolean {
  if (stopped === undefined) return true;
  return ['budget', 'account_budget', 'vendor_credits', 'dearer', 'paused', 'key'].includes(stopped.code);
}

// ------------------------------------------------------------------------------------------------ spend: all rows

/** Rows that are worked on side by side. Enough to fill groups of reads and commits, few enough to hold in memory. */
const ROWS_IN_FLIGHT = 256;

/** Remembering where every so-manieth row starts lets a resumed run skip the settled part of the file. */
const ROWS_BETWEEN_MARKS = 5_000;

/** One run of a batch, while it spends. */
interface RunningBatch {
  readonly order: RunOrder;
  readonly input: MappedInput;
  readonly batch: Batch;
  readonly spending: Spending;
  /** Calls that are being settled right now, so that equal ones of other rows wait instead of buying again. */
  readonly flying: Map<CallKey, Promise<Obtained>>;
}

/** Settles every row that has no final outcome yet. @returns what stopped it, if something did. */
async function spend(order: RunOrder, input: MappedInput, batch: Batch): Promise<StopError | undefined> {
  await takeBackMisses(order.ledger, order.account.identity);
  const settled = await settledRows(order, batch);
  if (settled.size >= input.survey.rows) return undefined;

  const stopping = new AbortController();
  const signal = AbortSignal.any([order.signal, stopping.signal]);
  const stopAll = (error: unknown): void => stopping.abort(error);
  const connection = await openConnection(order, batch.id, signal, stopAll);
  const { spending } = connection;
  const announce = (): void => order.emit({ kind: 'stopping', inFlight: spending.limiter.outstanding });
  signal.addEventListener('abort', announce, { once: true });
  try {
    await recover(spending);
    const running: RunningBatch = { order, input, batch, spending, flying: new Map() };
    await settleRows(running, settled, signal, stopAll);
  } catch (error) {
    stopAll(error);
  } finally {
    await connection.close();
  }
  return stopReason(signal);
}

async function settledRows({ ledger }: RunOrder, batch: Batch): Promise<RowSet> {
  const settled = new RowSet();
  for await (const page of ledger.settledRows(batch.id)) for (const row of page) settled.add(row);
  return settled;
}

/** Reads the file no faster than its rows are settled, so memory does not grow with the file. */
async function settleRows(
  running: RunningBatch,
  settled: RowSet,
  signal: AbortSignal,
  stopAll: (error: unknown) => void,
): Promise<void> {
  const { order, input, batch } = running;
  const workers = new PQueue({ concurrency: ROWS_IN_FLIGHT });
  const from = await order.ledger.positionBefore(batch.id, settled.lowestMissing(2));
  try {
    for await (const row of input.format.rows(input.path, from)) {
      if (signal.aborted || row.row > lastRowWanted(order)) break;
      if (row.row % ROWS_BETWEEN_MARKS === 0) await order.ledger.mark(batch.id, row.position);
      if (settled.has(row.row)) continue;
      await workers.onSizeLessThan(ROWS_IN_FLIGHT);
      void workers.add(() => settleRow(running, row)).catch(stopAll);
    }
  } catch (error) {
    stopAll(error);
  }
  // What is in flight is recorded whatever stopped the reading: its answers may be paid for.
  await workers.onIdle();
}

/** The spreadsheet's number of the last row that `--limit` lets through; the header is row 1. */
function lastRowWanted({ limit }: RunOrder): RowNumber {
  return limit === undefined ? Number.POSITIVE_INFINITY : limit + 1;
}

/** The StopError that ended the run; a bug is thrown on. */
function stopReason(signal: AbortSignal): StopError | undefined {
  if (!signal.aborted) return undefined;
  if (signal.reason instanceof StopError) return signal.reason;
  throw signal.reason;
}

// ------------------------------------------------------------------------------------------------ spend: one row

async function settleRow(running: RunningBatch, row: PositionedRow): Promise<void> {
  const { order, batch } = running;
  const { outcome, answers } = await workOut(running, row);
  crashPoint('before-row');
  await order.ledger.settleRow({ batch: batch.id, row: row.row, outcome, answers });
  crashPoint('after-row');
  order.emit({ kind: 'row', row: row.row, outcome: outcome.kind });
}

/** How a row ended and which answers led there. */
async function workOut(
  running: RunningBatch,
  row: PositionedRow,
): Promise<Omit<SettledRow, 'batch' | 'row'>> {
  const { job, account } = running.order;
  const prepared = job.operation.prepare(running.input.columns.read(row), optionsOf(job));
  if (prepared.kind === 'invalid') return { outcome: prepared, answers: [] };
  const replayed = await replay(job.operation, prepared.input, account.identity, (call, key) =>
    obtain(running, { key, call, row: row.row }),
  );
  if (replayed.kind === 'ended') return replayed;
  const { kind, reason, attempt } = replayed.at;
  return { outcome: { kind, reason }, answers: [...replayed.answers, attempt] };
}

// ------------------------------------------------------------------------------------------------ spend: one call

type Obtained =
  | Answering
  | { readonly kind: 'in_doubt' | 'skipped'; readonly reason: string; readonly attempt: AttemptId };

interface WantedCall {
  readonly key: CallKey;
  readonly call: Call;
  readonly row: RowNumber;
}

/** The answer to a call: the ledger's, the one that another row is just buying, or a new one. */
function obtain(running: RunningBatch, wanted: WantedCall): Promise<Obtained> {
  const { flying } = running;
  const earlier = flying.get(wanted.key);
  if (earlier !== undefined) return earlier;
  const obtained = settleCall(running, wanted).finally(() => flying.delete(wanted.key));
  flying.set(wanted.key, obtained);
  return obtained;
}

/** Looks, buys, looks again: what counts is always what the ledger holds. Ends because every round is a decision. */
async function settleCall({ order, spending, batch }: RunningBatch, wanted: WantedCall): Promise<Obtained> {
  for (;;) {
    const [state] = await order.ledger.find([wanted.key], batch.id);
    invariant(state !== undefined, 'the ledger answers for every key');
    switch (state.kind) {
      case 'answered':
        return state;
      case 'unknown':
        await buy(spending, wanted);
        break;
      case 'in_doubt': {
        const { attempt } = state.doubt;
        const resolution = await resolveDoubt(spending, state, order.job.inDoubt.kind);
        if (resolution.kind === 'hold') return { kind: 'in_doubt', reason: resolution.reason, attempt };
        if (resolution.kind === 'skip') return { kind: 'skipped', reason: resolution.reason, attempt };
        const bought = await buy(spending, { ...wanted, decision: resolution.decision });
        if (bought === 'over_extra') return { kind: 'in_doubt', reason: doubtReason(state.doubt), attempt };
        break;
      }
      default:
        unreachable(state);
    }
  }
}
