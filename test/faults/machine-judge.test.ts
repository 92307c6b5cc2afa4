import { expect, onTestFinished, test, vi } from 'vitest';
import { type Left, verdictOn } from './machine-judge.ts';
import { Ranges } from './machine-ranges.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { Workplace } from './workplace.ts';

/*
 * Goal: the long campaign of workers over one database fails when a promise is broken, and says which.
 * Method: its judge is given a world in which all went well, and then, one by one, what a promise forbids. What the vendor's book says is a real
 * book, of a vendor of whom something was bought past the ledger.
 */

const SECOND = Array.from({ length: 200 }, (_, at) => at * 5);

const WELL: Left = {
  broken: NONE_BROKEN,
  rowsLeft: 0,
  doubts: 16,
  mostDoubts: 16,
  sentMs: [...SECOND, ...SECOND.map((at) => at + 1_000)],
  perSecond: 200,
  waitsMs: [12_000, 19_999],
  complaints: [],
  capped: { cap: 1_500, charged: 1_490, spent: 1_480, inDoubt: 20 },
};

test('a world in which all went well breaks nothing', () => {
  expect(verdictOn(WELL).broken).toEqual([]);
});

test.each<readonly [string, Partial<Left>, string]>([
  ['a row is missing in an output', { broken: { ...NONE_BROKEN, rowsLost: 1 } }, 'rows lost'],
  ['workers have left a row', { rowsLeft: 1 }, 'rows that no worker has ended'],
  ['more is in doubt than was on its way', { doubts: 17 }, 'calls in doubt'],
  ['stops alone have left a doubt', { doubts: 1, mostDoubts: 0 }, 'calls in doubt'],
  ['one more has left than the limit allows', { sentMs: [...SECOND, 999.9] }, 'most sent in a second'],
  [
    'a killed worker’s range has waited for too long',
    { waitsMs: [20_001] },
    'ranges of killed workers that went on',
  ],
  ['a worker has ended by itself', { complaints: ['a worker ended with 1'] }, 'complaints of workers'],
  [
    'more was charged than the budget',
    { capped: { cap: 1_500, charged: 1_501, spent: 1_500, inDoubt: 0 } },
    'credits charged when the budget was reached',
  ],
  [
    'the budget was not used up',
    { capped: { cap: 1_500, charged: 1_400, spent: 1_400, inDoubt: 99 } },
    '  spent + in doubt',
  ],
])('it is said when %s', (_, forged, name) => {
  expect(verdictOn({ ...WELL, ...forged }).broken).toEqual([name]);
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

test('a range waits from the kill of the only worker that has it until another one has taken it, while one has nothing to do', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const ranges = new Ranges();
  const workers = ['one', 'other', 'third'].map(() => ({ stderr: 'ready, for data\n' }));
  const [one, other, third] = workers as [Said, Said, Said];
  const listen = (): void => ranges.listen(workers);
  const says = (worker: Said, rows: string, what: string): void => {
    worker.stderr += `batch 1a2b3c4d, rows ${rows} ${what}\n`;
    listen();
  };
  const passes = (ms: number): void => {
    vi.advanceTimersByTime(ms);
    listen();
  };
  says(one, '2 to 51', 'taken');
  says(other, '52 to 101', 'taken');
  says(third, '102 to 151', 'taken');
  workers.shift();
  ranges.killed(one);
  passes(1_000);
  says(other, '52 to 101', 'done, 50 rows finished here');
  await ranges.uncounted(async () => passes(200));
  passes(30);
  says(other, '2 to 51', 'taken');
  expect(ranges.waitsMs, 'of the time in which one had nothing to do, and the database was there').toEqual([
    30,
  ]);
  says(other, '2 to 51', 'done, 50 rows finished here');
  ranges.killed(other);
  says(third, '2 to 51', 'taken');
  expect(ranges.waitsMs, 'what it had done goes on nowhere').toHaveLength(1);
});

interface Said {
  stderr: string;
}
