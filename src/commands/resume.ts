import { z } from 'zod';
import { commandToGoOn } from '../run/go-on.ts';
import { findBatch } from '../run/open-ledger.ts';
import { argument, command } from './shared/command.ts';
import { noteHold } from './shared/hold.ts';
import { BATCH, COMMON, wait } from './shared/input.ts';

export default command({
  name: 'resume',
  summary: 'Resumes a paused batch: at the next sweep, or when you run its command.',
  example: 'resume last',
  input: z.strictObject({ ...COMMON, batch: argument(z.string(), BATCH), wait: wait() }),
  output: z.object({ batch: z.string(), held: z.boolean(), was_held: z.boolean() }),
  async run({ batch: word, wait: waitMs = 0, store, as: operator }, { console }) {
    const found = await findBatch(word, store, console.warn);
    const { id } = found.batch;
    const next = commandToGoOn(found);
    const wasHeld = await noteHold(found, false, { waitMs, operator });
    return {
      lines: [wasHeld ? `Batch ${id} may go on.` : `Batch ${id} was not paused.`],
      object: { batch: id, held: false, was_held: wasHeld },
      advice: next === undefined ? [] : [`To continue now: ${next}`],
    };
  },
});
