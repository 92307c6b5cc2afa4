import type { Command } from 'commander';
import type { CallKey } from '../core/call-key.ts';
import { systemClock } from '../core/clock.ts';
import { commandLine } from '../core/command-line.ts';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { counted, plainText } from '../core/plain-text.ts';
import { BelievedTime } from '../ledger/believed-time.ts';
import {
  type Batch,
  credits,
  type DecisionKind,
  type DecisionSpec,
  type Doubt,
  type Ledger,
  type LedgerReader,
} from '../ledger/ledger.ts';
import { dialectOfBatch } from '../run/batch-account.ts';
import { type FoundBatch, findBatch } from '../run/find-batch.ts';
import { lookAtLedger, openLedger, storeWords } from '../run/open-ledger.ts';
import { callWords } from './render/doubts.ts';
import { settleLeftOpen, settleLeftOpenIfFree } from './settle/left-open.ts';
import { examined, list, undecidable, waitingRows } from './settle/list.ts';
import { toldAnswer } from './settle/resolved-by.ts';
import type { CliCommand, Console } from './shell/command.ts';

interface Flags {
  readonly retry?: true;
  readonly extraCredits?: string;
  readonly skip?: true;
  readonly notDone?: true;
  readonly answer?: readonly string[];
  readonly store?: string;
}

const settle: CliCommand = {
  name: 'settle',
  summary: 'Lists what is in doubt and what is at risk, and takes your decision about it.',
  example: 'npx --no rowonce settle last --retry --extra-credits 20',
  configure(command: Command, wrap) {
    command
      .argument('<batch>', 'its id, the beginning of it, or "last"')
      .argument('[row]', "only this row, by the spreadsheet's number")
      .option('--retry', 'send it again, though it may be paid for, or done, twice')
      .option('--extra-credits <credits>', 'the most that all retries of the batch may cost')
      .option('--skip', 'leave these rows out of this batch')
      .option('--answer <key=value...>', 'say what the vendor answered')
      .option('--not-done', 'say that the vendor did nothing, and charged nothing')
      .action(wrap(settleCommand));
  },
};

export default settle;

async function settleCommand(
  console: Console,
  word: string,
  row: string | undefined,
  flags: Flags,
): Promise<ExitCode> {
  const decision = decisionOf(flags);
  const { batch, location } = await findBatch(word, flags.store, console.warn);
  if (decision === undefined) {
    await sayLeftOpen(console, batch, location);
    const reader = await lookAtLedger(location);
    try {
      const doubts = await examined(reader, batch, await doubtsOf(reader, { batch, location }, row));
      const left = row === undefined ? undecidable(batch, doubts, await reader.batchMoney(batch.id)) : 0;
      const waiting = doubts.length === 0 ? await waitingRows(reader, batch) : [];
      const open = await reader.openRequests(batch.id);
      const dialect = await dialectOfBatch(batch);
      return list(console, batch, { doubts, waiting, open, dialect }, left);
    } finally {
      await reader.close();
    }
  }
  const opening = { clock: systemClock, waitForLockMs: 0, mayCreate: false, sendsNothing: true };
  const ledger = await openLedger({ location, named: true }, { ...opening, command: `settle ${batch.id}` });
  try {
    await settleLeftOpen(ledger, batch);
    const doubts = await doubtsOf(ledger, { batch, location }, row);
    // The answer gets a date, by which a later batch may find it too old, so a wrong system clock must not set it.
    const nowMs = (await BelievedTime.over(systemClock, ledger)).wallMs();
    await decide(ledger, batch, doubts, decision, { ...flags, nowMs });
    return say(console, batch, doubts, decision);
  } finally {
    await ledger.close();
  }
}

/** Settles what this batch left open, if no run goes on, and says so. Other batches are not touched. */
async function sayLeftOpen(console: Console, batch: Batch, location: string): Promise<void> {
  const reader = await lookAtLedger(location);
  const open = await reader.openRequests(batch.id);
  await reader.close();
  if (open === 0 || (await settleLeftOpenIfFree(location, batch)) === undefined) return;
  const were = `${counted(open, 'request')} ${open === 1 ? 'was' : 'were'} open`;
  console.say(`${were} when the program ended; what has no answer is in doubt now.`);
}

/** `not_done` ends the doubt for every batch; the other decisions are about this batch alone. */
type PersonsDecision = Extract<DecisionKind, 'retry' | 'skip' | 'told'> | 'not_done';

