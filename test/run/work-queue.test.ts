/**
 * Goal: a queue hands each range that is sent to one worker at a time, again where that one has died, and sets aside what kills five of
 * them; batches of one account take turns.
 * Method: the queue over a real server, laid out as its owner does. A worker dies by ending without a word, as a killed process does.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { BatchId, RangeLeft } from '../../src/ledger/ledger.ts';
import postgres from '../../src/ledger/stores/postgres.ts';
import { layOutQueue, openQueue, type WorkQueue } from '../../src/run/work-queue.ts';
import { ACCOUNT } from '../ledger/stores/book.ts';
import { postgresServer } from '../ledger/stores/postgres-server.ts';
import { proof } from '../support/combinations.ts';

let databases = 0;

async function laidOut(): Promise<string> {
  const server = await postgresServer();
  databases += 1;
  const name = `queue_${process.pid}_${databases}`;
  await server.createDatabase(name);
  await postgres.init(server.url(name));
  await layOutQueue(server.url(name));
  return server.url(name);
}

async function queueAt(url: string): Promise<WorkQueue> {
  const queue = await openQueue(url);
  if (queue === undefined) throw new Error('it is laid out');
  onTestFinished(() => queue.close());
  return queue;
}

function ranges(batch: string, count: number, left = 50): readonly RangeLeft[] {
  return Array.from({ length: count }, (_, at) => ({
    batch: batch as BatchId,
    accountIdentity: ACCOUNT,
    left,
    fromRow: 2 + at * 50,
    beforeRow: 52 + at * 50,
  }));
}

async function taken(queue: WorkQueue): Promise<string | undefined> {
  const range = await queue.take(ACCOUNT);
  return range && `${range.batch} ${range.fromRow}-${range.beforeRow}`;
}

test('the batches of an account take turns', async () => {
  const queue = await queueAt(await laidOut());
  await queue.send(ranges('long', 4), 'person');
  await queue.send(ranges('short', 2), 'person');
  const order: (string | undefined)[] = [];
  for (let at = 0; at < 6; at += 1) order.push((await taken(queue))?.split(' ')[0]);
  expect(order).toEqual(['long', 'short', 'long', 'short', 'long', 'long']);
});

test('what is handed back is handed out again, after as long as was said', async () => {
  const url = await laidOut();
  const queue = await queueAt(url);
  const pass = async (interval: string): Promise<unknown> =>
    (await postgresServer()).query(
      new URL(url).pathname.slice(1),
      `UPDATE rowonce_queue.job SET start_after = start_after - interval '${interval}'`,
    );
  await queue.send(ranges('a', 1), 'person');
  await (await queue.take(ACCOUNT))?.handBack(0);
  await (await queue.take(ACCOUNT))?.handBack(3_600_000);
  await queue.send(ranges('a', 1), 'person');
  expect(await taken(queue), 'also when it is sent meanwhile').toBeUndefined();
  await pass('50 min');
  expect(await taken(queue)).toBeUndefined();
  await pass('10 min');
  expect(await taken(queue)).toBe('a 2-52');
});

proof(
  'the range of a worker that died goes to another, and that of one that lives stays with it',
  async () => {
    const url = await laidOut();
    const [living, dead, other] = [await queueAt(url), await queueAt(url), await queueAt(url)];
    await other.send(ranges('a', 2), 'person');
    expect(await taken(living)).toBe('a 52-102');
    expect(await taken(dead)).toBe('a 2-52');
    const diedMs = performance.now();
    await dead.close();
    await expect.poll(() => taken(other), { interval: 250 }).toBe('a 2-52');
    expect(performance.now() - diedMs, 'and not while it may be alive').toBeGreaterThan(5_000);
    while (performance.now() - diedMs < 14_000) expect(await taken(other)).toBeUndefined();
  },
);

proof(
  'what ended badly five times without a finished row is set aside, and sent again by a person or where rows of it were finished',
  async () => {
    const queue = await queueAt(await laidOut());
    const die = async (): Promise<void> => {
      for (let deaths = 0; deaths < 5; deaths += 1) await (await queue.take(ACCOUNT))?.failed('a bug');
    };
    await queue.send(ranges('a', 1), 'worker');
    await die();
    await queue.send(ranges('a', 1), 'worker');
    expect(await taken(queue), 'it is set aside').toBeUndefined();
    await queue.send(ranges('a', 1, 49), 'worker');
    await die();
    await queue.send(ranges('a', 1, 49), 'worker');
    expect(await taken(queue)).toBeUndefined();
    await queue.send(ranges('a', 1, 49), 'person');
    expect(await taken(queue)).toBe('a 2-52');
  },
);
