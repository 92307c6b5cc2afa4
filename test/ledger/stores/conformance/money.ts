import { describe, expect, test } from 'vitest';
import { credits } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, admit, admitted, answered, batchNamed, DAY_MS, NOON_MS } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a cap is never passed at admission, and everything that may have been charged stays counted. Method: sums after each step.
export function moneyConforms(store: Store): void {
  describe('money', () => {
    test("an account's day and month hold over all of its batches, by UTC", async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await ledger.setAccountCaps(ACCOUNT, { perDay: credits(2), perMonth: credits(3) });
      const midnightMs = NOON_MS + DAY_MS / 2;
      await answered(ledger, a, 'one', { atMs: midnightMs - 1 });
      await answered(ledger, b, 'two', { atMs: midnightMs - 1 });
      expect(await admit(ledger, b, 'three', { atMs: midnightMs - 1 })).toMatchObject({ scope: 'day' });
      await answered(ledger, b, 'three', { atMs: midnightMs });
      expect(await admit(ledger, a, 'four', { atMs: midnightMs })).toEqual({
        kind: 'over_budget',
        scope: 'month',
        money: { cap: 3, spent: 3, reserved: 0, inDoubt: 0 },
      });
      expect(await ledger.accountMoney(ACCOUNT, 'day', midnightMs)).toMatchObject({ cap: 2, spent: 1 });
      await admitted(ledger, a, 'four', { atMs: NOON_MS + 20 * DAY_MS });
      await ledger.setAccountCaps(ACCOUNT, {});
      await admitted(ledger, a, 'five', { atMs: midnightMs });
    });

    test('a cap that is lowered below what was spent refuses what follows, until it is raised', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await ledger.setAccountCaps(ACCOUNT, { perDay: credits(9) });
      await answered(ledger, batch, 'one', { charged: 5, reserve: 5 });
      await ledger.setAccountCaps(ACCOUNT, { perDay: credits(3) });
      expect(await admit(ledger, batch, 'two')).toMatchObject({
        kind: 'over_budget',
        scope: 'day',
        money: { cap: 3, spent: 5 },
      });
      await ledger.setAccountCaps(ACCOUNT, { perDay: credits(6) });
      await admitted(ledger, batch, 'two');
      expect(await admit(ledger, batch, 'three')).toMatchObject({ scope: 'day' });
    });
  });
}
