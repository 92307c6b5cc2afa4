import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { commandLine } from '../lib/command-line.ts';
import { findBatch } from '../run/open-ledger.ts';
import { pauseBatch } from '../run/tasks/hold.ts';
import { argument, command } from './shared/command.ts';
import { BATCH, COMMON, wait } from './shared/input.ts';

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
    await pauseBatch(found, { clock: systemClock, waitMs, tell: console.say, operator });
    return {
      lines: [`Batch ${id} is paused.`],
      object: { batch: id, held: true },
      advice: [`To resume it: ${commandLine(['resume', id])}`],
    };
  },
});
