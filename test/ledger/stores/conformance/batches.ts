import { describe, expect, test } from 'vitest';
import { type BatchId, credits } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { admit, batchNamed, batchSpec, begin, MATCHED, NOON_MS, notAdmitted, settle } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: the same command again goes on with the same batch, an edited file does not. Method: batches begun in every order.
export function batchesConform(store: Store): void {
  describe('batches', () => {
    test('a new batch has a name that can be typed and keeps all that it was made of', async () => {
      const ledger = await freshLedger(store);
      const { batch, start, superseded } = await begin(ledger);
      expect(batch).toEqual({ ...batchSpec(), id: batch.id, generation: 1, state: 'open' });
      expect(batch.id).toMatch(/^[0-9a-f]{8}$/);
      expect({ start, superseded }).toEqual({ start: 'new', superseded: [] });
      expect(await ledger.batch(batch.id)).toEqual(batch);
      expect(await ledger.batchByKey('key-a')).toEqual(batch);
    });

    test('a name that no batch has finds nothing', async () => {
      const ledger = await freshLedger(store);
      await begin(ledger);
      for (const typed of ['00000000', 'last', '', '1', '../../x']) {
        expect(await ledger.batch(typed as never)).toBeUndefined();
        expect(await ledger.counts(typed as never)).toEqual({});
      }
    });

    test('the same batch again resumes while it is open, and is given back when it has finished', async () => {
      const ledger = await freshLedger(store);
      const first = await begin(ledger);
      expect(await begin(ledger, { createdAtMs: 1 })).toEqual({ ...first, start: 'resumed' });
      await ledger.changeBatch(first.batch.id, { state: 'finished' });
      const again = await begin(ledger);
      expect(again).toMatchObject({ start: 'finished', batch: { id: first.batch.id, state: 'finished' } });
    });

    test('a cancelled batch never resumes; the same content becomes its next generation', async () => {
      const ledger = await freshLedger(store);
      const first = await begin(ledger);
      await ledger.changeBatch(first.batch.id, { state: 'cancelled' });
      const second = await begin(ledger);
      expect(second).toMatchObject({ start: 'new', batch: { generation: 2 } });
      expect(second.batch.id).not.toBe(first.batch.id);
      await expect(ledger.changeBatch(first.batch.id, { state: 'open' })).rejects.toThrow();
      expect((await ledger.batchByKey('key-a'))?.id).toBe(second.batch.id);
    });

    test('other content at the same place supersedes what is unfinished, and going back does not revive it', async () => {
      const ledger = await freshLedger(store);
      const a = await begin(ledger, { key: 'key-a' });
      const b = await begin(ledger, { key: 'key-b' });
      expect(b).toMatchObject({ start: 'new', superseded: [a.batch.id] });
      expect((await ledger.batch(a.batch.id))?.state).toBe('superseded');
      const c = await begin(ledger, { key: 'key-a' });
      expect(c).toMatchObject({
        start: 'new',
        superseded: [b.batch.id],
        batch: { generation: 2, state: 'open' },
      });
      await expect(ledger.changeBatch(a.batch.id, { state: 'finished' })).rejects.toThrow();
    });

    test('other content at the same place leaves what has finished alone', async () => {
      const ledger = await freshLedger(store);
      const a = await begin(ledger, { key: 'key-a' });
      await ledger.changeBatch(a.batch.id, { state: 'finished' });
      expect((await begin(ledger, { key: 'key-b' })).superseded).toEqual([]);
      expect(await begin(ledger, { key: 'key-a' })).toMatchObject({
        start: 'finished',
        batch: { id: a.batch.id },
      });
    });

    test('a batch whose file was moved resumes, and from then on belongs to its new place', async () => {
      const ledger = await freshLedger(store);
      const first = await begin(ledger);
      const moved = { lineage: 'moved', inputPath: '/home/user/done/leads.csv', accountName: 'renamed' };
      const { batch, start } = await begin(ledger, moved);
      expect(start).toBe('resumed');
      expect(batch).toEqual({ ...first.batch, ...moved });
      expect((await begin(ledger, { key: 'key-b', lineage: 'moved' })).superseded).toEqual([batch.id]);
    });

    test('what may differ from run to run is changed one by one', async () => {
      const ledger = await freshLedger(store);
      const id = await batchNamed(ledger, 'a');
      await ledger.changeBatch(id, { budget: credits(5), outputPath: '/out.csv' });
      await ledger.changeBatch(id, {
        outputSha256: 'abc',
        command: 'rowonce run',
        settings: { add: { x: 'y' } },
      });
      const { outputPath, outputSha256, command, settings } = (await ledger.batch(id)) ?? {};
      expect(outputPath).toBe('/out.csv');
      expect(outputSha256).toBe('abc');
      expect(command).toBe('rowonce run');
      expect(settings).toEqual({ add: { x: 'y' } });
      expect((await ledger.batchMoney(id)).cap).toBe(5);
      await ledger.changeBatch(id, { budget: null });
      expect(await ledger.batchMoney(id)).not.toHaveProperty('cap');
    });

    test('what was written where is kept by its path: the newest only, and two while one replaces the other', async () => {
      const ledger = await freshLedger(store);
      const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
      expect(await ledger.written('/out.csv')).toEqual([]);
      await ledger.noteWritten('/out.csv', [one]);
      await ledger.noteWritten('/other.csv', [one]);
      await ledger.noteWritten('/out.csv', [two, one]);
      expect((await ledger.written('/out.csv')).toSorted()).toEqual([one, two]);
      await ledger.noteWritten('/out.csv', [two]);
      expect(await ledger.written('/out.csv')).toEqual([two]);
      expect(await ledger.written('/other.csv')).toEqual([one]);
    });

    test('what somebody agreed to is kept by its content, and the newest word counts', async () => {
      const ledger = await freshLedger(store);
      const sha256 = 'a'.repeat(64);
      expect(await ledger.agreement(sha256)).toBeUndefined();
      await ledger.noteAgreement(sha256, 'anything else', NOON_MS + 1);
      await ledger.noteAgreement(sha256, 'POST /tags', NOON_MS);
      expect(await ledger.agreement(sha256)).toBe('POST /tags');
      expect(await ledger.agreement('b'.repeat(64))).toBeUndefined();
    });

    test('a batch is paused since the first word of it, until it may go on', async () => {
      const ledger = await freshLedger(store);
      const [id, other] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const heldSince = async (of: BatchId) => (await ledger.batch(of))?.heldSinceMs;
      await ledger.noteHold(id, false, NOON_MS);
      expect(await heldSince(id)).toBeUndefined();
      await ledger.noteHold(id, true, NOON_MS + 0.5);
      await ledger.noteHold(id, true, NOON_MS + 1);
      expect(await heldSince(id)).toBe(NOON_MS);
      expect(await heldSince(other)).toBeUndefined();
      await ledger.noteHold(id, false, NOON_MS + 2);
      expect(await heldSince(id)).toBeUndefined();
      await ledger.noteHold(id, true, NOON_MS + 3);
      expect(await heldSince(id)).toBe(NOON_MS + 3);
    });

    test('a finished batch is renewed by its next generation, an open one resumes all the same', async () => {
      const ledger = await freshLedger(store);
      const first = await begin(ledger);
      expect((await ledger.beginBatch(batchSpec(), true)).start).toBe('resumed');
      await ledger.changeBatch(first.batch.id, { state: 'finished' });
      const second = await ledger.beginBatch(batchSpec(), true);
      expect(second).toMatchObject({ start: 'new', batch: { generation: 2, state: 'open' } });
      expect((await ledger.batch(first.batch.id))?.state).toBe('finished');
      expect((await ledger.batchByKey('key-a'))?.id).toBe(second.batch.id);
    });

    test('how old answers may be is fixed when a batch begins, and again with its next generation', async () => {
      const ledger = await freshLedger(store);
      const [first, later] = [{ foundMs: NOON_MS, noMatchMs: 5 }, { noMatchMs: NOON_MS }];
      const { batch } = await begin(ledger, { freshSince: first });
      expect(batch.freshSince).toEqual(first);
      expect((await begin(ledger, { freshSince: later })).batch.freshSince).toEqual(first);
      expect((await begin(ledger)).batch.freshSince).toEqual(first);
      await ledger.changeBatch(batch.id, { state: 'finished' });
      const renewed = await ledger.beginBatch(batchSpec({ freshSince: later }), true);
      expect(renewed.batch.freshSince).toEqual(later);
      await ledger.changeBatch(renewed.batch.id, { state: 'finished' });
      expect((await ledger.beginBatch(batchSpec(), true)).batch).not.toHaveProperty('freshSince');
    });

    test('batches are listed with the newest first, whatever the clock said', async () => {
      const ledger = await freshLedger(store);
      const first = await batchNamed(ledger, 'a', { createdAtMs: 3000 });
      const second = await batchNamed(ledger, 'b', { createdAtMs: 1000 });
      const batches = await ledger.batches();
      expect(batches.map(({ id }) => id)).toEqual([second, first]);
      expect(batches[0]).toMatchObject({ id: second, state: 'open', inputPath: batchSpec().inputPath });
    });

    test('a batch says what was written of it, and whether a row of it is in doubt', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await settle(ledger, batch, 2, MATCHED);
      expect(await ledger.batch(batch)).not.toHaveProperty('hasDoubts');
      await ledger.changeBatch(batch, { state: 'finished', outputSha256: 'of what was written' });
      await settle(ledger, batch, 3, { kind: 'in_doubt', reason: 'lost' });
      expect(await ledger.batch(batch)).toMatchObject({
        hasDoubts: true,
        outputSha256: 'of what was written',
      });
      await settle(ledger, batch, 3, MATCHED);
      expect(await ledger.batch(batch)).not.toHaveProperty('hasDoubts');
    });

    test('a superseded or cancelled batch admits nothing, and still takes the rows that were in flight', async () => {
      const ledger = await freshLedger(store);
      const superseded = (await begin(ledger, { key: 'key-a' })).batch.id;
      const cancelled = (await begin(ledger, { key: 'key-b' })).batch.id;
      await ledger.changeBatch(cancelled, { state: 'cancelled' });
      for (const batch of [superseded, cancelled]) {
        await notAdmitted(admit(ledger, batch, 'acme'));
        await settle(ledger, batch, 2, MATCHED);
        expect(await ledger.counts(batch)).toEqual({ matched: 1 });
      }
    });
  });
}
