import { createReadStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { listNameOf } from '../../files/list-name.ts';
import { notedOutput, usualOutput } from '../../files/output/output.ts';
import { nameParts } from '../../lib/file-name.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import type { Tickets } from '../api.ts';
import { OnceOnly } from './admission.ts';
import { HttpRefusal } from './answers.ts';
import { visibleName } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Files that a person downloads. A browser sends no token with a download, so each file has a ticket that
 * works once and within a minute. The file is a copy that was written for the ticket; the batch's own output
 * stays as it is.
 */

/** A copy is kept for longer than its ticket works. */
const DOWNLOAD_MS = 70_000;

export class Downloads {
  /** In folders that only their owner can read. */
  readonly #folder: string;
  /** Each ticket stands for the path of a file. */
  readonly #tickets: OnceOnly<string>;

  constructor({ clock, folder }: Pick<Server, 'clock' | 'folder'>) {
    this.#folder = join(folder, 'downloads');
    this.#tickets = new OnceOnly(clock);
    // After a server was killed, nobody can fetch the files for its tickets any more.
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * @param write writes an output of that name, and the files beside it.
   * @returns tickets for the written files.
   */
  async ticketsFor(name: string, write: (path: string) => Promise<unknown>): Promise<Tickets> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(this.#folder, 'copy-'));
    try {
      await write(join(folder, name));
    } catch (error) {
      await removed(folder);
      throw error;
    }
    setTimeout(() => void removed(folder), DOWNLOAD_MS).unref();
    const tickets: Tickets = {};
    for (const found of await readdir(folder)) {
      const kind = kindOf(found, name);
      if (kind !== undefined)
        tickets[kind] = { ticket: this.#tickets.issue(join(folder, found)), name: found };
    }
    return tickets;
  }

  routes(): Hono {
    return new Hono().get('/downloads/:ticket', async (context) => {
      // A HEAD request must not use up the ticket, and a file that nobody reads would never be removed.
      if (context.req.method === 'HEAD')
        throw new HttpRefusal(404, 'A download answers only to GET.', 'Follow its link.');
      const path = this.#tickets.redeem(context.req.param('ticket'));
      if (path === undefined)
        throw new HttpRefusal(
          404,
          'This download was used already, or is older than a minute.',
          'Ask for it again.',
        );
      const { size } = await stat(path).catch(() => {
        throw new HttpRefusal(404, 'This download is not there any more.', 'Ask for it again.');
      });
      const file = createReadStream(path).once('close', () => void removed(path));
      return context.body(Readable.toWeb(file) as ReadableStream, 200, {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'content-disposition': disposition(basename(path)),
        'content-security-policy': "sandbox; default-src 'none'",
      });
    });
  }
}

/**
 * Removes a copy. If that fails while the copy is still being read, the copy goes when the page is started
 * again.
 */
function removed(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true }).catch(() => {});
}

/** The name of the batch's output, or the one that it would have, with the user's name for the list. */
export function outputName({ batch, location }: FoundBatch): string {
  const { inputPath } = batch;
  const listName = listNameOf(inputPath);
  const kept = basename(notedOutput(batch, location) ?? usualOutput(batch));
  const own = nameParts(inputPath).stem;
  return kept.startsWith(own) ? nameParts(basename(listName)).stem + kept.slice(own.length) : kept;
}

function kindOf(name: string, output: string): keyof Tickets | undefined {
  if (name === output) return 'output';
  const rest = name.slice(nameParts(output).stem.length);
  if (rest.startsWith('.needs-attention.')) return 'needs_attention';
  return rest === '.report.html' ? 'report' : undefined;
}

/**
 * RFC 6266: the full name in `filename*`, and in `filename` the name without characters that an old browser
 * could misread.
 */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const whole = encodeURIComponent(visibleName(name)).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
