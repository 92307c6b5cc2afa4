import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { commandLine, durationOf } from '../lib/command-line.ts';
import { findBatch } from '../run/open-ledger.ts';
import { pauseBatch } from '../run/tasks/hold.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { WAIT_FLAG } from './shared/flags.ts';

interface Flags {
  readonly wait: string;
  readonly as?: string;
  readonly store?: string;
}

export default {
  name: 'pause',
  summary: 'Pauses a batch: its run stops cleanly, and sweeps skip it until you resume it.',
  example: 'pause last',
  configure(command: Command, wrap) {
    command
      .argument('<batch>', 'its id, the beginning of it, or "last"')
      .option(...WAIT_FLAG, '60s')
      .action(wrap(pauseCommand));
  },
} satisfies CliCommand;

async function pauseCommand(
  console: Console,
  word: string,
  { wait, store, as: operator }: Flags,
): Promise<Report> {
  const found = await findBatch(word, store, console.warn);
  const { batch } = found;
  const waitMs = durationOf('--wait', wait) ?? 0;
  await pauseBatch(found, { clock: systemClock, waitMs, tell: console.say, operator });
  return {
    lines: [`Batch ${batch.id} is paused.`],
    object: { batch: batch.id, held: true },
    advice: [`To resume it: ${commandLine(['resume', batch.id])}`],
  };
}
