import { expect, test } from 'vitest';
import { type Left, recoveryMs, shareMidway, verdictOn } from './machine-judge.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { Workplace } from './workplace.ts';

/*
 * Goal: the long campaign of workers over one database fails when a promise is broken, and says which.
 * Method: its judge is given a world in which all went well, and then, one by one, what a promise forbids. What the vendor's book says is a real
 * book, of a vendor of whom something was bought past the ledger.
 */

const SECOND = Array.from({ length: 200 }, (_, at) => at * 5);
const LIMIT = { requests: 200, windowMs: 1_000 };
const BOOKS = { charged: 1_490, chargedForAnswers: 1_480, spent: 1_480, held: 20 };

const WELL: Left = {
  broken: NONE_BROKEN,
  rowsLeft: 0,
  doubts: 16,
  mostDoubts: 16,
  books: BOOKS,
  capped: { cap: 1_500, ...BOOKS },
  complaints: [],
  sentMs: [...SECOND, ...SECOND.map((at) => at + 1_000)],
  limit: LIMIT,
};

test('a world in which all went well breaks nothing', () => {
  expect(verdictOn(WELL).broken).toEqual([]);
});

test.each<readonly [string, Partial<Left>, string]>([
  ['a row is missing in an output', { broken: { ...NONE_BROKEN, rowsLost: 1 } }, 'rows lost'],
  ['workers have left a row', { rowsLeft: 1 }, 'rows that no worker has ended'],
  ['more is in doubt than was on its way', { doubts: 17 }, 'calls in doubt'],
  ['one more has left than the limit allows', { sentMs: [...SECOND, 999.9] }, 'most sent in 1 s'],
  [
    'a worker has ended by itself',
    { complaints: ['a worker ended with 1'] },
    'complaints of workers and of store check',
  ],
  [
    'more was charged than is spent and held',
    { books: { ...BOOKS, charged: 1_501 } },
    'credits spent, charged, spent and held',
  ],
  [
    'an answer is booked at less than it cost',
    { books: { ...BOOKS, chargedForAnswers: 1_481 } },
    'credits spent, not as charged',
  ],
  [
    'more was charged than the budget',
    { capped: { cap: 1_489, ...BOOKS, held: 9 } },
    'credits charged when the budget was reached',
  ],
  ['the budget was not used up', { capped: { cap: 1_501, ...BOOKS } }, '  spent + held'],
])('it is said when %s', (_, forged, name) => {
  expect(verdictOn({ ...WELL, ...forged }).broken).toEqual([name]);
});

test('the share of a limit and the time after a kill are read from when requests left', () => {
  const every = (ms: number, fromMs: number, toMs: number): readonly number[] =>
    Array.from({ length: (toMs - fromMs) / ms }, (_, at) => fromMs + at * ms);
  expect(shareMidway(every(10, 0, 60_000), LIMIT)).toBeCloseTo(0.5);
  const dipped = [...every(5, 0, 20_000), ...every(10, 20_000, 32_000), ...every(5, 32_000, 60_000)];
  expect(recoveryMs(dipped, 20_000, LIMIT), 'nearly all of the limit over the next seconds').toBeCloseTo(
    11_500,
    -2,
  );
  expect(recoveryMs(every(10, 0, 60_000), 20_000, LIMIT)).toBeUndefined();
  const minutely = { requests: 12_000, windowMs: 60_000 };
  const bursts = [...every(5, 0, 30_000), ...every(5, 60_000, 90_000), ...every(5, 120_000, 150_000)];
  expect(recoveryMs(bursts, 20_000, minutely), 'half of the limit, in bursts').toBeUndefined();
});

test('the vendor’s book gives away what was bought past the ledger', async () => {
  await using place = await Workplace.open();
  place.writeList(['once.example']);
  await place.runHere();
  const broken = async (): Promise<readonly string[]> =>
    verdictOn({ ...WELL, broken: await brokenPromises(place) }).broken;
  expect(await broken()).toEqual([]);
  const buy = (domain: string) =>
    fetch(`${place.vendor.url}/enrich/company`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-1', 'content-type': 'application/json' },
      body: JSON.stringify({ domain }),
    });
  await buy('once.example');
  expect(await broken()).toEqual(['calls charged twice', 'requests without an intent']);
  await buy('never-asked-for.example');
  expect(await broken()).toContain('calls on which the two books disagree');
});
