import { describe, expect, test } from 'vitest';
import { type CallEntry, credits, type EntryOf } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  admitted,
  answered,
  batchNamed,
  type IntentOptions,
  intentOf,
  keyNamed,
  lookAt,
  lost,
  NOON_MS,
  replyWith,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

const FOUND = { kind: 'answered', answer: 'found', charged: credits(1), why: 'found' } as const;
const READ = { answer: 'no_match', charged: credits(0), why: 'empty', dialect: 7, atMs: NOON_MS } as const;

// Goal: entries that are written together are each what they would be alone, and one that is refused takes none with it.
// Method: lists of every kind of entry, of those that are refused, and of those that need each other's money.
export function appendsConform(store: Store): void {
  describe('entries that are written together', () => {
    const intent = (...asked: Parameters<typeof intentOf>): EntryOf<'intent'> => ({
      kind: 'intent',
      intent: intentOf(...asked),
    });

    test('of every kind are told of in the order of their list', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const bought = await answered(ledger, batch, 'bought');
      const open = await admitted(ledger, batch, 'open');
      const [held, freed] = [await lost(ledger, batch, 'held'), await lost(ledger, batch, 'freed')];
      const why = 'somebody said so';
      const decision = {
        key: keyNamed('held'),
        batch,
        kind: 'skip',
        by: 'person',
        why,
        atMs: NOON_MS,
      } as const;
      const outcomes = await ledger.append([
        intent(batch, 'next'),
        { kind: 'reading', reading: { ...READ, attempt: bought } },
        { kind: 'end', attempt: open, closure: FOUND, atMs: NOON_MS },
        { kind: 'decision', decision },
        { kind: 'look', look: lookAt(freed, 'not_happened') },
        { kind: 'release', attempt: freed, why, atMs: NOON_MS },
        { kind: 'reply', attempt: open, reply: replyWith('open') },
      ]);
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        ...['admitted', 'written', 'written', 'decided', 'written', 'written', 'written'],
      ]);
      expect(await stateOf(ledger, 'open')).toMatchObject({ kind: 'answered', answer: { why: 'found' } });
      expect(await stateOf(ledger, 'bought')).toMatchObject({ answer: { kind: 'no_match' } });
      expect(await stateOf(ledger, 'held', batch)).toMatchObject({ decision: { kind: 'skip' } });
      expect(await ledger.attempts([held])).toMatchObject([{ closure: { kind: 'in_doubt' } }]);
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 2, reserved: 1, inDoubt: 1 });
    });

    test('are refused one by one, and the others are written', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const bought = await answered(ledger, batch, 'bought');
      const open = await admitted(ledger, batch, 'open');
      const nobody = 99 as typeof open;
      const list: readonly CallEntry[] = [
        { kind: 'reply', attempt: open, reply: replyWith('open') },
        { kind: 'end', attempt: bought, closure: FOUND, atMs: NOON_MS },
        { kind: 'end', attempt: open, closure: FOUND, atMs: NOON_MS },
        { kind: 'look', look: lookAt(bought, 'happened') },
        { kind: 'release', attempt: bought, why: 'x', atMs: NOON_MS },
        { kind: 'reading', reading: { ...READ, attempt: nobody } },
        intent(batch, 'one', { replaces: bought }),
        intent(batch, 'two'),
      ];
      const kinds = (await ledger.append(list)).map(({ kind }) => kind);
      expect(kinds.map((kind) => kind === 'refused')).toEqual([
        ...[false, false, false, true, true, true, false, false],
      ]);
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 2, reserved: 1, inDoubt: 0 });
      expect(await ledger.append([])).toEqual([]);
    });

    test('spend in one commit what the end of another attempt has given back', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await ledger.changeBatch(batch, { budget: credits(2) });
      const open = await admitted(ledger, batch, 'open', { reserve: 2 });
      expect(await admit(ledger, batch, 'next')).toMatchObject({ kind: 'wait', money: { reserved: 2 } });
      const unsent = { kind: 'not_sent', why: 'no connection' } as const;
      const [two, one, three] = await ledger.append([
        intent(batch, 'two', { reserve: 2 }),
        { kind: 'end', attempt: open, closure: unsent, atMs: NOON_MS },
        intent(batch, 'three', { reserve: 2 }),
      ]);
      expect([two.kind, one.kind, three.kind]).toEqual(['admitted', 'written', 'wait']);
      expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 0, reserved: 2 });
    });

    test('of one call are what each of them finds: under way, and then answered', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const of = (options: IntentOptions = {}) => intent(batch, 'acme', options);
      const [first, second] = await ledger.append([of(), of({ ifUnknown: true })]);
      if (first.kind !== 'admitted') throw new Error('the first is admitted');
      const { attempt } = first;
      expect(second).toEqual({ kind: 'in_flight', attempt });
      const [, , after, unknown] = await ledger.append([
        { kind: 'reply', attempt, reply: replyWith('acme') },
        { kind: 'end', attempt, closure: FOUND, atMs: NOON_MS },
        of(),
        of({ ifUnknown: true }),
      ]);
      expect([after, unknown]).toEqual([{ kind: 'answered', attempt }, { kind: 'known' }]);
    });
  });
}
