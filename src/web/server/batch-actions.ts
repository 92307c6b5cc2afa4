import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { StopError, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { listNameOf } from '../../files/list-name.ts';
import { typedIn, withoutFlag, wordsOfCommand, wordsToGoOn } from '../../lib/command-line.ts';
import { hasBegunBy } from '../../plan/batch.ts';
import { eachLedgerThere, type FoundBatch } from '../../run/open-ledger.ts';
import { doubtList } from '../../run/tasks/settle.ts';
import { DoubtsView, UndoRequest, UndoView, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import { askChild } from './children.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';
import type { BegunBatches, Order } from './work.ts';

/** Goes on with a batch by its own command. */
export function continueRoutes(server: Server): Hono {
  return new Hono().post('/batches/:id/continue', async (context) => {
    const found = await batchOf(context, server);
    return context.json(server.work.start(continued(found)) satisfies WorkView);
  });
}

const GOES_ON: Readonly<Record<string, Order['kind']>> = {
  run: 'run',
  try: 'run',
  undo: 'undo',
  nightly: 'sweep',
};

/**
 * The batch's own command again, as the ledger keeps it. A yes in its words was to an earlier plan. One that has finished goes on
 * for what was decided about its doubts.
 */
function continued({ batch, location }: FoundBatch): Order {
  const words = batch.command === undefined ? undefined : wordsOfCommand(batch.command);
  const [command = ''] = words ?? [];
  const kind = GOES_ON[command];
  const mayGoOn = batch.state === 'open' || batch.state === 'finished';
  if (!mayGoOn || words === undefined || kind === undefined) {
    throw stop(
      'usage',
      `Batch ${batch.id} is ${batch.state}, and there is no command that continues it.`,
      'Begin a new batch over the same list: nothing is bought twice.',
    );
  }
  const where = words.includes('--store') ? [] : ['--store', location];
  const bare = withoutFlag(wordsToGoOn(words), '--json');
  const again = command === 'run' ? withoutFlag(bare, '--yes') : bare;
  return {
    kind,
    words: [...again, ...where],
    store: location,
    about: batch.id,
    ...present({ cwd: typedIn(words, batch) }),
  };
}

/** What is in doubt in a batch. */
export function doubtRoutes(server: Server): Hono {
  return new Hono().get('/batches/:id/doubts', async (context) => {
    const found = await batchOf(context, server);
    const { batch } = found;
    const name = listNameOf(batch.inputPath);
    return context.json(DoubtsView.of({ ...(await doubtList(found)), batch, name }));
  });
}

/** Takes back what a batch changed: first the plan, then the undo of what was shown. */
export function undoRoutes(server: Server): Hono {
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
      const words = [...['undo', batch.id, '--yes', '--attention-ok', '--wait', '10m', '--store', location]];
      return context.json(server.work.start({ kind: 'undo', words, store: location, about: batch.id }));
    });
}

const Printed = UndoView.omit({ plan: true, sandbox: true });

async function planOf({ program }: Server, { batch, location }: FoundBatch): Promise<UndoView> {
  const words = ['undo', batch.id, '--dry-run', '--store', location];
  const printed = Printed.parse(await askChild(program, words));
  const plan = hash('sha256', JSON.stringify(printed), 'hex');
  return { ...printed, sandbox: batch.sandbox, plan };
}

/** What the page has started, each with the batch that it began as soon as the ledger has it. */
export function workRoutes(server: Server): Hono {
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

/** The ledger knows a batch by its plan. Only batches over the lists of those plans are read. */
async function batchesBegunBy(plans: ReadonlyMap<string, string>, server: Server): Promise<BegunBatches> {
  const lists = (await keptLists(server)).filter(({ id }) => [...plans.values()].includes(id));
  const paths = new Set(lists.map(({ path }) => path));
  const found = await eachLedgerThere(server.store, async (ledger) =>
    (await ledger.batches()).filter(({ inputPath }) => paths.has(inputPath)),
  ).catch((error: unknown) => {
    // The first run of a store is making it at this moment. Any other trouble is told by the work itself.
    if (error instanceof StopError) return [];
    throw error;
  });
  const begun = new Map<string, { readonly id: string; readonly isOpen: boolean }>();
  for (const plan of plans.keys()) {
    const batch = found.flat().find((each) => hasBegunBy(each, plan));
    if (batch !== undefined) begun.set(plan, { id: batch.id, isOpen: batch.state === 'open' });
  }
  return begun;
}
