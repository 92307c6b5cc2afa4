import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { spawnSandbox } from '../../src/sandbox/spawn.ts';
import { afterwards, bookOf, company, linesOf, temporaryFolder } from './client.ts';

// Goal: the judge is a process of its own that outlives no one and is hurt by no signal of its parent.
// Method: real processes, real signals; waiting is asking the address until it answers or refuses.

const PROGRAM = new URL('../../src/bin.js', import.meta.url).pathname;
const SPAWN_MODULE = new URL('../../src/sandbox/spawn.ts', import.meta.url).href;

const answers = (url: string): Promise<boolean> =>
  bookOf(url).then(
    () => true,
    () => false,
  );

/** A process, leader of its own group, that has started a sandbox and does nothing more. */
async function parentWithSandbox(
  bookPath: string,
  more = '',
): Promise<{ pid: number; url: string; ended: Promise<unknown> }> {
  const script = `
    const { spawnSandbox } = await import(${JSON.stringify(SPAWN_MODULE)});
    const sandbox = await spawnSandbox({ bookPath: ${JSON.stringify(bookPath)}, flags: ['--match-rate', '1'] });
    process.on('SIGINT', () => console.log('interrupted'));
    console.log(sandbox.url);
    ${more}`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(parent, 'exit');
  afterwards(() => void parent.kill('SIGKILL'));
  const [url] = await once(createInterface({ input: parent.stdout }), 'line');
  return { pid: parent.pid ?? 0, url, ended };
}

test('the sandbox is another process with the flags that were given, and stops when told', async () => {
  const folder = temporaryFolder();
  const bookPath = join(folder, 'book.jsonl');
  const sandbox = await spawnSandbox({
    bookPath,
    flags: ['--match-rate', '1', '--faults', 'charged-500:x1'],
  });
  afterwards(() => sandbox.stop());
  expect((await company(sandbox.url, 'a.example')).status).toBe(500);
  expect(linesOf(bookPath)).toMatchObject([{ credits: 1 }]);
  await sandbox.stop();
  expect(await answers(sandbox.url)).toBe(false);
  await sandbox.stop();
});

test('the sandbox ends when its parent is killed with -9', async () => {
  const parent = await parentWithSandbox(
    join(temporaryFolder(), 'book.jsonl'),
    'setInterval(() => {}, 1000);',
  );
  expect(await answers(parent.url)).toBe(true);
  process.kill(parent.pid, 'SIGKILL');
  await expect.poll(() => answers(parent.url)).toBe(false);
});

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

function command(...flags: string[]): {
  finished: Promise<Finished>;
  line: Promise<string>;
  end: () => void;
  signal: (name: NodeJS.Signals) => void;
} {
  const child = spawn(process.execPath, [PROGRAM, 'sandbox', ...flags], { stdio: 'pipe' });
  afterwards(() => void child.kill('SIGKILL'));
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => text);
  const finished = once(child, 'close').then(([code]) => ({ code, out, errors }));
  return { finished, line, end: () => child.stdin.end(), signal: (name) => child.kill(name) };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '`rowonce sandbox` says where it listens and ends with 0 at %s',
  async (signal) => {
    const bookPath = join(temporaryFolder(), 'book.jsonl');
    const running = command('--port', '0', '--book', bookPath);
    const line = await running.line;
    expect(line).toMatch(/^sandbox listening on http:\/\/127\.0\.0\.1:\d+$/);
    // Its standard input may end: without the variable no one asked it to mind.
    running.end();
    expect(await answers(line.replace('sandbox listening on ', ''))).toBe(true);
    running.signal(signal);
    expect(await running.finished).toMatchObject({ code: 0, out: `${line}\n`, errors: '' });
  },
);

test('a port that is taken, and a book that is none, are said so', async () => {
  const folder = temporaryFolder();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  afterwards(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const taken = await command('--port', String(port)).finished;
  expect([taken.code, taken.errors]).toEqual([2, expect.stringContaining(`Port ${port} cannot be used`)]);

  const bookPath = join(folder, 'leads.csv');
  writeFileSync(bookPath, 'a,b\n');
  const noBook = await command('--port', '0', '--book', bookPath).finished;
  expect([noBook.code, noBook.errors]).toEqual([2, expect.stringContaining('line 1 is not an entry')]);
  expect(readFileSync(bookPath, 'utf8')).toBe('a,b\n');
});
