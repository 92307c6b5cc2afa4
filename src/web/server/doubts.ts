import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { listNameOf } from '../../files/list-name.ts';
import { doubtList } from '../../run/tasks/settle.ts';
import { DoubtsView, SettleRequest, type WorkList } from '../api.ts';
import { bodyOf } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import type { Server } from './server.ts';

/** What is in doubt in a batch, and what a person decides about it. The decision is noted by the command `settle`. */
export function doubtRoutes(server: Server): Hono {
  return new Hono()
    .get('/batches/:id/doubts', async (context) => {
      const found = await batchOf(context, server);
      const { batch } = found;
      const name = listNameOf(batch.inputPath);
      return context.json(DoubtsView.of({ ...(await doubtList(found)), batch, name }));
    })
    .post('/batches/:id/settle', async (context) => {
      const { batch, location } = await batchOf(context, server);
      const request = await bodyOf(context, SettleRequest);
      const rows = request.rows === 'all' ? [undefined] : request.rows.map(String);
      const decision = decisionWords(request);
      const work = rows.map((row) =>
        server.work.start({
          kind: 'settle',
          words: ['settle', batch.id, ...(row === undefined ? [] : [row]), '--store', location, ...decision],
          store: location,
          about: batch.id,
        }),
      );
      return context.json({ work } satisfies WorkList);
    });
}

/** The flags of `settle`. @throws StopError `usage` for a decision that misses something, or has too much. */
function decisionWords({ how, extra_credits: extra, answer }: SettleRequest): readonly string[] {
  if (extra !== undefined && how !== 'retry')
    throw stop('usage', 'Extra credits are only for a retry.', 'Leave them out.');
  if (how === 'answer') {
    const pairs = Object.entries(answer ?? {}).map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) return ['--answer', ...pairs];
    throw stop('usage', 'The answer says nothing.', 'Say what the vendor answered, such as name=Acme.');
  }
  if (how !== 'retry') return [how === 'skip' ? '--skip' : '--not-done'];
  return ['--retry', ...(extra === undefined ? [] : ['--extra-credits', String(extra)])];
}
