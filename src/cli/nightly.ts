import type { Command } from 'commander';
import { isoTime, systemClock } from '../clock.ts';
import type { CliCommand, Console } from '../command.ts';
import { durationOf, typedCommand } from '../command-line.ts';
import type { ExitCode } from '../errors.ts';
import type { RunEvent } from '../events.ts';
import { exitCodeOfSweep, sweep } from '../nightly.ts';
import { plainText, sentence } from '../plain-text.ts';
import { stopOnSignals } from '../stop-signals.ts';
import { sweepLines, sweepObject } from './nightly/sweep-words.ts';

interface Flags {
  readonly maxPause: string;
  readonly wait?: string;
  readonly attentionOk?: true;
  readonly store?: string;
}

const nightly: CliCommand = {
  name: 'nightly',
  summary: 'Works once through what its jobs left unfinished and through the new files of their inboxes.',
  example: 'npx rowonce nightly jobs/nightly-companies.yaml',
  configure(command: Command, wrap) {
    command
      .argument('<jobs...>', 'YAML files, each with an inbox')
      // Also on a terminal: a sweep is to end, whoever started it.
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
  const stopping = stopOnSignals(console, () => told.inFlight);
  try {
    const summary = await sweep({
      jobs,
      store: flags.store,
      maxPauseMs: durationOf('--max-pause', flags.maxPause),
      waitForLockMs: durationOf('--wait', flags.wait),
      mayCreateStore: console.interactive,
      signal: stopping.signal,
      onEvent: (path, event) => told.hear(path, event),
      command: typedCommand(words),
    });
    for (const line of sweepLines(summary, flags.store)) console.print(line);
    console.result(sweepObject(summary));
    if (summary.stopped !== undefined) {
      console.warn(sentence(summary.stopped.message));
      console.warn(summary.stopped.next);
      console.warn(typedCommand(words));
    }
    return exitCodeOfSweep(summary, flags.attentionOk === true);
  } finally {
    stopping.release();
  }
}

/** Shorter pauses are over before somebody has read about them. */
const LONG_PAUSE_MS = 60_000;

/** A few lines on stderr, which a service manager keeps: several files may be worked on at once. */
class Told {
  readonly #console: Console;
  inFlight = 0;

  constructor(console: Console) {
    this.#console = console;
  }

  hear(path: string, event: RunEvent): void {
    if (event.kind === 'sent') this.inFlight += 1;
    if (event.kind === 'closed') this.inFlight -= 1;
    const words = wordsOf(event);
    if (words !== undefined) this.#console.say(plainText(`${path}: ${words}`));
  }
}

/** Undefined for what happens too often, or is in the summary. */
function wordsOf(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'batch':
      return event.resumed
        ? `batch ${event.batch} goes on, ${event.settled} of ${event.rows} rows are settled`
        : `batch ${event.batch}, ${event.rows} rows`;
    case 'note':
      return event.message;
    case 'paused':
      return event.untilMs - systemClock.wallMs() < LONG_PAUSE_MS
        ? undefined
        : `paused until ${isoTime(event.untilMs)}: ${event.why}`;
    default:
      return undefined;
  }
}
