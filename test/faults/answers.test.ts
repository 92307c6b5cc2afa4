import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import type { Ended } from './program.ts';
import { WAYS, type Way } from './ways.ts';
import { domainsOf, type OutputRow, Workplace } from './workplace.ts';

/*
 * Goal: every line of the table of answers (protocol, rule 9) leaves its row, the money and the next run as promised,
 * whether the vendor has charged for the lost answer or not.
 * Method: one row meets one answer of a vendor in another process; its book says what was charged and how often it was
 * asked. Then the same command is typed again with a vendor that answers well. What may differ by the way in which the
 * vendor is reached is tried on every one of them. Runs that wait for each other's pauses have a process each.
 */

// ------------------------------------------------------------------------------------------------ lost answers

/** The fault, and what the row says about it. */
const LOST: readonly (readonly [string, RegExp])[] = [
  ['reset', /no answer came/],
  ['truncate', /status 200 broke off/],
  ['cut', /status 200/],
  ['empty', /status 200/],
  ['garbage', /status 200, "<html>Bad gat"/],
  ['huge', /larger than 4 MiB/],
  ['bomb', /the packed answer cannot be read/],
  ...['500', '502', '503', '504', '408', '425', '499'].map(
    (status) => [status, new RegExp(`status ${status}`)] as const,
  ),
];

const LOST_EITHER_WAY = LOST.flatMap(([fault, reason]) => [
  { fault, reason, charged: 0 },
  { fault: `charged-${fault}`, reason, charged: 1 },
]);

/** Whether the vendor has charged for it, nobody hears, whatever the way; so one of the two is enough on the others. */
function lostOn(way: Way): typeof LOST_EITHER_WAY {
  return LOST_EITHER_WAY.filter((_, index) => way === 'direct' || index % 4 === 0 || index % 4 === 3);
}

/** With a key the vendor is asked again by itself, which is `doubts.test.ts`'s and the random kills' matter. */
const WAYS_WITHOUT_KEYS = WAYS.filter((way) => way !== 'keyed');

describe.each(some(WAYS_WITHOUT_KEYS, 1))(
  'an answer that is lost leaves its row in doubt, charged or not, and nothing is sent again by itself (%s)',
  (way) => {
    const lost = lostOn(way);
    let workplace: Workplace;
    let first: Ended;
    let again: Ended;
    let rows: readonly OutputRow[] = [];
    let rowsAgain: readonly OutputRow[] = [];

    beforeAll(async () => {
      // One at a time, so that each row meets its fault. A refusal or a miss after each, because five losses in a row are a
      // reason to wait.
      const faults = lost.map(({ fault }, at) => `${fault}:x1,${at % 2 === 0 ? 422 : 404}:x1`).join(',');
      workplace = await Workplace.open({ way, concurrency: 1, faults });
      workplace.writeList(lost.flatMap(({ fault }) => [`${fault}.example`, `after-${fault}.example`]));
      first = await workplace.runHere();
      rows = workplace.rows();
      await workplace.vendor.setFaults();
      again = await workplace.runHere();
      rowsAgain = workplace.rows();
    });

    afterAll(() => workplace[Symbol.asyncDispose]());

    test('the run ends with 3, and so does the next, which asks nothing', () => {
      expect(first).toMatchObject({
        code: 3,
        report: { stopped: null, requests: 2 * lost.length },
      });
      expect(first.report?.credits).toMatchObject({
        spent: 0,
        in_doubt: lost.length,
        saved: 0,
      });
      expect(again).toMatchObject({ code: 3, report: { requests: 0 } });
      expect(rowsAgain).toEqual(rows);
    });

    test.each(lost)(
      '$fault: in doubt, with the reason and the credit at risk',
      ({ fault, reason, charged }) => {
        const row = rows.find(({ Domain }) => Domain === `${fault}.example`);
        expect(row).toMatchObject({ _status: 'in_doubt', _credits: '0' });
        expect(row?._reason).toMatch(/^in doubt since .*, 1 credit at risk: /);
        expect(row?._reason).toMatch(reason);
        const lookups = workplace.vendor.lookups(`${fault}.example`);
        expect(lookups.map(({ credits }) => credits)).toEqual([charged]);
      },
    );
  },
);

test.concurrent('a vendor that does not answer within the timeout leaves the row in doubt, charged or not', async () => {
  const account = { limits: { per_second: 2_000, concurrency: 2, timeout: '2s' } };
  await using workplace = await Workplace.open({ faults: 'timeout:x1,charged-timeout:x1', account });
  workplace.writeList(domainsOf('silent', 2));
  const { code } = await workplace.runHere();
  expect(code).toBe(3);
  expect(workplace.statuses()).toEqual(['in_doubt', 'in_doubt']);
  expect((await workplace.vendor.book()).credits).toBe(1);
});

// ------------------------------------------------------------------------------------------------ answers that settle

