import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { pageFolder } from '../../core/families.ts';
import { listFolderOf } from '../../core/paths.ts';
import { escapeMarkup } from '../../core/plain-text.ts';
import { listNameOf } from '../../files/list-name.ts';
import { commandLine } from '../../lib/command-line.ts';
import { batchesPage } from '../../run/batches.ts';
import {
  type BatchList,
  BatchListQuery,
  type OpenAnswer,
  type Opening,
  OpenRequest,
  type State,
} from '../api.ts';
import { bodyOf, HttpRefusal, queryOf, refusalOf } from './answers.ts';
import { commandRoutes } from './commands.ts';
import { Downloads } from './downloads.ts';
import { type GuardContext, guard } from './guard.ts';
import { healthRoutes } from './health.ts';
import { keptLists } from './list-files.ts';
import { listRoutes } from './lists.ts';
import { nightRoutes } from './nights.ts';
import { reportRoutes } from './report.ts';
import type { Server } from './server.ts';
import { taskRoutes } from './tasks.ts';

export function appOf(
  server: Server,
  guarded: GuardContext,
  files: ReadonlyMap<string, PageFile>,
  state: State,
): Hono {
  const app = new Hono();
  app.onError((error, context) => refusalOf(server, error, context));
  app.use(guard(guarded));
  for (const [path, { body, type }] of files)
    app.get(path, (context) => context.body(body, 200, { 'content-type': type }));
  app.route('/', healthRoutes(server));
  app.get('/api/state', (context) => context.json(state));
  const downloads = new Downloads(server);
  app.route('/', downloads.routes());
  app.route('/api', commandRoutes(server, downloads));
  app.route('/api', sessionRoutes(guarded));
  app.route('/api', batchListRoute(server));
  app.route('/api', listRoutes(server));
  app.route('/api', taskRoutes(server));
  app.route('/api', reportRoutes(server));
  app.route('/api', nightRoutes(server));
  // Every view has an address of its own, and each address gives the same page.
  app.notFound((context) => {
    const page = files.get('/');
    const isView =
      ['GET', 'HEAD'].includes(context.req.method) &&
      !context.req.path.startsWith('/api/') &&
      !context.req.path.includes('.');
    if (page !== undefined && isView) return context.body(page.body, 200, { 'content-type': page.type });
    const next = 'See docs/reference/json.md for the addresses of programs.';
    throw new HttpRefusal(404, `There is nothing at ${context.req.path.slice(0, 200)}.`, next);
  });
  return app;
}

export function openingOf({ address, admission }: GuardContext): Opening {
  return { address: address.withWord(admission.issue()) };
}

function sessionRoutes(guarded: GuardContext): Hono {
  const app = new Hono();
  app.post('/session', async (context) => {
    const { opening: word } = await bodyOf(context, OpenRequest);
    const token = guarded.admission.admit(word);
    if (token === undefined)
      throw new HttpRefusal(
        401,
        'This address was used already, or is older than a minute.',
        `Ask for a new one: ${commandLine(['serve'])}`,
      );
    return context.json({ token } satisfies OpenAnswer);
  });
  // A tool that has the token of serve.json, such as a second `rowonce serve`, asks for another address.
  app.post('/openings', (context) => context.json(openingOf(guarded)));
  return app;
}

/** A page of the list has this many batches. */
const PER_PAGE = 50;

function batchListRoute(server: Server): Hono {
  return new Hono().get('/batches', async (context) => {
    const { page, list, newest } = queryOf(context, BatchListQuery);
    const ids = new Map((await keptLists(server)).map(({ path, id }) => [path, id]));
    const isOf = (input: string): boolean => {
      if (list !== undefined) return ids.get(input) === list;
      // A list that was removed from the page is told by the ledger alone.
      return newest === undefined || ids.has(input) || listFolderOf(input) === undefined;
    };
    const range = { from: (page - 1) * PER_PAGE, most: PER_PAGE, isOf, newest: newest !== undefined };
    const { batches, total } = await batchesPage(server.store, range);
    const named = batches.map((each) => {
      const { input } = each;
      return { ...each, input: listNameOf(input), list: ids.get(input) ?? null };
    });
    return context.json({ batches: named, total, per_page: PER_PAGE } satisfies BatchList);
  });
}

/** A file of the page. The files are few, are built beside the program, and are kept in memory. */
interface PageFile {
  readonly body: Buffer<ArrayBuffer>;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files by their path in the address. @throws StopError `usage` when the page was not built. */
export async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const load = async (name: string): Promise<[string, PageFile]> => {
    const file = await readFile(new URL(name, pageFolder()));
    const type = TYPES[extname(name)] ?? '';
    if (name !== 'index.html') return [`/${name}`, { body: Buffer.from(file), type }];
    const html = file.toString().replaceAll('%program%', escapeMarkup(commandLine([])));
    return ['/', { body: Buffer.from(html), type }];
  };
  try {
    const names = await readdir(pageFolder());
    return new Map(await Promise.all(names.filter((name) => extname(name) in TYPES).map(load)));
  } catch {
    throw stop(
      'usage',
      'The page has not been built yet.',
      'Run "npm run build", then the same command again.',
    );
  }
}
