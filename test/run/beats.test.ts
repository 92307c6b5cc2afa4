/**
 * Goal: a process that spends beside others stops, waits and goes on by what the others were told of its account, and by what a person
 * has said of its batch.
 * Method: the sessions of two processes over a real database, each with a run that is connected and sends nothing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { stop } from '../../src/core/errors.ts';
import type { BatchId, Ledger } from '../../src/ledger/ledger.ts';
import { batchNamed } from '../ledger/stores/book.ts';
import { twoWorkers, type Workplace } from '../ledger/stores/postgres-places.ts';
import { type Connected, connect } from './connected.ts';

let place: Workplace;
let one: Ledger;
let other: Ledger;
let batch: BatchId;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-beats-'));
  const account = {
    vendor: 'provider',
    base_url: 'http://127.0.0.1:9',
    key: 'a',
    limits: { per_second: 10 },
  };
  writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify({ accounts: { data: account } }), {
    mode: 0o600,
  });
  vi.stubEnv('ROWONCE_CONFIG', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  [place, one, other] = await twoWorkers();
  batch = await batchNamed(one, 'a');
});

const connected = (ledger: Ledger, maxPauseMs?: number): Promise<Connected> =>
  connect(ledger, 'data', { batch, maxPauseMs });

test('a stop for the account ends the run of another process, until a person begins anew with it', async () => {
  const [first, second] = [await connected(one), await connected(other)];
  first.run.stopAll(stop('key', 'The key is dead.', 'Write another.'));
  await expect.poll(second.stopped).toMatchObject({
    code: 'key',
    message:
      'Another process that spends from this store was stopped, so this one stopped too: The key is dead.',
    next: 'Write another.',
  });
  await Promise.all([first.run.close(), second.run.close()]);
  const again = await connected(other);
  await expect
    .poll(async () => (await one.account(again.run.session.account.identity)).ended)
    .toBeUndefined();
  expect(again.stopped()).toBeUndefined();
});

test('a pause that one was asked for is kept by the other', async () => {
  const [first, second] = [await connected(one), await connected(other)];
  const { client, account } = first.run.session;
  client.limiter.pause({ pauseMs: 60_000 }, 0, 'too fast');
  await expect.poll(() => second.events).toMatchObject([{ kind: 'paused', asked: true }]);
  expect((await one.account(account.identity)).pause).toMatchObject({ asked: true });
});

test('a limit without a time is probed by one process at a time, and all go on when it has ended', async () => {
  const [first, second] = [await connected(one), await connected(other)];
  const { identity } = first.run.session.account;
  const why = 'the vendor gives no time';
  await one.keepLimit(identity, { refused: 10, why }, 0);
  const limiters = [first, second].map(({ run }) => run.session.client.limiter);
  // Both know of it by their beats.
  for (const limiter of limiters) await expect.poll(() => limiter.isLimited).toBe(true);
  const waited = [one, other].map((ledger) => vi.spyOn(ledger, 'takeProbe'));
  const served: number[] = [];
  const permits = limiters.map(async (limiter, at) => {
    const permit = await limiter.permit({ signal: new AbortController().signal, maxPauseMs: undefined });
    served.push(at);
    return permit;
  });
  const answers = () => Promise.all(waited.flatMap(({ mock }) => mock.results.map(({ value }) => value)));
  await expect.poll(async () => (await answers()).filter((waitMs) => waitMs > 0).length).toBeGreaterThan(0);
  await expect.poll(() => served).toHaveLength(1);
  const [prober = 0] = served;
  limiters[prober]?.settled();
  await Promise.all(permits);
  expect((await one.account(identity)).limit).toBeUndefined();
});

test('a process that begins asks once at once, however long others wait for such a limit', async () => {
  const { identity } = (await connected(one)).run.session.account;
  await one.keepLimit(identity, { refused: 10, why: 'the vendor gives no time' }, 600_000);
  const { limiter } = (await connected(other)).run.session.client;
  const heard = vi.spyOn(other, 'account');
  // Its beats tell it how long the others wait.
  await expect.poll(() => heard.mock.settledResults.length).toBeGreaterThan(1);
  const ask = async () => {
    const permit = limiter.permit({ signal: new AbortController().signal, maxPauseMs: 1_000 });
    return permit.then((given) => given.giveBack()).catch(({ code }) => code);
  };
  expect(await ask()).toBeUndefined();
  await expect.poll(ask).toBe('paused');
});

test('the wait that one process has for a limit without a time is kept by the other, with its words', async () => {
  const [first, second] = [await connected(one), await connected(other)];
  const { client, account } = first.run.session;
  client.limiter.pause({ isLong: true }, 0, '"daily allowance"');
  await expect.poll(() => second.run.session.client.limiter.isLimited).toBe(true);
  const { limit } = await other.account(account.identity);
  expect(limit?.why).toContain('"daily allowance"');
  expect(limit?.forMs).toBeGreaterThan(59 * 60_000);
});

test('a host whose clock is behind dates nothing before what another one was told', async () => {
  const { clock, account } = (await connected(other)).run.session;
  const agreedMs = Date.now() + 3_600_000;
  await one.keepAgreedTime(account.identity, agreedMs);
  await expect.poll(() => clock.wallMs()).toBe(agreedMs);
});

test.each([
  ['paused', 'terminated', () => one.setPaused(batch, true, Date.now())],
  ['cancelled', 'input', () => one.changeBatch(batch, { state: 'cancelled' })],
] as const)('a batch that a person has %s is left by who works on it', async (_, code, change) => {
  const { stopped } = await connected(other);
  await change();
  await expect.poll(stopped).toMatchObject({ code, message: expect.stringContaining(batch) });
});

test('a store that does not answer stops each run after its longest pause, and one that has lost something all at once', async () => {
  const [hasty, patient] = [await connected(one, 0), await connected(other)];
  await place.query(`CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE SQLSTATE ''57P03''; END';
    CREATE TRIGGER gone BEFORE UPDATE OF seen_at ON workers FOR EACH ROW EXECUTE FUNCTION gone()`);
  await expect
    .poll(hasty.stopped)
    .toMatchObject({ code: 'store', message: expect.stringContaining('Nothing could be sent') });
  expect(patient.stopped()).toBeUndefined();
  await place.query(
    `INSERT INTO meta (name, value) VALUES ('outdated', 'what was bought') ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
  await expect.poll(patient.stopped).toMatchObject({ code: 'store_lost' });
});
