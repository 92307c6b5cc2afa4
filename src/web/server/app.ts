import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { described } from '../../core/described.ts';
import { pageFolder } from '../../core/families.ts';
import { vendorTitles } from '../../core/vendor-titles.ts';
import { commandLine, programWords } from '../../lib/command-line.ts';
import { openedOnce } from '../../run/open-ledger.ts';
import { Challenge, type OpenAnswer, OpenRequest, type OperationList } from '../api.ts';
import { bodyOf, HttpRefusal, refusalOf } from './answers.ts';
import { batchRoutes, downloadRoutes } from './batches.ts';
import { commandRoutes } from './commands.ts';
import type { Guard } from './guard.ts';
import { listRoutes } from './lists.ts';
import { nightRoutes } from './nights.ts';
import type { Server } from './server.ts';
import { viewRoutes } from './views.ts';
import { taskRoutes } from './work.ts';

export async function appOf(server: Server, guard: Guard): Promise<Hono> {
  const page = await readFile(new URL('index.html', pageFolder()), 'utf8');
  const shown = page.replaceAll('%program%', programWords());
  const app = new Hono();
  app.onError((error, context) => refusalOf(server, error, context));
  app.use((context, next) => guard.check(context, next));
  app.use('/api/*', (_, next) => openedOnce(next));
  app.get('/', (context) => context.html(shown));
  app.post('/api/session', async (context) => {
    const token = guard.admit((await bodyOf(context, OpenRequest)).opening);
    const next = `Ask for a new one: ${commandLine(['serve'])}`;
    if (token === undefined)
      throw new HttpRefusal(401, 'This address was used already, or is older than a minute.', next);
    rmSync(redirectIn(server.folder), { force: true });
    return context.json({ token } satisfies OpenAnswer);
  });
  app.post('/api/proof', async (context) => context.json(guard.prove(await bodyOf(context, Challenge))));
  // A tool that has the token of serve.json, such as a second `rowonce serve`, asks for another address.
  app.get('/api/operations', (context) =>
    context.json({
      serve: commandLine(['serve']),
      operations: described(),
      vendors: vendorTitles(),
    } satisfies OperationList),
  );
  app.post('/api/openings', (context) => context.json(guard.opening()));
  const all = [commandRoutes, batchRoutes, downloadRoutes, viewRoutes, listRoutes, taskRoutes, nightRoutes];
  for (const routes of all) app.route('/api', routes(server));
  app.use(serveStatic({ root: fileURLToPath(pageFolder()) }));
  // Every view has an address of its own, and each address gives the same page.
  app.notFound((context) => {
    const { method, path } = context.req;
    const isView = ['GET', 'HEAD'].includes(method) && !path.startsWith('/api/') && !path.includes('.');
    if (isView) return context.html(shown);
    const next = 'See docs/reference/json.md for the addresses of programs.';
    throw new HttpRefusal(404, `There is nothing at ${path.slice(0, 200)}.`, next);
  });
  return app;
}

/** The file that leads a browser to an address with its word, which every user could read in an argument. */
export const redirectIn = (folder: string): string => join(folder, 'open.html');
