/**
 * Goal: matches that tell nothing stop the spending after five of them, and what the dialect says of them is believed.
 * Method: real runs in this process with a real store, before a vendor that answers as the test says; what stands in an
 * answer without a field is read by itself.
 */
import { expect, onTestFinished, test } from 'vitest';
import provider from '../src/client/dialects/provider.ts';
import { factsShape, NO_FACTS } from '../src/client/judge.ts';
import { credits, type RunOptions, type RunSummary, runJob } from '../src/index.ts';
import { agreeToDialects } from './agree.ts';
import { deskBefore } from './cli/desk.ts';
import { proof } from './combinations.ts';

/** A list of twelve domains, and a vendor that is asked about one after the other. */
async function open(answer: (asked: number) => object, dialect: object) {
  const { desk, asked, speak } = await deskBefore((_, nth) =>
    Response.json(answer(nth), { headers: { 'x-cost': '0' } }),
  );
  const { place } = desk;
  process.env.ROWONCE_CONFIG = place.path('config');
  onTestFinished(() => {
    delete process.env.ROWONCE_CONFIG;
  });
  desk.list(12);
  const say = (said: object): Promise<void> => {
    speak(said);
    return agreeToDialects(place.path('config'));
  };
  await say(dialect);
  const run = (request: Partial<RunOptions> = {}): Promise<RunSummary> =>
    runJob({
      job: 'enrich-company',
      file: place.path('list.csv'),
      store: place.path('store'),
      output: place.path('out.csv'),
      mayCreateStore: true,
      budget: credits(100),
      ...request,
    });
  return { run, say, asked: () => asked.length };
}

test('five of them stop a run, and a corrected dialect says what they are', async () => {
  let answer: object = { person: { name: 'Jo' } };
  const { run, say, asked } = await open(() => answer, { fields_at: 'data' });
  expect((await run({ limit: 4 })).stopped).toBeUndefined();
  answer = { data: { name: 'Acme' } };
  expect((await run({ limit: 5 })).stopped).toBeUndefined();
  answer = { person: { name: 'Jo' } };
  expect((await run()).stopped).toMatchObject({
    code: 'address',
    message: expect.stringContaining('5 matches of this account hold no field at `data`'),
  });
  expect(asked()).toBe(10);
  await say({ fields_at: 'person' });
  expect((await run()).stopped, 'the dialect says what they are').toBeUndefined();
  expect(asked()).toBe(12);
});

const isOdd = (answer: object, dialect: object = {}): boolean =>
  factsShape(
    JSON.stringify(answer),
    { ...provider, ...dialect },
    { operation: 'enrich-company', parameters: { domain: 'a.example' }, ifLost: 'hold' },
  ) === NO_FACTS;

test.each<[object, object]>([
  [{ request_id: 'r-1', status: 'ok', timestamp: '2026-11-21T00:00:00Z', credits: 1 }, {}],
  [{ requestId: 'r-1', success: true, message: 'Request processed', data: {} }, {}],
  [{ meta: { anything: 'at all' }, data: null, took_ms: 12 }, {}],
  [{ data: { trace_id: 't', status: 200, pagination: { next: 'abc' } } }, { fields_at: 'data' }],
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
