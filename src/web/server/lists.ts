import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { agreedIn } from '../../client/time.ts';
import { DAY_MS, isoTime } from '../../core/clock.ts';
import { invariant, stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { listsOf, startedMs } from '../../ledger/ledger.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { batchLines } from '../../run/batches.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { TableOrder } from '../../run/table-order.ts';
import {
  BringQuery,
  ListJob,
  ListJobQuery,
  type Lists,
  type ListView,
  MendRequest,
  type Standing,
} from '../api.ts';
import { bodyOf } from './answers.ts';
import {
  bringList,
  changeList,
  type KeptList,
  keptList,
  keptLists,
  mend,
  removeList,
  removeLists,
} from './list-files.ts';
import { standingsOf } from './list-standing.ts';
import { ListTables } from './list-tables.ts';
import type { Server } from './server.ts';
import { isInUse } from './work.ts';

export function listRoutes(server: Server): Hono {
  const tables = new ListTables();
  const view = async (context: Context, list: KeptList, status: 200 | 201 = 200): Promise<Response> =>
    context.json(viewOf(list, await standingsOf(server, [list])), status);
  return new Hono()
    .put('/lists', async (context) => {
      // Node's own stream breaks when the sender goes away, and holds no more than the bytes on their way.
      const { incoming } = context.env as HttpBindings;
      const { name, as } = checkInput(context.req.path, BringQuery, context.req.query());
      const list = await bringList(server, name, incoming, as);
      return 'other' in list ? context.json(list) : view(context, list, 201);
    })
    .get('/lists', async (context) => {
      const kept = await keptLists(server);
      const standings = await standingsOf(server, kept);
      const lists = kept.map((list) => viewOf(list, standings));
      return context.json({ lists, endings: [...(await readableEndings())] } satisfies Lists);
    })
    .get('/lists/:id', async (context) => view(context, await keptList(server, context.req.param('id'))))
    .post('/lists/:id/rows', async (context) => {
      const order = await bodyOf(context, TableOrder);
      return context.json(await tables.pageOf(await keptList(server, context.req.param('id')), order));
    })
    .put('/lists/:id/job', async (context) => {
      const { version: over } = checkInput(context.req.path, ListJobQuery, context.req.query());
      const job = await bodyOf(context, ListJob);
      const list = await changeList(server, context.req.param('id'), async ({ name, version }) => {
        const fact = `Something else was chosen for ${name} meanwhile, such as in another tab.`;
        if (over !== undefined && over !== version)
          throw stop('busy', fact, 'It is shown now: look at it, and choose again.');
        return { job, version: version + 1 };
      });
      return view(context, list);
    })
    .put('/lists/:id/mends', async (context) =>
      view(context, await mend(server, context.req.param('id'), await bodyOf(context, MendRequest))),
    )
    .delete('/lists/:id', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      if (await isInUse(server, list)) {
        const next = 'Let it end, or stop it for good; then remove the list.';
        throw stop('busy', `${list.name} is not done yet.`, next);
      }
      tables.forget();
      await removeList(list);
      return context.json({ removed: list.id });
    });
}

function viewOf(list: KeptList, standings: ReadonlyMap<string, Standing>): ListView {
  const { id, name, atMs, job, version, mends, edited } = list;
  const standing = standings.get(id);
  invariant(standing !== undefined, 'it is known how each list stands');
  return { id, name, at: isoTime(atMs), job, version, mends, edited, standing };
}

/** How long a list is kept after its last batch has begun, or after it was brought if no batch has begun. */
const KEPT_MS = 30 * DAY_MS;

/** Removes lists that nobody needs. If a ledger cannot be read now, all stay until the next start. */
export async function sweepUnused(server: Server): Promise<void> {
  const batches = (await batchLines(server.store)).map(({ batch }) => batch);
  const started = listsOf(batches);
  const endMs = await lookIntoIfThere(server.folder, async (ledger) => ledger && agreedIn(ledger));
  if (endMs === undefined) return;
  await removeLists(server, ({ path, atMs }) => {
    const { starts: over = [] } = started.get(path) ?? {};
    const lastMs = Math.max(atMs, ...over.map(startedMs));
    return !over.some(({ state }) => state === 'open') && endMs >= lastMs + KEPT_MS;
  });
}
