import { rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { stop } from '../../core/errors.ts';
import { pageFolder } from '../../core/families.ts';
import { escapeMarkup } from '../../core/plain-text.ts';
import { commandLine } from '../../lib/command-line.ts';
import { type OpenAnswer, OpenRequest } from '../api.ts';
import { bodyOf, HttpRefusal, refusalOf } from './answers.ts';
import { batchRoutes } from './batches.ts';
import { commandRoutes } from './commands.ts';
import { downloadRoutes } from './downloads.ts';
import type { Guard } from './guard.ts';
import { listRoutes } from './lists.ts';
import type { Server } from './server.ts';
import { nightRoutes } from './sweeps.ts';
import { taskRoutes } from './work.ts';

export function appOf(server: Server, guard: Guard, files: ReadonlyMap<string, PageFile>): Hono {
  const app = new Hono();
  app.onError((error, context) => refusalOf(server, error, context));
  app.use((context, next) => guard.check(context, next));
  for (const [path, { body, type }] of files)
    app.get(path, (context) => context.body(body, 200, { 'content-type': type }));
  app.post('/api/session', async (context) => {
    const token = guard.admit((await bodyOf(context, OpenRequest)).opening);
    const next = `Ask for a new one: ${commandLine(['serve'])}`;
    if (token === undefined)
      throw new HttpRefusal(401, 'This address was used already, or is older than a minute.', next);
    rmSync(redirectIn(server.folder), { force: true });
    return context.json({ token } satisfies OpenAnswer);
  });
  // A tool that has the token of serve.json, such as a second `rowonce serve`, asks for another address.
  app.post('/api/openings', (context) => context.json(guard.opening()));
  for (const routes of [commandRoutes, batchRoutes, downloadRoutes, listRoutes, taskRoutes, nightRoutes])
    app.route('/api', routes(server));
  // Every view has an address of its own, and each address gives the same page.
  app.notFound((context) => {
    const { method, path } = context.req;
    const page = files.get('/');
    const isView = ['GET', 'HEAD'].includes(method) && !path.startsWith('/api/') && !path.includes('.');
    if (page !== undefined && isView) return context.body(page.body, 200, { 'content-type': page.type });
    const next = 'See docs/reference/json.md for the addresses of programs.';
    throw new HttpRefusal(404, `There is nothing at ${path.slice(0, 200)}.`, next);
  });
  return app;
}

/**
 * The file that leads a browser to an address with its word. The word is in a file, because every user of a
 * machine can read the arguments of a process.
 */
export const redirectIn = (folder: string): string => join(folder, 'open.html');

/** A file of the page. The files are few, are built beside the program, and are kept in memory. */
interface PageFile {
  readonly body: string;
  readonly type: string;
}

/** The files by their path in the address. @throws StopError `usage` when the page was not built. */
export async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const program = escapeMarkup(commandLine([]));
  for (const name of await readdir(pageFolder()).catch(() => [])) {
    const type = getMimeType(name);
    if (type === undefined) continue;
    const text = await readFile(new URL(name, pageFolder()), 'utf8');
    if (name === 'index.html') files.set('/', { body: text.replaceAll('%program%', program), type });
    else files.set(`/${name}`, { body: text, type });
  }
  if (files.has('/')) return files;
  throw stop(
    'usage',
    'The page has not been built yet.',
    'Run "npm run build", then the same command again.',
  );
}
