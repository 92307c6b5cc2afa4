/**
 * Goal: a program reads its rows back as they are finished, may leave at any time, and buys nothing twice when it begins again.
 * Method: the library's own entry in this process, with a real ledger, before the sandbox as a vendor whose book counts the
 * requests.
 */
import { beforeEach, expect, test } from 'vitest';
import { type EnrichedRow, type EnrichInput, enrich } from '../src/index.ts';
import { type Desk, openDesk } from './cli/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = (await openDesk()).here();
});

const options = (more: Partial<EnrichInput> = {}): EnrichInput => ({
  job: 'enrich-company',
  store: desk.place.path('store'),
  budget: 1000,
  ...more,
});

const companies = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: at + 1, domain: `c${at + 1}.example`, tags: ['x'] }));

async function all<Row>(rows: AsyncIterable<EnrichedRow<Row>>): Promise<readonly EnrichedRow<Row>[]> {
  const found: EnrichedRow<Row>[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test('rows come back in their order with what was found, asked, paid and why; given again, nothing is bought', async () => {
  const rows: readonly { readonly domain: string; readonly note?: null }[] = [
    { domain: 'a.example' },
    { domain: 'not a domain' },
    { domain: 'a.example', note: null },
    7 as never,
  ];
  const run = enrich(rows, options({ add: { size: 'employee_count' } }));
  const [first, invalid, again, none] = await all(run);
  expect(first).toMatchObject({
    row: 1,
    input: { domain: 'a.example' },
    status: 'matched',
    matched_by: 'domain',
    cells: { size: expect.any(Number) },
    credits: 1,
    source: 'bought',
    calls: [
      {
        operation: 'enrich-company',
        parameters: { domain: 'a.example' },
        answer: 'found',
        credits: 1,
        paid_here: true,
      },
    ],
  });
  expect(invalid).toMatchObject({
    row: 2,
    status: 'invalid',
    reason: expect.stringContaining('not a domain'),
    calls: [],
  });
  expect(again).toMatchObject({
    input: { domain: 'a.example', note: null },
    credits: 0,
    source: 'row 1',
    calls: [{ paid_here: false }],
  });
  expect(none).toMatchObject({
    row: 4,
    input: { _cells: ['7'] },
    status: 'invalid',
    reason: 'line 4: it is not an object: 7',
  });
  expect(await run.summary()).toMatchObject({
    counts: { matched: 2, invalid: 2 },
    stopped: null,
    output: null,
  });
  const before = await desk.requests();
  async function* asTheyCome() {
    yield* rows;
  }
  const second = enrich(asTheyCome(), options({ add: { size: 'employee_count' } }));
  expect(await all(second)).toEqual([first, invalid, again, none]);
  expect((await second.summary()).batch).toBe((await run.summary()).batch);
  expect(await desk.requests()).toBe(before);
});

test('a reader that leaves, or aborts, stops the buying and keeps what was bought; a budget ends the rows as well', async () => {
  const account = { vendor: 'provider', base_url: desk.place.vendor.url, key: 'key-1' };
  // The run waits an hour when so many are bought, and only by being left does it end.
  desk.place.writeAccounts({ data: { ...account, limits: { per_hour: 7, per_second: 100 } } });
  const left = enrich(companies(60), options({ max_pause: '2h' }));
  for await (const { row, input } of left) {
    expect(input).toEqual({ id: row, domain: `c${row}.example`, tags: ['x'] });
    if (row === 3) break;
  }
  const { stopped, counts } = await left.summary();
  expect(stopped?.code).toBe('interrupted');
  const abort = new AbortController();
  const aborted = enrich(companies(60), options({ max_pause: '2h' }), { signal: abort.signal });
  const rows = [];
  for await (const { row } of aborted) if (rows.push(row) === 3) abort.abort();
  expect(await aborted.summary()).toMatchObject({ stopped: { code: 'interrupted' } });
  expect(counts.matched).toBeLessThanOrEqual(7);
  desk.place.writeAccounts({ data: { ...account, limits: { per_second: 100 } } });
  const poor = enrich(companies(60), options({ budget: 20 }));
  expect(await all(poor)).toHaveLength(20);
  expect((await poor.summary()).stopped?.code).toBe('budget');
  const rest = enrich(companies(60), options());
  expect((await all(rest)).map(({ row }) => row)).toEqual(companies(60).map(({ id }) => id));
  // The run ends by itself after its last row, however fast that was read.
  expect((await rest.summary()).stopped).toBeNull();
  expect(await desk.requests()).toBe(60);
});

test('a sample gives its own rows, from anywhere in the list, and what to expect of the rest', async () => {
  const run = enrich(companies(300), options({ sample: 12 }));
  const rows = await all(run);
  expect([rows.length, await desk.requests()]).toEqual([12, 12]);
  expect(Math.max(...rows.map(({ row }) => row))).toBeGreaterThan(12);
  expect((await run.summary()).sample).toMatchObject({ rows: 12, forecast: { rows: 288 } });
  expect(await all(enrich(companies(300), options()))).toHaveLength(300);
  expect(await desk.requests()).toBe(300);
});

test('a list of any format is read as well; without a loop the summary works it through', async () => {
  await desk.write('list.csv', 'Domain,Note\na.example,x\n');
  const run = enrich(desk.place.path('list.csv'), options());
  expect((await run.summary()).counts).toEqual({ matched: 1 });
  expect(await all(enrich(desk.place.path('list.csv'), options()))).toMatchObject([
    { row: 2, input: { Domain: 'a.example', Note: 'x' }, cells: { name: expect.any(String) } },
  ]);
});

test('a run that cannot begin says so to who reads the rows, and to who asks for the summary', async () => {
  const none = enrich([], options());
  await expect(all(none)).rejects.toThrow('No row was given.');
  await expect(none.summary()).rejects.toThrow('No row was given.');
  expect(() => enrich([], options({ limit: -1 }))).toThrow('enrich: limit is -1.');
  const { budget: _, ...unlimited } = options();
  await expect(all(enrich(companies(1), unlimited))).rejects.toMatchObject({ code: 'consent' });
});
