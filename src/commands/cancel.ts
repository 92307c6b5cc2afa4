import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import type { Batch } from '../ledger/ledger.ts';
import { interruptedChanges } from '../plan/team/interrupted-changes.ts';
import { allBatches, findBatch, openLedger } from '../run/open-ledger.ts';
import { inviteAgainLines } from './shared/change-lines.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';

export default {
  name: 'cancel',
  summary: 'Ends a batch for good; what it bought or changed stays.',
  example: 'cancel last',
  configure(command: Command, wrap) {
    command.argument('<batch>', 'its id, the beginning of it, or "last"').action(wrap(cancelCommand));
  },
} satisfies CliCommand;

async function cancelCommand(
  console: Console,
  word: string,
  flags: { readonly store?: string; readonly as?: string },
): Promise<Report> {
  const { batch, location } = await findBatch(word, flags.store, console.warn);
  if (batch.state !== 'open') {
    throw stop('usage', `Batch ${batch.id} is ${batch.state} already.`, allBatches());
  }
  const ledger = await openLedger(
    { location, named: true },
    {
      clock: systemClock,
      waitForLockMs: 0,
      mayCreate: false,
      command: `cancel ${batch.id}`,
      operator: flags.as,
    },
  );
  try {
    await ledger.changeBatch(batch.id, { state: 'cancelled' });
    const notes = await interruptedChanges(ledger, batch);
    return {
      lines: [`Batch ${batch.id} is cancelled; ${whatStays(batch)}.`, ...notes],
      object: { batch: batch.id, state: 'cancelled', half_done: notes },
      advice: inviteAgainLines(batch.id, notes),
    };
  } finally {
    await ledger.close();
  }
}

function whatStays({ vendor }: Batch): string {
  return vendor === 'service'
    ? 'what it changed stays changed'
    : 'what it bought is used by every later batch';
}
