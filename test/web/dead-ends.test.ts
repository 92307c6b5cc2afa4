import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import type { WorkView } from '../../src/web/api.ts';
import { text } from '../../src/web/page/text.ts';
import { type Desk, type JsonResult, openDesk } from '../cli/desk.ts';
import { PROGRAM } from '../cli/rowonce.ts';
import { typed } from '../cli/typed.ts';
import { proof } from '../combinations.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { expectToFit } from './fit.ts';
import { environmentIn, Served } from './served.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser?.close());

/** A vendor that knows this key alone. @returns its address, and about what it was asked with that key. */
async function vendorWithKey(key: string): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const isKnown = Object.values(request.headers).some((value) => String(value).includes(key));
    if (isKnown) asked.push(body);
    const [status, answer] = isKnown ? [200, { name: 'Company' }] : [401, { error: 'unknown key' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** What the API answers to a tool. */
async function asked(
  served: Served,
  method: string,
  path: string,
  body?: string | object,
): Promise<JsonResult> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await served.tool(`/api${path}`, { method, ...(sent === undefined ? {} : { body: sent }) });
  expect([200, 201], answer.body).toContain(answer.status);
  return JSON.parse(answer.body);
}

interface Started {
  readonly page: Page;
  readonly batch: string;
}

/** Starts a list from the page, and opens its batch. */
async function started(desk: Desk, list: string, budget: number): Promise<Started> {
  const served = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
  onTestFinished(async () => void (await served.stop('SIGKILL')));
  const ask = (...request: readonly [method: string, path: string, body?: string | object]) =>
    asked(served, ...request);
  const { id } = await ask('PUT', '/lists?name=list.csv', list);
  const choices = { what: { operation: 'enrich-company' }, account: 'data' };
  const plan = await ask('POST', '/plans', { list: id, choices });
  await ask('POST', '/starts', { plan: plan.id, budget });
  const newest = async () => (await ask('GET', '/batches')).batches[0]?.batch;
  await expect.poll(newest).toBeDefined();
  const batch = await newest();
  const page = await openTab(browser, served, { path: `/batches/${batch}` });
  onTestFinished(() => page.context().close());
  return { page, batch };
}

const isFinished = (page: Page): Promise<void> =>
  page.getByText(text.batch.states.finished, { exact: true }).waitFor();

proof(
  'a change in doubt that is to be sent again is sent from the page, also when the list was agreed to on a terminal',
  async () => {
    const team = await TeamWorkplace.open({ faults: 'reset:x1', concurrency: 1 });
    onTestFinished(() => team[Symbol.asyncDispose]());
    const { place } = team;
    team.writeSheet(['ann', 'bob'].map((who) => ({ email: `${who}@t.example`, role: 'viewer' })));
    for (const [name, value] of Object.entries(environmentIn(place.folder))) vi.stubEnv(name, value);
    const commandLine = process.argv;
    onTestFinished(() => {
      vi.unstubAllEnvs();
      process.argv = commandLine;
    });
    const words = ['run', place.path('team.yaml'), place.path('team.csv'), '-o', place.path('out.csv')];
    process.argv = [process.execPath, PROGRAM, ...words];
    expect(await typed(words, { answer: 'y' })).toMatchObject({ code: 3 });

    const served = await Served.start([], { cwd: place.folder });
    onTestFinished(async () => void (await served.stop('SIGKILL')));
    const [{ batch }] = (await asked(served, 'GET', '/batches')).batches;
    const ended = async (): Promise<JsonResult> => {
      const works = async (): Promise<readonly WorkView[]> => (await asked(served, 'GET', '/tasks')).work;
      await expect.poll(async () => (await works()).every(({ state }) => state === 'ended')).toBe(true);
      return (await works()).at(-1);
    };
    await asked(served, 'POST', `/batches/${batch}/settle`, { rows: 'all', how: 'retry' });
    await ended();
    await asked(served, 'POST', `/batches/${batch}/continue`);
    expect(await ended()).toMatchObject({ exit_code: 0, stopped: null });
    const { batches } = await asked(served, 'GET', '/batches');
    expect(batches).toMatchObject([{ batch, state: 'finished', counts: { applied: 2 } }]);
  },
);

describe('on a wide screen and on a phone', () => {
  proof('a key that is refused is replaced from the batch that it stopped, which goes on', async () => {
    const desk = await openDesk();
    const vendor = await vendorWithKey('the-new-key');
    const data = { vendor: 'provider', base_url: vendor.url, key: 'the-old-key' };
    await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
    const { page, batch } = await started(desk, 'Domain\none.example\ntwo.example\n', 9);
    await page.getByRole('link', { name: text.batch.changeKey('data') }).click();
    const key = page.getByLabel(text.accounts.newKey);
    await key.fill('the-new-key');
    await expectToFit(page);
    await page.getByRole('button', { name: text.accounts.save }).click();
    await page.waitForURL(`**/batches/${batch}`);
    await page.getByText(text.batch.accountChanged('data')).waitFor();
    expect(await page.getByRole('link', { name: text.batch.changeKey('data') }).count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: text.batch.goOn }).click();
    await isFinished(page);
    expect(vendor.asked).toHaveLength(2);
    expect(await desk.read('config/accounts.yaml')).not.toContain('the-old-key');
  });

  proof(
    'what is decided about a doubt of a finished batch is carried out on its page, and nothing is chosen for anybody',
    async () => {
      const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
      const { page, batch } = await started(desk, 'Domain\none.example\ntwo.example\n', 9);
      await page.getByRole('button', { name: text.batch.carryOut }).waitFor();
      await page.getByRole('link', { name: text.batch.doubts('1') }).click();
      const note = page.getByRole('button', { name: text.doubts.submit });
      await note.waitFor();
      expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
      expect(await note.isDisabled()).toBe(true);
      await page.getByRole('radio', { name: text.doubts.retry }).check();
      await note.click();
      await page.getByRole('link', { name: text.doubts.toBatch }).click();
      await page.waitForURL(`**/batches/${batch}`);
      await expectToFit(page);
      const carryOut = page.getByRole('button', { name: text.batch.carryOut });
      await carryOut.waitFor();
      await page.getByText('Nothing needs you.').waitFor();
      expect(await page.getByRole('link', { name: text.batch.doubts('1') }).count()).toBe(0);
      expect(await page.getByRole('link', { name: text.batch.came.decide, exact: true }).count()).toBe(0);
      await carryOut.click();
      await carryOut.waitFor({ state: 'detached' });
      expect(await desk.place.vendor.book()).toMatchObject({ requests: 3, credits: 3 });
    },
  );

  proof(
    'a doubt of a list that has changed since is not offered to be asked again, and its page says why',
    async () => {
      const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
      await desk.write('list.csv', 'Domain\none.example\ntwo.example\n');
      const { code } = await desk.type([
        'run',
        'enrich-company',
        'list.csv',
        '--account',
        'data',
        '--budget',
        '9',
      ]);
      expect(code).toBe(3);
      await desk.write('list.csv', 'Domain\none.example\nthree.example\n');
      const served = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
      onTestFinished(async () => void (await served.stop('SIGKILL')));
      const [{ batch }] = (await asked(served, 'GET', '/batches')).batches;
      const page = await openTab(browser, served, { path: `/batches/${batch}/doubts` });
      onTestFinished(() => page.context().close());
      await page.getByText(text.doubts.over('its list has changed')).waitFor();
      await page.getByText(text.doubts.tell('list')).waitFor();
      expect(await page.getByRole('radio', { name: text.doubts.retry }).count()).toBe(0);
      await page.getByRole('radio', { name: text.doubts.notDone }).check();
      await page.getByRole('button', { name: text.doubts.submit }).click();
      await page.getByText(text.doubts.none).waitFor();
      await expectToFit(page);
    },
  );

  proof('a budget that is reached is raised where the batch says so, once', async () => {
    const desk = await openDesk();
    const rows = Array.from({ length: 6 }, (_, at) => `company-${at}.example\n`).join('');
    const { page } = await started(desk, `Domain\n${rows}`, 2);
    const budget = page.getByLabel(text.batch.moreBudget);
    await budget.waitFor();
    expect(await budget.inputValue()).toBe('6');
    await expectToFit(page);
    await page.getByRole('button', { name: text.batch.goOnWith }).click();
    await isFinished(page);
    expect(await desk.place.vendor.book()).toMatchObject({ credits: 6, charged_twice: [] });
  });
});
