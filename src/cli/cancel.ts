import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import type { CliCommand, Console } from '../command.ts';
import { EXIT, type ExitCode, stop } from '../errors.ts';
import { findBatch } from '../find-batch.ts';
import { openLedger } from '../open-ledger.ts';

const cancel: CliCommand = {
  name: 'cancel',
  summary: 'Ends a batch for good; what it bought stays bought.',
  example: 'npx rowonce cancel last',
  configure(command: Command, wrap) {
    command.argument('<batch>', 'its id, the beginning of it, or "last"').action(wrap(cancelCommand));
  },
};

export default cancel;

async function cancelCommand(
  console: Console,
  word: string,
  flags: { readonly store?: string },
): Promise<ExitCode> {
  const { batch, location } = await findBatch(word, flags.store);
  if (batch.state !== 'open') {
    throw stop(
      'usage',
      `Batch ${batch.id} is ${batch.state} already.`,
      'Type rowonce status to see all batches.',
    );
  }
  const ledger = await openLedger(
    { location, named: true },
    { clock: systemClock, waitForLockMs: 0, mayCreate: false, command: `cancel ${batch.id}` },
  );
  try {
    await ledger.changeBatch(batch.id, { state: 'cancelled' });
  } finally {
    await ledger.close();
  }
  console.print(`Batch ${batch.id} is cancelled; what it bought is used by every later batch.`);
  console.result({ batch: batch.id, state: 'cancelled' });
  return EXIT.done;
}
