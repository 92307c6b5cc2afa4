import type { Command } from 'commander';
import { isoTime } from '../core/clock.ts';
import { commandLine, durationOf, resumedBy, typedCommand } from '../core/command-line.ts';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { counted, plainText, sentence } from '../core/plain-text.ts';
import type { Credits } from '../ledger/ledger.ts';
import { chooseStore, lookIfThere } from '../run/open-ledger.ts';
import { exitCodeOf } from '../run/summary.ts';
import {
  type Known,
  knownOf,
  mostOfTrial,
  type RanTrial,
  requestShown,
  runTrial,
  type Trial,
  type Tried,
  trialOf,
} from '../run/trial.ts';
import { eventWords, InFlight } from './render/events.ts';
import { requestLines, triedLines, triedObject } from './render/trial.ts';
import type { CliCommand, Console } from './shell/command.ts';
import { stoppedObject } from './shell/console.ts';
import { stopOnSignals } from './shell/stop-signals.ts';

interface Flags {
  readonly account?: string;
  readonly refresh?: true;
  readonly yes?: true;
  readonly maxPause?: string;
  readonly wait?: string;
  readonly store?: string;
}

const tryOne: CliCommand = {
  name: 'try',
  summary: 'Makes one call, asked first, and shows the request, the answer and how it is read.',
  example: 'npx --no rowonce try enrich-company abn=51824753556 --account sandbox-provider',
  configure(command: Command, wrap) {
    command
      .argument('<operation>', 'the name of an operation that reads, or a job file')
      .argument('[given...]', 'what is asked by: input=value')
      .option('--account <name>', "the account to use, over the job's")
      .option('--refresh', 'ask again, although the answer is known')
      .option('--yes', 'agree to what it costs without being asked')
      .option('--max-pause <duration>', 'stop when nothing moves for so long (10m off a terminal)')
      .option('--wait <duration>', 'wait so long for another process that is spending from the store')
      .action(wrap(tryCommand));
  },
};

export default tryOne;

async function tryCommand(
  console: Console,
  job: string,
  given: readonly string[],
  flags: Flags,
): Promise<ExitCode> {
  const trial = await trialOf({ job, given, account: flags.account });
  // Under --json only the object is on standard output, so what a person must see before agreeing goes to stderr.
  const show = console.json ? console.say : console.print;
  for (const line of requestLines(requestShown(trial))) show(line);
  const { known, most } = await lookedUp(console, trial, flags);
  if (known.kind === 'answered' && flags.refresh !== true) return showKnown(console, trial, known.tried);
  // A call in doubt is settled first, as in every run, and nothing new is bought then.
  if (known.kind !== 'in_doubt') await requireYes(console, trial, most, flags);
  return showRun(console, trial, await make(console, trial, flags), flags);
}

/** Opens the ledger read-only, so that known answers can be shown while another process spends. */
async function lookedUp(
  console: Console,
  trial: Trial,
  { store }: Flags,
): Promise<{ readonly known: Known; readonly most: Credits }> {
  const ledger = await lookIfThere(chooseStore(store, trial.account.sandbox).location, console.warn);
  try {
    return { known: await knownOf(trial, ledger), most: await mostOfTrial(trial, ledger) };
  } finally {
    await ledger?.close();
  }
}

/** Asks before credits are spent; a sandbox account needs no consent. @throws StopError `consent`. */
async function requireYes(
  console: Console,
  { account }: Trial,
  most: Credits,
  { yes }: Flags,
): Promise<void> {
  if (account.sandbox || yes === true) return;
  const cost = most === 0 ? 'which should cost nothing' : `for at most ${counted(most, 'credit')}`;
  if (await saysYes(console, `Send this request, ${cost}?`)) return;
  const fact = `This would send one request, ${cost}, and nobody agreed.`;
  throw stop('consent', fact, 'Agree on a terminal, or with --yes.');
}

async function saysYes(console: Console, question: string): Promise<boolean> {
  const answer = await console.ask(`${plainText(question)} [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** Without a terminal nobody watches, so a call that has to wait for longer ends; the scheduler makes it again. */
const MAX_PAUSE_MS = 10 * 60_000;

async function make(console: Console, trial: Trial, flags: Flags): Promise<RanTrial> {
  const command = typedCommand(process.argv.slice(2));
  const inFlight = new InFlight();
  const stopping = stopOnSignals(
    console,
    () => inFlight.count,
    () => command,
  );
  const waiting = console.interactive ? undefined : MAX_PAUSE_MS;
  try {
    const running = runTrial(trial, {
      store: flags.store,
      refresh: flags.refresh,
      waitForLockMs: durationOf('--wait', flags.wait),
      maxPauseMs: durationOf('--max-pause', flags.maxPause) ?? waiting,
      mayCreateStore: console.interactive,
      askMisses: ({ fact, count }) =>
        saysYes(console, `${fact} Keep ${counted(count, 'answer')} as no match, and go on?`),
      tell: console.warn,
      signal: stopping.signal,
      onEvent(event) {
        inFlight.hear(event);
        const line = event.kind === 'batch' ? undefined : eventWords(event);
        if (line !== undefined) console.say(plainText(line));
      },
      command,
    });
    return await resumedBy(command, running);
  } finally {
    stopping.release();
  }
}

// ---------------------------------------------------------------------------------------------------- how it ended

function showKnown(console: Console, trial: Trial, tried: Tried): ExitCode {
  for (const line of triedLines(trial, tried)) console.print(line);
  const asOf = tried.reply === undefined ? '' : ` at ${isoTime(tried.reply.receivedAtMs)}`;
  console.print(`Source     the ledger: batch ${tried.batch} bought it${asOf}, and nothing was sent now`);
  console.say('To ask again: the same command with --refresh');
  console.result({
    batch: tried.batch,
    source: 'ledger',
    ...triedObject(trial, tried),
    credits: { spent: 0, in_doubt: 0 },
    stopped: null,
  });
  return tried.closure?.kind === 'settled' && tried.closure.answer === 'refused' ? EXIT.attention : EXIT.done;
}

function showRun(console: Console, trial: Trial, { summary, tried }: RanTrial, { store }: Flags): ExitCode {
  const { batch, money, spentNow, stopped, counts } = summary;
  if (tried !== undefined) for (const line of triedLines(trial, tried)) console.print(line);
  const inDoubt = money.inDoubt === 0 ? '' : `, ${money.inDoubt} in doubt`;
  console.print(`Credits    ${spentNow} spent${inDoubt}, in batch ${batch}`);
  console.result({
    batch,
    source: trial.account.sandbox ? 'sandbox' : 'bought',
    ...triedObject(trial, tried),
    credits: { spent: spentNow, in_doubt: money.inDoubt },
    stopped: stopped === undefined ? null : stoppedObject(stopped),
  });
  if ((counts.in_doubt ?? 0) > 0) {
    const where = store === undefined ? [] : ['--store', store];
    console.say(`What is in doubt: ${commandLine(['settle', batch, ...where])}`);
  }
  if (stopped !== undefined) {
    console.warn(sentence(stopped.message), 'alarming');
    console.warn(stopped.next);
    console.warn(typedCommand(process.argv.slice(2)));
  }
  return exitCodeOf(summary, false);
}
