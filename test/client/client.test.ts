/**
 * Goal: nothing that may cost something leaves without an intent that is committed, and each intent sends one request;
 * only what the dialect calls free leaves without one.
 * Method: a client before a vendor that counts what arrives. That an admission and a free request are types that nothing
 * else has is said to the compiler, which fails this file when they are not.
 */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Account } from '../../src/client/account/account.ts';
import { Client, type Exchange, type Permit } from '../../src/client/client.ts';
import type { Dialect } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import type { HttpRequest } from '../../src/client/request.ts';
import { systemClock } from '../../src/core/clock.ts';
import { AdmittedAttempt, type AttemptId, credits } from '../../src/ledger/ledger.ts';
import { type Script, ScriptedVendor } from '../faults/scripted-vendor.ts';

const WAITER = { signal: new AbortController().signal, maxPauseMs: undefined };
const PAID: HttpRequest = { method: 'POST', path: '/enrich', headers: {}, body: Buffer.from('{}') };
const nothing = (): void => {};

const sentBy = (client: Client, permit: Permit, admission: AdmittedAttempt): Promise<Exchange> =>
  client.send(permit, admission, PAID, nothing);
const admission = () => new AdmittedAttempt(1 as AttemptId, credits(1));

async function openClient(script: Script = (_, response) => response.end('{}'), dialect: Dialect = provider) {
  const vendor = await ScriptedVendor.start(script);
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  const account: Account = {
    name: 'data',
    identity: 'data',
    vendor: 'provider',
    sandbox: false,
    key: { kind: 'file', reveal: () => 'key-1' },
    limits: { concurrency: 1, windows: [] },
    budget: {},
    sandboxFlags: [],
  };
  const client = await Client.open({
    account,
    dialect,
    baseUrl: new URL(vendor.url),
    clock: systemClock,
    earlierSendsMs: [],
    unhurried: true,
    onPause: nothing,
  });
  onTestFinished(() => client.close());
  return { client, vendor };
}

test('an admission sends one request, also by another permit', async () => {
  const { client, vendor } = await openClient();
  const once = admission();
  const first = await client.permit(WAITER);
  expect(await sentBy(client, first, once)).toMatchObject({ reply: { kind: 'answered' } });
  first.giveBack();
  const second = await client.permit(WAITER);
  expect(() => client.send(second, once, PAID, nothing)).toThrow('an admission sends one request');
  expect(vendor.requests).toHaveLength(1);
});

test('an exchange is over after a minute where the account says no timeout, and not before', async () => {
  // Sockets go on as they do; the minute passes when the test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { client, vendor } = await openClient(() => {});
  let isOver = false;
  const exchange = sentBy(client, await client.permit(WAITER), admission()).finally(() => {
    isOver = true;
  });
  while (vendor.requests.length === 0) await turnOfLoop();
  vi.advanceTimersByTime(59_900);
  for (let turns = 0; turns < 10; turns += 1) await turnOfLoop();
  expect(isOver).toBe(false);
  vi.advanceTimersByTime(100);
  expect(await exchange).toMatchObject({
    reply: { kind: 'lost', how: 'none_came', message: 'the timeout of 1 min passed' },
  });
});
