/**
 * Goal: a run spends at an account no more than the budget that its list has there, and says whose budget that is and where to raise it.
 * Method: a list under the real command, whose share is set in the store between two runs; the sandbox's book is the judge.
 */
import { expect, test } from 'vitest';
import { credits } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { openStore } from '../ledger/stores/places.ts';
import { openDesk } from './desk.ts';

test('a run that reaches the budget of an account in its list stops, names the account, and goes on once that is raised', async () => {
  const desk = (await openDesk()).here();
  desk.list(6);
  const share = async (cap: number): Promise<void> => {
    const ledger = await openStore(sqlite, desk.place.path('store'), false);
    const [batch] = await ledger.batches();
    if (batch !== undefined)
      await ledger.changeBatch(batch.id, { shares: { [batch.accountIdentity]: credits(cap) } });
    await ledger.close();
  };
  expect(await desk.type(desk.run('--budget', '1'))).toMatchObject({ code: 4 });
  await share(3);
  const { code, stderr } = await desk.type(desk.run());
  expect(code).toBe(4);
  expect(stderr).toContain('The budget of account data in this batch is reached: 3 of 3 credits spent.');
  expect(stderr).toContain('Raise budget.accounts.data in the job, then run the same command again.');
  expect((await desk.place.vendor.book()).credits).toBe(3);
  await share(6);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  expect((await desk.place.vendor.book()).credits).toBe(6);
});
