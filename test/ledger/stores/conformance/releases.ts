import { describe, expect, test } from 'vitest';

import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  admitted,
  batchNamed,
  decide,
  lookAt,
  lost,
  NOON_MS,
  notAdmitted,
  released,
  replyWith,
  requestUnder,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: money at risk is given back on the vendor's word and on nothing less. Method: doubts that are looked at and released.
export function releasesConform(store: Store): void {
  describe('a doubt that is released', () => {
    test('a doubt that is released needs the word that it did not happen', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const [attempt, other] = [await lost(ledger, batch, 'acme'), await lost(ledger, batch, 'other')];
      await ledger.look(lookAt(other, 'not_happened'));
      const free = () => ledger.release(attempt, 'because', NOON_MS);
      await expect(free()).rejects.toThrow();
      for (const said of ['unclear', 'happened'] as const) {
        await ledger.look(lookAt(attempt, said));
        await expect(free()).rejects.toThrow();
      }
      expect(await ledger.batchMoney(batch)).toMatchObject({ inDoubt: 2 });
      await ledger.look(lookAt(attempt, 'not_happened'));
      await free();
      await expect(free()).rejects.toThrow();
      expect(await ledger.batchMoney(batch)).toMatchObject({ inDoubt: 1 });
    });

    test('a doubt that is released is not while the call is being sent again, nor once it is answered', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await lost(ledger, batch, 'acme');
      await ledger.look(lookAt(attempt, 'not_happened'));
      const again = await admitted(ledger, batch, 'acme', {
        decision: await decide(ledger, batch, 'acme', 'retry'),
      });
      await expect(ledger.release(attempt, 'because', NOON_MS)).rejects.toThrow();
      await ledger.keep(again, replyWith('acme'));
      const end = { kind: 'answered', answer: 'found', charged: 1 as never, why: 'found' } as const;
      await ledger.end(again, end, NOON_MS);
      await expect(ledger.release(attempt, 'because', NOON_MS)).rejects.toThrow();
    });

    test('a doubt that is released takes with it what the same request risked before, under its idempotency key', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const request = requestUnder('key-1');
      const first = await lost(ledger, batch, 'acme', { reserve: 2, request });
      const decision = await decide(ledger, batch, 'acme', 'repeat');
      const second = await lost(ledger, batch, 'acme', { reserve: 0, request, decision });
      await ledger.look(lookAt(first, 'not_happened'));
      await expect(ledger.release(first, 'because', NOON_MS)).rejects.toThrow();
      await released(ledger, second);
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 0 });
      expect(await stateOf(ledger, 'acme')).toEqual({ kind: 'unknown' });
      const why = 'the vendor has no such request';
      expect(await ledger.history(batch, 2)).toMatchObject([{ released: { why } }, { released: { why } }]);
    });

    test('a doubt that is released leaves the call in doubt about what it lost before, each under a key of its own or none', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const first = await lost(ledger, batch, 'acme', { reserve: 4 });
      const retry = { decision: await decide(ledger, batch, 'acme', 'retry'), reserve: 2 };
      const second = await lost(ledger, batch, 'acme', { ...retry, request: requestUnder('key-2') });
      await released(ledger, second);
      expect(await stateOf(ledger, 'acme', batch)).toMatchObject({
        kind: 'in_doubt',
        doubt: { attempt: first, atRisk: 4 },
      });
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 4 });
      await notAdmitted(admit(ledger, batch, 'acme'));
      await released(ledger, first);
      expect(await stateOf(ledger, 'acme')).toEqual({ kind: 'unknown' });
    });
  });
}
