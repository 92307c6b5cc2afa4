/**
 * Goal: what is decided or agreed to on a terminal is carried out on the page, and what was begun on the page goes on in a
 * terminal, by the command that it shows.
 * Method: a real `rowonce serve` beside typed commands on the same store, the page in a real Chromium; the sandbox's vendors,
 * or one of the test's own, count what was asked.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WorkView } from '../../src/web/api.ts';
import { text } from '../../src/web/page/text.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import { PROGRAM } from '../cli/rowonce.ts';
import { typed } from '../cli/typed.ts';
import { proof, proofs, some } from '../combinations.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { PROJECT, TeamWorkplace } from '../faults/team-workplace.ts';
import { ask, expectToFit, servedIn, useBrowser } from './scene.ts';
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

proofs('on a wide screen and on a phone', () => {
  proof(
    'a change that was not done, as somebody said on a terminal, is made from the page: its plan was agreed to before',
    async () => {
      const team = await teamAgreedTo('reset:x1');
      const { batch } = await team.json('status', 'last');
      expect((await team.type('settle', batch, '--not-done')).code).toBe(0);
      const { open } = await serve(team.place.folder);
      const page = await open(`/batches/${batch}`);
      await page.getByRole('button', { name: words.goOn }).click();
      await page.getByText(words.states.finished, { exact: true }).waitFor();
      const state = await team.state();
      expect(state.roles()).toEqual({
        [`${PROJECT} ann@t.example`]: 'viewer',
        [`${PROJECT} bob@t.example`]: 'viewer',
      });
      expect(state.invitedTwice()).toEqual([]);
    },
  );

  proof(
    'what turned out to be no answer is bought again from the batch whose rows wait for it, within a limit',
    async () => {
      const desk = await openDesk();
      const asked: string[] = [];
      const url = await vendorOf((about) => {
        asked.push(about);
        return { name: 'Queue', ...(asked.length === 1 ? { note: 'busy' } : {}) };
      });
      const data = { vendor: 'provider', base_url: url, key: 'k', dialect: desk.place.path('ours.yaml') };
      await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
      await desk.write('ours.yaml', '{}');
      await desk.write('list.csv', 'Domain\nbusy.example\n');
      const other = `${'A rather long name of a list '.repeat(5)}.csv`;
      await desk.write(other, 'Domain\nbusy.example\nfree.example\n');
      const run = (list: string) => ['run', 'enrich-company', list, '--budget', '5', '-o', `${list}.out.csv`];
      await desk.type(run('list.csv'));
      const busy = { status: [200], body: { path: 'note', matches: 'busy' }, means: 'rate_limited' };
      await desk.write('ours.yaml', JSON.stringify({ answers: [busy] }));
      const { batch, counts } = await desk.json(run(other));
      expect(counts).toEqual({ in_doubt: 1, matched: 1 });

      const { open } = await serve(desk.place.folder, desk.environment());
      const page = await open(`/batches/${batch}/rows/2`);
      const link = page.getByRole('link', { name: words.toBuyAgain });
      await link.waitFor();
      await expectToFit(page);
      await link.click();
      const again = page.getByRole('button', { name: words.buyAgain('1 row') });
      await again.waitFor();
      await expectToFit(page);
      expect(asked).toHaveLength(2);
      await again.click();
      await again.waitFor({ state: 'detached' });
      expect(asked).toEqual(['busy.example', 'free.example', 'busy.example']);
    },
  );
});

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

/** A vendor of the test alone. @param answer says what is found, by what is asked about. @returns its address. */
async function vendorOf(answer: (about: string) => object | undefined): Promise<string> {
  const vendor = await ScriptedVendor.start(({ body }, response) => {
    const found = answer(String(Object.values(JSON.parse(body))[0]));
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { error: 'No match' }));
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return vendor.url;
}

