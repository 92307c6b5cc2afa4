import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import { isSpooled, spoolFolder } from '../core/paths.ts';
import { grouped, plainText } from '../core/plain-text.ts';
import { spoolInput } from '../files/spool.ts';
import { credits } from '../ledger/ledger.ts';
import {
  beyondBudget,
  commandLine,
  wholeNumber,
  withArgument,
  withOption,
  withoutFlag,
  withoutOption,
} from '../lib/command-line.ts';
import type { FormulaMode } from '../lib/formulas.ts';
import { RunObject } from '../objects/run-object.ts';
import { rereadWords } from '../plan/batch.ts';
import { ACCEPTABLE, type RunOptions } from '../plan/context.ts';
import { mostAsked } from '../plan/plan.ts';
import type { ChangePlan } from '../plan/team/change-plan.ts';
import { changeQuestion, diffLines } from '../plan/team/diff-words.ts';
import { choose } from '../run/choose.ts';
import { runJob } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { exitCodeOf, type RunSummary } from '../run/summary.ts';
import { EventFile } from './run/event-file.ts';
import { Progress } from './run/progress.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { addEntryFlags, type EntryFlags, entriesOf } from './shared/entry-flags.ts';
import { addOutputFlags, addReadFlags, addStrictFlag, type ReadFlags, readFlagsOf } from './shared/flags.ts';
import { planLines } from './shared/plan-lines.ts';
import { addSpendFlags, endOf, mayBeSent, type Resume, type SpendFlags, spend } from './shared/spending.ts';
import { summaryLines } from './shared/summary.ts';

interface Flags extends ReadFlags, EntryFlags, SpendFlags {
  readonly output?: string;
  readonly account?: string;
  readonly budget?: string;
  readonly yes?: true;
  readonly plan?: string;
  readonly allowAdmin?: true;
  readonly limit?: string;
  readonly sample?: string;
  readonly detach?: true;
  readonly refresh?: true;
  readonly repair?: true;
  readonly events?: string;
  readonly saveJob?: string;
  readonly formulas?: FormulaMode;
  readonly attentionOk?: true;
}

const run: CliCommand = {
  name: 'run',
  summary: 'Works through a file; run the same command again to continue where it stopped.',
  example: 'run enrich-company leads.csv --budget 500',
  configure(command: Command, wrap) {
    addSpendFlags(addOutputFlags(addEntryFlags(addStrictFlag(addReadFlags(command)))), ACCEPTABLE)
      .argument('[job]', 'a YAML file, or an operation, or several such as enrich-company,enrich-person')
      .argument('[file]', 'the input; - reads standard input')
      .option('--account <name>', "the account to use, over the job's")
      .option('--budget <credits>', 'the most that this batch may ever spend')
      .option('--yes', 'agree to the plan without being asked: to what it costs and to what it changes')
      .option('--plan <id>', 'do exactly what the plan with this id showed, or nothing: plan prints it')
      .option('--allow-admin', 'let the run make a person admin')
      .option('--limit <rows>', 'only the first rows of the file')
      .option('--sample <rows>', 'only so many random rows, and a forecast for the rest')
      .option(
        '--detach',
        'submit the list and leave it to workers; the same command without it writes the output',
      )
      .option('--refresh', 'buy again what earlier batches bought')
      .option('--repair', 'send damaged cells repaired where that is sure; your own cells stay as they are')
      .option('--save-job <file>', 'write the job as a commented YAML file, and run it')
      .option('--events <file>', 'append one JSON line for each event of the run')
      .option('--attention-ok', 'exit with 0 even when rows need attention')
      .action(wrap(runCommand));
  },
};

export default run;

async function runCommand(
  console: Console,
  typedJob: string | undefined,
  typedFile: string | undefined,
  flags: Flags,
  command: Command,
): Promise<Report> {
  const { job, file } = namedIn(typedJob, typedFile);
  // The printed command is without --accept: what a person accepted once must not be accepted again by running it.
  const resume: Resume = { words: withoutOption(process.argv.slice(2), '--accept') };
  const progress = new Progress(console, systemClock);
  const events = flags.events === undefined ? undefined : new EventFile(flags.events, systemClock);
  const hear: EventFile['hear'] = (event) => {
    progress.hear(event);
    events?.hear(event);
  };
  try {
    const summary = await spend(console, flags, resume, hear, async (spending) => {
      const input = await inputPathOf(job, file, flags, console);
      // The printed command names the kept file, because the same input cannot be piped into it again.
      resume.words = withArgument(resume.words, command, '-', input);
      return runJob({
        ...spending,
        job,
        file: input,
        ...saidIn(flags),
        ...questionsOn(console, flags.yes === true, flags.sample !== undefined),
        command: commandLine(resume.words),
        commandOfRest: commandLine(wordsOfRest(resume.words)),
      });
    });
    progress.close();
    return reportOf(console, summary, resume, flags);
  } catch (error) {
    throw withTypedName(withBudget(error, resume.words), resume.words);
  } finally {
    progress.close();
    events?.close();
  }
}

