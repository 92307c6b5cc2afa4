import { stat } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { agreedIn } from '../../client/time.ts';
import { DAY_MS, isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { readingIn } from '../../core/reading.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { batchLines } from '../../run/batches.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { firstOf, mayBeIn, queryOf, type Searched, TableOrder, USUAL_ROWS } from '../../run/table-order.ts';
import { ListJob, ListJobQuery, type ListRows, type Lists, type ListView, MendRequest } from '../api.ts';
import { bodyOf } from './answers.ts';
import {
  bringList,
  changeList,
  isInUse,
  type KeptList,
  keptList,
  keptLists,
  mend,
  removeList,
  removeLists,
} from './list-files.ts';
import type { Server } from './server.ts';

export function listRoutes(server: Server): Hono {
  const tables = new ListTables();
  return new Hono()
    .put('/lists', async (context) => {
      // Node's own stream breaks when the sender goes away, and holds no more than the bytes on their way.
      const { incoming } = context.env as HttpBindings;
      return context.json(viewOf(await bringList(server, context.req.query('name') ?? '', incoming)), 201);
    })
    .get('/lists', async (context) => {
      const lists = (await keptLists(server)).map(viewOf);
      return context.json({ lists, endings: [...(await readableEndings())] } satisfies Lists);
    })
    .get('/lists/:id', async (context) =>
      context.json(viewOf(await keptList(server, context.req.param('id')))),
    )
    .post('/lists/:id/rows', async (context) => {
      const order = await bodyOf(context, TableOrder);
      return context.json(await tables.pageOf(await keptList(server, context.req.param('id')), order));
    })
    .put('/lists/:id/job', async (context) => {
      const { version: over } = checkInput(context.req.path, ListJobQuery, context.req.query());
      const job = await bodyOf(context, ListJob);
      const list = await changeList(server, context.req.param('id'), async ({ name, version }) => {
        const fact = `Something else was chosen for ${name} meanwhile, such as in another tab.`;
        if (over !== undefined && over !== version)
          throw stop('busy', fact, 'It is shown now: look at it, and choose again.');
        return { job, version: version + 1 };
      });
      return context.json(viewOf(list));
    })
    .put('/lists/:id/mends', async (context) =>
      context.json(viewOf(await mend(server, context.req.param('id'), await bodyOf(context, MendRequest)))),
    )
    .delete('/lists/:id', async (context) => {
      const list = await keptList(server, context.req.param('id'));
      await requireUnused(server, list);
      tables.forget();
      await removeList(list);
      return context.json({ removed: list.id });
    });
}

const viewOf = ({ id, name, atMs, job, version, mends }: KeptList): ListView => {
  return { id, name, at: isoTime(atMs), job, version, mends };
};

/** @throws StopError `busy` while something is done with it, and while a batch over it is open. */
async function requireUnused(server: Server, list: KeptList): Promise<void> {
  if (!(await isInUse(server, list))) return;
  const next = 'Let it end, or stop it for good; then remove the list.';
  throw stop('busy', `${list.name} is not done yet.`, next);
}

/** How long a list is kept after its last batch has begun, or after it was brought if no batch has begun. */
const KEPT_MS = 30 * DAY_MS;

/** Removes lists that nobody needs. If a ledger cannot be read now, all stay until the next start. */
export async function sweepUnused(server: Server): Promise<void> {
  const batches = (await batchLines(server.store)).map(({ batch }) => batch);
  const byPath = Map.groupBy(batches, ({ inputPath }) => inputPath);
  const endMs = await lookIntoIfThere(server.folder, async (ledger) => ledger && agreedIn(ledger));
  if (endMs === undefined) return;
  await removeLists(server, ({ path, atMs }) => {
    const over = byPath.get(path) ?? [];
    const lastMs = Math.max(atMs, ...over.map(({ createdAtMs }) => createdAtMs));
    return !over.some(({ state }) => state === 'open') && endMs >= lastMs + KEPT_MS;
  });
}

/**
 * The table of a list of which nothing was asked yet. To read a million rows takes seconds, so they are read
 * once and kept in parts that are found at once, and the first part is shown before the last one is read.
 */

interface Part {
  readonly last: RowNumber;
  /** The rows as compressed JSON: as objects they would take many times the bytes of the file. */
  readonly packed: Buffer;
  /** Undefined behind the last part. A part is read as soon as the part before it was read. */
  readonly next: Promise<Part | undefined>;
}

const MEMBERS: (keyof InputRow)[] = ['row', 'cells', 'unreadable'];

class KeptRows {
  /** The number of the last row, as soon as it is known. */
  last: RowNumber | null = null;
  readonly header: readonly string[];
  readonly #first: Promise<Part | undefined>;

  constructor(header: readonly string[], groups: AsyncIterable<readonly InputRow[]>) {
    this.header = header;
    this.#first = this.#read(groups[Symbol.asyncIterator](), 0);
  }

  /** @param mayBe whether rows that are written like that may be wanted. */
  async *parts(from: RowNumber, mayBe: (json: string) => boolean): AsyncGenerator<readonly InputRow[]> {
    for (let part = await this.#first; part !== undefined; part = await part.next) {
      if (part.last < from) continue;
      const json = zstdDecompressSync(part.packed).toString();
      const rows: readonly InputRow[] = mayBe(json) ? JSON.parse(json) : [];
      yield rows.filter(({ row }) => row >= from);
    }
  }

  #read(groups: AsyncIterator<readonly InputRow[]>, before: RowNumber): Promise<Part | undefined> {
    const part = groups.next().then(({ value: rows, done }) => {
      if (done === true) {
        this.last = before;
        return undefined;
      }
      const last = rows.at(-1)?.row ?? before;
      const packed = zstdCompressSync(JSON.stringify(rows, MEMBERS));
      return { last, packed, next: this.#read(groups, last) };
    });
    // The error of an unreadable part belongs to the question for that part.
    part.catch(() => {});
    return part;
  }
}

/** The rows of the list that was looked at last are kept. */
class ListTables {
  /** `mark` says of which file they are, and how they were read. */
  #kept: { readonly mark: string; readonly rows: Promise<KeptRows> } | undefined;

  /** @throws StopError `input` for a file that cannot be read, `usage` for a column that it does not have. */
  async pageOf(list: KeptList, order: TableOrder): Promise<ListRows> {
    try {
      return await pageIn(list.name, await this.#rowsOf(list), order);
    } catch (error) {
      // What could not be read may be read the next time.
      this.forget();
      throw error;
    }
  }

  forget(): void {
    this.#kept = undefined;
  }

  /** A list that was brought or mended since, or is read in another way, is read again. */
  async #rowsOf(list: KeptList): Promise<KeptRows> {
    const { ino, mtimeMs } = await stat(list.path);
    const mark = JSON.stringify([list.path, ino, mtimeMs, readingIn(list.job)]);
    if (this.#kept?.mark !== mark) this.#kept = { mark, rows: rowsIn(list) };
    return this.#kept.rows;
  }
}

async function rowsIn({ path, job }: KeptList): Promise<KeptRows> {
  const { sheet } = await openFile(path, readingIn(job));
  return new KeptRows(await sheet.header(), sheet.groups());
}

async function pageIn(name: string, kept: KeptRows, order: TableOrder): Promise<ListRows> {
  const { limit = USUAL_ROWS } = order;
  const columns = kept.header.map((each) => ({ name: each, from: 'list' as const }));
  const isSearched = (): boolean => true;
  const parts: Searched['parts'] = (query, from) => kept.parts(from, mayBeIn(query, isSearched));
  const table: Searched = { name, columns, hasStates: false, isSearched, parts };
  const found = await firstOf(table, queryOf(table, order), order.from, limit + 1);
  return { columns, rows: found.slice(0, limit), next: found[limit]?.row ?? null, last: kept.last };
}
