/**
 * pg-boss: `node pg-boss.ts URL LIST OUTPUT DATABASE`. A job a row, kept with what was found. Its own worker looks for jobs each
 * half second at most, so jobs are fetched here as soon as requests are free.
 */
import PQueue from 'p-queue';
import { PgBoss } from 'pg-boss';
import { AT_ONCE, chunksOf, type Row, Sheet, Vendor } from './work.ts';

const [url = '', list = '', output = '', database = ''] = process.argv.slice(2);
const QUEUE = 'companies';
const boss = new PgBoss(database);
boss.on('error', (error) => {
  throw error;
});
await boss.start();
await boss.createQueue(QUEUE);
const [vendor, sheet, queue] = [new Vendor(url), new Sheet(output), new PQueue({ concurrency: AT_ONCE })];
for await (const chunk of chunksOf(list))
  await boss.insert(
    QUEUE,
    chunk.map((data) => ({ data })),
  );
for (;;) {
  const jobs = await boss.fetch<Row>(QUEUE, { batchSize: AT_ONCE });
  if (jobs.length === 0) break;
  for (const { id, data } of jobs) {
    queue.add(async () => {
      const found = await vendor.ask(data);
      await boss.complete(QUEUE, id, found);
      sheet.write(data, found);
    });
  }
  await queue.onSizeLessThan(AT_ONCE / 2);
}
await queue.onIdle();
await sheet.end();
await boss.stop();
await vendor.close();
