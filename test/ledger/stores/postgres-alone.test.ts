import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { leaveTo } from '../../../src/ledger/copy.ts';
import { findErasable } from '../../../src/ledger/erase.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import { personOf } from '../../../src/operations/lookup/person.ts';
import { ACCOUNT, answered, batchNamed, NOON_MS } from './book.ts';
import { workplace } from './postgres-places.ts';
import { postgresServer } from './postgres-server.ts';

// Goal: nothing is erased from a database or copied from it beside others who write. Method: a worker over it, who writes meanwhile.

const KIM = { kind: 'person', person: personOf('kim@example.org') } as const;

async function beside() {
  const place = await workplace();
  const worker = await place.worker();
  const url = (await postgresServer()).url(place.name);
  const batch = await batchNamed(worker, 'a', { inputPath: '/lists/kim@example.org.csv' });
  await worker.changeBatch(batch, { state: 'finished' });
  return { place, worker, batch, url };
}

/** A clock on which waiting takes no time. */
function quickClock(): Clock {
  let aheadMs = 0;
  const monotonicMs = (): number => systemClock.monotonicMs() + aheadMs;
  const sleep = async (ms: number): Promise<void> => {
    aheadMs += ms;
  };
  return { ...systemClock, monotonicMs, sleep };
}
const options = { clock: quickClock(), waitForLockMs: 0, command: 'forget' };

test('who is at work is named, and waited for', async () => {
  const { place, worker, url } = await beside();
  await worker.spenders?.beat([{ account: ACCOUNT, inFlight: 0 }]);
  const alone = (): Promise<string> => postgres.alone(url, options, async () => 'alone');
  const atWork = new RegExp(`is in use by process ${process.pid} on .*, "run the tests"`);
  await expect(alone()).rejects.toMatchObject({ code: 'busy', message: expect.stringMatching(atWork) });
  await place.later(6_000);
  expect(await alone()).toBe('alone');
});

test('what was written meanwhile leaves the ledger as it was, and it is done by the next try', async () => {
  const { worker, batch, url } = await beside();
  const written = { code: 'busy', message: expect.stringContaining('was written to meanwhile') };
  const forget = (meanwhile: () => Promise<unknown>): Promise<unknown> =>
    postgres.alone(url, options, async (alone) => {
      const found = await findErasable(alone, KIM);
      await meanwhile();
      return found.erase([], NOON_MS);
    });
  await expect(forget(() => answered(worker, batch, 'one'))).rejects.toMatchObject(written);
  expect((await worker.batch(batch))?.inputPath).toContain('kim@');
  const copied = { identity: 'f'.repeat(32), location: 'elsewhere', atMs: NOON_MS };
  const copy = (meanwhile: () => Promise<unknown>): Promise<void> =>
    postgres.alone(url, options, async (alone) => {
      await meanwhile();
      await leaveTo(alone, copied);
    });
  await expect(copy(() => answered(worker, batch, 'two'))).rejects.toMatchObject(written);
  await answered(worker, batch, 'three');
  await forget(async () => {});
  expect((await worker.batch(batch))?.inputPath).not.toContain('kim@');
  await copy(async () => {});
  await expect(answered(worker, batch, 'four')).rejects.toMatchObject({
    code: 'store',
    message: expect.stringContaining('was copied to elsewhere'),
  });
});
