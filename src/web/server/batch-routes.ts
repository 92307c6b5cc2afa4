import { type Context, Hono } from 'hono';
import { listNameOf } from '../../files/list-name.ts';
import type { BatchFigures } from '../../files/output/batch-figures.ts';
import { changesDone, changesSentence } from '../../files/output/changes-done.ts';
import { readFigures } from '../../files/output/output.ts';
import { summaryOf } from '../../files/output/summary-words.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { WorkerObject } from '../../objects/batch-object.ts';
import { batchWithId, type FoundBatch, lookInto } from '../../run/open-ledger.ts';
import { batchesPage, batchStatus } from '../../run/tasks/batch-status.ts';
import { pricesOfAccounts } from '../../run/tasks/spend.ts';
import { workersAt } from '../../run/tasks/workers.ts';
import {
  BatchDetail,
  type BatchList,
  BatchListQuery,
  BatchView,
  type ChartData,
  SummaryView,
  type WorkerList,
} from '../api.ts';
import { HttpRefusal, queryOf } from './answers.ts';
import { Paced } from './paced.ts';
import type { Server } from './server.ts';

/** A page of the list holds so many batches. */
const PER_PAGE = 50;

/** Batches as their ledgers have them now. Each question is one short read, so that the limiter of a run beside it keeps time. */
export function batchRoutes(server: Server): Hono {
  const activities = new Paced<ChartData>(server.clock, MOST_ACTIVITIES);
  return new Hono()
    .get('/batches', async (context) => {
      const { page, text, state } = queryOf(context, BatchListQuery);
      const wanted = text.trim().toLowerCase();
      const from = (page - 1) * PER_PAGE;
      const lets = (batch: Batch): boolean =>
        (state === 'all' || batch.state === state) &&
        [listNameOf(batch.inputPath), batch.operation, batch.accountName, batch.id].some((word) =>
          word.toLowerCase().includes(wanted),
        );
      const { overviews, total, all } = await batchesPage(server.store, { from, most: PER_PAGE, lets });
      const batches = overviews.map((each) =>
        BatchView.of({ ...each, name: listNameOf(each.batch.inputPath) }),
      );
      return context.json({ batches, total, per_page: PER_PAGE, all } satisfies BatchList);
    })
    .get('/workers', async (context) => context.json(await workersIn(server)))
    .get('/batches/:id', async (context) => {
      const found = await batchOf(context, server);
      const { id } = found.batch;
      const detail = await lookInto(found.location, async (ledger) => {
        const status = await batchStatus(ledger, found);
        const read = () => chartOf(ledger, status.batch);
        return BatchDetail.of({
          ...status,
          name: listNameOf(status.batch.inputPath),
          activity: await activities.of(id, status.requests, read),
          accountChangedMs: server.accountChanges.get(found.batch.accountName),
          changes: await changesDone(ledger, status.batch),
        });
      });
      return context.json(detail satisfies BatchDetail);
    })
    .route('/', summaryRoutes(server));
}

/** The picture has so many stretches of time: each is still some pixels wide. */
const CHART_BUCKETS = 120;

/** A plan allows so many requests in a second and not in a tenth of one, so nothing is drawn any finer. */
const CHART_UNIT_MS = 1_000;

async function chartOf(ledger: LedgerReader, { id, accountIdentity }: Batch): Promise<ChartData> {
  const activity = await ledger.activity(id, CHART_BUCKETS, CHART_UNIT_MS);
  const untilMs = activity.fromMs + activity.bucketMs * activity.buckets.length;
  return { activity, pauses: await ledger.pauses(accountIdentity, activity.fromMs, untilMs) };
}

function summaryRoutes(server: Server): Hono {
  const figures = new Paced<BatchFigures>(server.clock, MOST_ACTIVITIES);
  return new Hono().get('/batches/:id/summary', async (context) => {
    const found = await batchOf(context, server);
    const { batch, location } = found;
    const price = (await pricesOfAccounts()).get(batch.accountIdentity);
    const summary = await lookInto(location, async (ledger) => {
      const counts = await ledger.counts(batch.id);
      const read = () => readFigures(ledger, batch, price);
      const of = await figures.of(batch.id, JSON.stringify(counts), read);
      const changed = await changesDone(ledger, batch);
      const words = summaryOf(batch, of, changed && changesSentence(changed));
      return SummaryView.of({ figures: of, summary: words });
    });
    return context.json(summary satisfies SummaryView);
  });
}

async function workersIn({ store }: Server): Promise<WorkerList> {
  const workers = await workersAt(store);
  return { shared: workers !== undefined, workers: (workers ?? []).map(WorkerObject.of) };
}

/** The batch that the address names by its whole id. @throws HttpRefusal 404 when there is none. */
export async function batchOf(context: Context, { store }: Server): Promise<FoundBatch> {
  const found = await batchWithId(context.req.param('id') ?? '', store);
  if (found !== undefined) return found;
  throw new HttpRefusal(404, 'There is no such batch.', 'See all batches.');
}

/** As many batches as are open in tabs, at most. */
const MOST_ACTIVITIES = 50;
