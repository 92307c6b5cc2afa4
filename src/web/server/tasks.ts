import { Hono } from 'hono';
import { StopError, stop } from '../../core/errors.ts';
import { withOption } from '../../lib/command-line.ts';
import { hasBegunBy } from '../../plan/batch.ts';
import { nextWordsOf } from '../../run/go-on.ts';
import { eachLedgerThere, type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { AgainRequest, GoOnRequest, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import { inNameOf, keptLists } from './list-files.ts';
import type { Server } from './server.ts';
import type { Order } from './work.ts';

/** The work that the page has started. Each piece has its batch as soon as the ledger has it. */
export function taskRoutes(server: Server): Hono {
  const { work } = server;
  const named = () => work.nameBatches((plans) => batchesBegunBy(plans, server));
  return new Hono()
    .get('/tasks', async (context) => {
      await named();
      return context.json({ work: await inListNames(server, work.list()) } satisfies WorkList);
    })
    .post('/tasks', async (context) => {
      const { batch, ...how } = await bodyOf(context, GoOnRequest);
      const found = await findBatch(batch, server.store);
      const list = (await keptLists(server)).find(({ path }) => path === found.batch.inputPath);
      const order = { ...goingOn(found, how), about: list?.id ?? found.batch.id };
      return context.json({ work: work.start(order) } satisfies WorkAnswer);
    })
    .get('/tasks/:id', async (context) => {
      const id = context.req.param('id');
      await named();
      const found = work.find(id);
      if (found === undefined) throw new HttpRefusal(404, WORK_IS_GONE, 'See all lists.');
      const [view = found] = await inListNames(server, [found]);
      return context.json({ work: view, result: work.resultOf(id) } satisfies WorkAnswer);
    })
    .post('/tasks/:id/again', async (context) => {
      const { accept } = await bodyOf(context, AgainRequest);
      const begun = work.again(context.req.param('id'), (words) => withFlags(words, { accept }));
      if (begun === undefined) throw new HttpRefusal(404, WORK_IS_GONE, 'See all lists.');
      return context.json({ work: begun } satisfies WorkAnswer);
    })
    .post('/tasks/:id/stop', (context) => context.json({ stopped: work.stop(context.req.param('id')) }));
}

const WORK_IS_GONE = 'This work is from before the page was started.';

/** A stop that names the path of a list is told with the user's name for the list. */
async function inListNames(server: Server, works: readonly WorkView[]): Promise<WorkView[]> {
  const lists = new Map((await keptLists(server)).map((list) => [list.id, list]));
  return works.map((work) => {
    const list = lists.get(work.about);
    const { stopped } = work;
    if (list === undefined || stopped === null) return work;
    return { ...work, stopped: { ...stopped, ...inNameOf(list, stopped) } };
  });
}

/**
 * The command that goes on with the batch. One that has finished goes on for what was decided about its
 * doubts.
 */
function goingOn(found: FoundBatch, how: Flags): Omit<Order, 'about'> {
  const { batch, location } = found;
  const words = nextWordsOf(found);
  const kind = KINDS[words?.[0] ?? ''];
  const mayGoOn = batch.state === 'open' || batch.state === 'finished';
  if (!mayGoOn || words === undefined || kind === undefined)
    throw stop('usage', 'This list was replaced or ended.', 'Start it again: nothing is bought twice.');
  return { kind, words: [...withFlags(words, how), '--store', location], store: location };
}

interface Flags {
  readonly budget?: number | undefined;
  readonly accept?: string | undefined;
}

function withFlags(words: readonly string[], { budget, accept }: Flags): readonly string[] {
  const limited = budget === undefined ? words : withOption(words, '--budget', budget);
  return accept === undefined ? limited : withOption(limited, '--accept', accept);
}

const KINDS: Readonly<Record<string, Order['kind']>> = {
  run: 'run',
  try: 'run',
  undo: 'undo',
  nightly: 'nightly',
};

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
