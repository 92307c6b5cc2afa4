import { describe, expect, onTestFinished, test } from 'vitest';
import type { AttemptRecord, Ledger, Spent } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, answered, batchNamed, begin, DAY_MS, decide, keyNamed, lost, NOON_MS } from '../book.ts';
import { freshPlace, openStore } from '../places.ts';

// Goal: a log tells who worked on what and what it cost, and adds up to what the budgets count. Method: several people open
// one place, one after the other.
export function logConforms(store: Store): void {
  describe('who is at work', () => {
    test('is kept with each batch from its beginning on, and noted again when somebody else takes over', async () => {
      const place = freshPlace(store);
      const batch = await by('ann', place, async (ledger) => {
        const id = await batchNamed(ledger, 'a');
        await begin(ledger, { key: 'key-a' });
        return id;
      });
      await by('bob', place, async (ledger) => {
        await ledger.noteHold(batch, true, NOON_MS);
        await ledger.noteHold(batch, true, NOON_MS);
        await ledger.noteHold(batch, false, NOON_MS);
        await begin(ledger, { key: 'key-a' });
        await ledger.changeBatch(batch, { state: 'cancelled' });
      });
      const reader = await store.look(place);
      onTestFinished(() => reader.close());
      const acts = await reader.acts(batch);
      expect(acts.map(({ kind, operator }) => `${kind} ${operator}`)).toEqual([
        'begun ann',
        'paused bob',
        'resumed bob',
        'cancelled bob',
      ]);
      expect(await reader.acts('00000000' as typeof batch)).toEqual([]);
    });

    test('is kept with a decision of a person, and not with one that a rule or a job made', async () => {
      const place = freshPlace(store);
      const batch = await by('ann', place, async (ledger) => {
        const id = await batchNamed(ledger, 'a');
        await lost(ledger, id, 'acme');
        return id;
      });
      await by('cron', place, (ledger) =>
        ledger.decide({ key: keyNamed('acme'), batch, kind: 'hold', by: 'job', why: 'x', atMs: NOON_MS }),
      );
      await by('bob', place, (ledger) => decide(ledger, batch, 'acme', 'skip'));
      const reader = await store.look(place);
      onTestFinished(() => reader.close());
      const acts = await reader.acts(batch);
      expect(acts.map(({ kind, operator }) => `${kind} ${operator}`)).toEqual(['begun ann', 'settled bob']);
      const { value: attempts }: { value?: readonly AttemptRecord[] } = await reader.logged({ batch }).next();
      expect(attempts?.[0]?.decisions.map(({ kind, by: who }) => `${kind} ${who}`)).toEqual([
        'hold job',
        'skip person',
      ]);
    });
  });

  describe('what was spent by whom', () => {
    test('adds up to what the budgets count, by batch, day and whoever was at work', async () => {
      const place = freshPlace(store);
      const batch = await by('ann', place, async (ledger) => {
        const id = await batchNamed(ledger, 'a');
        await answered(ledger, id, 'one', { atMs: NOON_MS, reserve: 3, charged: 3 });
        return id;
      });
      await by('bob', place, async (ledger) => {
        await begin(ledger, { key: 'key-a' });
        await answered(ledger, batch, 'two', { atMs: NOON_MS, reserve: 5, charged: 5 });
        await lost(ledger, batch, 'lost', { reserve: 7 });
        await answered(ledger, batch, 'later', { atMs: NOON_MS + DAY_MS, reserve: 11, charged: 11 });
      });
      const reader = await store.look(place);
      onTestFinished(() => reader.close());
      const parts = await allSpent(reader);
      const shown = parts.map(({ dayMs, operator, spent, inDoubt, requests }) => [
        ...[(dayMs - NOON_DAY_MS) / DAY_MS, operator, spent, inDoubt, requests],
      ]);
      expect(shown.sort()).toEqual([
        [0, 'ann', 3, 0, 1],
        [0, 'bob', 5, 7, 2],
        [1, 'bob', 11, 0, 1],
      ]);
      const money = await reader.accountMoney(ACCOUNT, 'ever', NOON_MS);
      expect(parts.reduce((sum, { spent }) => sum + spent, 0)).toBe(money.spent);
      expect(parts.reduce((sum, { inDoubt }) => sum + inDoubt, 0)).toBe(money.inDoubt);
      const firstDay = await allSpent(reader, NOON_DAY_MS, NOON_DAY_MS + DAY_MS);
      expect(firstDay.reduce((sum, { spent }) => sum + spent, 0)).toBe(8);
    });
  });

  async function by<T>(operator: string, place: string, work: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = await openStore(store, place, true, { operator });
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  }
}

const NOON_DAY_MS = Math.floor(NOON_MS / DAY_MS) * DAY_MS;

async function allSpent(
  ledger: Pick<Ledger, 'spentBetween'>,
  fromMs = 0,
  untilMs = Number.MAX_SAFE_INTEGER,
): Promise<readonly Spent[]> {
  const parts: Spent[] = [];
  for await (const part of ledger.spentBetween(fromMs, untilMs)) parts.push(part);
  return parts;
}
