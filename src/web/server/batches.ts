import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import type { z } from 'zod';
import { invariant, stop } from '../../core/errors.ts';
import { listFolderOf } from '../../core/paths.ts';
import { listNameOf } from '../../files/called.ts';
import { contentHash } from '../../files/input.ts';
import { changesDone } from '../../files/output/changes-done.ts';
import {
  attentionPath,
  notedOutput,
  readReport,
  readWholeView,
  reportPath,
  usualOutput,
} from '../../files/output/output.ts';
import { type Batch, startedMs } from '../../ledger/ledger.ts';
import { nameParts } from '../../lib/file-name.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import { batchesPage, isOrderedHere } from '../../run/batches.ts';
import { pricesIn } from '../../run/known-account.ts';
import { type FoundBatch, findBatch, lookInto } from '../../run/open-ledger.ts';
import {
  type BatchList,
  BatchListQuery,
  DOWNLOADS,
  DownloadQuery,
  type ListAdded,
  type ReportObject,
  ReportQuery,
} from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { askChild } from './child.ts';
import { bringList, changeList, goneFiles, keptLists, removeFile, visibleName } from './list-files.ts';
import { standingsOf } from './list-standing.ts';
import { planOfRest, withRest } from './report-rest.ts';
import type { Server } from './server.ts';

const PER_PAGE = 50;

/** Batches, and what came of them. */
export function batchRoutes(server: Server): Hono {
  const { store } = server;
  return new Hono()
    .get('/batches', async (context) => {
      const query = checkInput(context.req.path, BatchListQuery, context.req.query());
      return context.json(await batchList(server, query));
    })
    .post('/batches/:id/list', async (context) => {
      const { batch } = await findBatch(context.req.param('id'), store);
      return context.json((await addToLists(server, batch)) satisfies ListAdded, 201);
    })
    .delete('/batches/:id/list', async (context) => {
      const { batch } = await findBatch(context.req.param('id'), store);
      const name = basename(batch.inputPath);
      if (batch.state === 'open')
        throw stop('busy', `${name} is not done yet.`, 'Let it end, or stop it for good; then remove it.');
      await removeFile(server, name, batch.inputPath);
      return context.json({ removed: batch.id });
    })
    .get('/batches/:id/report', async (context) => {
      const { plan } = checkInput(context.req.path, ReportQuery, context.req.query());
      const found = await findBatch(context.req.param('id'), store);
      return context.json(await reportOf(server, found, plan !== undefined));
    });
}

export async function batchList(
  server: Server,
  { page, list, newest }: z.infer<typeof BatchListQuery>,
): Promise<BatchList> {
  const lists = await keptLists(server);
  const standings = newest && (await standingsOf(server, lists));
  const idByPath = new Map(lists.map(({ path, id }) => [path, id]));
  // A file that she added to her lists is shown as that list, until she mends or starts the list.
  const taken = lists.flatMap(({ from, mends, id }) =>
    standings === undefined || from === undefined || mends.length > 0 ? [] : [[from, id] as const],
  );
  const ids = new Map([...taken, ...idByPath]);
  const isStarted = (id: string): boolean => (standings?.get(id)?.batch ?? null) !== null;
  const hidden = new Set(taken.flatMap(([from, id]) => (isStarted(id) ? [from] : [])));
  const gone = await goneFiles(server);
  const isOf = (input: string, batch: Batch): boolean => {
    if (list !== undefined) return idByPath.get(input) === list;
    if (newest === undefined) return true;
    if (hidden.has(input) || startedMs(batch) <= (gone.get(input) ?? 0)) return false;
    // A list that was removed from the page is told by the ledger alone.
    return ids.has(input) || listFolderOf(input) === undefined;
  };
  const shown = standings && new Map(lists.map((each) => [each.path, standings.get(each.id)?.batch ?? '']));
  const range = { from: (page - 1) * PER_PAGE, most: PER_PAGE, isOf, newest: shown };
  const { batches, total } = await batchesPage(server.store, range);
  const named = batches.map((each) => ({
    ...each,
    input: each.is_trial ? 'A trial' : listNameOf(each.input),
    list: ids.get(each.input) ?? null,
  }));
  return { batches: named, total, per_page: PER_PAGE };
}

