/**
 * Goal: rows are worked on side by side, each once, and read no faster than they are done; what ends the work never leaves
 * the reading to wait for ever.
 * Method: the lanes alone, with work that ends when the test lets it.
 */
import { expect, test } from 'vitest';
import { Lanes } from '../../src/run/pipeline/lanes.ts';

/** More than are worked on at once and wait besides. */
const MANY = 1000;
const LANES = 256;
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
  const lanes = new Lanes(work, new AbortController().signal, (error) => expect.unreachable(String(error)));
  for (let from = 0; from < MANY; from += 50) {
    const added = lanes.add(numbers.slice(from, from + 50));
    if (from % 100 === 0) await letGo();
    else void letGo();
    await added;
  }
  await letGo();
  await lanes.end();
  expect(begun).toEqual(numbers);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'items that come while the last lane ends are begun, %i steps later',
  async (steps) => {
    const done: number[] = [];
    const first = Promise.withResolvers<void>();
    // As many as there are lanes, so that all of them run out in one moment.
    const isFirst = (item: number): boolean => item < LANES;
    const lanes = new Lanes<number>(
      async (item) => {
        if (isFirst(item)) await first.promise;
        done.push(item);
        if (done.length === LANES) void addLater();
      },
      new AbortController().signal,
      (error) => expect.unreachable(String(error)),
    );
    const addLater = async (): Promise<void> => {
      for (let step = 1; step < steps; step += 1) await undefined;
      await lanes.add(numbers.slice(LANES));
    };
    const added = lanes.add(numbers.filter(isFirst));
    first.resolve();
    await added;
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    await lanes.end();
    expect(done).toEqual(numbers);
  },
);

test('no more are wanted while many wait, and more as soon as they do not', async () => {
  const { begun, work, letGo } = held();
  const lanes = new Lanes(work, new AbortController().signal, (error) => expect.unreachable(String(error)));
  let isWanted = false;
  const added = lanes.add(numbers).then(() => {
    isWanted = true;
  });
  await nextTurn();
  expect(isWanted).toBe(false);
  expect(begun.length).toBeLessThan(MANY / 2);
  await letGo();
  await added;
  await lanes.end();
  expect(begun).toEqual(numbers);
});

test('a stop begins nothing further, and whoever adds need not wait any more', async () => {
  const stopping = new AbortController();
  const { begun, work, letGo } = held();
  const lanes = new Lanes(work, stopping.signal, (error) => expect.unreachable(String(error)));
  const added = lanes.add(numbers);
  const before = begun.length;
  stopping.abort();
  await letGo();
  await added;
  await lanes.end();
  expect(begun).toHaveLength(before);
});

test('an error is told, also when all fail at once', async () => {
  const stopping = new AbortController();
  const told: unknown[] = [];
  const fail = async (item: number): Promise<void> => {
    await nextTurn();
    throw new Error(`item ${item}`);
  };
  const lanes = new Lanes(fail, stopping.signal, (error) => {
    told.push(error);
    stopping.abort();
  });
  await lanes.add(numbers);
  await lanes.end();
  expect(told[0]).toEqual(new Error('item 0'));
  expect(told.length).toBeLessThan(MANY / 2);
});
