import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../../../src/core/call-key.ts';
import type { Call } from '../../../../src/core/operation.ts';
import { type BatchId, credits, type Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, batchNamed, intentOf, NOON_MS, replyWith } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a price that an answer has shown is reserved by every later attempt, so that no budget is passed by knowing better.
// Method: answers that show prices, and what is reserved afterwards.
export function pricesConform(store: Store): void {
  describe('the highest price that answers have shown', () => {
    const call = (word: string, more: Partial<Call> = {}): Call => ({
      operation: 'search-people',
      parameters: { company: word },
      ifLost: 'hold',
      ...more,
    });

    const intentFor = (batch: BatchId, asked: Call, account = ACCOUNT) => ({
      ...intentOf(batch, 'x', { account }),
      ...{ key: callKeyOf(account, asked), call: asked },
    });

    /** @returns what was reserved for it. */
    async function bought(
      ledger: Ledger,
      batch: BatchId,
      asked: Call,
      charged: number,
      showsPrice = true,
      isAtMost = false,
    ): Promise<number> {
      const admission = await ledger.intent(intentFor(batch, asked));
      if (admission.kind !== 'admitted') throw new Error(`it was not admitted: ${admission.kind}`);
      await ledger.keep(admission.attempt, replyWith('found'));
      const end = { kind: 'answered', answer: 'found', charged: credits(charged), why: 'x' } as const;
      const shown = {
        ...end,
        ...(showsPrice ? { showsPrice: true as const } : {}),
        ...(isAtMost ? { isAtMost: true as const } : {}),
      };
      await ledger.end(admission.attempt, shown, NOON_MS);
      return admission.reserved;
    }

    test('the highest price is not what was charged where nobody stated it: of its batch, and of the account', async () => {
      const ledger = await freshLedger(store);
      const [exact, open] = [await batchNamed(ledger, 'exact'), await batchNamed(ledger, 'open')];
      await bought(ledger, exact, call('stated'), 5);
      await bought(ledger, exact, call('free'), 0, false, true);
      expect((await ledger.batchMoney(exact)).isAtMost).toBe(undefined);
      expect((await ledger.accountMoney(ACCOUNT, 'month', NOON_MS)).isAtMost).toBe(undefined);
      await bought(ledger, open, call('one'), 1, false, true);
      await bought(ledger, open, call('two'), 5);
      expect((await ledger.batchMoney(open)).isAtMost).toBe(true);
      expect((await ledger.batchMoney(exact)).isAtMost).toBe(undefined);
      expect((await ledger.accountMoney(ACCOUNT, 'month', NOON_MS)).isAtMost).toBe(true);
      expect((await ledger.accountMoney('another', 'month', NOON_MS)).isAtMost).toBe(undefined);
    });

    test('the highest price is that of the operation, of the account, and of what the job said at most', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await bought(ledger, batch, call('one'), 9);
      expect(await bought(ledger, batch, call('one', { operation: 'enrich-person' }), 2)).toBe(1);
      expect(await bought(ledger, batch, call('small', { creditsMost: 1 }), 1)).toBe(1);
      expect(await ledger.price(ACCOUNT, call('any', { creditsMost: 1 }))).toBe(1);
      expect(await ledger.price('another', call('any'))).toBeUndefined();
      const foreign = await batchNamed(ledger, 'b', { accountIdentity: 'another' });
      expect(await ledger.intent(intentFor(foreign, call('one'), 'another'))).toMatchObject({ reserved: 1 });
    });
  });
}
