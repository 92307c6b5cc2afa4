import { Hono } from 'hono';
import type { State } from '../api.ts';
import { accountRoutes } from './account-routes.ts';
import { HttpRefusal, refusalOf } from './answers.ts';
import { batchActionRoutes, doubtRoutes, undoRoutes } from './batch-actions.ts';
import { batchRoutes } from './batch-routes.ts';
import { downloadRoutes } from './downloads.ts';
import { type Guarded, guard } from './guard.ts';
import { FactBook } from './list-facts.ts';
import { listRoutes } from './lists.ts';
import type { PageFile } from './page-files.ts';
import { planRoutes } from './plans.ts';
import { rowRoutes } from './row-routes.ts';
import type { Server } from './server.ts';
import { sessionRoutes } from './session-routes.ts';
import { workRoutes } from './work-routes.ts';

export function appOf(
  server: Server,
  guarded: Guarded,
  files: ReadonlyMap<string, PageFile>,
  state: State,
): Hono {
  const app = new Hono();
  app.onError(refusalOf);
  app.use(guard(guarded));
  for (const [path, { body, type }] of files)
    app.get(path, (context) => context.body(body, 200, { 'content-type': type }));
  app.get('/api/state', (context) => context.json(state));
  const facts = new FactBook(server);
  app.route('/api', sessionRoutes(guarded));
  app.route('/api', batchRoutes(server));
  app.route('/api', listRoutes(server, facts));
  app.route('/api', planRoutes(server, facts));
  app.route('/api', workRoutes(server));
  app.route('/api', rowRoutes(server));
  app.route('/api', doubtRoutes(server));
  app.route('/api', batchActionRoutes(server));
  app.route('/', downloadRoutes(server));
  app.route('/api', undoRoutes(server));
  app.route('/api', accountRoutes(server));
  // Every view has an address, and all of them are the one page.
  app.notFound((context) => {
    const page = files.get('/');
    const isView =
      ['GET', 'HEAD'].includes(context.req.method) &&
      !context.req.path.startsWith('/api/') &&
      !context.req.path.includes('.');
    if (page !== undefined && isView) return context.body(page.body, 200, { 'content-type': page.type });
    const next = 'See docs/api-http.md for all addresses.';
    return refusalOf(
      new HttpRefusal(404, `There is nothing at ${context.req.path.slice(0, 200)}.`, next),
      context,
    );
  });
  return app;
}
