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
    [Number.NaN, 'must be a number, but is NaN'],
    [1.5, 'must be a whole number, but is a number with a fraction'],
    [-1, 'is -1'],
    [Number.POSITIVE_INFINITY, 'must be a number, but is Infinity'],
    [2 ** 60, 'is 1152921504606847000'],
    ['500' as unknown as number, 'must be a number, but is text'],
  ])('%s is refused by credits() and as a budget', async (value, fact) => {
    const wrong = await stopOf(() => credits(value));
    expect(wrong).toMatchObject({ code: 'usage', exitCode: 2, message: `credits: value ${fact}.` });
    expect((await stopOf(() => run({ budget: value }))).message).toBe(`runJob: budget ${fact}.`);
    expect(existsSync(store)).toBe(false);
  });

  test('whole credits are taken as they are, and none at all as well', () => {
    expect([credits(0), credits(500)]).toEqual([0, 500]);
  });
});

describe('what is no option', () => {
  test.each([
    [{ limit: Number.NaN }, 'limit must be a number, but is NaN.'],
    [{ limit: 0 }, 'limit is 0.'],
    [{ limit: '3' }, 'limit must be a number, but is text.'],
    [{ sample: 0.5 }, 'sample must be a whole number, but is a number with a fraction.'],
    [{ maxPauseMs: Number.NaN }, 'maxPauseMs must be a number, but is NaN.'],
    [{ waitForLockMs: '2h' }, 'waitForLockMs must be a number, but is text.'],
    [{ refresh: 'no' }, 'refresh must be true or false, but is text.'],
    [
      { accept: 'all' },
      'accept: it must be one of no-match, take-back, refused, same-answers, doubts, store, guards, anew, dialect:HASH.',
    ],
    [{ formulas: 'RAW' }, 'formulas cannot be "RAW".'],
    [{ file: null }, 'file must be text, but is empty.'],
    [{ output: {} }, 'output: it must be a path, a stream or false.'],
    [
      { read: { header_row: 'third' } },
      'read.header_row: give one row, such as 3, two rows in sequence, such as 3-4, or 0 for none.',
    ],
    [{ read: { tabs: true } }, '"tabs" is not known here.'],
    [{ askBudget: 500 }, 'askBudget: it must be a function.'],
    [{ limt: 3 }, '"limt" is not known here.'],
  ])('%j is refused, and no store is made', async (options, fact) => {
    const wrong = await stopOf(() => run(options));
    expect({ code: wrong.code, message: wrong.message }).toEqual({
      code: 'usage',
      message: `runJob: ${fact}`,
    });
    expect(existsSync(store)).toBe(false);
  });

  test('the nearest name is told, and what is missing', async () => {
    expect((await stopOf(() => run({ limt: 3 }))).next).toBe('Did you mean limit?');
    const missing = { message: 'runJob: "file" is missing.', next: 'Pass it to runJob.' };
    expect(await stopOf(() => run({ file: undefined }))).toMatchObject(missing);
    expect((await stopOf(() => Reflect.apply(runJob, undefined, []))).message).toContain('is missing.');
  });

  test('a plan and a sweep are asked for in the same way', async () => {
    expect((await stopOf(() => plan({ refresh: 1 }))).message).toBe(
      'planJob: refresh must be true or false, but is a number.',
    );
    expect((await stopOf(() => sweep({ jobs: [] }))).message).toBe('sweep: jobs is empty.');
    const wrong = await stopOf(() => sweep({ jobs: ['night.yaml'], maxPauseMs: -5 }));
    expect(wrong.message).toBe('sweep: maxPauseMs is -5.');
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
    expect(wrong.message).toBe('credits: value must be a number, but is NaN.');
  });
});
