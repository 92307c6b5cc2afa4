/**
 * Goal: `npm run mutate` takes out of the source what it says that it takes out, and leaves a program.
 * Method: the text of each mutation is looked for in its file, where it must stand once, and what stands there without the rule is
 * compiled. A program that does not start would break every promise and show nothing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATIONS } from './mutations.ts';

const WORLDS = ['lists', 'histories', 'team', 'fill', 'page'];
const ROOT = join(import.meta.dirname, '..');

test.for(MUTATIONS)('$rule: its text stands once in $file', ({ file, text, instead, test: [name] }) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const [before = '', after = '', ...more] = source.split(text);
  expect(
    source.includes(text) && more.length === 0,
    `once in ${file}, as test/mutations.ts has it: ${text}`,
  ).toBe(true);
  stripTypeScriptTypes(before + instead + after);
  expect(existsSync(join(ROOT, `test/${name}.test.ts`)), name).toBe(true);
});

test('each is found by a kind of world, or says why no world can show it', () => {
  for (const { rule, simulated } of MUTATIONS) {
    if (typeof simulated === 'string') expect(WORLDS, rule).toContain(simulated);
    else expect(simulated.never.split(' ').length, rule).toBeGreaterThan(5);
  }
});
