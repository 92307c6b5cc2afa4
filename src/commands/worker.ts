import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { counted, plainText } from '../core/plain-text.ts';
import { commandLine, wholeNumber } from '../lib/command-line.ts';
import { runWorker, type WorkerEvent } from '../run/tasks/worker.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { acceptOption } from './shared/flags.ts';
import { type SpendFlags, spend, stoppedBy } from './shared/spending.ts';

interface Flags extends SpendFlags {
  readonly health?: string;
}

export default {
  name: 'worker',
  summary: 'Works on lists that were submitted to the same store, until you stop it.',
  example: 'worker --store postgres://rowonce_worker@127.0.0.1:5432/rowonce',
  configure(command: Command, run) {
    command
      .option('--health <port>', 'say at http://127.0.0.1:PORT/healthz whether it is alive; 0: any free port')
      .addOption(acceptOption())
      .action(run(workerCommand));
  },
} satisfies CliCommand;

async function workerCommand(console: Console, flags: Flags): Promise<Report> {
  const words = process.argv.slice(2);
  const port = wholeNumber('--health', flags.health);
  let beatenMs = Number.NEGATIVE_INFINITY;
  const server = port === undefined ? undefined : await healthAt(port, () => beatenMs, console);
  const tell = toldOn(console);
  try {
    const summary = await spend(
      console,
      flags,
      { words },
      () => {},
      ({ accept, askAgreement, signal }) =>
        runWorker({
          ...{ store: flags.store, accept, askAgreement, signal, command: commandLine(words) },
          onEvent(event) {
            if (event.kind === 'beat') beatenMs = systemClock.monotonicMs();
            else tell(event);
          },
        }),
    );
    const { ranges, rows, stopped } = summary;
    return {
      lines: [`${counted(rows, 'row')} of ${counted(ranges, 'range')} finished.`],
      object: { ranges, rows },
      stopped: stoppedBy(stopped, commandLine(words)),
      exitCode: stopped.exitCode,
    };
  } finally {
    server?.close();
    server?.closeAllConnections();
  }
}

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
