/**
 * Goal: while a vendor asks to wait, the page and `status` say what the terminal of the run says: that the batch is running and
 * waits, why, and until when.
 * Method: a run of the command line beside a real `rowonce serve`, before a vendor that answers some rows and then no more.
 */
import { expect, onTestFinished, test } from 'vitest';
import { type JsonResult, openDesk } from '../cli/desk.ts';
import { Gateway } from './gateway.ts';
import { ask, servedIn } from './scene.ts';

test('status of a batch that a run works on says so, since when, why it waits, and nothing of going on', async () => {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(20);
  // Three rows are answered before the vendor goes down.
  const gateway = await Gateway.before(desk.place.vendor.url, (call) =>
    call <= 3 ? undefined : { status: 429, headers: { 'retry-after': '300' } },
  );
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  desk.place.writeAccount(gateway.url, { limits: { per_second: 2_000, concurrency: 1 } });
  const served = await servedIn(desk.place.folder, desk.environment());
  const words = desk.run().map((word) => (word.endsWith('.csv') ? desk.place.path(word) : word));
  const running = desk.place.type(words, desk.environment());
  onTestFinished(async () => void (await running.kill()));
  await running.said(/Batch [0-9a-f]{8}: 20 rows/);

  const last = (): Promise<JsonResult> => desk.json(['status', 'last']);
  await expect.poll(async () => (await last()).paused_why ?? '').toContain('asked to wait');
  const { batch, paused_until, running_since } = await last();
  expect(await ask(served, 'GET', `/batches/${batch}`)).toMatchObject({ running_since, paused_until });
  const { stdout, stderr } = await desk.type(['status', 'last']);
  expect(stdout).toContain(`Batch ${batch}, running, enrich-company`);
  expect(stdout).toContain(`Running    since ${running_since}\n`);
  expect(stdout).toContain(`Paused     until ${paused_until}: the vendor asked to wait`);
  expect(stderr).not.toContain('To continue');
  expect((await desk.type(['status'])).stdout).toMatch(/ {2}running {5}3\/20 rows/);
  expect((await desk.json(['status'])).batches).toMatchObject([{ state: 'open', running: true }]);

  await running.kill();
  expect(await last()).toMatchObject({ state: 'open', running: false, paused_until });
  expect((await desk.type(['status', 'last'])).stderr).toContain('To continue');
});
