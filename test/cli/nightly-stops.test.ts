/**
 * Goal: what stops one file or one account stops nothing else, a sweep never spends without a limit, and its exit code
 * is the worst that happened.
 * Method: the real command before the sandbox, and before vendors that answer as a test says.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { worstOf } from '../../src/commands/nightly.ts';
import { EXIT, STOP_CODES, type StopCode } from '../../src/core/errors.ts';
import { stopShown } from '../../src/core/stop-object.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { type NightDesk, openNightDesk } from './night-desk.ts';

/** A second account beside `data`, on another vendor. */
function addAccount({ desk }: NightDesk, name: string, baseUrl: string): void {
  const path = desk.place.path('config/accounts.yaml');
  const file = JSON.parse(readFileSync(path, 'utf8'));
  file.accounts[name] = {
    vendor: 'provider',
    base_url: baseUrl,
    key: 'key-2',
    // Without any it would be asked slowly at first, to learn them.
    limits: { per_second: 2_000 },
  };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
}

async function vendorThat(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<ScriptedVendor> {
  const vendor = await ScriptedVendor.start((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{}');
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return vendor;
}

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

test('what stops the whole sweep stops another account in the middle of its file, in the same words', async () => {
  const nights = await openNightDesk({ latencyMs: 100, concurrency: 1 });
  const late = await vendorThat(200, { date: new Date(Date.now() - 3 * 86_400_000).toUTCString() });
  addAccount(nights, 'late', late.url);
  nights.writeJob('', { name: 'late.yaml', inbox: 'late', account: 'late' });
  nights.drop('a.csv', 'a', 100);
  nights.drop('b.csv', 'b', 3, 'late');
  const { code, said, stderr } = await nights.sweep(['night.yaml', 'late.yaml']);
  expect(code, stderr).toBe(2);
  expect(said).toMatchObject({ stopped: { code: 'clock' } });
  expect(said.files.map(({ stopped }: { stopped: { code: string } }) => stopped.code)).toEqual([
    'clock',
    'clock',
  ]);
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

test('the first of equally bad ones is reported, and every code has its place', () => {
  expect(worstOf([stopOf('job', 'first'), stopOf('input', 'second')])?.message).toBe('first.');
  for (const code of Object.keys(STOP_CODES) as readonly StopCode[]) {
    expect(exitOf('paused', code), code).toBe(code === 'paused' ? EXIT.paused : STOP_CODES[code]);
  }
});
