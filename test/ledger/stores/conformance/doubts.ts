import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  admitted,
  answered,
  batchNamed,
  decide,
  keyNamed,
  lost,
  NOON_MS,
  notAdmitted,
  replyWith,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a call that may have been charged is sent again only when that was decided, once per decision. Method: calls that get lost.
export function doubtsConform(store: Store): void {
  describe('a call in doubt', () => {
    test('a decision is found by the batch that made it, until an attempt has used it up', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lost(ledger, a, 'acme');
      await decide(ledger, a, 'acme', 'skip');
      const decision = await decide(ledger, a, 'acme', 'retry');
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({
        decision: {
          id: decision,
          key: keyNamed('acme'),
          batch: a,
          kind: 'retry',
          by: 'person',
          why: 'somebody said so',
        },
      });
      expect(await stateOf(ledger, 'acme', b)).not.toHaveProperty('decision');
      expect(await stateOf(ledger, 'acme')).not.toHaveProperty('decision');
      await lost(ledger, a, 'acme', { decision });
      expect(await stateOf(ledger, 'acme', a)).not.toHaveProperty('decision');
      await notAdmitted(admit(ledger, a, 'acme', { decision }));
    });

    test('an attempt that never left, or was asked to wait, gives its decision back', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await lost(ledger, batch, 'acme');
      const decision = await decide(ledger, batch, 'acme', 'retry');
      for (const kind of ['not_sent', 'paused', 'stopped'] as const) {
        const attempt = await admitted(ledger, batch, 'acme', { decision });
        expect(await stateOf(ledger, 'acme', batch)).not.toHaveProperty('decision');
        await ledger.end(attempt, { kind, why: 'x' }, NOON_MS);
        expect(await stateOf(ledger, 'acme', batch)).toMatchObject({
          kind: 'in_doubt',
          decision: { id: decision },
        });
      }
    });

    test('a decision about one loss does not allow to risk another one', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lost(ledger, a, 'acme');
      const unused = await decide(ledger, a, 'acme', 'retry');
      await lost(ledger, b, 'acme', { decision: await decide(ledger, b, 'acme', 'retry') });
      await notAdmitted(admit(ledger, a, 'acme', { decision: unused }));
      expect(await stateOf(ledger, 'acme', a)).not.toHaveProperty('decision');
    });

    test('a call in doubt that is answered in the end is answered for everybody, and what was risked stays at risk', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lost(ledger, a, 'acme', { reserve: 2 });
      const decision = await decide(ledger, b, 'acme', 'retry');
      const answer = await answered(ledger, b, 'acme', { decision });
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({
        kind: 'answered',
        answer: { attempt: answer, batch: b },
      });
      expect(await ledger.batchMoney(a)).toEqual({ spent: 0, reserved: 0, inDoubt: 2 });
      expect(await ledger.batchMoney(b)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
      expect(await ledger.doubts(a)).toEqual([]);
    });
  });

  describe('telling what happened', () => {
    test('telling settles every attempt of the call that was lost', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lost(ledger, a, 'acme');
      const last = await lost(ledger, b, 'acme', { decision: await decide(ledger, b, 'acme', 'retry') });
      await decide(ledger, a, 'acme', 'told', replyWith('yes'));
      expect(await stateOf(ledger, 'acme')).toMatchObject({ answer: { attempt: last, batch: b } });
      for (const batch of [a, b])
        expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 1, inDoubt: 0 });
    });
  });
}
