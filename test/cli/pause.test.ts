/**
 * Goal: a paused batch is left alone until a person resumes it, its run is stopped without a doubt, and nobody else's run
 * is.
 * Method: the real commands, before the sandbox as a vendor; its book says what was asked and charged.
 */
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { objectIn, openDesk } from './desk.ts';
import { openNightDesk } from './night-desk.ts';

proof('a sweep leaves a paused batch and says so, and works through it once it is resumed', async () => {
  const nights = await openNightDesk();
  const { desk } = nights;
  nights.writeJob('', { budget: 2 });
  nights.drop('a.csv', 'a', 5);
  expect(await nights.night()).toMatchObject({ code: 4 });
  nights.writeJob();
  const { batch } = (await desk.json(['status'])).batches[0];
  expect(await desk.type(['pause', batch])).toMatchObject({ code: 0, stdout: `Batch ${batch} is paused.\n` });
  expect((await desk.json(['status', batch])).held_since).toMatch(/^\d{4}-/);
  expect((await desk.type(['status'])).stdout).toContain('  paused  ');
  expect(await nights.night()).toMatchObject({
    code: 0,
    said: {
      files: [],
      left: [{ why: `its batch ${batch} is paused; to resume it: npx --no rowonce resume ${batch}` }],
    },
  });
  expect(await desk.requests()).toBe(2);
  expect(await desk.json(['resume', batch])).toEqual({ batch, held: false, was_held: true });
  expect(await desk.json(['resume', batch])).toEqual({ batch, held: false, was_held: false });
  expect(await nights.night()).toMatchObject({
    code: 0,
    said: { files: [{ counts: { matched: 5 } }], left: [] },
  });
  const finished = await desk.type(['pause', batch, '--json']);
  expect(finished.code).toBe(2);
  expect(objectIn(finished.stdout).stopped.message).toBe(`Batch ${batch} is finished already.`);
});

proof('a run of a paused batch resumes it, and says so', async () => {
  const desk = await openDesk();
  desk.list(3);
  const { batch } = await desk.json(desk.run('--limit', '2'));
  await desk.json(['pause', batch]);
  const run = await desk.type(desk.run());
  expect(run.stderr).toContain(`Batch ${batch} was paused, and continues now.`);
  expect(await desk.requests()).toBe(3);
});

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
    next: 'Run the same command again to resume it:',
    command: expect.stringMatching(/rowonce run enrich-company .*list\.csv --budget 500 --json/),
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

test('a run that is being paused is not cut off by the end of the page that began it', async () => {
  const desk = await openDesk({ latencyMs: 200, concurrency: 2 });
  desk.list(50);
  const words = ['run', 'enrich-company', desk.place.path('list.csv'), '--budget', '500', '--json'];
  const running = desk.place.type(words, desk.environment());
  await running.said(/Batch [0-9a-f]{8}/);
  running.signal('SIGUSR2');
  running.signal('SIGTERM');
  const { code, report } = await running.ended;
  expect(code).toBe(143);
  expect(report?.stopped?.message).toContain('every answer is kept');
  expect((await desk.json(['status', 'last'])).counts.in_doubt).toBe(undefined);
});

proof('the run of another batch is not stopped for it, and is named', async () => {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(3);
  const { batch } = await desk.json(desk.run('--limit', '1'));
  desk.list(1, 'other.csv');
  const words = ['run', 'enrich-company', desk.place.path('other.csv'), '--budget', '9', '--json'];
  const running = desk.place.type(words, desk.environment());
  await running.said(/Batch [0-9a-f]{8}/);
  // Stopped, so that it cannot end before the other begins; the kernel keeps its lock.
  running.signal('SIGSTOP');
  const refused = await desk.type(['pause', batch]);
  running.signal('SIGCONT');
  expect(refused).toMatchObject({ code: 76, stderr: expect.stringContaining('other.csv') });
  expect(await running.ended).toMatchObject({ code: 0 });
});
