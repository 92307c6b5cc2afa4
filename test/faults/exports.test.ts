/**
 * Goal: an output is whole or absent, also when two exports write to one path at once and one of them is killed; and an
 * export that ends with 0 has written what it says.
 * Method: real processes over one store, and over two stores, each killed just before and just after it gives the output
 * its name, or not at all. The judge is every byte of the files. Both sides of the one step that matters stay here, over
 * one store, whose writers could know of each other, and over two, whose cannot; exports that are killed at any moment are
 * the matter of `npm run faults -- --kills 1000`.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { exportTwice } from './exports.ts';
import { domainsOf, Workplace } from './workplace.ts';

/** Many rows and few calls: the longer a file takes to be written, the more two writers have to do with each other. */
const ROWS = 1_000;
const COMPANIES = 5;

const STORES = ['store', 'other-store'] as const;

let workplace: Workplace;
let whole: readonly Buffer[];

beforeAll(async () => {
  workplace = await Workplace.open();
  const domains = domainsOf('company', COMPANIES);
  workplace.writeList(Array.from({ length: ROWS }, (_, row) => domains[row % COMPANIES] ?? ''));
  await Promise.all(STORES.map((store) => workplace.runHere({ store, output: `${store}.csv` })));
  whole = STORES.map((store) => readFileSync(workplace.path(`${store}.csv`)));
});

afterAll(() => workplace[Symbol.asyncDispose]());

describe.for(
  some(
    [
      ['one store', ['store', 'store']],
      ['two stores', STORES],
    ] as const,
    1,
  ),
)('two exports to one path, from %s', ([name, stores]) => {
  test.for(
    some(
      [
        ['and neither is killed', {}],
        ['and one is killed when it has written', { crashAt: 'output-written' }],
        ['and one is killed when it has given the output its name', { crashAt: 'output-renamed' }],
      ] as const,
      1,
    ),
  )('%s', async ([_, crash]) => {
    const output = `${name}, ${Object.values(crash).join()}.csv`;
    expect(await exportTwice(workplace, { stores, output, whole, ...crash })).toEqual([]);
  });
});
