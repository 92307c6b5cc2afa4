import { describe, expect, test } from 'vitest';
import { type BatchId, credits, type KeyedRequest, type Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  DAY_MS,
  decide,
  lost,
  NOON_MS,
  notAdmitted,
  requestUnder,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

const REQUEST = requestUnder('key-1');
const OTHER = requestUnder('key-2');

// Goal: a request that a vendor charges once is counted once. Method: requests that get lost and are sent again under their key.
export function repeatsConform(store: Store): void {
  describe('a request under an idempotency key', () => {
    test('a request under an idempotency key comes back as it was kept, byte for byte, with the doubt and in the history', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const body = '{"name":"\0ÿ\r\n\\"\u0080😀"}';
      const withBody: KeyedRequest = { ...REQUEST, body };
      const { body: _none, ...withoutBody } = { ...OTHER, method: 'GET' as const };
      await lost(ledger, batch, 'one', { request: withBody });
      await lost(ledger, batch, 'two', { request: withoutBody });
      await lost(ledger, batch, 'three');
      expect(await stateOf(ledger, 'one')).toMatchObject({ doubt: { request: withBody } });
      const doubts = await ledger.doubts(batch);
      expect(doubts.map(({ request }) => request)).toEqual([withBody, withoutBody, undefined]);
      const requests = (await ledger.history(batch, 2)).map(({ request }) => request);
      expect(requests).toEqual([withBody, withoutBody, undefined]);
    });

    test('a request under an idempotency key is charged where it was risked, so that a repeat passes nobody’s cap', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lost(ledger, a, 'acme', { reserve: 2, request: REQUEST, atMs: NOON_MS - DAY_MS });
      await ledger.changeBatch(b, { budget: credits(1) });
      await answered(ledger, b, 'other');
      await answered(ledger, b, 'acme', { ...(await repeat(ledger, b)), request: REQUEST, charged: 2 });
      expect(await ledger.batchMoney(a)).toEqual({ spent: 2, reserved: 0, inDoubt: 0 });
      expect(await ledger.batchMoney(b)).toEqual({ cap: 1, spent: 1, reserved: 0, inDoubt: 0 });
      expect(await ledger.accountMoney(ACCOUNT, 'day', NOON_MS)).toMatchObject({ spent: 1, inDoubt: 0 });
      expect(await ledger.accountMoney(ACCOUNT, 'day', NOON_MS - DAY_MS)).toMatchObject({
        spent: 2,
        inDoubt: 0,
      });
      expect(await ledger.metrics(b)).toEqual({ requests: 2, calls: 2 });
    });

    test('a repeat frees nothing that was risked without it or under another key', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await lost(ledger, batch, 'acme', { reserve: 4 });
      for (const [reserve, request] of [
        [2, REQUEST],
        [8, OTHER],
      ] as const) {
        const decision = await decide(ledger, batch, 'acme', 'retry');
        await lost(ledger, batch, 'acme', { reserve, request, decision });
      }
      expect(await stateOf(ledger, 'acme')).toMatchObject({ doubt: { atRisk: 14 } });
      await answered(ledger, batch, 'acme', { ...(await repeat(ledger, batch)), request: OTHER });
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 1, reserved: 0, inDoubt: 6 });
    });

    test.each([
      ['another key', { request: OTHER }],
      ['another path', { request: { ...REQUEST, path: '/v2' } }],
      ['another method', { request: { ...REQUEST, method: 'GET' } }],
      ['another body', { request: { ...REQUEST, body: 'x' } }],
      ['another beginning of its term', { request: { ...REQUEST, firstSentAtMs: NOON_MS + 1 } }],
    ] as const)('a request under an idempotency key is not repeated with %s', async (_what, options) => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await lost(ledger, batch, 'acme', { reserve: 2, request: REQUEST });
      const again = await repeat(ledger, batch);
      await notAdmitted(admit(ledger, batch, 'acme', { ...again, ...options }));
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 2 });
      await admitted(ledger, batch, 'acme', { ...again, request: REQUEST });
    });
  });
}

/** What a rule decides about the call `acme`; the repeat reserves nothing. */
async function repeat(ledger: Ledger, batch: BatchId) {
  return { decision: await decide(ledger, batch, 'acme', 'repeat'), reserve: 0 };
}
