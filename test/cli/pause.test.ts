/**
 * Goal: a paused batch is left alone until a person resumes it, and its run is stopped without a doubt. A cancelled batch never goes
 * on, and what it bought is never bought again.
 * Method: the real commands, before the sandbox as a vendor; its book says what was asked and charged.
 */
import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

test('the run of a paused batch stops with nothing in doubt, and the same command goes on', async () => {
  const desk = await openDesk({ latencyMs: 100, concurrency: 2 });
  desk.list(200);
  const words = ['run', 'enrich-company', desk.place.path('list.csv'), '--budget', '500', '--json'];
  const running = desk.place.type(words, desk.environment());
  await running.said(/Batch [0-9a-f]{8}/);
  const paused = await desk.type(['pause', 'last']);
  expect(paused).toMatchObject({ code: 0, stderr: expect.stringContaining('was asked to stop') });
  const { code, report } = await running.ended;
  expect(code).toBe(143);
  expect(report?.stopped).toMatchObject({
    code: 'terminated',
    message: 'Paused; every answer is kept.',
    next: 'Run the same command again to resume it.',
    next_command: expect.stringMatching(/rowonce run enrich-company .*list\.csv --budget 500 --json/),
  });
  const { counts, held_since, open } = await desk.json(['status', 'last']);
  expect({ held: held_since !== undefined, inDoubt: counts.in_doubt, open }).toEqual({
    held: true,
    inDoubt: undefined,
    open: 0,
  });
  desk.place.hurry();
  expect(await desk.type(words)).toMatchObject({ code: 0 });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 200, credits: 200, charged_twice: [] });
});

test('a cancelled batch stays cancelled: the same command begins a new one, which uses what was bought', async () => {
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
