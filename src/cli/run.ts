import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import {
  commandLine,
  durationOf,
  resumedBy,
  typedCommand,
  wholeNumber,
  withArgument,
  withOption,
  withoutOption,
} from '../core/command-line.ts';
import { type ExitCode, stop } from '../core/errors.ts';
import { spoolFolder } from '../core/paths.ts';
import { counted, grouped, plainText, sentence } from '../core/plain-text.ts';
import { type Credits, credits } from '../ledger/ledger.ts';
import { ACCEPTABLE } from '../plan/order.ts';
import { mostAsked, type Plan } from '../plan/plan.ts';
import { type Reread, rereadWords } from '../plan/reread.ts';
import type { UnseenRequests } from '../plan/sent-requests.ts';
import type { ChangePlan } from '../plan/team/change-plan.ts';
import { changeQuestion, diffLines } from '../plan/team/diff-words.ts';
import { chooseStore } from '../run/open-ledger.ts';
import { choose, runJob } from '../run/run-job.ts';
import type { RunRequest } from '../run/run-request.ts';
import { exitCodeOf, type RunSummary } from '../run/summary.ts';
import type { SuspectMisses } from '../vendor/misses.ts';
import { planLines } from './render/plan.ts';
import { summaryLines, summaryObject } from './render/summary.ts';
import { EventFile } from './run/event-file.ts';
import { Progress } from './run/progress.ts';
import { spoolInput } from './run/spool.ts';
import type { CliCommand, Console } from './shell/command.ts';
import { FORMULAS_ABOUT, formulaModeOf } from './shell/formula-flag.ts';
import { addReadFlags, addStrictFlag, oneOf, type ReadFlags, readOptionsOf } from './shell/read-flags.ts';
import { stopOnSignals } from './shell/stop-signals.ts';

interface Flags extends ReadFlags {
  readonly output?: string;
  readonly forExcel?: true;
  readonly account?: string;
  readonly budget?: string;
  readonly yes?: true;
  readonly plan?: string;
  readonly allowAdmin?: true;
  readonly accept?: string;
  readonly limit?: string;
  readonly sample?: string;
  readonly refresh?: true;
  readonly repair?: true;
  readonly events?: string;
  readonly maxPause?: string;
  readonly saveJob?: string;
  readonly formulas?: string;
  readonly withInput?: boolean;
  readonly wait?: string;
  readonly attentionOk?: true;
  readonly store?: string;
}

const run: CliCommand = {
  name: 'run',
  summary: 'Works through a file; the same command again goes on where it stopped.',
  example: 'npx --no rowonce run enrich-company leads.csv --budget 500',
  configure(command: Command, wrap) {
    addStrictFlag(addReadFlags(command))
      .argument('<job>', 'a YAML file, or the name of an operation')
      .argument('<file>', 'the input; - reads standard input')
      .option('-o, --output <file>', 'where the output goes; - is standard output')
      .option('--for-excel', 'write an Excel workbook (.xlsx), whatever the input is')
      .option('--account <name>', "the account to use, over the job's")
      .option('--budget <credits>', 'the most that this batch may ever spend')
      .option('--yes', 'agree to the plan without being asked: to what it costs and to what it changes')
      .option('--plan <file>', 'do what plan --save wrote there and nothing else, or stop')
      .option('--allow-admin', 'let the run make a person admin')
      .option('--accept <what>', `answer a stop that names it: ${ACCEPTABLE.join(', ')}`)
      .option('--limit <rows>', 'only the first rows of the file')
      .option('--sample <rows>', 'only so many random rows, and a forecast for the rest')
      .option('--refresh', 'buy anew what was bought before this batch')
      .option('--repair', 'send damaged cells repaired where that is sure; your own cells stay as they are')
      .option('--max-pause <duration>', 'stop when nothing moves for so long (10m off a terminal)')
      .option('--save-job <file>', 'write the job as a commented YAML file, and run it')
      .option('--formulas <mode>', FORMULAS_ABOUT)
      .option('--with-input', 'what a row found carries the columns of that row, which is so when left out')
      .option('--no-with-input', 'what a row found has nothing but the number of that row')
      .option('--wait <duration>', 'wait so long for another process that is spending from the store')
      .option('--events <file>', 'append one JSON line for each event of the run')
      .option('--attention-ok', 'exit with 0 even when rows need attention')
      .addHelpText('after', STEPS)
      .action(wrap(runCommand));
  },
};

export default run;

/** The steps that the service's own editor offers, each with the operation that does it for every row of a file. */
const STEPS = `
The prebuilt steps of the service, and the operation that does the same for a file:
  People Enrichment    enrich-person
  Company Enrichment   enrich-company
  People Search        search-people
  API Call             api-call (in a job, with endpoint and body)`;

