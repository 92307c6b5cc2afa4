/**
 * Goal: the page and tools ask by the names of commands, and are told what a terminal is told under `--json`.
 * Method: a real page beside real commands over one store; requests as no browser would send them.
 */
import { expect, onTestFinished, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { Served } from './served.ts';

test('a command is asked for by its name, and takes what it takes everywhere but for paths and the store', async () => {
  const desk = await openDesk({ faults: 'charged-500:x1', concurrency: 1 });
  desk.list(3);
  expect((await desk.type(desk.run())).code).toBe(3);
  const page = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
  onTestFinished(() => page[Symbol.asyncDispose]());
  const ask = async (command: string, given: object) => {
    const { status, body } = await page.tool(`/api/${command}`, {
      method: 'POST',
      body: JSON.stringify(given),
    });
    return { status, told: JSON.parse(body) };
  };
  expect((await ask('status', {})).told).toEqual(await desk.json(['status']));
  expect((await ask('status', { batch: 'last' })).told).toEqual(await desk.json(['status', 'last']));
  expect((await ask('spend', { by: 'batch' })).told).toEqual(await desk.json(['spend', '--by', 'batch']));
  const { in_doubt: doubts } = (await ask('settle', { batch: 'last' })).told;
  expect(doubts).toHaveLength(1);
  const settled = await ask('settle', { batch: 'last', row: doubts[0].row, skip: true });
  expect(settled.told).toMatchObject({ decided: 'skip', calls: 1 });
  expect(await desk.json(['settle', 'last'])).toMatchObject({ in_doubt: [] });

  for (const [command, given, fact] of [
    ['status', { batsh: 'last' }, 'status: "batsh" is not known here.'],
    ['status', { store: '/etc' }, 'status: "store" is not known here.'],
    ['spend', { output: '/tmp/x.csv' }, 'spend: "output" is not known here.'],
    ['pause', { batch: 'none' }, 'none'],
  ] as const)
    expect(await ask(command, given)).toMatchObject({
      status: 400,
      told: { error: { code: 'usage', message: expect.stringContaining(fact) } },
    });
  expect((await ask('run', { job: 'enrich-company', file: 'list.csv' })).status).toBe(404);
  expect((await page.ask('/api/status', { method: 'POST', body: '{}' })).status).toBe(401);
});
