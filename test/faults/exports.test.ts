/**
 * Goal: an output is whole or absent, also when two exports write to one path at once and one of them is killed; and an
 * export that ends with 0 has written what it says.
 * Method: real processes over one store, and over two stores, whose writers cannot know of each other, each killed just before or
 * just after it gives the output its name, or not at all. The judge is every byte of the files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { domainsOf, Workplace } from './workplace.ts';

/** Many rows and few calls: the longer a file takes to be written, the more two writers have to do with each other. */
const ROWS = 1_000;
const COMPANIES = 5;

const STORES = ['store', 'other-store'] as const;

let workplace: Workplace;
/** The output of each store, which bought at another time and says so. */
let whole: readonly Buffer[];

beforeAll(async () => {
  workplace = await Workplace.open();
  const domains = domainsOf('company', COMPANIES);
  workplace.writeList(Array.from({ length: ROWS }, (_, row) => domains[row % COMPANIES] ?? ''));
  await Promise.all(STORES.map((store) => workplace.runHere({ store, output: `${store}.csv` })));
  whole = STORES.map((store) => readFileSync(workplace.path(`${store}.csv`)));
});

afterAll(() => workplace[Symbol.asyncDispose]());

const isWhole = (path: string): boolean => whole.some((each) => each.equals(readFileSync(path)));

const FROM = [
  ['one store', 'store'],
  ['two stores', 'other-store'],
] as const;

const KILLED = ['never', 'output-written', 'output-renamed'] as const;

describe.for(some(FROM, 1))('two exports to one path, from %s', ([from, other]) => {
  test.for(some(KILLED, 1))('two exports of which one is killed: %s', async (killed) => {
    const output = `${from}, ${killed}.csv`;
    const begin = (store: string, env = {}) => {
      const words = ['export', 'last', '--store', workplace.path(store), '-o', workplace.path(output)];
      return workplace.type([...words, '--json'], env).ended;
    };
    const crash = killed === 'never' ? {} : { ROWONCE_CRASH_AT: killed };
    const both = await Promise.all([begin('store', crash), begin(other)]);
    for (const { signal, code, report } of [...both, await begin(other)]) {
      if (signal === 'SIGKILL') continue;
      expect(code).toBe(0);
      expect(isWhole(report?.output ?? ''), 'what it says that it wrote').toBe(true);
    }
    const names = readdirSync(workplace.folder);
    const outputs = names.filter((name) => name.replace(/ \(\d+\)(?=\.csv$)/, '') === output);
    expect(outputs.filter((name) => !isWhole(workplace.path(name)))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
