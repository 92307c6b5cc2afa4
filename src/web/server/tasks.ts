import { Cron } from 'croner';
import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { storeAt } from '../../ledger/stores.ts';
import { withOption } from '../../lib/command-line.ts';
import { nextWordsOf } from '../../run/go-on.ts';
import { type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { AgainRequest, GoOnRequest, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, HttpRefusal, inListNames } from './answers.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';
import type { Order } from './work.ts';

type Place = Pick<Server, 'work' | 'store' | 'folder'>;

/** The work that the page has started. */
export function taskRoutes(server: Place): Hono {
  const { work, store } = server;
  const shown = (view: WorkView): WorkView =>
    view.stopped === null ? view : { ...view, stopped: inListNames(server, view.stopped) };
  work.onEnd(({ about }, { pid }, { id, batch, goes_on_at: at }) => {
    if (at === undefined || batch === null) return;
    // A time that has passed would never come.
    const next = Math.max(Date.parse(at), Date.now()) + PAUSE_MARGIN_MS;
    lookAt(next, server, { id, about, batch, pid });
  });
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

/** Work that was stopped for a long pause, and the process that did it. */
interface PausedWork extends Pick<WorkView, 'id' | 'about'> {
  readonly batch: string;
  readonly pid: number | undefined;
}

const PAUSE_MARGIN_MS = 1_000;
const LOOK_AGAIN_MS = 60_000;

function lookAt(ms: number, server: Place, paused: PausedWork): void {
  new Cron(new Date(ms), { unref: true, catch: true }, () => afterPause(server, paused));
}

/**
 * Nobody is at the page when a long pause of the night is over. So its list goes on, unless a person has
 * paused it or ended it, or has tried it again since, on the page or in a terminal. A run ends the pause of a
 * person. So the list does not wait in the line, where nobody would see a pause that comes meanwhile.
 */
async function afterPause(server: Place, paused: PausedWork): Promise<void> {
  const { work, store } = server;
  const found = await findBatch(paused.batch, store);
  const { state, pausedSinceMs, run } = found.batch;
  const newest = work.list().findLast(({ about }) => about === paused.about);
  const isLeftSo = newest?.id === paused.id && run?.pid === paused.pid;
  if (state !== 'open' || pausedSinceMs !== undefined || !isLeftSo) return;
  const order = await goingOn(server, found, {});
  const spender = await (await storeAt(order.store)).spender(order.store);
  if (spender === undefined && work.isFree(order.store)) work.start(order);
  else lookAt(Date.now() + LOOK_AGAIN_MS, server, paused);
}

const WORK_IS_GONE = 'This work is from before the page was started.';

/**
 * The command that goes on with the batch. One that has finished goes on for what was decided about its
 * doubts.
 */
async function goingOn(server: Place, found: FoundBatch, how: Flags): Promise<Order> {
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
