/**
 * Goal: at the address that is printed nobody but this start of the page ever was, is or can be: no program that served
 * there before, no other user of the machine, and nobody at the far end of a tunnel.
 * Method: a real Chromium with a service worker that a stranger planted, listeners of a stranger, and a tunnel of sockets.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttp, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Server as SocketServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BareEntry } from '../../src/web/server/bare-entry.ts';
import { listenOn } from '../../src/web/server/listeners.ts';
import { rowonce } from '../cli/rowonce.ts';
import { proof, proofs } from '../combinations.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { openBrowser } from './chromium.ts';
import { environmentIn, Served } from './served.ts';

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

describe.runIf(hasIPv6)('a port of which another user has the half that browsers ask first', () => {
  /** Whoever listens there would get the name's requests. */
  async function strangerAt(port: number): Promise<SocketServer> {
    const stranger = createServer().listen(port, '::1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    return stranger;
  }

  test('is refused where it was asked for', async () => {
    const port = portOf(await strangerAt(0));
    await expect(Served.start(['--port', String(port)])).rejects.toThrow(`Port ${port} cannot be used`);
  });

  test('is left for the next one where any will do', async () => {
    const made: Server[] = [];
    const strangers: SocketServer[] = [];
    const { port, servers } = await listenOn('127.0.0.1', 0, () => {
      // The second server is for the other half of the first one's port: the stranger is there before.
      if (made.length === 1) strangers.push(createServer().listen(portOf(made[0] as Server), '::1'));
      const server = createHttp();
      made.push(server);
      return server;
    });
    onTestFinished(() => {
      for (const server of [...servers, ...strangers]) server.close();
    });
    expect(strangers.map(portOf)).not.toContain(port);
    expect(servers.map((server) => server.address())).toEqual([
      { address: '127.0.0.1', family: 'IPv4', port },
      { address: '::1', family: 'IPv6', port },
    ]);
    expect(made[0]?.listening).toBe(false);
  });
});

test('a machine without IPv6 has one half of each port, where nobody else can listen', async () => {
  const made: Server[] = [];
  const { port, servers } = await listenOn('127.0.0.1', 0, () => {
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

  proof('a tunnel with another port at its near end leads to the page by its name', async () => {
    await using served = await Served.start();
    const tunnel = createServer((near) => {
      const far = connect(served.port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const end of [near, far]) end.on('error', () => {}).on('close', () => near.destroy());
    });
    tunnel.listen(0, '127.0.0.1');
    await once(tunnel, 'listening');
    onTestFinished(() => void tunnel.close());
    const address = new URL(served.address);
    address.port = String(portOf(tunnel));
    const page = await browser.newPage();
    await page.goto(address.href);
    await page.waitForSelector('header.top');
    await page.context().close();
  });
});

proofs('in a browser that does not find the name', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(['--host-resolver-rules=MAP *.localhost ~NOTFOUND']);
  });
  afterAll(() => browser?.close());

  /** The file that a browser is opened with; there is none here to be opened. */
  async function leadIn({ folder }: Served): Promise<string> {
    await rowonce(['serve', '--open'], { cwd: folder, env: { ...environmentIn(folder), PATH: folder } });
    return `file://${join(folder, 'store', 'open.html')}`;
  }

  /** What is at the bare address for a tab that was not led there. */
  const statusAt = async ({ note }: Served, path: string): Promise<number> =>
    (await fetch(note.url + path)).status;

  test('the file that opens it leads to the bare address, where nothing of the page is before', async () => {
    await using served = await Served.start();
    expect([await statusAt(served, '/'), await statusAt(served, '/page.js')]).toEqual([403, 403]);
    const page = await (await browser.newContext()).newPage();
    onTestFinished(() => page.context().close());
    await page.goto(await leadIn(served));
    await page.waitForSelector('header.top');
    expect(page.url()).toBe(`${served.note.url}/`);
    expect(existsSync(join(served.folder, 'store', 'open.html'))).toBe(false);
    // It is in with a token of its own, and tells it to no other tab of this address.
    await page.reload();
    await page.waitForSelector('header.top');
    const beside = await page.context().newPage();
    await beside.goto(served.note.url);
    await beside.waitForSelector('main.empty');
  });

  test.each(['own page', 'handed on'] as const)(
    'a service worker that was left there gets the first visit, no word, and is gone then: %s',
    async (answer) => {
      const page = await (await browser.newContext()).newPage();
      onTestFinished(() => page.context().close());
      const { port, seen } = await planted(page, answer);
      await using served = await Served.start(['--port', String(port)]);
      await page.goto(await leadIn(served));
      await page.waitForSelector('header.top');
      expect(seen.filter((url) => url.includes('/enter/'))).not.toEqual([]);
      expect(seen.filter((url) => url.includes('open='))).toEqual([]);
      expect(
        await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)'),
      ).toBe(0);
    },
  );

  test('another address of this machine is one where nothing was, and has no name', async () => {
    await using served = await Served.start(['--host', '127.8.3.4']);
    expect(served.address).toMatch(/^http:\/\/127\.8\.3\.4:\d+\/enter\/[\w-]+$/);
    expect(served.note.url).toBe(served.url);
    const page = await browser.newPage();
    await page.goto(served.address);
    await page.waitForSelector('header.top');
    expect(page.url()).toBe(`${served.url}/`);
    await page.context().close();
  });
});

