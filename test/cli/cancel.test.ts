/**
 * Goal: a cancelled batch never goes on, and what it bought is never bought again.
 * Method: the real commands; the sandbox's book says what was paid.
 */
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { objectIn, openDesk } from './desk.ts';

proof(
  'a cancelled batch stays cancelled: the same command begins a new one, which uses what was bought',
  async () => {
    const desk = await openDesk();
    desk.list(3);
    const { batch } = await desk.json(desk.run('--limit', '2'));
    const cancelled = await desk.type(['cancel', batch]);
    expect(cancelled).toMatchObject({
      code: 0,
      stdout: `Batch ${batch} is cancelled; what it bought is used by every later batch.\n`,
    });
    const next = await desk.json(desk.run());
    expect(next.batch).not.toBe(batch);
    expect(next).toMatchObject({ counts: { matched: 3 }, requests: 1, credits: { spent: 1, saved: 2 } });
    expect(await desk.json(['status', batch])).toMatchObject({ state: 'cancelled', counts: { matched: 2 } });
    expect(await desk.place.vendor.book()).toMatchObject({ credits: 3, charged_twice: [] });
  },
);

test('a batch that has ended cannot be cancelled', async () => {
  const desk = await openDesk();
  desk.list(1);
  const { batch } = await desk.json(desk.run());
  const { code, stdout } = await desk.type(['cancel', 'last', '--json']);
  expect(code).toBe(2);
  expect(objectIn(stdout).stopped.message).toBe(`Batch ${batch} is finished already.`);
});

test('a batch that is being worked on is not cancelled under the hands of its run', async () => {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(1);
  const words = ['run', 'enrich-company', desk.place.path('list.csv'), '--budget', '9', '--json'];
  const running = desk.place.type(words, desk.environment());
  await running.said(/Batch [0-9a-f]{8}/);
  // Stopped, so that it cannot end before the other begins; the kernel keeps its lock.
  running.signal('SIGSTOP');
  expect(await desk.type(['cancel', 'last'])).toMatchObject({ code: 76 });
  running.signal('SIGCONT');
  expect(await running.ended).toMatchObject({ code: 0 });
});
