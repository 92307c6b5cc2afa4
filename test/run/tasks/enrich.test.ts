/**
 * Goal: a program reads its rows back as they are finished, pays for no more than it reads, may leave at any time, and buys nothing
 * twice when it begins again.
 * Method: the library's own entry in this process, with a real ledger, before the sandbox as a vendor whose book counts the
 * requests.
 */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { credits, type EnrichedRow, type EnrichOptions, enrich, settle } from '../../../src/index.ts';
import { type Desk, openDesk } from '../../cli/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  vi.stubEnv('ROWONCE_CONFIG', desk.place.path('config'));
  vi.stubEnv('XDG_STATE_HOME', desk.place.path('state'));
  onTestFinished(() => void vi.unstubAllEnvs());
});

const options = (more: Partial<EnrichOptions> = {}): EnrichOptions => ({
  job: 'enrich-company',
  store: desk.place.path('store'),
  mayCreateStore: true,
  budget: credits(1000),
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
  const run = enrich(rows, options({ entries: { add: { size: 'employee_count' } } }));
  const [first, invalid, again, none] = await all(run);
  expect(first).toMatchObject({
    row: 1,
    input: { domain: 'a.example' },
    status: 'matched',
    matchedBy: 'domain',
    cells: { size: expect.any(Number) },
    credits: 1,
    source: 'bought',
    calls: [
      {
        operation: 'enrich-company',
        parameters: { domain: 'a.example' },
        answer: 'found',
        credits: 1,
        isPaidHere: true,
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
    calls: [{ isPaidHere: false }],
  });
  expect(none).toMatchObject({
    row: 4,
    input: { _cells: ['7'] },
    status: 'invalid',
    reason: 'line 4: it is not an object: 7',
  });
  expect(await run.summary()).toMatchObject({
    counts: { matched: 2, invalid: 2 },
    stopped: undefined,
    files: {},
  });
  const before = await desk.requests();
  async function* asTheyCome() {
    yield* rows;
  }
  const second = enrich(asTheyCome(), options({ entries: { add: { size: 'employee_count' } } }));
  expect(await all(second)).toEqual([first, invalid, again, none]);
  expect((await second.summary()).batch).toBe((await run.summary()).batch);
  expect(await desk.requests()).toBe(before);
});

test('a reader that stops reading stops the buying, and one that leaves keeps what was bought', async () => {
  const run = enrich(companies(60), options({ ahead: 5 }));
  for await (const { row, input } of run) {
    expect(input).toEqual({ id: row, domain: `c${row}.example`, tags: ['x'] });
    if (row < 3) continue;
    // The vendor has answered all that may be begun by now, and is asked for nothing else while nobody reads.
    await expect.poll(() => desk.requests()).toBe(2 + 5);
    break;
  }
  const { stopped, counts } = await run.summary();
  expect(stopped?.code).toBe('interrupted');
  expect(counts.matched).toBe(7);
  const rest = enrich(companies(60), options());
  expect((await all(rest)).map(({ row }) => row)).toEqual(companies(60).map(({ id }) => id));
  // The run ends by itself after its last row, however fast that was read.
  expect((await rest.summary()).stopped).toBeUndefined();
  expect(await desk.requests()).toBe(60);
});

test('an abort and a budget end the rows with those that are finished, and say why in the summary', async () => {
  const abort = new AbortController();
  const aborted = enrich(companies(40), options({ ahead: 10, signal: abort.signal }));
  const rows = [];
  for await (const { row } of aborted) {
    rows.push(row);
    if (row === 4) abort.abort();
  }
  const { stopped, counts } = await aborted.summary();
  expect(stopped?.code).toBe('interrupted');
  expect(rows).toHaveLength(counts.matched ?? 0);
  const poor = enrich(companies(40), options({ budget: credits(20) }));
  expect(await all(poor)).toHaveLength(20);
  expect((await poor.summary()).stopped?.code).toBe('budget');
});

test('a sample gives its own rows, from anywhere in the list, and what to expect of the rest', async () => {
  const run = enrich(companies(300), options({ sample: 12, ahead: 1 }));
  const rows = await all(run);
  expect([rows.length, await desk.requests()]).toEqual([12, 12]);
  expect(Math.max(...rows.map(({ row }) => row))).toBeGreaterThan(12);
  expect((await run.summary()).forecast).toMatchObject({ rows: 12, rest: { rows: 288 } });
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

test('a row in doubt that a person has settled as not done is bought, and comes back as it is then', async () => {
  const { place } = await openDesk({ concurrency: 1, faults: '422:x1,charged-500:x1' });
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  vi.stubEnv('XDG_STATE_HOME', place.path('state'));
  const store = place.path('store');
  const read = async () => {
    const run = enrich(companies(3), options({ store }));
    return { statuses: (await all(run)).map(({ status }) => status), summary: await run.summary() };
  };
  const before = await read();
  expect(before.statuses).toEqual(['refused', 'in_doubt', 'matched']);
  await settle({ batch: before.summary.batch, store, row: 2, decision: 'not_done' });
  const { statuses, summary } = await read();
  expect(statuses).toEqual(['refused', 'matched', 'matched']);
  expect(summary.counts).toEqual({ refused: 1, matched: 2 });
  expect((await place.vendor.book()).requests).toBe(4);
});

test('a run that cannot begin says so to who reads the rows, and to who asks for the summary', async () => {
  const none = enrich([], options());
  await expect(all(none)).rejects.toThrow('No row was given.');
  await expect(none.summary()).rejects.toThrow('No row was given.');
  expect(() => enrich([], options({ ahead: -1 }))).toThrow('enrich: ahead is -1.');
  const { budget: _, ...unlimited } = options();
  await expect(all(enrich(companies(1), unlimited))).rejects.toMatchObject({ code: 'consent' });
});