function namedIn(
  job: string | undefined,
  file: string | undefined,
): { readonly job: string; readonly file: string } {
  if (job !== undefined && file !== undefined) return { job, file };
  // The name of an operation has no ending.
  if (job !== undefined && /\.(?!ya?ml$)\w+$/i.test(job))
    throw stop(
      'usage',
      `${job} is a list, and no job is named for it.`,
      `See which operation fits: ${commandLine(['plan', job])}`,
    );
  throw stop(
    'usage',
    job === undefined ? 'No job is named.' : `No file is named for ${job}.`,
    `Name a job and a file: see ${commandLine(['run', '--help'])}`,
  );
}

/** A run that nothing limits is the same command with a budget. */
function withBudget(error: unknown, words: readonly string[]): unknown {
  if (!(error instanceof StopError) || error.code !== 'consent' || error.leastBudget === undefined)
    return error;
  const command = commandLine(withOption(words, '--budget', error.leastBudget));
  return new StopError({ ...error.detail, command });
}

/** What is wrong with standard input is told of it, and not of the file in which it was kept. */
function withTypedName(error: unknown, words: readonly string[]): unknown {
  if (!(error instanceof StopError) || error.code !== 'input') return error;
  const kept = words.find(isSpooled);
  if (kept === undefined || process.argv.includes(kept)) return error;
  const message = error.message.replaceAll(kept, 'Standard input');
  return new StopError({ ...error.detail, message });
}

/** The command for all rows: what somebody has agreed to for a part of them is not said for the rest. */
function wordsOfRest(words: readonly string[]): readonly string[] {
  return ['--limit', '--sample', '--budget'].reduce(withoutOption, withoutFlag(words, '--yes'));
}

function saidIn(flags: Flags): Partial<RunOptions> {
  const budget = wholeNumber('--budget', flags.budget);
  return {
    account: flags.account,
    entries: entriesOf(flags),
    read: readFlagsOf(flags),
    formulas: flags.formulas,
    store: flags.store,
    output: flags.output === '-' ? process.stdout : flags.output,
    budget: budget === undefined ? undefined : credits(budget),
    limit: someRows('--limit', flags.limit),
    sample: someRows('--sample', flags.sample),
    detach: flags.detach,
    refresh: flags.refresh,
    repair: flags.repair,
    saveJobAs: flags.saveJob,
    allowAdmin: flags.allowAdmin,
    planId: flags.plan,
    buyAgain: flags.yes,
  };
}

function reportOf(console: Console, summary: RunSummary, { words }: Resume, flags: Flags): Report {
  if (flags.detach === true) return detachedReport(summary, words);
  const lines = summaryLines(summary);
  const toStdout = flags.output === '-';
  if (toStdout) for (const line of lines) console.say(line);
  const goesOn = beyondBudget(words, summary.budgetToFinish);
  return {
    lines: toStdout ? [] : lines,
    object: RunObject.of(summary),
    ...endOf(summary, { words: goesOn }),
    exitCode: exitCodeOf(summary, flags.attentionOk === true),
  };
}

function detachedReport(summary: RunSummary, words: readonly string[]): Report {
  return {
    lines: summaryLines(summary),
    object: RunObject.of(summary),
    advice: [
      `Workers have the list. To see how far they are: ${commandLine(['status', summary.batch])}`,
      `To write its output: ${commandLine(withoutFlag(words, '--detach'))}`,
    ],
  };
}

type Questions = Required<Pick<RunOptions, 'askBudget' | 'askChanges' | 'showPlan' | 'askReread'>>;

/** @param agreed `--yes` was given. It agrees to the price of the list, and with `--sample` to that of the sample alone. */
function questionsOn(console: Console, agreed: boolean, isSample: boolean): Questions {
  const ask = async (question: string): Promise<boolean> => agreed || mayBeSent(console, question);
  const showChanges = (plan: ChangePlan): void => {
    for (const line of diffLines(plan)) console.say(plainText(line));
  };
  return {
    showPlan(plan, changes) {
      if (changes !== undefined) return showChanges(changes);
      for (const line of planLines(plan)) console.say(line);
    },
    async askBudget(plan) {
      for (const line of planLines(plan)) console.say(line);
      // Who resumes is not asked again, and a sample is bought to decide about the rest.
      const most = agreed && !isSample ? plan.credits.most : mostAsked(plan);
      return (await ask(`Spend at most ${grouped(most)} credits?`)) ? most : undefined;
    },
    async askChanges(plan) {
      showChanges(plan);
      return ask(changeQuestion(plan));
    },
    async askReread(reread) {
      if (!agreed && !console.interactive) return false;
      console.say(rereadWords(reread));
      return agreed || console.agrees('Settle them again, in a new batch of this file?');
    },
  };
}

function someRows(flag: '--limit' | '--sample', text: string | undefined): number | undefined {
  const count = wholeNumber(flag, text);
  if (count !== 0) return count;
  throw stop('usage', `${flag} 0 is no row at all.`, `Give the number of rows, such as ${flag} 50.`);
}

/** The path of the input. Standard input is kept in a file first, because a killed run could not read it again. */
async function inputPathOf(job: string, file: string, flags: Flags, console: Console): Promise<string> {
  if (flags.output === '-' && console.json) {
    throw stop('usage', '-o - and --json both want standard output.', 'Name a file with -o.');
  }
  if (file !== '-') return file;
  if (flags.output === undefined) {
    throw stop('usage', 'The input is standard input, so the output needs a name.', 'Give it one with -o.');
  }
  const { account } = await choose({ job, account: flags.account });
  return spoolInput(process.stdin, spoolFolder(chooseStore(flags.store, account.sandbox).location));
}
