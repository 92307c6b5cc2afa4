import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { UndoPlanObject } from '../../objects/plan-object.ts';
import { doubtList } from '../../run/doubts.ts';
import { nextWordsOf } from '../../run/go-on.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import { type DoubtsView, UndoRequest, type UndoView, type WorkView } from '../api.ts';
import { bodyOf } from '../server/answers.ts';
import { askChild } from '../server/children.ts';
import type { Server } from '../server/server.ts';
import type { Order } from '../server/work.ts';
import { batchOf, namedOf } from './batch.ts';

export function actionRoutes(server: Server): Hono {
  return new Hono()
    .post('/batches/:id/continue', async (context) => {
      const found = await batchOf(context, server);
      return context.json(server.work.start(continued(found)) satisfies WorkView);
    })
    .get('/batches/:id/doubts', async (context) => {
      const found = await batchOf(context, server);
      return context.json({ ...namedOf(found.batch), ...(await doubtList(found)) } satisfies DoubtsView);
    })
    .route('/', undoRoutes(server));
}

const GOES_ON: Readonly<Record<string, Order['kind']>> = {
  run: 'run',
  try: 'run',
  undo: 'undo',
  nightly: 'sweep',
};

/**
 * The command that goes on with the batch. One that has finished goes on for what was decided about its
 * doubts.
 */
function continued(found: FoundBatch): Order {
  const { batch, location } = found;
  const words = nextWordsOf(found);
  const kind = GOES_ON[words?.[0] ?? ''];
  const mayGoOn = batch.state === 'open' || batch.state === 'finished';
  if (!mayGoOn || words === undefined || kind === undefined) {
    throw stop(
      'usage',
      `Batch ${batch.id} is ${batch.state}, and there is no command that continues it.`,
      'Begin a new batch over the same list: nothing is bought twice.',
    );
  }
  return { kind, words: [...words, '--store', location], store: location, about: batch.id };
}

/** Takes back the changes of a batch: first the plan, then the undo that was shown. */
function undoRoutes(server: Server): Hono {
  return new Hono()
    .get('/batches/:id/undo', async (context) => {
      return context.json(await planOf(server, await batchOf(context, server)));
    })
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

async function planOf({ program }: Server, { batch, location }: FoundBatch): Promise<UndoView> {
  const words = ['undo', batch.id, '--dry-run', '--store', location];
  const printed = UndoPlanObject.parse(await askChild(program, words));
  const plan = hash('sha256', JSON.stringify(printed), 'hex');
  return { ...printed, sandbox: batch.sandbox, plan };
}
