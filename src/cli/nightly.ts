import type { Command } from 'commander';
import { durationOf, resumedBy, typedCommand } from '../core/command-line.ts';
import type { ExitCode } from '../core/errors.ts';
import type { RunEvent } from '../core/events.ts';
import { plainText, sentence } from '../core/plain-text.ts';
import { exitCodeOfSweep, type SweepSummary, sweep } from '../run/nightly.ts';
import { eventWords, InFlight } from './render/events.ts';
import { sweepLines, sweepObject } from './render/sweep.ts';
import type { CliCommand, Console } from './shell/command.ts';
import { stopOnSignals } from './shell/stop-signals.ts';

interface Flags {
  readonly maxPause: string;
  readonly wait?: string;
  readonly attentionOk?: true;
  readonly store?: string;
}

const nightly: CliCommand = {
  name: 'nightly',
  summary: 'Works once through what its jobs left unfinished and through the new files of their inboxes.',
  example: 'npx --no rowonce nightly jobs/nightly-companies.yaml',
  configure(command: Command, wrap) {
    command
      .argument('<jobs...>', 'YAML files, each with an inbox')
      // This holds on a terminal too, because a sweep must end by itself.
      .option('--max-pause <duration>', 'stop an account when nothing of it moves for so long', '10m')
      .option('--wait <duration>', 'wait so long for another process that is spending from the store')
      .option('--attention-ok', 'exit with 0 even when rows need attention')
      .action(wrap(nightlyCommand));
  },
};

export default nightly;

async function nightlyCommand(console: Console, jobs: readonly string[], flags: Flags): Promise<ExitCode> {
  const words = process.argv.slice(2);
  const told = new Told(console);
  const stopping = stopOnSignals(
    console,
    () => told.inFlight.count,
    () => typedCommand(words),
  );
  try {
    const sweeping = sweep({
      jobs,
      store: flags.store,
      maxPauseMs: durationOf('--max-pause', flags.maxPause),
      waitForLockMs: durationOf('--wait', flags.wait),
      mayCreateStore: console.interactive,
      signal: stopping.signal,
      onEvent: (path, event) => told.hear(path, event),
      tell: console.warn,
      command: typedCommand(words),
    });
    const summary = await resumedBy(typedCommand(words), sweeping);
    if (!console.quiet || didAnything(summary)) {
      for (const line of sweepLines(summary, flags.store)) console.print(line);
    }
    console.result(sweepObject(summary));
    if (summary.stopped !== undefined) {
      console.warn(sentence(summary.stopped.message), 'alarming');
      console.warn(summary.stopped.next);
      console.warn(typedCommand(words));
    }
    return exitCodeOfSweep(summary, flags.attentionOk === true);
  } finally {
    stopping.release();
  }
}

/** Whether there is anything to print. Cron mails what is printed, and nobody reads a mail that comes every night. */
function didAnything({ files, left, stopped }: SweepSummary): boolean {
  return files.length > 0 || left.length > 0 || stopped !== undefined;
}

/** Writes a few lines to stderr, each with its file, because several files are worked on at once. */
class Told {
  readonly inFlight = new InFlight();
  readonly #console: Console;

  constructor(console: Console) {
    this.#console = console;
  }

  hear(path: string, event: RunEvent): void {
    this.inFlight.hear(event);
    const words = eventWords(event);
    if (words !== undefined) this.#console.say(plainText(`${path}: ${words}`));
  }
}
