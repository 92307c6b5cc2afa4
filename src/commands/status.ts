import { z } from 'zod';
import { localTime } from '../core/clock.ts';
import { allRows, rowsIn } from '../core/counts.ts';
import { stop } from '../core/errors.ts';
import { atMost, counted, foreignWords, grouped, linesOf, plainText } from '../core/plain-text.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch } from '../ledger/ledger.ts';
import { commandLine, raiseInJob } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import {
  BatchListObject,
  type BatchObject,
  BatchStatusObject,
  TableObject,
  type WorkerObject,
} from '../objects/batch-object.ts';
import { RowObject } from '../objects/row-object.ts';
import { batchObjects, batchStatus, workersAt } from '../run/batches.ts';
import { findBatch, lookInto } from '../run/open-ledger.ts';
import { MOST_ROWS, TableOrder, USUAL_ROWS } from '../run/table-order.ts';
import { changesLines, countLines, creditsLine } from './shared/batch-lines.ts';
import { argument, command, flag, type Report, underHeading } from './shared/command.ts';
import { openWords } from './shared/doubts.ts';
import { BATCH, COMMON } from './shared/input.ts';
import { inviteAgainLines } from './shared/summary.ts';

const statusOutput = z.union([BatchStatusObject, BatchListObject, RowObject, TableObject]);

type StatusReport = Report<z.output<typeof statusOutput>>;

const { from, limit, search, sort, where, only_if, unless, differs } = TableOrder.shape;

const TABLE = {
  from: flag(from, 'the row to begin with, by its number', '<row>'),
  limit: flag(limit, `how many rows, at most ${MOST_ROWS}; left out: ${USUAL_ROWS}`, '<rows>'),
  search: flag(search, 'only rows with this text in a cell, of the list or bought', '<text>'),
  sort: flag(sort, 'in the order of a column; with a - before its name the other way round', '<column>'),
  where: flag(
    where,
    'only rows with this value, such as City=Perth or _status=invalid,refused; several: all of them',
    '<column=value>',
    { example: 'City=Perth' },
  ),
  only_if: flag(
    only_if,
    'only rows in which a column says this, as in a job: AU, filled or blank; several: all of them',
    '<column=value>',
    { example: 'Country=AU' },
  ),
  unless: flag(unless, 'without the rows in which a column says this, in the same words', '<column=value>', {
    example: 'Status=Customer',
  }),
  differs: flag(
    differs,
    'only rows in which a column says something else than another one, both filled',
    '<column=column>',
    { example: 'name=Company' },
  ),
};

export default command({
  name: 'status',
  summary: 'Shows batches, one batch, its rows with what was bought, or every attempt of one row.',
  details:
    'An option about rows shows a page of them, with the cells of an output. ' +
    "A row's attempts have when, why, the idempotency key, the cost, the vendor's request id, " +
    "the raw answer, and the rule by which today's dialect reads it.",
  example: 'status last 12',
  input: z.strictObject({
    ...COMMON,
    batch: argument(z.string().optional(), BATCH),
    row: argument(
      z.union([z.string(), z.int().transform(String)]).optional(),
      "a row, by the spreadsheet's number (the header is 1)",
    ),
    ...underHeading('Rows', TABLE),
  }),
  output: statusOutput,
  async run({ batch: word, row, store, ...more }, { console }) {
    const isTable = Object.keys(TABLE).some((entry) => more[entry as keyof typeof TABLE] !== undefined);
    if (isTable) requireOneBatch(word, row);
    if (word === undefined)
      return batchesReport(await batchObjects(store, console.warn), await workersAt(store));
    const found = await findBatch(word, store, console.warn);
    return lookInto(found.location, async (ledger): Promise<StatusReport> => {
      if (isTable) {
        const { tableOf } = await import('../run/batch-table.ts');
        return tableReport(await tableOf(ledger, found.batch, more));
      }
      if (row === undefined) return batchReport(await batchStatus(ledger, found), found.batch);
      // This part is loaded late because it reads the accounts, which the lists do not need.
      const { rowReport } = await import('./status/row.ts');
      return rowReport(ledger, found.batch, row);
    });
  },
});

function requireOneBatch(batch: string | undefined, row: string | undefined): void {
  if (batch === undefined)
    throw stop('usage', 'No batch is named, so there are no rows to show.', 'Name it, or say "last".');
  if (row !== undefined)
    throw stop('usage', `Both row ${row} and a page of rows are asked for.`, 'Leave one of them out.');
}

// ----------------------------------------------------------------------------------------------- all batches

function batchesReport(batches: BatchObject[], workers: WorkerObject[]): StatusReport {
  const lines = batches.length === 0 ? ['There are no batches yet.'] : batches.map(batchLine);
  return {
    lines: [...lines, ...workers.map(workerLine)],
    object: { batches, ...(workers.length > 0 && { workers }) },
  };
}

function batchLine(of: BatchObject): string {
  const { batch, counts, credits, created_at: begun } = of;
  const cost = of.has_costs
    ? `, ${atMost(credits.spent, !credits.exact, counted(credits.spent, 'credit'))}`
    : '';
  const doubts = counts.in_doubt === undefined ? '' : `, ${counted(counts.in_doubt, 'row')} in doubt`;
  const rows = `${grouped(rowsIn(counts))}/${grouped(allRows(of))} rows${cost}${doubts}`;
  return `${batch}  ${begun.slice(0, 16)}  ${stateWord(of).padEnd(10)}  ${rows}  ${batchWhat(of)}  ${of.input}`;
}

