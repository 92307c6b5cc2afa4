import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { leaveTo } from '../../../src/ledger/copy.ts';
import { findErasable } from '../../../src/ledger/erase.ts';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import { personOf } from '../../../src/operations/lookup/person.ts';
import { said } from '../../support/told.ts';
import {
  ACCOUNT,
  answered,
  batchNamed,
  batchSpec,
  begin,
  DAY_MS,
  decide,
  type IntentOptions,
  intentOf,
  keyNamed,
  lost,
  MATCHED,
  NOON_MS,
  released,
} from './book.ts';
import { twoWorkers, workplace } from './postgres-places.ts';
import { postgresServer } from './postgres-server.ts';

/*
 * Goal: what several workers write at once of batches, rows, accounts and the time stays whole, and nothing is erased from a database or
 * copied from it beside others who write.
 * Method: ledgers over one database, one of which writes meanwhile.
 */

async function five(): Promise<readonly Ledger[]> {
  const place = await workplace();
  const ledgers: Ledger[] = [];
  while (ledgers.length < 5) ledgers.push(await place.worker());
  return ledgers;
}

test('the same batch that many begin at once is one', async () => {
  const ledgers = await five();
  const begun = await Promise.all(ledgers.map((ledger) => begin(ledger)));
  expect(new Set(begun.map(({ batch }) => batch.id)).size).toBe(1);
  expect(begun.filter(({ start }) => start === 'new')).toHaveLength(1);
});

test('of lists with other content at the same place, begun at once, one is open', async () => {
  const ledgers = await five();
  await Promise.all(ledgers.map((ledger, at) => ledger.beginBatch(batchSpec({ key: `key-${at}` }))));
  const states = (await ledgers[0]?.batches())?.map(({ state }) => state) ?? [];
  expect(states.toSorted()).toEqual(['open', ...new Array(4).fill('superseded')]);
});

const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;
const ANEW = { freshSince: { foundMs: NOON_MS + DAY_MS, noMatchMs: NOON_MS + DAY_MS } };
const LATER = { atMs: NOON_MS + DAY_MS + 1.5 };

test.each<readonly [string, (one: Ledger, other: Ledger, batch: BatchId) => Promise<IntentOptions>]>([
  [
    'its doubt was ended',
    async (one, other, batch) => {
      const attempt = await lost(one, batch, 'acme');
      const decision = await decide(one, batch, 'acme', 'retry');
      await released(other, attempt);
      return { decision };
    },
  ],
  [
    'it was sent again and lost again',
    async (one, other, batch) => {
      await lost(one, batch, 'acme');
      const decision = await decide(one, batch, 'acme', 'retry');
      await lost(other, batch, 'acme', { decision: await decide(other, batch, 'acme', 'retry') });
      return { decision };
    },
  ],
  [
    'it was bought anew, and that was lost',
    async (one, other, batch) => {
      const replaces = await answered(one, batch, 'acme');
      await lost(other, await batchNamed(other, 'c', ANEW), 'acme', { ...LATER, replaces });
      return { replaces };
    },
  ],
])(
  'what a process goes by when it asks for a call may be gone when it is written: %s',
  async (_, overtake) => {
    const [, one, other] = await twoWorkers();
    const options = await overtake(one, other, await batchNamed(one, 'a'));
    const batch =
      options.replaces === undefined ? await batchNamed(one, 'a') : await batchNamed(one, 'b', ANEW);
    const intent = intentOf(batch, 'acme', { ...LATER, ...options });
    expect(await one.intent(intent)).toEqual({ kind: 'known' });
  },
);

test('what a rule decides about a loss is refused where the call was sent again and lost again meanwhile', async () => {
  const [, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  const about = await lost(one, batch, 'acme');
  await lost(other, batch, 'acme', { decision: await decide(other, batch, 'acme', 'retry') });
  const spec = { key: keyNamed('acme'), batch, kind: 'retry', by: 'job', why: 'x', atMs: NOON_MS } as const;
  await expect(one.decide(spec, { about })).rejects.toThrow('not the last one');
});

test('a row that waits to be finished is left where another process has taken its answer back', async () => {
  const [, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  const found = { batch, row: 2, outcome: MATCHED, answers: [await answered(one, batch, 'found')] };
  const attempt = await answered(one, batch, 'missed', MISSED);
  const missed = {
    batch,
    row: 3,
    outcome: { kind: 'no_match' as const, findings: said('nobody') },
    answers: [attempt],
  };
  await other.takeBack(ACCOUNT, [attempt]);
  await one.finishRows([found, missed]);
  expect((await one.rows(batch, 2, 10)).map(({ row }) => row)).toEqual([2]);
});

// ------------------------------------------------------------------------------------------------ alone

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
    postgres.copyFrom(url, options, async (source) => {
      await meanwhile();
      await leaveTo(source, copied);
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
