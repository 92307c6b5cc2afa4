import { setImmediate as turn } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { stream } from 'hono/streaming';
import { StopError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/operation.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { listNameOf } from '../../files/list-name.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { RowObject } from '../../objects/row-object.ts';
import { keptWork } from '../../operations/team/change-action.ts';
import { batchWithId, type FoundBatch, lookAtLedger, lookInto } from '../../run/open-ledger.ts';
import { batchLines, finishedIn } from '../../run/tasks/batch-status.ts';
import { rowStory } from '../../run/tasks/row-story.ts';
import {
  BatchNamed,
  type FindLine,
  FindQuery,
  type RowDetail,
  type RowPage,
  RowPageQuery,
  USUAL_ROWS,
} from '../api.ts';
import { HttpRefusal, queryOf, refusedAs } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import { type FoundList, ListFiles } from './row-routes/list-files.ts';
import { bothOfRows, rowsPerRead, shownColumns, viewOfRow } from './row-routes/row-cells.ts';
import { type PageWish, rowsOfPage } from './row-routes/row-numbers.ts';
import type { Server } from './server.ts';

export function rowRoutes(server: Server): Hono {
  const lists = new ListFiles();
  void readAhead(server, lists);
  return new Hono()
    .get('/batches/:id/rows', async (context) => {
      const found = await batchOf(context, server);
      const { from, before, limit, status } = queryOf(context, RowPageQuery);
      const wish = { place: before === undefined ? { from } : { before }, limit, status };
      return context.json(await rowPage(found, lists, wish));
    })
    .get('/batches/:id/rows/:row', async (context) => context.json(await rowDetail(server, lists, context)))
    .get('/batches/:id/find', (context) => foundRows(server, lists, context));
}

/** What a command calls wrong usage is here an address that leads nowhere. */
async function orNotThere<T>(found: Promise<T>, next: string): Promise<T> {
  try {
    return await found;
  } catch (error) {
    throw error instanceof StopError && error.code === 'usage'
      ? new HttpRefusal(404, error.message, next)
      : error;
  }
}

const MOST_ROWS = 500;

async function rowPage(
  { batch, location }: FoundBatch,
  lists: ListFiles,
  { limit: wanted, ...wished }: PageWish,
): Promise<RowPage> {
  const wish = { ...wished, limit: Math.min(rowsPerRead(batch, MOST_ROWS), wanted) };
  const found = await lists.of(batch);
  return lookInto(location, async (ledger) => {
    const { rows, prev, next } = await rowsOfPage(ledger, batch, wish);
    const both = await bothOfRows(ledger, batch, found, rows);
    const header = found.list?.header ?? [];
    const { columns, more } = await shownColumns(ledger, batch, header);
    return {
      ...headOf(batch, found),
      counts: countsOf(batch, await ledger.counts(batch.id)),
      last: await ledger.lastSubmitted(batch.id),
      header: [...header],
      added: columns.map(({ name }) => name),
      more_columns: more,
      rows: both.map((each) => viewOfRow(batch, columns, header.length, each)),
      ...{ prev, next },
    };
  });
}

/** What a person opens first is the newest batch: while the browser starts, its rows are read once, for nobody. */
async function readAhead(server: Server, lists: ListFiles): Promise<void> {
  try {
    const lines = await batchLines(server.store);
    const [newest] = lines.toSorted((one, other) => other.batch.createdAtMs - one.batch.createdAtMs);
    const found = newest && (await batchWithId(newest.batch.id, newest.location));
    if (found !== undefined)
      await rowPage(found, lists, { place: { from: 0 }, limit: USUAL_ROWS, status: undefined });
  } catch {
    // What is wrong with it is said to who asks for it.
  }
}

function headOf(
  batch: Batch,
  { state: list }: FoundList,
): Pick<RowPage, keyof typeof BatchNamed.shape | 'list'> {
  return { ...BatchNamed.of({ batch, name: listNameOf(batch.inputPath) }), list };
}

function countsOf(batch: Batch, counts: Awaited<ReturnType<LedgerReader['counts']>>): Record<string, number> {
  const pending = Math.max(0, batch.inputRows + (batch.rowsBeyond ?? 0) - finishedIn(counts));
  return { ...counts, ...(pending === 0 ? {} : { pending }) };
}

async function rowDetail(server: Server, lists: ListFiles, context: Context): Promise<RowDetail> {
  const { batch, location } = await batchOf(context, server);
  const text = context.req.param('row') ?? '';
  const found = await lists.of(batch);
  return lookInto(location, async (ledger) => {
    const story = await orNotThere(rowStory(ledger, batch, text), "Give the spreadsheet's number of a row.");
    const [before, from] = [{ before: story.row }, { from: story.row }];
    const near = [
      ...(await ledger.rowKinds(batch.id, before, 1)),
      ...(await ledger.rowKinds(batch.id, from, 2)),
    ];
    const [both] = near.some(({ row }) => row === story.row)
      ? await bothOfRows(ledger, batch, found, [story.row])
      : [];
    if (both === undefined)
      throw new HttpRefusal(404, `Batch ${batch.id} has no row ${story.row}.`, 'It may be a blank line.');
    const header = found.list?.header ?? [];
    const { columns } = await shownColumns(ledger, batch, header);
    const view = viewOfRow(batch, columns, header.length, both, Number.POSITIVE_INFINITY);
    return {
      ...headOf(batch, found),
      cells: (view.cells ?? []).map((cell, at) => ({ name: header[at] ?? '', text: cell })),
      found: view.found.map((cell, at) => ({ name: columns[at]?.name ?? '', text: cell })),
      view,
      planned: story.planned === undefined ? [] : stepsOf(story.planned),
      attempts: RowObject.of(story).attempts,
      prev: near.findLast(({ row }) => row < story.row)?.row ?? null,
      next: near.find(({ row }) => row > story.row)?.row ?? null,
    };
  });
}

/** What was planned: `change role, jo@x.com in Sales: viewer → editor`. */
function stepsOf(work: JsonObject): string[] {
  const { subject, email, project = subject.project, from, to, action } = keptWork(work);
  const what = action === undefined ? '' : `${action.replace('_', ' ')}, `;
  const where = project === undefined ? '' : ` in ${project}`;
  return [`${what}${email ?? subject.name}${where}: ${from === undefined ? to : `${from} → ${to}`}`];
}

/** Answers as it goes, and ends as soon as nobody reads any more. */
async function foundRows(server: Server, lists: ListFiles, context: Context): Promise<Response> {
  const { batch, location } = await batchOf(context, server);
  const { text, from } = queryOf(context, FindQuery);
  const found = await lists.of(batch);
  const last = await lookInto(location, (ledger) => ledger.lastSubmitted(batch.id));
  const lines = find(() => lookAtLedger(location), batch, found, { text, from, last });
  context.header('content-type', 'application/x-ndjson');
  return stream(context, async (out) => {
    out.onAbort(async () => {
      await lines.return(undefined);
    });
    try {
      for await (const line of lines) await out.writeln(JSON.stringify(line));
    } catch (error) {
      await out.writeln(JSON.stringify({ error: refusedAs(error) }));
    }
  });
}

/**
 * Looks for a text in every cell of a list and in every answer, row by row. It gives way after each few milliseconds, so
 * that a search through a million rows holds up nobody.
 */

interface Search {
  readonly text: string;
  readonly from: RowNumber;
  readonly last: RowNumber;
}

/** As many hits as a person looks through; then the search waits to be asked to go on. */
const MOST_HITS = 50;

/** Their answers are a few milliseconds of the event loop. */
const ROWS_PER_READ = 200;

/** Between two lines about how far it has come, ms. */
const PROGRESS_MS = 250;

/** Letters around the text that was found. */
const AROUND = 60;

/** A reader that is open for long would keep a run beside it from tidying up its log, so it is opened anew so often, ms. */
const READER_MS = 1_000;

async function* find(
  look: () => Promise<LedgerReader>,
  batch: Batch,
  found: FoundList,
  search: Search,
): AsyncGenerator<FindLine> {
  let ledger = await look();
  let [openedAt, toldAt, hits] = [performance.now(), 0, 0];
  try {
    for await (const slice of slices(ledger, found, search, rowsPerRead(batch, ROWS_PER_READ))) {
      for (const hit of await hitsIn(ledger, batch, found, slice, search)) {
        yield hit;
        hits += 1;
        if (hits === MOST_HITS) return yield { next: hit.row + 1 };
      }
      const now = performance.now();
      if (now - toldAt > PROGRESS_MS) {
        toldAt = now;
        yield { at: slice.before - 1 };
      }
      if (now - openedAt > READER_MS) {
        openedAt = now;
        await ledger.close();
        ledger = await look();
      }
      await turn();
    }
    yield { next: null };
  } finally {
    await ledger.close();
  }
}

interface Slice {
  readonly rows: readonly InputRow[];
  readonly from: RowNumber;
  readonly before: RowNumber;
}

async function* slices(
  ledger: LedgerReader,
  { list }: FoundList,
  { from, last }: Search,
  size: number,
): AsyncGenerator<Slice> {
  let start = from;
  if (list !== undefined) {
    let rows: InputRow[] = [];
    for await (const row of list.rows(ledger, from)) {
      rows.push(row);
      if (rows.length < size) continue;
      yield { rows, from: start, before: row.row + 1 };
      start = row.row + 1;
      rows = [];
    }
    yield { rows, from: start, before: (rows.at(-1)?.row ?? start - 1) + 1 };
    start = (rows.at(-1)?.row ?? start - 1) + 1;
  }
  // What the list does not have, the ledger may know: all of a list that is gone, and people that it did not name.
  for (; start <= last; start += size) yield { rows: [], from: start, before: start + size };
}

type Hit = Extract<FindLine, { readonly row: number }>;

/** One hit for a row, in the first place that has the text. */
async function hitsIn(
  ledger: LedgerReader,
  batch: Batch,
  { list }: FoundList,
  { rows, from, before }: Slice,
  { text }: Search,
): Promise<readonly Hit[]> {
  const wanted = text.toLowerCase();
  const hits = new Map<RowNumber, Hit>();
  const look = (row: RowNumber, column: string, where: string): boolean => {
    const at = where.toLowerCase().indexOf(wanted);
    if (at >= 0) hits.set(row, { row, column, text: excerpt(where, at, wanted.length) });
    return at >= 0;
  };
  for (const { row, cells } of rows) cells.some((cell, at) => look(row, list?.header[at] ?? '', cell));
  for (const { row, outcome, answers } of await ledger.rows(batch.id, from, before - from)) {
    if (row >= before || hits.has(row) || look(row, '_reason', outcome.reason ?? '')) continue;
    answers.some(({ body }) => look(row, '', body.toString('utf8')));
  }
  return [...hits.values()].sort((one, other) => one.row - other.row);
}

function excerpt(text: string, at: number, length: number): string {
  const [from, to] = [Math.max(0, at - AROUND), at + length + AROUND];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
