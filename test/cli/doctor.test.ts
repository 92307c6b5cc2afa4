/**
 * Goal: one command says whether this machine, its store and its accounts are fit for a run, and sends nothing.
 * Method: the real command over folders in every state.
 */

import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { objectIn, openDesk } from './desk.ts';

test('all is well: every line begins with ok, nothing is made, nothing is sent', async () => {
  const desk = await openDesk();
  const { code, stdout } = await desk.type(['doctor']);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, 18).trimEnd()),
  ).toEqual([
    'ok       machine',
    'ok       load',
    'ok       clock',
    'ok       store',
    'ok       disk',
    'ok       accounts',
  ]);
  expect(stdout).toContain(`none yet at ${desk.place.path('store')}\n`);
  expect(stdout).toContain(`data in ${desk.place.path('config/accounts.yaml')}\n`);
  expect(existsSync(desk.place.path('store'))).toBe(false);
  expect(await desk.requests()).toBe(0);
});

test('problems are named with what to do, each on its own, and end with 2', async () => {
  const desk = await openDesk();
  await chmod(desk.place.path('config/accounts.yaml'), 0o644);
  desk.list(1);
  const env = { ROWONCE_STORE: desk.place.path('list.csv') };
  const { code, stdout } = await desk.type(['doctor', '--json'], { env });
  expect(code).toBe(2);
  // A machine that is busy with other tests has a problem of its own.
  const problems = objectIn(stdout).findings.filter(
    ({ what, ok }: { what: string; ok: boolean }) => !ok && what !== 'load',
  );
  expect(problems).toEqual([
    {
      what: 'accounts',
      ok: false,
      fact: expect.stringContaining('can be read by other users (mode 0644)'),
      next: expect.stringContaining('chmod 600'),
    },
  ]);
});

test('a dialect that cannot be used is found before a run meets it', async () => {
  const desk = await openDesk();
  await desk.write('config/mine.yaml', 'operations: { enrich-company: { path: c } }\n');
  desk.place.writeAccount(desk.place.vendor.url, { dialect: './mine.yaml' });
  const { code, stdout } = await desk.type(['doctor']);
  expect(code).toBe(2);
  expect(stdout).toMatch(
    /^problem {2}dialect .*config\/mine\.yaml:1:39: operations\.enrich-company\.path: /m,
  );
});
