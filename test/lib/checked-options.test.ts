/**
 * Goal: a program that calls the library with an option that is wrong hears of it as somebody does who types a wrong
 * flag: by the name of the option, before a store is made or anything is bought.
 * Method: the library's own entry, called as plain JavaScript may call it.
 */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { credits, planJob, runJob, StopError, sweep } from '../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'rowonce-options-'));
const store = join(folder, 'store');
const file = join(folder, 'leads.csv');
writeFileSync(file, 'domain\nacme.com.au\n');

/** A sandbox account spends without a budget, so only the options stand before its vendor. */
const REQUEST = { job: 'enrich-company', file, account: 'sandbox-provider', store };

async function stopOf(call: () => unknown): Promise<StopError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof StopError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** As a program without types passes them. */
const run = (options: object): Promise<unknown> => runJob(Object.assign({ ...REQUEST }, options));
const plan = (options: object): Promise<unknown> => planJob(Object.assign({ ...REQUEST }, options));

describe('what is no amount of money', () => {
  test.each([
    [Number.NaN, 'NaN'],
    [1.5, '1.5'],
    [-1, '-1'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [2 ** 60, '1152921504606847000'],
    ['500' as unknown as number, '"500"'],
  ])('%s is refused by credits() and as a budget', async (value, shown) => {
    const wrong = await stopOf(() => credits(value));
    expect(wrong).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(wrong.message).toBe(`credits ${shown} is not a whole number of credits.`);
    expect((await stopOf(() => run({ budget: value }))).message).toBe(
      `budget ${shown} is not a whole number of credits.`,
    );
    expect(existsSync(store)).toBe(false);
  });

  test('whole credits are taken as they are, and none at all as well', () => {
    expect([credits(0), credits(500)]).toEqual([0, 500]);
  });
});

describe('what is no option', () => {
  test.each([
    [{ limit: Number.NaN }, 'limit NaN is not a whole number of rows above 0.'],
    [{ limit: 0 }, 'limit 0 is not a whole number of rows above 0.'],
    [{ limit: '3' }, 'limit "3" is not a whole number of rows above 0.'],
    [{ sample: -1 }, 'sample -1 is not a whole number of rows above 0.'],
    [{ sample: 0 }, 'sample 0 is not a whole number of rows above 0.'],
    [{ sample: 0.5 }, 'sample 0.5 is not a whole number of rows above 0.'],
    [{ maxPauseMs: Number.NaN }, 'maxPauseMs NaN is not a time in milliseconds.'],
    [{ waitForLockMs: '2h' }, 'waitForLockMs "2h" is not a time in milliseconds.'],
    [{ refresh: 'no' }, 'refresh "no" is not true or false.'],
    [{ withInput: 0 }, 'withInput 0 is not true or false.'],
    [
      { accept: 'all' },
      'accept "all" is not one of no-match, take-back, doubts, store, guards, anew, dialect:HASH.',
    ],
    [{ formulas: 'RAW' }, 'formulas "RAW" is not one of safe, raw.'],
    [{ file: null }, 'file null is not a text.'],
    [{ output: {} }, 'output of an object is not a path, a stream or false.'],
    [{ read: { skipLines: -2 } }, 'read.skipLines -2 is not a whole number of rows.'],
    [{ read: { tabs: true } }, 'read has no member read.tabs.'],
    [{ askBudget: 500 }, 'askBudget 500 is not a function.'],
    [{ limt: 3 }, 'runJob has no option limt.'],
  ])('%j is refused, and no store is made', async (options, message) => {
    const wrong = await stopOf(() => run(options));
    expect({ code: wrong.code, message: wrong.message }).toEqual({ code: 'usage', message });
    expect(existsSync(store)).toBe(false);
  });

  test('the nearest name is told, and what is missing', async () => {
    expect((await stopOf(() => run({ limt: 3 }))).next).toBe('Did you mean limit?');
    expect((await stopOf(() => run({ file: undefined }))).message).toBe('file is missing.');
    expect((await stopOf(() => Reflect.apply(runJob, undefined, []))).next).toBe('Give job and file.');
  });

  test('a plan and a sweep are asked for in the same way', async () => {
    expect((await stopOf(() => plan({ refresh: 1 }))).message).toBe('refresh 1 is not true or false.');
    const none = await stopOf(() => sweep({ jobs: [] }));
    expect(none.message).toBe('jobs of an object is not a list of texts.');
    const wrong = await stopOf(() => sweep({ jobs: ['night.yaml'], maxPauseMs: -5 }));
    expect(wrong.message).toBe('maxPauseMs -5 is not a time in milliseconds.');
  });

  test('an answer of the program is an amount as well', async () => {
    writeFileSync(
      join(folder, 'accounts.yaml'),
      'accounts: { data: { vendor: provider, base_url: "http://127.0.0.1:9", key_env: K } }\n',
      { mode: 0o600 },
    );
    vi.stubEnv('ROWONCE_CONFIG', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const asked = { account: 'data', mayCreateStore: true, store: `${store}-asked` };
    const wrong = await stopOf(() => run({ ...asked, askBudget: async () => Number.NaN }));
    expect(wrong.message).toBe('credits NaN is not a whole number of credits.');
  });
});
