import { describe, expect, test } from 'vitest';
import { type AttemptId, credits } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  admitted,
  answered,
  batchNamed,
  decide,
  lookAt,
  lost,
  NOON_MS,
  replyWith,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

const FOUND = { kind: 'answered', answer: 'found', charged: credits(1), why: 'found' } as const;
const UNSENT = { kind: 'not_sent', why: 'no connection' } as const;
const READ = { answer: 'no_match', charged: credits(0), why: 'empty', dialect: 7, atMs: NOON_MS } as const;

// Goal: what is written in one turn is each what it would be alone; what refuses one takes none with it; and no request leaves before
// what the replies beside its intent mean is known.
// Method: everything at once, what is refused, what needs each other's money, and the order in which callers hear.
export function togetherConforms(store: Store): void {
  describe('what is written together', () => {
    test('what is written together is what it would be alone, and what is refused takes none with it', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const bought = await answered(ledger, batch, 'bought');
      const open = await admitted(ledger, batch, 'open');
      const [held, freed] = [await lost(ledger, batch, 'held'), await lost(ledger, batch, 'freed')];
      const nobody = 99 as AttemptId;
      const written = await Promise.allSettled([
        admit(ledger, batch, 'next'),
        admit(ledger, batch, 'none', { replaces: bought }),
        ledger.keep(open, replyWith('open')),
        ledger.readAgain({ ...READ, attempt: bought }),
        ledger.readAgain({ ...READ, attempt: nobody }),
        ledger.end(open, FOUND, NOON_MS),
        ledger.end(bought, FOUND, NOON_MS),
        decide(ledger, batch, 'held', 'skip'),
        ledger.look(lookAt(freed, 'not_happened')),
        ledger.look(lookAt(bought, 'happened')),
        ledger.release(freed, 'somebody said so', NOON_MS),
        ledger.release(bought, 'somebody said so', NOON_MS),
        ledger.keep(nobody, replyWith('nobody')),
      ]);
      expect(written.map(({ status }) => status === 'rejected')).toEqual([
        ...[false, false, false, false, true, false, false, false, false, true, false, true, false],
      ]);
      expect(await stateOf(ledger, 'open')).toMatchObject({ kind: 'answered', answer: { why: 'found' } });
      expect(await stateOf(ledger, 'bought')).toMatchObject({ answer: { kind: 'no_match' } });
      expect(await stateOf(ledger, 'held', batch)).toMatchObject({ decision: { kind: 'skip' } });
      expect(await ledger.attempts([held])).toMatchObject([{ end: { kind: 'in_doubt' } }]);
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 2, isAtMost: true, reserved: 1, inDoubt: 1 });
    });

    test('a group spends in one commit what the end of another attempt has given back', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await ledger.changeBatch(batch, { budget: credits(2) });
      const open = await admitted(ledger, batch, 'open', { reserve: 2 });
      expect(await admit(ledger, batch, 'next')).toMatchObject({ kind: 'wait', money: { reserved: 2 } });
      const [two, , three] = await Promise.all([
        admit(ledger, batch, 'two', { reserve: 2 }),
        ledger.end(open, UNSENT, NOON_MS),
        admit(ledger, batch, 'three', { reserve: 2 }),
      ]);
      expect([two.kind, three.kind]).toEqual(['admitted', 'wait']);
      expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 0, reserved: 2 });
    });

    test('a group finds of one call what it is: under way, and then answered', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const [first, second] = await Promise.all([
        admit(ledger, batch, 'acme'),
        admit(ledger, batch, 'acme', { ifUnknown: true }),
      ]);
      if (first.kind !== 'admitted') throw new Error('the first is admitted');
      const { attempt } = first;
      expect(second).toEqual({ kind: 'in_flight', attempt });
      const [, , after, unknown] = await Promise.all([
        ledger.keep(attempt, replyWith('acme')),
        ledger.end(attempt, FOUND, NOON_MS),
        admit(ledger, batch, 'acme'),
        admit(ledger, batch, 'acme', { ifUnknown: true }),
      ]);
      expect([after, unknown]).toEqual([{ kind: 'answered', attempt }, { kind: 'known' }]);
    });

    test('a group is told so that all that follows at once from a reply comes before the intents', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const open = [await admitted(ledger, batch, 'one'), await admitted(ledger, batch, 'two')] as const;
      const happened: string[] = [];
      await Promise.all([
        admit(ledger, batch, 'three').then(() => happened.push('sent')),
        ledger.keep(open[0], replyWith('one')).then(async () => {
          for (let step = 0; step < 10; step += 1) await Promise.resolve();
          happened.push('judged');
        }),
        ledger.end(open[1], UNSENT, NOON_MS).then(() => happened.push('ended')),
      ]);
      expect(happened).toEqual(['ended', 'judged', 'sent']);
    });

    test('a group leaves intents until it is settled what follows from the replies beside them, and no longer', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const open = await admitted(ledger, batch, 'one');
      const following = Promise.withResolvers<void>();
      let isSent = false;
      const sent = admit(ledger, batch, 'two').then(() => {
        isSent = true;
      });
      await ledger.keep(open, replyWith('one')).then(() => ledger.concluding(following.promise));
      // The ledger is asked meanwhile, and writes.
      await ledger.end(open, FOUND, NOON_MS);
      expect(isSent).toBe(false);
      ledger.concluding(new Promise(() => {}));
      following.reject(new Error('nobody knows'));
      await sent;
    });
  });
}