describe('the way in at the bare address', () => {
  test('is free at a second visit, and not while workers ask for their scripts', () => {
    const entry = new BareEntry(new VirtualClock());
    const again = (key: string): string => {
      const found = entry.visit(key);
      expect(found).toEqual({ nextKey: expect.stringMatching(/^[\w-]{43}$/) });
      return (found as { nextKey: string }).nextKey;
    };
    const first = entry.begin();
    const second = again(first);
    entry.noteWorker();
    const third = again(second);
    expect([entry.isOpen, entry.visit(third), entry.isOpen]).toEqual([false, 'free', true]);
    // Each key was used.
    expect([first, second, third, 'x'].map((key) => entry.visit(key))).toEqual(Array(4).fill(undefined));
  });

  test('is there for an opened window alone, and never for what a script asks', async () => {
    await using served = await Served.start();
    const { bare_address } = JSON.parse((await served.tool('/api/openings', { method: 'POST' })).body);
    const { host, pathname } = new URL(bare_address);
    const opened = {
      host,
      'sec-fetch-site': 'none',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    for (const dest of ['empty', 'iframe', undefined]) {
      // It learns no other key than its own, which works all the same.
      const by = dest === undefined ? { host } : { ...opened, 'sec-fetch-dest': dest };
      const { body: told } = await served.ask(pathname, { headers: by });
      expect(told.match(/\/enter\/[\w-]+/g)).toEqual([pathname]);
    }
    expect((await served.ask(pathname, { headers: { ...opened, host: 'evil.example' } })).status).toBe(403);
    const { status, body, headers } = await served.ask(pathname, { headers: opened });
    expect([status, headers['clear-site-data']]).toEqual([200, '"storage"']);
    expect(body).not.toContain('open=');
  });

  proof('is printed where Safari is, which does not find the name', async () => {
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ON_A_MAC)}` };
    await using served = await Served.start(['--no-open'], { env });
    const cwd = served.folder;
    const asked = await rowonce(['serve', '--json'], { cwd, env: { ...environmentIn(cwd), ...env } });
    const { stdout, stderr } = await served.stop();
    expect(stdout).toMatch(
      new RegExp(
        `^http://[a-z]{26}\\.localhost:${served.port}/#open=[\\w-]+\\nhttp://127\\.0\\.0\\.1:${served.port}/enter/[\\w-]+\\n$`,
      ),
    );
    expect(stderr).toContain('The second one is for Safari');
    expect(JSON.parse(asked.stdout)).toMatchObject({
      url: expect.stringContaining('.localhost:'),
      bare_url: expect.stringContaining(`http://127.0.0.1:${served.port}/enter/`),
    });
  });

  test('is refused at an address of other machines', async () => {
    for (const host of ['0.0.0.0', '::1'])
      await expect(Served.start(['--host', host])).rejects.toThrow('is not an address of this machine alone');
  });
});

/** The command alone takes this system for a Mac; what is loaded for the system is that of this one. */
const ON_A_MAC = `
  const { platform } = process;
  const get = () => (new Error().stack.split('\\n')[2].includes('/cli/serve.') ? 'darwin' : platform);
  Object.defineProperty(process, 'platform', { get });
`;

/** What a stranger knows of what its worker was asked. */
interface Planted {
  readonly port: number;
  readonly seen: readonly string[];
}

/** Serves a page that leaves a service worker for its port, and ends. The worker answers whatever is asked of it itself. */
async function planted(page: Page, answer: 'own page' | 'handed on' = 'own page'): Promise<Planted> {
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
    response.end(
      isWorker ? workerThatTells(portOf(report), answer) : '<!doctype html><title>stranger</title>',
    );
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
  await expect.poll(() => timesAsked, { timeout: 20_000 }).toBe(2);
  stranger.closeAllConnections();
  await new Promise((resolve) => stranger.close(resolve));
  onTestFinished(() => {
    report.closeAllConnections();
    report.close();
  });
  return { port, seen };
}

/**
 * It tells each address that was asked. Then it puts a page of its own there, which tells its address with the fragment, or hands
 * the question on and tells the answer.
 */
const workerThatTells = (port: number, answer: 'own page' | 'handed on'): string => `
  const tell = (url) => fetch('http://127.0.0.1:${port}/' + encodeURIComponent(url), { mode: 'no-cors' });
  const page = '<!doctype html><p>taken over</p><script>fetch("http://127.0.0.1:${port}/" +' +
    ' encodeURIComponent(location.href), { mode: "no-cors" })</script>';
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    void tell(event.request.url);
    const handedOn = async () => {
      const answer = await fetch(event.request);
      if (answer.type !== 'opaque') void answer.clone().text().then(tell);
      return answer;
    };
    const own = () => new Response(page, { headers: { 'content-type': 'text/html' } });
    event.respondWith(${answer === 'own page' ? 'own' : 'handedOn'}());
  });
`;
