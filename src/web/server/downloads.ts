import { createReadStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { listNameOf } from '../../files/list-name.ts';
import { asWorkbook, besideInput } from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { nameParts } from '../../lib/file-name.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import { type Ticket, TicketRequest } from '../api.ts';
import { OnceOnly } from './admission.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import { batchOf } from './batch-routes.ts';
import { askChild } from './children.ts';
import { visibleName } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Files that a person takes along. A browser sends no token with a download, so it has a ticket that works once and for a
 * minute. What it brings is a copy that was written for it, and the batch's own output stays as it is.
 */

interface Ready {
  /** The folder of this download alone, which is removed after it. */
  readonly folder: string;
  readonly path: string;
}

const nameOf = ({ path }: Ready): string => basename(path);

/** Longer than a ticket works. */
const KEPT_MS = 70_000;

export function downloadRoutes(server: Server): Hono {
  const tickets = new OnceOnly<Ready>(server.clock);
  // What a server that was killed had written for its tickets, nobody can fetch any more.
  rmSync(foldersOf(server), { recursive: true, force: true });
  const ticketFor = (ready: Ready): Ticket => {
    const ticket = tickets.issue(ready);
    setTimeout(() => {
      // A ticket that was used has another to remove its folder.
      if (tickets.redeem(ticket) !== undefined) void removed(ready);
    }, KEPT_MS).unref();
    return { ticket, name: nameOf(ready) };
  };
  return new Hono()
    .post('/api/batches/:id/tickets', async (context) => {
      const wanted = await bodyOf(context, TicketRequest);
      return context.json(ticketFor(await copyOf(await batchOf(context, server), wanted, server)));
    })
    .get('/downloads/:ticket', async (context) => {
      // A question about the file must not use it up, and what nobody reads would never be removed.
      if (context.req.method === 'HEAD')
        throw new HttpRefusal(404, 'A download answers only to GET.', 'Follow its link.');
      const ready = tickets.redeem(context.req.param('ticket'));
      if (ready === undefined)
        throw new HttpRefusal(
          404,
          'This download was used already, or is older than a minute.',
          'Ask for it again.',
        );
      const { size } = await stat(ready.path).catch(() => {
        throw new HttpRefusal(404, 'This download is not there any more.', 'Ask for it again.');
      });
      const file = createReadStream(ready.path).once('close', () => void removed(ready));
      return context.body(Readable.toWeb(file) as ReadableStream, 200, {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'content-disposition': disposition(nameOf(ready)),
        'content-security-policy': "sandbox; default-src 'none'",
      });
    });
}

const foldersOf = ({ folder }: Pick<Server, 'folder'>): string => join(folder, 'downloads');

function removed({ folder }: Ready): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

async function newFolder(server: Pick<Server, 'folder'>): Promise<string> {
  const folders = foldersOf(server);
  await mkdir(folders, { recursive: true, mode: 0o700 });
  return mkdtemp(join(folders, 'copy-'));
}

/** Writes the copy. @throws StopError as `export`, and when there is no such file. */
async function copyOf(
  { batch, location }: FoundBatch,
  { what, format }: TicketRequest,
  server: Server,
): Promise<Ready> {
  const { program } = server;
  const folder = await newFolder(server);
  try {
    const output = join(folder, outputName(batch, format));
    await askChild(program, ['export', batch.id, '--copy', '-o', output, '--store', location]);
    const names = await readdir(folder);
    const name = names.find((each) => kindOf(each, basename(output)) === what);
    if (name !== undefined) return { folder, path: join(folder, name) };
    throw stop('usage', `Batch ${batch.id} has no such file: ${NOTHING[what]}.`, 'Choose another one.');
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const NOTHING: Readonly<Record<TicketRequest['what'], string>> = {
  output: 'nothing was written',
  needs_attention: 'no row needs attention',
  report: 'no report was written',
};

/** The name of the batch's output, or the one that it would have, as the user calls the list. */
function outputName(
  { inputPath, outputPath, sandbox, settings }: Batch,
  format: TicketRequest['format'],
): string {
  const listName = listNameOf(inputPath);
  const kept = basename(outputPath ?? besideInput(inputPath, sandbox, settingsKept(settings).output_name));
  const own = nameParts(inputPath).stem;
  const usual = kept.startsWith(own) ? nameParts(basename(listName)).stem + kept.slice(own.length) : kept;
  const { stem, ending } = nameParts(usual);
  if (format === 'xlsx') return asWorkbook(usual);
  return format === 'csv' && !/\.(?:csv|tsv|txt)$/i.test(ending) ? `${stem}.csv` : usual;
}

function kindOf(name: string, output: string): TicketRequest['what'] | undefined {
  if (name === output) return 'output';
  const rest = name.slice(nameParts(output).stem.length);
  if (rest.startsWith('.needs-attention.')) return 'needs_attention';
  return rest === '.report.html' ? 'report' : undefined;
}

/** RFC 6266: the name as a person reads it in `filename*`, and without what an old browser could misread in `filename`. */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const whole = encodeURIComponent(visibleName(name)).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