/**
 * Keeps the file of a batch as a list, such as that of a night, as if she had brought it herself.
 * @throws HttpRefusal 404 for a file that is gone or has changed.
 */
async function addToLists(server: Server, batch: Batch): Promise<ListAdded> {
  const { inputPath, inputSha256 } = batch;
  // Others may have written into the store, and a page shows no file that they name.
  const content = isOrderedHere(batch) ? await contentHash(inputPath).catch(() => undefined) : undefined;
  if (content !== inputSha256)
    throw new HttpRefusal(404, 'The file of this list was moved, or has changed.', 'Bring it yourself.');
  const bring = (as?: 'new') => bringList(server, basename(inputPath), createReadStream(inputPath), as);
  const brought = await bring();
  const list = 'other' in brought ? await bring('new') : brought;
  invariant(!('other' in list), 'a new list is no question');
  await changeList(server, list.id, async () => ({ from: inputPath }));
  return { list: list.id };
}

/** @param isWhole whether also rows are judged that a try has left for later. */
async function reportOf(
  server: Server,
  { batch, location }: FoundBatch,
  isWhole = true,
): Promise<ReportObject> {
  const plan = isWhole ? await planOfRest(server, batch) : undefined;
  return lookInto(location, async (ledger) => {
    const view = await readWholeView(ledger, batch, await pricesIn(ledger));
    const whole = plan === undefined ? view : withRest(view, plan);
    return readReport(ledger, batch, whole, await changesDone(ledger, batch));
  });
}

/**
 * Files that a person downloads. Each is written for the one who asks for it, beside the batch's own output,
 * which stays as it is. It has lost its name before its first byte is sent, so no copy is left.
 */
export function downloadRoutes(server: Server): Hono {
  const { folder, program, store } = server;
  const copies = resolve(folder, 'downloads');
  // A server that was killed may have left some.
  rmSync(copies, { recursive: true, force: true });
  return new Hono().get('/batches/:id/files/:what', async (context) => {
    const { req } = context;
    const found = await findBatch(req.param('id'), store);
    const what = DOWNLOADS.find((each) => each === req.param('what'));
    if (what === undefined) throw new HttpRefusal(404, 'There is no such file.', 'Ask for another file.');
    const { as } = checkInput(req.path, DownloadQuery, req.query());
    if (what === 'report') {
      const output = outputName(found);
      const report = await reportOf(server, found);
      // Its library is loaded for the first one.
      const { reportHtml } = await import('../../files/output/report.ts');
      const attention = report.figures.reasons.length > 0 ? attentionPath(output) : undefined;
      return context.body(reportHtml(found.batch, report, { output, attention }), 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': disposition(reportPath(output)),
      });
    }
    await mkdir(copies, { recursive: true, mode: 0o700 });
    const copyFolder = await mkdtemp(join(copies, 'copy-'));
    try {
      const output = [
        '--copy',
        '--output',
        join(copyFolder, outputName(found, as)),
        '--store',
        found.location,
      ];
      const words = ['export', found.batch.id, ...output];
      const written = new Map(Object.entries(await askChild(program, words, undefined, req.raw.signal)));
      const path: unknown = written.get(what);
      if (typeof path !== 'string')
        throw new HttpRefusal(404, 'The file is not written yet.', 'Ask for another file.');
      const file = createReadStream(path);
      await once(file, 'open');
      return context.body(Readable.toWeb(file) as ReadableStream, 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': disposition(basename(path)),
      });
    } finally {
      // What cannot be removed now goes when the page is started again.
      await rm(copyFolder, { recursive: true, force: true }).catch(() => {});
    }
  });
}

/**
 * The name of the batch's output, or the one that it would have, with the user's name for the list.
 * @param as another form of the same.
 */
export function outputName({ batch }: FoundBatch, as?: 'csv' | 'xlsx'): string {
  const { inputPath } = batch;
  const outputFile = basename(notedOutput(batch) ?? usualOutput(batch));
  const inputStem = nameParts(inputPath).stem;
  const name = outputFile.startsWith(inputStem)
    ? nameParts(basename(listNameOf(inputPath))).stem + outputFile.slice(inputStem.length)
    : outputFile;
  return as === undefined ? name : `${nameParts(name).stem}.${as}`;
}

/** RFC 6266, in the form that takes each character of a name. */
export const disposition = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(visibleName(name))}`;