function decisionOf({ retry, skip, answer, notDone, extraCredits }: Flags): PersonsDecision | undefined {
  const given = [retry && 'retry', skip && 'skip', answer && 'told', notDone && 'not_done'].filter(
    (kind) => kind !== undefined,
  );
  if (given.length > 1)
    throw stop('usage', 'More than one decision is given.', 'Give --retry, --skip, --answer or --not-done.');
  if (extraCredits !== undefined && retry === undefined) {
    throw stop('usage', '--extra-credits belongs to --retry.', 'Add --retry.');
  }
  if (extraCredits !== undefined && !/^\d{1,15}$/.test(extraCredits)) {
    throw stop(
      'usage',
      `--extra-credits ${extraCredits} is not a whole number.`,
      'Give it as digits, such as 20.',
    );
  }
  return given[0] as PersonsDecision | undefined;
}

async function doubtsOf(
  ledger: LedgerReader,
  { batch, location }: FoundBatch,
  row: string | undefined,
): Promise<readonly Doubt[]> {
  const doubts = await ledger.doubts(batch.id);
  if (row === undefined) return doubts;
  const attempts = new Set((await ledger.history(batch.id, Number(row))).map(({ attempt }) => attempt));
  const ofRow = doubts.filter(({ attempt }) => attempts.has(attempt));
  if (ofRow.length > 0) return ofRow;
  throw stop(
    'usage',
    `Row ${row} of batch ${batch.id} is not in doubt.`,
    `See what is with ${commandLine(['settle', batch.id, ...storeWords(location)])}`,
  );
}

async function decide(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  kind: PersonsDecision,
  { answer, extraCredits, nowMs }: Flags & { readonly nowMs: number },
): Promise<void> {
  if (extraCredits !== undefined)
    await ledger.changeBatch(batch.id, { extraCredits: credits(Number(extraCredits)) });
  if (kind === 'told') return tell(ledger, batch, doubts, answer ?? [], nowMs);
  if (kind === 'not_done') return release(ledger, doubts, nowMs);
  for (const { key } of doubts)
    await ledger.decide(specOf(batch, key, kind, `${kind} asked for by the user`, nowMs));
}

async function tell(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  pairs: readonly string[],
  nowMs: number,
): Promise<void> {
  const [doubt, ...others] = doubts;
  if (doubt === undefined || others.length > 0) {
    throw stop(
      'usage',
      `${doubts.length} calls are in doubt, and an answer belongs to one.`,
      'Name the row.',
    );
  }
  const { reply, left } = await toldAnswer(batch, doubt, pairs, nowMs);
  // The vendor did not count what a person says was charged, so earlier counts of credits can no longer be compared.
  await ledger.setUsage(batch.accountIdentity, undefined);
  await ledger.decide(specOf(batch, doubt.key, 'told', 'told by the user', nowMs), reply, left);
}

/** Ends the doubts, because a person knows that nothing was done: any batch may send these calls again. */
async function release(ledger: Ledger, doubts: readonly Doubt[], atMs: number): Promise<void> {
  const why = 'a person looked, and said that it was not done';
  for (const { key } of doubts) {
    // A call that was sent again and lost again has several attempts in doubt, which are found one after the other.
    for (;;) {
      const [state] = await ledger.find([key]);
      if (state?.kind !== 'in_doubt') break;
      const { attempt } = state.doubt;
      const look = { attempt, kind: 'read_back', said: 'not_happened', why, atMs } as const;
      await ledger.recordLook({ ...look, status: 0, body: Buffer.alloc(0) });
      await ledger.release(attempt, why, atMs);
    }
  }
}

function specOf({ id }: Batch, key: CallKey, kind: DecisionKind, why: string, atMs: number): DecisionSpec {
  return { key, batch: id, kind, by: 'person', why, atMs };
}

function say(console: Console, batch: Batch, doubts: readonly Doubt[], kind: PersonsDecision): ExitCode {
  const noted = `Noted for ${counted(doubts.length, 'call')}: ${kind.replace('_', ' ')}.`;
  console.print(doubts.length > 0 ? noted : `Nothing of batch ${batch.id} is in doubt.`);
  console.result({ batch: batch.id, decided: kind, calls: doubts.length });
  if (kind === 'retry') warnOfSeconds(console, doubts);
  if (doubts.length > 0 && batch.command !== undefined) {
    console.say('It is carried out by the next run:');
    console.say(batch.command);
  }
  return EXIT.done;
}

/** Warns that a change may be made twice: only the service knows whether the first request did it. */
function warnOfSeconds(console: Console, doubts: readonly Doubt[]): void {
  for (const { call } of doubts) {
    const { change, ifLost } = call;
    if (change === undefined || ifLost !== 'hold') continue;
    const second =
      change.leaves.state === 'invited' ? 'a second mail may be sent' : 'it may be done a second time';
    console.warn(plainText(`${callWords(call)}: ${second}, because the first request may have arrived.`));
  }
}
