import { Hono } from 'hono';
import { StopError } from '../../core/errors.ts';
import { hasBegunBy } from '../../plan/batch.ts';
import { eachLedgerThere } from '../../run/open-ledger.ts';
import type { WorkAnswer, WorkList } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';

/** The work that the page has started. Each piece has its batch as soon as the ledger has it. */
export function taskRoutes(server: Server): Hono {
  const { work } = server;
  const named = () => work.nameBatches((plans) => batchesBegunBy(plans, server));
  return new Hono()
    .get('/tasks', async (context) => {
      await named();
      return context.json({ work: [...work.list()] } satisfies WorkList);
    })
    .get('/tasks/:id', async (context) => {
      const id = context.req.param('id');
      await named();
      const found = work.find(id);
      if (found === undefined)
        throw new HttpRefusal(404, 'This work is from before the page was started.', 'See all batches.');
      return context.json({ work: found } satisfies WorkAnswer);
    })
    .post('/tasks/:id/stop', (context) => context.json({ stopped: work.stop(context.req.param('id')) }));
}

/**
 * Plan → the open batch that it began. A batch that is over is from an earlier plan. Only batches over the
 * lists of these plans are read.
 */
async function batchesBegunBy(
  plans: ReadonlyMap<string, string>,
  server: Server,
): Promise<ReadonlyMap<string, string>> {
  const lists = (await keptLists(server)).filter(({ id }) => [...plans.values()].includes(id));
  const paths = new Set(lists.map(({ path }) => path));
  const found = await eachLedgerThere(server.store, async (ledger) =>
    (await ledger.batches()).filter(({ inputPath, state }) => state === 'open' && paths.has(inputPath)),
  ).catch((error: unknown) => {
    // The first run of a store is creating it at this moment. Any other problem is reported by the work
    // itself.
    if (error instanceof StopError) return [];
    throw error;
  });
  const begun = new Map<string, string>();
  for (const plan of plans.keys()) {
    const batch = found.flat().find((each) => hasBegunBy(each, plan));
    if (batch !== undefined) begun.set(plan, batch.id);
  }
  return begun;
}
