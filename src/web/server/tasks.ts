import { Hono } from 'hono';
import type { z } from 'zod';
import { stop } from '../../core/errors.ts';
import { withOption } from '../../lib/command-line.ts';
import { nextWordsOf } from '../../run/go-on.ts';
import { findBatch } from '../../run/open-ledger.ts';
import { AgainRequest, GoOnRequest, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, HttpRefusal, inListNames } from './answers.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';
import { type Order, type Piece, workView } from './work.ts';

/** The work that the page has started. */
export function taskRoutes(server: Server): Hono {
  const { work } = server;
  const shown = (view: WorkView): WorkView =>
    view.stopped === null ? view : { ...view, stopped: inListNames(server, view.stopped) };
  const pieceWith = (id: string): Piece => {
    const piece = work.find(id);
    if (piece !== undefined) return piece;
    throw new HttpRefusal(404, 'This work is from before the page was started.', 'See all lists.');
  };
  const started = (order: Order): WorkAnswer => ({ work: workView(work.start(order)) });
  return new Hono()
    .get('/tasks', (context) => context.json({ work: work.list().map(shown) } satisfies WorkList))
    .post('/tasks', async (context) =>
      context.json(started(await goingOn(server, await bodyOf(context, GoOnRequest)))),
    )
    .get('/tasks/:id', (context) => {
      const piece = pieceWith(context.req.param('id'));
      return context.json({ work: shown(workView(piece)), result: piece.ended?.result } satisfies WorkAnswer);
    })
    .post('/tasks/:id/again', async (context) => {
      const { words, ...piece } = pieceWith(context.req.param('id'));
      const { accept } = await bodyOf(context, AgainRequest);
      return context.json(started({ ...piece, words: withFlags(words, { accept }) }));
    })
    .post('/tasks/:id/stop', (context) => {
      work.stop(pieceWith(context.req.param('id')));
      return context.json({});
    });
}

type GoOn = z.output<typeof GoOnRequest>;

/**
 * The command that goes on with the batch. One that has finished goes on for what was decided about its
 * doubts.
 */
async function goingOn(server: Server, { batch: word, ...how }: GoOn): Promise<Order> {
  const found = await findBatch(word, server.store);
  const { batch, location: store } = found;
  // A sweep has no budget of its own, so a larger one is given to its list by hand.
  const words = nextWordsOf(found, how.budget !== undefined);
  const mayGoOn = batch.state === 'open' || batch.state === 'finished';
  if (!mayGoOn || words === undefined)
    throw stop('usage', 'This list was replaced or ended.', 'Start it again: nothing is bought twice.');
  const list = (await keptLists(server)).find(({ path }) => path === batch.inputPath);
  return { words: [...withFlags(words, how), '--store', store], store, about: list?.id ?? batch.id };
}

function withFlags(words: readonly string[], { budget, accept }: Omit<GoOn, 'batch'>): readonly string[] {
  const limited = budget === undefined ? words : withOption(words, '--budget', budget);
  return accept === undefined ? limited : withOption(limited, '--accept', accept);
}
