/**
 * Goal: workers that share an account keep its limit, and use it.
 * Method: a real PostgreSQL, each worker a process with a door of its own, and a vendor that is a process too and counts by its own clock. Its book is
 * the judge. For example
 *
 *     node test/ledger/limits/drive.ts --requests 200 --window-ms 1000 --workers 4 --seconds 20
 *     node test/ledger/limits/drive.ts --requests 2400 --window-ms 60000 --workers 3 --seconds 600 --kill-at 300
 *
 * `--database-ms 1`: so much each way to the database. `--latency-ms 100`: how long the vendor takes. `--slots 16`: requests at once of each worker.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { parseArgs } from 'node:util';
import { systemClock } from '../../../src/core/clock.ts';
import { postgres } from '../../../src/ledger/db/postgres.ts';
import { each, SCHEMA, step } from '../../../src/ledger/db.ts';
import { Line } from '../../../src/ledger/limits.ts';
import { migrate } from '../../../src/ledger/schema.ts';
import { postgresServer } from '../stores/postgres-server.ts';

const { values } = parseArgs({
  options: {
    role: { type: 'string', default: 'drive' },
    url: { type: 'string', default: '' },
    vendor: { type: 'string', default: '' },
    worker: { type: 'string', default: '1' },
    requests: { type: 'string', default: '200' },
    'window-ms': { type: 'string', default: '1000' },
    workers: { type: 'string', default: '4' },
    slots: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '20' },
    'latency-ms': { type: 'string', default: '100' },
    'database-ms': { type: 'string', default: '0' },
    'kill-at': { type: 'string', default: '0' },
  },
});
const number = (name: keyof typeof values): number => Number(values[name]);
const [requests, windowMs] = [number('requests'), number('window-ms')];

export interface Book {
  readonly refused: number;
  readonly mostInAnyWindow: number;
  /** When each request came, ms since the first. */
  readonly atMs: readonly number[];
}

async function vendor(): Promise<void> {
  const atMs: number[] = [];
  let refused = 0;
  let mostInAnyWindow = 0;
  const server = createServer((request, response) => {
    const nowMs = performance.now();
    if (request.url === '/book') {
      response.end(JSON.stringify({ refused, mostInAnyWindow, atMs: atMs.map((at) => at - (atMs[0] ?? 0)) }));
      return;
    }
    atMs.push(nowMs);
    let count = 0;
    for (let at = atMs.length - 1; at >= 0 && (atMs[at] ?? 0) > nowMs - windowMs; at -= 1) count += 1;
    mostInAnyWindow = Math.max(mostInAnyWindow, count);
    const isRefused = count > requests;
    if (isRefused) refused += 1;
    if (isRefused) console.error('refused', Math.round(nowMs - (atMs[0] ?? 0)), count);
    response.statusCode = isRefused ? 429 : 200;
    setTimeout(() => response.end(), number('latency-ms'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

const NOTE = each({ id: 'int' })('INSERT INTO sent (id) SELECT v.id FROM v');

async function worker(): Promise<void> {
  const riding = { longestMs: undefined, signal: undefined, clock: systemClock };
  const db = await postgres(values.url, { riding });
  const id = number('worker');
  db.workAs(id);
  const line = new Line(db, 1, [{ requests, windowMs }], systemClock);
  let numbered = 0;
  // As intents: what is asked for while a group is under way is the next one.
  let waiting: { readonly id: number }[] = [];
  let next: Promise<unknown> | undefined;
  let under: Promise<unknown> = Promise.resolve();
  const noted = async (): Promise<void> => {
    numbered += 1;
    waiting.push({ id: id * 1_000_000 + numbered });
    next ??= under.then(() => {
      const records = waiting;
      [waiting, next] = [[], undefined];
      under = db.write([step([NOTE], records)]);
      return under;
    });
    await next;
  };
  const send = async (): Promise<never> => {
    for (;;) {
      const turn = await line.turn();
      await noted();
      await turn.untilDue(systemClock.monotonicMs() + 5_000);
      if (!turn.mayLeave()) continue;
      turn.left();
      await (await fetch(values.vendor)).text();
      turn.answered();
    }
  };
  await Promise.all(Array.from({ length: number('slots') }, send));
}

/** A way to the database that takes so long in each direction. */
async function slowly(url: URL, ms: number): Promise<string> {
  const { port, hostname } = url;
  const server = createTcpServer((client) => {
    const database = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      from.setNoDelay();
      from.on('data', (chunk) => setTimeout(() => to.write(chunk), ms));
      from.on('error', () => {}).on('close', () => to.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
}

function started(role: string, more: readonly string[] = []): ChildProcess {
  const own = process.argv.slice(2);
  return fork(import.meta.filename, [...own, '--role', role, ...more], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

async function drive(): Promise<void> {
  const server = await postgresServer();
  await server.createDatabase('limits');
  const direct = server.url('limits');
  const owner = await postgres(direct);
  await owner.script(`CREATE SCHEMA ${SCHEMA};`);
  await migrate(owner);
  await owner.script(`CREATE TABLE sent (id {int} PRIMARY KEY); INSERT INTO accounts (id, identity) VALUES (1, 'driven');
    INSERT INTO workers (id, host, pid, command, since, seen_at) SELECT id, 'here', 0, 'drive', 0, 0 FROM generate_series(1, ${number('workers')}) AS id;`);
  await owner.close();
  const url = number('database-ms') === 0 ? direct : await slowly(new URL(direct), number('database-ms'));
  const sold = started('vendor');
  const [port] = await once(sold, 'message');
  const at = `http://127.0.0.1:${port}/`;
  const workers = Array.from({ length: number('workers') }, (_, index) =>
    started('worker', ['--url', url, '--vendor', at, '--worker', String(index + 1)]),
  );
  const killMs = number('kill-at') * 1_000;
  if (killMs > 0) setTimeout(() => workers[0]?.kill('SIGKILL'), killMs);
  await systemClock.sleep(number('seconds') * 1_000);
  for (const each of workers) each.kill('SIGKILL');
  const book = (await (await fetch(`${at}book`)).json()) as Book;
  sold.kill();
  console.log(JSON.stringify(judged(book, killMs)));
  process.exit(0);
}

/** Processes take a while until they are at work, and a line that begins may fill its first window faster. */
const BEGUN_MS = 5_000;

/** Each `refused` is a request above the limit in a window that ends with it, by the vendor's clock. */
function judged({ refused, mostInAnyWindow, atMs }: Book, killMs: number) {
  const lastMs = atMs.at(-1) ?? 0;
  const fromMs = Math.max(windowMs, BEGUN_MS);
  const share = (atMs.filter((each) => each >= fromMs).length * windowMs) / ((lastMs - fromMs) * requests);
  const in5s = (beginMs: number): number =>
    atMs.filter((each) => each >= beginMs && each < beginMs + 5_000).length;
  let recoveredMs = 0;
  while (killMs > 0 && in5s(killMs + recoveredMs) < (0.95 * 5_000 * requests) / windowMs) recoveredMs += 100;
  const seconds = killMs > 0 ? { secondsUntilFull: recoveredMs / 1_000 } : {};
  const limit = `${requests} in ${windowMs} ms`;
  return {
    limit,
    requests: atMs.length,
    refused,
    mostInAnyWindow,
    share: Number(share.toFixed(4)),
    ...seconds,
  };
}

if (values.role === 'vendor') await vendor();
else if (values.role === 'worker') await worker();
else await drive();
