import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { agreedIn } from '../../client/time.ts';
import { DAY_MS, isoTime } from '../../core/clock.ts';
import { invariant, stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import { listMark } from '../../files/output/output.ts';
import { listsOf, startedMs } from '../../ledger/ledger.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { batchLines, batchStatus } from '../../run/batches.ts';
import { findBatch, lookInto, lookIntoIfThere } from '../../run/open-ledger.ts';
import {
  type BatchStatusObject,
  BeginningQuery,
  BringQuery,
  type ColumnValues,
  FaultsRequest,
  HeadQuery,
  type KnownOfList,
  ListJob,
  ListJobQuery,
  ListOrder,
  type Lists,
  type ListView,
  ListViewRequest,
  MendRequest,
  type Standing,
  ValuesRequest,
} from '../api.ts';
import { bodyOf } from './answers.ts';
import { batchList } from './batches.ts';
import { beginningOf } from './list-beginning.ts';
import {
  bringList,
  changeList,
  type KeptList,
  keptList,
  keptLists,
  mend,
  removeLists,
} from './list-files.ts';
import { ListPages } from './list-pages.ts';
import { standingsOf } from './list-standing.ts';
import { ListTables } from './list-tables.ts';
import { wholeRoutes } from './list-whole.ts';
import type { Server } from './server.ts';
import { OF_TEXT, viewCopy, viewFile, viewName } from './views.ts';
import { workView } from './work.ts';

export function listRoutes(server: Server): Hono {
  const tables = new ListTables(() => server.readings.rest());
  const pages = new ListPages(server, tables);
  const view = async (context: Context, list: KeptList, status: 200 | 201 = 200): Promise<Response> =>
    context.json(viewOf(server, list, await standingsOf(server, [list])), status);
  return new Hono()
    .put('/lists', async (context) => {
      // Node's own stream breaks when the sender goes away, and holds no more than the bytes on their way.
      const { incoming } = context.env as HttpBindings;
      const { name, as } = checkInput(context.req.path, BringQuery, context.req.query());
      const list = await bringList(server, name, incoming, as);
      return 'other' in list ? context.json(list) : view(context, list, 201);
    })
    .get('/lists', async (context) => {
      const allLists = await keptLists(server);
      const standings = await standingsOf(server, allLists);
      const lists = allLists.map((list) => viewOf(server, list, standings));
      return context.json({ lists, endings: [...(await readableEndings())] } satisfies Lists);
    })
    .get('/lists/:id', async (context) => view(context, await keptList(server, context.req.param('id'))))
    .route('/', knownRoutes(server))
    .post('/lists/beginning', async (context) => {
      const query = checkInput(context.req.path, BeginningQuery, context.req.query());
      return context.json(await beginningOf(server, query, (context.env as HttpBindings).incoming));
    })
    .post('/lists/:id/head', async (context) => {
      const { read, country } = await bodyOf(context, HeadQuery);
      const list = await keptList(server, context.req.param('id'));
      return context.json(await tables.headOf({ ...list, job: { ...list.job, read, country } }));
    })
    .post('/lists/:id/rows', async (context) => {
      const order = await bodyOf(context, ListOrder);
      return context.json(await pages.pageOf(await keptList(server, context.req.param('id')), order));
    })
    .post('/lists/:id/count', async (context) => {
      const order = await bodyOf(context, ListOrder);
      return context.json(await pages.countOf(await keptList(server, context.req.param('id')), order));
    })
    .post('/lists/:id/values', async (context) => {
      const { column, search } = await bodyOf(context, ValuesRequest);
      const list = await keptList(server, context.req.param('id'));
      return context.json((await tables.valuesOf(list, column, search)) satisfies ColumnValues);
    })
    .post('/lists/:id/view', async (context) => {
      const { as, columns, ...order } = await bodyOf(context, ListViewRequest);
      const list = await keptList(server, context.req.param('id'));
      const table = await pages.wholeOf(list, order);
      const chunks = viewCopy(table, { as, columns }, await listMark(list.path, OF_TEXT));
      return viewFile(context, chunks, viewName(list.name, { as, columns }));
    })
    .post('/lists/:id/faults', async (context) => {
      const { asked: columns } = await bodyOf(context, FaultsRequest);
      return context.json(await pages.faultsOf(await keptList(server, context.req.param('id')), columns));
    })
    .put('/lists/:id/job', async (context) => {
      const { version: over } = checkInput(context.req.path, ListJobQuery, context.req.query());
      const job = await bodyOf(context, ListJob);
      const list = await changeList(server, context.req.param('id'), async ({ name, version }) => {
        const fact = `Another choice was made for ${name} meanwhile, such as in another tab.`;
        if (over !== undefined && over !== version)
          throw stop('busy', fact, 'It is shown now: look at it, and choose again.');
        return { job, version: version + 1 };
      });
      return view(context, list);
    })
    .put('/lists/:id/mends', async (context) =>
      view(context, await mend(server, context.req.param('id'), await bodyOf(context, MendRequest))),
    )
    .route(
      '/',
      wholeRoutes(server, () => tables.forget()),
    );
}

function viewOf({ readings }: Server, list: KeptList, standings: ReadonlyMap<string, Standing>): ListView {
  const { id, name, atMs, job, version, mends, lost, edited } = list;
  const standing = standings.get(id);
  invariant(standing !== undefined, 'it is known how each list stands');
  const reading = readings.of(id);
  return { id, name, at: isoTime(atMs), job, version, mends, lost, edited, standing, reading };
}

const knownRoutes = (server: Server): Hono =>
  new Hono().get('/lists/:id/known', async (context) =>
    context.json(await knownOf(server, await keptList(server, context.req.param('id')))),
  );

async function knownOf(server: Server, storedList: KeptList): Promise<KnownOfList> {
  const list = viewOf(server, storedList, await standingsOf(server, [storedList]));
  const { batches } = await batchList(server, { page: 1, list: storedList.id });
  const shown = list.standing.batch;
  const batch = shown === null ? undefined : await statusOf(server, shown);
  const work = server.work.pieces.map((piece) => workView(server, piece));
  return { list, batches, ...present({ batch }), work };
}

async function statusOf({ store }: Server, batch: string): Promise<BatchStatusObject> {
  const found = await findBatch(batch, store);
  return lookInto(found.location, (ledger) => batchStatus(ledger, found));
}

/** How long a list is kept after its last batch has begun, or after it was brought if no batch has begun. */
const KEPT_MS = 30 * DAY_MS;

/** Removes lists that no one needs. If a ledger cannot be read now, all stay until the next start. */
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
