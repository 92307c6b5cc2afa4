import type { Command } from 'commander';
import { isoTime, systemClock } from '../core/clock.ts';
import { commandLine } from '../core/command-line.ts';
import { EXIT, type ExitCode } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { counted, plainText } from '../core/plain-text.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../core/row.ts';
import { originOf, undoneBy } from '../job/job-origin.ts';
import type { AccountState, Batch, LedgerReader, Misses, Money } from '../ledger/ledger.ts';
import { eachLedger, type FoundBatch, findBatch } from '../run/find-batch.ts';
import { lookAtLedger, storeWords } from '../run/open-ledger.ts';
import { historyOf, onlyMisses, onlyMissesWords, suspicionOf } from '../vendor/misses.ts';
import { openWords } from './render/doubts.ts';
import type { CliCommand, Console } from './shell/command.ts';

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
): Promise<ExitCode> {
  if (word === undefined) return showBatches(console, flags.store);
  const { batch, location } = await findBatch(word, flags.store, console.warn);
  const ledger = await lookAtLedger(location);
  try {
    if (row === undefined) return await showBatch(console, ledger, { batch, location });
    // This part is loaded late because it reads the accounts, which the lists do not need.
    const { showRow } = await import('./status/row.ts');
    return await showRow(console, ledger, batch, row);
  } finally {
    await ledger.close();
  }
}

// ---------------------------------------------------------------------------------------------------- all batches

async function showBatches(console: Console, store: string | undefined): Promise<ExitCode> {
  const overviews = async (ledger: LedgerReader): Promise<readonly Overview[]> => {
    const batches = await ledger.batches();
    return Promise.all(batches.map((batch) => overview(ledger, batch)));
  };
  const lists = await eachLedger(store, overviews, console.warn);
  const all = lists.flat().sort((a, b) => b.batch.createdAtMs - a.batch.createdAtMs);
  if (all.length === 0) console.print('There are no batches yet.');
  for (const { batch, settled, money } of all) {
    const cost = hasCosts(batch, money) ? `, ${counted(money.spent, 'credit')}` : '';
    const begun = isoTime(batch.createdAtMs).slice(0, 16);
    console.print(
      plainText(
        `${batch.id}  ${begun}  ${batch.state.padEnd(10)}  ${settled}/${rowsOf(batch)} rows${cost}  ${whatOf(batch)}  ${batch.inputPath}`,
      ),
    );
  }
  console.result({ batches: all.map(({ batch, counts, money }) => batchObject(batch, counts, money)) });
  return EXIT.done;
}

type Counts = Readonly<Partial<Record<OutcomeKind, number>>>;

interface Overview {
  readonly batch: Batch;
  readonly counts: Counts;
  readonly settled: number;
  readonly money: Money;
}

async function overview(ledger: LedgerReader, batch: Batch): Promise<Overview> {
  const counts = await ledger.counts(batch.id);
  const settled = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { batch, counts, settled, money: await ledger.batchMoney(batch.id) };
}

/** The number of rows: those of the file and those that were planned because the file no longer names a person. */
function rowsOf({ inputRows, rowsBeyond = 0 }: Batch): number {
  return inputRows + rowsBeyond;
}

function whatOf({ operation, settings }: Batch): string {
  const origin = originOf(settings);
  if (origin?.kind === 'trial') return `try ${operation}`;
  return origin === undefined ? operation : `undo of ${origin.undoes}`;
}

/** Whether credits are shown: the service's changes cost none. */
function hasCosts({ vendor }: Batch, { spent, inDoubt, reserved }: Money): boolean {
  return vendor === 'provider' || spent + inDoubt + reserved > 0;
}

function batchObject(batch: Batch, counts: Counts, money: Money): object {
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
      in_doubt: money.inDoubt,
      reserved: money.reserved,
      budget: money.cap ?? null,
    },
    created_at: isoTime(batch.createdAtMs),
    output: batch.outputPath ?? null,
    next: batch.command ?? null,
  };
}

// ---------------------------------------------------------------------------------------------------- one batch

/** At most so many sent requests are read to compute the rate, so that the command stays fast. */
const MOST_SENDS = 100_000;

