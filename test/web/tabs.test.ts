/**
 * Goal: a tab outlives its server. It goes on once the same store is served again, and another program at the port is told
 * neither the token of the tab nor what was typed.
 * Method: real processes that end and start, a real Chromium before them, and a stranger's server at the port that was left.
 */
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { Clocks } from '../cli/clocks.ts';
import { openDesk } from '../cli/desk.ts';
import { servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const openTab = useBrowser();

const KEY = 'a-key-for-rowonce-alone';

/** A place for several pages, one after the other. */
const newPlace = async () => (await openDesk()).place.folder;

/** The form of a vendor, with all its fields. */
async function chooseVendor(page: Page): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search vendors' }).fill('phone sur');
  await page.getByText('Name, price and limit').click();
}

/** Another program takes both halves of the port. It says yes to everything. @returns all that it was told. */
async function strangerAt(port: number): Promise<{ readonly heard: () => string }> {
  let heard = '';
  for (const host of ['127.0.0.1', '::1']) {
    const stranger = createServer(async (request, response) => {
      heard += `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${await text(request)}\n`;
      response.end(JSON.stringify({ proof: 'A'.repeat(64), token: 'x', batches: [] }));
    });
    await new Promise<void>((resolve) => stranger.once('error', () => resolve()).listen(port, host, resolve));
    onTestFinished(() => {
      stranger.closeAllConnections();
      stranger.close();
    });
  }
  return { heard: () => heard };
}

test('a tab that was opened by hand says how the page is opened, and an address without a view leads to the lists', async () => {
  const served = await servedIn(await newPlace());
  const page = await openTab(served, '/nowhere');
  await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
  await page.getByRole('link', { name: 'See your lists' }).click();
  await page.getByRole('heading', { name: 'Lists', exact: true }).waitFor();
  const byHand = await page.context().browser()?.newContext();
  const other = await byHand?.newPage();
  await other?.goto(served.url);
  await other?.getByRole('heading', { name: 'This page is closed' }).waitFor();
  await other?.locator('code', { hasText: 'serve' }).waitFor();
  await byHand?.close();
});

test('what is typed when the page has ended is told to no other program at its port, nor is the token', async () => {
  const served = await servedIn(await newPlace());
  const page = await openTab(served, '/accounts');
  await chooseVendor(page);
  await page.getByLabel('Key', { exact: true }).fill(KEY);
  await page.getByLabel('Your name for it').fill('data');
  const token = (await page.evaluate("sessionStorage.getItem('rowonce-entry')")) as string;
  expect(token).toMatch(/^[\w-]{43}$/);
  expect((await served.stop()).code).toBe(0);
  const { heard } = await strangerAt(served.port);
  await page.evaluate("document.querySelectorAll('form').forEach((form) => form.requestSubmit())");
  await page.getByText('Rowonce was closed at').first().waitFor();
  await expect.poll(heard).toContain('/api/proof');
  expect(heard()).not.toContain(token);
  expect(heard()).not.toContain(KEY);
});

test('an open tab goes on by itself when the page of its store is started again, with all that was typed', async () => {
  const place = await newPlace();
  const first = await servedIn(place);
  const page = await openTab(first, '/accounts');
  await chooseVendor(page);
  await page.getByLabel('Your name for it').fill('typed-before');
  const { url } = first;
  await first.stop('SIGKILL');
  await page.getByText('Rowonce was closed at').first().waitFor();
  await page.getByText('npx rowonce serve').waitFor();
  const second = await servedIn(place);
  expect(second.url).toBe(url);
  await page.getByText('Rowonce was closed at').first().waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Your name for it').inputValue()).toBe('typed-before');
  await page.getByRole('link', { name: 'Lists' }).click();
  await page.waitForSelector('h1:has-text("Lists")');
});

test('a tab whose server was started with a store names it, so that the same lists are there again', async () => {
  const place = await newPlace();
  const served = await servedIn(place, {}, ['--store', 'other']);
  const page = await openTab(served, '/accounts');
  await page.waitForSelector('h1:has-text("Accounts")');
  await served.stop();
  await page.getByText('npx rowonce serve --store other').waitFor();
});

test('where another program has the port meanwhile, the page is elsewhere, and nothing of before opens it', async () => {
  const place = await newPlace();
  const first = await servedIn(place);
  const { token } = JSON.parse((await first.enter(first.word)).body);
  const { port } = first;
  await first.stop();
  await strangerAt(port);
  const second = await servedIn(place);
  expect(second.port).not.toBe(port);
  expect(new URL(second.url).hostname).not.toBe(new URL(first.url).hostname);
  const headers = { ...second.ofPage, authorization: `Bearer ${token}` };
  expect((await second.ask('/api/tasks', { headers })).status).toBe(401);
});

test('the store keeps name, port and secret of the page, for its owner alone, until seven days after its end', async () => {
  const place = await newPlace();
  const clocks = new Clocks(`${place}/clocks.json`);
  const DAY = 86_400_000;
  const urls: string[] = [];
  const servedAt = async (days: number): Promise<Served> => {
    clocks.set({ wallMs: days * DAY });
    const served = await servedIn(place, clocks.env);
    urls.push(served.url);
    return served;
  };
  const first = await servedAt(0);
  const path = `${place}/store/tabs.json`;
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ port: first.port });
  await first.stop();
  await (await servedAt(6)).stop();
  await (await servedAt(12)).stop();
  await (await servedAt(19.5)).stop();
  expect(urls.map((url) => urls.indexOf(url))).toEqual([0, 0, 0, 3]);
});

test('a proof is of one number and one path', async () => {
  const served = await servedIn();
  const proofOf = async (number: string, path: string): Promise<string> => {
    const body = JSON.stringify({ number, path });
    const answer = await served.ask('/api/proof', { method: 'POST', headers: served.ofPage, body });
    return JSON.parse(answer.body).proof;
  };
  const proofs = [await proofOf('1', '/tasks'), await proofOf('2', '/tasks'), await proofOf('1', '/run')];
  expect(new Set(proofs).size).toBe(3);
  expect(await proofOf('1', '/tasks')).toBe(proofs[0]);
});
