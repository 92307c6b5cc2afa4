/**
 * Goal: what another page in the user's browser may do is decided by that browser, and it decides that ours is out of reach.
 * Method: a real Chromium whose same-origin policy is shown to be on, a page of a stranger on another port of 127.0.0.1,
 * and a foreign name that leads to this machine. The stranger knows what it could never know: address, words and tokens.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { type Asked, Served } from './served.ts';

let served: Served;
let browser: Browser;
let strangers: Server;
let strange: string;
/** The paths that were asked of the stranger's server. */
const asked: string[] = [];

beforeAll(async () => {
  strangers = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/shared') response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>stranger</title>');
  });
  await new Promise<void>((resolve) => strangers.listen(0, '127.0.0.1', resolve));
  strange = `http://127.0.0.1:${(strangers.address() as AddressInfo).port}`;
  served = await Served.start();
  browser = await openBrowser(['--host-resolver-rules=MAP evil.example 127.0.0.1']);
});
afterAll(async () => {
  await browser?.close();
  strangers?.closeAllConnections();
  strangers?.close();
  await served?.[Symbol.asyncDispose]();
});

const newWord = (): Promise<string> => served.newWord();

/** Whether the word still opens the page, for who comes from it. */
const opens = async (opening: string): Promise<boolean> => (await served.enter(opening)).status === 200;

/** What a page gets by this request: its text, or that the browser or the server let it have nothing. */
const got = (page: Page, url: string, how: Asked & { readonly mode?: 'no-cors' } = {}): Promise<string> =>
  page.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(how)}).then(
    async (answer) => answer.type + ' ' + answer.status + ' ' + (await answer.text()),
    () => 'nothing',
  )`);

/** Puts an element into a page. @returns what becomes of it. */
const put = (page: Page, name: string, values: Readonly<Record<string, string>>): Promise<string> =>
  page.evaluate(`new Promise((resolve) => {
    const element = document.createElement('${name}');
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('refused');
    document.body.append(Object.assign(element, ${JSON.stringify(values)}));
    if (element.text) resolve('put');
  })`);

describe('a page on another port', () => {
  let page: Page;
  beforeEach(async () => {
    page = await browser.newPage();
    await page.goto(strange);
  });
  afterEach(() => page.close());

  test('a page on another port is held to the same-origin policy by this browser', async () => {
    const third = strange.replace('127.0.0.1', 'localhost');
    expect(await got(page, `${third}/kept`)).toBe('nothing');
    expect(await got(page, `${third}/shared`)).toContain('stranger');
    expect(asked).toContain('/kept');
  });

  test('a page on another port reads nothing, with the token or without', async () => {
    const headers = { authorization: `Bearer ${served.note.token}` };
    for (const path of ['/', '/page.js', '/api/tasks']) {
      expect(await got(page, served.url + path)).toBe('nothing');
      expect(await got(page, served.url + path, { headers })).toBe('nothing');
      expect(await got(page, served.url + path, { mode: 'no-cors' })).toMatch(/^opaque 0 $|^nothing$/);
    }
  });

  test('a page on another port changes nothing: what it posts is refused before it is read', async () => {
    const word = await newWord();
    const body = JSON.stringify({ opening: word });
    const answers = [
      await got(page, `${served.url}/api/session`, { method: 'POST', body }),
      await got(page, `${served.url}/api/session`, { method: 'POST', body, mode: 'no-cors' }),
    ];
    expect(answers.filter((answer) => answer.includes('token'))).toEqual([]);
    await page.evaluate(`navigator.sendBeacon('${served.url}/api/session', ${JSON.stringify(body)})`);
    expect(await opens(word)).toBe(true);
  });
});

describe('the page itself', () => {
  test('the page itself keeps its word out of the address and the history, and reloads without it', async () => {
    const page = await openTab(browser, served);
    await page.waitForSelector('h1:has-text("Lists")');
    expect([page.url(), await page.evaluate('history.length')]).toEqual([`${served.url}/`, 2]);
    await page.reload();
    await page.waitForSelector('h1:has-text("Lists")');
    expect(await page.context().cookies()).toEqual([]);
    await page.context().close();
  });

  test('the page itself runs no script and asks nobody but its own, even if somebody got words into it', async () => {
    const page = await openTab(browser, served);
    await put(page, 'script', { text: 'window.ran = true' });
    expect(await page.evaluate('window.ran')).toBe(undefined);
    expect(await put(page, 'script', { src: `${strange}/script` })).toBe('refused');
    expect(await put(page, 'img', { src: `${strange}/image` })).toBe('refused');
    await put(page, 'iframe', { src: `${strange}/frame` });
    expect(await got(page, `${strange}/fetch`, { mode: 'no-cors' })).toBe('nothing');
    expect(asked.filter((path) => ['/image', '/frame', '/script', '/fetch'].includes(path))).toEqual([]);
    await page.context().close();
  });
});
