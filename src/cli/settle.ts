import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import type { CliCommand, Console } from '../command.ts';
import { EXIT, type ExitCode, stop } from '../errors.ts';
import { findBatch } from '../find-batch.ts';
import {
  type Batch,
  credits,
  type DecisionKind,
  type Doubt,
  type Ledger,
  type LedgerReader,
  type RawReply,
} from '../ledger.ts';
import { lookAtLedger, openLedger } from '../open-ledger.ts';
import { counted, plainText } from '../plain-text.ts';
import { doubtReason } from '../recover.ts';

interface Flags {
  readonly retry?: true;
  readonly extraCredits?: string;
  readonly skip?: true;
  readonly answer?: readonly string[];
  readonly store?: string;
}

const settle: CliCommand = {
  name: 'settle',
  summary: 'Lists what is in doubt with the money at risk, and takes your decision about it.',
  example: 'npx rowonce settle last --retry --extra-credits 20',
  configure(command: Command, wrap) {
    command
      .argument('<batch>', 'its id, the beginning of it, or "last"')
      .argument('[row]', "only this row, by the spreadsheet's number")
      .option('--retry', 'ask again, though it may be paid for twice')
      .option('--extra-credits <credits>', 'the most that all retries of the batch may cost')
      .option('--skip', 'leave these rows out of this batch')
      .option('--answer <key=value...>', 'say what the vendor answered')
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
  const { batch, location } = await findBatch(word, flags.store);
  if (decision === undefined) {
    const reader = await lookAtLedger(location);
    try {
      return list(console, batch, await doubtsOf(reader, batch, row));
    } finally {
      await reader.close();
    }
  }
  const options = { clock: systemClock, waitForLockMs: 0, mayCreate: false, command: `settle ${batch.id}` };
  const ledger = await openLedger({ location, named: true }, options);
  try {
    const doubts = await doubtsOf(ledger, batch, row);
    await decide(ledger, batch, doubts, decision, flags);
    return say(console, batch, doubts, decision);
  } finally {
    await ledger.close();
  }
}

type PersonsDecision = Extract<DecisionKind, 'retry' | 'skip' | 'told'>;

function decisionOf({ retry, skip, answer, extraCredits }: Flags): PersonsDecision | undefined {
  const given = [retry && 'retry', skip && 'skip', answer && 'told'].filter((kind) => kind !== undefined);
  if (given.length > 1)
    throw stop('usage', 'More than one decision is given.', 'Give --retry, --skip or --answer.');
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
  batch: Batch,
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
    `Type rowonce settle ${batch.id} to see what is.`,
  );
}

async function decide(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  kind: PersonsDecision,
  { answer, extraCredits }: Flags,
): Promise<void> {
  if (extraCredits !== undefined)
    await ledger.changeBatch(batch.id, { extraCredits: credits(Number(extraCredits)) });
  if (kind === 'told' && doubts.length !== 1) {
    throw stop(
      'usage',
      `${doubts.length} calls are in doubt, and an answer belongs to one.`,
      'Name the row.',
    );
  }
  const told = kind === 'told' ? toldReply(answer ?? []) : undefined;
  for (const { key } of doubts) {
    const why = kind === 'told' ? 'told by the user' : `${kind} asked for by the user`;
    await ledger.decide({ key, batch: batch.id, kind, by: 'person', why, atMs: systemClock.wallMs() }, told);
  }
}

/** What a person says that the vendor answered, in the shape in which the vendor would have said it. */
function toldReply(pairs: readonly string[]): RawReply {
  const members = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)] as const;
    throw stop('usage', `--answer ${pair} is not key=value.`, 'Give it as --answer name=Acme.');
  });
  const body = Buffer.from(JSON.stringify(Object.fromEntries(members)));
  return { status: 200, headers: {}, body, receivedAtMs: systemClock.wallMs() };
}

function list(console: Console, batch: Batch, doubts: readonly Doubt[]): ExitCode {
  for (const doubt of doubts) {
    const asked = Object.entries(doubt.call.parameters).map(([name, value]) => `${name} ${String(value)}`);
    console.print(plainText(`row ${doubt.row}, ${asked.join(', ')}: ${doubtReason(doubt)}`));
  }
  const atRisk = doubts.reduce((sum, doubt) => sum + doubt.atRisk, 0);
  console.print(
    doubts.length === 0
      ? `Nothing of batch ${batch.id} is in doubt.`
      : `${doubts.length} in doubt, ${counted(atRisk, 'credit')} at risk.`,
  );
  if (doubts.length > 0)
    console.say('Decide with --retry (may be paid for twice), --skip or --answer key=value.');
  console.result({
    batch: batch.id,
    at_risk: atRisk,
    in_doubt: doubts.map((doubt) => ({
      row: doubt.row,
      parameters: doubt.call.parameters,
      credits: doubt.atRisk,
      why: doubt.why,
    })),
  });
  return EXIT.done;
}

function say(console: Console, batch: Batch, doubts: readonly Doubt[], kind: PersonsDecision): ExitCode {
  console.print(`Noted for ${counted(doubts.length, 'call')}: ${kind}.`);
  console.result({ batch: batch.id, decided: kind, calls: doubts.length });
  if (doubts.length > 0 && batch.command !== undefined) {
    console.say('It is carried out by the next run:');
    console.say(batch.command);
  }
  return EXIT.done;
}
