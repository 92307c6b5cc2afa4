/**
 * Goal: a database that cannot be reached for a while loses nothing that was bought, and lets nothing be sent of which nobody knows
 * whether its intent was committed.
 * Method: a ledger over a real server of its own, which is stopped as by a crash and started again, and behind a proxy that cuts a
 * connection just before or just after a commit was made.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { StopError } from '../../../src/core/errors.ts';
import { type BatchId, closeAttempt, type Ledger, recordReply } from '../../../src/ledger/ledger.ts';
import type { Patience } from '../../../src/ledger/store.ts';
import { connect } from '../../../src/ledger/stores/postgres/connection.ts';
import { postgresLedger } from '../../../src/ledger/stores/postgres/postgres-ledger.ts';
import { layOut } from '../../../src/ledger/stores/postgres/schema-laid-out.ts';
import { newWorker } from '../../../src/ledger/stores/postgres/spenders.ts';
import { admit, admitted, batchNamed, keyNamed, NOON_MS, replyWith } from './book.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { anotherServer, type Server } from './postgres-server.ts';

const BOOT = { id: 'boot', uptimeMs: 1_000 };
const FOR_EVER: Patience = { longestMs: undefined, signal: undefined };

let server: Server;
beforeAll(async () => {
  server = await anotherServer();
});
afterAll(() => server.stopAtOnce());

let databases = 0;

interface Opened {
  readonly ledger: Ledger;
  /** What was told of outages. */
  readonly told: readonly string[];
}

async function opened(patience: Patience, through = (url: string): string => url): Promise<Opened> {
  databases += 1;
  const name = `outage_${databases}`;
  await server.createDatabase(name);
  const told: string[] = [];
  const riding = { ...patience, clock: systemClock, tell: (fact: string) => void told.push(fact) };
  const database = await connect(through(server.url(name)), { riding });
  await layOut(database);
  const worker = await newWorker(database, 'test');
  const ledger = postgresLedger(database, { clock: systemClock, worker, command: 'test' });
  onTestFinished(() => ledger.close());
  await ledger.atBoot(BOOT, NOON_MS);
  return { ledger, told };
}

const CLOSED = { kind: 'answered', answer: 'found', charged: 1, why: 'found' } as never;

test('a reply, an end and a question wait while the server is away, and it is told once that it is and once that it is back', async () => {
  const { ledger, told } = await opened(FOR_EVER);
  const batch = await batchNamed(ledger, 'a');
  const attempt = await admitted(ledger, batch, 'acme', { uptimeMs: 1_010 });
  await server.stopAtOnce();
  const replied = recordReply(ledger, attempt, replyWith('acme'));
  const known = ledger.find([keyNamed('acme')]);
  await expect.poll(() => told).toHaveLength(1);
  await server.startAgain();
  expect(await replied).toEqual({ kind: 'written' });
  expect(await known).toMatchObject([{ kind: 'in_flight', attempt }]);
  await closeAttempt(ledger, attempt, CLOSED, NOON_MS + 50);
  expect(await ledger.find([keyNamed('acme')])).toMatchObject([{ kind: 'answered' }]);
  expect(told).toEqual([
    expect.stringMatching(/^postgres:.* Nothing is sent until it can be reached again/),
    expect.stringMatching(/^postgres:.* answers again after /),
  ]);
});

test('after the longest pause what asks is refused and nothing new is admitted, and a reply in hand is written all the same', async () => {
  const { ledger } = await opened({ longestMs: 500, signal: undefined });
  const batch = await batchNamed(ledger, 'a');
  const attempt = await admitted(ledger, batch, 'acme', { uptimeMs: 1_010 });
  await server.stopAtOnce();
  const isStop = expect.objectContaining({ code: 'store', name: StopError.name });
  await expect(ledger.find([keyNamed('acme')])).rejects.toEqual(isStop);
  await expect(admit(ledger, batch, 'other', { uptimeMs: 1_020 })).rejects.toEqual(isStop);
  const replied = recordReply(ledger, attempt, replyWith('acme'));
  await server.startAgain();
  expect(await replied).toEqual({ kind: 'written' });
});

test('without patience what is asked for fails at once', async () => {
  const { ledger } = await opened({ longestMs: 0, signal: undefined });
  await server.stopAtOnce();
  await expect(ledger.batches()).rejects.toMatchObject({ code: 'store' });
  await server.startAgain();
});

/** A ledger behind a proxy that cuts connections. */
async function behindProxy(): Promise<Opened & { readonly proxy: CuttingProxy }> {
  const proxy = await CuttingProxy.before(Number(new URL(server.url('any')).port));
  const through = (location: string): string => {
    const url = new URL(location);
    url.port = String(proxy.port);
    return url.href;
  };
  const ledger = await opened(FOR_EVER, through);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return { ...ledger, proxy };
}

/** A batch of which something was bought already, so that the next intent is admitted by one commit. */
async function withPurse(ledger: Ledger): Promise<BatchId> {
  const batch = await batchNamed(ledger, 'a');
  await closeAttempt(ledger, await admitted(ledger, batch, 'first'), UNSENT, NOON_MS);
  return batch;
}

const UNSENT = { kind: 'not_sent', why: 'nothing left' } as const;

test('an intent that was committed without anybody knowing of it ends as not sent, and the call is asked for by another one', async () => {
  const { ledger, proxy } = await behindProxy();
  const batch = await withPurse(ledger);
  proxy.cutNext('after the commit');
  const attempt = await admitted(ledger, batch, 'acme', { uptimeMs: 1_010, row: 3 });
  expect(proxy.cuts).toBe(1);
  const [first, second] = await ledger.history(batch, 3);
  expect(first?.closure).toMatchObject({ kind: 'not_sent', why: expect.stringContaining('broke') });
  expect(second).toMatchObject({ attempt });
  expect(await ledger.find([keyNamed('acme')])).toMatchObject([{ kind: 'in_flight', attempt }]);
  expect(await ledger.batchMoney(batch)).toMatchObject({ reserved: 1, inDoubt: 0, spent: 0 });
});

test('an intent that was not committed is asked for again, and nothing else is left of it', async () => {
  const { ledger, proxy } = await behindProxy();
  const batch = await withPurse(ledger);
  proxy.cutNext('before the commit');
  const attempt = await admitted(ledger, batch, 'acme', { uptimeMs: 1_010, row: 3 });
  expect(proxy.cuts).toBe(1);
  expect(await ledger.history(batch, 3)).toMatchObject([{ attempt }]);
  expect(await ledger.find([keyNamed('acme')])).toMatchObject([{ kind: 'in_flight', attempt }]);
  expect(await ledger.batchMoney(batch)).toMatchObject({ reserved: 1 });
});

test.each(['before the commit', 'after the commit'] as const)(
  'a reply and an end whose connections were cut %s stand once',
  async (when) => {
    const { ledger, proxy } = await behindProxy();
    const batch = await batchNamed(ledger, 'a');
    const attempt = await admitted(ledger, batch, 'acme', { uptimeMs: 1_010 });
    proxy.cutNext(when);
    expect(await recordReply(ledger, attempt, replyWith('acme'))).toEqual({ kind: 'written' });
    proxy.cutNext(when);
    expect(await closeAttempt(ledger, attempt, CLOSED, NOON_MS + 50)).toEqual({ kind: 'written' });
    expect(proxy.cuts).toBe(2);
    expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 1, reserved: 0, inDoubt: 0 });
    const [record] = await ledger.attempts([attempt]);
    expect(record).toMatchObject({ reply: { status: 200 }, closure: { kind: 'answered' } });
  },
);
