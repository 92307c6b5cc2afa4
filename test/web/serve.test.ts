/**
 * Goal: `rowonce serve` says its address to this user alone, starts once for a store, and ends without leaving anything
 * half done, however it ends.
 * Method: real processes, files and signals. A program called `xdg-open` stands for the browser.
 */
import type { ChildProcess } from 'node:child_process';
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
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rowonce, startRowonce } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { environmentIn, Served, wordOf } from './served.ts';

async function serve(words: readonly string[] = [], env: Record<string, string> = {}): Promise<Served> {
  const served = await Served.start(words, { env });
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

/** A second `serve` in the same place. */
const again = ({ folder }: Served, words: readonly string[] = [], env: Record<string, string> = {}) =>
  rowonce(['serve', ...words], { cwd: folder, env: { ...environmentIn(folder), ...env } });

/** What a `serve --json` says once it knows where the page is. */
async function saidBy({ stdout }: ChildProcess): Promise<{ url: string; already_served?: boolean }> {
  let said = '';
  for await (const chunk of stdout ?? []) {
    said += chunk;
    if (said.trimEnd().endsWith('}')) break;
  }
  return JSON.parse(said);
}

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

describe('serve.json', () => {
  test('says address, token and process, to its owner alone', async () => {
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

  proof('is gone when the page is, and nothing is left of its way in', async () => {
    const served = await serve();
    expect(await served.stop()).toMatchObject({ code: 0 });
    expect(existsSync(join(served.folder, 'store', 'serve.json'))).toBe(false);
  });

  proof('of a page that was killed is no page: the next one takes its place', async () => {
    const served = await serve();
    await served.stop('SIGKILL');
    expect(served.note.pid).toBe(served.child.pid);
    const next = await Served.start([], { cwd: served.folder });
    expect(next.note.pid).toBe(next.child.pid);
    expect(await next.stop()).toMatchObject({ code: 0 });
  });

  proof('that names a dead process sends nobody to who listens there now', async () => {
    const served = await serve();
    await served.stop('SIGKILL');
    const stranger = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"opening":"x"}'));
    let asked = 0;
    stranger.on('connection', () => {
      asked += 1;
    });
    stranger.listen(served.port, '127.0.0.1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const next = await Served.start([], { cwd: served.folder });
    expect([asked, next.port === served.port]).toEqual([0, false]);
    await next.stop();
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

  test.runIf(process.geteuid?.() === 0)('of another user is not taken', async () => {
    expect(await refusalOf((store) => chownSync(store, SOMEBODY, SOMEBODY))).toContain('belongs to the user');
  });

  test('in which others could write once it has a ledger is not taken', async () => {
    const said = await refusalOf((store) => {
      writeFileSync(join(store, 'ledger.db'), '');
      writeFileSync(join(store, 'serve.json'), planted);
      chmodSync(store, 0o777);
    });
    expect(said).toContain('other users can write');
  });
});

describe('a second serve', () => {
  test('of the same store gives another address of the same page', async () => {
    const served = await serve();
    const { code, stdout, stderr } = await again(served);
    const address = new URL(stdout.trim());
    expect([code, address.origin]).toEqual([0, served.url]);
    expect(address.hash).not.toBe(new URL(served.address).hash);
    expect(stderr).toContain('was already open');
    expect((await served.enter(wordOf(stdout))).status).toBe(200);
  });

  proof('at the same instant is one page: the others give further addresses of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rowonce-page-'));
    const start = { cwd: folder, env: environmentIn(folder) };
    const children = Array.from({ length: 4 }, () => startRowonce(['serve', '--json'], start));
    const ended = children.map((child) => once(child, 'close'));
    onTestFinished(async () => {
      for (const child of children) child.kill();
      await Promise.all(ended);
      rmSync(folder, { recursive: true, force: true });
    });
    const said = await Promise.all(children.map(saidBy));
    const pages = said.filter(({ already_served }) => already_served !== true);
    expect([pages.length, new Set(said.map(({ url }) => new URL(url).origin)).size]).toEqual([1, 1]);
    const page = said.findIndex(({ already_served }) => already_served !== true);
    const others = await Promise.all(ended.filter((_, at) => at !== page));
    expect(others.map(([code]) => code)).toEqual([0, 0, 0]);
    const note = JSON.parse(readFileSync(join(folder, 'store', 'serve.json'), 'utf8'));
    const { port } = new URL(pages[0]?.url ?? '');
    expect(note).toMatchObject({ pid: children[page]?.pid, url: `http://127.0.0.1:${port}` });
  });

  proof('beside a page that does not answer ends after a while, and says which process it is', async () => {
    const served = await serve();
    served.child.kill('SIGSTOP');
    const { code, stderr } = await again(served);
    served.child.kill('SIGCONT');
    expect(code).toBe(76);
    expect(stderr).toContain(`process ${served.child.pid}`);
  });

  proof('on a port that is taken says which', async () => {
    const served = await serve();
    const other = await serve();
    await other.stop();
    const { code, stderr } = await again(other, ['--port', String(served.port)]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Port ${served.port} cannot be used`);
    expect(existsSync(join(other.folder, 'store', 'serve.json'))).toBe(false);
  });
});

describe('the browser', () => {
  test('is led in by a file that others cannot read, which is gone once it was used', async () => {
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

  proof('is not opened where no person sits', async () => {
    const served = await serve();
    const env = browserIn(served.folder);
    expect((await again(served, [], env)).code).toBe(0);
    expect(existsSync(join(served.folder, 'store', 'open.html'))).toBe(false);
  });

  proof('that cannot be started is said, and the address is there all the same', async () => {
    const served = await serve();
    const { code, stdout, stderr } = await again(served, ['--open'], { PATH: served.folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('#open=')]);
    expect(stderr).toContain('No browser could be started');
  });
});
