/**
 * Goal: when a long pause is over, the page spends again only on a list that nobody has touched since.
 * Method: the page's line of work, whose runs are real processes before a vendor that asks to wait; a real terminal beside it. The
 * test moves the clock of the page alone.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import { taskRoutes } from '../../src/web/server/tasks.ts';
import { type Order, Work } from '../../src/web/server/work.ts';
import { openDesk } from '../cli/desk.ts';
import { PROGRAM } from '../cli/rowonce.ts';
import { Gateway } from './gateway.ts';

const PAUSE_S = 5_000;

test('a list that a person has paused, cancelled or tried again since does not go on by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const desk = await openDesk();
  const headers = { 'retry-after': String(PAUSE_S) };
  const gateway = await Gateway.before(desk.place.vendor.url, () => ({ status: 429, headers }));
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  desk.place.writeAccount(gateway.url);
  const store = desk.place.path('store');
  const work = new Work({ script: PROGRAM, env: { ...process.env, ...desk.environment() } });
  onTestFinished(async () => void (await work.close()));
  taskRoutes({ work, store, folder: store });

  const orderOf = (name: string): Order => {
    const words = ['run', 'enrich-company', desk.place.path(name), '--budget', '10', '--store', store];
    return { words, store, about: name };
  };
  /** @returns the id of the batch. */
  const paused = async (order: Order): Promise<string> => {
    const { id } = work.start(order);
    await work.ended(id);
    const { batch, goes_on_at } = work.find(id) ?? {};
    expect(goes_on_at, order.about).toBeDefined();
    return batch ?? '';
  };
  const names = ['paused.csv', 'cancelled.csv', 'terminal.csv', 'tried.csv'];
  const batches: string[] = [];
  for (const name of names) {
    desk.list(1, name);
    batches.push(await paused(orderOf(name)));
  }
  const [first = '', second = ''] = batches;
  expect((await desk.start(['pause', first])).code).toBe(0);
  expect((await desk.start(['cancel', second])).code).toBe(0);
  expect((await desk.start(orderOf('terminal.csv').words)).stderr).toContain('--max-pause');
  await paused(orderOf('tried.csv'));

  await vi.advanceTimersByTimeAsync((PAUSE_S + 600) * 1_000);
  await expect.poll(() => work.list().length, { timeout: 60_000 }).toBeGreaterThan(names.length + 1);
  const [byItself, ...more] = work.list().slice(names.length + 1);
  await work.ended(byItself?.id ?? '');
  expect([byItself?.about, more]).toEqual([batches[3], []]);
});