describe.concurrent('an answer that can be understood settles the row, and is never asked for again', () => {
  const REFUSALS: readonly (readonly [string, Way])[] = [
    ...['400', '409', '422'].map((status) => [status, 'direct'] as const),
    ['422', 'rest-get'],
    ['422', 'via'],
  ];

  test.each(some(REFUSALS, 1))(
    "%s: refused, with the vendor's words, and not charged (%s)",
    async (status, way) => {
      await using workplace = await Workplace.open({ way, faults: `${status}:x1` });
      workplace.writeList(['refused.example']);
      expect((await workplace.runHere()).code).toBe(3);
      expect(workplace.rows()[0]).toMatchObject({ _status: 'refused', _credits: '0', _source: 'bought' });
      expect(workplace.rows()[0]?._reason).toContain(`status ${status}, "Status ${status}, on purpose."`);
      expect(await workplace.runHere()).toMatchObject({ code: 3, report: { requests: 0 } });
      expect((await workplace.vendor.book()).credits).toBe(0);
    },
  );

  // Directly a 404 or an empty result, by the other dialect a 500 that says so.
  test.each(some(WAYS, 1))(
    'what the vendor does not know: no match, not charged, exit 0 (%s)',
    async (way) => {
      await using workplace = await Workplace.open({ way, matchRate: 0 });
      workplace.writeList(domainsOf('unknown', 12));
      expect((await workplace.runHere()).code).toBe(0);
      expect(new Set(workplace.statuses())).toEqual(new Set(['no_match']));
      const book = await workplace.vendor.book();
      expect(book).toMatchObject({ credits: 0, requests: 12 });
      await workplace.vendor.setMatchRate(1);
      expect(await workplace.runHere()).toMatchObject({ code: 0, report: { requests: 0 } });
    },
  );
});

// ------------------------------------------------------------------------------------------------ not now

describe.concurrent('an answer that means "not now" is waited for, and the call is asked again by itself', () => {
  const REFUSALS: readonly (readonly [string, Way])[] = [
    ['429:x2', 'direct'],
    ...WAYS_WITHOUT_KEYS.map((way) => ['limited-200:x1', way] as const),
    ...(['rest-get', 'via'] as const).map((way) => ['429:x1', way] as const),
  ];

  test.each(some(REFUSALS, 1))('%s (%s)', async (faults, way) => {
    await using workplace = await Workplace.open({ way, faults });
    workplace.writeList(['busy.example']);
    const { code, report } = await workplace.run();
    expect(code).toBe(0);
    expect(workplace.statuses()).toEqual(['matched']);
    const refusals = Number(faults.at(-1));
    expect(report?.pauses.count).toBe(refusals);
    const lookups = workplace.vendor.lookups('busy.example');
    expect(lookups.map(({ credits }) => credits)).toEqual([...Array(refusals).fill(0), 1]);
  });
});

// ------------------------------------------------------------------------------------------------ stops

interface Stopping {
  readonly way: Way;
  readonly fault: string;
  readonly code: number;
  readonly stopped: string;
  readonly words: RegExp;
}

describe.concurrent('an answer that concerns the whole account stops the run; the row is pending and goes on later', () => {
  const MOVED = /redirect to http:\/\/127\.0\.0\.1:\d+\/moved\/(?:enrich\/)?company/;
  const KINDS: readonly Omit<Stopping, 'way'>[] = [
    { fault: '401', code: 77, stopped: 'key', words: /refused the key: status 401/ },
    { fault: '301', code: 2, stopped: 'address', words: MOVED },
    { fault: '403', code: 77, stopped: 'key', words: /refused the key: status 403/ },
    { fault: '402', code: 4, stopped: 'vendor_credits', words: /credits are used up: status 402/ },
    { fault: '302', code: 2, stopped: 'address', words: MOVED },
  ];
  const STOPS = WAYS.flatMap((way): readonly Stopping[] =>
    KINDS.slice(0, way === 'direct' ? undefined : 2).map((kind) => ({ way, ...kind })),
  );

  test.each(some(STOPS, 2))('$fault: exit $code ($way)', async ({ way, fault, code, stopped, words }) => {
    await using workplace = await Workplace.open({ way, faults: `${fault}:x1`, concurrency: 1 });
    workplace.writeList(domainsOf('stop', 3));
    const first = await workplace.runHere();
    expect(first).toMatchObject({ code, report: { requests: 1, counts: {}, stopped: { code: stopped } } });
    expect(first.report?.stopped?.message).toMatch(words);
    if (code !== 2)
      expect(first.lastLine, 'the command that goes on').toMatch(/^npx rowonce run enrich-company /);
    expect(workplace.ledger()).toMatchObject({ open: [], inDoubt: 0, spent: 0 });

    expect(await workplace.runHere()).toMatchObject({ code: 0, report: { requests: 3 } });
    expect(workplace.statuses()).toEqual(['matched', 'matched', 'matched']);
    expect(await workplace.vendor.book()).toMatchObject({ requests: 4, credits: 3, charged_twice: [] });
  });
});
