/**
 * A job a row, which BullMQ keeps in Redis, as `job-queue.ts` says. It needs bullmq, ioredis and a program `redis-server`. Redis
 * syncs every write before it answers: what it says is kept survives a power cut, as what our ledger says does.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AT_ONCE } from '../program.ts';
import { askByQueue, type JobQueue, library, type Question } from './job-queue.ts';

interface Job {
  readonly data: Question;
}

interface Closable {
  close(): Promise<void>;
}

interface Queue extends Closable {
  addBulk(jobs: readonly (Job & { readonly name: string })[]): Promise<unknown>;
}

interface Worker extends Closable {
  on(event: 'completed', listener: () => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
}

const QUEUE = 'rows';

await askByQueue(async (folder, port): Promise<JobQueue> => {
  const bullmq = library('bullmq');
  const server = await startRedis(folder, port);
  const options = { connection: { host: '127.0.0.1', port, maxRetriesPerRequest: null } };
  const queue: Queue = new bullmq.Queue(QUEUE, options);
  let left = 0;
  return {
    add: (questions) => {
      left += questions.length;
      return queue.addBulk(questions.map((data) => ({ name: QUEUE, data })));
    },
    work: async (ask) => {
      const answer = ({ data }: Job) => ask(data);
      const worker: Worker = new bullmq.Worker(QUEUE, answer, { ...options, concurrency: AT_ONCE });
      await new Promise<void>((resolve, reject) => {
        worker.on('failed', (_, error) => reject(error));
        worker.on('completed', () => {
          left -= 1;
          if (left === 0) resolve();
        });
      });
      await worker.close();
    },
    stop: async () => {
      await queue.close();
      server.kill();
      // Its processor time is counted with ours once we have waited for it.
      await once(server, 'exit');
    },
  };
});

async function startRedis(folder: string, port: number) {
  const kept = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const words = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...kept];
  const server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) {
    if (!line.includes('Ready to accept connections')) continue;
    server.stdout.resume();
    return server;
  }
  throw new Error('redis-server ended before it accepted connections');
}
