/**
 * Goal: what stops one file or one account stops nothing else, a sweep never spends without a limit, and its exit code
 * is the worst that happened.
 * Method: the real command before the sandbox, and before vendors that answer as a test says.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { worstOf } from '../../src/commands/nightly.ts';
import { STOP_CODES, type StopCode } from '../../src/core/errors.ts';
import { stopShown } from '../../src/core/stop-object.ts';
import { type NightDesk, openNightDesk } from './night-desk.ts';

describe('budgets', () => {
  test('budgets of the account and the day end the sweep for that account', async () => {
    const nights = await openNightDesk();
    const { place } = nights.desk;
    nights.writeJob('', { budget: 0 });
    place.writeAccount(place.vendor.url, { budget: { per_day: 2 } });
    nights.drop('a.csv', 'a', 3);
    nights.drop('b.csv', 'b', 3);
    const { code, said } = await nights.night();
    expect(code).toBe(4);
    expect(said).toMatchObject({
      files: [{ stopped: { code: 'account_budget' } }],
      left: [{ file: place.path('inbox/b.csv') }],
    });
    expect(said.stopped.message).toMatch(/^0 lists done, 1 left \(b\.csv\); 1 not: a\.csv: /);
    expect(await place.vendor.book()).toMatchObject({ credits: 2 });
    // What is not finished is nowhere but in the inbox.
    expect(nights.files()).toEqual({ inbox: ['a.csv', 'b.csv'], done: [] });
    place.writeAccount(place.vendor.url, { budget: { per_day: 9 } });
    expect((await nights.night()).code).toBe(0);
    expect(nights.files()).toEqual({
      inbox: [],
      done: ['a.csv', 'a.enriched.csv', 'b.csv', 'b.enriched.csv'],
    });
  });
});

describe('what is wrong before the first file is said at once, and nothing is sent', () => {
  test.each<[string, string, string, (nights: NightDesk) => void]>([
    [
      'a job without an inbox',
      'job',
      'night.yaml has no inbox',
      ({ desk }) =>
        writeFileSync(desk.place.path('night.yaml'), 'operation: enrich-company\nbudget: { credits: 1 }\n'),
    ],
    [
      'no limit at all',
      'consent',
      'night.yaml has no budget, and account data has none per day, so a sweep would have no limit.',
      (nights) => nights.writeJob('', { budget: 0 }),
    ],
    [
      'a job that changes the service, which somebody has to agree to',
      'consent',
      'night.yaml changes what account data leads to, and a sweep cannot ask anybody.',
      ({ desk: { place } }) => {
        place.writeAccount(place.vendor.url, { vendor: 'service', organization_id: 'org-1' });
        writeFileSync(place.path('night.yaml'), 'operation: onboard\ninbox: ./inbox\n');
      },
    ],
    [
      'one inbox for two jobs',
      'job',
      'other.yaml and ',
      (nights) => nights.writeJob('', { name: 'other.yaml' }),
    ],
  ])('%s', async (_, code, message, prepare) => {
    const nights = await openNightDesk();
    nights.writeJob('', { name: 'other.yaml', inbox: 'other' });
    nights.drop('a.csv', 'a', 1);
    prepare(nights);
    const refused = await nights.sweep(['night.yaml', 'other.yaml']);
    expect(refused.code).toBe(2);
    expect(refused.said.stopped).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await nights.desk.requests()).toBe(0);
  });
});

const stopOf = (code: StopCode, message = 'x') => stopShown({ code, message, next: 'x' });
const exitOf = (...codes: readonly StopCode[]): number =>
  STOP_CODES[worstOf(codes.map((code) => stopOf(code)))?.code as StopCode];

test.each<[StopCode, StopCode]>([
  ['interrupted', 'key'],
  ['terminated', 'key'],
  ['key', 'input'],
  ['disk_full', 'budget'],
  ['input', 'vendor_credits'],
  ['account_budget', 'paused'],
  ['busy', 'paused'],
])('%s outranks %s, whichever came first', (worse, better) => {
  expect(exitOf(better, worse)).toBe(STOP_CODES[worse]);
  expect(exitOf(worse, better)).toBe(STOP_CODES[worse]);
});
