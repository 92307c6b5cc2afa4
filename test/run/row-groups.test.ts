/**
 * Goal: rows are worked on side by side, each once, and read no faster than they are done; what ends the work never leaves
 * the reading to wait for ever.
 * Method: the groups alone, with work that ends when the test lets it.
 */
import { expect, test } from 'vitest';
import { RowGroups } from '../../src/run/pipeline/row-groups.ts';

/** More than are worked on at once and wait besides. */
const MANY = 1000;
const SLOTS = 4;
const numbers = Array.from({ length: MANY }, (_, at) => at);

/** Work of which each piece lasts until it is let go. */
function held() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (item: number): Promise<void> => {
    begun.push(item);
    return new Promise((resolve) => ends.push(resolve));
  };
  /** Lets everything go, and what begins because of that. */
  const letGo = async (): Promise<void> => {
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await nextTurn();
    }
  };
  return { begun, work, letGo };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('every item is begun once, in order, however many groups they come in', async () => {
  const { begun, work, letGo } = held();
  const groups = new RowGroups(SLOTS, work, new AbortController().signal, (error) =>
    expect.unreachable(String(error)),
  );
  for (let from = 0; from < MANY; from += 50) {
    const added = groups.add(numbers.slice(from, from + 50));
    if (from % 100 === 0) await letGo();
    else void letGo();
    await added;
  }
  await letGo();
  await groups.end();
  expect(begun).toEqual(numbers);
});

test('an answer that does not come in any slot holds up nobody for whom there is a slot', async () => {
  const { begun, work, letGo } = held();
  // One item in each of as many groups as there are slots.
  const hangs = (item: number): boolean => item % 10 === 0 && item < 10 * SLOTS;
  const done: number[] = [];
  const groups = new RowGroups<number>(
    SLOTS,
    async (item) => {
      if (hangs(item)) await work(item);
      done.push(item);
    },
    new AbortController().signal,
    (error) => expect.unreachable(String(error)),
  );
  await groups.add(numbers);
  await nextTurn();
  expect(begun).toHaveLength(SLOTS);
  expect(done).toHaveLength(MANY - SLOTS);
  await letGo();
  await groups.end();
  expect(done).toHaveLength(MANY);
});

test('no more are wanted while many wait, and more as soon as they do not', async () => {
  const { begun, work, letGo } = held();
  const groups = new RowGroups(SLOTS, work, new AbortController().signal, (error) =>
    expect.unreachable(String(error)),
  );
  let isWanted = false;
  const added = groups.add(numbers).then(() => {
    isWanted = true;
  });
  await nextTurn();
  expect(isWanted).toBe(false);
  // What waits besides only grows old in memory.
  expect(begun.length).toBeLessThan(8 * SLOTS);
  await letGo();
  await added;
  await groups.end();
  expect(begun).toEqual(numbers);
});

test('a stop begins nothing further, and whoever adds need not wait any more', async () => {
  const stopping = new AbortController();
  const { begun, work, letGo } = held();
  const groups = new RowGroups(SLOTS, work, stopping.signal, (error) => expect.unreachable(String(error)));
  const added = groups.add(numbers);
  const before = begun.length;
  stopping.abort();
  await letGo();
  await added;
  await groups.end();
  expect(begun).toHaveLength(before);
});

test('an error is told, also when all fail at once', async () => {
  const stopping = new AbortController();
  const told: unknown[] = [];
  const fail = async (item: number): Promise<void> => {
    await nextTurn();
    throw new Error(`item ${item}`);
  };
  const groups = new RowGroups(SLOTS, fail, stopping.signal, (error) => {
    told.push(error);
    stopping.abort();
  });
  await groups.add(numbers);
  await groups.end();
  expect(told[0]).toEqual(new Error('item 0'));
  expect(told.length).toBeLessThan(MANY / 2);
});
