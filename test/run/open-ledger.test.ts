import { renameSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { lookAtLedger, lookInto, openedOnce } from '../../src/run/open-ledger.ts';
import { batchNamed } from '../ledger/stores/book.ts';
import { freshPlace, openStore } from '../ledger/stores/places.ts';

/**
 * Goal: a question of the page opens a ledger once, however often it looks, and finds the one that is there now.
 * Method: questions side by side over a store on a disk.
 */

async function storeWith(batch: string): Promise<string> {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  await batchNamed(ledger, batch);
  await ledger.close();
  return place;
}

const batchesAt = (place: string) => lookInto(place, async (ledger) => (await ledger.batches()).length);

test('a ledger is opened once for questions side by side, and anew for the next one', async () => {
  const place = await storeWith('a');
  const looks = vi.spyOn(sqlite, 'look');
  const question = () => openedOnce(async () => [await batchesAt(place), await batchesAt(place)]);
  expect(await Promise.all([question(), question()])).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(looks).toHaveBeenCalledTimes(1);
  const other = await storeWith('b');
  const ledger = await openStore(sqlite, other);
  await batchNamed(ledger, 'c');
  await ledger.close();
  renameSync(place, `${place}-away`);
  renameSync(other, place);
  expect(await question()).toEqual([2, 2]);
  looks.mockRestore();
});

test('what is still read when its question is answered is read to its end', async () => {
  const place = await storeWith('a');
  const ledger = await openedOnce(() => lookAtLedger(place));
  await openedOnce(() => batchesAt(place));
  expect(await ledger.batches()).toHaveLength(1);
  await ledger.close();
  await expect(ledger.batches()).rejects.toThrow('not open');
});

test('a store that comes while a question looks for it is found', async () => {
  const place = freshPlace(sqlite);
  await openedOnce(async () => {
    await expect(batchesAt(place)).rejects.toMatchObject({ code: 'store' });
    await (await openStore(sqlite, place)).close();
    expect(await batchesAt(place)).toBe(0);
  });
});
