/**
 * Goal: what `status` says of a batch beside its run adds up.
 * Method: a real store that one writes to and another reads, where the first writes between two reads of the second.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchStatus } from '../../../src/run/tasks/batch-status.ts';
import { answered, batchNamed } from '../../ledger/stores/book.ts';
import { freshLedger, freshPlace } from '../../ledger/stores/places.ts';

test('what is bought while a status is read is in all of its numbers or in none', async () => {
  const location = freshPlace(sqlite);
  const spender = await freshLedger(sqlite, location);
  const id = await batchNamed(spender, 'a');
  await answered(spender, id, 'one');
  const reader = await sqlite.look(location);
  onTestFinished(() => reader.close());
  vi.spyOn(reader, 'metrics').mockImplementationOnce(async (of) => {
    const found = await reader.metrics(of);
    await answered(spender, id, 'two');
    return found;
  });
  const batch = await spender.batch(id);
  if (batch === undefined) throw new Error('the batch is in the ledger');
  const { calls, money } = await batchStatus(reader, { batch, location });
  expect({ calls, spent: money.spent }).toEqual({ calls: 1, spent: 1 });
  const next = await batchStatus(reader, { batch, location });
  expect({ calls: next.calls, spent: next.money.spent }).toEqual({ calls: 2, spent: 2 });
});
