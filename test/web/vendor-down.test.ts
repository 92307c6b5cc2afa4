/**
 * Goal: while a vendor asks to wait, the page and `status` say what the terminal of the run says: that the batch is running and
 * waits, why, and until when.
 * Method: a run of the command line beside a real `rowonce serve`, before a vendor that answers some rows and then no more.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { BatchDetail } from '../../src/web/api.ts';
import { type Desk, type JsonResult, openDesk } from '../cli/desk.ts';
import type { Program } from '../faults/program.ts';
import { Gateway, type Weather } from './gateway.ts';
import { Served } from './served.ts';

/** So many rows are answered before the vendor goes down. */
const ANSWERED = 3;

interface Down {
  readonly desk: Desk;
  readonly served: Served;
  readonly running: Program;
  readonly batch: string;
  detail(): Promise<BatchDetail>;
}

async function down(weather: Weather): Promise<Down> {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(20);
  const gateway = await Gateway.before(desk.place.vendor.url);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  gateway.weather = (call, passing) => (call <= ANSWERED ? undefined : weather(call, passing));
  desk.place.writeAccount(gateway.url, { limits: { per_second: 2_000, concurrency: 1 } });
  const served = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
  onTestFinished(async () => void (await served.stop('SIGKILL')));
  const running = desk.place.type(
    desk.run().map((word) => (word.endsWith('.csv') ? desk.place.path(word) : word)),
    desk.environment(),
  );
  onTestFinished(async () => void (await running.kill()));
  await running.said(/Batch [0-9a-f]{8}: 20 rows/);
  const { batch } = await desk.json(['status', 'last']);
  const detail = async () => JSON.parse((await served.tool(`/api/batches/${batch}`)).body);
  return { desk, served, running, batch, detail };
}

test('status of a batch that a run works on says so, since when, why it waits, and nothing of going on', async () => {
  const it = await down(() => ({ status: 429, headers: { 'retry-after': '300' } }));
  const status = (...words: readonly string[]): Promise<JsonResult> => it.desk.json(['status', ...words]);
  await expect.poll(async () => (await status('last')).paused_why ?? '').toContain('asked to wait');
  const { paused_until, running_since } = await status('last');
  expect(await it.detail()).toMatchObject({ running_since, paused_until });
  const { stdout, stderr } = await it.desk.type(['status', 'last']);
  expect(stdout).toContain(`Batch ${it.batch}, running, enrich-company`);
  expect(stdout).toContain(`Running    since ${running_since}\n`);
  expect(stdout).toContain(`Paused     until ${paused_until}: the vendor asked to wait`);
  expect(stderr).not.toContain('To continue');
  expect((await it.desk.type(['status'])).stdout).toMatch(/ {2}running {5}3\/20 rows/);
  expect((await status()).batches).toMatchObject([{ state: 'open', running: true }]);

  await it.running.kill();
  const killed = await status('last');
  expect(killed).toMatchObject({ state: 'open', running: false, paused_until });
  expect((await it.desk.type(['status', 'last'])).stderr).toContain('To continue');
});