async function runCommand(
  console: Console,
  job: string,
  file: string,
  flags: Flags,
  command: Command,
): Promise<ExitCode> {
  // The printed command is without --accept: what a person accepted once must not be accepted again by running it.
  let words = withoutOption(process.argv.slice(2), '--accept');
  const progress = new Progress(console, systemClock);
  const stopping = stopOnSignals(
    console,
    () => progress.inFlight,
    () => typedCommand(words),
  );
  const events = flags.events === undefined ? undefined : new EventFile(flags.events, systemClock);
  try {
    const input = await inputPathOf(job, file, flags, console);
    // The printed command names the kept file, because the same input cannot be piped into it again.
    words = withArgument(words, command, '-', input);
    const running = runJob({
      job,
      file: input,
      ...saidIn(flags),
      maxPauseMs:
        durationOf('--max-pause', flags.maxPause) ?? (console.interactive ? undefined : MAX_PAUSE_MS),
      mayCreateStore: console.interactive,
      askBudget: (plan) => askBudget(console, plan, flags.yes === true),
      askRequests: (unseen) => askRequests(console, unseen, flags.yes === true),
      askChanges: (plan) => askChanges(console, plan, flags.yes === true),
      askMisses: (misses) => askMisses(console, misses, flags.yes === true),
      askReread: (reread) => askReread(console, reread, flags.yes === true),
      tell: console.warn,
      planFile: flags.plan,
      signal: stopping.signal,
      onEvent(event) {
        progress.hear(event);
        events?.hear(event);
      },
      command: typedCommand(words),
    });
    const summary = await resumedBy(typedCommand(words), running);
    progress.close();
    return show(console, summary, words, flags);
  } finally {
    progress.close();
    events?.close();
    stopping.release();
  }
}

/** The part of the run's request that the flags give. */
function saidIn(flags: Flags): Partial<RunRequest> {
  const budget = wholeNumber('--budget', flags.budget);
  return {
    account: flags.account,
    read: readOptionsOf(flags),
    formulas: formulaModeOf(flags),
    withInput: flags.withInput,
    store: flags.store,
    output: flags.output === '-' ? process.stdout : flags.output,
    forExcel: flags.forExcel,
    budget: budget === undefined ? undefined : credits(budget),
    limit: wholeNumber('--limit', flags.limit),
    sample: sampleSize(flags.sample),
    refresh: flags.refresh,
    repair: flags.repair,
    waitForLockMs: durationOf('--wait', flags.wait),
    saveJobAs: flags.saveJob,
    allowAdmin: flags.allowAdmin,
    accept: flags.accept === undefined ? undefined : oneOf('--accept', ACCEPTABLE, flags.accept),
  };
}

/** Without a terminal nobody watches, so a run that has to wait for longer ends; the scheduler starts it again. */
const MAX_PAUSE_MS = 10 * 60_000;

function show(console: Console, summary: RunSummary, words: readonly string[], flags: Flags): ExitCode {
  const { stopped } = summary;
  const say = flags.output === '-' ? console.say : console.print;
  for (const line of summaryLines(summary)) say(line);
  console.result(summaryObject(summary));
  if ((summary.counts.in_doubt ?? 0) > 0) {
    const store = flags.store === undefined ? [] : ['--store', flags.store];
    console.say(`What is in doubt: ${commandLine(['settle', summary.batch, ...store])}`);
  }
  if (stopped !== undefined) {
    console.warn(sentence(stopped.message), 'alarming');
    console.warn(stopped.next);
    console.warn(
      stopped.code === 'budget'
        ? typedCommand(withOption(words, '--budget', summary.budgetToFinish))
        : typedCommand(words),
    );
  }
  return exitCodeOf(summary, flags.attentionOk === true);
}

async function askBudget(console: Console, plan: Plan, agreed: boolean): Promise<Credits | undefined> {
  for (const line of planLines(plan)) console.say(line);
  const most = mostAsked(plan);
  const question = `Spend at most ${grouped(most)} credits?`;
  return agreed || (await saysYes(console, question)) ? most : undefined;
}

/** Asks once about the requests of a job and its dialect, so that files from another person do not act unseen. */
async function askRequests(console: Console, { reasons }: UnseenRequests, agreed: boolean): Promise<boolean> {
  const question = `${reasons.join(' ')} This is asked once for a job and its dialect. Send such requests?`;
  return agreed || (await saysYes(console, plainText(question)));
}

async function askChanges(console: Console, plan: ChangePlan, agreed: boolean): Promise<boolean> {
  for (const line of diffLines(plan)) console.say(plainText(line));
  return agreed || (await saysYes(console, changeQuestion(plan)));
}

/** Asks about suspicious misses. `--yes`, which a scheduler passes every night, agrees to them on a first run only. */
async function askMisses(
  console: Console,
  { suspicion, fact, count }: SuspectMisses,
  agreed: boolean,
): Promise<boolean> {
  if (agreed && suspicion === 'first') return true;
  console.say(fact);
  return saysYes(console, `Keep ${counted(count, 'answer')} as no match, and go on?`);
}

async function askReread(console: Console, reread: Reread, agreed: boolean): Promise<boolean> {
  if (agreed) console.say(rereadWords(reread));
  if (agreed || !console.interactive) return agreed;
  console.say(rereadWords(reread));
  return saysYes(console, 'Settle them anew, in a new batch of this file?');
}

async function saysYes(console: Console, question: string): Promise<boolean> {
  const answer = await console.ask(`${question} [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

function sampleSize(text: string | undefined): number | undefined {
  const size = wholeNumber('--sample', text);
  if (size !== 0) return size;
  throw stop('usage', '--sample 0 would buy nothing.', 'Give the number of rows, such as --sample 50.');
}

/** The path of the input. Standard input is kept in a file first, because a killed run could not read it again. */
async function inputPathOf(job: string, file: string, flags: Flags, console: Console): Promise<string> {
  if (flags.output === '-' && console.json) {
    throw stop('usage', '-o - and --json both want standard output.', 'Name a file with -o.');
  }
  if (file !== '-') return file;
  if (flags.output === undefined) {
    throw stop(
      'usage',
      'Standard input has no place beside which an output could go.',
      'Name the output with -o.',
    );
  }
  const { account } = await choose({ job, account: flags.account });
  return spoolInput(process.stdin, spoolFolder(chooseStore(flags.store, account.sandbox).location));
}
