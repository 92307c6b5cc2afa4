import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, batchNamed, NOON_MS, notAdmitted, released, replyWith } from '../book.ts';
import {
  admitChange,
  admittedChange,
  changed,
  changeOf,
  decideChange,
  INVITED,
  KIM,
  known,
  LEE,
  lostChange,
  MEMBER,
  settleChange,
} from '../changes.ts';
import { freshLedger } from '../places.ts';

// Goal: what a change left is remembered, and no change is made of what has moved or may be moving. Method: changes of one
// or two people, ended in every way.
export function changesConform(store: Store): void {
  describe.skipIf(store.manySpend)('what changes alter', () => {
    test('is remembered as the last one left it, with the batch that did so and when', async () => {
      const ledger = await freshLedger(store);
      const [first, second] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await changed(ledger, first, changeOf('create-invite', 0), { left: INVITED });
      await changed(ledger, second, changeOf('update-user', 1), { left: MEMBER, atMs: NOON_MS + 1000 });
      const subject = {
        subject: KIM,
        sequence: 2,
        facts: MEMBER,
        batch: second,
        changedAtMs: NOON_MS + 1050,
      };
      expect(await ledger.subjects(ACCOUNT)).toEqual([subject]);
    });

    test('moves on with every answer, and stays as it was when the answer says nothing of it', async () => {
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

    test('is in doubt from the moment at which a request about it may leave, and no more once that is settled', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await admittedChange(ledger, batch, changeOf('remove-user', 0), { row: 3 });
      const doubt = { batch, row: 3, operation: 'remove-user' };
      expect(await known(ledger)).toEqual({ subject: KIM, sequence: 0, doubt: { ...doubt, isOpen: true } });
      await ledger.end(attempt, { kind: 'in_doubt', why: 'lost' }, NOON_MS);
      expect(await known(ledger)).toEqual({ subject: KIM, sequence: 0, doubt });
      const decision = await decideChange(ledger, batch, changeOf('remove-user', 0), 'repeat');
      const again = await admittedChange(ledger, batch, changeOf('remove-user', 0), { row: 3, decision });
      expect((await known(ledger))?.doubt, 'lost once, and on its way').toEqual(doubt);
      await settleChange(ledger, again, { left: { state: 'gone' } });
      expect(await known(ledger)).not.toHaveProperty('doubt');
    });
  });

  describe.skipIf(store.manySpend)('a change', () => {
    test('of what has moved since it was planned is not admitted, and says who moved it', async () => {
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

    test('waits for nobody, but is not admitted while another of its subject is under way', async () => {
      const ledger = await freshLedger(store);
      const [first, second] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const open = await admittedChange(ledger, first, changeOf('create-invite', 0), { row: 5 });
      const refused = { kind: 'subject_in_doubt', by: first, row: 5 };
      expect(await admitChange(ledger, second, changeOf('update-user', 0))).toMatchObject(refused);
      await changed(ledger, second, changeOf('create-invite', 0, LEE), { left: INVITED });
      await settleChange(ledger, open, { answer: 'refused' });
      await changed(ledger, second, changeOf('update-user', 1));
    });

    test('is not admitted while the answer to another of its subject is lost', async () => {
      const ledger = await freshLedger(store);
      const [first, second] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await lostChange(ledger, first, changeOf('create-invite', 0), { row: 6 });
      const refused = { kind: 'subject_in_doubt', by: first, row: 6 };
      for (const batch of [first, second])
        expect(await admitChange(ledger, batch, changeOf('update-user', 0))).toMatchObject(refused);
      await changed(ledger, second, changeOf('create-invite', 0, LEE), { left: INVITED });
    });

    test('that is lost and repeated until it is answered moves its subject once', async () => {
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

    test('that is told about moves its subject once, however often it was lost', async () => {
      const ledger = await freshLedger(store);
      const [batch, teller] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const invite = changeOf('create-invite', 0);
      await lostChange(ledger, batch, invite, { reserve: 1 });
      const decision = await decideChange(ledger, batch, invite, 'retry');
      await lostChange(ledger, batch, invite, { reserve: 2, decision });
      const told = { reply: replyWith('told'), left: INVITED };
      await decideChange(ledger, teller, invite, 'told', told);
      const subject = { subject: KIM, sequence: 1, facts: INVITED, batch, changedAtMs: NOON_MS + 70 };
      expect(await known(ledger)).toEqual(subject);
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 3, isAtMost: true, reserved: 0, inDoubt: 0 });
      await changed(ledger, teller, changeOf('delete-invite', 1));
    });

    test('that did not happen is released: its subject is where it was, and takes another', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await released(ledger, await lostChange(ledger, batch, changeOf('create-invite', 0)));
      expect(await known(ledger)).toBeUndefined();
      await changed(ledger, batch, changeOf('update-user', 0), { left: MEMBER });
      expect(await known(ledger)).toMatchObject({ sequence: 1, facts: MEMBER });
    });
  });
}
