/**
 * Goal: an intent that is on the disk leaves as soon as the replies have had their consequences that were known by then, and not
 * while one of those has them still to come.
 * Method: the groups alone, over a ledger that commits when the test says so.
 */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Appending, CallEntry } from '../../src/ledger/ledger.ts';
import { Groups, type Writer } from '../../src/run/groups.ts';

const ENTRY = {
  intent: { kind: 'intent' },
  reply: { kind: 'reply' },
  end: { kind: 'end' },
} as unknown as Record<string, CallEntry>;

let groups: Groups;
/** What commits the oldest group that is not on the disk. */
let commits: (() => void)[];
let happened: string[];

beforeEach(() => {
  commits = [];
  happened = [];
  const append = (list: readonly CallEntry[]): Promise<unknown> =>
    new Promise((resolve) => commits.push(() => resolve(list.map(() => ({ kind: 'written' })))));
  groups = new Groups({ append } as Appending);
});

/** @param applying what its consequences wait for. */
function writer(name: string, applying?: Promise<void>): Writer {
  const note = (step: string) => (): void => void happened.push(`${name} ${step}`);
  return {
    judge: note('judged'),
    apply: () => {
      happened.push(`${name} applied`);
      return applying;
    },
    closed: note('closed'),
    admit: () => true,
    leave: note('left'),
    fail: expect.unreachable,
  };
}

function add(name: string, kind: 'intent' | 'reply' | 'end', applying?: Promise<void>): Promise<void> {
  groups.add(writer(name, applying), ENTRY[kind] as CallEntry);
  return turn();
}

function commit(): Promise<void> {
  commits.shift()?.();
  return turn();
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an intent waits for the replies that are there when it is on the disk, and for none that comes later', async () => {
  await add('a', 'intent');
  await add('b', 'reply');
  await commit();
  expect(happened).toEqual([]);
  await add('c', 'reply');
  await commit();
  expect(happened).toEqual(['b judged', 'b applied', 'a left']);
});

test('an intent waits until the ledger has told what follows from a reply before it, whatever follows from later ones', async () => {
  const told = Promise.withResolvers<void>();
  await add('a', 'reply', told.promise);
  await commit();
  await add('b', 'intent');
  await commit();
  await add('c', 'reply');
  await commit();
  expect(happened).toEqual(['a judged', 'a applied', 'c judged', 'c applied']);
  told.resolve();
  await turn();
  expect(happened.at(-1)).toBe('b left');
});

describe('where entries are gathered', () => {
  const WANTED_LATE = Number.POSITIVE_INFINITY;
  let sizes: number[];
  let mayMoreCome: boolean;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    sizes = [];
    mayMoreCome = true;
    const append = async (list: readonly CallEntry[]): Promise<unknown> => {
      sizes.push(list.length);
      return list.map(() => ({ kind: 'written' }));
    };
    groups = new Groups({ append } as Appending, {
      ...{ leastMs: 40, longestMs: 250 },
      mayMoreCome: () => mayMoreCome,
    });
  });

  const addWanted = (kind: 'intent' | 'reply', wantedMs: number): void =>
    groups.add(writer(kind), ENTRY[kind] as CallEntry, wantedMs);

  test('one waits for others as long as a request must not leave yet, and no longer', async () => {
    addWanted('reply', WANTED_LATE);
    addWanted('intent', performance.now() + 100);
    await vi.advanceTimersByTimeAsync(99);
    addWanted('intent', performance.now() + 200);
    expect(sizes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([3]);
  });

  test('one that nobody waits for is written after a while, and one that is late after a moment', async () => {
    addWanted('reply', WANTED_LATE);
    await vi.advanceTimersByTimeAsync(249);
    expect(sizes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([1]);
    addWanted('intent', performance.now() - 1_000);
    await vi.advanceTimersByTimeAsync(40);
    expect(sizes).toEqual([1, 1]);
  });

  test('nothing waits where no answer is on its way, or where others may not leave before it', async () => {
    addWanted('reply', WANTED_LATE);
    await add('a', 'end');
    expect(sizes).toEqual([2]);
    mayMoreCome = false;
    addWanted('intent', WANTED_LATE);
    await turn();
    expect(sizes).toEqual([2, 1]);
  });
});

test('who waits for an end is woken when one is on the disk, and by nothing else', async () => {
  const wait = (name: string) => void groups.ended.then(() => happened.push(name));
  wait('first woken');
  await add('a', 'intent');
  await commit();
  expect(happened).toEqual(['a left']);
  await add('a', 'end');
  expect(happened).toEqual(['a left']);
  await commit();
  wait('second woken');
  await turn();
  expect(happened).toEqual(['a left', 'a closed', 'first woken']);
});
