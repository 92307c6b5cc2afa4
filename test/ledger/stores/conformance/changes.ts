import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import { batchNamed, notAdmitted, released } from '../book.ts';
import {
  admitChange,
  changed,
  changeOf,
  decideChange,
  INVITED,
  KIM,
  known,
  LEE,
  lostChange,
  MEMBER,
} from '../changes.ts';
import { freshLedger } from '../places.ts';

// Goal: what a change left is remembered, and no change is made of what has moved or may be moving. Method: changes of one
// or two people, ended in every way.
export function changesConform(store: Store): void {
  describe.skipIf(store.manySpend)('what changes alter', () => {
    test('what changes alter moves on with every answer, and stays as it was when the answer says nothing of it', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await changed(ledger, batch, changeOf('create-invite', 0), { answer: 'refused', status: 422 });
      expect(await known(ledger)).toEqual({ subject: KIM, sequence: 1 });
      await changed(ledger, batch, changeOf('create-invite', 1), { left: INVITED });
      await changed(ledger, batch, changeOf('update-user', 2), { answer: 'refused', status: 403 });
      expect(await known(ledger)).toMatchObject({ sequence: 3, facts: INVITED });
      const unsure = { ...INVITED, state: 'unsure' } as const;
      await changed(ledger, batch, changeOf('delete-invite', 3), {
        answer: 'no_match',
        status: 404,
        left: unsure,
      });
      expect(await known(ledger)).toMatchObject({ sequence: 4, facts: unsure });
    });
  });

  describe.skipIf(store.manySpend)('a change', () => {
    test('a change of what has moved since it was planned is not admitted, and says who moved it', async () => {
      const ledger = await freshLedger(store);
      const [first, second] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await changed(ledger, first, changeOf('create-invite', 0), { left: INVITED });
      await changed(ledger, second, changeOf('delete-invite', 1), { answer: 'refused' });
      for (const after of [0, 1]) {
        const moved = await admitChange(ledger, first, changeOf('update-user', after));
        expect(moved).toEqual({ kind: 'moved', by: second });
      }
      expect(await ledger.metrics(first)).toEqual({ requests: 1, calls: 1 });
      await changed(ledger, first, changeOf('update-user', 2));
    });

    test('a change is not admitted while the answer to another of its subject is lost', async () => {
      const ledger = await freshLedger(store);
      const [first, second] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lostChange(ledger, first, changeOf('create-invite', 0), { row: 6 });
      const refused = { kind: 'subject_in_doubt', by: first, row: 6 };
      for (const batch of [first, second])
        expect(await admitChange(ledger, batch, changeOf('update-user', 0))).toMatchObject(refused);
      await changed(ledger, second, changeOf('create-invite', 0, LEE), { left: INVITED });
    });

    test('a change that is lost and repeated until it is answered moves its subject once', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const remove = changeOf('remove-user', 0);
      await lostChange(ledger, batch, remove);
      await notAdmitted(admitChange(ledger, batch, remove));
      const again = () => decideChange(ledger, batch, remove, 'repeat');
      await lostChange(ledger, batch, remove, { decision: await again() });
      await changed(ledger, batch, remove, { decision: await again(), left: { state: 'gone' } });
      expect(await known(ledger)).toMatchObject({ sequence: 1, facts: { state: 'gone' } });
      expect(await known(ledger)).not.toHaveProperty('doubt');
    });

    test('a change that did not happen is released: its subject is where it was, and takes another', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await released(ledger, await lostChange(ledger, batch, changeOf('create-invite', 0)));
      expect(await known(ledger)).toBeUndefined();
      await changed(ledger, batch, changeOf('update-user', 0), { left: MEMBER });
      expect(await known(ledger)).toMatchObject({ sequence: 1, facts: MEMBER });
    });
  });
}
