/**
 * Goal: `rowonce serve` says its address to this user alone, starts once for a store, and ends without leaving anything
 * half done, however it ends.
 * Method: real processes, files and signals. A program called `xdg-open` stands for the browser.
 */
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rowonce, startRowonce } from '../cli/rowonce.ts';
import { environmentIn, Served, wordOf } from './served.ts';

async function serve(words: readonly string[] = [], env: Record<string, string> = {}): Promise<Served> {
  const served = await Served.start(words, { env });
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

/** A second `serve` in the same place. */
const again = ({ folder }: Served, words: readonly string[] = [], env: Record<string, string> = {}) =>
  rowonce(['serve', ...words], { cwd: folder, env: { ...environmentIn(folder), ...env } });

/** A folder of programs with an `xdg-open` that notes what it was given and what is in it. */
function browserIn(folder: string): Record<string, string> {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nstat -c %a "$1" > ${folder}/mode\ncp "$1" ${folder}/page.html\nenv > ${folder}/environment\necho "$@" > ${folder}/opened\n`,
  );
  chmodSync(join(bin, 'xdg-open'), 0o755);
  return { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' };
}

const appears = (path: string): Promise<void> =>
  expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toMatch(/\n$/) as never;

test('serve.json says address, token and process, to its owner alone', async () => {
  const served = await serve();
  const path = join(served.folder, 'store', 'serve.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(served.folder, 'store')).mode & 0o777).toBe(0o700);
  expect(served.note).toEqual({
    url: `http://127.0.0.1:${served.port}`,
    token: expect.stringMatching(/^[\w-]{43}$/),
    pid: served.child.pid,
  });
});

describe('a store that others could have prepared', () => {
  const SOMEBODY = 65_534;
  /** A page of somebody else, under a number of a process that lives. */
  const planted = JSON.stringify({ url: 'http://127.0.0.1:9', token: 'x', pid: process.pid });

  /** What `serve` says of a store that is no place for it. Nothing is printed for which a browser could be opened. */
  async function refusalOf(prepare: (store: string) => void): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'rowonce-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = join(folder, 'store');
    mkdirSync(store);
    prepare(store);
    const before = readdirSync(store);
    const { code, stdout, stderr } = await rowonce(['serve'], { cwd: folder, env: environmentIn(folder) });
    expect([code, stdout, readdirSync(store)]).toEqual([2, '', before]);
    return stderr;
  }

  test.runIf(process.geteuid?.() === 0)('a store of another user is not taken', async () => {
    expect(await refusalOf((store) => chownSync(store, SOMEBODY, SOMEBODY))).toContain('belongs to the user');
  });

  test('a store in which others could write once it has a ledger is not taken', async () => {
    const said = await refusalOf((store) => {
      writeFileSync(join(store, 'ledger.db'), '');
      writeFileSync(join(store, 'serve.json'), planted);
      chmodSync(store, 0o777);
    });
    expect(said).toContain('other users can write');
  });
});

describe('as a service', () => {
  /** A job on a schedule, over an inbox of its own. */
  function scheduled(folder: string): string {
    mkdirSync(join(folder, 'inbox'));
    const lines = ['operation: enrich-company', 'account: sandbox-provider', 'inbox: ./inbox'];
    writeFileSync(join(folder, 'night.yaml'), [...lines, 'schedule: "0 2 * * *"', ''].join('\n'));
    return 'night.yaml';
  }

  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'rowonce-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  test('the log of serve is lines of JSON from the first one, with each schedule and the next run', async () => {
    const folder = newFolder();
    const words = ['serve', scheduled(folder), '--log', 'json'];
    const child = startRowonce(words, { cwd: folder, env: environmentIn(folder) });
    let [printed, said] = ['', ''];
    child.stdout?.on('data', (text) => (printed += text));
    child.stderr?.on('data', (text) => (said += text));
    await expect.poll(() => said).toContain('Ctrl-C ends it');
    child.kill('SIGTERM');
    await once(child, 'close');
    const lines = said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([printed, lines.length]).toEqual(['', 4]);
    expect(lines[0]).toMatchObject({
      level: 'info',
      job: 'night',
      schedule: '0 2 * * *',
      next_run: expect.stringMatching(/^20\d\d-.*Z$/),
    });
    expect(lines[1].message).toMatch(/^http:\/\/[a-z]+\.localhost:\d+\/#open=/);
  });
});

test('a second serve of the same store gives another address of the same page', async () => {
  const served = await serve();
  const { code, stdout, stderr } = await again(served);
  const address = new URL(stdout.trim());
  expect([code, address.origin]).toEqual([0, served.url]);
  expect(address.hash).not.toBe(new URL(served.address).hash);
  expect(stderr).toContain('was already open');
  expect((await served.enter(wordOf(stdout))).status).toBe(200);
});

test('the browser is led in by a file that others cannot read, which is gone once it was used', async () => {
  const served = await serve();
  const env = browserIn(served.folder);
  expect((await again(served, ['--open'], env)).code).toBe(0);
  await appears(join(served.folder, 'opened'));
  const file = join(served.folder, 'store', 'open.html');
  expect(readFileSync(join(served.folder, 'opened'), 'utf8')).toBe(`${file}\n`);
  expect(readFileSync(join(served.folder, 'mode'), 'utf8')).toBe('600\n');
  const page = readFileSync(join(served.folder, 'page.html'), 'utf8');
  const [, opening = ''] = /url=http:\/\/[a-z]+\.localhost:\d+\/#open=([\w-]+)"/.exec(page) ?? [];
  expect(existsSync(file)).toBe(true);
  expect((await served.enter(opening)).status).toBe(200);
  expect(existsSync(file)).toBe(false);
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test.runIf(hasIPv6)(
  'a port is refused of which another user has the half that browsers ask first',
  async () => {
    const stranger = createServer().listen(0, '::1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    await expect(Served.start(['--port', String(port)])).rejects.toThrow(`Port ${port} cannot be used`);
  },
);
