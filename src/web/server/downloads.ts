import { createReadStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { listNameOf } from '../../files/list-name.ts';
import { notedOutput, usualOutput } from '../../files/output/output.ts';
import { nameParts } from '../../lib/file-name.ts';
import type { FoundBatch } from '../../run/open-ledger.ts';
import type { Ticket, Tickets } from '../api.ts';
import { OnceOnly } from './admission.ts';
import { HttpRefusal } from './answers.ts';
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

/** Longer than a ticket works. */
const KEPT_MS = 70_000;

const KINDS = ['output', 'needs_attention', 'report'] as const;
type Kind = (typeof KINDS)[number];

export class Downloads {
  /** Of folders that only their owner can read. */
  readonly #folder: string;
  readonly #tickets: OnceOnly<Ready>;

  constructor({ clock, folder }: Pick<Server, 'clock' | 'folder'>) {
    this.#folder = join(folder, 'downloads');
    this.#tickets = new OnceOnly(clock);
    // What a server that was killed had written for its tickets, nobody can fetch any more.
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @param write an output of that name, and what belongs beside it. @returns tickets for what is there then. */
  async ticketsFor(name: string, write: (path: string) => Promise<unknown>): Promise<Tickets> {
    const folder = await this.#newFolder();
    try {
      await write(join(folder, name));
      const tickets: Tickets = {};
      const written = await readdir(folder);
      for (const kind of KINDS) {
        const found = written.find((each) => kindOf(each, name) === kind);
        if (found !== undefined) tickets[kind] = await this.#ticketFor(join(folder, found));
      }
      return tickets;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #ticketFor(written: string): Promise<Ticket> {
    const folder = await this.#newFolder();
    const name = basename(written);
    const ready: Ready = { folder, path: join(folder, name) };
    await rename(written, ready.path);
    const ticket = this.#tickets.issue(ready);
    setTimeout(() => {
      // A ticket that was used has another to remove its folder.
      if (this.#tickets.redeem(ticket) !== undefined) void removed(ready);
    }, KEPT_MS).unref();
    return { ticket, name };
  }

  async #newFolder(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return mkdtemp(join(this.#folder, 'copy-'));
  }

  routes(): Hono {
    return new Hono().get('/downloads/:ticket', async (context) => {
      // A question about the file must not use it up, and what nobody reads would never be removed.
      if (context.req.method === 'HEAD')
        throw new HttpRefusal(404, 'A download answers only to GET.', 'Follow its link.');
      const ready = this.#tickets.redeem(context.req.param('ticket'));
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
        'content-disposition': disposition(basename(ready.path)),
        'content-security-policy': "sandbox; default-src 'none'",
      });
    });
  }
}

function removed({ folder }: Ready): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** The name of the batch's output, or the one that it would have, as the user calls the list. */
export function outputName({ batch, location }: FoundBatch): string {
  const { inputPath } = batch;
  const listName = listNameOf(inputPath);
  const kept = basename(notedOutput(batch, location) ?? usualOutput(batch));
  const own = nameParts(inputPath).stem;
  return kept.startsWith(own) ? nameParts(basename(listName)).stem + kept.slice(own.length) : kept;
}

function kindOf(name: string, output: string): Kind | undefined {
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
