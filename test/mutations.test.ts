/**
 * Goal: `npm run mutate` takes out of the source what it says that it takes out.
 * Method: the text of each mutation is looked for in its file, where it must stand once.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATIONS } from './mutations.ts';

const ROOT = join(import.meta.dirname, '..');

test.for(MUTATIONS)('$rule: its text stands once in $file', (mutation) => {
  const [name] = mutation.test;
  for (const { file, text } of [mutation, mutation.simulated ?? mutation]) {
    const found = readFileSync(join(ROOT, file), 'utf8').split(text).length - 1;
    expect(found, `in ${file}, as test/mutations.ts says it: ${text}`).toBe(1);
  }
  expect(existsSync(join(ROOT, `test/${name}.test.ts`)), name).toBe(true);
});
