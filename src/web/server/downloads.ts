import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { listNameOf } from '../../files/called.ts';
import { notedOutput, usualOutput } from '../../files/output/output.ts';
import { nameParts } from '../../lib/file-name.ts';
import { type FoundBatch, findBatch } from '../../run/open-ledger.ts';
import { DOWNLOADS } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { askChild } from './children.ts';
import { visibleName } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Files that a person downloads. Each is written for the one who asks for it, beside the batch's own output,
 * which stays as it is. It has lost its name before its first byte is sent, so no copy is left.
 */
export function downloadRoutes({ folder, program, store }: Server): Hono {
  const copies = resolve(folder, 'downloads');
  // A server that was killed may have left some.
  rmSync(copies, { recursive: true, force: true });
  return new Hono().get('/batches/:id/files/:what', async (context) => {
    const { req } = context;
    const found = await findBatch(req.param('id'), store);
    const what = DOWNLOADS.find((each) => each === req.param('what'));
    if (what === undefined) throw new HttpRefusal(404, 'There is no such file.', 'Ask for another file.');
    await mkdir(copies, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(join(copies, 'copy-'));
    try {
      const output = ['--copy', '--output', join(own, outputName(found)), '--store', found.location];
      const words = ['export', found.batch.id, ...output];
      const written = new Map(Object.entries(await askChild(program, words, undefined, req.raw.signal)));
      const path: unknown = written.get(what);
      if (typeof path !== 'string')
        throw new HttpRefusal(404, 'There is nothing in it yet.', 'Ask for another file.');
      const file = createReadStream(path);
      await once(file, 'open');
      return context.body(Readable.toWeb(file) as ReadableStream, 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': disposition(basename(path)),
      });
    } finally {
      // What cannot be removed now goes when the page is started again.
      await rm(own, { recursive: true, force: true }).catch(() => {});
    }
  });
}

/** The name of the batch's output, or the one that it would have, with the user's name for the list. */
function outputName({ batch, location }: FoundBatch): string {
  const { inputPath } = batch;
  const kept = basename(notedOutput(batch, location) ?? usualOutput(batch));
  const own = nameParts(inputPath).stem;
  if (!kept.startsWith(own)) return kept;
  return nameParts(basename(listNameOf(inputPath))).stem + kept.slice(own.length);
}

/** RFC 6266, in the form of which each character of a name can be a part. */
const disposition = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(visibleName(name))}`;
