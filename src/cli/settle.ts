import type { Command } from 'commander';
import { bodyHolding } from '../answer-body.ts';
import { callKeyOf } from '../call-key.ts';
import { isoTime, systemClock } from '../clock.ts';
import type { CliCommand, Console } from '../command.ts';
import { lookObject, lookWords } from '../doubt-words.ts';
import { EXIT, type ExitCode, stop } from '../errors.ts';
import { findBatch } from '../find-batch.ts';
import { outputSettings } from '../job-settings.ts';
import {
  type Batch,
  credits,
  type DecisionKind,
  type Doubt,
  type Ledger,
  type LedgerReader,
  type Look,
  type Money,
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
      const doubts = await examined(reader, batch, await doubtsOf(reader, batch, row));
      const left = row === undefined ? undecidable(batch, doubts, await reader.batchMoney(batch.id)) : 0;
      return list(console, batch, doubts, left);
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
  const told = kind === 'told' ? toldReply(batch, answer ?? []) : undefined;
  // What a person says was charged is no count, so those of before cannot be compared any more.
  if (told !== undefined) await ledger.setUsage(batch.accountIdentity, undefined);
  for (const { key } of doubts) {
    const why = kind === 'told' ? 'told by the user' : `${kind} asked for by the user`;
    await ledger.decide({ key, batch: batch.id, kind, by: 'person', why, atMs: systemClock.wallMs() }, told);
  }
}

/** What a person says that the vendor answered, in the shape in which the vendor would have said it. */
function toldReply({ settings }: Batch, pairs: readonly string[]): RawReply {
  const members = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)] as const;
    throw stop('usage', `--answer ${pair} is not key=value.`, 'Give it as --answer name=Acme.');
  });
  const body = bodyHolding(Object.fromEntries(members), outputSettings(settings).answerPlace);
  return { status: 200, headers: {}, body, receivedAtMs: systemClock.wallMs() };
}

/** A doubt and what the vendor said, when it was asked about it. */
interface Examined {
  readonly doubt: Doubt;
  readonly looks: readonly Look[];
}

async function examined(
  ledger: LedgerReader,
  { accountIdentity }: Batch,
  doubts: readonly Doubt[],
): Promise<readonly Examined[]> {
  const all: Examined[] = [];
  for (const doubt of doubts) {
    const history = await ledger.history(doubt.batch, doubt.row);
    const ofCall = history.filter(({ call }) => callKeyOf(accountIdentity, call) === doubt.key);
    all.push({ doubt, looks: ofCall.flatMap(({ looks }) => looks) });
  }
  return all;
}

/**
 * Money of lost answers that nobody is asked about, because their calls have another answer by now: they were bought
 * anew, or sent again, or were skipped.
 */
function undecidable(batch: Batch, doubts: readonly Examined[], { inDoubt }: Money): number {
  const own = doubts.filter(({ doubt }) => doubt.batch === batch.id);
  return inDoubt - own.reduce((sum, { doubt }) => sum + doubt.atRisk, 0);
}

/** @param left credits in doubt about which there is nothing to decide. */
function list(console: Console, batch: Batch, doubts: readonly Examined[], left: number): ExitCode {
  for (const { doubt, looks } of doubts) {
    const asked = Object.entries(doubt.call.parameters).map(([name, value]) => `${name} ${String(value)}`);
    console.print(plainText(`row ${doubt.row}, ${asked.join(', ')}: ${doubtReason(doubt)}`));
    for (const line of whyStillOpen(doubt, looks)) console.print(plainText(`    ${line}`));
  }
  const atRisk = doubts.reduce((sum, { doubt }) => sum + doubt.atRisk, 0);
  console.print(
    doubts.length === 0
      ? `Nothing of batch ${batch.id} is in doubt.`
      : `${doubts.length} in doubt, ${counted(atRisk, 'credit')} at risk.`,
  );
  if (left > 0) {
    console.print(
      `${counted(left, 'credit')} of lost answers may have been charged, with nothing to decide: their calls have another answer, or were skipped.`,
    );
  }
  if (doubts.length > 0) {
    console.say(
      'Decide with --retry (may be paid for twice), --skip (its credits stay in doubt) or --answer key=value.',
    );
  }
  console.result({ batch: batch.id, at_risk: atRisk, undecidable: left, in_doubt: doubts.map(doubtObject) });
  return EXIT.done;
}

/** What was tried without cost, and got no further. */
function whyStillOpen({ repeats, request }: Doubt, looks: readonly Look[]): readonly string[] {
  const key = request === undefined ? '' : ` under idempotency key ${request.idempotencyKey}`;
  return [
    ...(repeats === 0 ? [] : [`sent again ${repeats} times${key}, without an answer`]),
    ...(repeats === 0 && key !== '' ? [`sent once${key}`] : []),
    ...(looks.length === 0 ? ['the vendor was never asked about it'] : []),
    ...looks.map((look) => `the vendor was ${lookWords(look)}`),
  ];
}

function doubtObject({ doubt, looks }: Examined): object {
  return {
    row: doubt.row,
    parameters: doubt.call.parameters,
    credits: doubt.atRisk,
    why: doubt.why,
    since: isoTime(doubt.sentAtMs),
    repeats: doubt.repeats,
    idempotency_key: doubt.request?.idempotencyKey ?? null,
    looks: looks.map(lookObject),
  };
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
