import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { readableEndings, type Sheet } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import {
  type ListRow,
  type ListRows,
  ListRowsQuery,
  type Lists,
  type ListView,
  Reading,
  ReadWords,
} from '../api.ts';
import { bodyOf, queryOf } from './answers.ts';
import { batchesOver } from './list-batches.ts';
import type { FactBook } from './list-facts.ts';
import {
  bringList,
  inWordsOf,
  type KeptList,
  keepReading,
  keptList,
  keptLists,
  mostBytes,
  removeList,
  type Upload,
} from './list-files.ts';
import type { Server } from './server.ts';

export function listRoutes(server: Server, facts: FactBook): Hono {
  return new Hono()
    .put('/lists', async (context) => context.json(viewOf(await bringList(server, uploadIn(context))), 201))
    .get('/lists', async (context) => {
      const lists = (await keptLists(server)).map(viewOf);
      const most_bytes = await mostBytes(server);
      const endings = [...(await readableEndings())];
      return context.json({ lists, most_bytes, endings } satisfies Lists);
    })
    .get('/lists/:id', async (context) => context.json(viewOf(await listOf(server, context))))
    .put('/lists/:id/reading', async (context) => {
      const list = await listOf(server, context);
      const reading = await bodyOf(context, Reading);
      return context.json(viewOf(await keepReading(server, list, reading)));
    })
    .delete('/lists/:id', async (context) => {
      await remove(server, await idleList(server, context.req.param('id')));
      return context.json({ removed: context.req.param('id') });
    })
    .post('/lists/:id/describe', async (context) => {
      const words = await bodyOf(context, ReadWords);
      return context.json(await facts.of(await listOf(server, context), words));
    })
    .get('/lists/:id/rows', async (context) => {
      const { from, limit, ...words } = queryOf(context, ListRowsQuery);
      const list = await listOf(server, context);
      const read = Object.keys(words).length > 0 ? words : (list.reading?.read ?? {});
      const rows = await inWordsOf(list, () => rowsOf(list, read, from, limit));
      return context.json(rows satisfies ListRows);
    });
}

/** @throws StopError `busy` while a batch over it is open. */
async function remove(server: Server, list: KeptList): Promise<void> {
  const useOf = await batchesOver(server);
  if (!useOf(list.path).isOpen) return removeList(list);
  const next = 'Let it end or cancel it; then remove the list.';
  throw stop('busy', `An open batch is working on ${list.name}.`, next);
}

function listOf(server: Server, context: Context): Promise<KeptList> {
  return keptList(server, context.req.param('id') ?? '');
}

/** @throws StopError `busy` while the page works on it: a run reads the list to its end. */
async function idleList(server: Server, id: string): Promise<KeptList> {
  const list = await keptList(server, id);
  if (!server.work.list().some(({ about, state }) => about === id && state !== 'ended')) return list;
  throw stop('busy', `A run is working on ${list.name}.`, 'Wait until it has ended, or stop it.');
}

function viewOf({ id, name, bytes, atMs, reading = AS_IT_LOOKS }: KeptList): ListView {
  return { id, name, bytes, at: isoTime(atMs), reading };
}

const AS_IT_LOOKS: Reading = { read: {}, repair: false };

function uploadIn(context: Context): Upload {
  const length = Number(context.req.header('content-length') ?? Number.NaN);
  // Node's own stream: it breaks when the sender goes away, and holds no more than what is on its way.
  const { incoming } = context.env as HttpBindings;
  return {
    name: context.req.query('name') ?? '',
    bytes: Number.isSafeInteger(length) ? length : undefined,
    chunks: incoming,
  };
}

const MOST_ROWS_AT_ONCE = 500;

/** Of a longer list only the beginning is shown: reading on to a row in its middle takes too long here. */
const LONG_LIST = { bytes: 32 << 20, rows: 1_000 };

async function rowsOf(list: KeptList, words: ReadWords, from: RowNumber, limit: number): Promise<ListRows> {
  const { sheet } = await openFile(list.path, words);
  const header = [...(await sheet.header())];
  const most = list.bytes > LONG_LIST.bytes ? LONG_LIST.rows : Number.POSITIVE_INFINITY;
  const rows: ListRow[] = [];
  let passed = 0;
  for await (const row of eachRow(sheet)) {
    passed += 1;
    if (row.row < from) continue;
    if (rows.length >= Math.min(limit, MOST_ROWS_AT_ONCE) || passed > most)
      return { header, rows, next: passed > most ? null : row.row };
    rows.push(row);
  }
  return { header, rows, next: null };
}

async function* eachRow(sheet: Sheet): AsyncIterable<ListRow> {
  for await (const group of sheet.groups())
    for (const { cells, ...row } of group) yield { ...row, cells: [...cells] };
}
