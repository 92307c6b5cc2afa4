import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import { UndoRequest, UndoView } from '../api.ts';
import { bodyOf } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import { askChild } from './children.ts';
import type { Server } from './server.ts';

/** Takes back what a batch changed: first the plan, then the undo of what was shown. */
export function undoRoutes(server: Server): Hono {
  return new Hono()
    .get('/batches/:id/undo', async (context) =>
      context.json(await planOf(server, await batchOf(context, server))),
    )
    .post('/batches/:id/undo', async (context) => {
      const { plan: shown } = await bodyOf(context, UndoRequest);
      const found = await batchOf(context, server);
      const { plan } = await planOf(server, found);
      if (plan !== shown)
        throw stop('plan', 'What the undo would send has changed since it was shown.', 'Check the new plan.');
      const { batch, location } = found;
      const words = ['undo', batch.id, '--yes', '--attention-ok', '--wait', '10m', '--store', location];
      return context.json(server.work.start({ kind: 'undo', words, store: location, about: batch.id }));
    });
}

const Printed = UndoView.omit({ plan: true, sandbox: true });

async function planOf({ program }: Server, { batch, location }: FoundBatch): Promise<UndoView> {
  const printed = Printed.parse(await askChild(program, ['undo', batch.id, '--plan', '--store', location]));
  const plan = hash('sha256', JSON.stringify(printed), 'hex');
  return { ...printed, sandbox: batch.sandbox, plan };
}
