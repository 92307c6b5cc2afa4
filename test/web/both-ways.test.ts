/**
 * Goal: what was begun or agreed to on a terminal goes on from the page, and a yes there is one to what was shown.
 * Method: a real `rowonce serve` beside typed commands on the same store, the page in a real Chromium; the sandbox's vendors,
 * or one of the test's own, count what was asked.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WorkView } from '../../src/web/api.ts';
import { PROGRAM } from '../cli/rowonce.ts';
import { typed } from '../cli/typed.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { ask, servedIn } from './scene.ts';
import { environmentIn } from './served.ts';

/** A page over the store in this folder, and what its API answers. */
async function serve(folder: string, env: Record<string, string> = {}) {
  const served = await servedIn(folder, env);
  const asked = (method: string, path: string, body?: object | string) => ask(served, method, path, body);
  const lastWork = async (): Promise<WorkView> => {
    const works = async (): Promise<readonly WorkView[]> => (await asked('GET', '/tasks')).work;
    await expect.poll(async () => (await works()).every(({ state }) => state === 'ended')).toBe(true);
    const last = (await works()).at(-1);
    if (last === undefined) throw new Error('Nothing was started');
    return last;
  };
  return { ask: asked, lastWork };
}

/** A team whose first invite was lost, and which somebody has agreed to on a terminal. */
async function teamAgreedTo(faults: string): Promise<TeamWorkplace> {
  const team = await TeamWorkplace.open({ faults, concurrency: 1 });
  onTestFinished(() => team[Symbol.asyncDispose]());
  const { place } = team;
  team.writeSheet(['ann', 'bob'].map((who) => ({ email: `${who}@t.example`, role: 'viewer' })));
  for (const [name, value] of Object.entries(environmentIn(place.folder))) vi.stubEnv(name, value);
  const commandLine = process.argv;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.argv = commandLine;
  });
  const line = ['run', place.path('team.yaml'), place.path('team.csv'), '-o', place.path('out.csv')];
  process.argv = [process.execPath, PROGRAM, ...line];
  expect((await typed(line, { answer: 'y' })).code).toBe(faults === '' ? 0 : 3);
  return team;
}

test('changes that were agreed to on a terminal are not sent from the page where they have moved since', async () => {
  const team = await teamAgreedTo('reset:x1');
  const { batch } = await team.json('status', 'last');
  await team.apply([{ email: 'bob@t.example', role: 'editor' }], { input: 'other.csv' });
  const { ask, lastWork } = await serve(team.place.folder);
  const requests = await team.requests();
  await ask('POST', `/batches/${batch}/continue`);
  expect((await lastWork()).stopped).toMatchObject({ code: 'consent' });
  expect(await team.requests()).toBe(requests);
});
