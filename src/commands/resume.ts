import { z } from 'zod';
import { nextCommandOf } from '../run/batches.ts';
import { findBatch } from '../run/open-ledger.ts';
import { argument, command } from './shared/command.ts';
import { BATCH, COMMON, wait } from './shared/input.ts';
import { setPaused } from './shared/pausing.ts';

export default command({
  name: 'resume',
  summary: 'Resumes a paused batch: at the next sweep, or when you run its command.',
  example: 'resume last',
  input: z.strictObject({ ...COMMON, batch: argument(z.string(), BATCH), wait: wait() }),
  output: z.object({ batch: z.string(), held: z.boolean(), was_held: z.boolean() }),
  async run({ batch: word, wait: waitMs = 0, store, as: operator }, { console }) {
    const found = await findBatch(word, store, console.warn);
    const { id } = found.batch;
    const next = nextCommandOf(found);
    const wasPaused = await setPaused(found, false, { waitMs, operator });
    return {
      lines: [wasPaused ? `Batch ${id} may go on.` : `Batch ${id} was not paused.`],
      object: { batch: id, held: false, was_held: wasPaused },
      advice: next === undefined ? [] : [`To continue now: ${next}`],
    };
  },
});
