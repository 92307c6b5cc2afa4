import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { listsOf } from '../../ledger/ledger.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { ErasureObject } from '../../objects/log-object.ts';
import { batchLines } from '../../run/batches.ts';
import { DeleteQuery, type ListErasure, NameRequest } from '../api.ts';
import { bodyOf } from './answers.ts';
import { askChild } from './child.ts';
import { type KeptList, keptList, removeList, renameList } from './list-files.ts';
import type { Server } from './server.ts';
import { isInUse } from './work.ts';

/**
 * What is done with a list as a whole: it gets another name, or is deleted. What was bought for it is erased
 * with it by the command for that, where a person says so. One list may have been started in two stores: with
 * play money, and with real accounts.
 */

/** @param forget drops what is kept of the tables of lists. */
export const wholeRoutes = (server: Server, forget: () => void): Hono =>
  new Hono()
    .put('/lists/:id/name', async (context) => {
      const { name } = await bodyOf(context, NameRequest);
      return context.json({ name: (await renameList(server, context.req.param('id'), name)).name });
    })
    .get('/lists/:id/erasure', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      return context.json((await erasureOf(server, list)) satisfies ListErasure);
    })
    .delete('/lists/:id', async (context) => {
      const { erase } = checkInput(context.req.path, DeleteQuery, context.req.query());
      const list = await keptList(server, context.req.param('id'));
      if (await isInUse(server, list)) {
        const next = 'Let it end, or stop it for good; then remove the list.';
        throw stop('busy', `${list.name} is not done yet.`, next);
      }
      forget();
      if (erase !== undefined) await eraseWith(server, list, erase);
      const isTold =
        (erase === undefined || list.from !== undefined) && (await startsOf(server, list)).length > 0;
      await removeList(list, isTold ? list.name : undefined);
      return context.json({ removed: list.id });
    });

type Place = Pick<Server, 'store' | 'program'>;

const NOTHING: ListErasure = { answers: 0, credits: 0, shared: 0, changed_people: false };

/** What would be erased. @throws CommandStopped where something may be charged. */
async function erasureOf(place: Place, list: KeptList): Promise<ListErasure> {
  const starts = await startsOf(place, list);
  if (starts.some(({ batch }) => batch.plannedRows !== undefined))
    return { ...NOTHING, changed_people: true };
  const erased = { ...NOTHING };
  for (const start of starts) {
    const { requests, of_list: ofList } = await purged(place, start, '--dry-run');
    erased.answers += requests;
    erased.credits += ofList?.credits ?? 0;
    erased.shared += ofList?.shared ?? 0;
  }
  return erased;
}

/** @param agreed so many answers she has agreed to erase. @throws StopError where there are others by now. */
async function eraseWith(place: Place, list: KeptList, agreed: number): Promise<void> {
  const { answers } = await erasureOf(place, list);
  if (answers !== agreed) {
    const fact = `${answers} answers would be erased by now, and not ${agreed}.`;
    throw stop('busy', fact, 'Look at it again.');
  }
  for (const start of await startsOf(place, list)) await purged(place, start, '--yes');
}

type Start = Awaited<ReturnType<typeof batchLines>>[number];

/** One start of the list in each store that has any. */
async function startsOf({ store }: Place, { path, from = path }: KeptList): Promise<readonly Start[]> {
  const lines = await batchLines(store);
  const byLocation = Map.groupBy(lines, ({ location }) => location);
  return [...byLocation.values()].flatMap((storeLines) => {
    const started = listsOf(storeLines.map(({ batch }) => batch));
    return [...new Set([path, from])].flatMap((each) => {
      const { starts = [] } = started.get(each) ?? {};
      return storeLines.find(({ batch }) => batch === starts[0]) ?? [];
    });
  });
}

async function purged(
  { program }: Place,
  { batch, location }: Start,
  how: '--dry-run' | '--yes',
): Promise<ErasureObject> {
  const words = ['store', 'purge', '--list', batch.id, how, '--store', location];
  return ErasureObject.parse(await askChild(program, words));
}
