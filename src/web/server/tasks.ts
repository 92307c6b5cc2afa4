import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { withOption } from '../../lib/command-line.ts';
import { nextWordsOf } from '../../run/go-on.ts';
import { type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { AgainRequest, GoOnRequest, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, HttpRefusal, inListNames } from './answers.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';
import type { Order } from './work.ts';

/** The work that the page has started. */
export function taskRoutes(server: Server): Hono {
  const { work, store } = server;
  const shown = (view: WorkView): WorkView =>
    view.stopped === null ? view : { ...view, stopped: inListNames(server, view.stopped) };
  return new Hono()
    .get('/tasks', (context) => context.json({ work: work.list().map(shown) } satisfies WorkList))
    .post('/tasks', async (context) => {
      const { batch, ...how } = await bodyOf(context, GoOnRequest);
      const order = await goingOn(server, await findBatch(batch, store), how);
      return context.json({ work: work.start(order) } satisfies WorkAnswer);
    })
    .get('/tasks/:id', (context) => {
      const id = context.req.param('id');
      const view = work.find(id);
      if (view === undefined) throw new HttpRefusal(404, WORK_IS_GONE, 'See all lists.');
      return context.json({ work: shown(view), result: work.resultOf(id) } satisfies WorkAnswer);
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

/**
 * The command that goes on with the batch. One that has finished goes on for what was decided about its
 * doubts.
 */
async function goingOn(server: Server, found: FoundBatch, how: Flags): Promise<Order> {
  const { batch, location } = found;
  const list = (await keptLists(server)).find(({ path }) => path === batch.inputPath);
  // A sweep has no budget of its own, so a larger one is given to its list by hand.
  const words = nextWordsOf(found, how.budget !== undefined);
  const mayGoOn = batch.state === 'open' || batch.state === 'finished';
  if (!mayGoOn || words === undefined)
    throw stop('usage', 'This list was replaced or ended.', 'Start it again: nothing is bought twice.');
  const about = list?.id ?? batch.id;
  return { words: [...withFlags(words, how), '--store', location], store: location, about };
}

interface Flags {
  readonly budget?: number | undefined;
  readonly accept?: string | undefined;
}

function withFlags(words: readonly string[], { budget, accept }: Flags): readonly string[] {
  const limited = budget === undefined ? words : withOption(words, '--budget', budget);
  return accept === undefined ? limited : withOption(limited, '--accept', accept);
}
