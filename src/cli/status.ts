import type { Command } from 'commander';
import { isoTime } from '../core/clock.ts';
import { commandLine } from '../core/command-line.ts';
import { present } from '../core/objects.ts';
import { atMost, counted } from '../core/plain-text.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { originOf, undoneBy } from '../job/job-origin.ts';
import type { Batch, ShownMoney } from '../ledger/ledger.ts';
import {
  type BatchOverview,
  type BatchStatus,
  batchOverviews,
  batchStatus,
  type MissSeries,
} from '../run/batch-status.ts';
import { findBatch, lookAtLedger, storeWords } from '../run/open-ledger.ts';
import { type Retries, retriesOf } from '../run/retries.ts';
import { retriesObjectIfAny } from '../run/story-objects.ts';
import { onlyMissesWords } from '../vendor/misses.ts';
import { heldBackLines, openWords } from './render/doubts.ts';
import type { CliCommand, Console, Report } from './shell/command.ts';

const status: CliCommand = {
  name: 'status',
  summary: 'Shows batches, one batch, or every attempt of one row.',
  example: 'npx --no rowonce status last 12',
  configure(command: Command, wrap) {
    command
      .argument('[batch]', 'its id, the beginning of it, or "last"')
      .argument('[row]', "a row, by the spreadsheet's number (the header is 1)")
      .action(wrap(statusCommand));
  },
};

export default status;

async function statusCommand(
  console: Console,
  word: string | undefined,
  row: string | undefined,
  flags: { readonly store?: string },
): Promise<Report> {
  if (word === undefined) return batchesReport(await batchOverviews(flags.store, console.warn));
  const { batch, location } = await findBatch(word, flags.store, console.warn);
  const ledger = await lookAtLedger(location);
  try {
    if (row === undefined) {
      const shown = await batchStatus(ledger, batch);
      const isInDoubt = (shown.counts.in_doubt ?? 0) > 0;
      return batchReport(shown, location, isInDoubt ? await retriesOf(ledger, batch.id) : undefined);
    }
    // These parts are loaded late because they read the accounts, which the lists do not need.
    const { rowStory } = await import('../run/row-story.ts');
    const { rowReport } = await import('./status/row.ts');
    return rowReport(await rowStory(ledger, batch, row));
  } finally {
    await ledger.close();
  }
}

// ---------------------------------------------------------------------------------------------------- all batches

function batchesReport(all: readonly BatchOverview[]): Report {
  return {
    lines: all.length === 0 ? ['There are no batches yet.'] : all.map(overviewLine),
    object: { batches: all.map(batchObject) },
  };
}

function overviewLine({ batch, settled, rows, money, heldSinceMs, hasCosts }: BatchOverview): string {
  const cost = hasCosts ? `, ${atMost(money.spent, money.isExact, counted(money.spent, 'credit'))}` : '';
  const begun = isoTime(batch.createdAtMs).slice(0, 16);
  const state = (heldSinceMs === undefined ? batch.state : 'paused').padEnd(10);
  return `${batch.id}  ${begun}  ${state}  ${settled}/${rows} rows${cost}  ${whatOf(batch)}  ${batch.inputPath}`;
}

function whatOf({ operation, settings }: Batch): string {
  const origin = originOf(settings);
  if (origin?.kind === 'trial') return `try ${operation}`;
  return origin === undefined ? operation : `undo of ${origin.undoes}`;
}

function batchObject({ batch, counts, money, heldSinceMs }: BatchOverview): object {
  return {
    batch: batch.id,
    state: batch.state,
    operation: batch.operation,
    account: batch.accountName,
    input: batch.inputPath,
    undoes: undoneBy(batch.settings) ?? null,
    rows: batch.inputRows,
    ...present({ rows_beyond: batch.rowsBeyond }),
    counts,
    credits: {
      spent: money.spent,
      exact: money.isExact,
      in_doubt: money.inDoubt,
      reserved: money.reserved,
      budget: money.cap ?? null,
    },
    created_at: isoTime(batch.createdAtMs),
    output: batch.outputPath ?? null,
    next: batch.command ?? null,
    ...present({ held_since: heldSinceMs === undefined ? undefined : isoTime(heldSinceMs) }),
  };
}

