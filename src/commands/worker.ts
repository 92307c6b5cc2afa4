import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/events.ts';
import { counted } from '../core/plain-text.ts';
import { stopObject } from '../core/stop-object.ts';
import { commandLine } from '../lib/command-line.ts';
import { StopObject } from '../objects/stop-object.ts';
import { command, flag, type WorkerEvent } from './shared/command.ts';
import { accept, COMMON, LOG, logOn } from './shared/input.ts';
import { spend, withNext } from './shared/spending.ts';

export default command({
  name: 'worker',
  summary: 'Works on lists that were submitted to the same store, until you stop it.',
  details:
    'Rows, job and dialect come with the batch, keys from the accounts file of its host. ' +
    'SIGTERM and Ctrl-C let it finish what is on its way and hand back its ranges.',
  example: 'worker --store postgres://rowonce_worker@127.0.0.1:5432/rowonce',
  faces: ['terminal', 'library'],
  input: z.strictObject({
    ...COMMON,
    health: flag(
      z.int().max(65_535, 'Give a whole number from 0 to 65535.').optional(),
      'answer at http://127.0.0.1:PORT: /healthz with 200 while the database answers, else with 503; ' +
        '0: any free port',
      '<port>',
    ),
    log: LOG,
    accept: accept(),
  }),
  output: z.object({ ranges: z.number(), rows: z.number(), stopped: StopObject.nullable() }),
  async run({ health, log, ...input }, host) {
    const { words, ownParts } = host;
    const { runWorker } = await import('./worker/work.ts');
    const say = logOn(host.console, log);
    let beatenMs = Number.NEGATIVE_INFINITY;
    const isAlive = (): boolean => systemClock.monotonicMs() - beatenMs < ALIVE_MS;
    const server = health === undefined ? undefined : await healthAt(health, isAlive, say);
    const tell = workerTold(say);
    const typed = commandLine(words);
    try {
      const { ranges, rows, stopped } = await spend(
        host,
        input,
        { words },
        () => {},
        (spending) => {
          const { store, accept, askAgreement, signal } = spending;
          return runWorker({
            store,
            accept,
            askAgreement,
            signal,
            command: typed,
            operations: ownParts.operations,
            onEvent(event) {
              if (event.kind === 'beat') beatenMs = systemClock.monotonicMs();
              tell(event);
            },
          });
        },
      );
      return {
        lines: [`${counted(rows, 'row')} of ${counted(ranges, 'range')} finished.`],
        object: withNext({ ranges, rows, stopped: stopObject(stopped) }, typed),
        exitCode: stopped.exitCode,
      };
    } finally {
      server?.close();
      server?.closeAllConnections();
    }
  },
});

function workerTold(say: Log): (event: WorkerEvent) => void {
  let waiting: string | undefined;
  return (event) => {
    const words = workerWords(event);
    // A problem that is met again each second is reported once.
    const isTold = event.kind === 'waiting' && words === waiting;
    if (event.kind !== 'beat') waiting = event.kind === 'waiting' ? words : undefined;
    if (words !== undefined && !isTold) say(WARNINGS.has(event.kind) ? 'warn' : 'info', words);
  };
}

const WARNINGS: ReadonlySet<WorkerEvent['kind']> = new Set(['waiting', 'handed_back', 'failed']);

function workerWords(event: WorkerEvent): string | undefined {
  switch (event.kind) {
    case 'ready':
      return `ready, for ${event.accounts.join(', ')}`;
    case 'waiting':
      return `waiting: ${event.why}`;
    case 'taken':
      return `${rangeWords(event)} taken`;
    case 'done':
      return `${rangeWords(event)} done, ${counted(event.rows, 'row')} finished here`;
    case 'handed_back':
      return `${rangeWords(event)} handed back: ${event.stopped.message} ${event.stopped.next}`;
    case 'failed':
      return `${rangeWords(event)} failed: ${event.why}`;
    case 'note':
      return event.message;
    default:
      return undefined;
  }
}

type RangeEvent = Extract<WorkerEvent, { readonly kind: 'taken' | 'done' | 'handed_back' | 'failed' }>;

const rangeWords = ({ batch, fromRow, beforeRow }: RangeEvent): string =>
  `batch ${batch}, rows ${fromRow} to ${beforeRow - 1}`;

/** Three beats may be lost, and the queue's connection may be opened anew. */
const ALIVE_MS = 10_000;

async function healthAt(port: number, isAlive: () => boolean, say: Log): Promise<Server> {
  const { createServer } = await import('node:http');
  const server = createServer(({ method, url }, response) => {
    if (method === 'GET' && url === '/healthz') {
      const alive = isAlive();
      response.writeHead(alive ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ alive }));
    } else response.writeHead(404).end();
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  say('info', `health: http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`);
  return server;
}
