/**
 * Goal: `npm run mutate` takes out of the source what it says that it takes out, and leaves a program.
 * Method: the marker of each mutation is looked for in its file, where it must stand once, and what stands there without the rule is
 * compiled. A program that does not start would break every promise and show nothing. No marker is left without its mutation.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATIONS, mutated, nameOf } from './mutations.ts';
import { ENDLESS } from './simulate/endless.ts';

const WORLDS = ['lists', 'histories', 'team', 'fill', 'page'];
const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test.for([...MUTATIONS, ...ENDLESS])(
  '$rule: the line that is marked in $file is another without it',
  (mutation) => {
    const source = read(mutation.file);
    const without = mutated(source, mutation);
    expect(without).not.toBe(source);
    stripTypeScriptTypes(without);
  },
);

test('each marker of the source is that of one mutation', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: ROOT });
  const markers = files.flatMap((path) =>
    [...read(path).matchAll(/\/\/ rule (\S+)$/gm)].map(([, name]) => name),
  );
  expect(markers.sort()).toEqual([...MUTATIONS, ...ENDLESS].map(nameOf).sort());
});

test.for(MUTATIONS)('$rule: the test that must fail is there', ({ test: [name] }) => {
  expect(existsSync(join(ROOT, `test/${name}.test.ts`)), name).toBe(true);
});

test('each is found by a kind of world, or says why no world can show it', () => {
  for (const { rule, simulated } of MUTATIONS) {
    if (typeof simulated === 'string') expect(WORLDS, rule).toContain(simulated);
    else expect(simulated.never.split(' ').length, rule).toBeGreaterThan(5);
  }
});
