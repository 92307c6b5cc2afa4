import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { readableEndings, type Sheet } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { toldIn } from '../../ledger/time.ts';
import { replaceFile, stampOf } from '../../lib/atomic-file.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { batchLines } from '../../run/tasks/batch-status.ts';
import {
  Choices,
  ListDescription,
  type ListRow,
  type ListRows,
  ListRowsQuery,
  type Lists,
  type ListView,
  Reading,
  type ReadWords,
} from '../api.ts';
import { bodyOf, queryOf } from './answers.ts';
import { askChild } from './children.ts';
import {
  bringList,
  inWordsOf,
  type KeptList,
  keepReading,
  keptList,
  keptLists,
  type ListFile,
  mostBytes,
  removeList,
  sweepLists,
  type Upload,
  type Use,
} from './list-files.ts';
import type { Server } from './server.ts';

export function listRoutes(server: Server): Hono {
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

/** The flags by which a command reads the file as it was chosen. */
function readWords(read: ReadWords): readonly string[] {
  return Object.entries(read).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);
}

/** As many as may be worked on side by side; each is some kilobytes. */
const MOST_KEPT = 50;

/** What a file is, asked once for each of its contents and each way to read it. */
export class FactBook {
  readonly #server: Pick<Server, 'program'>;
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(server: Pick<Server, 'program'>) {
    this.#server = server;
  }

  async of(list: ListFile, read?: ReadWords): Promise<ListDescription> {
    return ListDescription.parse(await this.#printed(list, read));
  }

  async #printed(list: ListFile, read: ReadWords = {}): Promise<unknown> {
    const { path } = list;
    const key = JSON.stringify([await stampOf(path), path, read]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    const asked = inWordsOf(list, () => askChild(this.#server.program, ['plan', path, ...readWords(read)]));
    this.#kept.set(key, asked);
    // A refusal may be mended, so it is asked for again.
    asked.catch(() => this.#kept.delete(key));
    return asked;
  }
}

const DRAFT = 'draft.json';

/** What was chosen for the list so far, so that a reload and another tab go on with it. */
export async function draftOf({ folder }: ListFile): Promise<Choices | null> {
  return readFile(join(folder, DRAFT), 'utf8').then(
    (text) => Choices.safeParse(JSON.parse(text)).data ?? null,
    () => null,
  );
}

export async function keepDraft({ folder }: ListFile, choices: Choices): Promise<void> {
  await replaceFile(join(folder, DRAFT), 0o600, [JSON.stringify(choices)]);
}

async function batchesOver({ store }: Pick<Server, 'store'>): Promise<(path: string) => Use> {
  const uses = new Map<string, Use>();
  for (const { batch } of await batchLines(store)) {
    const { inputPath, state, createdAtMs } = batch;
    const known = uses.get(inputPath) ?? NEVER_USED;
    uses.set(inputPath, {
      isOpen: known.isOpen || state === 'open',
      begunMs: Math.max(known.begunMs, createdAtMs),
    });
  }
  return (path) => uses.get(path) ?? NEVER_USED;
}

const NEVER_USED: Use = { isOpen: false, begunMs: 0 };

/** What a ledger cannot say now, it says at the next start: until then every list stays. */
export async function sweepUnused(server: Server): Promise<void> {
  const useOf = await batchesOver(server).catch(() => undefined);
  const toldMs = useOf && (await lookIntoIfThere(server.folder, async (ledger) => ledger && toldIn(ledger)));
  if (useOf !== undefined && toldMs !== undefined) await sweepLists(server, useOf, toldMs);
}
