import { Hono } from 'hono';
import { StopError } from '../../core/errors.ts';
import { hasBegunBy } from '../../plan/batch.ts';
import { lookIfThere, storesToLookAt } from '../../run/open-ledger.ts';
import type { WorkAnswer } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/** A piece of work with the batch that it began: the ledger knows a batch by the plan that it was started with. */
export function workRoutes({ work, store }: Server): Hono {
  return new Hono().get('/tasks/:id', async (context) => {
    const id = context.req.param('id');
    const found = work.list().find((each) => each.id === id);
    if (found === undefined)
      throw new HttpRefusal(404, 'This work is not known since the page is served.', 'See all batches.');
    const plan = work.planOf(id);
    const batch = plan === undefined ? undefined : await batchBegunBy(plan, store);
    return context.json({ work: found, batch: batch ?? null, plan: plan ?? null } satisfies WorkAnswer);
  });
}

async function batchBegunBy(plan: string, store: string | undefined): Promise<string | undefined> {
  for (const location of storesToLookAt(store)) {
    const ledger = await lookIfThere(location).catch((error: unknown) => {
      // The first run of a store is making it at this moment. Any other trouble is told by the work itself.
      if (error instanceof StopError) return undefined;
      throw error;
    });
    try {
      const batch = (await ledger?.batches())?.find((each) => hasBegunBy(each, plan));
      if (batch !== undefined) return batch.id;
    } finally {
      await ledger?.close();
    }
  }
  return undefined;
}
