import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { counted, plainText } from '../core/plain-text.ts';
import { commandLine } from '../lib/command-line.ts';
import { runWorker, type WorkerEvent } from '../run/tasks/worker.ts';
import { type Console, command, flag } from './shared/command.ts';
import { accept, COMMON } from './shared/input.ts';
import { spend, stoppedBy } from './shared/spending.ts';

export default command({
  name: 'worker',
  summary: 'Works on lists that were submitted to the same store, until you stop it.',
  example: 'worker --store postgres://rowonce_worker@127.0.0.1:5432/rowonce',
  input: z.strictObject({
    ...COMMON,
    health: flag(
      z.int().optional(),
      'say at http://127.0.0.1:PORT/healthz whether it is alive; 0: any free port',
      '<port>',
    ),
    accept: accept(),
  }),
  output: z.object({ ranges: z.number(), rows: z.number() }),
  async run({ health, ...input }, host) {
    const { console, words, own } = host;
    let beatenMs = Number.NEGATIVE_INFINITY;
    const server = health === undefined ? undefined : await healthAt(health, () => beatenMs, console);
    const tell = toldOn(console);
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
            ...{ store, accept, askAgreement, signal, command: typed },
            operations: own.operations,
            onEvent(event) {
              if (event.kind === 'beat') beatenMs = systemClock.monotonicMs();
              else tell(event);
              own.onWorkerEvent?.(event);
            },
          });
        },
      );
      return {
        lines: [`${counted(rows, 'row')} of ${counted(ranges, 'range')} finished.`],
        object: { ranges, rows },
        stopped: stoppedBy(stopped, typed),
        exitCode: stopped.exitCode,
      };
    } finally {
      server?.close();
      server?.closeAllConnections();
    }
  },
});

function toldOn(console: Console): (event: WorkerEvent) => void {
  let waiting: string | undefined;
  return (event) => {
    const words = eventWords(event);
    // What is tried again each second is told once.
    const isTold = event.kind === 'waiting' && words === waiting;
    waiting = event.kind === 'waiting' ? words : undefined;
    if (words !== undefined && !isTold) console.say(plainText(words));
  };
}

function eventWords(event: WorkerEvent): string | undefined {
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

/** Three beats may be lost, and the queue's connection may be made anew. */
const ALIVE_MS = 10_000;

async function healthAt(port: number, beaten: () => number, console: Console): Promise<Server> {
  const server = createServer((request, response) => {
    const known = request.method === 'GET' && request.url === '/healthz';
    const alive = systemClock.monotonicMs() - beaten() < ALIVE_MS;
    response.writeHead(known ? (alive ? 200 : 503) : 404, { 'content-type': 'application/json' });
    response.end(known ? JSON.stringify({ alive }) : '');
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.say(`health: http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`);
  return server;
}
