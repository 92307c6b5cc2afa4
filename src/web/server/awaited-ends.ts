import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { z } from 'zod';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { AwaitedEnds } from '../api.ts';
import { batchOf } from './batch-routes.ts';
import type { Server } from './server.ts';

/**
 * The batches whose end a person wants to be told of. A browser keeps what it knows for one address, and each start of the
 * page has another one, so they are kept in the store's folder.
 */
export function awaitedEndRoutes(server: Server): Hono {
  const path = join(server.folder, 'awaited-ends.json');
  const awaited = keptIn(path);
  let written: Promise<unknown> = Promise.resolve();
  const answer = async (changed: boolean): Promise<AwaitedEnds> => {
    const batches = [...awaited].slice(-MOST);
    if (changed)
      written = written
        .catch(() => undefined)
        .then(() => replaceFile(path, 0o600, [JSON.stringify(batches)]));
    await written;
    return { batches, changed };
  };
  return (
    new Hono()
      .get('/ends', async (context) => context.json(await answer(false)))
      .put('/ends/:id', async (context) => {
        const { batch } = await batchOf(context, server);
        const isNew = !awaited.has(batch.id);
        awaited.add(batch.id);
        return context.json(await answer(isNew));
      })
      // Of several tabs and browsers that ask for this at the same time, one is told that it was still to be told.
      .delete('/ends/:id', async (context) =>
        context.json(await answer(awaited.delete(context.req.param('id')))),
      )
  );
}

/** Enough for everybody who waits; the oldest of more are not told. */
const MOST = 1_000;

/** A file that cannot be read is taken for an empty one: nothing but a notification hangs on it. */
function keptIn(path: string): Set<string> {
  try {
    return new Set(z.array(z.string()).parse(JSON.parse(readFileSync(path, 'utf8'))));
  } catch {
    return new Set();
  }
}
