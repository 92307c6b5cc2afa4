import type { Command } from 'commander';
import { commandLine } from '../lib/command-line.ts';
import { SweepObject } from '../objects/run-object.ts';
import { exitCodeOfSweep, type SweepSummary, sweep } from '../run/tasks/nightly.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { acceptOption, WAIT_FLAG } from './shared/flags.ts';
import { type SpendFlags, spend, stoppedBy, toldOn } from './shared/spending.ts';
import { sweepLines } from './shared/summary.ts';

interface Flags extends SpendFlags {
  readonly attentionOk?: true;
}

export default {
  name: 'nightly',
  summary: 'Resumes unfinished batches, then processes new files in the inbox folders, once.',
  example: 'nightly jobs/nightly-companies.yaml',
  configure(command: Command, wrap) {
    command
      .argument('<jobs...>', 'YAML files, each with an inbox')
      // This holds on a terminal too, because a sweep must end by itself.
      .option('--max-pause <duration>', 'stop an account that has been waiting for this long', '10m')
      .option(...WAIT_FLAG)
      .addOption(acceptOption())
      .option('--attention-ok', 'exit with 0 even when rows need attention')
      .action(wrap(nightlyCommand));
  },
} satisfies CliCommand;

async function nightlyCommand(console: Console, jobs: readonly string[], flags: Flags): Promise<Report> {
  const words = process.argv.slice(2);
  const command = commandLine(words);
  const summary = await spend(console, flags, { words }, toldOn(console), ({ onEvent, ...spending }) =>
    sweep({
      ...spending,
      jobs,
      store: flags.store,
      // Several files are worked on at once, so each line begins with its file.
      onEvent: (path, event) => onEvent(event, path),
      command,
    }),
  );
  return {
    lines: console.quiet && !didAnything(summary) ? [] : sweepLines(summary),
    object: SweepObject.of(summary),
    stopped: stoppedBy(summary.stopped, command),
    exitCode: exitCodeOfSweep(summary, flags.attentionOk === true),
  };
}

/** Whether there is anything to print. Cron mails what is printed, and nobody reads a mail that comes every night. */
function didAnything({ files, left, stopped }: SweepSummary): boolean {
  return files.length > 0 || left.length > 0 || stopped !== undefined;
}
