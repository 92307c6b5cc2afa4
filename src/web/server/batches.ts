import { Hono } from 'hono';
import { listFolderOf } from '../../core/paths.ts';
import { listNameOf } from '../../files/called.ts';
import { changesDone } from '../../files/output/changes-done.ts';
import { readFigures, readReport } from '../../files/output/output.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { batchesPage } from '../../run/batches.ts';
import { pricesIn } from '../../run/known-account.ts';
import { findBatch, lookInto } from '../../run/open-ledger.ts';
import { type BatchList, BatchListQuery, type ReportObject } from '../api.ts';
import { keptLists } from './list-files.ts';
import type { Server } from './server.ts';

/** A page of the list has this many batches. */
const PER_PAGE = 50;

/** Batches, and what came of them. */
export function batchRoutes(server: Server): Hono {
  const { store } = server;
  return new Hono()
    .get('/batches', async (context) => {
      const { page, list, newest } = checkInput(context.req.path, BatchListQuery, context.req.query());
      const ids = new Map((await keptLists(server)).map(({ path, id }) => [path, id]));
      const isOf = (input: string): boolean => {
        if (list !== undefined) return ids.get(input) === list;
        // A list that was removed from the page is told by the ledger alone.
        return newest === undefined || ids.has(input) || listFolderOf(input) === undefined;
      };
      const range = { from: (page - 1) * PER_PAGE, most: PER_PAGE, isOf, newest: newest !== undefined };
      const { batches, total } = await batchesPage(store, range);
      const named = batches.map((each) => ({
        ...each,
        input: listNameOf(each.input),
        list: ids.get(each.input) ?? null,
      }));
      return context.json({ batches: named, total, per_page: PER_PAGE } satisfies BatchList);
    })
    .get('/batches/:id/report', async (context) => {
      const { batch, location } = await findBatch(context.req.param('id'), store);
      const report: ReportObject = await lookInto(location, async (ledger) => {
        const figures = await readFigures(ledger, batch, await pricesIn(ledger));
        return readReport(ledger, batch, figures, await changesDone(ledger, batch));
      });
      return context.json(report);
    });
}
