import { z } from 'zod';
import { counted, linesOf } from '../core/plain-text.ts';
import { interruptedChanges } from '../files/output/changes-done.ts';
import type { Batch } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { findBatch } from '../run/open-ledger.ts';
import { argument, command } from './shared/command.ts';
import { BATCH, COMMON } from './shared/input.ts';
import { inOpenBatch } from './shared/pausing.ts';
import { inviteAgainLines } from './shared/summary.ts';

export default command({
  name: 'cancel',
  summary: 'Ends a batch for good; what it bought or changed stays.',
  details: 'It names people with a deleted invite that was not created again.',
  example: 'cancel last',
  input: z.strictObject({ ...COMMON, batch: argument(z.string(), BATCH) }),
  output: z.object({ batch: z.string(), state: z.string(), half_done: z.array(z.string()) }),
  async run({ batch: word, store, as: operator }, { console }) {
    const found = await findBatch(word, store, console.warn);
    return inOpenBatch('cancel', found, { waitMs: 0, operator }, async (ledger, batch) => {
      await ledger.changeBatch(batch.id, { state: 'cancelled' });
      const notes = await interruptedChanges(ledger, batch);
      const { reserved, inDoubt } = await ledger.batchMoney(batch.id);
      const held = reserved + inDoubt;
      return {
        lines: linesOf(
          `Batch ${batch.id} is cancelled; ${whatStays(batch)}.`,
          held > 0 && `What is in doubt or answered later keeps ${counted(held, 'credit')}.`,
          notes,
        ),
        object: { batch: batch.id, state: 'cancelled', half_done: [...notes] },
        advice: [
          ...(held > 0 ? ['To decide about it:', commandLine(['settle', batch.id])] : []),
          ...inviteAgainLines(batch.id, notes),
        ],
      };
    });
  },
});

function whatStays({ vendor }: Batch): string {
  return vendor === 'service'
    ? 'what it changed stays changed'
    : 'what it bought is used by every later batch';
}
