import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import { inMoney } from '../core/money.ts';
import { present } from '../core/objects.ts';
import { isSpooled, spoolFolder } from '../core/paths.ts';
import { asPhrase, byFlag, faces, phrase } from '../core/phrase.ts';
import { grouped, plainText } from '../core/plain-text.ts';
import { RowRanges } from '../core/reading.ts';
import { ACCEPTABLE } from '../core/stops.ts';
import { spoolInput } from '../files/spool.ts';
import { credits } from '../ledger/ledger.ts';
import { commandLine, nextCommand, withOption, withoutFlag, withoutOption } from '../lib/command-line.ts';
import { isListName } from '../lib/file-name.ts';
import { RunObject } from '../objects/run-object.ts';
import type { RunOptions } from '../plan/context.ts';
import { costAsked, mostAsked } from '../plan/plan.ts';
import type { ChangePlan } from '../plan/team/change-plan.ts';
import { changeQuestion, diffLines } from '../plan/team/diff-words.ts';
import { chooseJob } from '../run/choose.ts';
import { runJob } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { exitCodeOf } from '../run/summary.ts';
import { Progress } from './run/progress.ts';
import {
  argument,
  type Console,
  command,
  flag,
  type Own,
  onOff,
  type Report,
  text,
  underHeading,
} from './shared/command.ts';
import { ATTENTION_OK, inOrder, noFileFor, OUTPUT, refuseTwoOnStdout, someRows } from './shared/input.ts';
import { ASKED, ENTRIES, entriesOf, FORMULAS, READ, STRICT } from './shared/job-entries.ts';
import {
  adviceOn,
  longestPause,
  mayBeSent,
  type Resume,
  spend,
  spendingInput,
  WAITING,
  withNext,
} from './shared/spending.ts';
import { missingLines, planLines, summaryLines } from './shared/summary.ts';

const runInput = z.strictObject({
  job: argument(z.string(), 'a YAML file, an operation, or several such as find-email,check-email', {
    page: 'job',
  }),
  file: argument(z.string(), 'the input; - reads standard input', { page: 'list' }),
  budget: flag(
    z.int().min(0).optional(),
    "the most that this batch may ever spend, over the job's",
    '<credits>',
  ),
  output: OUTPUT,
  yes: flag(
    z.boolean().default(false),
    'agree to the plan unasked (changes off a terminal need it): ' +
      'to its highest price, which becomes the budget, to what it changes, ' +
      'and to what is bought or read again by a new dialect',
  ),
  plan: text('do exactly what the plan with this id showed, or nothing: plan prints it', '<id>', {
    page: 'seen_plan',
  }),
  limit: flag(someRows(), 'only the first rows of the file; later the same command does the rest', '<rows>'),
  only: flag(
    RowRanges.optional(),
    'only the rows with these numbers, such as 5,9,12-20; without it the same command does the rest',
    '<numbers>',
  ),
  step: text(
    'only this step of the job, by its name; with --refresh the others keep the answers that they have',
    '<operation>',
  ),
  sample: flag(
    someRows(),
    'only so many random rows, and a forecast for the rest; without it the same command buys the rest',
    '<rows>',
  ),
  save_job: text(
    'write the job as a commented YAML file, and run it; a file that you have changed is kept',
    '<file>',
    { page: 'none' },
  ),
  ...READ,
  strict: STRICT,
  ...ENTRIES,
  formulas: FORMULAS,
  ...underHeading(ASKED, {
    refresh: onOff(
      'buy again what earlier batches bought, with --only or --step of these alone; an unfinished batch continues as it began',
    ),
    allow_admin: onOff('let the run make a person admin'),
  }),
  ...spendingInput(Object.keys(ACCEPTABLE) as (keyof typeof ACCEPTABLE)[]),
  ...underHeading(WAITING, {
    detach: onOff(
      'submit the list to a database and leave it to workers; ' +
        'the same command without it does the rest and writes the output',
    ),
    attention_ok: ATTENTION_OK,
  }),
});

type RunInput = z.output<typeof runInput>;
type RunReport = Report<RunObject>;

export default command({
  name: 'run',
  summary: 'Works through a file; run the same command again to continue where it stopped.',
  example: 'run enrich-company leads.csv --budget 500',
  work: 'spends',
  input: runInput,
  output: RunObject,
  entriesOf: namedIn,
  async run(input, host) {
    const { console, ownParts } = host;
    // The printed command is without --accept: what a person accepted once must not be accepted again by
    // running it.
    const resume: Resume = { words: withoutOption(host.words, '--accept') };
    const maxPauseMs = longestPause(input, console);
    const progress = new Progress(console, systemClock, present({ sample: input.sample, maxPauseMs }));
    try {
      const summary = await spend(
        host,
        input,
        resume,
        (event) => progress.onEvent(event),
        async (spending) => {
          const file = await inputPathOf(input, console);
          // The printed command names the kept file, because the same input cannot be piped into it again.
          if (file !== input.file) resume.words = withoutOption(host.wordsWith('-', file), '--accept');
          return runJob({
            ...spending,
            ...optionsOf(input, ownParts),
            watcher: progress,
            file,
            ...questionsOn(console, input.yes, input.sample !== undefined),
            command: commandLine(resume.words),
          });
        },
      );
      progress.close();
      return runReport(console, summary, resume, input);
    } catch (error) {
      throw withTypedName(withBudget(error, resume.words), resume.words, host.words);
    } finally {
      progress.close();
    }
  },
});