// ---------------------------------------------------------------------------------------------------- one batch

function batchReport(status: BatchStatus, location: string, retries?: Retries): Report {
  const { batch, counts, settled, rows, money, heldSinceMs, hasCosts } = status;
  const { open, requests, calls, lastMinute, pausedUntilMs, misses } = status;
  return {
    lines: [
      `Batch ${batch.id}, ${batch.state}, ${whatOf(batch)} with account ${batch.accountName}`,
      `Input      ${batch.inputPath}, ${counted(batch.inputRows, 'row')}${beyondWords(batch)}`,
      ...OUTCOME_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map(
        (kind) => `  ${kind.padEnd(9)} ${counts[kind]}`,
      ),
      ...(settled < rows ? [`  pending   ${rows - settled}`] : []),
      ...(hasCosts ? [moneyLine(money)] : []),
      `Requests   ${requestsWords(requests, calls)}`,
      ...(open === 0 ? [] : [`Open       ${openWords(open)}`]),
      ...(lastMinute === 0 || batch.state !== 'open'
        ? []
        : [`Rate       ${counted(lastMinute, 'request')} of this account in the last minute`]),
      ...(pausedUntilMs === undefined ? [] : [`Paused     until ${isoTime(pausedUntilMs)}`]),
      ...(heldSinceMs === undefined ? [] : [`Held       since ${isoTime(heldSinceMs)}, by rowonce pause`]),
      ...missesLines(status),
      ...decidedLines(retries),
      ...(batch.outputPath === undefined ? [] : [`Output     ${batch.outputPath}`]),
    ],
    object: {
      ...batchObject(status),
      requests,
      calls,
      open,
      requests_last_minute: lastMinute,
      paused_until: pausedUntilMs === undefined ? null : isoTime(pausedUntilMs),
      ...present({ misses: misses && { count: misses.count, kept: misses.kept } }),
      ...present({ retries: retriesObjectIfAny(retries) }),
    },
    advice: adviceOn(status, location, retries),
  };
}

function adviceOn({ batch, counts }: BatchStatus, location: string, retries?: Retries): readonly string[] {
  const store = storeWords(location);
  const goesOn = batch.state === 'open' || retries?.goesOn === true;
  return [
    ...((counts.in_doubt ?? 0) > 0
      ? [`What is in doubt: ${commandLine(['settle', batch.id, ...store])}`]
      : []),
    ...(retries === undefined ? [] : heldBackLines(batch.id, retries, store)),
    ...(goesOn && batch.command !== undefined ? [`To go on: ${batch.command}`] : []),
  ];
}

function decidedLines(retries: Retries | undefined): readonly string[] {
  if (retries === undefined || retries.calls === 0) return [];
  const { calls, credits } = retries;
  const are = calls === 1 ? 'is' : 'are';
  return [
    `Decided    ${counted(calls, 'call')} in doubt ${are} to be sent again, for at most ${counted(credits, 'credit')}`,
  ];
}

/** Says when an account answers suspiciously often, or always, that nothing matched. A sandbox account is trusted. */
function missesLines({ misses }: BatchStatus): readonly string[] {
  if (misses === undefined) return [];
  return misses.only === undefined ? [missesLine(misses)] : [`Misses     ${onlyMissesWords(misses.only)}`];
}

function missesLine({ count, kept }: MissSeries): string {
  const fact = `Misses     the last ${counted(count, 'answer')} of this account were all status 404`;
  if (kept) return `${fact}, and are kept as no match`;
  return `${fact}: run the list with --accept no-match to keep them, or with --accept take-back to ask again`;
}

/** A call may have taken several requests, and one in doubt is not among the answered ones. */
function requestsWords(requests: number, calls: number): string {
  return requests === calls ? `${requests} for ${calls} calls` : `${requests}, ${calls} calls answered`;
}

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  if (rowsBeyond === 0) return '';
  return `, and ${counted(rowsBeyond, 'removal')} of people whom it does not name`;
}

function moneyLine({ cap, spent, isExact, inDoubt, reserved }: ShownMoney): string {
  const budget = cap === undefined ? '' : `, budget ${cap}`;
  return `Credits    ${atMost(spent, isExact, `${spent} spent`)}, ${inDoubt} in doubt, ${reserved} reserved${budget}`;
}
