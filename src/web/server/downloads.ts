import { createReadStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { listNameOf } from '../../files/list-name.ts';
import { notedOutput, usualOutput } from '../../files/output/output.ts';
import { nameParts } from '../../lib/file-name.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import { TICKETED, type Tickets } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { newSecret } from './guard.ts';
import { visibleName } from './list-files.ts';

/**
 * Files that a person downloads. A browser sends no token with a download, so each file has a ticket that
 * works once and within a minute. The file is a copy that was written for the ticket; the batch's own output
 * stays as it is.
 */

const DOWNLOAD_MS = 60_000;

export class Downloads {
  /** In folders that only their owner can read. */
  readonly #folder: string;
  /** Each ticket stands for the path of a file, and works once, as long as the file is there. */
  readonly #tickets = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = resolve(folder, 'downloads');
    // After a server was killed, nobody can fetch the files for its tickets any more.
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * @param write writes an output of that name, and the files beside it. It returns what the command prints.
   * @returns the same, with tickets for the written files.
   */
  async written(name: string, write: (path: string) => Promise<object>): Promise<object> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(this.#folder, 'copy-'));
    const printed = await write(join(folder, name)).finally(() =>
      setTimeout(() => void removed(folder), DOWNLOAD_MS).unref(),
    );
    const tickets: Tickets = {};
    for (const what of TICKETED) {
      const path = (printed as Readonly<Record<string, unknown>>)[what];
      if (typeof path !== 'string' || dirname(path) !== folder) continue;
      const ticket = newSecret();
      this.#tickets.set(ticket, path);
      tickets[what] = { ticket, name: basename(path) };
    }
    return { ...printed, tickets };
  }

  routes(): Hono {
    return new Hono().get('/downloads/:ticket', async (context) => {
      // A HEAD request must not use up the ticket, and a file that nobody reads would never be removed.
      const ticket = context.req.method === 'GET' ? context.req.param('ticket') : '';
      const path = this.#tickets.get(ticket) ?? '';
      this.#tickets.delete(ticket);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined)
        throw new HttpRefusal(
          404,
          'This download was used already, or is older than a minute.',
          'Ask for it again.',
        );
      const file = createReadStream(path).once('close', () => void removed(path));
      return context.body(Readable.toWeb(file) as ReadableStream, 200, {
        'content-type': 'application/octet-stream',
        'content-length': String(found.size),
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
  const kept = basename(notedOutput(batch, location) ?? usualOutput(batch));
  const own = nameParts(inputPath).stem;
  if (!kept.startsWith(own)) return kept;
  return nameParts(basename(listNameOf(inputPath))).stem + kept.slice(own.length);
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
