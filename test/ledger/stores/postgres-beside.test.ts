import { expect, test } from 'vitest';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
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

// Goal: what several workers write at once of batches, rows, accounts and the time stays whole. Method: ledgers over one database.

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
    outcome: { kind: 'no_match' as const, reason: 'nobody' },
    answers: [attempt],
  };
  await other.takeBack(ACCOUNT, [attempt]);
  await one.finishRows([found, missed]);
  expect((await one.rows(batch, 2, 10)).map(({ row }) => row)).toEqual([2]);
});
