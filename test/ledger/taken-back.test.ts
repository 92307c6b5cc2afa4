import { expect, onTestFinished, test } from 'vitest';
import { NO_FINDINGS } from '../../src/core/finding.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { said } from '../support/told.ts';
import { ACCOUNT, answered, batchNamed, begin, settle } from './stores/book.ts';
import { freshPlace, openStore } from './stores/places.ts';

const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;
const NO_MATCH = { kind: 'no_match', findings: said('nothing found') } as const;

async function opened(): Promise<Ledger> {
  const ledger = await openStore(sqlite, freshPlace(sqlite));
  onTestFinished(() => ledger.close());
  return ledger;
}

// Goal: where an answer is taken back, only batches that may go on buy it again. Method: batches over one list, ended in every way.
test.each(['open', 'finished'] as const)(
  'a row whose answer is taken back waits for nobody where another batch (%s) goes on with its list, which it names',
  async (state) => {
    const ledger = await opened();
    const list = { lineage: 'one list' };
    const older = await batchNamed(ledger, 'older', list);
    const one = await answered(ledger, older, 'one', MISSED);
    await settle(ledger, older, 2, NO_MATCH, [one]);
    await ledger.changeBatch(older, { state: 'finished' });
    const newer = await batchNamed(ledger, 'newer', list);
    const two = await answered(ledger, newer, 'two', MISSED);
    await settle(ledger, newer, 2, NO_MATCH, [two]);
    await ledger.changeBatch(newer, { state });
    expect(await ledger.takeBack(ACCOUNT, [one, two])).toBe(2);
    expect(await ledger.counts(newer), 'it asks again').toEqual({});
    const [row] = await ledger.rows(older, 2, 1);
    expect(row?.outcome).toMatchObject({
      kind: 'skipped',
      findings: [{ code: 'answer_taken_back' }, { code: 'goes_on_in', facts: { batch: newer } }],
    });
    expect([(await ledger.batch(older))?.state, (await ledger.batch(newer))?.state]).toEqual([
      'finished',
      'open',
    ]);
  },
);

test('rows that share an answer which is taken back all wait, also one that went on to another identifier', async () => {
  const ledger = await opened();
  const batch = await batchNamed(ledger, 'waterfall');
  const byAbn = await answered(ledger, batch, 'abn', MISSED);
  const byDomain = await answered(ledger, batch, 'domain', MISSED);
  const byOther = await answered(ledger, batch, 'other domain', MISSED);
  await settle(ledger, batch, 2, NO_MATCH, [byAbn, byDomain]);
  await settle(ledger, batch, 3, NO_MATCH, [byAbn, byDomain]);
  await settle(ledger, batch, 4, NO_MATCH, [byAbn, byOther]);
  expect(await ledger.takeBack(ACCOUNT, [byAbn])).toBe(1);
  expect(await ledger.counts(batch)).toEqual({});
});

test('rows that wait again because their answer is taken back have saved nothing', async () => {
  const ledger = await opened();
  const batch = await batchNamed(ledger, 'alike');
  const bought = await answered(ledger, batch, 'acme');
  for (const row of [3, 4])
    await settle(ledger, batch, row, { kind: 'matched', matchedBy: 'abn', findings: NO_FINDINGS }, [bought]);
  const missed = await answered(ledger, batch, 'other', MISSED);
  for (const row of [2, 5]) await settle(ledger, batch, row, NO_MATCH, [missed]);
  const saved = async () => {
    const all: number[] = [];
    for await (const part of ledger.saved(batch)) all.push(part.saved);
    return all;
  };
  expect(await saved(), 'two rows rest on what another row paid').toEqual([2]);
  await ledger.takeBack(ACCOUNT, [bought]);
  expect(await saved()).toEqual([]);
});

test('a superseded batch and a cancelled one keep their rows', async () => {
  const ledger = await opened();
  const [old, gone] = [await batchNamed(ledger, 'old', { lineage: 'x' }), await batchNamed(ledger, 'gone')];
  const missed = [await answered(ledger, old, old, MISSED), await answered(ledger, gone, gone, MISSED)];
  await settle(ledger, old, 2, NO_MATCH, missed.slice(0, 1));
  await settle(ledger, gone, 2, NO_MATCH, missed.slice(1));
  await begin(ledger, { key: 'changed', lineage: 'x' });
  await ledger.changeBatch(gone, { state: 'cancelled' });
  expect(await ledger.takeBack(ACCOUNT, missed)).toBe(2);
  for (const batch of [old, gone]) expect(await ledger.counts(batch)).toEqual({ no_match: 1 });
});