/**
 * The options of a run that come from its input. The place of work and the questions are added by the caller.
 */
export function optionsOf(
  input: Omit<RunInput, 'file' | 'attention_ok' | keyof ReturnType<typeof spendingInput>>,
  ownParts: Own,
): Omit<RunOptions, 'file'> {
  const { job, strict, output, limit, only, step, sample, detach, refresh, yes } = input;
  if (limit !== undefined && only !== undefined)
    throw stop(
      'usage',
      phrase`${faces('--limit and --only', 'A number of rows and a list of rows')} both say which rows are asked.`,
      'Give one of the two.',
    );
  return {
    job,
    strict,
    limit,
    only,
    step,
    sample,
    detach,
    refresh,
    buyAgain: yes,
    entries: entriesOf(input),
    output: ownParts.output ?? (output === '-' ? process.stdout : output),
    budget: input.budget === undefined ? undefined : credits(input.budget),
    saveJobAs: input.save_job,
    allowAdmin: input.allow_admin,
    planId: input.plan,
    operations: ownParts.operations,
    dialects: ownParts.dialects,
  };
}

/** Requires both words. @throws StopError that says what to type instead. */
async function namedIn(job?: string, file?: string) {
  if (job !== undefined && file !== undefined) return inOrder(job, file);
  if (job === undefined)
    throw stop('usage', 'No job is named.', 'Name a job and a file.', commandLine(['run', '--help']));
  if (!isListName(job)) throw await noFileFor(job, 'run');
  const fact = `${job} is a list, and no job is named for it.`;
  throw stop('usage', fact, 'See which operation fits.', commandLine(['plan', job]));
}

/** The stop of a run without a limit names the same command with a budget. */
function withBudget(error: unknown, words: readonly string[]): unknown {
  if (!(error instanceof StopError) || error.code !== 'consent' || error.leastBudget === undefined)
    return error;
  const next = commandLine(withOption(words, '--budget', error.leastBudget));
  return new StopError({ ...error.detail, nextCommand: next });
}

/** A problem of standard input names standard input, and not the file that keeps it. */
function withTypedName(error: unknown, words: readonly string[], typed: readonly string[]): unknown {
  if (!(error instanceof StopError) || error.code !== 'input') return error;
  const spooledFile = words.find(isSpooled);
  if (spooledFile === undefined || typed.includes(spooledFile)) return error;
  const message = asPhrase(error.detail.message).map((text) =>
    text.replaceAll(spooledFile, 'Standard input'),
  );
  return new StopError({ ...error.detail, message });
}

function runReport(console: Console, summary: RunObject, { words }: Resume, input: RunInput): RunReport {
  if (input.detach === true) return detachedReport(summary, words);
  const lines = summaryLines(summary);
  const toStdout = input.output === '-';
  if (toStdout) for (const line of lines) console.say(line);
  return {
    lines: toStdout ? [] : lines,
    object: withNext(summary, nextCommand(words, summary.budget_to_finish)),
    warnings: missingLines(summary),
    advice: adviceOn(summary),
    exitCode: exitCodeOf(summary, input.attention_ok === true),
  };
}

function detachedReport(summary: RunObject, words: readonly string[]): RunReport {
  return {
    lines: summaryLines(summary),
    object: summary,
    advice: [
      `Workers have the list. To see how far they are: ${commandLine(['status', summary.batch])}`,
      `To write its output: ${commandLine(withoutFlag(words, '--detach'))}`,
    ],
  };
}

type Questions = Required<Pick<RunOptions, 'askBudget' | 'askChanges' | 'showChanges'>>;

/**
 * Asks on the terminal.
 * @param agreed `--yes` was given. It agrees to the price of the list, and with `--sample` to the price of
 * the sample alone.
 */
export function questionsOn(console: Console, agreed: boolean, isSample: boolean): Questions {
  const ask = async (question: string): Promise<boolean> => agreed || mayBeSent(console, question);
  const showChanges = (plan: ChangePlan): void => {
    for (const line of diffLines(plan)) console.say(plainText(line));
  };
  return {
    showChanges,
    async askBudget(plan) {
      for (const line of planLines(plan)) console.say(line);
      // With `--yes` the question covers the whole list, because a resumed run does not ask again. A sample
      // is an exception: it is bought to decide about the rest.
      const most = agreed && !isSample ? plan.credits.most : mostAsked(plan);
      const question = `Spend at most ${grouped(most)} credits${inMoney(costAsked(plan))}?`;
      return (await ask(question)) ? most : undefined;
    },
    async askChanges(plan) {
      showChanges(plan);
      return ask(changeQuestion(plan));
    },
  };
}

/**
 * The path of the input. Standard input is kept in a file first, because a killed run could not read it
 * again.
 */
async function inputPathOf(
  { job, file, output, store, ...input }: RunInput,
  console: Console,
): Promise<string> {
  refuseTwoOnStdout(console.json, output);
  if (file !== '-') return file;
  if (output === undefined) {
    throw stop(
      'usage',
      'The input is standard input, so the output needs a name.',
      phrase`Give it one ${byFlag('-o')}.`,
    );
  }
  const { account } = await chooseJob({ job, entries: entriesOf(input) });
  return spoolInput(process.stdin, spoolFolder(chooseStore(store, account.sandbox).location));
}
