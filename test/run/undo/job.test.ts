/**
 * Goal: an undo is a batch of its own and stays what it was: the undo of another batch is another one although its list is
 * the same, and a finished undo is never worked anew, whatever was done since.
 * Method: the job that undo makes in code, by what the rest of the program goes by.
 */
import { expect, test } from 'vitest';
import type { Batch, BatchId } from '../../../src/ledger/ledger.ts';
import { batchIdentityOf, batchKeyOf } from '../../../src/plan/batch-key.ts';
import { optionsOf } from '../../../src/plan/row-classification.ts';
import { undoJob } from '../../../src/run/undo/job.ts';
import { sandboxAccount } from '../../../src/vendor/account/account.ts';

const account = sandboxAccount('service');

const jobOf = async (id: string) => (await undoJob({ id: id as BatchId } as Batch, account)).job;

async function keyOf(id: string): Promise<string> {
  const columns = { columns: { email: 'email' }, guessed: false, because: new Map(), read: () => ({}) };
  return batchKeyOf(batchIdentityOf({ account, job: await jobOf(id) }, { columns }), 'the same list');
}

test('undos of two batches are two batches, undos of one batch over one list are one', async () => {
  expect(await keyOf('b0000001')).not.toBe(await keyOf('b0000002'));
  expect(await keyOf('b0000001')).toBe(await keyOf('b0000001'));
});

test('it is no state that is kept up', async () => {
  expect((await jobOf('b0000001')).operation.change).toMatchObject({ isState: false });
});

test('its list alone may say "none"', async () => {
  const { operation, ...job } = await jobOf('b0000001');
  const row = { email: 'jo@team.example', role: 'none', project_id: 'proj-1' };
  expect(operation.prepare(row, optionsOf({ ...job, operation }, account)).kind).toBe('ready');
  expect(operation.prepare(row, {}).kind).toBe('invalid');
});
