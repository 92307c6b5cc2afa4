import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { agreedIn } from '../../client/time.ts';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { PACKAGE } from '../../core/families.ts';
import { readableEndings } from '../../core/format.ts';
import { batchLines } from '../../run/batches.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { ListJob, ListJobQuery, ListRowsRequest, type Lists, type ListView, MendRequest } from '../api.ts';
import { bodyOf, queryOf } from './answers.ts';
import { bringList, type KeptList, keptList, keptLists, removeList, sweepLists } from './list-files.ts';
import { draftOf, keepDraft } from './list-job.ts';
import { mend, mendsOf } from './list-mends.ts';
import { ListTables } from './list-rows.ts';
import type { Server } from './server.ts';

/** The sample list comes with the program: the names of its columns, and as many rows as one sees at once. */
const SAMPLE_LINES = 21;

export function listRoutes(server: Server): Hono {
  const tables = new ListTables();
  return new Hono()
    .put('/lists', async (context) => {
      // Node's own stream breaks when the sender goes away, and holds no more than the bytes on their way.
      const { incoming: chunks } = context.env as HttpBindings;
      const list = await bringList(server, { name: context.req.query('name') ?? '', chunks });
      return context.json(await viewOf(list), 201);
    })
    .get('/lists', async (context) => {
      const lists = await Promise.all((await keptLists(server)).map(viewOf));
      const endings = [...(await readableEndings())];
      return context.json({ lists, endings } satisfies Lists);
    })
    .put('/lists/sample', async (context) => {
      const lines = (await readFile(new URL('fixtures/leads.csv', PACKAGE), 'utf8')).split('\n');
      const chunks = Readable.from([Buffer.from(lines.slice(0, SAMPLE_LINES).join('\n'))]);
      const list = await bringList(server, { name: 'Sample list.csv', chunks });
      return context.json(await viewOf(list), 201);
    })
    .get('/lists/:id', async (context) => context.json(await viewOf(await listOf(server, context))))
    .post('/lists/:id/rows', async (context) => {
      const order = await bodyOf(context, ListRowsRequest);
      return context.json(await tables.pageOf(await listOf(server, context), order));
    })
    .put('/lists/:id/job', async (context) => {
      const list = await listOf(server, context);
      const { version } = queryOf(context, ListJobQuery);
      await keepDraft(list, await bodyOf(context, ListJob), version);
      return context.json(await viewOf(list));
    })
    .put('/lists/:id/mends', async (context) => {
      const list = await listOf(server, context);
      await mend(server, list, await bodyOf(context, MendRequest), () => isAtWorkOn(server, list));
      return context.json(await viewOf(list));
    })
    .delete('/lists/:id', async (context) => {
      const list = await listOf(server, context);
      await requireUnused(server, list);
      tables.forget(list);
      await removeList(list);
      return context.json({ removed: list.id });
    });
}

/** @throws StopError `busy` while something is done with it, and while a batch over it is open. */
async function requireUnused(server: Server, list: KeptList): Promise<void> {
  if (!isAtWorkOn(server, list) && (await lastUses(server))(list.path) !== STILL) return;
  const next = 'Let it end, or stop it for good; then remove the list.';
  throw stop('busy', `${list.name} is not done yet.`, next);
}

export const isAtWorkOn = ({ work }: Pick<Server, 'work'>, { id }: Pick<KeptList, 'id'>): boolean =>
  work.list().some(({ about, state }) => about === id && state !== 'ended');

function listOf(server: Server, context: Context): Promise<KeptList> {
  return keptList(server, context.req.param('id') ?? '');
}

async function viewOf(list: KeptList): Promise<ListView> {
  const { id, name, bytes, atMs } = list;
  const { mends } = await mendsOf(list);
  return { id, name, bytes, at: isoTime(atMs), ...(await draftOf(list)), mends };
}

/** While a batch over it is open. */
const STILL = Number.POSITIVE_INFINITY;

/** When the last batch over the content at a path began, ms since 1970; 0 where none did. */
async function lastUses({ store }: Pick<Server, 'store'>): Promise<(path: string) => number> {
  const uses = new Map<string, number>();
  const of = (path: string): number => uses.get(path) ?? 0;
  for (const { batch } of await batchLines(store)) {
    const { inputPath, state, createdAtMs } = batch;
    uses.set(inputPath, Math.max(of(inputPath), state === 'open' ? STILL : createdAtMs));
  }
  return of;
}

/** If a ledger cannot be read now, every list stays until the next start. */
export async function sweepUnused(server: Server): Promise<void> {
  const usedMs = await lastUses(server).catch(() => undefined);
  const endMs =
    usedMs && (await lookIntoIfThere(server.folder, async (ledger) => ledger && agreedIn(ledger)));
  if (usedMs !== undefined && endMs !== undefined) await sweepLists(server, usedMs, endMs);
}
