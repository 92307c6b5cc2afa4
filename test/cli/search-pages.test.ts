/**
 * Goal: a search gets all people of a vendor, each once and paid once, in whatever way that vendor hands out its pages, and
 * a vendor that hands out the same page for ever is paid for it once more and no further.
 * Method: the real command before vendors that know sixty people, by what they were asked and what they handed out.
 */
import { expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { type Asked, deskBefore } from './desk.ts';

const PEOPLE = Array.from({ length: 60 }, (_, at) => ({ full_name: `Person ${at}` }));

type Input = Asked['input'];

/** A desk before a vendor that hands out pages so, with a list of one company and a job of nine pages. */
async function searchBefore(dialect: object, handOut: (asked: Input) => object) {
  const { desk, asked, speak } = await deskBefore(({ input }) => handOut(input));
  speak({ operations: { 'search-people': dialect } });
  await desk.write('list.csv', 'Company\nAcme\n');
  await desk.write('job.yaml', 'operation: search-people\npages: 9\n');
  return { desk, asked: () => asked.map(({ input }) => input) };
}

const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '1000', '-o', 'out.csv', '--yes'] as const;

const from = (at: number) => PEOPLE.slice(at, at + 25);
const company = 'Acme';

interface Way {
  readonly dialect: object;
  readonly handOut: (asked: Input) => object;
  readonly asked: readonly object[];
}

const GET = { method: 'GET', path: '/people' };

test.each<[string, Way]>([
  [
    'from and size',
    {
      dialect: { paging: { parameter: 'from', offset: 0, size: { parameter: 'size', results: 25 } } },
      handOut: (asked) => ({ hits: { total: 60, hits: from(Number(asked.from ?? 0)) } }),
      asked: [
        { company, size: 25 },
        { company, from: 25, size: 25 },
        { company, from: 50, size: 25 },
      ],
    },
  ],
  [
    'skip and limit, in a query',
    {
      dialect: {
        ...GET,
        paging: { parameter: 'skip', offset: 0, size: { parameter: 'limit', results: 25 } },
      },
      handOut: (asked) => ({ items: from(Number(asked.skip ?? 0)) }),
      asked: [
        { company, limit: '25' },
        { company, skip: '25', limit: '25' },
        { company, skip: '50', limit: '25' },
      ],
    },
  ],
  [
    'a cursor, until there are no more',
    {
      dialect: { paging: { parameter: 'after', next: 'meta.next_cursor' } },
      handOut: ({ after = 'c0' }) => {
        const at = Number(after.slice(1));
        const meta = { next_cursor: `c${at + 25}`, has_more: at + 25 < PEOPLE.length };
        return { data: from(at), meta };
      },
      asked: [{ company }, { company, after: 'c25' }, { company, after: 'c50' }],
    },
  ],
  [
    'a link to another host',
    {
      dialect: { ...GET, paging: { parameter: 'page', next: 'links.next' } },
      handOut: ({ page = '1' }) => {
        const next = `https://elsewhere.example/admin?page=${Number(page) + 1}&key=secret`;
        return { results: from(25 * (Number(page) - 1)), links: page === '3' ? {} : { next } };
      },
      asked: [{ company }, { company, page: '2' }, { company, page: '3' }],
    },
  ],
])('all pages of a vendor that hands them out by %s', async (_, { dialect, handOut, asked: wanted }) => {
  const { desk, asked } = await searchBefore(dialect, handOut);
  expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 1 }, credits: { spent: 60 } });
  expect(asked()).toEqual(wanted);
  expect(desk.place.rows()[0]?._reason).toBe('60 people');
  const found = desk.place.rows('out.people.csv').map(({ full_name }) => full_name);
  expect(found).toEqual(PEOPLE.map(({ full_name }) => full_name));
  // Typed again, and planned for another list, all pages are known.
  await desk.json(RUN);
  await desk.write('other.csv', 'Name,Company\nx,Acme\n');
  expect(await desk.json(['plan', 'job.yaml', 'other.csv'])).toMatchObject({ bought_before: 1, to_buy: 0 });
  expect(asked()).toHaveLength(3);
});

test('the same page for ever ends the search, is listed once, and is said', async () => {
  const { desk, asked } = await searchBefore({ paging: { parameter: 'page', from: 1 } }, () => ({
    results: from(0),
  }));
  expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 1 }, credits: { spent: 50 } });
  expect(asked()).toEqual([{ company }, { company, page: 2 }]);
  expect(desk.place.rows()[0]?._reason).toBe(
    '25 people; page 2 brought the same people again, so the search stopped there; set how to ask for pages in the dialect, under operations.search-people.paging',
  );
  expect(desk.place.rows('out.people.csv')).toHaveLength(25);
});

test.each<[string, readonly string[], number, number]>(
  some(
    [
      ['a sample', ['--sample', '2'], 50 + 25 + 75, 120],
      ['the whole list', [], 50 + 25 + 75, 120],
      ['its first rows', ['--limit', '2'], 50 + 25, 60],
    ],
    2,
  ),
)(
  'behind a reached budget %s needs what was spent and the pages that are still to be bought',
  async (_, more, most, spent) => {
    const paging = { parameter: 'from', offset: 0 };
    const { desk, asked } = await searchBefore({ paging }, (said) => ({
      results: from(Number(said.from ?? 0)),
    }));
    // The second row asks what the first one asks, and the third asks nothing.
    await desk.write('list.csv', 'Company\nAcme\nAcme\n \nBanksia\n');
    await desk.write('job.yaml', 'operation: search-people\npages: 3\n');
    const run = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', ...more, '--budget'];
    const stopped = await desk.json([...run, '60']);
    expect(stopped).toMatchObject({ stopped: { code: 'budget' }, credits: { spent: 50 } });
    expect(stopped.budget_to_finish).toBe(most);
    const plan = await desk.json(['plan', 'job.yaml', 'list.csv']);
    expect(plan).toMatchObject({ credits: { most: 25 + 75 } });
    const { stderr } = await desk.type(['status', 'last']);
    expect(stderr).toMatch(new RegExp(` --budget ${most}\\b`));
    const done = await desk.json([...run, String(most)]);
    expect(done).toMatchObject({ stopped: null, credits: { spent } });
    expect(asked()).toHaveLength(spent / 20);
  },
);
