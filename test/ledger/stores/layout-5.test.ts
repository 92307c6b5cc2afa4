/**
 * Goal: a ledger of layout 5, where a batch had one account, goes on by the tables of several accounts: nothing of it is bought
 * again, its money is the same, and it is held by the same rules as a new one.
 * Method: what the program of layout 5 left is kept as SQL of either database, and the stores open it.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { LAYOUT_STEPS, type LayoutStep, layoutNow } from '../../../src/ledger/layouts.ts';
import type { BatchId } from '../../../src/ledger/ledger.ts';
import { ACCOUNT, admit, answered, batchSpec, keyNamed } from './book.ts';
import { bringOn, databaseWith, laidOut, leftBy, opened, PLACES } from './kept-layouts.ts';

/** Its batches. */
const [ONE, CANCELLED] = ['2eee41df' as BatchId, '9b05b3ba' as BatchId];
const OTHER = 'provider other.example';
const BUDGETS = `SELECT scope, ${['cap', 'closed', 'spent', 'held', 'overrun']
  .map((column) => `CAST(${column} AS INTEGER) AS ${column}`)
  .join(', ')} FROM budgets ORDER BY scope`;

describe.each(PLACES)('a ledger of layout 5 in %s', (_, { name }, place, tables) => {
  test('a ledger of layout 5 buys nothing again that it bought, asked or doubts', async () => {
    const left = await place(leftBy(5, name));
    const ledger = await opened(left);
    const known = ['acme', 'miss', 'lost', 'again', 'keyed', 'open'];
    for (const word of known) expect(await admit(ledger, ONE, word)).not.toMatchObject({ kind: 'admitted' });
    expect(await admit(ledger, ONE, 'acme', { account: OTHER })).not.toMatchObject({ kind: 'admitted' });
    expect((await ledger.find(known.map((word) => keyNamed(word)))).map(({ kind }) => kind)).toEqual([
      'answered',
      'answered',
      'in_doubt',
      'in_doubt',
      'answered',
      'in_flight',
    ]);
  });

  test('a ledger of layout 5 has the money that it had, and in it the share of the account of each batch', async () => {
    const left = await place(leftBy(5, name));
    const before = await left.query(BUDGETS);
    await bringOn(left);
    const after = await left.query(BUDGETS);
    expect(after.filter(({ scope }) => !String(scope).startsWith('share:'))).toEqual(before);
    expect(after.filter(({ scope }) => String(scope).startsWith('share:'))).toEqual([
      { scope: `share:${ONE}:1`, cap: null, closed: 0, spent: 6, held: 8, overrun: 0 },
      { scope: `share:${CANCELLED}:2`, cap: null, closed: 1, spent: 1, held: 0, overrun: 0 },
    ]);
    expect(await left.store.check(left.location)).toMatchObject({ broken: [], budgets: 10, wrong: [] });
    const ledger = await opened(left);
    expect(await ledger.spentByAccount(ONE)).toEqual([{ accountIdentity: ACCOUNT, spent: 6 }]);
  });

  test('a ledger of layout 5 goes on with its batches, each at its one account, whose name it keeps', async () => {
    const left = await place(leftBy(5, name));
    const ledger = await opened(left);
    expect((await ledger.batch(ONE))?.accounts).toEqual([{ identity: ACCOUNT, name: 'hunter' }]);
    expect((await ledger.batch(CANCELLED))?.accounts).toEqual([{ identity: OTHER, name: 'prospeo' }]);
    const spec = batchSpec({ key: 'key-a', lineage: 'lineage-a', accountName: 'renamed' });
    const { batch, start } = await ledger.beginBatch(spec);
    expect([batch.id, start]).toEqual([ONE, 'resumed']);
    expect(batch.accounts).toEqual([{ identity: ACCOUNT, name: 'renamed' }]);
    await answered(ledger, ONE, 'next', { row: 8 });
    expect(await ledger.batchMoney(ONE)).toMatchObject({ cap: 20, spent: 7 });
    expect(await ledger.spentByAccount(ONE)).toEqual([{ accountIdentity: ACCOUNT, spent: 7 }]);
  });

  test('a ledger of layout 5 is held by the tables and rules of a new one', async () => {
    const [left, fresh] = [await place(leftBy(5, name)), await place('')];
    await bringOn(left);
    await bringOn(fresh);
    expect(await laidOut(left, tables)).toEqual(await laidOut(fresh, tables));
  });

  test('a ledger of layout 5 whose next step fails stays as it was', async () => {
    const left = await place(leftBy(5, name));
    const before = await left.query(tables);
    const steps = LAYOUT_STEPS as LayoutStep[];
    steps.push(() => 'UPDATE batches SET hue = 1;');
    onTestFinished(() => void steps.pop());
    await expect(bringOn(left)).rejects.toThrow('hue');
    expect(await left.query(tables)).toEqual(before);
    expect(await left.query('SELECT number FROM steps')).toEqual([{ number: 5 }]);
    expect(layoutNow()).toBeGreaterThan(5);
  });
});

test('the roles of a ledger of layout 5 may do with the new table what they may with batches', async () => {
  const left = await databaseWith(leftBy(5, 'postgres'));
  await left.query('GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA rowonce_ledger TO rowonce_worker');
  await left.query('GRANT SELECT ON ALL TABLES IN SCHEMA rowonce_ledger TO rowonce_reader');
  await bringOn(left);
  const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
  const may = (role: string) =>
    left.query(
      rights
        .map((right) => `SELECT has_table_privilege('${role}', 'batch_accounts', '${right}') AS may`)
        .join(' UNION ALL '),
    );
  expect(await may('rowonce_worker')).toEqual([true, true, true, false].map((each) => ({ may: each })));
  expect(await may('rowonce_reader')).toEqual([true, false, false, false].map((each) => ({ may: each })));
});
