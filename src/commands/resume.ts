import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { commandToGoOn, durationOf } from '../lib/command-line.ts';
import { findBatch } from '../run/open-ledger.ts';
import { resumeBatch } from '../run/tasks/hold.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { WAIT_FLAG } from './shared/flags.ts';

interface Flags {
  readonly wait?: string;
  readonly as?: string;
  readonly store?: string;
}

export default {
  name: 'resume',
  summary: 'Resumes a paused batch: at the next sweep, or when you run its command.',
  example: 'resume last',
  configure(command: Command, wrap) {
    command
      .argument('<batch>', 'its id, the beginning of it, or "last"')
      .option(...WAIT_FLAG)
      .action(wrap(resumeCommand));
  },
} satisfies CliCommand;

async function resumeCommand(
  console: Console,
  word: string,
  { wait, store, as: operator }: Flags,
): Promise<Report> {
  const found = await findBatch(word, store, console.warn);
  const { id } = found.batch;
  const command = commandToGoOn(found.batch);
  const waitMs = durationOf('--wait', wait) ?? 0;
  const options = { clock: systemClock, waitMs, tell: console.say, operator };
  const wasHeld = await resumeBatch(found, options);
  return {
    lines: [wasHeld ? `Batch ${id} may go on.` : `Batch ${id} was not paused.`],
    object: { batch: id, held: false, was_held: wasHeld },
    advice: command === undefined ? [] : [`To continue now: ${command}`],
  };
}
