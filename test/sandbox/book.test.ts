import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { afterwards, bookOf, company, get, linesOf, post, sandbox, temporaryFolder } from './client.ts';

// Goal: the book of charges can be believed, whatever happens to the sandbox or to an answer.
// Method: the file itself, read while answers wait and after damage.

/** Every wait stops until `release`. */
function heldClock(): { clock: Clock; waiting: Promise<void>; release: () => void } {
  const waiting = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const sleep = (): Promise<void> => {
    waiting.resolve();
    return held.promise;
  };
  return { clock: { ...systemClock, sleep }, waiting: waiting.promise, release: held.resolve };
}

test('a charge is in the file before its answer is sent', async () => {
  const bookPath = join(temporaryFolder(), 'book.jsonl');
  const { clock, waiting, release } = heldClock();
  afterwards(release);
  const { url } = await sandbox({ bookPath, matchRate: 1, latencyMs: 50, clock });
  let answered = false;
  const reply = company(url, 'a.example').then((got) => {
    answered = true;
    return got;
  });
  await waiting;
  expect(answered).toBe(false);
  expect(linesOf(bookPath)).toEqual([
    {
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      sequence: 1,
      vendor: 'provider',
      operation: 'enrich-company',
      parameters: { domain: 'a.example' },
      account: expect.stringMatching(/^[0-9a-f]{12}$/),
      credits: 1,
    },
  ]);
  release();
  expect((await reply).status).toBe(200);
});

test('the book is readable by its owner only, and no key is in it or in the log', async () => {
  const folder = temporaryFolder();
  const paths = [join(folder, 'book.jsonl'), join(folder, 'log.jsonl')];
  const [bookPath = '', logPath = ''] = paths;
  const { url } = await sandbox({ bookPath, logPath, matchRate: 1 });
  await company(url, 'a.example', 'key-secret');
  await post(url, '/latest/projects/create', 'Bearer key-secret', {});
  await post(url, '/enrich/company', 'Basic key-secret', {});
  await post(url, '/sandbox/revoke', undefined, { key: 'key-secret' });
  for (const path of paths) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('key-secret');
  }
});

test('what is charged twice is found: same account, operation and parameters in any order', async () => {
  const { url } = await sandbox({ matchRate: 1 });
  const lookup = (body: object, key = 'key-1'): Promise<unknown> =>
    post(url, '/enrich/company', `Bearer ${key}`, body);
  await lookup({ domain: 'a.example', website: 'https://a.example' });
  await lookup({ domain: 'a.example' });
  await lookup({ domain: 'a.example' }, 'key-2');
  await post(url, '/search/people', 'Bearer key-1', { company: 'A' });
  expect((await bookOf(url)).charged_twice).toEqual([]);
  await lookup({ website: 'https://a.example', domain: 'a.example' });
  await lookup({ website: 'https://a.example', domain: 'a.example' });
  const book = await bookOf(url);
  expect(book.charged_twice).toEqual([
    {
      operation: 'enrich-company',
      parameters: { domain: 'a.example', website: 'https://a.example' },
      times: 3,
    },
  ]);
  expect(book).toMatchObject({
    requests: 6,
    charges: 6,
    by_operation: { 'enrich-company': { charges: 5, credits: 5 } },
  });
});

test('a torn last line is taken away, because it was never answered, and the book goes on', async () => {
  const bookPath = join(temporaryFolder(), 'book.jsonl');
  const first = await sandbox({ bookPath, matchRate: 1 });
  await company(first.url, 'a.example');
  await first.close();
  // Longer than what is read at a time from the end.
  appendFileSync(bookPath, `{"at":"${'x'.repeat(100_000)}`);

  const second = await sandbox({ bookPath, matchRate: 1 });
  await company(second.url, 'b.example');
  expect(linesOf(bookPath).map(({ parameters }) => parameters.domain)).toEqual(['a.example', 'b.example']);
  expect((await bookOf(second.url)).credits).toBe(2);
});

test('of the sandbox that users start the book can be seen, and nothing can be tampered with', async () => {
  const { url, close } = await startSandbox();
  afterwards(close);
  expect(Object.keys(await bookOf(url))).not.toContain('changes');
  for (const path of ['accept', 'faults', 'revoke', 'remove-admin']) {
    const { status, json } = await post(url, `/sandbox/${path}`, undefined, { email: 'ann@a.example' });
    expect([status, json.error]).toEqual([404, `The sandbox has no "POST /sandbox/${path}".`]);
  }
  expect((await get(url, '/sandbox/state')).status).toBe(404);
});
