/**
 * Goal: an undo is a batch of its own and stays what it was: the undo of another batch is another one although its list is
 * the same, and a finished undo is never worked anew, whatever was done since.
 * Method: the job that undo makes in code, by what the rest of the program goes by.
 */
import { expect, test } from 'vitest';
import { sandboxAccount } from '../../../../src/client/account/account.ts';
import { originOf, storedOrigin } from '../../../../src/job/job-origin.ts';
import type { Batch, BatchId } from '../../../../src/ledger/ledger.ts';
import { batchIdentityOf, batchKeyOf } from '../../../../src/plan/batch-key.ts';
import { optionsOf } from '../../../../src/plan/row-walk.ts';
import { trialOf } from '../../../../src/run/tasks/trial.ts';
import { undoJob } from '../../../../src/run/tasks/undo.ts';

const account = sandboxAccount('service');

const jobOf = async (id: string) => (await undoJob({ id: id as BatchId } as Batch, account)).job;

async function keyOf(id: string): Promise<string> {
  const columns = { columns: { email: 'email' }, guessed: false, because: new Map(), read: () => ({}) };
  return batchKeyOf(
    batchIdentityOf({ account: { identity: 'account' }, job: await jobOf(id) }, { columns }),
    'list',
  );
}

test('undos of two batches are two batches, undos of one batch over one list are one', async () => {
  expect(await keyOf('b0000001')).not.toBe(await keyOf('b0000002'));
  expect(await keyOf('b0000001')).toBe(await keyOf('b0000001'));
});

test('what was begun by an earlier version is found again: neither an undo nor a trial is done twice', async () => {
  expect(await keyOf('b0000001')).toBe('860902111fa5882aa78f86a8edf168544f84e78f4c734aeb25a419be90834bf3');
  const given = ['website=acme.example'];
  const { job } = await trialOf({ job: 'enrich-company', given, account: 'sandbox-provider' });
  const columns = { columns: { email: 'email' }, guessed: false, because: new Map(), read: () => ({}) };
  const key = batchKeyOf(batchIdentityOf({ account: { identity: 'account' }, job }, { columns }), 'list');
  expect(key).toBe('1316e83562426dca880b05ddd33071d33dfb84176ec8f11821274a3e04266c66');
});

test('a batch says what it undoes, or that it is a trial, by what is kept of its settings', () => {
  for (const origin of [{ kind: 'undo', undoes: 'b0000001' }, { kind: 'trial' }] as const) {
    expect(originOf({ job: 'any', ...storedOrigin(origin) })).toEqual(origin);
  }
  expect(originOf({ job: 'any', undoes: 1, trial: 'no' })).toBeUndefined();
});

test('it is no state that is kept up', async () => {
  expect((await jobOf('b0000001')).operation.change).toMatchObject({ isState: false });
});

test('its list alone may say "none"', async () => {
  const chosen = await undoJob({ id: 'b0000001' as BatchId } as Batch, account);
  const { operation } = chosen.job;
  const row = { email: 'jo@team.example', role: 'none', project_id: 'proj-1' };
  expect(operation.prepare(row, optionsOf(chosen)).kind).toBe('ready');
  expect(operation.prepare(row, {}).kind).toBe('invalid');
});