function stateWord({ state, running, held_since: held }: BatchObject): string {
  if (running) return 'running';
  return held === undefined ? state : 'paused';
}

const batchWhat = ({ operation, undoes }: BatchObject): string =>
  undoes === null ? operation : `undo of ${undoes}`;

/** A process that spends from a store with several spenders. */
function workerLine({ host, pid, command, since_seconds, beat_seconds, accounts }: WorkerObject): string {
  const each = accounts.map(({ account, in_flight }) => `${account}: ${in_flight} in flight`);
  const beat = beat_seconds === undefined ? 'no beat yet' : `last beat ${beat_seconds.toFixed(1)}s ago`;
  const began = `begun ${formatDuration(since_seconds * 1000)} ago`;
  return [`Worker ${host}, process ${pid}, ${began}, ${beat}`, ...each, command].join('; ');
}

// ------------------------------------------------------------------------------------------------- one batch

function batchReport(status: BatchStatusObject, batch: Batch): StatusReport {
  return {
    lines: [...stateLines(status, batch), ...openLines(status)],
    object: status,
    advice: statusAdvice(status, batch),
  };
}

function stateLines(status: BatchStatusObject, { accounts }: Batch): readonly string[] {
  const { batch, input, rows, rows_beyond: beyond = 0, changes, goal } = status;
  const { requests, calls, half_done: halfDone = [] } = status;
  const people = beyond === 0 ? '' : `, and ${grouped(beyond)} for people whom it does not name`;
  const names = accounts.map(({ name }) => name).join(', ');
  const by = `${accounts.length === 1 ? 'account' : 'accounts'} ${names}`;
  return linesOf(
    `Batch ${batch}, ${stateWord(status)}, ${batchWhat(status)} with ${by}`,
    `Input      ${input}, ${counted(rows, 'row')}${people}`,
    countLines(status),
    goal.rows < allRows(status) &&
      `Chosen     ${counted(goal.rows, 'row')}, ${grouped(goal.settled)} have ended`,
    changes && changesLines(changes),
    halfDone.map((note) => `Half done  ${plainText(note)}`),
    creditsLine(status),
    // A call may have taken several requests. A request in doubt is not among the answered ones.
    `Requests   ${requests === calls ? `${grouped(requests)} for ${counted(calls, 'call')}` : `${grouped(requests)}, ${counted(calls, 'call')} answered`}`,
  );
}

function openLines(status: BatchStatusObject): readonly string[] {
  const { open, requests_last_minute: lastMinute, output } = status;
  const { running_since: since, held_since: held, paused_until: until, paused_why: why = '' } = status;
  return linesOf(
    open > 0 && `Open       ${openWords(open)}`,
    lastMinute > 0 &&
      status.state === 'open' &&
      `Rate       ${counted(lastMinute, 'request')} of this account in the last minute`,
    rangesLine(status.ranges),
    since && `Running    since ${shownTime(since)}`,
    until !== null && `Paused     until ${shownTime(until)}: ${plainText(why)}`,
    held && `Held       since ${shownTime(held)}, by pause`,
    output !== null && `Output     ${output}`,
  );
}

const shownTime = (time: string): string => localTime(Date.parse(time));

/** Undefined when workers have nothing to do with the batch. */
function rangesLine(ranges: BatchStatusObject['ranges']): string | undefined {
  const { waiting, running, set_aside: setAside } = ranges ?? { waiting: 0, running: 0, set_aside: 0 };
  if (waiting + running + setAside === 0) return undefined;
  const aside = setAside === 0 ? '' : `, ${counted(setAside, 'range')} set aside, which a run works on`;
  return `Ranges     ${waiting} waiting, ${running} running${aside}`;
}

function statusAdvice(status: BatchStatusObject, batch: Batch): readonly string[] {
  const goesOn = status.running_since === undefined && status.state === 'open';
  return linesOf(
    (status.counts.in_doubt ?? 0) + (status.beside ?? 0) > 0 &&
      `What is in doubt: ${commandLine(['settle', batch.id])}`,
    status.state === 'cancelled' && inviteAgainLines(batch.id, status.half_done ?? []),
    goesOn && sweepsBudgetWords(batch),
    goesOn && status.next !== null && `To continue: ${status.next}`,
  );
}

/** A run takes a budget in its command, and a sweep only in its job. */
function sweepsBudgetWords({ settings }: Batch): string | undefined {
  const { swept, budget_to_finish: budget } = settingsKept(settings);
  return budget !== undefined && swept === true ? raiseInJob(budget) : undefined;
}

// ------------------------------------------------------------------------------------------- a page of rows

function tableReport(object: TableObject): StatusReport {
  return {
    object,
    lines: tableLines(object),
    advice: linesOf(object.next !== null && `There is more: --from ${object.next}.`),
  };
}

/** A cell that is longer is shown whole by `--json`. */
const WIDEST = 30;

function tableLines({ columns, rows }: TableObject): readonly string[] {
  const lines = [
    ['row', ...columns.map(({ name }) => name)],
    ...rows.map(({ row, cells }) => [String(row), ...cells]),
  ].map((cells) => cells.map((cell) => foreignWords(cell, WIDEST)));
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
