/**
 * Goal: a program that calls the library with an option that is wrong hears of it as somebody does who types a wrong
 * flag: by the name of the option, before a store is made or anything is bought.
 * Method: the library's own entry, called as plain JavaScript may call it.
 */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, StopError } from '../../src/index.ts';

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
const asked = (options: object): Promise<unknown> => run(Object.assign({ ...REQUEST }, options));

test.each([
  [Number.NaN, 'must be a number, but is NaN'],
  [1.5, 'must be a whole number, but is a number with a fraction'],
  [-1, 'is -1'],
  ['500' as unknown as number, 'must be a number, but is text'],
])('%s is no amount of money', async (value, fact) => {
  const wrong = await stopOf(() => asked({ budget: value }));
  expect(wrong).toMatchObject({ code: 'usage', exitCode: 2, message: `run: budget ${fact}.` });
  expect(existsSync(store)).toBe(false);
});

test.each([
  [{ limit: 0 }, 'limit is 0.'],
  [{ limit: '3' }, 'limit must be a number, but is text.'],
  [{ max_pause: 90 }, 'max_pause must be text, but is a number.'],
  [{ wait: 'long' }, 'wait: is not a duration.'],
  [{ accept: 'all' }, 'accept: is not an answer to any stop.'],
  [{ file: null }, 'file must be text, but is empty.'],
  [
    { header_row: 'third' },
    'header_row: give one row, such as 3, two rows in sequence, such as 3-4, or 0 for none.',
  ],
  [{ limt: 3 }, '"limt" is not known here.'],
])('%j is no option, and no store is made', async (options, fact) => {
  const wrong = await stopOf(() => asked(options));
  expect({ code: wrong.code, message: wrong.message }).toEqual({ code: 'usage', message: `run: ${fact}` });
  expect(existsSync(store)).toBe(false);
});

test('the nearest name is told, and what is missing', async () => {
  expect((await stopOf(() => asked({ limt: 3 }))).next).toBe('Did you mean limit?');
  const missing = { message: 'run: "file" is missing.', next: 'Pass it to run.' };
  expect(await stopOf(() => asked({ file: undefined }))).toMatchObject(missing);
  expect((await stopOf(() => Reflect.apply(run, undefined, []))).message).toContain('is missing.');
});
