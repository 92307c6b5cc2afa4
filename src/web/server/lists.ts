import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { attentionWords } from '../../core/attention-words.ts';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { loadFamily } from '../../core/family.ts';
import { readableEndings, type Sheet } from '../../core/format.ts';
import type { Operation } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { meantBy } from '../../files/quality/job-issues.ts';
import { preparedCells } from '../../plan/row-walk.ts';
import {
  type Checked,
  CheckRequest,
  type Corrected,
  CorrectionsRequest,
  type ListRow,
  type ListRows,
  ListRowsQuery,
  type Lists,
  type ListView,
  Reading,
  ReadWords,
} from '../api.ts';
import { bodyOf, queryOf } from './answers.ts';
import { batchesOver, listAttention } from './list-batches.ts';
import type { FactBook } from './list-facts.ts';
import {
  addVersion,
  bringList,
  inWordsOf,
  type KeptList,
  keepReading,
  keptList,
  keptLists,
  mostBytes,
  movedOn,
  removeList,
  type Upload,
} from './list-files.ts';
import type { Server } from './server.ts';

export function listRoutes(server: Server, facts: FactBook): Hono {
  return new Hono()
    .put('/lists', async (context) => context.json(await brought(server, context), 201))
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
    })
    .get('/lists/:id/attention', async (context) => {
      const list = await listOf(server, context);
      const found = await inWordsOf(list, () => listAttention(server, list, context.req.query('batch')));
      return context.json(found);
    })
    .post('/lists/:id/check', async (context) => {
      const request = await bodyOf(context, CheckRequest);
      await listOf(server, context);
      return context.json(await checked(request));
    })
    .post('/lists/:id/corrections', async (context) => {
      const request = await bodyOf(context, CorrectionsRequest);
      const list = await idleList(server, context.req.param('id'));
      return context.json(
        (await inWordsOf(list, () => corrected(server, list, request))) satisfies Corrected,
      );
    });
}

async function brought(server: Server, context: Context): Promise<ListView> {
  const upload = uploadIn(context);
  const into = context.req.query('list');
  if (into === undefined) return viewOf(await bringList(server, upload));
  return viewOf(await addVersion(server, await idleList(server, into), upload));
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

function viewOf({ id, name, version, bytes, atMs, reading = AS_IT_LOOKS }: KeptList): ListView {
  return { id, name, version, bytes, at: isoTime(atMs), reading };
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

async function corrected(
  server: Server,
  list: KeptList,
  { version, read, corrections }: CorrectionsRequest,
): Promise<Corrected> {
  if (version !== list.version) throw movedOn(list);
  const { sheet } = await openFile(list.path, read);
  const notes: string[] = [];
  const chunks = sheet.corrected(corrections, (sentence) => notes.push(sentence));
  const upload = { name: list.file, bytes: list.bytes, chunks };
  return { list: viewOf(await addVersion(server, list, upload)), notes };
}

/** Rows as they would be sent. What only the job can say, such as the role of an invite, is not asked here. */
async function checked({ operation: name, columns, rows }: CheckRequest): Promise<Checked> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  const lookups = [...operations.values()].filter(({ change, shapedBy }) => !change && !shapedBy);
  const whole = lookups.find((operation) => operation.name === name);
  return {
    rows: rows.map(({ row, cells }) => {
      // A column may be called like what every object has.
      const cellOf = (column: string): string => (Object.hasOwn(cells, column) ? (cells[column] ?? '') : '');
      const meant: [string, Checked['rows'][number]['meant'][string]][] = [];
      for (const [input, column] of Object.entries(columns)) {
        const found = meantBy(input, cellOf(column));
        if (found !== undefined) meant.push([column, { sure: found.isSure, words: [...found.words] }]);
      }
      const inputs = Object.entries(columns).map(([input, column]) => [input, cellOf(column)] as const);
      // Before it was chosen what is to be done, nobody knows what the list is about: a list of people has no companies.
      const problem = whole === undefined ? null : problemOf(whole, Object.fromEntries(inputs));
      return { row, problem, meant: Object.fromEntries(meant) };
    }),
  };
}

function problemOf(operation: Operation, cells: Readonly<Record<string, string>>): string | null {
  const prepared = preparedCells({ operation }, cells, {});
  return prepared.kind === 'invalid' ? attentionWords('invalid', prepared.reason) : null;
}
