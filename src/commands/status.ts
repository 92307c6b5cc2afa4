import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { atMost, counted, linesOf, plainText } from '../core/plain-text.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import type { ChangesDone } from '../files/output/changes-done.ts';
import { originOf } from '../job/job-origin.ts';
import type { Batch, LedgerReader, Money, RangeCounts } from '../ledger/ledger.ts';
import {
  budgetToFinishIn,
  commandLine,
  commandToGoOn,
  raiseInJob,
  wordsOfCommand,
} from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import { BatchListObject, BatchStatusObject } from '../objects/batch-object.ts';
import { RowObject } from '../objects/row-object.ts';
import { findBatch, lookAtLedger } from '../run/open-ledger.ts';
import {
  type BatchOverview,
  type BatchStatus,
  batchOverviews,
  batchStatus,
} from '../run/tasks/batch-status.ts';
import { type WorkerView, workersAt } from '../run/tasks/workers.ts';
import { changesLines, inviteAgainLines } from './shared/change-lines.ts';
import { argument, command, type Report } from './shared/command.ts';
import { openWords, waitingWords } from './shared/doubts.ts';
import { BATCH, COMMON } from './shared/input.ts';

const output = z.union([BatchStatusObject, BatchListObject, RowObject]);

type Told = Report<z.output<typeof output>>;

export default command({
  name: 'status',
  summary: 'Shows batches, one batch, or every attempt of one row.',
  details:
    "A row's attempts have when, why, the idempotency key, the cost, the vendor's request id, the raw answer, and the rule by which today's dialect reads it.",
  example: 'status last 12',
  input: z.strictObject({
    ...COMMON,
    batch: argument(z.string().optional(), BATCH),
    row: argument(
      z.union([z.string(), z.int().transform(String)]).optional(),
      "a row, by the spreadsheet's number (the header is 1)",
    ),
  }),
  output,
  async run({ batch: word, row, store }, { console }) {
    if (word === undefined)
      return batchesReport(await batchOverviews(store, console.warn), (await workersAt(store)) ?? []);
    const found = await findBatch(word, store, console.warn);
    const { batch, location } = found;
    const ledger = await lookAtLedger(location);
    try {
      if (row === undefined) {
        const shown = await batchStatus(ledger, found);
        return batchReport(shown, await changesOf(ledger, shown));
      }
      // These parts are loaded late because they read the accounts, which the lists do not need.
      const { rowStory } = await import('../run/tasks/row-story.ts');
      const { rowReport } = await import('./status/row.ts');
      return rowReport(await rowStory(ledger, batch, row));
    } finally {
      await ledger.close();
    }
  },
});

// ---------------------------------------------------------------------------------------------------- all batches

function batchesReport(batches: readonly BatchOverview[], workers: readonly WorkerView[]): Told {
  const lines = batches.length === 0 ? ['There are no batches yet.'] : batches.map(overviewLine);
  return {
    lines: [...lines, ...workerLines(workers)],
    object: BatchListObject.of({ batches, workers }),
  };
}

function overviewLine(overview: BatchOverview): string {
  const { batch, settled, rows, money, hasCosts } = overview;
  const cost = hasCosts ? `, ${atMost(money.spent, money.isAtMost, counted(money.spent, 'credit'))}` : '';
  const begun = isoTime(batch.createdAtMs).slice(0, 16);
  const state = stateWord(overview).padEnd(10);
  return `${batch.id}  ${begun}  ${state}  ${settled}/${rows} rows${cost}  ${whatOf(batch)}  ${batch.inputPath}`;
}

function stateWord({ batch, run }: BatchOverview): string {
  if (run !== undefined) return 'running';
  return batch.heldSinceMs === undefined ? batch.state : 'paused';
}

function whatOf({ operation, settings }: Batch): string {
  const origin = originOf(settings);
  if (origin === undefined) return operation;
  return origin.kind === 'undo' ? `undo of ${origin.undoes}` : `try ${operation}`;
}

// ---------------------------------------------------------------------------------------------------- one batch

/** A plan is read back by a library that other batches do without. */
async function changesOf(ledger: LedgerReader, { batch }: BatchStatus): Promise<ChangesDone | undefined> {
  if (batch.plannedRows === undefined) return undefined;
  const { changesDone } = await import('../files/output/changes-done.ts');
  return changesDone(ledger, batch);
}

/** @param changes undefined for a batch that changes nothing. */
function batchReport(status: BatchStatus, changes: ChangesDone | undefined): Told {
  return {
    lines: [...stateLines(status, changes), ...openLines(status)],
    object: BatchStatusObject.of({ ...status, changes }),
    advice: adviceOn(status),
  };
}

