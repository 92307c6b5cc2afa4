/**
 * Goal: several processes, each with a store of its own, use one sandbox that was started by hand: its limit, its charges and
 * its book are those of all of them. Nothing that is no sandbox is taken for one, because for play money nobody is asked.
 * Method: the real program as several processes at once; the judge is the book that the sandbox writes.
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { domainsOf } from '../faults/workplace.ts';
import { afterwards, linesOf, temporaryFolder } from '../sandbox/client.ts';
import { type Ended, rowonce, startRowonce } from './rowonce.ts';
import { typedAt } from './typed.ts';

/** Starts `rowonce sandbox` on a port of its choice. */
async function sandboxAt(bookPath: string, ...flags: readonly string[]): Promise<string> {
  const child = startRowonce(['sandbox', '--port', '0', '--book', bookPath, '--match-rate', '1', ...flags]);
  const ended = once(child, 'close');
  afterwards(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  if (child.stdout === null) throw new Error('no pipe');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line.replace('sandbox listening on ', '');
}

function writeAccounts(folder: string, account: object): void {
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config', 'accounts.yaml'), JSON.stringify({ accounts: { play: account } }), {
    mode: 0o600,
  });
}

/** Runs a list of such domains on the account, with a store of its own. */
function runWith(
  folder: string,
  store: string,
  domains: readonly string[],
  program: typeof rowonce = rowonce,
): Promise<Ended> {
  const list = join(folder, `${store}.csv`);
  writeFileSync(list, `Domain\n${domains.join('\n')}\n`);
  const words = [
    'run',
    'enrich-company',
    list,
    '--account',
    'play',
    '--store',
    join(folder, store),
    '--json',
  ];
  return program(words, { env: { ROWONCE_CONFIG: join(folder, 'config') } });
}

const summaryOf = ({ stdout }: Ended): unknown => JSON.parse(stdout);

proof('two processes with a store each share one sandbox and its book', async () => {
  const folder = temporaryFolder();
  const bookPath = join(folder, 'book.jsonl');
  const url = await sandboxAt(bookPath, '--latency', '5ms');
  writeAccounts(folder, { vendor: 'provider', sandbox: true, base_url: url, limits: { per_second: 60 } });
  const shared = domainsOf('both', 40);
  const ended = await Promise.all([
    runWith(folder, 'one', [...shared, ...domainsOf('one', 20)]),
    runWith(folder, 'two', [...shared, ...domainsOf('two', 30)]),
  ]);
  for (const { code, stderr } of ended) expect([code, stderr]).toEqual([0, expect.any(String)]);
  const spent = { one: 60, two: 70 };
  expect(summaryOf(ended[0])).toMatchObject({ counts: { matched: 60 }, credits: { spent: spent.one } });
  expect(summaryOf(ended[1])).toMatchObject({ counts: { matched: 70 }, credits: { spent: spent.two } });
  // Each store has bought what it did not know.
  expect(linesOf(bookPath)).toHaveLength(spent.one + spent.two);
  // The sandbox goes on after both, and answers a third that comes later as it answered the others.
  const third = await runWith(folder, 'three', shared);
  expect(summaryOf(third)).toMatchObject({ counts: { matched: 40 } });
  const names = (store: string): readonly string[] =>
    readFileSync(join(folder, `${store}.sandbox.csv`), 'utf8').match(/^both-\d+\.example,[^,]*/gm) ?? [];
  expect(names('three')).toEqual(names('one'));
  expect(names('three')).toHaveLength(40);
});

proof('its limit is one for all who use it', async () => {
  const folder = temporaryFolder();
  const bookPath = join(folder, 'book.jsonl');
  const url = await sandboxAt(bookPath, '--rate', '50/h');
  writeAccounts(folder, { vendor: 'provider', sandbox: true, base_url: url });
  const [one, two] = await Promise.all([
    runWith(folder, 'one', domainsOf('one', 40)),
    runWith(folder, 'two', domainsOf('two', 40)),
  ]);
  // Whichever was quicker: one of them at least has to wait for the next hour, and stops.
  expect([one.code, two.code]).toContain(75);
  expect(linesOf(bookPath)).toHaveLength(50);
});

proof('what answers there and is no sandbox is asked for nothing that costs', async () => {
  const folder = temporaryFolder();
  await using vendor = await ScriptedVendor.start((_, response) => response.end('{"name":"Acme"}'));
  writeAccounts(folder, { vendor: 'provider', sandbox: true, base_url: vendor.url });
  const ended = await runWith(folder, 'one', domainsOf('one', 3), typedAt);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`What answers at ${vendor.url} is not a sandbox.`);
  expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /sandbox/book']);
});

proof('where nobody listens the command that starts one is named', async () => {
  const folder = temporaryFolder();
  const vendor = await ScriptedVendor.start(() => {});
  await vendor[Symbol.asyncDispose]();
  writeAccounts(folder, { vendor: 'provider', sandbox: true, base_url: vendor.url });
  const ended = await runWith(folder, 'one', domainsOf('one', 3), typedAt);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`No sandbox answers at ${vendor.url}: `);
  expect(ended.stderr).toContain(
    `Start one there: npx --no rowonce sandbox --port ${new URL(vendor.url).port} --book book.jsonl`,
  );
});

test.each([
  ['a real address', { base_url: 'https://api.example.com' }, 'base_url: a sandbox must be on this machine'],
  ['a key', { base_url: 'http://127.0.0.1:4810', key_env: 'KEY' }, 'key_env: a sandbox account has none'],
  ['no address', {}, 'the address is missing'],
])('an account of a sandbox with %s is refused', async (_, entries, fact) => {
  const folder = temporaryFolder();
  writeAccounts(folder, { vendor: 'provider', sandbox: true, ...entries });
  const ended = await typedAt(['accounts', 'list'], { env: { ROWONCE_CONFIG: join(folder, 'config') } });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(fact);
});

proof('such an account is shown, changed and removed as any other', async () => {
  const folder = temporaryFolder();
  writeAccounts(folder, { vendor: 'provider', sandbox: true, base_url: 'http://127.0.0.1:4810' });
  const accounts = (...words: readonly string[]): Promise<Ended> =>
    typedAt(['accounts', ...words], { env: { ROWONCE_CONFIG: join(folder, 'config') } });
  expect(await accounts('edit', 'play', '--per-second', '20')).toMatchObject({ code: 0 });
  expect((await accounts('list')).stdout).toMatch(
    /^play \(provider\).*http:\/\/127\.0\.0\.1:4810\/.*20 per second.*none needed/s,
  );
  expect(await accounts('remove', 'play')).toMatchObject({ code: 0 });
});
