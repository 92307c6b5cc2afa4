/**
 * BullMQ: `node bullmq.ts URL LIST OUTPUT REDIS_PORT`. A job a row, added by its number, so that no row is added twice, and kept
 * with what its worker found. The worker works while the list is read, in the same process.
 */
import { AT_ONCE, chunksOf, type Found, type Row, Sheet, Vendor } from './work.ts';

/** What is used of the package, which is installed for the bench alone. */
interface BullMq {
  readonly Queue: new (
    name: string,
    options: object,
  ) => {
    addBulk(jobs: readonly { name: string; data: Row; opts: object }[]): Promise<unknown>;
    close(): Promise<void>;
  };
  readonly Worker: new (
    name: string,
    work: (job: { readonly data: Row }) => Promise<Found>,
    options: object,
  ) => {
    on(event: 'completed', listener: (job: { readonly data: Row }, found: Found) => void): void;
    on(event: 'error' | 'failed', listener: (...about: unknown[]) => void): void;
    close(): Promise<void>;
  };
}

const PACKAGE: string = 'bullmq';
const { Queue, Worker }: BullMq = await import(PACKAGE);
const [url = '', list = '', output = '', port = ''] = process.argv.slice(2);
const connection = { host: '127.0.0.1', port: Number(port) };
const [vendor, sheet] = [new Vendor(url), new Sheet(output)];
const queue = new Queue('companies', { connection });
const worker = new Worker('companies', ({ data }) => vendor.ask(data), { connection, concurrency: AT_ONCE });

let [added, completed, isRead] = [0, 0, false];
const done = new Promise<void>((resolve, reject) => {
  worker.on('failed', (_job, error) => reject(error));
  worker.on('error', reject);
  worker.on('completed', ({ data }, found) => {
    sheet.write(data, found);
    completed += 1;
    if (isRead && completed === added) resolve();
  });
});
for await (const chunk of chunksOf(list)) {
  await queue.addBulk(chunk.map((data, at) => ({ name: 'row', data, opts: { jobId: `row-${added + at}` } })));
  added += chunk.length;
}
isRead = true;
if (completed < added) await done;
await sheet.end();
await Promise.all([worker.close(), queue.close(), vendor.close()]);
