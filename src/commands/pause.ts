import { z } from 'zod';
import { StopError } from '../core/errors.ts';
import { storeAt } from '../ledger/stores.ts';
import { commandLine } from '../lib/command-line.ts';
import { type FoundBatch, findBatch, isAtWorkOn } from '../run/open-ledger.ts';
import { argument, type Console, command } from './shared/command.ts';
import { BATCH, COMMON, wait } from './shared/input.ts';
import { type PauseOptions, setPaused } from './shared/pausing.ts';

export default command({
  name: 'pause',
  summary: 'Pauses a batch: its run stops cleanly, and sweeps skip it until you resume it.',
  details: 'The run records what is on its way and ends with 143.',
  example: 'pause last',
  input: z.strictObject({ ...COMMON, batch: argument(z.string(), BATCH), wait: wait('60s') }),
  output: z.object({ batch: z.string(), held: z.boolean() }),
  async run({ batch: word, wait: waitMs = 0, store, as: operator }, { console }) {
    const found = await findBatch(word, store, console.warn);
    const { id } = found.batch;
    await pause(found, { waitMs, operator }, console);
    return {
      lines: [`Batch ${id} is paused.`],
      object: { batch: id, held: true },
      advice: [`To resume it: ${commandLine(['resume', id])}`],
    };
  },
});

/**
 * Pauses a batch. If another process works on the batch, that process is asked to stop, and the batch is
 * paused after the process has ended. The process sends nothing new, and records the answers that are on
 * their way.
 * @throws StopError `busy` when another process spends from the store, or the process does not end in time.
 */
async function pause(found: FoundBatch, options: PauseOptions, console: Console): Promise<void> {
  const { batch, location } = found;
  try {
    await setPaused(found, true, { ...options, waitMs: 0 });
  } catch (error) {
    if (!(error instanceof StopError) || error.code !== 'busy') throw error;
    const spender = await (await storeAt(location)).spender(location);
    if (spender === undefined || !isAtWorkOn(batch, spender)) throw error;
    process.kill(spender.pid, spender.pausedBy ?? 'SIGTERM');
    console.say(`Process ${spender.pid} works on this batch, and was asked to stop.`);
    await setPaused(found, true, options);
  }
}
