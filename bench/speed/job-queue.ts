import { chmodSync, createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { Pool } from 'undici';
import { AT_ONCE } from '../program.ts';

/**
 * What the programs share that hold a job a row in a queue on a server of its own: `node PROGRAM URL LIST ROWS`. They are for
 * those who install the queue to see it, here or in a folder that NODE_PATH names. None is a library of ours, so their types
 * are told in each program as far as they are used.
 */

/** What is asked for one row. */
export interface Question {
  readonly abn: string;
}

export interface JobQueue {
  add(questions: readonly Question[]): Promise<unknown>;
  /** Takes every job once, `AT_ONCE` of them side by side, and keeps the answer of each. Ends when all are answered. */
  work(ask: (question: Question) => Promise<unknown>): Promise<unknown>;
  stop(): Promise<void>;
}

/** An import would look for them among our own libraries alone. */
export const library = createRequire(import.meta.url);

/** Jobs are put into the queue by so many at once. */
const GROUP = 1000;

/** @param start starts a server that keeps its files in the folder, and a queue on it. */
export async function askByQueue(start: (folder: string, port: number) => Promise<JobQueue>): Promise<void> {
  const [url = '', list = '', rows = '0'] = process.argv.slice(2);
  // The server may run as another user, who cannot enter the folder of the bench.
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-queue-'));
  chmodSync(folder, 0o755);
  const queue = await start(folder, await freePort());
  const vendor = new Pool(url, { connections: AT_ONCE });
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
  try {
    await fill(queue, list, Number(rows));
    await queue.work(async (question) => {
      const body = JSON.stringify(question);
      const answer = await vendor.request({ method: 'POST', path: '/enrich/company', headers, body });
      return answer.body.json();
    });
  } finally {
    await vendor.close();
    await queue.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(queue: JobQueue, list: string, most: number): Promise<void> {
  let group: Question[] = [];
  const records = createReadStream(list).pipe(parse({ columns: true, to: most }));
  for await (const record of records) {
    group.push({ abn: record.ABN });
    if (group.length < GROUP) continue;
    await queue.add(group);
    group = [];
  }
  if (group.length > 0) await queue.add(group);
}

/** A port that is free now: the servers take none by themselves. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
