import { Hono } from 'hono';
import { StopError } from '../../core/errors.ts';
import { hasBegunBy } from '../../plan/batch.ts';
import { eachLedgerThere } from '../../run/open-ledger.ts';
import type { WorkAnswer, WorkList } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/** What the page has started: all of it, one piece with the batch that it began, and an end to one. */
export function workRoutes({ work, store }: Server): Hono {
  return new Hono()
    .get('/tasks', (context) => context.json({ work: [...work.list()] } satisfies WorkList))
    .get('/tasks/:id', async (context) => {
      const id = context.req.param('id');
      const found = work.list().find((each) => each.id === id);
      if (found === undefined)
        throw new HttpRefusal(404, 'This work is not known since the page is served.', 'See all batches.');
      const plan = work.planOf(id);
      const batch = plan === undefined ? undefined : await batchBegunBy(plan, store);
      return context.json({ work: found, batch: batch ?? null, plan: plan ?? null } satisfies WorkAnswer);
    })
    .post('/tasks/:id/stop', (context) => context.json({ stopped: work.stop(context.req.param('id')) }));
}

/** The ledger knows a batch by the plan that it was started with. */
async function batchBegunBy(plan: string, store: string | undefined): Promise<string | undefined> {
  const batches = await eachLedgerThere(store, (ledger) => ledger.batches()).catch((error: unknown) => {
    // The first run of a store is making it at this moment. Any other trouble is told by the work itself.
    if (error instanceof StopError) return [];
    throw error;
  });
  return batches.flat().find((each) => hasBegunBy(each, plan))?.id;
}