function stateLines(status: BatchStatus, changes: ChangesDone | undefined): readonly string[] {
  const { batch, counts, settled, rows, money, hasCosts, requests, calls } = status;
  return linesOf(
    `Batch ${batch.id}, ${stateWord(status)}, ${whatOf(batch)} with account ${batch.accountName}`,
    `Input      ${batch.inputPath}, ${counted(batch.inputRows, 'row')}${beyondWords(batch)}`,
    OUTCOME_KINDS.filter((kind) => counts[kind]).map((kind) => `  ${kind.padEnd(9)} ${counts[kind]}`),
    settled < rows && `  pending   ${rows - settled}`,
    changes && changesLines(changes),
    status.halfDone.map((note) => `Half done  ${plainText(note)}`),
    hasCosts && moneyLine(money),
    // A call may have taken several requests, and one in doubt is not among the answered ones.
    `Requests   ${requests === calls ? `${requests} for ${counted(calls, 'call')}` : `${requests}, ${counted(calls, 'call')} answered`}`,
  );
}

function openLines(status: BatchStatus): readonly string[] {
  const { batch, open, lastMinute, run, pause, unanswered } = status;
  const ranges = rangesWords(status.ranges);
  return linesOf(
    open > 0 && `Open       ${openWords(open)}`,
    lastMinute > 0 &&
      batch.state === 'open' &&
      `Rate       ${counted(lastMinute, 'request')} of this account in the last minute`,
    ranges && `Ranges     ${ranges}`,
    run && `Running    since ${run.since}, by process ${run.pid}`,
    pause && `Paused     until ${isoTime(pause.untilMs)}: ${plainText(pause.why)}`,
    batch.heldSinceMs !== undefined &&
      `Held       since ${isoTime(batch.heldSinceMs)}, ${pausedBy(status)}by pause`,
    unanswered > 0 && `Waiting    ${waitingWords(unanswered)}`,
    batch.outputPath !== undefined && `Output     ${batch.outputPath}`,
  );
}

function pausedBy({ acts }: BatchStatus): string {
  const paused = acts.findLast(({ kind }) => kind === 'paused');
  return paused === undefined ? '' : `by ${paused.operator}, `;
}

function adviceOn(status: BatchStatus): readonly string[] {
  const { batch, counts, run } = status;
  const command = commandToGoOn(batch);
  const goesOn = run === undefined && batch.state === 'open';
  return linesOf(
    (counts.in_doubt ?? 0) > 0 && `What is in doubt: ${commandLine(['settle', batch.id])}`,
    batch.state === 'cancelled' && inviteAgainLines(batch.id, status.halfDone),
    goesOn && sweepsBudgetWords(batch),
    goesOn && command !== undefined && `To continue: ${command}`,
  );
}

/** A run takes a budget in its command, and a sweep only in its job. */
function sweepsBudgetWords({ command = '', settings }: Batch): string | undefined {
  const budget = budgetToFinishIn(settings);
  const isSweep = wordsOfCommand(command)?.[0] === 'nightly';
  return budget !== undefined && isSweep ? raiseInJob(budget) : undefined;
}

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  if (rowsBeyond === 0) return '';
  return `, and ${counted(rowsBeyond, 'person', 'people')} whom it does not name`;
}

function moneyLine({ cap, spent, isAtMost, inDoubt, reserved }: Money): string {
  const budget = cap === undefined ? '' : `, budget ${cap}`;
  return `Credits    ${atMost(spent, isAtMost, `${spent} spent`)}, ${inDoubt} in doubt, ${reserved} reserved${budget}`;
}

/** A line for each process that spends from a store which several share. */
function workerLines(workers: readonly WorkerView[]): readonly string[] {
  return workers.map(({ host, pid, command, sinceMs, beatAgoMs, accounts }) => {
    const each = accounts.map(({ account, inFlight }) => `${account}: ${inFlight} in flight`);
    const beat = beatAgoMs === undefined ? 'no beat yet' : `last beat ${(beatAgoMs / 1000).toFixed(1)}s ago`;
    const began = `begun ${formatDuration(sinceMs)} ago`;
    return [`Worker ${host}, process ${pid}, ${began}, ${beat}`, ...each, command].join('; ');
  });
}

/** Undefined when no worker has to do with the batch. */
function rangesWords(ranges: RangeCounts | undefined): string | undefined {
  const { waiting, running, setAside } = ranges ?? { waiting: 0, running: 0, setAside: 0 };
  if (waiting + running + setAside === 0) return undefined;
  const aside = setAside === 0 ? '' : `, ${counted(setAside, 'range')} set aside, which a run works on`;
  return `${waiting} waiting, ${running} running${aside}`;
}
