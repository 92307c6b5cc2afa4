import { type Context, Hono } from 'hono';
import { StopError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/operation.ts';
import { listNameOf } from '../../files/list-name.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { RowObject } from '../../objects/row-object.ts';
import { keptWork } from '../../operations/team/change-action.ts';
import { type FoundBatch, lookInto } from '../../run/open-ledger.ts';
import { finishedIn } from '../../run/tasks/batch-status.ts';
import { rowStory } from '../../run/tasks/row-story.ts';
import { BatchNamed, type RowDetail, type RowPage, RowPageQuery } from '../api.ts';
import { HttpRefusal, queryOf } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import { bothOfRows, rowsPerRead, shownColumns, viewOfRow } from './row-routes/row-cells.ts';
import { type PageWish, rowsOfPage } from './row-routes/row-numbers.ts';
import type { Server } from './server.ts';

export function rowRoutes(server: Server): Hono {
  return new Hono()
    .get('/batches/:id/rows', async (context) => {
      const found = await batchOf(context, server);
      const { from, before, limit, status } = queryOf(context, RowPageQuery);
      const wish = { place: before === undefined ? { from } : { before }, limit, status };
      return context.json(await rowPage(found, wish));
    })
    .get('/batches/:id/rows/:row', async (context) => context.json(await rowDetail(server, context)));
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
  { limit: wanted, ...wished }: PageWish,
): Promise<RowPage> {
  const wish = { ...wished, limit: Math.min(rowsPerRead(batch, MOST_ROWS), wanted) };
  return lookInto(location, async (ledger) => {
    const { rows, prev, next } = await rowsOfPage(ledger, batch, wish);
    const both = await bothOfRows(ledger, batch, rows);
    const { columns, more } = await shownColumns(ledger, batch);
    return {
      ...headOf(batch),
      counts: countsOf(batch, await ledger.counts(batch.id)),
      last: await ledger.lastSubmitted(batch.id),
      header: [...batch.header],
      added: columns.map(({ name }) => name),
      more_columns: more,
      rows: both.map((each) => viewOfRow(batch, columns, each)),
      ...{ prev, next },
    };
  });
}

const headOf = (batch: Batch): Pick<RowPage, keyof typeof BatchNamed.shape> =>
  BatchNamed.of({ batch, name: listNameOf(batch.inputPath) });

function countsOf(batch: Batch, counts: Awaited<ReturnType<LedgerReader['counts']>>): Record<string, number> {
  const pending = Math.max(0, batch.inputRows + (batch.rowsBeyond ?? 0) - finishedIn(counts));
  return { ...counts, ...(pending === 0 ? {} : { pending }) };
}

async function rowDetail(server: Server, context: Context): Promise<RowDetail> {
  const { batch, location } = await batchOf(context, server);
  const text = context.req.param('row') ?? '';
  return lookInto(location, async (ledger) => {
    const story = await orNotThere(rowStory(ledger, batch, text), "Give the spreadsheet's number of a row.");
    const [before, from] = [{ before: story.row }, { from: story.row }];
    const near = [
      ...(await ledger.rowKinds(batch.id, before, 1)),
      ...(await ledger.rowKinds(batch.id, from, 2)),
    ];
    const [both] = near.some(({ row }) => row === story.row)
      ? await bothOfRows(ledger, batch, [story.row])
      : [];
    if (both === undefined)
      throw new HttpRefusal(404, `Batch ${batch.id} has no row ${story.row}.`, 'It may be a blank line.');
    const { columns } = await shownColumns(ledger, batch);
    const view = viewOfRow(batch, columns, both, Number.POSITIVE_INFINITY);
    return {
      ...headOf(batch),
      cells: (view.cells ?? []).map((cell, at) => ({ name: batch.header[at] ?? '', text: cell })),
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
