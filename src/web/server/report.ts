import { Hono } from 'hono';
import { changesDone } from '../../files/output/changes-done.ts';
import { readFigures, readReport } from '../../files/output/output.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { pricesIn } from '../../run/known-account.ts';
import { batchWithId, lookInto } from '../../run/open-ledger.ts';
import type { ReportObject } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/** So many reports are kept, because no more lists are open in tabs at once. */
const MOST_KEPT = 50;

/** What came of a batch. Its figures are read from every row, so they are kept until another row ends. */
export function reportRoutes({ store }: Server): Hono {
  const kept = new Map<string, Promise<ReportObject>>();
  return new Hono().get('/batches/:id/report', async (context) => {
    const found = await batchWithId(context.req.param('id'), store);
    if (found === undefined) throw new HttpRefusal(404, 'This list is not there.', 'See all lists.');
    const { batch, location } = found;
    const report = await lookInto(location, async (ledger) => {
      const mark = JSON.stringify([batch.id, await ledger.counts(batch.id)]);
      const known = kept.get(mark);
      if (known !== undefined) return known;
      const reading = readNow(ledger, batch);
      kept.set(mark, reading);
      reading.catch(() => kept.delete(mark));
      for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest);
      return reading;
    });
    return context.json(report);
  });
}

async function readNow(ledger: LedgerReader, batch: Batch): Promise<ReportObject> {
  const figures = await readFigures(ledger, batch, await pricesIn(ledger));
  return readReport(ledger, batch, figures, await changesDone(ledger, batch));
}