async function showBatch(console: Console, ledger: LedgerReader, found: FoundBatch): Promise<ExitCode> {
  const { batch } = found;
  const { counts, settled, money } = await overview(ledger, batch);
  const open = await ledger.openRequests(batch.id);
  const { requests, calls } = await ledger.metrics(batch.id);
  const account = await ledger.account(batch.accountIdentity);
  const { pausedUntilMs, misses } = account;
  const isSuspect = suspicionOf(historyOf(account, batch.sandbox)) !== undefined;
  const nowMs = systemClock.wallMs();
  const lastMinute = (await ledger.sendTimes(batch.accountIdentity, nowMs - 60_000, MOST_SENDS)).length;
  const paused =
    pausedUntilMs !== undefined && pausedUntilMs > systemClock.wallMs() ? pausedUntilMs : undefined;
  const lines = [
    `Batch ${batch.id}, ${batch.state}, ${whatOf(batch)} with account ${batch.accountName}`,
    `Input      ${batch.inputPath}, ${counted(batch.inputRows, 'row')}${beyondWords(batch)}`,
    ...OUTCOME_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map(
      (kind) => `  ${kind.padEnd(9)} ${counts[kind]}`,
    ),
    ...(settled < rowsOf(batch) ? [`  pending   ${rowsOf(batch) - settled}`] : []),
    ...(hasCosts(batch, money) ? [moneyLine(money)] : []),
    `Requests   ${requests} for ${calls} calls`,
    ...(open === 0 ? [] : [`Open       ${openWords(open)}`]),
    ...(lastMinute === 0 || batch.state !== 'open'
      ? []
      : [`Rate       ${counted(lastMinute, 'request')} of this account in the last minute`]),
    ...(paused === undefined ? [] : [`Paused     until ${isoTime(paused)}`]),
    ...missesLines(account, batch, isSuspect),
    ...(batch.outputPath === undefined ? [] : [`Output     ${batch.outputPath}`]),
  ];
  for (const line of lines) console.print(plainText(line));
  console.result({
    ...batchObject(batch, counts, money),
    requests,
    calls,
    open,
    requests_last_minute: lastMinute,
    paused_until: paused === undefined ? null : isoTime(paused),
    ...(isSuspect || misses.kept || onlyMisses(account, batch.sandbox) !== undefined
      ? { misses: { count: misses.count, kept: misses.kept } }
      : {}),
  });
  sayNext(console, found, counts);
  return EXIT.done;
}

/** Says when an account answers suspiciously often, or always, that nothing matched. A sandbox account is trusted. */
function missesLines(account: AccountState, { sandbox }: Batch, isSuspect: boolean): readonly string[] {
  const { misses } = account;
  if (isSuspect || misses.kept) return [missesLine(misses)];
  const only = onlyMisses(account, sandbox);
  return only === undefined ? [] : [`Misses     ${onlyMissesWords(only)}`];
}

function missesLine({ count, kept }: Misses): string {
  const fact = `Misses     the last ${counted(count, 'answer')} of this account were all status 404`;
  if (kept) return `${fact}, and are kept as no match`;
  return `${fact}: run the list with --accept no-match to keep them, or with --accept take-back to ask again`;
}

function beyondWords({ rowsBeyond = 0 }: Batch): string {
  if (rowsBeyond === 0) return '';
  return `, and ${counted(rowsBeyond, 'removal')} of people whom it does not name`;
}

function moneyLine({ cap, spent, inDoubt, reserved }: Money): string {
  const budget = cap === undefined ? '' : `, budget ${cap}`;
  return `Credits    ${spent} spent, ${inDoubt} in doubt, ${reserved} reserved${budget}`;
}

function sayNext(console: Console, { batch, location }: FoundBatch, counts: Counts): void {
  if ((counts.in_doubt ?? 0) > 0) {
    console.say(`What is in doubt: ${commandLine(['settle', batch.id, ...storeWords(location)])}`);
  }
  if (batch.state === 'open' && batch.command !== undefined) console.say(`To go on: ${batch.command}`);
}
