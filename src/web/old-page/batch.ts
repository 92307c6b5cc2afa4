import { type Context, Hono } from 'hono';
import { listNameOf } from '../../files/list-name.ts';
import type { BatchFigures } from '../../files/output/batch-figures.ts';
import { changesSentence } from '../../files/output/change-words.ts';
import { changesDone } from '../../files/output/changes-done.ts';
import { readFigures } from '../../files/output/output.ts';
import { summaryOf } from '../../files/output/summary-words.ts';
import type { Batch } from '../../ledger/ledger.ts';
import type { BatchNamed } from '../../objects/batch-object.ts';
import { batchStatus } from '../../run/batches.ts';
import { pricesIn } from '../../run/known-account.ts';
import { batchWithId, type FoundBatch, lookInto } from '../../run/open-ledger.ts';
import { type BatchDetail, SummaryView } from '../api.ts';
import { HttpRefusal } from '../server/answers.ts';
import type { Server } from '../server/server.ts';
import { Readings } from './readings.ts';

/**
 * Batches as their ledgers have them now. Each question is one short read, so that the limiter of a run
 * beside it keeps time.
 */
export function batchRoutes(server: Server): Hono {
  return new Hono()
    .get('/batches/:id', async (context) => {
      const found = await batchOf(context, server);
      const detail = await lookInto(found.location, (ledger) => batchStatus(ledger, found));
      return context.json(asCalled(detail) satisfies BatchDetail);
    })
    .route('/', summaryRoutes(server));
}

/**
 * Calls a batch's list by the name that people use: a list that was brought to the page has one of its own.
 */
export const asCalled = <Named extends BatchNamed>(of: Named): Named => ({
  ...of,
  input: listNameOf(of.input),
});

export const namedOf = ({ id, operation, inputPath, sandbox }: Batch): BatchNamed =>
  asCalled({ batch: id, operation, input: inputPath, sandbox });

function summaryRoutes(server: Server): Hono {
  const figures = new Readings<BatchFigures>();
  return new Hono().get('/batches/:id/summary', async (context) => {
    const found = await batchOf(context, server);
    const { batch, location } = found;
    const summary = await lookInto(location, async (ledger) => {
      const priceOf = await pricesIn(ledger);
      const mark = JSON.stringify([batch.id, await ledger.counts(batch.id)]);
      const of = await figures.of(mark, () => readFigures(ledger, batch, priceOf));
      const changed = await changesDone(ledger, batch);
      const words = summaryOf(batch, of, changed && changesSentence(changed));
      return SummaryView.parse({ figures: of, ...words });
    });
    return context.json(summary satisfies SummaryView);
  });
}

/** The batch that the address names by its whole id. @throws HttpRefusal 404 when there is none. */
export async function batchOf(context: Context, { store }: Server): Promise<FoundBatch> {
  const found = await batchWithId(context.req.param('id') ?? '', store);
  if (found !== undefined) return found;
  throw new HttpRefusal(404, 'There is no such batch.', 'See all batches.');
}
