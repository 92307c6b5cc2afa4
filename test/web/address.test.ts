/**
 * Goal: at the address that is printed nobody but this start of the page ever was, is or can be: no program that served
 * there before, no other user of the machine, and nobody at the far end of a tunnel.
 * Method: a real Chromium with a service worker that a stranger planted, listeners of a stranger, and a tunnel of sockets.
 */
import { once } from 'node:events';
import { createServer as createHttp, type Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listenOn } from '../../src/web/server/listeners.ts';
import { proof, proofs } from '../support/combinations.ts';
import { openBrowser } from './chromium.ts';
import { Served } from './served.ts';

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test.runIf(hasIPv6)(
  'a port is refused of which another user has the half that browsers ask first',
  async () => {
    const stranger = createServer().listen(0, '::1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const port = portOf(stranger);
    await expect(Served.start(['--port', String(port)])).rejects.toThrow(`Port ${port} cannot be used`);
  },
);

test('a machine without IPv6 has one half of each port, where nobody else can listen', async () => {
  const made: Server[] = [];
  const { port, servers } = await listenOn(0, () => {
    const server = createHttp();
    made.push(server);
    // This machine may have IPv6, so the second server says what the system says of one that has none.
    const error = Object.assign(new Error('address not available'), { code: 'EADDRNOTAVAIL' });
    const refuse = (): Server => {
      server.emit('error', error);
      return server;
    };
    if (made.length === 2) server.listen = refuse;
    return server;
  });
  onTestFinished(() => void made[0]?.close());
  expect([servers.length, portOf(made[0] as Server)]).toEqual([1, port]);
});

proofs('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  proof('a service worker that another program left at the port gets neither page nor word', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const { port, seen } = await planted(page);
    await using served = await Served.start(['--port', String(port)]);
    await page.goto(served.address);
    await page.waitForSelector('header.top');
    // It is still there, at the address at which the page would have been.
    await page.goto(`http://127.0.0.1:${port}/`);
    expect(await page.textContent('body')).toContain('taken over');
    expect(seen).toContain(`http://127.0.0.1:${port}/`);
    expect(seen.filter((url) => /open|localhost/.test(url))).toEqual([]);
  });
});

/** What a stranger knows of what its worker was asked. */
interface Planted {
  readonly port: number;
  readonly seen: readonly string[];
}

/** Serves a page that leaves a service worker for its port, and ends. The worker answers whatever is asked of it itself. */
async function planted(page: Page): Promise<Planted> {
  const seen: string[] = [];
  const report = createHttp((request, response) => {
    seen.push(decodeURIComponent(request.url ?? '').slice(1));
    response.setHeader('access-control-allow-origin', '*').end();
  });
  report.listen(0, '127.0.0.1');
  await once(report, 'listening');
  let timesAsked = 0;
  const stranger = createHttp((request, response) => {
    const isWorker = request.url === '/planted.js';
    if (isWorker) timesAsked += 1;
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html');
    response.end(isWorker ? workerThatTells(portOf(report)) : '<!doctype html><title>stranger</title>');
  });
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const port = portOf(stranger);
  await page.goto(`http://127.0.0.1:${port}/planted`);
  await page.evaluate(
    `navigator.serviceWorker.register('/planted.js').then(() => navigator.serviceWorker.ready)`,
  );
  await page.goto(`http://127.0.0.1:${port}/planted`);
  expect(await page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  // The browser looks after each visit whether the worker has changed: this one's look is over before the next program serves.
  await expect.poll(() => timesAsked).toBe(2);
  stranger.closeAllConnections();
  await new Promise((resolve) => stranger.close(resolve));
  onTestFinished(() => {
    report.closeAllConnections();
    report.close();
  });
  return { port, seen };
}

/** It tells each address that was asked, and puts a page of its own there, which tells its address with the fragment. */
const workerThatTells = (port: number): string => `
  const tell = (url) => fetch('http://127.0.0.1:${port}/' + encodeURIComponent(url), { mode: 'no-cors' });
  const page = '<!doctype html><p>taken over</p><script>fetch("http://127.0.0.1:${port}/" +' +
    ' encodeURIComponent(location.href), { mode: "no-cors" })</script>';
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    void tell(event.request.url);
    event.respondWith(new Response(page, { headers: { 'content-type': 'text/html' } }));
  });
`;
