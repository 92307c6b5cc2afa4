/**
 * Goal: matches that tell nothing, or that cost nothing where the dialect has a price, stop the spending after five of
 * them, however many runs they are spread over; and what the dialect says of them is believed.
 * Method: real runs in this process with a real store, before a vendor that answers as the test says; what stands in an
 * answer without a field is read by itself.
 */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import provider from '../src/client/dialects/provider.ts';
import { credits, type RunOptions, type RunSummary, runJob } from '../src/index.ts';
import { isUnread } from '../src/run/odd-matches.ts';
import { openDesk, vendorThat } from './cli/desk.ts';
import { proof, some } from './combinations.ts';

/** A list of twelve domains, and a vendor that is asked about one after the other. */
async function open(answer: (asked: number) => object, dialect: object) {
  const desk = await openDesk();
  const { place } = desk;
  let asked = 0;
  const base_url = await vendorThat((response) => {
    asked += 1;
    const headers = { 'content-type': 'application/json', 'x-cost': '0' };
    response.writeHead(200, headers).end(JSON.stringify(answer(asked)));
  });
  const data = { vendor: 'provider', base_url, key: 'key-1', dialect: place.path('odd.yaml') };
  const limits = { concurrency: 1, per_second: 100 };
  await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data: { ...data, limits } } }));
  process.env.ROWONCE_CONFIG = place.path('config');
  onTestFinished(() => {
    delete process.env.ROWONCE_CONFIG;
  });
  desk.list(12);
  const say = (said: object): void => writeFileSync(place.path('odd.yaml'), JSON.stringify(said));
  say(dialect);
  const run = (request: Partial<RunOptions> = {}): Promise<RunSummary> =>
    runJob({
      job: 'enrich-company',
      file: place.path('list.csv'),
      store: place.path('store'),
      output: place.path('out.csv'),
      mayCreateStore: true,
      budget: credits(100),
      askRequests: async () => true,
      ...request,
    });
  return { run, say, asked: () => asked };
}

proof(
  'ten runs of one row each stop like one of ten rows, and only the next odd match stops one after that',
  async () => {
    let answer: object = { person: { name: 'Jo' } };
    const { run, say, asked } = await open(() => answer, { fields_at: 'data' });
    for (let limit = 1; limit <= 4; limit += 1) expect((await run({ limit })).stopped).toBeUndefined();
    expect((await run({ limit: 5 })).stopped).toMatchObject({
      code: 'address',
      message: expect.stringContaining('5 matches in a row hold no field at `data`'),
    });
    expect((await run()).stopped?.message).toContain('6 matches in a row');
    expect(asked()).toBe(6);

    answer = { data: { name: 'Acme' } };
    expect((await run({ limit: 8 })).stopped).toBeUndefined();
    answer = { person: { name: 'Jo' } };
    expect((await run({ limit: 10 })).stopped, 'a match that could be read ended the series').toBeUndefined();
    say({ fields_at: 'person' });
    expect((await run()).stopped, 'the dialect says what they are').toBeUndefined();
    expect(asked()).toBe(12);
  },
);

test.each(
  some(
    [
      [
        'in a member',
        { path: 'meta.cost' },
        '{ status: [200], body: { path: meta.cost, matches: "^[0.]+$" }',
      ],
      ['in a header', { header: 'x-cost' }, '{ status: [200], header: { x-cost: "^[0.]+$" }'],
    ],
    1,
  ),
)(
  'matches that cost nothing, which is said %s, stop the run until the dialect says what they are',
  async (_, credits_charged, rule) => {
    const { run, say, asked } = await open((at) => ({ name: `Acme ${at}`, meta: { cost: 0 } }), {
      credits_charged,
    });
    const { stopped } = await run({ limit: 3 });
    expect(stopped).toBeUndefined();
    const { stopped: second } = await run();
    expect(second).toMatchObject({
      code: 'address',
      message: expect.stringMatching(/^5 matches in a row say that they cost nothing.*"Acme 5"/),
      next: expect.stringContaining(`\`- ${rule}, means: found, charged: false }\``),
    });
    expect(asked()).toBe(5);
    const test =
      'path' in credits_charged
        ? { body: { path: 'meta.cost', matches: '^[0.]+$' } }
        : { header: { 'x-cost': '^[0.]+$' } };
    say({ credits_charged, answers: [{ status: [200], ...test, means: 'found', charged: false }] });
    expect(await run()).toMatchObject({ stopped: undefined, counts: { matched: 12 }, money: { spent: 0 } });
  },
);

test.each<[string, object, object]>([
  ['the answer costs something', { cost: 1 }, { credits_charged: { path: 'cost' } }],
  ['the answer does not say what it cost', {}, { credits_charged: { path: 'cost' } }],
  [
    'the dialect has no price',
    { cost: 0 },
    {
      credits_charged: { path: 'cost' },
      operations: { 'enrich-company': { credits: { most: 0, found: 0 } } },
    },
  ],
])('no match is held to be free where %s', async (_, answer, dialect) => {
  const { run } = await open((at) => ({ ...answer, name: `Acme ${at}` }), dialect);
  expect(await run()).toMatchObject({ stopped: undefined, counts: { matched: 12 } });
});

const isOdd = (answer: object, dialect: object = {}): boolean =>
  isUnread(
    { ...provider, ...dialect },
    { operation: 'enrich-company', parameters: { domain: 'a.example' }, ifLost: 'hold' },
    { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)), receivedAtMs: 0 },
  );

test.each<[object, object]>([
  [{ request_id: 'r-1', status: 'ok', timestamp: '2026-11-21T00:00:00Z', credits: 1 }, {}],
  [{ requestId: 'r-1', success: true, message: 'Request processed', data: {} }, {}],
  [{ meta: { anything: 'at all' }, data: null, took_ms: 12 }, {}],
  [
    { data: { trace_id: 't', status: 200, next_page: 2, pagination: { next: 'abc' } } },
    { fields_at: 'data' },
  ],
  [{ units: 3 }, { credits_charged: { path: 'units' } }],
])('an answer that tells of nothing but itself has no field: %j', (answer, dialect) => {
  expect(isOdd(answer, dialect)).toBe(true);
});

proof.each([
  { request_id: 'r-1', data: { name: 'Acme' } },
  { metadata_company: 'Acme' },
  { created: '2019-05-01' },
  { is_verified: true },
])('what may be a field is one: %j', (answer) => {
  expect(isOdd(answer)).toBe(false);
});
