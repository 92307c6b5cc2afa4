import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { agreedIn } from '../../client/time.ts';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { batchLines } from '../../run/batches.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';

import type { Lists, ListView, Reading } from '../api.ts';
import {
  bringList,
  type KeptList,
  keptList,
  keptLists,
  removeList,
  sweepLists,
  type Use,
} from './list-files.ts';
import type { Server } from './server.ts';

export function listRoutes(server: Server): Hono {
  return new Hono()
    .put('/lists', async (context) => {
      // Node's own stream breaks when the sender goes away, and holds no more than the bytes on their way.
      const { incoming: chunks } = context.env as HttpBindings;
      const list = await bringList(server, { name: context.req.query('name') ?? '', chunks });
      return context.json(viewOf(list), 201);
    })
    .get('/lists', async (context) => {
      const lists = (await keptLists(server)).map(viewOf);
      const endings = [...(await readableEndings())];
      return context.json({ lists, endings } satisfies Lists);
    })
    .get('/lists/:id', async (context) => context.json(viewOf(await listOf(server, context))))
    .delete('/lists/:id', async (context) => {
      const list = await listOf(server, context);
      await requireUnused(server, list);
      await removeList(list);
      return context.json({ removed: list.id });
    });
}

/** @throws StopError `busy` while the page works on it, and while a batch over it is open. */
async function requireUnused(server: Server, { id, name, path }: KeptList): Promise<void> {
  if (server.work.list().some(({ about, state }) => about === id && state !== 'ended'))
    throw stop('busy', `A run is working on ${name}.`, 'Wait until it has ended, or stop it.');
  if ((await batchesOver(server))(path).isOpen)
    throw stop(
      'busy',
      `An open batch is working on ${name}.`,
      'Let it end or cancel it; then remove the list.',
    );
}

export function listOf(server: Server, context: Context): Promise<KeptList> {
  return keptList(server, context.req.param('id') ?? '');
}

export function viewOf({ id, name, bytes, atMs, reading = AS_IT_LOOKS }: KeptList): ListView {
  return { id, name, bytes, at: isoTime(atMs), reading };
}

const AS_IT_LOOKS: Reading = { read: {}, repair: false };

async function batchesOver({ store }: Pick<Server, 'store'>): Promise<(path: string) => Use> {
  const uses = new Map<string, Use>();
  for (const { batch } of await batchLines(store)) {
    const { inputPath, state, createdAtMs } = batch;
    const known = uses.get(inputPath) ?? NEVER_USED;
    uses.set(inputPath, {
      isOpen: known.isOpen || state === 'open',
      begunMs: Math.max(known.begunMs, createdAtMs),
    });
  }
  return (path) => uses.get(path) ?? NEVER_USED;
}

const NEVER_USED: Use = { isOpen: false, begunMs: 0 };

/** If a ledger cannot be read now, every list stays until the next start. */
export async function sweepUnused(server: Server): Promise<void> {
  const useOf = await batchesOver(server).catch(() => undefined);
  const endMs = useOf && (await lookIntoIfThere(server.folder, async (ledger) => ledger && agreedIn(ledger)));
  if (useOf !== undefined && endMs !== undefined) await sweepLists(server, useOf, endMs);
}
