/**
 * Goal: an engineer who follows a page on adding an operation, a dialect, a command or a format has one that
 * passes the documented check and works by the real command.
 * Method: the files that the pages show are written into a copy of the source, where the check and the program run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from 'vitest';
import { proof } from './combinations.ts';

const ROOT = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'rowonce-adding-'));
afterAll(() => rmSync(copy, { recursive: true }));

/** A whole file on a page: the sentence that names it, then its block. */
const FILE = /This is `(?<path>[^`]+)`[^`]*(?:`[^`]*`)?[^`]*:\n\n```(?:ts|yaml)\n(?<content>[\s\S]*?)^```/gm;

const PROVIDER = 'src/client/dialects/provider.ts';

const written: string[] = [];

beforeAll(async () => {
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', '.biome.json', '.gitignore']) {
    copyFileSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const page of globSync('docs/internals/adding-*.md', { cwd: ROOT })) {
    for (const { groups } of readFileSync(join(ROOT, page), 'utf8').matchAll(FILE)) {
      const { path = '', content = '' } = groups ?? {};
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), content);
      written.push(path);
    }
  }
  // What the page on operations adds to a file that is there.
  const [, entry = ''] = /^```ts\n('verify-email': .*)\n```$/m.exec(guide('operation')) ?? [];
  const dialect = readFileSync(join(copy, PROVIDER), 'utf8');
  writeFileSync(join(copy, PROVIDER), dialect.replace('  operations: {\n', `$&    ${entry}\n`));
  writeFileSync(join(copy, 'leads.psv'), 'ABN|Work Email\n51824753556|jo@example.org\n');
  expect(await run(process.execPath, ['src/build.js'])).toMatchObject({ code: 0 });
});

function guide(what: string): string {
  return readFileSync(join(ROOT, 'docs', 'internals', `adding-an-${what}.md`), 'utf8');
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

async function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(program, words, {
    cwd: copy,
    env: { PATH: process.env.PATH, HOME: copy, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, out: out + errors };
}

/** Runs `rowonce` of the copy. */
const rowonce = (...words: string[]): Promise<Ended> =>
  run(process.execPath, ['src/bin.js', ...words], { ACME_KEY: 'secret-of-acme' });

proof('the pages show one file each, in the place of its family', () => {
  expect(written.toSorted()).toEqual([
    'jobs/dialects/acme.yaml',
    'src/commands/inputs.ts',
    'src/files/formats/psv.ts',
    'src/operations/verify-email.ts',
  ]);
});

proof('what the pages show passes the documented check as it stands', async () => {
  const bin = join(ROOT, 'node_modules', '.bin');
  const sources = written.filter((path) => path.endsWith('.ts'));
  const [types, style] = await Promise.all([
    run(join(bin, 'tsc'), []),
    run(join(bin, 'biome'), ['check', '--error-on-warnings', ...sources, PROVIDER]),
  ]);
  expect(types).toEqual({ code: 0, out: '' });
  expect(style, style.out).toMatchObject({ code: 0 });
});

proof('the command is found, lists the inputs, and refuses an unknown operation', async () => {
  expect((await rowonce('--help')).out).toContain('Lists the inputs of an operation.');
  expect(await rowonce('inputs', 'enrich-company')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^abn: /m),
  });
  expect(await rowonce('inputs', 'enrich-compny')).toMatchObject({
    code: 2,
    out: expect.stringContaining('Did you mean enrich-company?'),
  });
});

proof('a list of the format is planned with the operation', async () => {
  const { code, out } = await rowonce('plan', 'verify-email', 'leads.psv', '--account', 'sandbox-provider');
  expect(code, out).toBe(0);
  expect(out).toMatch(/^ {2}columns +email ← Work Email \(guessed\)$/m);
  expect(out).toMatch(/^ {2}to buy +1$/m);
});

proof('the dialect asks as its page says and reads "not found"; the store keeps it', async () => {
  const asked: unknown[] = [];
  const vendor = createServer(({ method, url, headers }, response) => {
    asked.push([method, url, headers['x-acme-key'], headers.authorization]);
    response.writeHead(410, { 'content-type': 'application/json' }).end('{"gone":true}');
  });
  await once(vendor.listen(0, '127.0.0.1'), 'listening');
  const { port } = vendor.address() as AddressInfo;
  try {
    const address = ['--base-url', `http://127.0.0.1:${port}`, '--key-env', 'ACME_KEY'];
    const dialect = ['--vendor', 'provider', '--dialect', 'jobs/dialects/acme.yaml'];
    const added = await rowonce('accounts', 'add', '--name', 'acme', ...address, ...dialect);
    expect(added.code, added.out).toBe(0);

    const store = ['--store', join(copy, 'kept')];
    const spent = ['--account', 'acme', ...store];
    const words = ['run', 'enrich-company', 'leads.psv', '--budget', '5', '--attention-ok', ...spent];
    const [accept = ''] = /--accept dialect:\w+/.exec((await rowonce(...words)).out) ?? [];
    expect(asked, 'nothing is sent before a user has agreed to it').toEqual([]);
    const ran = await rowonce(...words, ...accept.split(' '));
    expect(ran.code, ran.out).toBe(0);
    expect(ran.out).toMatch(/^ {2}no_match +1$/m);
    expect(asked).toEqual([
      ['GET', '/v2/companies?business_number=51824753556', 'secret-of-acme', undefined],
    ]);

    // The answer is in the store, so the same question asks for nothing.
    const tried = await rowonce('try', 'enrich-company', 'abn=51824753556', '--yes', ...spent);
    expect(tried.code, tried.out).toBe(0);
    expect(tried.out).toContain('no_match');
    expect(asked).toHaveLength(1);
    expect((await rowonce('status', ...store)).out).toMatch(/finished +1\/1 rows/);
  } finally {
    vendor.close();
  }
});
