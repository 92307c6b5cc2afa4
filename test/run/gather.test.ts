/**
 * Goal: no request leaves before what the replies beside its intent mean is known, and none waits for replies that come later.
 * Method: what gathers entries alone, over a ledger that commits when the test says so.
 */
import { beforeEach, expect, test } from 'vitest';
import type { Appending, CallEntry } from '../../src/ledger/ledger.ts';
import { Gather } from '../../src/run/gather.ts';

type Kind = 'intent' | 'reply' | 'end';

let gather: Gather;
/** What commits the oldest entries that are not on the disk, and how many entries each commit has. */
let commits: (() => void)[];
let sizes: number[];
let happened: string[];

beforeEach(() => {
  commits = [];
  sizes = [];
  happened = [];
  const append = (list: readonly CallEntry[]): Promise<unknown> => {
    sizes.push(list.length);
    return new Promise((resolve) => commits.push(() => resolve(list.map(() => ({ kind: 'written' })))));
  };
  gather = new Gather({ append } as Appending);
});

async function add(kind: Kind, words: string): Promise<void> {
  await gather.add({ kind } as CallEntry);
  happened.push(words);
}

function commit(): Promise<void> {
  commits.shift()?.();
  return turn();
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what comes in one turn is one commit, and its intents are told after all that follows at once from its replies', async () => {
  void add('intent', 'sent');
  void add('reply', 'kept').then(async () => {
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
    happened.push('judged');
  });
  void add('end', 'closed');
  await turn();
  expect(sizes).toEqual([3]);
  await commit();
  await turn();
  expect(happened).toEqual(['kept', 'closed', 'judged', 'sent']);
});

test('an intent waits until the ledger has told what follows from a reply before it, and for no later one', async () => {
  const [told, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void add('reply', 'kept').then(() => gather.concluding(told.promise));
  void add('intent', 'sent');
  await turn();
  await commit();
  await turn();
  gather.concluding(later.promise);
  expect(happened).toEqual(['kept']);
  told.reject(new Error('the ledger is gone'));
  await turn();
  expect(happened).toEqual(['kept', 'sent']);
});

test('who waits for an end is woken when one is on the disk, and by nothing else', async () => {
  void gather.ended.then(() => happened.push('woken'));
  void add('intent', 'sent');
  await turn();
  await commit();
  await turn();
  expect(happened).toEqual(['sent']);
  void add('end', 'closed');
  await turn();
  expect(happened).toEqual(['sent']);
  await commit();
  expect(happened).toEqual(['sent', 'closed', 'woken']);
});
