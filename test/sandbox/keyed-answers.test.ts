import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { afterwards, bookOf, get, linesOf, post, type Reply, sandbox, temporaryFolder } from './client.ts';

// Goal: under one idempotency key the provider acts and charges once, and tells afterwards what it did.
// Method: requests over HTTP, the book, and a clock of our own.

const KEY = 'Bearer key-1';
const DAY_MS = 24 * 60 * 60 * 1000;

function keyed(url: string, idempotencyKey: string, body: object = { domain: 'a.example' }): Promise<Reply> {
  return post(url, '/enrich/company', KEY, body, { 'Idempotency-Key': idempotencyKey });
}

describe('the same idempotency key', () => {
  test('with the same bytes is answered the same again and charged once', async () => {
    const { url } = await sandbox({ matchRate: 1 });
    const first = await keyed(url, 'k-1');
    const again = await post(
      url,
      '/enrich/company',
      KEY,
      { domain: 'a.example' },
      { 'IDEMPOTENCY-key': 'k-1' },
    );
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('x-credits-charged')).toBe('1');
    expect(await bookOf(url)).toMatchObject({ requests: 2, charges: 1, credits: 1, charged_twice: [] });
  });

  test('with other bytes is refused with 422, and nothing comes of it', async () => {
    const { url } = await sandbox({ matchRate: 1 });
    await keyed(url, 'k-1');
    for (const body of [{ domain: 'b.example' }, { domain: 'a.example', abn: '51824753556' }]) {
      expect((await keyed(url, 'k-1', body)).status).toBe(422);
    }
    const person = { email: 'ann@a.example' };
    expect((await post(url, '/enrich/person', KEY, person, { 'idempotency-key': 'k-1' })).status).toBe(422);
    expect((await bookOf(url)).credits).toBe(1);
  });

  test('is honoured for 24 hours, and then buys again', async () => {
    let wallMs = Date.UTC(2026, 10, 20);
    const clock = { ...systemClock, wallMs: () => wallMs };
    const { url } = await sandbox({ matchRate: 1, clock });
    await keyed(url, 'k-1');
    wallMs += DAY_MS - 1;
    await keyed(url, 'k-1');
    expect((await bookOf(url)).credits).toBe(1);
    wallMs += 1;
    expect((await get(url, '/requests/k-1', KEY)).status).toBe(404);
    await keyed(url, 'k-1');
    expect((await bookOf(url)).credits).toBe(2);
  });

  test('survives a restart, because it is in the book before it is answered', async () => {
    const bookPath = join(temporaryFolder(), 'book.jsonl');
    const first = await sandbox({ bookPath, matchRate: 1, faults: 'charged-reset:x1' });
    afterwards(() => first.close());
    await expect(keyed(first.url, 'k-1')).rejects.toThrow();
    expect(linesOf(bookPath)).toMatchObject([
      { credits: 1, answered: { idempotency_key: 'k-1', status: 200 } },
    ]);
    await first.close();

    const second = await sandbox({ bookPath, matchRate: 1 });
    const answer = await keyed(second.url, 'k-1');
    expect(answer.json.domain).toBe('a.example');
    expect((await get(second.url, '/requests/k-1', KEY)).json.answer).toEqual(answer.json);
    expect(await bookOf(second.url)).toMatchObject({ charges: 1, credits: 1 });
  });

  test('buys when the first answer was lost before anything was done', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: 'reset:x1,429:x1' });
    await expect(keyed(url, 'k-1')).rejects.toThrow();
    expect((await keyed(url, 'k-1')).status).toBe(429);
    expect((await bookOf(url)).credits).toBe(0);
    expect((await keyed(url, 'k-1')).status).toBe(200);
    expect((await bookOf(url)).credits).toBe(1);
  });
});

describe('a read-back tells what became of a request', () => {
  test('whose answer was lost after the charge: status and answer, for nothing', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: 'charged-500:x1,reset:x9' });
    expect((await keyed(url, 'k-1')).status).toBe(500);
    const told = await get(url, '/requests/k-1', KEY);
    expect(told.json).toEqual({ status: 200, answer: expect.objectContaining({ domain: 'a.example' }) });
    expect(told.headers.get('x-credits-charged')).toBeNull();
    expect((await bookOf(url)).credits).toBe(1);
  });

  test('on which the vendor never acted: 404', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: '500:x1' });
    await keyed(url, 'k-1');
    const told = await get(url, '/requests/k-1', KEY);
    expect([told.status, told.json]).toEqual([404, { error: 'unknown request' }]);
  });

  test('to its own account alone', async () => {
    const { url } = await sandbox({ matchRate: 1 });
    await keyed(url, 'k-1');
    expect((await get(url, '/requests/k-1', 'Bearer key-2')).status).toBe(404);
    expect((await get(url, '/requests/k-1')).status).toBe(401);
  });
});

test('the count of credits is that of the key, and survives a restart', async () => {
  const bookPath = join(temporaryFolder(), 'book.jsonl');
  const first = await sandbox({ bookPath, matchRate: 1, faults: 'charged-500:x1' });
  expect((await get(first.url, '/usage', KEY)).json).toEqual({ credits: 0 });
  for (const domain of ['a.example', 'b.example']) await post(first.url, '/enrich/company', KEY, { domain });
  await post(first.url, '/enrich/company', 'Bearer key-2', { domain: 'a.example' });
  await first.close();
  const second = await sandbox({ bookPath });
  expect((await get(second.url, '/usage', KEY)).json).toEqual({ credits: 2 });
  expect((await get(second.url, '/usage', 'Bearer key-2')).json).toEqual({ credits: 1 });
  expect((await get(second.url, '/usage')).status).toBe(401);
});
