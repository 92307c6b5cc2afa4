/**
 * The page of a world: the routes of its server, without a socket. Each request, and the command that it starts, is played to its end, as
 * by a person who looks on.
 */

import { Hono } from 'hono';
import { pageCommands } from '../../src/commands/shared/library.ts';
import { storeAt } from '../../src/ledger/stores.ts';
import { refusalOf } from '../../src/web/server/answers.ts';
import { batchRoutes } from '../../src/web/server/batches.ts';
import { commandRoutes } from '../../src/web/server/commands.ts';
import { KeptPlans } from '../../src/web/server/kept-plans.ts';
import { listRoutes } from '../../src/web/server/lists.ts';
import { Readings } from '../../src/web/server/readings.ts';
import type { Server } from '../../src/web/server/server.ts';
import { CommandQueue, taskRoutes } from '../../src/web/server/work.ts';
import { promise } from './played.ts';
import type { Fault } from './process.ts';
import type { Stage } from './stage.ts';

const COMMANDS = await pageCommands({});
/** It sweeps nothing. */
const NO_SWEEPS = { jobs: new Map(), views: () => [], setPaused: async () => false, stop() {} };

/** What came of a request, and of the command that it has started. */
export interface Answered {
  readonly status: number;
  /** What the request was answered. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the command printed, where it has ended by itself. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
}

const GONE: Answered = { status: 0, body: {} };

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly body?: object;
  /** A file that is brought. */
  readonly file?: string;
}

/** @param faults of the command that the request starts. */
export async function ask(
  stage: Stage,
  path: string,
  { method = 'POST', body, file }: Request,
  faults: readonly Fault[] = [],
): Promise<Answered> {
  let answered: Answered | undefined;
  stage.nextFaults = faults;
  const { how, stderr } = await stage.process(async () => {
    const work = new CommandQueue({ script: 'rowonce', env: process.env });
    const folder = stage.path('store');
    // As when the page is started.
    await (await storeAt(folder)).prepare(folder);
    const program = { script: 'rowonce', env: process.env };
    const kept = { plans: new KeptPlans(), readings: new Readings() };
    const server = { store: undefined, folder, program, work, ...kept };
    const app = appOf({ ...server, commands: COMMANDS, sweeps: NO_SWEEPS as never });
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'content-length': String(Buffer.byteLength(text ?? '')) };
    const incoming = file === undefined ? [] : [Buffer.from(file)];
    const response = await app.request(
      `/api${path}`,
      { method, headers, ...(text && { body: text }) },
      { incoming },
    );
    const said = (await response.json()) as Answered['body'];
    const [piece] = work.pieces;
    const ended = await piece?.over.promise;
    promise(ended === undefined || !/bug of Rowonce/.test(ended.lastLine), `a bug: ${ended?.lastLine}`);
    answered = { status: response.status, body: said, result: ended?.result as Answered['result'] };
    return 0;
  });
  stage.nextFaults = [];
  // When the power goes, the page is gone as well.
  if (how === 'killed') return GONE;
  promise(how === 'ended', `the page does not end: ${method} ${path}: ${how} ${stderr}`);
  promise(
    answered !== undefined && answered.status !== 500,
    `a bug of the page: ${JSON.stringify(answered)}`,
  );
  stage.tell(`${method} ${path} ${JSON.stringify(body ?? '')} -> ${told(answered)}`);
  return answered;
}

const MOST_TOLD = 300;

const told = ({ status, body, result }: Answered): string =>
  `${status} ${JSON.stringify(status < 300 ? (result ?? body) : body)}`.slice(0, MOST_TOLD);

function appOf(server: Server): Hono {
  const app = new Hono();
  app.onError((error, context) => refusalOf(server, error, context));
  for (const routes of [commandRoutes, batchRoutes, listRoutes, taskRoutes])
    app.route('/api', routes(server));
  return app;
}
