/**
 * Goal: what was begun or agreed to on a terminal goes on from the page, and a yes there is one to what was shown.
 * Method: a real `rowonce serve` beside typed commands on the same store, the page in a real Chromium; the sandbox's vendors,
 * or one of the test's own, count what was asked.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WorkView } from '../../src/web/api.ts';
import { text } from '../../src/web/page/text.ts';
import { openDesk } from '../cli/desk.ts';
import { PROGRAM } from '../cli/rowonce.ts';
import { typed } from '../cli/typed.ts';
import { proof } from '../combinations.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { ask, servedIn, useBrowser } from './scene.ts';
import { environmentIn } from './served.ts';

const tabAt = useBrowser();

const words = text.batch;

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
  return { ask: asked, lastWork, open: (path: string) => tabAt(served, path) };
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

test('a yes to changes is one to those that were shown: nothing is sent where they have moved since', async () => {
  const team = await teamAgreedTo('reset:x1');
  const { batch } = await team.json('status', 'last');
  await team.apply([{ email: 'bob@t.example', role: 'editor' }], { input: 'other.csv' });
  const { ask, lastWork } = await serve(team.place.folder);
  await ask('POST', `/batches/${batch}/continue`);
  const { plan = '' } = (await lastWork()).stopped ?? {};
  await team.apply([{ email: 'bob@t.example', role: 'admin' }], {
    input: 'other.csv',
    more: ['--allow-admin'],
  });
  const requests = await team.requests();
  const unseen = await ask('POST', `/batches/${batch}/continue?answer=yes`);
  expect(unseen.error.message).toBe('A yes to changes must name their plan.');
  await ask('POST', `/batches/${batch}/continue?answer=yes&plan=${plan}`);
  expect((await lastWork()).stopped).toMatchObject({ code: 'plan' });
  expect(await team.requests()).toBe(requests);
});

proof(
  'the rest of a list goes on from the page after a sample on a terminal, once its price was agreed to',
  async () => {
    const desk = await openDesk();
    desk.list(6);
    await desk.type(['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--sample', '2', '--budget', '2']);
    const { batch } = await desk.json(['status', 'last']);
    const { open } = await serve(desk.place.folder, desk.environment());
    const page = await open(`/batches/${batch}`);
    await page.getByRole('button', { name: words.goOn }).click();
    const budget = page.getByLabel(words.moreBudget);
    await budget.waitFor();
    expect(await budget.inputValue()).toBe('6');
    expect(await desk.requests()).toBe(2);
    await page.getByRole('button', { name: words.goOnWith }).click();
    await page.getByText(words.states.finished, { exact: true }).waitFor();
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 6, credits: 6, charged_twice: [] });
  },
);