proofs('what stops a run and is answered by a word on a terminal is answered by a button', () => {
  const answers = [
    { answer: 'no-match', requests: 0 },
    { answer: 'take-back', requests: 20 },
  ] as const;
  test.each(some(answers, 1))('$answer', async ({ answer, requests }) => {
    const desk = await openDesk();
    let asked = 0;
    const url = await vendorOf(() => {
      asked += 1;
      return undefined;
    });
    const limits = { per_second: 1000, concurrency: 1 };
    const data = { vendor: 'provider', base_url: url, key: 'k', limits };
    await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
    desk.list(20);
    expect(await desk.type(desk.run())).toMatchObject({ code: 2 });
    asked = 0;
    const { batch } = await desk.json(['status', 'last']);
    const { ask, open, lastWork } = await serve(desk.place.folder, desk.environment());
    const page = await open(`/batches/${batch}`);
    await page.getByRole('button', { name: words.goOn }).click();
    await page.getByRole('link', { name: words.changeAddress('data') }).waitFor();
    await page.getByRole('button', { name: words.answers[answer] }).click();
    await expect.poll(async () => (await ask('GET', '/tasks')).work.length).toBe(2);
    await lastWork();
    expect(asked).toBe(requests);
  });

  /** Continues a batch on its page, and answers what stops it. */
  async function answer(desk: Desk, batch: string, answer: 'doubts' | 'store' | 'dialect'): Promise<void> {
    const { ask, lastWork, open } = await serve(desk.place.folder, desk.environment());
    const page = await open(`/batches/${batch}`);
    await page.getByRole('button', { name: words.goOn }).click();
    await page.getByRole('button', { name: words.answers[answer] }).click();
    await expect.poll(async () => (await ask('GET', '/tasks')).work.length).toBe(2);
    expect(await lastWork()).toMatchObject({ stopped: null });
  }

  proof('doubts: the vendor is asked about the rest, and about nothing twice', async () => {
    const desk = await openDesk();
    const asked: string[] = [];
    const url = await vendorOf((about) => {
      asked.push(about);
      return { ergebnis: {}, status: 'unbekannt' };
    });
    const limits = { per_second: 1000, concurrency: 1 };
    const data = { vendor: 'provider', base_url: url, key: 'k', limits };
    await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
    desk.list(12);
    const { batch, stopped } = await desk.json(desk.run());
    expect([stopped.code, asked.length]).toEqual(['doubts', 5]);
    await answer(desk, batch, 'doubts');
    expect([asked.length, new Set(asked).size]).toEqual([12, 12]);
  });
});

proofs.each(['--retry', '--not-done'])('%s on a terminal', (decision) => {
  test('about a doubt of a finished undo is carried out on its page', async () => {
    const team = await teamAgreedTo('');
    await team.apply([{ email: 'ann@t.example', role: 'editor' }]);
    const { batch: undone } = await team.json('status', 'last');
    await team.vendor.setFaults('reset@create-invite:x1');
    const { batch, counts } = await team.json('undo', undone, '--yes');
    expect(counts).toEqual({ in_doubt: 1 });
    expect((await team.type('settle', batch, decision)).code).toBe(0);
    const { ask, lastWork } = await serve(team.place.folder);
    await ask('POST', `/batches/${batch}/continue`);
    expect(await lastWork()).toMatchObject({ kind: 'undo', stopped: null });
    expect((await team.state()).roles()).toMatchObject({ [`${PROJECT} ann@t.example`]: 'viewer' });
  });
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

proof(
  'a batch that the page has begun goes on in a terminal, by the command that a decision shows',
  async () => {
    const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
    const { ask, lastWork } = await serve(desk.place.folder, desk.environment());
    const { id } = await ask('PUT', '/lists?name=list.csv', 'Domain\none.example\ntwo.example\n');
    const choices = { what: { operation: 'enrich-company' }, account: 'data' };
    const plan = await ask('POST', '/plans', { list: id, choices });
    await ask('POST', '/starts', { plan: plan.id, budget: 9 });
    await lastWork();
    const decided = await desk.type(['settle', 'last', '--not-done']);
    const command = decided.stderr.trim().split('\n').at(-1) ?? '';
    // The yes on the page was to the plan that it showed. Whoever types the command later is asked about what it buys then.
    expect(command).not.toMatch(/--yes|--plan/);
    const line = command.replace(/^.*? rowonce /, '').split(' ');
    expect(await desk.type(line)).toMatchObject({ code: 0 });
  },
);
